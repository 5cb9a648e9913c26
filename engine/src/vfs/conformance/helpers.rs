//! URIs and names in the checks of backends.

use crate::vfs::{Uri, Vfs};

/// Parses a URI.
pub(super) fn uri(text: &str) -> Uri {
    Uri::parse(text).expect("uri")
}

/// Returns the names in a folder.
pub(super) fn names(vfs: &Vfs, folder: &Uri) -> Vec<String> {
    let entries = vfs.list(folder).expect("lists");
    entries.into_iter().map(|entry| entry.name).collect()
}
