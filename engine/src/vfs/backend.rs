//! What a kind of storage must be able to do.
//!
//! A backend keeps no state of a caller and counts nothing: [`super::Vfs`] chooses it, counts and adds what all have in
//! common. Errors name the URI and the reason of the storage.

use std::fmt::Debug;
use std::io::{IoSlice, IoSliceMut};

use super::{Entry, Uri};
use crate::error::Result;

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
    fn create(&self, uri: &Uri, opening: Opening) -> Result<Box<dyn Sink>>;

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
}

/// A file open for reading; usable from several threads.
pub trait Source: Debug + Send + Sync {
    /// Fills `to` from `offset` on.
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()>;

    /// Fills the parts one after the other from `offset` on.
    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()>;

    /// The size in bytes.
    fn size(&self) -> Result<u64>;
}

/// A file being written, front to back.
pub trait Sink: Debug + Send {
    /// Appends the parts one after the other, all of them.
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()>;

    /// Puts everything on disk.
    fn sync(&mut self) -> Result<()>;

    /// Ends writing.
    fn close(self: Box<Self>) -> Result<()>;
}
