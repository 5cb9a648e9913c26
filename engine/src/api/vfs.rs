//! Files and folders of any storage.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::context::Context;
use crate::error::Result;
use crate::vfs::{Entry, FileHandle, FileMode, Uri, Vfs as EngineVfs};

/// The files and folders of the storage of a context: local files, memory and object stores, by
/// URI. [`Context::vfs`] returns it.
///
/// ```
/// use tiledb_engine::{Context, EntryKind};
///
/// # fn main() -> tiledb_engine::Result<()> {
/// let files = Context::new()?.vfs();
/// files.create_folder("mem://notes")?;
/// files.write("mem://notes/a.txt", b"first")?;
/// files.copy("mem://notes/a.txt", "mem://notes/b.txt")?;
/// assert_eq!(files.read("mem://notes/b.txt")?, b"first");
///
/// let entries = files.list("mem://notes")?;
/// let names: Vec<_> = entries.iter().map(|entry| &entry.name[..]).collect();
/// assert_eq!(names, ["a.txt", "b.txt"]);
/// assert!(entries[0].kind == EntryKind::File && entries[0].size == 5);
///
/// files.remove_folder("mem://notes")?;
/// assert!(files.read("mem://notes/b.txt").is_err_and(|error| error.is_not_found()));
/// # Ok(())
/// # }
/// ```
///
/// The size of the parts of uploads, and the number of requests in flight, are options of the
/// context, such as [`S3Options::part_size`](crate::S3Options::part_size).
#[derive(Clone, Debug)]
pub struct Vfs {
    vfs: Arc<EngineVfs>,
}

impl Context {
    /// Returns the files and folders of the storage.
    pub fn vfs(&self) -> Vfs {
        Vfs {
            vfs: self.storage().clone(),
        }
    }
}

impl Vfs {
    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// If it does not exist, or storage fails.
    pub fn read(&self, uri: &str) -> Result<Vec<u8>> {
        self.vfs.read_all(&Uri::parse(uri)?)
    }

    /// Writes a file, which replaces an existing one, and makes it durable. Its folder must exist,
    /// except on object stores, where the file appears as a whole.
    ///
    /// # Errors
    ///
    /// If storage fails. A part of the content may be left in a local file.
    pub fn write(&self, uri: &str, content: &[u8]) -> Result<()> {
        self.vfs.write_all(&Uri::parse(uri)?, content)
    }

    /// Opens a file, to read parts of it.
    ///
    /// # Errors
    ///
    /// If it does not exist, or storage fails.
    pub fn open(&self, uri: &str) -> Result<FileHandle> {
        FileHandle::open(&self.vfs, Uri::parse(uri)?, FileMode::Read)
    }

    /// Opens a new file in a folder that exists, to write it in parts. It replaces an existing one:
    /// a local file at once, an object when the handle is [closed](FileHandle::close). The memory
    /// for an upload to an object store is that of its parts in flight, whatever the size of the
    /// file.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn create(&self, uri: &str) -> Result<FileHandle> {
        FileHandle::open(&self.vfs, Uri::parse(uri)?, FileMode::Write)
    }

    /// Opens a file, to append to it; it is created if it does not exist.
    ///
    /// # Errors
    ///
    /// On object stores, whose objects cannot be changed, or if storage fails.
    pub fn append(&self, uri: &str) -> Result<FileHandle> {
        FileHandle::open(&self.vfs, Uri::parse(uri)?, FileMode::Append)
    }

    /// Returns the size of a file in bytes.
    ///
    /// # Errors
    ///
    /// If it does not exist, or storage fails.
    pub fn size(&self, uri: &str) -> Result<u64> {
        self.vfs.file_size(&Uri::parse(uri)?)
    }

    /// Returns the size of all files in a folder and below it in bytes.
    ///
    /// # Errors
    ///
    /// If it does not exist, or storage fails.
    pub fn folder_size(&self, uri: &str) -> Result<u64> {
        self.vfs.dir_size(&Uri::parse(uri)?)
    }

    /// Returns whether a file exists.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn is_file(&self, uri: &str) -> Result<bool> {
        self.vfs.is_file(&Uri::parse(uri)?)
    }

    /// Returns whether a folder exists. In object stores, a folder exists if an object's name
    /// starts with its path.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn is_folder(&self, uri: &str) -> Result<bool> {
        self.vfs.is_dir(&Uri::parse(uri)?)
    }

    /// Returns the entries of a folder with the sizes of files, in the order of names; none if the
    /// folder does not exist.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn list(&self, uri: &str) -> Result<Vec<Entry>> {
        self.vfs.list_with_sizes(&Uri::parse(uri)?)
    }

    /// Calls `visit` with the URI and the entry of everything below a folder, each folder before
    /// its contents, until it returns `Break`. Symbolic links to folders are not followed. Object
    /// stores have no folders, so only files are visited there.
    ///
    /// # Errors
    ///
    /// If the folder does not exist, or storage fails.
    pub fn walk(
        &self,
        uri: &str,
        mut visit: impl FnMut(&str, &Entry) -> ControlFlow<()>,
    ) -> Result<()> {
        self.vfs.walk(&Uri::parse(uri)?, &mut |uri, entry| {
            Ok(visit(uri.as_str(), entry))
        })
    }

    /// Copies a file, also between two kinds of storage. An existing file at `to` is replaced. The
    /// memory does not depend on the size of the file.
    ///
    /// # Errors
    ///
    /// If `from` does not exist, both are the same file, or storage fails.
    pub fn copy(&self, from: &str, to: &str) -> Result<()> {
        self.vfs.copy_file(&Uri::parse(from)?, &Uri::parse(to)?)
    }

    /// Copies a folder and everything below it, also between two kinds of storage.
    /// [`Context::copy_array`] copies an array while others write to it.
    ///
    /// # Errors
    ///
    /// If `from` does not exist, both are the same folder, or storage fails.
    pub fn copy_folder(&self, from: &str, to: &str) -> Result<()> {
        self.vfs.copy_dir(&Uri::parse(from)?, &Uri::parse(to)?)
    }

    /// Moves a file within a kind of storage, and replaces an existing one at `to`.
    ///
    /// # Errors
    ///
    /// If `from` does not exist, `to` is on another kind of storage, or storage fails.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        self.vfs.move_file(&Uri::parse(from)?, &Uri::parse(to)?)
    }

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// If it does not exist, or storage fails.
    pub fn remove(&self, uri: &str) -> Result<()> {
        self.vfs.remove_file(&Uri::parse(uri)?)
    }

    /// Creates a folder and its missing parents. It may exist. Object stores have no folders, so
    /// nothing is done there.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn create_folder(&self, uri: &str) -> Result<()> {
        self.vfs.create_dir(&Uri::parse(uri)?)
    }

    /// Removes a folder and everything in it.
    ///
    /// # Errors
    ///
    /// If it does not exist, or storage fails.
    pub fn remove_folder(&self, uri: &str) -> Result<()> {
        self.vfs.remove_dir(&Uri::parse(uri)?)
    }

    /// Creates a bucket or container of an object store.
    ///
    /// # Errors
    ///
    /// On other storage, or if storage fails.
    pub fn create_bucket(&self, uri: &str) -> Result<()> {
        self.vfs.create_bucket(&Uri::parse(uri)?)
    }

    /// Returns whether a bucket or container exists.
    ///
    /// # Errors
    ///
    /// On other storage, or if storage fails.
    pub fn is_bucket(&self, uri: &str) -> Result<bool> {
        self.vfs.is_bucket(&Uri::parse(uri)?)
    }

    /// Returns the URIs of the objects below a prefix whose uploads were begun and not completed,
    /// as by processes that were killed. Object stores keep and charge for their parts.
    ///
    /// # Errors
    ///
    /// On other storage, or if storage fails.
    pub fn unfinished_uploads(&self, uri: &str) -> Result<Vec<String>> {
        self.vfs.uploads(&Uri::parse(uri)?)
    }

    /// Aborts the [unfinished uploads](Self::unfinished_uploads) below a prefix; returns their
    /// number. Uploads of running processes fail.
    ///
    /// # Errors
    ///
    /// On other storage, or if storage fails.
    pub fn abort_uploads(&self, uri: &str) -> Result<u64> {
        self.vfs.abort_uploads(&Uri::parse(uri)?)
    }
}
