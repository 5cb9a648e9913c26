//! Removal of folders that contain open files.
//!
//! On NFS, a file that is removed while a process of this machine has it open stays in its folder
//! under a name that begins with `.nfs`, and so does the folder, until the file is closed.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::memory::{close_idle_files, with_descriptor};

/// The start of the names of files that NFS keeps while they are open.
const KEPT_WHILE_OPEN: &str = ".nfs";

/// Removes a folder with its contents, or a file.
///
/// # Errors
/// Of kind `ResourceBusy` if everything was removed except files that are still open, and their
/// folders.
pub(super) fn folder(path: &str) -> io::Result<()> {
    let remove = || with_descriptor(|| fs::remove_dir_all(path));
    let mut removed = remove();
    // This process may have them open, to read them again later.
    if removed.as_ref().is_err_and(is_in_use) && close_idle_files() {
        removed = remove();
    }
    match removed {
        // libtiledb removes a file, too.
        Err(error) if error.kind() == ErrorKind::NotADirectory => fs::remove_file(path),
        Err(error) if is_in_use(&error) => remove_closed_files(Path::new(path)),
        removed => removed,
    }
}

fn is_in_use(error: &io::Error) -> bool {
    let kinds = [ErrorKind::DirectoryNotEmpty, ErrorKind::ResourceBusy];
    kinds.contains(&error.kind())
}

/// Removes everything in a folder except files that are kept because they are open, and then the
/// folder.
fn remove_closed_files(folder: &Path) -> io::Result<()> {
    let mut has_open = false;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_kept = entry
            .file_name()
            .to_string_lossy()
            .starts_with(KEPT_WHILE_OPEN);
        let removed = if entry.file_type()?.is_dir() {
            remove_closed_files(&entry.path())
        } else if is_kept {
            Err(ErrorKind::ResourceBusy.into())
        } else {
            fs::remove_file(entry.path())
        };
        match removed {
            Err(error) if error.kind() == ErrorKind::ResourceBusy => has_open = true,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    match fs::remove_dir(folder) {
        Err(_) if has_open => Err(ErrorKind::ResourceBusy.into()),
        removed => removed,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_kept_while_they_are_open_are_the_only_ones_left() {
        let root = tempfile::tempdir().expect("folder");
        let folder = root.path().join("folder");
        let inner = folder.join("inner");
        fs::create_dir_all(&inner).expect("folders");
        let kept = inner.join(".nfs000000000000002a00000001");
        for file in [&kept, &inner.join("a"), &folder.join("b")] {
            fs::write(file, "").expect("file");
        }
        let removed = remove_closed_files(&folder).map_err(|error| error.kind());
        assert_eq!(removed, Err(ErrorKind::ResourceBusy));
        assert!(kept.is_file() && !inner.join("a").exists() && !folder.join("b").exists());
        fs::remove_file(&kept).expect("closed");
        remove_closed_files(&folder).expect("removed");
        assert!(!folder.exists());
    }
}
