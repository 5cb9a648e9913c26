//! The one door to storage: URIs, backends, files read and written.
//!
//! [`Vfs`] chooses the backend by the URI's scheme. Backends are in files of their own behind one trait; whatever all of them
//! have in common is in `vfs.rs`.

mod backend;
#[cfg(test)]
mod conformance;
pub mod faulty;
mod file;
mod list;
mod local;
mod memory;

mod uri;
#[expect(
    clippy::module_inception,
    reason = "the room's main thing has its name"
)]
mod vfs;

pub use backend::{Backend, Opening, Sink, Source};
pub use file::{FileHandle, FileMode};
pub use list::Next;
pub use uri::{Scheme, Uri, to_path};
pub use vfs::{ReadFile, Vfs, WriteFile};

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
    /// File or folder; of a symbolic link, what it leads to.
    pub kind: EntryKind,
    /// The size of a file in bytes; 0 where the listing did not ask for it.
    pub size: u64,
    /// Whether it is a symbolic link. Walks list those and do not go into them.
    pub link: bool,
}
