//! One array: its directory, what one opening of it sees, its states.
//!
//! [`Array`] has the states; opening it takes a [`Snapshot`]: the folders are listed, each once and only where they can hold
//! something, commits and times decide which fragments are visible, and of each the footer is read. Nothing is kept from one
//! opening to the next.

mod commits;
mod create;
mod deletes;
mod enumerations;
mod evolve;
pub(crate) mod key;
mod labels;
mod listing;
mod load;
mod metadata;
mod non_empty_domain;
mod open;
mod schemas;
mod snapshot;
mod staging;

#[cfg(test)]
mod tests;

pub use commits::{ByName, Commits, replaced};
pub use create::create;
pub use deletes::{Delete, write_delete};
pub use enumerations::load_enumeration;
pub use evolve::{evolve, upgrade_version};
pub use labels::open_label;
pub use listing::committed_fragments;
pub use load::{configured_key, encryption_type, exists, load_schema, parse_uri};
pub use metadata::{
    HoldsMetadata, Metadata, MetadataChanges, MetadataItem, MetadataRecords, OpenMetadata,
    metadata_files, write_metadata_file,
};
pub use non_empty_domain::{DimensionKey, RangeForm};
pub use open::Array;
pub(crate) use open::in_status;
pub(crate) use schemas::not_there;
pub use snapshot::{Snapshot, StoredFragments, stored_fragments};
