//! Queries on arrays whose files a server has.

use super::received::ReceivedQuery;
use super::run::Query;
use crate::buffers::OffsetsForm;
use crate::error::{Component, RestError, Result};
use crate::geometry::TileGrid;
use crate::types::{Layout, QueryStatus, QueryType, StatusReason};

impl Query {
    /// Returns whether a server has the files of the array, so that it runs the query.
    pub fn is_served(&self) -> bool {
        self.snapshot.server().is_some()
    }

    /// Returns whether the size of results has to be estimated by the server.
    pub fn needs_estimates(&self) -> bool {
        let is_read = self.query_type == QueryType::Read;
        self.is_served() && is_read && self.received_estimates.is_none()
    }

    /// Checks that the query can be sent. Returns whether it must be: a completed read is not sent
    /// again.
    pub fn check_sendable(&self) -> Result<bool> {
        self.check_open()?;
        Ok(self.query_type != QueryType::Read || self.status != QueryStatus::Completed)
    }

    /// Checks the number of cells of a write in global order of several submits: a server does not
    /// keep the cells of a tile that is not complete.
    pub fn check_whole_tiles(&self, cells: u64) -> Result<()> {
        if self.query_type != QueryType::Write || self.layout != Layout::GlobalOrder {
            return Ok(());
        }
        let tile = if self.is_dense() {
            let grid = TileGrid::new(self.schema())?;
            grid.tile_shape().into_iter().fold(1, u64::saturating_mul)
        } else {
            self.schema().capacity
        };
        if !cells.is_multiple_of(tile.max(1)) {
            return Err(RestError::NotWholeTiles { cells, tile }.into());
        }
        Ok(())
    }

    /// Sets the state from a response of the server. The configuration is that of the client.
    pub fn receive_step(&mut self, received: ReceivedQuery) {
        let config = self.config.clone();
        self.receive(received);
        self.config = config;
    }

    /// Returns the format of the offsets of results.
    pub fn result_form(&self) -> Result<OffsetsForm> {
        OffsetsForm::from_config(&self.config, Component::MergingReader)
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
