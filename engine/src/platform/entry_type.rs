//! The types of the entries of a listed folder.

/// The type of an entry of a folder, as its listing shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryType {
    /// A file with content.
    File,
    /// A folder.
    Folder,
    /// A link, a device, or one that the listing does not show.
    Other,
}
