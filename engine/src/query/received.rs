//! The state of queries that another process has started, as messages contain it.

use std::collections::HashMap;
use std::sync::Arc;

use super::carried::{CarriedProgress, CarriedState, ReadPosition};
use super::fields;
use super::query::Query;
use super::settings::NamedAggregate;
use super::work::{Work, WriteWork, WrittenFragment};
use crate::buffers::FieldSizes;
use crate::condition::Condition;
use crate::config::Config;
use crate::error::{EstimateError, QueryError, Result};
use crate::format::names::folders;
use crate::stats::SentStats;
use crate::subarray::Subarray;
use crate::types::{Layout, QueryStatus, QueryType, StatusReason, VAR_NUM};
use crate::vfs::Uri;

/// A query as a message describes it.
#[derive(Debug)]
pub struct ReceivedQuery {
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
    pub carried: Option<CarriedState>,
    /// The fragments that were written.
    pub written: Vec<WrittenFragment>,
    /// The fields of an unordered write that were written.
    pub written_names: Vec<String>,
    /// Whether the last submit delivered cells.
    pub has_results: bool,
    /// The statistics.
    pub stats: Option<SentStats>,
}

/// The properties of a field or a result that determine which buffers it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferShape {
    /// Whether cells have a variable length, so that there is a buffer of offsets.
    pub is_var: bool,
    /// Whether cells may be null, so that there is a buffer of validities.
    pub is_nullable: bool,
}

impl Query {
    /// Sets the state from a message. Work of this query continues if the message has its state.
    pub fn receive(&mut self, received: ReceivedQuery) {
        let has_work = match &self.work {
            Work::Nothing | Work::Unset => false,
            Work::Read { .. } | Work::Interrupted { .. } => self.is_state_of_work(&received),
            Work::Write(_) => received.status != QueryStatus::Uninitialized,
        };
        if !has_work {
            self.work = Work::Nothing;
            self.labels = None;
            self.planned_fields = None;
        }
        self.settings.config = received.config;
        self.settings.layout = received.layout;
        if let Some(subarray) = received.subarray {
            self.settings.subarray = subarray;
        }
        if received.condition.is_some() {
            self.settings.condition = received.condition;
        }
        self.settings.aggregates = received.aggregates;
        self.received.carried = received.carried;
        for fragment in received.written {
            if !self.written.iter().any(|known| known.uri == fragment.uri) {
                self.written.push(fragment);
            }
        }
        self.received.written_names = received.written_names;
        self.has_results = received.has_results;
        if let Some(stats) = &received.stats {
            self.metrics.stats.receive(stats);
        }
        self.status = received.status;
        self.reason = match received.status {
            QueryStatus::Incomplete => StatusReason::UserBufferSize,
            _ => StatusReason::None,
        };
    }

    /// Returns whether a message has the position that this read has reached.
    fn is_state_of_work(&self, received: &ReceivedQuery) -> bool {
        let Some(position) = self.position() else {
            return false;
        };
        received.status == self.status
            && received
                .carried
                .as_ref()
                .is_some_and(|state| state.progress == CarriedProgress::Delivered(position))
    }

    /// Returns the position that the sender of the query has reached, or `None` if the read starts
    /// here. Reads with labels are in progress while they start.
    pub(super) fn received_position(&self) -> Result<Option<&ReadPosition>> {
        match (&self.received.carried, self.status) {
            (Some(state), QueryStatus::Incomplete | QueryStatus::InProgress) => {
                match &state.progress {
                    CarriedProgress::None => Ok(None),
                    CarriedProgress::Delivered(position) => Ok(Some(position)),
                    CarriedProgress::Foreign => Err(QueryError::ForeignState.into()),
                }
            }
            _ => Ok(None),
        }
    }

    /// Returns whether the values of labels of an incomplete read can be continued: the sender of
    /// the query has stated how many were delivered.
    pub(super) fn has_received_label_values(&self) -> bool {
        self.received.carried.as_ref().is_some_and(|state| {
            let label_num = self.schema().labels.len();
            matches!(&state.progress, CarriedProgress::Delivered(position)
                if position.label_values.len() == label_num)
        })
    }

    /// Returns the progress that a message contained, if this query has not continued since.
    pub fn carried(&self) -> Option<&CarriedState> {
        self.received.carried.as_ref().filter(|_| !self.has_begun())
    }

    /// Returns the position of the read, or `None` if it has not started.
    pub fn position(&self) -> Option<ReadPosition> {
        let cells = match &self.work {
            Work::Read { .. } | Work::Interrupted { .. } => Some(self.delivered_cells()),
            _ => None,
        };
        match &self.labels {
            None => cells.map(|cells| ReadPosition {
                cells,
                label_values: Vec::new(),
            }),
            Some(labels) => Some(ReadPosition {
                cells: cells.unwrap_or_default(),
                label_values: labels.positions(self.schema()),
            }),
        }
    }

    /// Returns whether a submit of this query has started to write.
    pub fn is_writing(&self) -> bool {
        matches!(self.work, Work::Write(_))
    }

    /// Returns an error if another query has started this write.
    pub(super) fn check_write_is_here(&self) -> Result<()> {
        match self.carried() {
            Some(state) if state.progress == CarriedProgress::Foreign && state.write.is_none() => {
                Err(QueryError::WriteElsewhere.into())
            }
            _ => Ok(()),
        }
    }

    /// Returns whether a message has stated that all fields of an unordered write are written, so
    /// that its fragment is complete.
    pub(super) fn is_received_write_complete(&self) -> bool {
        let is_written = |name: &str| {
            self.received
                .written_names
                .iter()
                .any(|written| written == name)
        };
        matches!(self.work, Work::Nothing)
            && self
                .schema()
                .attribute_and_dimension_names()
                .all(is_written)
    }

    /// Returns the fields of an unordered write that are written.
    pub fn written_names(&self) -> Vec<&str> {
        let Work::Write(work @ WriteWork::Unordered(_)) = &self.work else {
            return self
                .received
                .written_names
                .iter()
                .map(String::as_str)
                .collect();
        };
        let names = self.schema().attribute_and_dimension_names();
        names.filter(|name| work.has_written(name)).collect()
    }

    /// Returns the statistics for messages.
    pub fn sent_stats(&self) -> SentStats {
        self.metrics.stats.sent()
    }

    /// Returns the folder of the fragments that the query writes.
    pub fn written_folder(&self) -> Uri {
        self.snapshot.uri.join(folders::FRAGMENTS)
    }

    /// Returns the number of fragments of the array.
    pub fn fragment_num(&self) -> usize {
        self.snapshot.fragments.len()
    }

    /// Returns the fragments that the query has written.
    pub fn written(&self) -> &[WrittenFragment] {
        &self.written
    }

    /// Returns which buffers a field or the result of an aggregate has, or `None` if neither has
    /// this name.
    pub fn buffer_shape(&self, aggregates: &[NamedAggregate], name: &str) -> Option<BufferShape> {
        if let Some(named) = aggregates.iter().find(|named| named.name == name) {
            let shape = named.aggregate.result_shape();
            return Some(BufferShape {
                is_var: shape.cell_val_num == VAR_NUM,
                is_nullable: shape.nullable,
            });
        }
        let shape = fields::shape_of(self.schema(), name)?;
        Some(BufferShape {
            is_var: shape.var,
            is_nullable: shape.nullable,
        })
    }

    /// Returns the estimated sizes of the results of all attributes and dimensions.
    pub fn estimates(&self) -> Result<Vec<(String, FieldSizes)>> {
        if self.query_type != QueryType::Read {
            return Err(EstimateError::NotARead.into());
        }
        let estimates = self.schema().attribute_and_dimension_names().map(|name| {
            let shape = self.buffer_shape(&[], name).unwrap_or_default();
            let sizes = self.estimate(name, shape.is_var, shape.is_nullable)?;
            Ok((name.to_owned(), sizes))
        });
        estimates.collect()
    }

    /// Sets the estimated sizes of results from a message, which replace those of this process.
    pub fn receive_estimates(&mut self, estimates: HashMap<String, FieldSizes>) {
        self.received.estimates = Some(estimates);
    }
}
