//! A room may use the rooms before it in this list, never one after it.

use std::fs;
use std::path::Path;

const ROOMS: [&str; 24] = [
    "error",
    "system",
    "lock",
    "types",
    "bytes",
    "config",
    "stats",
    "context",
    "vfs",
    "filter",
    "schema",
    "space",
    "format",
    "tile",
    "fragment",
    "array",
    "query",
    "maintain",
    "object",
    "group",
    "filestore",
    "inspect",
    "serialization",
    "remote",
];

fn check(path: &Path, later: &[&str], found: &mut Vec<String>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("folder").flatten() {
            check(&entry.path(), later, found);
        }
    } else if let Ok(text) = fs::read_to_string(path) {
        for (number, line) in text.lines().enumerate() {
            for room in later {
                let used = line
                    .match_indices(&format!("crate::{room}"))
                    .any(|(at, word)| {
                        !line[at + word.len()..]
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
fn no_room_uses_a_room_after_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (at, room) in ROOMS.iter().enumerate() {
        for path in [source.join(room), source.join(format!("{room}.rs"))] {
            check(&path, &ROOMS[at + 1..], &mut found);
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_room_is_in_the_list() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(source).expect("folder").flatten() {
        let name = entry.file_name().into_string().expect("name");
        let room = name.trim_end_matches(".rs");
        assert!(
            room == "lib" || ROOMS.contains(&room),
            "{room} is in no list"
        );
    }
}
