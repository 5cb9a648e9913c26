//! Windows. Permissions are inherited from the parent folder; `fork` does not exist, and threads
//! receive no signals.

use std::borrow::Cow;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, IoSliceMut};
use std::os::windows::fs::FileExt;
use std::path::Path;

use super::{EntryType, LockAttempt};

/// The environment variable that contains the home folder.
pub(crate) const HOME: &str = "USERPROFILE";

/// Does nothing: Windows has no numeric permissions.
pub(crate) fn set_file_permissions(_options: &mut OpenOptions, _mode: u32) {}

/// Does nothing: Windows has no numeric permissions.
pub(crate) fn set_folder_permissions(_builder: &mut DirBuilder, _mode: u32) {}

/// Fills `to` with the bytes of a file from `offset` on.
pub(crate) fn read_at(file: &File, mut offset: u64, mut to: &mut [u8]) -> io::Result<()> {
    while !to.is_empty() {
        match file.seek_read(to, offset) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                offset += count as u64;
                to = &mut to[count..];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads into the first buffer only and returns the number of bytes read.
pub(crate) fn read_vectored_at(
    file: &File,
    offset: u64,
    to: &mut [IoSliceMut<'_>],
) -> io::Result<usize> {
    match to.first_mut() {
        Some(first) => file.seek_read(first, offset),
        None => Ok(0),
    }
}

/// Calls `take` with the name and the type of each entry of a folder, in any order.
pub(crate) fn each_entry(
    path: &str,
    _buffer_bytes: usize,
    take: &mut dyn FnMut(&str, EntryType),
) -> io::Result<()> {
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = match entry.file_type()? {
            kind if kind.is_dir() => EntryType::Folder,
            kind if kind.is_file() => EntryType::File,
            _ => EntryType::Other,
        };
        take(&entry.file_name().to_string_lossy(), kind);
    }
    Ok(())
}

/// Opens a file for reading.
pub(crate) fn open_at_once(path: &str) -> io::Result<File> {
    File::open(path)
}

/// Returns the size of an open file in bytes.
pub(crate) fn size(file: &File) -> io::Result<u64> {
    file.metadata().map(|metadata| metadata.len())
}

/// Returns whether an error of a look-up means that a path leads to nothing.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
    )
}

/// Returns `false`: only the memory of the system limits the number of open files.
pub(crate) fn is_out_of_descriptors(_error: &io::Error) -> bool {
    false
}

/// Returns how many files the process may have open.
pub(crate) fn max_descriptors() -> usize {
    usize::MAX
}

/// Returns whether two paths refer to the same file or folder.
///
/// # Errors
/// If one of them cannot be looked up, although it may exist.
pub(crate) fn is_same(one: &str, other: &str) -> io::Result<bool> {
    let canonical = |path| match std::fs::canonicalize(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    };
    let (one, other) = (canonical(one)?, canonical(other)?);
    Ok(one.is_some() && one == other)
}

/// Makes the content of a file durable. Names in a folder are made durable by the system.
pub(crate) fn sync(path: &str) -> io::Result<()> {
    if Path::new(path).is_dir() {
        return Ok(());
    }
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Returns an error: paths start at a drive.
pub(crate) fn open_folder(_path: &str) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

/// Never called, since [`open_folder`] opens nothing.
pub(crate) fn open_below(_folder: &File, _path: &str) -> io::Result<File> {
    Err(ErrorKind::Unsupported.into())
}

/// Returns `None`: folders have no such identifier.
pub(crate) fn folder_state(_path: &str) -> io::Result<Option<(u128, u64)>> {
    Ok(None)
}

/// A lock on a folder, which cannot exist on Windows.
#[derive(Debug)]
pub(crate) enum DescriptorLock {}

/// Returns that folders cannot be locked.
pub(crate) fn try_lock_folder(
    _path: &str,
    _exclusive: bool,
) -> io::Result<LockAttempt<DescriptorLock>> {
    Ok(LockAttempt::Unsupported)
}

/// Returns `None`: Windows has no unnamed files.
pub(crate) fn create_unnamed(_folder: &str, _mode: u32) -> io::Result<Option<UnnamedFile>> {
    Ok(None)
}

/// A file without a name, which cannot exist on Windows.
#[derive(Debug)]
pub(crate) enum UnnamedFile {}

impl UnnamedFile {
    /// Returns the open file.
    pub(crate) fn file(&self) -> &File {
        match *self {}
    }

    /// Gives the file a name.
    pub(crate) fn publish(&self, _name: &str) -> io::Result<bool> {
        match *self {}
    }
}

/// Closes a file. Errors of earlier writes have been reported by then.
pub(crate) fn close(file: File) -> io::Result<()> {
    drop(file);
    Ok(())
}

/// Converts a path to the form used in URIs: `C:\a\b` becomes `/C:/a/b`.
pub(crate) fn with_forward_slashes(path: &str) -> Cow<'_, str> {
    let path = if path.contains('\\') {
        Cow::Owned(path.replace('\\', "/"))
    } else {
        Cow::Borrowed(path)
    };
    if has_drive(&path) {
        Cow::Owned(format!("/{path}"))
    } else {
        path
    }
}

/// Converts a path from a URI to the form used by the system: `/C:/a/b` becomes `C:/a/b`.
pub(crate) fn local(path: &str) -> &str {
    path.strip_prefix('/')
        .filter(|rest| has_drive(rest))
        .unwrap_or(path)
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Does nothing: `fork` does not exist.
pub(crate) fn on_fork(_handler: extern "C" fn()) {}

/// Does nothing: the system takes freed memory back.
pub(crate) fn trim_heap() {}

/// Does nothing: threads receive no signals.
pub(crate) fn block_signals() {}

/// Does nothing: the standard library cannot set the option of a connection.
#[cfg(feature = "http")]
pub(crate) fn keep_alive(_: &std::net::TcpStream) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_convert_between_uris_and_the_system() {
        assert_eq!(with_forward_slashes("C:\\a\\b"), "/C:/a/b");
        assert_eq!(with_forward_slashes("a\\b"), "a/b");
        assert_eq!(with_forward_slashes("c:/a"), "/c:/a");
        assert_eq!(local("/C:/a/b"), "C:/a/b");
        assert_eq!(local("/a/b"), "/a/b");
    }
}
