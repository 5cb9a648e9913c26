//! Actions that causes name.

use std::fmt;

/// An access to the metadata of an array or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetadataAction {
    /// Reads an item.
    Get,
    /// Counts the items.
    Count,
    /// Adds or replaces an item.
    Put,
    /// Removes an item.
    Delete,
}

impl fmt::Display for MetadataAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Get => "read",
            Self::Count => "count",
            Self::Put => "write",
            Self::Delete => "delete",
        })
    }
}

/// A kind of write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriterKind {
    /// Writes a box of a dense array.
    Ordered,
    /// Writes cells in any order.
    Unordered,
    /// Writes cells in global order.
    Global,
}

impl fmt::Display for WriterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ordered => "ordered write",
            Self::Unordered => "unordered write",
            Self::Global => "write in global order",
        })
    }
}
