//! Queries in messages: the state of a query that another process has started, and the progress of
//! a query that a server runs because it has the files of the array.

use std::sync::Arc;

use super::fields;
use super::query::{
    CellRead, Query, ReadPosition, StrategyProgress, StrategyState, WriteWork, WrittenFragment,
};
use super::request::{NamedAggregate, QueryRequest};
use crate::buffers::{FieldCells, FieldSizes, OffsetsForm};
use crate::condition::Condition;
use crate::config::Config;
use crate::error::{Component, EstimateError, QueryError, QueryLabelError, Result};
use crate::format::names::folders;
use crate::geometry::TileGrid;
use crate::stats::SentStats;
use crate::subarray::Subarray;
use crate::types::{CellType, Layout, QueryStatus, QueryType};
use crate::vfs::Uri;

/// A query as a message describes it.
#[derive(Debug)]
pub struct QueryMessage {
    /// The configuration.
    pub config: Config,
    /// The layout.
    pub layout: Layout,
    /// The state.
    pub status: QueryStatus,
    /// The ranges; `None` leaves those of the query.
    pub subarray: Option<Subarray>,
    /// The condition; `None` leaves that of the query.
    pub condition: Option<Arc<Condition>>,
    /// The aggregates by the names of their results.
    pub aggregates: Vec<NamedAggregate>,
    /// The progress.
    pub carried: Option<StrategyState>,
    /// The fragments that were written.
    pub written: Vec<WrittenFragment>,
    /// The fields of an unordered write that were written.
    pub written_names: Vec<String>,
    /// Whether the last submit delivered cells.
    pub has_results: bool,
    /// The statistics.
    pub stats: Option<SentStats>,
}

impl Query {
    /// Sets the state from a message. Work of this query continues if the message has its state.
    pub fn receive(&mut self, received: QueryMessage) {
        let continues = match self.state.write() {
            Some(_) => received.status != QueryStatus::Uninitialized,
            None => self.state.cells().is_some() && self.is_state_of_work(&received),
        };
        self.request.config = received.config;
        self.request.layout = received.layout;
        if let Some(subarray) = received.subarray {
            self.request.subarray = subarray;
        }
        if received.condition.is_some() {
            self.request.condition = received.condition;
        }
        self.request.aggregates = received.aggregates;
        if let Some(stats) = &received.stats {
            self.stats.receive(stats);
        }
        self.state.receive(
            received.status,
            received.has_results,
            received.carried,
            received.written,
            received.written_names,
            continues,
        );
    }

    /// Returns whether a message has the position that this read has reached.
    fn is_state_of_work(&self, received: &QueryMessage) -> bool {
        let Some(position) = self.position() else {
            return false;
        };
        received.status == self.status()
            && received
                .carried
                .as_ref()
                .is_some_and(|state| state.progress == StrategyProgress::Delivered(position))
    }

    /// Returns whether the values of labels of an incomplete read can be continued: the sender of
    /// the query has stated how many were delivered.
    pub(super) fn has_received_label_values(&self) -> bool {
        self.state.progress().is_some_and(|state| {
            let label_num = self.request.schema().labels.len();
            matches!(&state.progress, StrategyProgress::Delivered(position)
                if position.label_values.len() == label_num)
        })
    }

    /// Returns the progress that a message contained, if this query has not continued since.
    pub fn carried(&self) -> Option<&StrategyState> {
        let progress = self.state.progress();
        progress.filter(|_| !self.state.has_begun())
    }

    /// Returns the position of the read, or `None` if it has not started.
    pub fn position(&self) -> Option<ReadPosition> {
        let cells = self.state.cells().map(CellRead::delivered_cells);
        match self.state.labels() {
            None => cells.map(|cells| ReadPosition {
                cells,
                label_values: Vec::new(),
            }),
            Some(labels) => Some(ReadPosition {
                cells: cells.unwrap_or_default(),
                label_values: labels.positions(self.request.schema()),
            }),
        }
    }

    /// Returns whether a submit of this query has started to write.
    pub fn is_writing(&self) -> bool {
        self.state.write().is_some()
    }

    /// Returns an error if another query has started this write.
    pub(super) fn check_write_is_here(&self) -> Result<()> {
        match self.carried() {
            Some(state) if state.progress == StrategyProgress::Foreign && state.write.is_none() => {
                Err(QueryError::WriteElsewhere.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a message has stated that all fields of an unordered write are written, so
    /// that its fragment is complete.
    pub(super) fn is_received_write_complete(&self) -> bool {
        let mut names = self.request.schema().attribute_and_dimension_names();
        !self.state.has_begun() && names.all(|name| self.state.has_written(name))
    }

    /// Returns the fields of an unordered write that are written.
    pub fn written_names(&self) -> Vec<&str> {
        let Some(work @ WriteWork::Unordered(_)) = self.state.write() else {
            return self
                .state
                .written_names()
                .iter()
                .map(String::as_str)
                .collect();
        };
        let names = self.request.schema().attribute_and_dimension_names();
        names.filter(|name| work.has_written(name)).collect()
    }

    /// Returns the statistics for messages.
    pub fn sent_stats(&self) -> SentStats {
        self.stats.sent()
    }

    /// Returns the estimated sizes of the results of all attributes and dimensions.
    pub fn estimates(&self) -> Result<Vec<(String, FieldSizes)>> {
        if self.request.query_type != QueryType::Read {
            return Err(EstimateError::NotARead.into());
        }
        self.request
            .schema()
            .attribute_and_dimension_names()
            .map(|name| {
                let cells = self.request.cell_type(&[], name);
                let is_var = cells.is_some_and(CellType::is_var);
                let is_nullable = cells.is_some_and(|cells| cells.nullable);
                let sizes = self.estimate(name, is_var, is_nullable)?;
                Ok((name.to_owned(), sizes))
            })
            .collect()
    }
}

/// The smallest limit of the size of a message in bytes.
const MIN_MESSAGE_LIMIT: u64 = 64 << 20;

impl Query {
    /// Returns whether the size of results has to be estimated by the server.
    pub fn needs_estimates(&self) -> bool {
        let is_read = self.request.query_type == QueryType::Read;
        self.request.is_served() && is_read && !self.state.has_estimates()
    }

    /// Checks that the query can be sent. Returns whether it must be: a completed read is not sent
    /// again.
    pub fn check_sendable(&mut self) -> Result<bool> {
        if self.request.query_type == QueryType::Read && self.status() == QueryStatus::Completed {
            return Ok(false);
        }
        self.check_open()?;
        self.check_not_complete()?;
        Ok(true)
    }

    /// Checks that the buffers are complete before they are sent. Their content is not used.
    pub fn check_sent_fields(&self, fields: &[FieldCells<'_>]) -> Result<()> {
        fields
            .iter()
            .try_for_each(|field| match self.request.aggregate(field.name) {
                Some(_) => Ok(()),
                None => fields::check_complete(self.request.schema(), field.name, field.given()),
            })?;
        let has_labels = self
            .request
            .uses_labels(fields.iter().map(|field| field.name));
        let reads_labels = fields.iter().any(|field| self.request.is_label(field.name));
        if self.request.query_type == QueryType::Read
            && self.status() == QueryStatus::Incomplete
            && reads_labels
            && !self.has_received_label_values()
        {
            // A server of libtiledb would send buffers of zeros.
            return Err(QueryLabelError::NotContinued.into());
        }
        if self.request.query_type != QueryType::Write || has_labels {
            return Ok(());
        }
        if !self.request.is_dense() {
            self.request.check_coordinates_set(fields)?;
        }
        self.request.check_names(fields)
    }

    /// Sets the state from a response of the server. The configuration is that of the client. Reads
    /// have buffers of the fields `names` until they are complete.
    pub fn receive_step(&mut self, received: QueryMessage, names: &[&str]) {
        let config = self.request.config.clone();
        self.receive(received);
        self.request.config = config;
        if self.request.query_type == QueryType::Read {
            self.state.fix_fields(names);
        }
    }
}

impl QueryRequest {
    /// Returns the folder of the fragments that the query writes.
    pub fn written_folder(&self) -> Uri {
        self.snapshot.uri.join(folders::FRAGMENTS)
    }

    /// Returns the number of fragments of the array.
    pub fn fragment_num(&self) -> usize {
        self.snapshot.fragments.len()
    }

    /// Returns the type of the cells of a field or of the result of an aggregate, which determines
    /// their buffers, or `None` if neither has this name.
    pub fn cell_type(&self, aggregates: &[NamedAggregate], name: &str) -> Option<CellType> {
        if let Some(named) = aggregates.iter().find(|named| named.name == name) {
            return Some(named.aggregate.result_type());
        }
        fields::shape_of(self.schema(), name).map(|shape| shape.cells)
    }

    /// Returns whether a server has the files of the array, so that it runs the query.
    pub fn is_served(&self) -> bool {
        self.snapshot.session.server.is_some()
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
        let limit = self.config.u64("rest.capnp_traversal_limit")?;
        Ok(limit.max(MIN_MESSAGE_LIMIT))
    }

    /// Returns the format of the offsets of results.
    pub fn result_form(&self) -> Result<OffsetsForm> {
        let reader = if self.is_dense() {
            Component::DenseReader
        } else {
            Component::MergingReader
        };
        OffsetsForm::from_config(&self.config, reader)
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
}
