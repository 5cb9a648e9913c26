//! A module may use the modules before it in this list, never one after it.

use std::fs;
use std::path::Path;

const MODULES: [&str; 37] = [
    "error",
    "platform",
    "memory",
    "types",
    "bytes",
    "config",
    "stats",
    "context",
    "http",
    "vfs",
    "filter",
    "schema",
    "geometry",
    "format",
    "tile",
    "fragment",
    "array",
    "subarray",
    "condition",
    "buffers",
    "aggregate",
    "read",
    "write",
    "query",
    "arrow",
    "maintenance",
    "object",
    "group",
    "filestore",
    "inspect",
    "check",
    "serialization",
    "rest",
    "expression",
    "recommend",
    "api",
    "internal",
];

fn check(path: &Path, later: &[&str], found: &mut Vec<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("folder").flatten() {
            check(&entry.path(), later, found);
        }
    } else if let Ok(text) = fs::read_to_string(path) {
        for (number, line) in text.lines().enumerate() {
            for module in later {
                let used = line
                    .match_indices(&format!("crate::{module}"))
                    .any(|(index, word)| {
                        !line[index + word.len()..]
                            .starts_with(|c: char| c.is_alphanumeric() || c == '_')
                    });
                if used {
                    found.push(format!(
                        "{}:{}: {}",
                        path.display(),
                        number + 1,
                        line.trim()
                    ));
                }
            }
        }
    }
}

#[test]
fn modules_use_only_modules_before_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (index, module) in MODULES.iter().enumerate() {
        for path in [source.join(module), source.join(format!("{module}.rs"))] {
            check(&path, &MODULES[index + 1..], &mut found);
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_module_is_in_the_list() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(source).expect("folder").flatten() {
        let name = entry.file_name().into_string().expect("name");
        let module = name.trim_end_matches(".rs");
        assert!(
            module == "lib" || MODULES.contains(&module),
            "{module} is in no list"
        );
    }
}
