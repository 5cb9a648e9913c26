//! The one door to storage: URIs, backends, files read and written.

use std::fmt;
use std::io::{IoSlice, IoSliceMut};
use std::sync::Arc;

use crate::context::Context;
use crate::error::Result;

/// The place of an object: a normalised URI ("file:///a/b", "mem://x/y").
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Uri(Arc<str>);

impl Uri {
    /// A URI from a caller's text: a URI, or a path that is made absolute.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Self(text.into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The object `name` in this folder.
    pub fn join(&self, name: &str) -> Self {
        Self(format!("{}/{name}", self.0.trim_end_matches('/')).into())
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }
}

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether an entry of a folder is a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum EntryKind {
    File,
    Directory,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name in the folder.
    pub name: String,
    /// File or folder.
    pub kind: EntryKind,
    /// The size of a file in bytes; 0 where the listing did not ask for it.
    pub size: u64,
}

/// Storage as one context sees it; an in-memory file system belongs to it.
#[derive(Debug)]
pub struct Vfs {
    context: Arc<Context>,
}

impl Vfs {
    /// Storage for a context.
    pub fn new(context: &Arc<Context>) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            context: context.clone(),
        }))
    }

    /// The context it works for.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Opens a file for reading.
    pub fn open(&self, _uri: &Uri) -> Result<ReadFile> {
        unimplemented!()
    }

    /// Creates a file for writing; an existing one is replaced.
    pub fn create(&self, _uri: &Uri) -> Result<WriteFile> {
        unimplemented!()
    }

    /// The whole of a file.
    pub fn read_all(&self, _uri: &Uri) -> Result<Vec<u8>> {
        unimplemented!()
    }

    /// Makes a file of these bytes, synced to disk.
    pub fn write_all(&self, _uri: &Uri, _bytes: &[u8]) -> Result<()> {
        unimplemented!()
    }

    /// The size of a file.
    pub fn file_size(&self, _uri: &Uri) -> Result<u64> {
        unimplemented!()
    }

    /// Whether there is a file.
    pub fn is_file(&self, _uri: &Uri) -> Result<bool> {
        unimplemented!()
    }

    /// Whether there is a folder.
    pub fn is_dir(&self, _uri: &Uri) -> Result<bool> {
        unimplemented!()
    }

    /// What is in a folder, sorted by name, sizes not asked for; nothing where there is no such folder. One system call
    /// per some hundred entries, none per entry.
    pub fn list(&self, _uri: &Uri) -> Result<Vec<Entry>> {
        unimplemented!()
    }

    /// Makes a folder and those above it; an existing one is fine.
    pub fn create_dir(&self, _uri: &Uri) -> Result<()> {
        unimplemented!()
    }

    /// Removes a file.
    pub fn remove_file(&self, _uri: &Uri) -> Result<()> {
        unimplemented!()
    }

    /// Removes a folder and all in it.
    pub fn remove_dir(&self, _uri: &Uri) -> Result<()> {
        unimplemented!()
    }

    /// Makes an empty file unless there is one; synced.
    pub fn touch(&self, _uri: &Uri) -> Result<()> {
        unimplemented!()
    }
}

/// A file open for reading; usable from several threads.
#[derive(Debug)]
pub struct ReadFile {
    _backend: (),
}

impl ReadFile {
    /// Fills `to` from `offset` on; an error where the file ends before.
    pub fn read_at(&self, _offset: u64, _to: &mut [u8]) -> Result<()> {
        unimplemented!()
    }

    /// Fills the parts one after the other from `offset` on.
    pub fn read_vectored_at(&self, _offset: u64, _to: &mut [IoSliceMut<'_>]) -> Result<()> {
        unimplemented!()
    }

    /// The size in bytes.
    pub fn size(&self) -> Result<u64> {
        unimplemented!()
    }
}

/// A file being written, front to back.
#[derive(Debug)]
pub struct WriteFile {
    _backend: (),
}

impl WriteFile {
    /// Appends bytes.
    pub fn write(&mut self, _bytes: &[u8]) -> Result<()> {
        unimplemented!()
    }

    /// Appends the parts one after the other.
    pub fn write_vectored(&mut self, _parts: &mut [IoSlice<'_>]) -> Result<()> {
        unimplemented!()
    }

    /// The number of bytes written.
    pub fn position(&self) -> u64 {
        unimplemented!()
    }

    /// Puts everything on disk.
    pub fn sync(&mut self) -> Result<()> {
        unimplemented!()
    }

    /// Closes the file; errors of late writes come here.
    pub fn close(self) -> Result<()> {
        unimplemented!()
    }
}
