//! A type that is visible outside of its file has a name that no other visible type of the crate
//! has.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of one operating system, which define the same names as those of another.
const ALTERNATIVES: [&str; 1] = ["platform/windows.rs"];

/// Types of the public API that have the name of the engine's type that they wrap, as users of the
/// crate see only the wrapper.
const WRAPPERS: [&str; 8] = [
    "Aggregate",
    "Array",
    "Condition",
    "Context",
    "Group",
    "GroupSnapshot",
    "Subarray",
    "Vfs",
];

/// Returns all source files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Returns the name of the type that a line defines with visibility `pub(super)` or wider.
fn visible_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(") ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let (kind, rest) = rest.split_once(' ')?;
    if !["struct", "enum", "trait", "union", "type"].contains(&kind) {
        return None;
    }
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    rest.split(is_end).next().filter(|name| !name.is_empty())
}

#[test]
fn type_names_are_unique() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut definitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in &files {
        let text = fs::read_to_string(file).expect("source");
        let file = file.strip_prefix(&root).expect("below the root");
        let mut skipped = ALTERNATIVES.iter();
        if skipped.any(|name| file == Path::new(name)) {
            continue;
        }
        for name in text.lines().filter_map(visible_type) {
            let files = definitions.entry(name.to_owned()).or_default();
            files.push(file.display().to_string());
        }
    }
    assert!(definitions.len() > 300, "{} types", definitions.len());
    for wrapper in WRAPPERS {
        let files = definitions.remove(wrapper).unwrap_or_default();
        let is_api = |file: &&String| file.starts_with("api/") || file.starts_with("expression/");
        let wrappers = files.iter().filter(is_api).count();
        assert_eq!((wrappers, files.len()), (1, 2), "{wrapper}: {files:?}");
    }
    definitions.retain(|_, files| files.len() > 1);
    assert!(definitions.is_empty(), "defined twice: {definitions:#?}");
}

#[test]
fn definitions_are_recognized() {
    assert_eq!(visible_type("pub struct Name<'a> {"), Some("Name"));
    assert_eq!(visible_type("    pub(super) enum Name {"), Some("Name"));
    assert_eq!(
        visible_type("pub(in super::super) type Name = u8;"),
        Some("Name")
    );
    assert_eq!(visible_type("struct Name;"), None);
    assert_eq!(visible_type("pub fn name() {}"), None);
}
