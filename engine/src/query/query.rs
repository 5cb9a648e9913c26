//! A query: its settings with their setters and getters, its state, and checks of buffers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fields::{self, BufferKind};
use super::work::MessageState;
use super::work::Metrics;
use super::work::{Work, WriteWork, WrittenFragment};
use crate::aggregate::{Aggregate, AggregateOperator};
use crate::array::{Array, Snapshot};
use crate::condition::{BoundCondition, Condition};
use crate::config::Config;
use crate::context::Context;
use crate::error::{QueryBufferError, QueryError, Result};
use crate::read::relevant_fragment_num;
use crate::schema::ArraySchema;
use crate::stats::{Counter, Part, Stats};
use crate::subarray::Subarray;
use crate::types::{Layout, QueryStatus, QueryType, StatusReason};
use crate::vfs::Vfs;

/// A query on an open array.
#[derive(Debug)]
pub struct Query {
    pub(super) request: QueryRequest,
    pub(super) status: QueryStatus,
    pub(super) reason: StatusReason,
    pub(super) has_results: bool,
    pub(super) work: Work,
    /// The fields with buffers when the query was initialized by its plan, or by a submit that a
    /// server ran; no others can be added then.
    pub(super) planned_fields: Option<Vec<String>>,
    /// Whether the size of a result was estimated.
    pub(super) has_estimate: AtomicBool,
    /// The labels that are read, after the first submit.
    pub(super) labels: Option<LabelReads>,
    pub(super) written: Vec<WrittenFragment>,
    pub(super) received: MessageState,
    pub(super) metrics: Metrics,
}

/// What a query requests: the array, the type of the query, and its settings.
#[derive(Debug)]
pub struct QueryRequest {
    pub(super) vfs: Arc<Vfs>,
    pub(super) array: Arc<Array>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) query_type: QueryType,
    pub(super) layout: Layout,
    pub(super) subarray: Subarray,
    pub(super) config: Config,
    pub(super) condition: Option<Arc<Condition>>,
    pub(super) aggregates: Vec<NamedAggregate>,
}

/// An aggregate of a query.
#[derive(Clone, Debug)]
pub struct NamedAggregate {
    /// The name of the result.
    pub name: String,
    /// The aggregate.
    pub aggregate: Aggregate,
}

/// The labels whose values a read delivers.
#[derive(Debug)]
pub(super) struct LabelReads {
    pub(super) reads: Vec<LabelRead>,
    /// Whether only labels are read.
    pub(super) only: bool,
}

/// A label whose values are read.
#[derive(Debug)]
pub(super) struct LabelRead {
    pub(super) name: String,
    pub(super) attribute: String,
    pub(super) query: Query,
}

impl LabelReads {
    /// Returns whether the values of a label are read.
    pub(super) fn has(&self, name: &str) -> bool {
        self.reads.iter().any(|read| read.name == name)
    }
}

impl Query {
    /// Creates a query on `array`, which must be open for `query_type`, in the context of the
    /// array.
    pub fn new(array: &Arc<Array>, query_type: QueryType) -> Result<Self> {
        Self::within(array.vfs().context(), array, query_type)
    }

    /// Creates a query in a context that need not be that of the array. The context determines the
    /// configuration, the statistics, the threads and cancellation. The configuration of the array
    /// applies to opening it only.
    pub fn within(
        context: &Arc<Context>,
        array: &Arc<Array>,
        query_type: QueryType,
    ) -> Result<Self> {
        if !array.is_open() {
            return Err(QueryError::ArrayClosed.into());
        }
        let open_for = array.query_type();
        if open_for != query_type {
            return Err(QueryError::OtherType {
                array: open_for.name(),
                query: query_type.name(),
            }
            .into());
        }
        let vfs = array.vfs().within(context)?;
        let snapshot = match query_type {
            QueryType::Write | QueryType::ModifyExclusive => array.snapshot()?.for_writing(&vfs)?,
            _ => array.snapshot()?,
        };
        let stats = context.stats().single(match query_type {
            QueryType::Read => Part::Reader,
            QueryType::Delete => Part::Deletes,
            _ => Part::Writer,
        });
        let schema = &snapshot.schema;
        let layout = if schema.is_dense() || query_type == QueryType::Read {
            Layout::RowMajor
        } else {
            Layout::Unordered
        };
        let mut subarray = Subarray::new(schema);
        if query_type == QueryType::Read {
            subarray.set_config(context.config())?;
        }
        Ok(Self {
            request: QueryRequest {
                vfs,
                array: array.clone(),
                snapshot,
                query_type,
                layout,
                subarray,
                config: context.config().clone(),
                condition: None,
                aggregates: Vec::new(),
            },
            status: QueryStatus::Uninitialized,
            reason: StatusReason::None,
            has_results: false,
            work: Work::Nothing,
            planned_fields: None,
            has_estimate: AtomicBool::new(false),
            labels: None,
            written: Vec::new(),
            received: MessageState::default(),
            metrics: Metrics::new(stats),
        })
    }

    /// Returns whether a submit has started the work.
    pub(super) fn has_begun(&self) -> bool {
        self.labels.is_some() || !matches!(self.work, Work::Nothing)
    }

    /// Returns whether a submit or a plan has fixed the settings, regardless of its outcome.
    pub(super) fn is_initialized(&self) -> bool {
        self.has_begun() || self.status != QueryStatus::Uninitialized
    }

    /// Checks that a buffer may be set.
    pub fn check_buffer(&self, name: &str, kind: BufferKind) -> Result<()> {
        self.request.check_carries_cells("set buffer")?;
        if let Some(aggregate) = self.request.aggregate(name) {
            return fields::check_result_buffer(aggregate, name, kind);
        }
        fields::check_buffer(
            self.request.schema(),
            self.request.query_type,
            self.request.is_dense(),
            name,
            kind,
        )?;
        if self.request.schema().label(name).is_some() {
            let is_late = match &self.labels {
                _ if matches!(self.work, Work::Unset) => true,
                Some(labels) => !labels.has(name),
                None => self.request.is_served() && !self.was_planned(name),
            };
            if is_late {
                let (setter, name) = (kind.setter(), name.into());
                return Err(QueryBufferError::LabelAfterSubmit { setter, name }.into());
            }
            return Ok(());
        }
        let (was_planned, is_written) = match &self.work {
            Work::Read { names, .. } | Work::Interrupted { names, .. } => {
                (names.iter().any(|known| known == name), false)
            }
            Work::Write(write) => (true, write.has_written(name)),
            Work::Unset => (false, false),
            Work::Nothing => {
                let mut written = self.received.written_names.iter();
                (self.was_planned(name), written.any(|known| known == name))
            }
        };
        let name = name.into();
        if !was_planned {
            Err(QueryBufferError::FieldAfterSubmit { name }.into())
        } else if is_written {
            Err(QueryBufferError::AlreadyWritten { name }.into())
        } else {
            Ok(())
        }
    }

    /// Returns whether a field had a buffer when the query was initialized; true before.
    fn was_planned(&self, name: &str) -> bool {
        let names = self.planned_fields.as_ref();
        names.is_none_or(|names| names.iter().any(|known| known == name))
    }

    /// Returns the request.
    pub fn request(&self) -> &QueryRequest {
        &self.request
    }

    /// Returns the state.
    pub fn status(&self) -> QueryStatus {
        self.status
    }

    /// Returns the reason why the query is incomplete.
    pub fn reason(&self) -> StatusReason {
        self.reason
    }

    /// Returns whether the last submit delivered cells.
    pub fn has_results(&self) -> bool {
        self.has_results
    }

    /// Returns the statistics as JSON.
    pub fn stats(&self) -> String {
        self.metrics.stats.dump()
    }

    /// Returns the number of fragments whose non-empty domain intersects the subarray. As in
    /// libtiledb, it is 0 before the first submit or without ranges, unless the size of a result
    /// was estimated.
    pub fn relevant_fragment_num(&self) -> u64 {
        let has_planned_ranges = self.is_initialized() && self.request.subarray().is_set();
        if has_planned_ranges || self.has_estimate.load(Ordering::Relaxed) {
            relevant_fragment_num(&self.request.snapshot, self.request.subarray())
        } else {
            0
        }
    }

    /// Checks that the array is still open for the type of the query, unless the query is
    /// initialized: it has a snapshot of the array and continues after the array was closed, as in
    /// libtiledb. Servers need the array with each request.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.is_initialized() && !self.request.is_served() {
            return self.request.vfs.context().check_io_threads();
        }
        if !self.request.array.is_open() {
            return Err(QueryError::ArrayNotOpen.into());
        }
        let open_for = self.request.array.query_type();
        if open_for != self.request.query_type {
            return Err(QueryError::ArrayReopened {
                array: open_for.name(),
                query: self.request.query_type.name(),
            }
            .into());
        }
        self.request.vfs.context().check_io_threads()
    }
}

impl Query {
    /// Sets the layout. It is an error after the first submit.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        if layout == self.request.layout {
            return Ok(());
        }
        if self.is_initialized() {
            return Err(QueryError::LayoutAfterSubmit.into());
        }
        self.request.check_carries_cells("set layout")?;
        if layout == Layout::Hilbert {
            return Err(QueryError::HilbertLayout.into());
        }
        let ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
        if self.request.query_type == QueryType::Write {
            if self.request.is_dense() && layout == Layout::Unordered {
                return Err(QueryError::UnorderedDense.into());
            }
            if !self.request.is_dense() && ordered {
                return Err(QueryError::OrderedSparse.into());
            }
        }
        self.request.layout = layout;
        Ok(())
    }

    /// Sets the subarray. It is an error after the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        if self.request.query_type == QueryType::Write && !self.request.is_dense() {
            return Err(QueryError::SubarrayOfSparseWrite.into());
        }
        if self.request.check_carries_cells("").is_err() {
            return Err(QueryError::SubarrayOfType {
                query: self.request.query_type.name(),
            }
            .into());
        }
        if self.is_initialized() {
            return Err(QueryError::SubarrayAfterSubmit.into());
        }
        if !subarray.fits(self.request.schema()) {
            return Err(QueryError::OtherSubarray.into());
        }
        self.request.subarray = subarray.clone();
        self.received.estimates = None;
        self.has_estimate.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Sets the configuration of this query. It is an error after the first submit.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        if self.status != QueryStatus::Uninitialized {
            return Err(QueryError::ConfigAfterSubmit.into());
        }
        self.request.config.inherit(config);
        self.request.subarray.set_config(config)
    }

    /// Sets the condition that cells must satisfy. It is an error after the first submit.
    pub fn set_condition(&mut self, condition: &Arc<Condition>) -> Result<()> {
        if self.request.query_type() == QueryType::Write {
            return Err(QueryError::ConditionOfWrite.into());
        }
        if self.status() != QueryStatus::Uninitialized {
            // Programs compare this message.
            return Err(QueryError::ConditionAfterSubmit.into());
        }
        self.request.condition = Some(condition.clone());
        Ok(())
    }

    /// Creates an operator on a field of the array. It is an error after the first submit.
    pub fn make_aggregate(&self, operator: AggregateOperator, field: &str) -> Result<Aggregate> {
        self.check_not_begun()?;
        self.request.field(field)?;
        Aggregate::new(self.request.schema(), operator, field)
    }

    /// Adds an aggregate and names its result. It is an error after the first submit.
    pub fn add_aggregate(&mut self, name: &str, aggregate: &Aggregate) -> Result<()> {
        self.check_not_begun()?;
        if self.request.aggregate(name).is_some() {
            return Err(QueryError::DuplicateAggregate { name: name.into() }.into());
        }
        self.request.aggregates.push(NamedAggregate {
            name: name.to_owned(),
            aggregate: aggregate.clone(),
        });
        Ok(())
    }

    /// Forgets the buffers. A read or a write in global order that was submitted cannot continue
    /// then; a write without a commit is discarded. The status stays.
    pub fn unset_buffers(&mut self) {
        let continues = match &self.work {
            Work::Read { .. } | Work::Interrupted { .. } => true,
            Work::Write(WriteWork::Global(_) | WriteWork::SparseGlobal(_)) => true,
            Work::Write(WriteWork::Unordered(_)) | Work::Nothing | Work::Unset => false,
        };
        if continues || self.labels.take().is_some() {
            self.work = Work::Unset;
        }
    }

    fn check_not_begun(&self) -> Result<()> {
        match self.status() {
            QueryStatus::Uninitialized => Ok(()),
            _ => Err(QueryError::TooLate.into()),
        }
    }
}

impl QueryRequest {
    /// Returns the type of the query.
    pub fn query_type(&self) -> QueryType {
        self.query_type
    }

    /// Returns the array.
    pub fn array(&self) -> &Arc<Array> {
        &self.array
    }

    /// Returns the storage.
    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.vfs
    }

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

    /// Checks that a buffer of coordinates is compatible with the fields `set`: either all
    /// coordinates are in one buffer, or each dimension has its own.
    pub fn check_coordinates<'a>(
        &self,
        name: &str,
        set: impl Iterator<Item = &'a str>,
    ) -> Result<()> {
        fields::check_coordinates(self.schema(), name, set)
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

    /// Returns the layout.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the subarray.
    pub fn subarray(&self) -> &Subarray {
        &self.subarray
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the condition that was set.
    pub fn condition(&self) -> Option<&Arc<Condition>> {
        self.condition.as_ref()
    }

    /// Returns the condition bound to the schema of the array, or `None` if none was set.
    pub(super) fn bound_condition(&self) -> Result<Option<BoundCondition>> {
        let Some(condition) = &self.condition else {
            return Ok(None);
        };
        let labels = |name: &str| self.snapshot.enumeration(&self.vfs, name);
        BoundCondition::bind(condition, self.schema(), labels).map(Some)
    }

    /// Returns the aggregate with a name.
    pub fn aggregate(&self, name: &str) -> Option<&Aggregate> {
        let found = self.aggregates.iter().find(|named| named.name == name);
        found.map(|named| &named.aggregate)
    }

    /// Returns the aggregates in the order in which they were added.
    pub fn aggregates(&self) -> &[NamedAggregate] {
        &self.aggregates
    }
}
