//! The request of a query: the array, the type of the query, and its settings. Plans, estimates,
//! explanations and checks of buffers depend on it only, not on what submits have done.

use std::sync::Arc;

use super::fields::{self, BufferKind};
use crate::aggregate::Aggregate;
use crate::array::{Array, Snapshot};
use crate::condition::Condition;
use crate::config::Config;
use crate::error::{QueryError, Result};
use crate::schema::ArraySchema;
use crate::stats::{Counter, Stats};
use crate::subarray::Subarray;
use crate::types::{Layout, QueryType};
use crate::vfs::Vfs;

/// The request of a query: the array, the type of the query, and its settings. Other modules get
/// shared references to it only, so that they cannot change it.
#[derive(Debug)]
pub struct QueryRequest {
    /// The storage.
    pub vfs: Arc<Vfs>,
    /// The array.
    pub array: Arc<Array>,
    pub(super) snapshot: Arc<Snapshot>,
    /// The type of the query.
    pub query_type: QueryType,
    /// The layout.
    pub layout: Layout,
    /// The ranges.
    pub subarray: Subarray,
    /// The configuration.
    pub config: Config,
    /// The condition that was set.
    pub condition: Option<Arc<Condition>>,
    /// The aggregates in the order in which they were added.
    pub aggregates: Vec<NamedAggregate>,
}

/// An aggregate of a query.
#[derive(Clone, Debug)]
pub struct NamedAggregate {
    /// The name of the result.
    pub name: String,
    /// The aggregate.
    pub aggregate: Aggregate,
}

impl QueryRequest {
    /// Returns the schema of the array.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.snapshot.schema
    }

    pub(super) fn is_dense(&self) -> bool {
        self.schema().is_dense()
    }

    /// Returns an error for queries that neither read nor write cells. `action` is the rejected
    /// operation.
    pub(super) fn check_carries_cells(&self, action: &'static str) -> Result<()> {
        match self.query_type {
            QueryType::Read | QueryType::Write => Ok(()),
            _ => Err(QueryError::NoCells { action }.into()),
        }
    }

    /// Checks that the buffer of a field can be queried.
    pub fn check_buffer_known(&self, name: &str, kind: BufferKind) -> Result<()> {
        self.check_carries_cells("get buffer")?;
        fields::check_buffer_known(self.schema(), name, kind)
    }

    /// Checks that a buffer of coordinates is compatible with those of the fields `set`: either all
    /// coordinates are in one buffer, or each dimension has its own. `is_set` returns whether a
    /// field is one of them, without comparing all names.
    pub fn check_coordinates<'a>(
        &self,
        name: &str,
        set: impl Iterator<Item = &'a str>,
        is_set: impl FnOnce(&str) -> bool,
    ) -> Result<()> {
        fields::check_coordinates(self.schema(), name, set, is_set)
    }

    pub(super) fn count_fields<'a>(&self, names: impl Iterator<Item = &'a str>, stats: &Stats) {
        for shape in names.filter_map(|name| fields::shape_of(self.schema(), name)) {
            let (counter, of_length) = match (shape.dimension, shape.cells.is_var()) {
                (false, false) => (Counter::Attributes, Counter::FixedAttributes),
                (false, true) => (Counter::Attributes, Counter::VarAttributes),
                (true, false) => (Counter::Dimensions, Counter::FixedDimensions),
                (true, true) => (Counter::Dimensions, Counter::VarDimensions),
            };
            stats.add(counter, 1);
            stats.add(of_length, 1);
            stats.add(Counter::NullableAttributes, u64::from(shape.cells.nullable));
        }
    }

    /// Returns the aggregate with a name.
    pub fn aggregate(&self, name: &str) -> Option<&Aggregate> {
        let found = self.aggregates.iter().find(|named| named.name == name);
        found.map(|named| &named.aggregate)
    }
}
