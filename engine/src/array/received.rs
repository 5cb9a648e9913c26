//! Arrays as messages describe them, and what a message contains of an open array besides fields.

use std::sync::Arc;

use crate::platform::lock::OnceValue;

use super::deletes::Delete;
use super::metadata::{Metadata, MetadataFolder, OwnedMetadataEntry};
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::types::{NdRange, QueryType, TimeRange};
use crate::vfs::{Uri, Vfs};

/// An open array as a message describes it.
#[derive(Debug)]
pub struct ReceivedArray {
    /// The query type.
    pub query_type: QueryType,
    /// The time range of the open.
    pub timestamps: TimeRange,
    /// The latest schema.
    pub schema: Arc<ArraySchema>,
    /// All schemas.
    pub schemas: Vec<Arc<ArraySchema>>,
    /// The visible fragments, oldest first.
    pub fragments: Vec<Arc<Fragment>>,
    /// The deletes, oldest first.
    pub deletes: Vec<Arc<Delete>>,
    /// The non-empty domain, if the message has it; without cells it is `None`.
    pub non_empty_domain: Option<Option<NdRange>>,
    /// The metadata, if the message has it.
    pub metadata: Option<Vec<OwnedMetadataEntry>>,
}

impl Snapshot {
    /// Creates the snapshot of a message.
    pub(super) fn of_message(uri: &Uri, received: ReceivedArray) -> Self {
        let deletes = received.deletes;
        let whole = Self {
            query_type: received.query_type,
            timestamps: received.timestamps,
            ..Self::of_fragments(uri, &received.schema, &received.fragments, &deletes, None)
        };
        let entries = received.metadata;
        Self {
            non_empty_domain: received
                .non_empty_domain
                .map_or_else(OnceValue::new, OnceValue::from),
            metadata: entries.map_or_else(OnceValue::new, |entries| {
                OnceValue::from(Arc::new(Metadata::default().changed_by(&entries)))
            }),
            ..whole
        }
    }

    /// Replaces the non-empty domain, as a server reports it.
    pub(super) fn set_non_empty_domain(&mut self, domain: Option<NdRange>) {
        self.non_empty_domain = OnceValue::from(domain);
    }

    /// Returns the names of the metadata files that are in the time range and not replaced, oldest
    /// first.
    pub fn metadata_files(&self, vfs: &Vfs) -> Result<Vec<FragmentName>> {
        let folder = MetadataFolder::of(vfs, &self.uri, &self.metadata_names)?;
        let files = folder.visible(self.timestamps).into_iter();
        Ok(files
            .filter_map(|file| FragmentName::parse(file.name()))
            .collect())
    }
}
