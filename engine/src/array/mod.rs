//! Arrays: their folders, snapshots of open arrays, and their states.
//!
//! [`Array`] has the states open and closed. Opening it creates a [`Snapshot`]: the folders that
//! can have content are listed once each, commits and timestamps determine which fragments are
//! visible, and the footer of each is read. Nothing is cached from one open to the next.

mod adoption;
mod commits;
mod create;
mod deletes;
mod enumerations;
mod every_file;
mod evolve;
mod folder_tree;
mod instant;
pub mod key;
mod labels;
mod listing;
mod metadata;
mod non_empty_domain;
mod open;
mod open_fragments;
mod registry;
mod replacement;
mod restoration;
mod schemas;
mod server;
mod snapshot;

#[cfg(test)]
mod tests;

pub use adoption::{adopt, adopt_pending, adopt_pending_locked};
pub use commits::{CommitFolder, CommitScope, Commits, ConsolidatedCommits, InlineCondition};
pub use create::{check_is_free, create};
pub use deletes::{Delete, write_delete};
pub use enumerations::load_enumeration;
pub use every_file::ArrayFiles;
pub use evolve::{evolve, upgrade_version};
pub use folder_tree::FOLDERS;
pub(crate) use instant::{list_folder_at_one_instant, open_repeatedly};
pub use labels::{label_folders, open_label};
pub use listing::{current_fragments, seen_fragments};
pub(crate) use metadata::metadata_value;
pub use metadata::{
    Metadata, MetadataChanges, MetadataFolder, MetadataItem, MetadataNames, MetadataRecords,
    OwnedMetadataEntry, Session, WithMetadata, describes_visible, newest_fragment,
    read_metadata_file, retain_committed, retain_described, write_metadata_file,
};
pub use non_empty_domain::{DimensionKey, RangeRequest};
pub use open::Array;
pub(crate) use open::as_failed_open;
pub use registry::{OpenRegistration, exclusive_type, opened_type};
pub use replacement::{ReplacementList, inner_first, replaced};
pub(crate) use schemas::{array_not_found, has_complete_schemas, load_schema_with};
pub use schemas::{encryption_type, exists, list_schemas, load_schema, parse_uri};
pub use server::{ArrayMessage, ArrayServer, ObjectServer};
pub use snapshot::{Snapshot, StoredFragments, stored_fragments};
