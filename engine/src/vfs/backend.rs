//! The interface of storage backends.
//!
//! A backend has no state of a caller and no counters: [`super::Vfs`] selects the backend, counts
//! operations and adds common functionality. Errors contain the URI and the reason.

use std::fmt::Debug;
use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::time::Duration;

use super::listing::{ListingScope, StorageListing};
use super::{Entry, Uri};
use crate::error::{Result, try_vec};
use crate::types::Timestamp;

pub use crate::platform::LockAttempt;

/// The treatment of existing content when a file is opened for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Replace it.
    Replace,
    /// Append to it.
    Append,
}

/// Whether a listing has the sizes of files, which takes a system call per file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrySizes {
    /// Sizes are read.
    Read,
    /// Sizes may be 0.
    Skip,
}

/// A storage backend.
pub trait Backend: Debug + Send + Sync {
    /// Opens a file for reading.
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>>;

    /// Opens a file for writing, and creates it if necessary.
    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>>;

    /// Returns the size of a file in bytes.
    fn file_size(&self, uri: &Uri) -> Result<u64>;

    /// Returns whether a file exists.
    fn is_file(&self, uri: &Uri) -> Result<bool>;

    /// Returns whether a folder exists.
    fn is_dir(&self, uri: &Uri) -> Result<bool>;

    /// Returns whether two URIs refer to the same file or folder.
    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool>;

    /// Returns the entries of a folder in any order; nothing for a missing folder.
    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>>;

    /// Calls `take` with the name of each entry of a folder, in any order; never for a missing
    /// folder.
    fn each_name(&self, uri: &Uri, take: &mut dyn FnMut(&str)) -> Result<()> {
        let entries = self.list(uri, EntrySizes::Skip)?;
        entries.iter().for_each(|entry| take(&entry.name));
        Ok(())
    }

    /// Opens a folder to read files below it; `None` if that is not faster than to open each file
    /// by its URI, or if the folder cannot be opened.
    fn open_folder(&self, _uri: &Uri) -> Option<Box<dyn OpenFolder>> {
        None
    }

    /// Creates a folder and its missing parents. An existing folder is not an error.
    fn create_dir(&self, uri: &Uri) -> Result<()>;

    /// Removes a file.
    fn remove_file(&self, uri: &Uri) -> Result<()>;

    /// Removes a folder with its contents.
    fn remove_dir(&self, uri: &Uri) -> Result<()>;

    /// Creates an empty file if none exists. Its name is durable once the folder is synced.
    fn touch(&self, uri: &Uri) -> Result<()>;

    /// Moves a file or folder within the storage, and replaces an existing target.
    fn rename(&self, from: &Uri, to: &Uri) -> Result<()>;

    /// Makes the content and metadata of a file or folder durable. Does nothing if it does not
    /// exist.
    fn sync(&self, uri: &Uri) -> Result<()>;

    /// Creates a file of these bytes in one step: after a crash it is complete or does not exist.
    /// The content is durable, the name is once the folder is synced. The name must be new. A
    /// backend that cannot do this under the final name alone writes to a temporary name in
    /// `staging`, a folder on the same storage, and renames.
    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()>;

    /// Writes a file that gets its name later, so that several can be synced at once. Otherwise as
    /// [`Backend::publish_file`]. `None` if the backend has no such files.
    fn stage_file<'a>(
        &'a self,
        _staging: &Uri,
        _uri: &Uri,
        _bytes: &'a [u8],
    ) -> Result<Option<Box<dyn StagedFile + 'a>>> {
        Ok(None)
    }

    /// Calls `body` for each index below `count`, at once if the storage waits for syncs. Each call
    /// syncs files or folders, whose order does not matter.
    fn sync_round(&self, count: usize, body: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        (0..count).try_for_each(body)
    }

    /// Renames a folder to a name at which nothing or an empty folder exists, in one step. Returns
    /// `false` if something else exists there.
    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool>;

    /// Creates a folder in an existing one. Returns `false` if something exists at `uri`: of
    /// several callers one creates it.
    fn create_new_dir(&self, uri: &Uri) -> Result<bool>;

    /// Removes a folder that is empty. Returns `false` if it holds something.
    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool>;

    /// Returns the time of the last change of a file in milliseconds since 1970.
    fn modified(&self, uri: &Uri) -> Result<Timestamp>;

    /// Returns an identifier of the state of the entries of a folder: while it is equal, none was
    /// added, removed or renamed. `None` if the backend cannot determine it.
    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>>;

    /// Returns the entries of a folder in any order, and the state of the folder if it was the same
    /// before and after it was listed.
    fn list_with_state(&self, uri: &Uri) -> Result<(Vec<Entry>, Option<FolderState>)> {
        let state = || self.folder_state(uri).ok().flatten();
        let before = state();
        let entries = self.list(uri, EntrySizes::Skip)?;
        let unchanged = before.filter(|before| state().as_ref() == Some(before));
        Ok((entries, unchanged))
    }

    /// Attempts to take an advisory lock on a folder, without waiting. The lock ends with the value
    /// or with the process.
    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt>;

    /// Waits before an attempt is repeated. Test backends that schedule threads replace it.
    fn pause(&self, duration: Duration) {
        std::thread::sleep(duration);
    }

    /// Returns the operations of object stores, or `None` for other storage.
    fn objects(&self) -> Option<&dyn Objects> {
        None
    }
}

/// A file of [`Backend::stage_file`]. Without a name it is removed on drop.
pub trait StagedFile: Debug + Send {
    /// Makes the content durable.
    fn sync(&mut self) -> Result<()>;

    /// Gives the file its name, which is durable once the folder is synced.
    fn publish(&mut self) -> Result<()>;
}

/// An open folder of a backend.
pub trait OpenFolder: Debug + Send + Sync {
    /// Returns the last bytes, at most `most`, of the file with a relative path, and the size of
    /// the file.
    fn read_tail(&self, path: &str, most: u64) -> Result<(Vec<u8>, u64)>;
}

/// Operations of object stores, which take fewer requests than the methods of [`Backend`].
pub trait Objects: Debug + Send + Sync {
    /// Returns the most requests in flight.
    fn parallel(&self) -> Result<usize>;

    /// Returns whether folders, except whole buckets, are entries that are removed on their own.
    fn has_directories(&self, uri: &Uri) -> Result<bool>;

    /// Opens a file of known size for reading.
    fn open_sized(&self, uri: &Uri, size: u64) -> Result<Box<dyn Source>>;

    /// Lists what is below a folder.
    fn listing(&self, root: &Uri, scope: ListingScope) -> Result<StorageListing>;

    /// Returns the entries of a folder whose names begin as those of an array's or a group's own
    /// files do.
    fn list_own(&self, uri: &Uri) -> Result<Vec<Entry>>;

    /// Calls `take` with the rest of the URI and the size of each file below a folder, sorted,
    /// until it returns `false`.
    fn walk(
        &self,
        root: &Uri,
        scope: ListingScope,
        take: &mut dyn FnMut(&str, u64) -> Result<bool>,
    ) -> Result<()>;

    /// Removes files. A missing file is not an error.
    fn remove_files(&self, uris: &[Uri]) -> Result<()>;

    /// Removes files in stages: those of one before those of the next, or all at once if one
    /// request can remove them. A missing file is not an error.
    fn remove_stages(&self, stages: &[Vec<Uri>]) -> Result<()>;

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

    /// Returns the URIs of the objects of uploads below a prefix that were begun and not completed.
    fn uploads(&self, uri: &Uri) -> Result<Vec<String>>;

    /// Aborts those uploads. Returns their number.
    fn abort_uploads(&self, uri: &Uri) -> Result<u64>;
}

/// The state of a folder's entries, for comparison with another one: a number that changes with
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderState(pub u128);

/// The mode of a lock on a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// Any number of shared locks may be held at once.
    Shared,
    /// No other lock may be held.
    Exclusive,
}

/// A file open for reading, which several threads can use.
pub trait Source: Debug + Send + Sync {
    /// Fills `to` with the bytes that start at `offset`.
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()>;

    /// Fills the buffers in order with the bytes that start at `offset`.
    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()>;

    /// Returns the size in bytes.
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

    /// Records that ranges are about to be read. Returns the ranges to pass to [`Source::load`];
    /// nothing if reads send no requests. A read waits for the ranges that it needs.
    fn announce(&self, _ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Loads a range that [`Source::announce`] returned into memory, unless a thread has begun to.
    /// A read of the range returns the error if this fails. Each byte can be read from memory once.
    fn load(&self, _range: &Range<u64>) {}

    /// Drops what was loaded.
    fn forget(&self) {}
}

/// A file that is written sequentially.
pub trait FileSink: Debug + Send {
    /// Appends all buffers in order.
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()>;

    /// Makes everything durable.
    fn sync(&mut self) -> Result<()>;

    /// Ends writing.
    fn close(self: Box<Self>) -> Result<()>;
}
