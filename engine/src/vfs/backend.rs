//! What a kind of storage must be able to do.
//!
//! A backend keeps no state of a caller and counts nothing: [`super::Vfs`] chooses it, counts and adds what all have in
//! common. Errors name the URI and the reason of the storage.

use std::fmt::Debug;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::{Entry, Uri};
use crate::error::{Result, try_vec};
use crate::types::Timestamp;

/// What becomes of the content that a file has when it is opened for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// It goes.
    Replace,
    /// It stays, and writes go behind it.
    Append,
}

/// A kind of storage.
pub trait Backend: Debug + Send + Sync {
    /// Opens a file for reading.
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>>;

    /// Opens a file for writing, made where there is none.
    fn create(&self, uri: &Uri, opening: Opening) -> Result<Box<dyn FileSink>>;

    /// The size of a file in bytes.
    fn file_size(&self, uri: &Uri) -> Result<u64>;

    /// Whether there is a file.
    fn is_file(&self, uri: &Uri) -> Result<bool>;

    /// Whether there is a folder.
    fn is_dir(&self, uri: &Uri) -> Result<bool>;

    /// Whether two places are one file or one folder, under whatever names.
    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool>;

    /// What is in a folder, in any order; nothing where there is no such folder.
    fn list(&self, uri: &Uri, sizes: bool) -> Result<Vec<Entry>>;

    /// Makes a folder and those above it; an existing one is fine.
    fn create_dir(&self, uri: &Uri) -> Result<()>;

    /// Removes a file.
    fn remove_file(&self, uri: &Uri) -> Result<()>;

    /// Removes a folder and all in it.
    fn remove_dir(&self, uri: &Uri) -> Result<()>;

    /// Makes an empty, durable file unless there is one.
    fn touch(&self, uri: &Uri) -> Result<()>;

    /// Gives a file or a folder another place in the same storage; what is there goes.
    fn rename(&self, from: &Uri, to: &Uri) -> Result<()>;

    /// Makes what is known of a file or folder durable; nothing where there is none.
    fn sync(&self, uri: &Uri) -> Result<()>;

    /// Creates a file of these bytes in one step: after a crash it is complete or does not exist. The content is durable,
    /// the name is once the folder is synced. The name must be new. A backend that cannot do this under the final name
    /// alone writes to a temporary name in `staging`, a folder on the same storage, and renames.
    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()>;

    /// Renames a folder to a name at which nothing or an empty folder exists, in one step. Returns `false` if something
    /// else exists there.
    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool>;

    /// Creates a folder in an existing one. Returns `false` if something exists at `uri`: of several callers one creates it.
    fn create_new_dir(&self, uri: &Uri) -> Result<bool>;

    /// Removes a folder that is empty. Returns `false` if it holds something.
    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool>;

    /// The time of the last change of a file in milliseconds since 1970.
    fn modified(&self, uri: &Uri) -> Result<Timestamp>;

    /// An identifier of the state of a folder's entries: as long as it is the same, none was added, removed or renamed.
    /// `None` if the backend cannot tell.
    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>>;

    /// Attempts to take an advisory lock on a folder, without waiting. The lock ends with the value or with the process.
    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt>;

    /// Waits before an attempt is repeated. Test backends that schedule threads replace it.
    fn pause(&self, duration: Duration) {
        std::thread::sleep(duration);
    }

    /// Returns what only object stores can do; `None` for all other storage.
    fn objects(&self) -> Option<&dyn Objects> {
        None
    }
}

/// What a snapshot of a folder lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotScope {
    /// The files of the array or group itself, whose names all begin with two underscores.
    Own,
    /// Everything.
    All,
}

impl SnapshotScope {
    /// The beginning of the names in a folder that are listed.
    pub fn names(self) -> &'static str {
        match self {
            Self::Own => "__",
            Self::All => "",
        }
    }
}

/// What an object store can do, and what it does with fewer requests than the methods of [`Backend`].
pub trait Objects: Debug + Send + Sync {
    /// Returns the most requests in flight.
    fn parallel(&self) -> Result<usize>;

    /// Opens a file of known size for reading.
    fn open_sized(&self, uri: &Uri, size: u64) -> Result<Box<dyn Source>>;

    /// Lists what is below a folder and returns a backend that looks names up in the listing. All else is done by
    /// `backend`.
    fn snapshot(
        &self,
        root: &Uri,
        scope: SnapshotScope,
        backend: Arc<dyn Backend>,
    ) -> Result<Arc<dyn Backend>>;

    /// Returns the entries of a folder whose names begin as those of an array's or a group's own files do.
    fn list_own(&self, uri: &Uri) -> Result<Vec<Entry>>;

    /// Hands the rest of the URI and the size of each file below a folder to `take`, sorted, until it returns `false`.
    fn walk(
        &self,
        root: &Uri,
        scope: SnapshotScope,
        take: &mut dyn FnMut(&str, u64) -> Result<bool>,
    ) -> Result<()>;

    /// Removes files; missing ones are fine.
    fn remove_files(&self, uris: &[Uri]) -> Result<()>;

    /// Copies a file within the store.
    fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()>;

    /// Copies everything below a folder within the store.
    fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()>;

    /// Creates a bucket.
    fn create_bucket(&self, uri: &Uri) -> Result<()>;

    /// Removes a bucket and everything in it.
    fn remove_bucket(&self, uri: &Uri) -> Result<()>;

    /// Removes everything in a bucket.
    fn empty_bucket(&self, uri: &Uri) -> Result<()>;

    /// Returns whether a bucket exists.
    fn is_bucket(&self, uri: &Uri) -> Result<bool>;

    /// Returns whether a bucket has no objects.
    fn is_empty_bucket(&self, uri: &Uri) -> Result<bool>;

    /// Returns the keys of uploads below a prefix that were begun and not completed.
    fn uploads(&self, uri: &Uri) -> Result<Vec<String>>;

    /// Aborts those uploads. Returns their number.
    fn abort_uploads(&self, uri: &Uri) -> Result<u64>;
}

/// The state of a folder's entries, for comparison with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderState(pub(super) u128);

impl FolderState {
    /// Creates a state from a number that changes with the entries of the folder.
    pub fn new(state: u128) -> Self {
        Self(state)
    }
}

/// How a lock on a folder is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// Any number of shared locks may be held at once.
    Shared,
    /// No other lock may be held.
    Exclusive,
}

/// The outcome of an attempt to lock a folder.
#[derive(Debug)]
pub enum LockAttempt {
    /// The lock is held until the value is dropped.
    Locked(Box<dyn HeldLock>),
    /// A conflicting lock is held.
    Busy,
    /// The storage has no such locks.
    Unsupported,
}

/// A lock that is held until it is dropped.
pub trait HeldLock: Debug + Send + Sync {}

/// A file open for reading; usable from several threads.
pub trait Source: Debug + Send + Sync {
    /// Fills `to` from `offset` on.
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()>;

    /// Fills the parts one after the other from `offset` on.
    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()>;

    /// The size in bytes.
    fn size(&self) -> Result<u64>;

    /// Returns the last bytes, at most `most`, and the size of the file.
    fn read_tail(&self, most: u64) -> Result<(Vec<u8>, u64)> {
        let size = self.size()?;
        let len = usize::try_from(size.min(most)).unwrap_or(usize::MAX);
        let mut bytes = try_vec("the end of a file", len)?;
        self.read_at(size - len as u64, &mut bytes)?;
        Ok((bytes, size))
    }

    /// Returns the whole content.
    fn read_all(&self) -> Result<Vec<u8>> {
        let size = usize::try_from(self.size()?).unwrap_or(usize::MAX);
        let mut bytes = try_vec("the content of a file", size)?;
        self.read_at(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the ranges that should be loaded before these are read, which is none if reads cost no requests.
    fn announce(&self, _ranges: &[Range<u64>]) -> Result<Vec<Range<u64>>> {
        Ok(Vec::new())
    }

    /// Loads a range that [`Source::announce`] returned, so that reads in it find it in memory, once.
    fn load(&self, _range: Range<u64>) -> Result<()> {
        Ok(())
    }

    /// Drops what was loaded.
    fn forget(&self) {}
}

/// A file being written, front to back.
pub trait FileSink: Debug + Send {
    /// Appends the parts one after the other, all of them.
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()>;

    /// Puts everything on disk.
    fn sync(&mut self) -> Result<()>;

    /// Ends writing.
    fn close(self: Box<Self>) -> Result<()>;
}
