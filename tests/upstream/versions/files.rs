//! Names of the files of an array in a comparable form, without random parts and clock times.

use std::fs;
use std::path::Path;

/// Returns the sorted names of all files below a folder. Timestamps after `start` are replaced.
pub(super) fn list(folder: &Path, start: u64) -> Vec<String> {
    let mut names = Vec::new();
    walk(folder, "", start, &mut names);
    names.sort();
    names
}

fn walk(folder: &Path, prefix: &str, start: u64, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let name = plain(&entry.file_name().to_string_lossy(), start);
        let name = format!("{prefix}/{name}");
        if entry.file_type().expect("type").is_dir() {
            walk(&entry.path(), &name, start, names)
        } else {
            names.push(name)
        }
    }
}

fn plain(name: &str, start: u64) -> String {
    let now = std::time::UNIX_EPOCH.elapsed().expect("clock").as_millis() as u64;
    let word = |word: &str| -> String {
        if word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return "#".into();
        }
        match word.parse::<u64>() {
            Ok(time) if (start..=now).contains(&time) => "now".into(),
            _ => word.into(),
        }
    };
    let messages: Vec<String> = name
        .split('_')
        .map(|part| part.split('.').map(word).collect::<Vec<_>>().join("."))
        .collect();
    messages.join("_")
}
