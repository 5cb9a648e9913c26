//! Arrays as messages describe them, and what a message contains of an open array besides fields.

use std::sync::Arc;

use super::metadata::{Metadata, MetadataFolder};
use super::served::ReceivedArray;
use super::snapshot::Snapshot;
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::platform::lock::OnceValue;
use crate::schema::{ArraySchema, Enumeration};
use crate::types::{NdRange, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

impl Snapshot {
    /// Creates the snapshot of a message.
    pub(super) fn of_message(uri: &Uri, received: ReceivedArray) -> Self {
        let deletes = received.deletes;
        let whole = Self {
            query_type: received.query_type,
            timestamps: received.timestamps,
            ..Self::of_fragments(uri, &received.schema, &received.fragments, &deletes, None)
        };
        Self {
            server: received.server,
            metadata_names: Arc::new(received.metadata_names),
            non_empty_domain: received
                .non_empty_domain
                .map_or_else(OnceValue::new, OnceValue::from),
            metadata: Metadata::received(received.metadata),
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

impl Snapshot {
    /// Loads the non-empty domain from the server, if it has one and did not send the domain.
    pub(super) fn load_domain(&self, end: Timestamp) -> Result<()> {
        if let Some(server) = &self.server
            && self.non_empty_domain.get().is_none()
        {
            let timestamps = TimeRange {
                start: self.timestamps.start,
                end,
            };
            let domain = server.non_empty_domain(&self.uri, timestamps, &self.schema)?;
            self.non_empty_domain.get_or_init(|| domain);
        }
        Ok(())
    }

    /// Loads the enumerations of these schemas from the server, if it has one. Returns whether it
    /// has.
    pub(super) fn load_served(&self, schemas: &[Arc<ArraySchema>]) -> Result<bool> {
        let Some(server) = &self.server else {
            return Ok(false);
        };
        let is_loaded = |schema: &Arc<ArraySchema>| {
            let mut paths = schema.enumerations.iter();
            paths.all(|path| path.loaded().is_some())
        };
        if schemas.iter().all(is_loaded) {
            return Ok(true);
        }
        let latest = &self.schema.name;
        for found in server.enumerations(&self.uri, self.timestamps, latest, &[])? {
            for schema in schemas.iter().filter(|schema| schema.name == found.schema) {
                schema.keep_enumerations(&found.enumerations)?;
            }
        }
        Ok(true)
    }
}

impl ArraySchema {
    /// Keeps enumerations that a server sent, unless they are loaded already.
    pub(crate) fn keep_enumerations(&self, list: &[Arc<Enumeration>]) -> Result<()> {
        for loaded in list {
            if let Some(path) = self.enumeration(loaded.name()) {
                path.get(|| Ok(Enumeration::clone(loaded).stored_in(&path.file)))?;
            }
        }
        Ok(())
    }
}
