//! The exported functions as found in the sources of the library.
#![allow(dead_code, reason = "each test needs a part")]

use std::fs;
use std::path::{Path, PathBuf};

/// One exported function.
pub(crate) struct Entry {
    /// The file below `src/`, without extension.
    pub(crate) family: String,
    /// The function's name.
    pub(crate) name: String,
    /// The documentation comment, without the slashes.
    pub(crate) doc: String,
    /// The names of the parameters.
    pub(crate) params: Vec<String>,
    /// Signature and body.
    pub(crate) text: String,
}

const MARK: &str = "#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn ";

/// All entries, by file and position.
pub(crate) fn entries() -> Vec<Entry> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = files_below(&root);
    files
        .iter()
        .flat_map(|file| entries_of(&root, file))
        .collect()
}

/// The sources in a folder and in those below it, in the order of their names.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the sources are there")
        .map(|file| file.expect("a readable folder").path())
        .collect();
    found.sort();
    found
        .into_iter()
        .flat_map(|path| {
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn entries_of(root: &Path, file: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(file).expect("a readable source");
    let family = file.strip_prefix(root).expect("a file below it");
    let family = family.with_extension("").display().to_string();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(index) = text[from..].find(MARK).map(|index| from + index) {
        let start = index + MARK.len();
        let end = text[start..]
            .find("\n}\n")
            .map_or(text.len(), |index| start + index);
        found.push(entry(&family, &text[..index], &text[start..end]));
        from = end;
    }
    found
}

fn entry(family: &str, before: &str, text: &str) -> Entry {
    let open = text.find('(').expect("a parameter list");
    let close = text
        .find("\n) ")
        .or_else(|| text.find(") "))
        .unwrap_or(open);
    Entry {
        family: family.to_owned(),
        name: text[..open].to_owned(),
        doc: doc_before(before),
        params: params_of(&text[open + 1..close.max(open + 1)]),
        text: text.to_owned(),
    }
}

/// Returns the `///` lines right before an entry. Other attributes may be in between.
fn doc_before(text: &str) -> String {
    let lines = text
        .lines()
        .rev()
        .skip_while(|line| line.starts_with("#["))
        .map_while(|line| line.strip_prefix("///"));
    let mut lines: Vec<_> = lines.map(str::trim).collect();
    lines.reverse();
    lines.join("\n")
}

/// Returns the parameter names: the text before a colon, outside of brackets.
fn params_of(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut names = Vec::new();
    for part in list.split_inclusive([',', '(', ')', '<', '>']) {
        if depth == 0
            && let Some((name, _)) = part.split_once(':')
        {
            let name = name.trim();
            names.push(name.strip_prefix("r#").unwrap_or(name).to_owned());
        }
        match part.chars().last() {
            Some('(' | '<') => depth += 1,
            Some(')' | '>') if !part.ends_with("->") => depth -= 1,
            _ => {}
        }
    }
    names
}
