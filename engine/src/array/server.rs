//! Arrays on servers: what is loaded from the server when it is first needed.

use std::fmt::Debug;
use std::sync::Arc;

use super::deletes::Delete;
use super::metadata::{MetadataNames, OwnedMetadataEntry};
use crate::config::Config;
use crate::error::Result;
use crate::fragment::Fragment;
use crate::schema::{ArraySchema, Enumeration};
use crate::types::{NdRange, QueryType, TimeRange};
use crate::vfs::Uri;

/// An open array as a message describes it.
#[derive(Debug)]
pub struct ArrayMessage {
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
    /// The names of the metadata files from which it is read if the message does not have it.
    pub metadata_names: MetadataNames,
    /// The server that sent the message, if it is asked for what the message does not contain.
    pub server: Option<Arc<dyn ArrayServer>>,
}

/// The server of an array or group, which has the files.
pub trait ObjectServer: Debug + Send + Sync {
    /// Returns the metadata of the array or group at `uri` in a time range.
    fn metadata(&self, uri: &Uri, timestamps: TimeRange) -> Result<Vec<OwnedMetadataEntry>>;

    /// Writes changes of the metadata of the array or group at `uri`.
    fn put_metadata(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        changes: &[OwnedMetadataEntry],
    ) -> Result<()>;
}

/// The server of an array.
pub trait ArrayServer: ObjectServer {
    /// Returns what the server sends of the array at `uri` when it is opened in a time range, which
    /// ends at `Timestamp::MAX` if it has no end. `config` is the configuration of the array.
    fn open(
        &self,
        uri: &Uri,
        config: &Config,
        query_type: QueryType,
        timestamps: TimeRange,
    ) -> Result<ArrayMessage>;

    /// Returns the non-empty domain of the array at `uri` in a time range.
    fn non_empty_domain(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        schema: &ArraySchema,
    ) -> Result<Option<NdRange>>;

    /// Returns the enumerations with these names of the schema `latest` of the array at `uri`;
    /// without names those of all schemas. Each list follows the name of its schema.
    fn enumerations(
        &self,
        uri: &Uri,
        timestamps: TimeRange,
        latest: &str,
        names: &[&str],
    ) -> Result<Vec<(String, Vec<Arc<Enumeration>>)>>;
}
