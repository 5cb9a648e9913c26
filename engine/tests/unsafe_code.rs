//! ARCHITECTURE.md lists the files of the engine that contain `unsafe`.

use std::fs;
use std::path::Path;

/// Adds the paths below `root` of the files of a folder that contain the word.
fn find(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(root, &path, found);
        } else if fs::read_to_string(&path)
            .expect("source text")
            .contains("unsafe")
        {
            let file = path.strip_prefix(root).expect("below the root");
            found.push(file.to_str().expect("text").replace('\\', "/"));
        }
    }
}

#[test]
fn files_with_unsafe_code_are_listed() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = engine.join("src");
    let mut found = Vec::new();
    find(&source, &source, &mut found);
    // The crate root denies the lint.
    found.retain(|file| file != "lib.rs");
    found.sort_unstable();
    let text = fs::read_to_string(engine.join("../ARCHITECTURE.md")).expect("text");
    let section = text.split_once("\n## Unsafe code\n").expect("a section").1;
    let section = section.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let files = cells.flat_map(|cell| cell.split('|').next().unwrap_or_default().split(','));
    let mut listed: Vec<String> = files
        .map(|file| file.trim_matches([' ', '`']).to_owned())
        .collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}
