//! Storage: URIs, backends, files read and written.
//!
//! [`Vfs`] chooses the backend by the URI's scheme. Each backend implements one trait; what all of
//! them have in common is in `vfs.rs`, how files appear in one step and locks in `publish.rs`. A
//! [`StorageListing`] has the names below a folder of an object store at one instant; a
//! [`StorageView`] is the storage in which names are looked up there.

mod backend;
#[cfg(test)]
mod conformance;
#[cfg(any(test, feature = "testing"))]
pub mod faulty;
mod file;
mod listing;
mod local;
mod log;
mod memory;
mod objects;
mod publish;
#[cfg(feature = "remote")]
mod remote;
mod uri;
#[expect(
    clippy::module_inception,
    reason = "the module's main type has its name"
)]
mod vfs;
mod view;

pub use backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, Objects, OpenFolder,
    OpenMode, Source, StagedFile,
};
pub use file::{FileHandle, FileMode};
pub use listing::{ListingScope, ObjectInfo, StorageListing};
pub use objects::FileRanges;
pub use publish::{Backoff, FolderLock, NewFile};
#[cfg(all(feature = "remote", any(test, feature = "testing")))]
pub use remote::{FaultyStore, StoreLimits};
pub use uri::{Scheme, Uri, last_component, to_path};
pub use vfs::{Folder, ReadFile, Vfs, WriteFile};
pub use view::StorageView;

use crate::types::{UUID_LEN, new_uuid};

/// The start of the names of temporary files and folders, which only exist in the folder of an
/// array or a group. Readers ignore them, and vacuum removes those that a killed process left.
const TEMPORARY_PREFIX: &str = "__tmp_";

/// Returns a new temporary name.
pub fn temporary_name() -> String {
    format!("{TEMPORARY_PREFIX}{}", new_uuid())
}

/// Returns whether a name is one of [`temporary_name`]. Other names that begin alike belong to the
/// caller and are never removed.
pub fn is_temporary(name: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.strip_prefix(TEMPORARY_PREFIX)
        .is_some_and(|uuid| uuid.len() == UUID_LEN && uuid.bytes().all(is_digit))
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
#[non_exhaustive]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The kind: file or folder. For a symbolic link, that of its target.
    pub kind: EntryKind,
    /// The size of a file in bytes; 0 if the listing did not request sizes.
    pub size: u64,
    /// Whether it is a symbolic link. Recursive listings do not follow links.
    pub link: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_generated_names_are_temporary() {
        let name = temporary_name();
        assert!(is_temporary(&name), "{name}");
        let other = [
            "__tmp_",
            "__tmp_notes",
            "__schema",
            &name[1..],
            &format!("{name}0"),
        ];
        assert!(other.iter().all(|name| !is_temporary(name)));
    }
}
