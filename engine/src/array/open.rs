//! The states of an array: closed, or open with a snapshot.

use std::sync::Arc;

use super::Snapshot;
use crate::config::Config;
use crate::error::Result;
use crate::schema::ArraySchema;
use crate::types::{NdRange, QueryType, Timestamp};
use crate::vfs::{Uri, Vfs};

/// An array as a handle has it. Its states are behind a lock: every method takes `&self`.
#[derive(Debug)]
pub struct Array {
    vfs: Arc<Vfs>,
    uri: Uri,
}

impl Array {
    /// A closed array.
    pub fn new(vfs: &Arc<Vfs>, uri: &str) -> Result<Self> {
        Ok(Self {
            vfs: vfs.clone(),
            uri: Uri::parse(uri)?,
        })
    }

    /// The storage it lies on.
    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.vfs
    }

    /// The array's folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Opens it. An error where it is open already, or where there is no array.
    pub fn open(&self, _query_type: QueryType) -> Result<()> {
        unimplemented!()
    }

    /// Closes it; fine where it is closed.
    pub fn close(&self) -> Result<()> {
        unimplemented!()
    }

    /// Opens it anew for reading, to see what was written since.
    pub fn reopen(&self) -> Result<()> {
        unimplemented!()
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        unimplemented!()
    }

    /// What it is open for.
    pub fn query_type(&self) -> Result<QueryType> {
        unimplemented!()
    }

    /// Sets the configuration for the next opening; an error where it is open.
    pub fn set_config(&self, _config: Config) -> Result<()> {
        unimplemented!()
    }

    /// The configuration.
    pub fn config(&self) -> Config {
        unimplemented!()
    }

    /// Sets the first millisecond that the next opening sees.
    pub fn set_open_timestamp_start(&self, _timestamp: Timestamp) {
        unimplemented!()
    }

    /// Sets the last millisecond that the next opening sees.
    pub fn set_open_timestamp_end(&self, _timestamp: Timestamp) {
        unimplemented!()
    }

    /// The first millisecond that an opening sees.
    pub fn open_timestamp_start(&self) -> Timestamp {
        unimplemented!()
    }

    /// The last millisecond that an opening sees.
    pub fn open_timestamp_end(&self) -> Timestamp {
        unimplemented!()
    }

    /// The schema; an error where it is closed.
    pub fn schema(&self) -> Result<Arc<ArraySchema>> {
        unimplemented!()
    }

    /// What this opening sees; an error where it is closed.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>> {
        unimplemented!()
    }

    /// The rectangle of all visible cells; `None` where there are none. An error where it is not open for reading.
    pub fn non_empty_domain(&self) -> Result<Option<NdRange>> {
        unimplemented!()
    }
}
