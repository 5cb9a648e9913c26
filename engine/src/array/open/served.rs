//! Arrays that a message or a server describes.

use std::sync::Arc;

use super::{Array, State, as_failed_open};
use crate::array::metadata::MetadataChanges;
use crate::array::served::{ObjectServer, ReceivedArray, ServedOpen};
use crate::array::snapshot::Snapshot;
use crate::config::Config;
use crate::error::{ArrayError, RestError, Result};
use crate::types::{QueryType, TimeRange, Timestamp, now};
use crate::vfs::Uri;

impl Array {
    /// Opens the array as a message describes it.
    pub fn receive(&self, received: ReceivedArray) {
        self.state.write().receive(&self.uri, received);
    }

    /// Opens an array whose files a server has. An unknown query type is an error, but an array
    /// that is already open is reported first.
    pub fn open_on(&self, server: &dyn ObjectServer, query_type: Option<QueryType>) -> Result<()> {
        // Held during the request, so that one of several concurrent opens succeeds.
        let mut state = self.state.write();
        if state.snapshot.is_some() {
            return Err(ArrayError::AlreadyOpen.into());
        }
        let Some(query_type) = query_type else {
            return Err(ArrayError::UnsupportedQueryType.into());
        };
        if state
            .request(query_type)
            .map_err(as_failed_open)?
            .key
            .is_some()
        {
            return Err(RestError::Encrypted { object: "array" }.into());
        }
        let received = server.open(&self.uri, &state.served(query_type))?;
        state.receive_served(&self.uri, received);
        Ok(())
    }

    /// Replaces the configuration and the query type by those of a message, before the array is
    /// opened.
    pub fn receive_open(&self, config: Option<Config>, query_type: Option<QueryType>) {
        let mut state = self.state.write();
        if let Some(config) = config {
            state.config = config;
        }
        if let Some(query_type) = query_type {
            state.query_type = query_type;
        }
    }
}

impl State {
    /// Returns the request to a server.
    pub(super) fn served(&self, query_type: QueryType) -> ServedOpen {
        ServedOpen {
            config: self.config.clone(),
            query_type,
            timestamps: self.time_range(),
        }
    }

    fn receive(&mut self, uri: &Uri, mut received: ReceivedArray) {
        let TimeRange { start, end } = received.timestamps;
        self.start = start;
        self.end = Some(end).filter(|end| *end != Timestamp::MAX);
        self.opened_end = end;
        self.query_type = received.query_type;
        self.schemas = Some(std::mem::take(&mut received.schemas));
        let written_at = self.end.filter(|end| *end != 0).unwrap_or_else(now);
        self.changes = MetadataChanges::new(written_at);
        self.snapshot = Some(Arc::new(Snapshot::of_message(uri, received)));
    }

    /// Opens the array as its server describes it, for the time range that the caller set.
    pub(super) fn receive_served(&mut self, uri: &Uri, received: ReceivedArray) {
        let (start, set_end) = (self.start, self.end);
        let opened_end = match (received.query_type, set_end) {
            (_, Some(end)) => end,
            (QueryType::Read, None) if received.timestamps.end != Timestamp::MAX => {
                received.timestamps.end
            }
            (QueryType::Read, None) => now(),
            _ => 0,
        };
        self.receive(uri, received);
        self.start = start;
        self.end = set_end;
        self.opened_end = opened_end;
    }
}
