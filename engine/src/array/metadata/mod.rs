//! Metadata of arrays and groups: keys with typed values. Each metadata file contains puts and
//! deletions, and its name contains their timestamps.
//!
//! The metadata of an open object is the content of all files in its time range, merged from the
//! oldest to the newest: [`Metadata`]. Changes while it is open for writing are collected in
//! [`MetadataChanges`] and become one file when it is closed. Vacuum files hide the files that a
//! consolidated one replaces.

mod access;
mod changes;
mod files;
mod merge;

#[cfg(test)]
mod tests;

pub use access::{Session, WithMetadata};
pub(crate) use changes::metadata_value;
pub use changes::{MetadataChanges, OwnedMetadataEntry};
pub use files::{
    MetadataFolder, MetadataNames, MetadataRecords, describes_visible, newest_fragment,
    read_metadata_file, retain_committed, retain_described, write_metadata_file,
};
pub use merge::{Metadata, MetadataItem};
