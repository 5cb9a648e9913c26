//! Files that no commit and no list refers to.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files below a folder that a complete vacuum must remove: temporary names, pending
/// lists, and uncommitted fragments.
pub(crate) fn below(folder: &Path) -> Vec<String> {
    let mut left = Vec::new();
    visit(folder, folder, &mut left);
    left.sort();
    left
}

fn visit(top: &Path, folder: &Path, left: &mut Vec<String>) {
    for path in entries(folder) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let temporary = name.starts_with("__tmp_") || name.ends_with(".tmp");
        let pending = folder.ends_with("__pending");
        let uncommitted = folder.ends_with("__fragments") && !is_committed(&path);
        if temporary || pending || uncommitted {
            let shown = path.strip_prefix(top).unwrap_or(&path);
            left.push(shown.display().to_string());
        } else if path.is_dir() {
            visit(top, &path, left);
        }
    }
}

/// Returns whether a commit file, or a file of many commits, names a fragment.
fn is_committed(fragment: &Path) -> bool {
    let name = fragment
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let Some(commits) = fragment
        .ancestors()
        .nth(2)
        .map(|array| array.join("__commits"))
    else {
        return false;
    };
    commits.join(format!("{name}.wrt")).exists()
        || entries(&commits)
            .filter(|path| path.extension().is_some_and(|extension| extension == "con"))
            .filter_map(|path| fs::read(path).ok())
            .any(|bytes| {
                bytes
                    .windows(name.len())
                    .any(|window| window == name.as_bytes())
            })
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}
