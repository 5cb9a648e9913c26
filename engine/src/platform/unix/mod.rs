//! Linux, macOS and the like.

mod folder_lock;
mod folder_names;
mod syscalls;
mod unnamed_file;

use std::borrow::Cow;
use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

pub(crate) use folder_lock::{DescriptorLock, try_lock_folder};
pub(crate) use folder_names::each_entry;
#[cfg(target_os = "linux")]
pub(crate) use folder_names::each_entry_of;
#[cfg(feature = "http")]
pub(crate) use syscalls::keep_alive;
#[cfg(test)]
pub(crate) use syscalls::thread_time;
pub(crate) use syscalls::{
    block_signals, close, max_descriptors, on_fork, open_below, read_vectored_at, trim_heap,
};
#[cfg(all(test, target_os = "linux"))]
pub(crate) use syscalls::{in_child, in_unprivileged_child};
pub(crate) use unnamed_file::{UnnamedFile, create_unnamed};

/// The environment variable that contains the home folder.
pub(crate) const HOME: &str = "HOME";

/// Sets the permissions of a file that will be created.
pub(crate) fn set_file_permissions(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

/// Sets the permissions of folders that will be created.
pub(crate) fn set_folder_permissions(builder: &mut DirBuilder, mode: u32) {
    builder.mode(mode);
}

/// Fills `to` with the bytes of a file from `offset` on.
pub(crate) fn read_at(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    file.read_exact_at(to, offset)
}

/// Opens a file or a folder for reading. Opening a FIFO would wait until another process writes to
/// it; here it succeeds, and reading from it is an error.
pub(crate) fn open_at_once(path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NONBLOCK);
    match options.open(path) {
        // Another process has a lease on the file, which it returns when the file is opened.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => File::open(path),
        opened => opened,
    }
}

/// Returns the size of an open file in bytes.
///
/// # Errors
/// If the file is a FIFO, which has no size and cannot be read at offsets.
pub(crate) fn size(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    if metadata.file_type().is_fifo() {
        return Err(io::Error::from_raw_os_error(libc::ESPIPE));
    }
    Ok(metadata.len())
}

/// Returns whether an error of a look-up means that a path leads to nothing.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    let is_invalid = error.kind() == io::ErrorKind::InvalidInput; // contains a zero
    let missing = [libc::ENOENT, libc::ENOTDIR, libc::ELOOP, libc::ENAMETOOLONG];
    is_invalid
        || error
            .raw_os_error()
            .is_some_and(|code| missing.contains(&code))
}

/// Returns whether an operation failed because the process or the system has no descriptor left.
pub(crate) fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE))
}

/// Returns whether two paths refer to the same file or folder.
///
/// # Errors
/// If one of them cannot be looked up, although it may exist.
pub(crate) fn is_same(one: &str, other: &str) -> io::Result<bool> {
    let identity = |path| match std::fs::metadata(path) {
        Ok(found) => Ok(Some((found.dev(), found.ino()))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    };
    let (one, other) = (identity(one)?, identity(other)?);
    Ok(one.is_some() && one == other)
}

/// Makes the bytes of a file, or the names in a folder, durable. Does nothing for a folder that
/// cannot be synced: one that the user may change but not read, or one on a file system that does
/// not sync folders, such as 9P.
pub(crate) fn sync(path: &str) -> io::Result<()> {
    let synced = open_at_once(path).and_then(|file| file.sync_all());
    match synced {
        Err(error) if cannot_sync_folders(&error) && Path::new(path).is_dir() => Ok(()),
        synced => synced,
    }
}

/// Returns whether an error of opening or syncing a folder means that it cannot be synced, because
/// of its permissions or its file system, in contrast to a failure of the storage.
fn cannot_sync_folders(error: &io::Error) -> bool {
    let codes = [
        libc::EACCES,
        libc::EBADF,
        libc::EINVAL,
        libc::ENOSYS,
        libc::EOPNOTSUPP,
    ];
    error
        .raw_os_error()
        .is_some_and(|code| codes.contains(&code))
}

/// Opens a folder, to list it or as the start of the paths of [`open_below`]. A file that is not a
/// folder is an error, also one whose opening would wait.
pub(crate) fn open_folder(path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_DIRECTORY);
    options.open(path)
}

/// Returns an identifier of the state of a folder's entries, which changes whenever one is added,
/// removed or renamed, and the time of the last change in milliseconds since 1970. The kernel's
/// clock for such times advances every few milliseconds: two changes in quick succession may share
/// a state.
pub(crate) fn folder_state(path: &str) -> io::Result<Option<(u128, u64)>> {
    Ok(Some(state_of(&std::fs::metadata(path)?)))
}

/// Returns the state of an open folder, like [`folder_state`], without resolving its path.
#[cfg(target_os = "linux")]
pub(crate) fn open_folder_state(folder: &File) -> io::Result<(u128, u64)> {
    Ok(state_of(&folder.metadata()?))
}

fn state_of(metadata: &Metadata) -> (u128, u64) {
    let nanoseconds =
        i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    let state = (u128::from(metadata.ino()) << 64) ^ nanoseconds.cast_unsigned();
    let milliseconds = u64::try_from(nanoseconds / 1_000_000).unwrap_or(0);
    (state, milliseconds)
}

/// Converts a path to the form used in URIs: unchanged, since the separator is a slash.
pub(crate) fn with_forward_slashes(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// Converts a path from a URI to the form used by the system: unchanged.
pub(crate) fn local(path: &str) -> &str {
    path
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_of_a_file_system_that_does_not_sync_folders_need_no_sync() {
        assert!(File::open("/proc").expect("opens").sync_all().is_err());
        sync("/proc").expect("does nothing");
        assert!(sync("/proc/self/status").is_err(), "a file");
        assert!(sync("/proc/missing").is_err());
    }

    #[test]
    fn folders_that_the_user_may_not_read_need_no_sync() {
        let temporary = tempfile::tempdir().expect("folder");
        let root = temporary.path();
        let (folder, file) = (root.join("folder"), root.join("file"));
        create_dir(&folder).expect("folder");
        write(&file, "").expect("file");
        for (path, mode) in [(root, 0o755), (&folder, 0o333), (&file, 0o222)] {
            set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
        }
        let path = |path: &std::path::Path| path.to_str().expect("path").to_owned();
        let (folder, file) = (path(&folder), path(&file));
        assert!(in_unprivileged_child(
            || sync(&folder).is_ok() && sync(&file).is_err()
        ));
    }
}
