//! Queries on arrays whose files a server has.

use super::carried::CarriedState;
use super::fields;
use super::query::Query;
use super::received::ReceivedQuery;
use crate::buffers::{FieldCells, OffsetsForm};
use crate::error::{Component, QueryLabelError, Result};
use crate::geometry::TileGrid;
use crate::types::{QueryStatus, QueryType, StatusReason};

/// The smallest limit of the size of a message in bytes.
const MIN_MESSAGE_LIMIT: u64 = 64 << 20;

/// The progress of a read that a server runs.
#[derive(Debug)]
pub struct ServedProgress {
    carried: Option<CarriedState>,
    status: QueryStatus,
    reason: StatusReason,
}

impl Query {
    /// Returns whether a server has the files of the array, so that it runs the query.
    pub fn is_served(&self) -> bool {
        self.snapshot.server().is_some()
    }

    /// Returns whether the size of results has to be estimated by the server.
    pub fn needs_estimates(&self) -> bool {
        let is_read = self.query_type == QueryType::Read;
        self.is_served() && is_read && self.received.estimates.is_none()
    }

    /// Checks that the query can be sent. Returns whether it must be: a completed read is not sent
    /// again.
    pub fn check_sendable(&mut self) -> Result<bool> {
        if self.query_type == QueryType::Read && self.status == QueryStatus::Completed {
            return Ok(false);
        }
        self.check_open()?;
        self.check_not_complete()?;
        Ok(true)
    }

    /// Checks that the buffers are complete before they are sent. Their content is not used.
    pub fn check_sent_fields(&self, fields: &[FieldCells<'_>]) -> Result<()> {
        let mut sent = fields.iter();
        sent.try_for_each(|field| match self.aggregate(field.name) {
            Some(_) => Ok(()),
            None => fields::check_complete(self.schema(), field.name, field.given()),
        })?;
        let has_labels = self.uses_labels(fields.iter().map(|field| field.name));
        let reads_labels = fields.iter().any(|field| self.is_label(field.name));
        if self.query_type == QueryType::Read
            && self.status == QueryStatus::Incomplete
            && reads_labels
            && !self.has_received_label_values()
        {
            // A server of libtiledb would send buffers of zeros.
            return Err(QueryLabelError::NotContinued.into());
        }
        if self.query_type != QueryType::Write || has_labels {
            return Ok(());
        }
        if !self.is_dense() {
            self.check_coordinates_set(fields)?;
        }
        self.check_names(fields)
    }

    /// Sets the state of a write whose first cells are kept until their tile is complete.
    pub fn begin_served(&mut self) {
        if self.status == QueryStatus::Uninitialized {
            self.status = QueryStatus::Initialized;
        }
    }

    /// Returns the number of cells of a tile of a write in global order.
    pub fn tile_cell_num(&self) -> Result<u64> {
        if !self.is_dense() {
            return Ok(self.schema().capacity);
        }
        let shape = TileGrid::new(self.schema())?.tile_shape();
        Ok(shape.into_iter().fold(1, u64::saturating_mul))
    }

    /// Returns the maximum size in bytes of the message of a response, without the content of
    /// buffers after it.
    pub fn max_message(&self) -> Result<u64> {
        let limit = self.config().u64("rest.capnp_traversal_limit")?;
        Ok(limit.max(MIN_MESSAGE_LIMIT))
    }

    /// Sets the state from a response of the server. The configuration is that of the client. Reads
    /// have buffers of the fields `names` until they are complete.
    pub fn receive_step(&mut self, received: ReceivedQuery, names: &[&str]) {
        let config = self.config().clone();
        self.receive(received);
        self.settings.config = config;
        if self.query_type == QueryType::Read {
            let names = names.iter().map(|name| (*name).to_owned());
            self.planned_fields = Some(names.collect());
        }
    }

    /// Returns the progress of a read, for [`Query::restore_progress`].
    pub fn served_progress(&self) -> ServedProgress {
        ServedProgress {
            carried: self.received.carried.clone(),
            status: self.status,
            reason: self.reason,
        }
    }

    /// Restores the progress that a read had before a submit that failed after some of its results:
    /// the next submit delivers them again.
    pub fn restore_progress(&mut self, progress: ServedProgress) {
        if self.query_type == QueryType::Read {
            self.received.carried = progress.carried;
            self.status = progress.status;
            self.reason = progress.reason;
        }
    }

    /// Returns the format of the offsets of results.
    pub fn result_form(&self) -> Result<OffsetsForm> {
        let reader = if self.is_dense() {
            Component::DenseReader
        } else {
            Component::MergingReader
        };
        OffsetsForm::from_config(self.config(), reader)
    }

    /// Returns the size in bytes of a cell of a field of fixed length; 0 for other names.
    pub fn cell_size(&self, name: &str) -> u64 {
        self.schema().cell_size(name).unwrap_or_default()
    }

    /// Returns the size in bytes of a value of a field; 0 for other names.
    pub fn value_size(&self, name: &str) -> u64 {
        let schema = self.schema();
        let datatype = match (schema.attribute(name), schema.dimension(name)) {
            (Some(attribute), _) => attribute.datatype,
            (None, Some(dimension)) => dimension.datatype,
            (None, None) => return 0,
        };
        datatype.size() as u64
    }

    /// Marks a read as incomplete because its buffers are too small for what the server sent.
    pub fn stop_for_buffers(&mut self) {
        self.status = QueryStatus::Incomplete;
        self.reason = StatusReason::UserBufferSize;
    }
}
