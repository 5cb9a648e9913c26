//! Metadata: keys with typed values, in files of puts and deletes whose names tell their times.
//! Groups have it too.
//!
//! What an opening sees is all files in its time range, merged from the oldest to the newest:
//! [`Metadata`]. What is put and deleted while an array is open for writing is [`MetadataChanges`],
//! and becomes one file when it is closed. Vacuum files hide what a consolidated file replaces.

mod access;
mod changes;
mod described;
mod files;
mod seen;

#[cfg(test)]
mod tests;

pub use access::{HoldsMetadata, OpenMetadata};
pub use changes::MetadataChanges;
pub use described::{describes_visible, newest_fragment, retain_committed, retain_described};
pub use files::{MetadataFolder, MetadataNames, MetadataRecords, write_metadata_file};
pub use seen::{Metadata, MetadataItem};
