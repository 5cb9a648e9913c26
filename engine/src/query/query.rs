//! A query on an open array, and its state: what its submits have started (readers and writers),
//! the progress that messages contain, and how the submits ended. The state is changed in this file
//! only.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fields::{self, BufferKind};
use super::request::QueryRequest;
use crate::array::Array;
use crate::buffers::{FieldBuffers, FieldSizes, NeededSizes};
use crate::context::Context;
use crate::error::{QueryBufferError, QueryError, Result};
use crate::read::{DenseRead, SparseRead, relevant_fragment_num};
use crate::stats::{Part, Stats, TileMeter};
use crate::subarray::Subarray;
use crate::types::{Layout, QueryStatus, QueryType, StatusReason, TimeRange};
use crate::vfs::Uri;
use crate::write::{GlobalWrite, GlobalWriteState, SparseGlobalWrite, UnorderedWrite};

/// A query on an open array.
#[derive(Debug)]
pub struct Query {
    pub(super) request: QueryRequest,
    pub(super) state: QueryState,
    pub(super) stats: Stats,
    pub(super) submits: Submits,
    pub(super) written_tiles: Arc<TileMeter>,
}

/// The state of a query.
#[derive(Debug)]
pub(super) struct QueryState {
    status: QueryStatus,
    reason: StatusReason,
    /// Whether the last submit delivered cells.
    has_results: bool,
    stage: Stage,
    /// The fields with buffers when the query was initialized by its plan, or by a submit that a
    /// server ran; no others can be added then.
    fields: Option<Vec<String>>,
    /// The progress of another process. The first submit in this process continues there, and so
    /// does the one after a failed write.
    progress: Option<StrategyState>,
    /// The fields of an unordered write that another process has written.
    written_names: Vec<String>,
    /// The fragments that were written, also by another process that ran submits of the query.
    written: Vec<WrittenFragment>,
    /// Whether this process has estimated the size of a result.
    has_estimated: AtomicBool,
    /// The estimated sizes from a message, which replace those of this process.
    estimates: Option<HashMap<String, FieldSizes>>,
}

/// The work that the submits of a query have started.
#[derive(Debug)]
enum Stage {
    /// Nothing in this process. A query that a server runs remains here.
    Described,
    /// A read of cells, of labels, or of both.
    Read {
        cells: Option<CellRead>,
        labels: Option<LabelReads>,
    },
    Write(WriteWork),
    /// Work whose buffers were unset. It cannot continue, since the buffers of a query that was
    /// submitted are fixed.
    Discarded,
}

/// The read of the fields that are not labels.
#[derive(Debug)]
pub(super) enum CellRead {
    Open {
        names: Vec<String>,
        read: ReadWork,
    },
    /// A read whose last submit failed, and the number of cells that it had delivered before. The
    /// reader is made again, because it may have passed cells that were not delivered.
    Interrupted {
        names: Vec<String>,
        cells: u64,
    },
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
        Self::within(&array.vfs.context, array, query_type)
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
        let vfs = array.vfs.within(context)?;
        let snapshot = match query_type {
            QueryType::Write | QueryType::ModifyExclusive => array.snapshot()?.for_writing(&vfs)?,
            _ => array.snapshot()?,
        };
        let stats = context.stats.single(match query_type {
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
            subarray.set_config(&context.config)?;
        }
        Ok(Self {
            request: QueryRequest {
                vfs,
                array: array.clone(),
                snapshot,
                query_type,
                layout,
                subarray,
                config: context.config.clone(),
                condition: None,
                aggregates: Vec::new(),
            },
            state: QueryState::new(),
            stats,
            submits: Submits::default(),
            written_tiles: Arc::default(),
        })
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
            let is_late = match (&self.state.stage, self.state.labels()) {
                (Stage::Discarded, _) => true,
                (_, Some(labels)) => !labels.has(name),
                (_, None) => self.request.is_served() && !self.state.has_field(name),
            };
            if is_late {
                let (setter, name) = (kind.setter(), name.into());
                return Err(QueryBufferError::LabelAfterSubmit { setter, name }.into());
            }
            return Ok(());
        }
        let (was_planned, is_written) = match &self.state.stage {
            Stage::Read {
                cells: Some(cells), ..
            } => (cells.names().iter().any(|known| known == name), false),
            Stage::Write(write) => (true, write.has_written(name)),
            Stage::Discarded => (false, false),
            Stage::Described | Stage::Read { cells: None, .. } => {
                (self.state.has_field(name), self.state.has_written(name))
            }
        };
        let name = name.into();
        if !was_planned && kind == BufferKind::Validity {
            Err(QueryBufferError::ValidityAfterSubmit { name }.into())
        } else if !was_planned {
            Err(QueryBufferError::FieldAfterSubmit { name }.into())
        } else if is_written {
            Err(QueryBufferError::AlreadyWritten { name }.into())
        } else {
            Ok(())
        }
    }

    /// Returns the request.
    pub fn request(&self) -> &QueryRequest {
        &self.request
    }

    /// Returns the state.
    pub fn status(&self) -> QueryStatus {
        self.state.status
    }

    /// Returns the reason why the query is incomplete.
    pub fn reason(&self) -> StatusReason {
        self.state.reason
    }

    /// Returns whether the last submit delivered cells.
    pub fn has_results(&self) -> bool {
        self.state.has_results
    }

    /// Returns the fragments that the query has written.
    pub fn written(&self) -> &[WrittenFragment] {
        &self.state.written
    }

    /// Returns the statistics as JSON.
    pub fn stats(&self) -> String {
        self.stats.dump()
    }

    /// Returns the number of fragments whose non-empty domain intersects the subarray. As in
    /// libtiledb, it is 0 before the first submit or without ranges, unless the size of a result
    /// was estimated.
    pub fn relevant_fragment_num(&self) -> u64 {
        let has_planned_ranges = self.state.is_initialized() && self.request.subarray.is_set();
        if has_planned_ranges || self.state.has_estimated.load(Ordering::Relaxed) {
            relevant_fragment_num(&self.request.snapshot, &self.request.subarray)
        } else {
            0
        }
    }

    /// Checks that the array is still open for the type of the query, unless the query is
    /// initialized: it has a snapshot of the array and continues after the array was closed, as in
    /// libtiledb. Servers need the array with each request.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.state.is_initialized() && !self.request.is_served() {
            return self.request.vfs.context.check_io_threads();
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
        self.request.vfs.context.check_io_threads()
    }
}

impl Query {
    /// Forgets the buffers. A read or a write in global order that was submitted cannot continue
    /// then; a write without a commit is discarded. The status stays.
    pub fn unset_buffers(&mut self) {
        let is_lost = match &self.state.stage {
            Stage::Read { .. } => true,
            Stage::Write(WriteWork::Global(_) | WriteWork::SparseGlobal(_)) => true,
            Stage::Write(WriteWork::Unordered(_)) | Stage::Described | Stage::Discarded => false,
        };
        if is_lost {
            self.state.stage = Stage::Discarded;
        }
    }
}

impl CellRead {
    /// Returns the fields that are read.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::Open { names, .. } | Self::Interrupted { names, .. } => names,
        }
    }

    /// Returns the number of cells that successful submits have delivered.
    pub(super) fn delivered_cells(&self) -> u64 {
        match self {
            Self::Open { read, .. } => read.position(),
            Self::Interrupted { cells, .. } => *cells,
        }
    }
}

impl QueryState {
    fn new() -> Self {
        Self {
            status: QueryStatus::Uninitialized,
            reason: StatusReason::None,
            has_results: false,
            stage: Stage::Described,
            fields: None,
            progress: None,
            written_names: Vec::new(),
            written: Vec::new(),
            has_estimated: AtomicBool::new(false),
            estimates: None,
        }
    }

    /// Returns whether a submit has started the work.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.stage, Stage::Described)
    }

    /// Returns whether a submit or a plan has fixed the settings, regardless of its outcome.
    pub(super) fn is_initialized(&self) -> bool {
        self.has_begun() || self.status != QueryStatus::Uninitialized
    }

    pub(super) fn is_discarded(&self) -> bool {
        matches!(self.stage, Stage::Discarded)
    }

    /// Returns whether a field had a buffer when the query was initialized; true before.
    fn has_field(&self, name: &str) -> bool {
        let names = self.fields.as_ref();
        names.is_none_or(|names| names.iter().any(|known| known == name))
    }

    /// Returns whether another process has written a field.
    pub(super) fn has_written(&self, name: &str) -> bool {
        self.written_names.iter().any(|written| written == name)
    }

    /// Returns the fields of an unordered write that another process has written.
    pub(super) fn written_names(&self) -> &[String] {
        &self.written_names
    }

    /// Returns the progress of another process.
    pub(super) fn progress(&self) -> Option<&StrategyState> {
        self.progress.as_ref()
    }

    /// Returns the read of cells that has started.
    pub(super) fn cells(&self) -> Option<&CellRead> {
        match &self.stage {
            Stage::Read { cells, .. } => cells.as_ref(),
            _ => None,
        }
    }

    /// Returns the labels that are read, after the first submit.
    pub(super) fn labels(&self) -> Option<&LabelReads> {
        match &self.stage {
            Stage::Read { labels, .. } => labels.as_ref(),
            _ => None,
        }
    }

    /// Returns the write that has started.
    pub(super) fn write(&self) -> Option<&WriteWork> {
        match &self.stage {
            Stage::Write(write) => Some(write),
            _ => None,
        }
    }

    /// Returns the position that another process has reached, or `None` if the read starts here.
    /// Reads with labels are in progress while they start.
    pub(super) fn start_position(&self) -> Result<Option<&ReadPosition>> {
        match (&self.progress, self.status) {
            (Some(state), QueryStatus::Incomplete | QueryStatus::InProgress) => {
                match &state.progress {
                    StrategyProgress::None => Ok(None),
                    StrategyProgress::Delivered(position) => Ok(Some(position)),
                    StrategyProgress::Foreign => Err(QueryError::ForeignState.into()),
                }
            }
            _ => Ok(None),
        }
    }

    /// Returns the number of cells that successful submits have delivered.
    pub(super) fn delivered_cells(&self) -> u64 {
        match (self.cells(), self.start_position()) {
            (Some(cells), _) => cells.delivered_cells(),
            (None, Ok(Some(position))) => position.cells,
            (None, _) => 0,
        }
    }

    /// Returns the estimated sizes of a field from a message.
    pub(super) fn estimate(&self, name: &str) -> Option<FieldSizes> {
        self.estimates.as_ref()?.get(name).copied()
    }

    /// Returns whether a message has the estimated sizes of results.
    pub(super) fn has_estimates(&self) -> bool {
        self.estimates.is_some()
    }

    /// Forgets estimated sizes, when they no longer apply.
    pub(super) fn forget_estimates(&mut self) {
        self.has_estimated = AtomicBool::new(false);
        self.estimates = None;
    }

    /// States that this process has estimated a size.
    pub(super) fn note_estimate(&self) {
        self.has_estimated.store(true, Ordering::Relaxed);
    }
}

/// The transitions of all queries.
impl QueryState {
    /// Fixes the settings before the first submit, and the fields with buffers if they are `names`.
    pub(super) fn initialize(&mut self, names: Option<&[&str]>) {
        if self.status == QueryStatus::Uninitialized {
            if let Some(names) = names {
                self.fields = Some(owned(names));
            }
            self.status = QueryStatus::Initialized;
        }
    }

    /// States that a submit has failed.
    pub(super) fn fail(&mut self) {
        self.status = QueryStatus::Failed;
    }

    /// States that a submit can be repeated after an error.
    pub(super) fn proceed(&mut self) {
        self.status = QueryStatus::InProgress;
    }

    /// States that a write or delete is complete.
    pub(super) fn complete(&mut self) {
        self.status = QueryStatus::Completed;
    }

    /// Forgets the progress of another process.
    pub(super) fn forget_progress(&mut self) {
        self.progress = None;
    }
}

/// The transitions of reads.
impl QueryState {
    /// Starts or restarts the read of cells.
    pub(super) fn open_read(&mut self, names: Vec<String>, read: ReadWork) {
        let open = CellRead::Open { names, read };
        match &mut self.stage {
            Stage::Read { cells, .. } => *cells = Some(open),
            stage => {
                *stage = Stage::Read {
                    cells: Some(open),
                    labels: None,
                }
            }
        }
    }

    /// Returns the reader for a submit, which has no results until
    /// [`set_has_results`](Self::set_has_results).
    pub(super) fn reader_for_submit(&mut self) -> Option<(&[String], &mut ReadWork)> {
        self.has_results = false;
        match &mut self.stage {
            Stage::Read {
                cells: Some(CellRead::Open { names, read }),
                ..
            } => Some((names, read)),
            _ => None,
        }
    }

    pub(super) fn set_has_results(&mut self, has_results: bool) {
        self.has_results = has_results;
    }

    /// Ends a submit of a read. One that is not `done` has filled the buffers.
    pub(super) fn end_submit(&mut self, done: bool) {
        (self.status, self.reason) = if done {
            (QueryStatus::Completed, StatusReason::None)
        } else {
            (QueryStatus::Incomplete, StatusReason::UserBufferSize)
        };
    }

    /// Drops the reader, if there is one. The next submit continues after the first `cells` cells.
    pub(super) fn interrupt_after(&mut self, cells: u64) {
        if let Stage::Read {
            cells: Some(read), ..
        } = &mut self.stage
        {
            let (CellRead::Open { names, .. } | CellRead::Interrupted { names, .. }) = read;
            let names = std::mem::take(names);
            *read = CellRead::Interrupted { names, cells };
        }
    }

    /// Resets the read of cells, so that the next submit starts it again.
    pub(super) fn start_over(&mut self) {
        match &mut self.stage {
            Stage::Read {
                cells,
                labels: Some(_),
            } => *cells = None,
            stage => *stage = Stage::Described,
        }
        self.progress = None;
        self.status = QueryStatus::Uninitialized;
    }

    /// Starts a read after the first `cells` cells, which another process has delivered.
    pub(super) fn start_after(&mut self, cells: u64) {
        self.status = QueryStatus::Incomplete;
        self.progress = Some(StrategyState {
            kind: Strategy::Dense,
            progress: StrategyProgress::Delivered(ReadPosition {
                cells,
                label_values: Vec::new(),
            }),
            write: None,
            message: Arc::from([]),
        });
    }

    /// Resets the status of a read that could not start.
    pub(super) fn reset(&mut self) {
        self.status = QueryStatus::Uninitialized;
    }

    /// Takes the labels out of the state for a submit, after which they are set again.
    pub(super) fn take_labels(&mut self) -> Option<LabelReads> {
        let Stage::Read { cells, labels } = &mut self.stage else {
            return None;
        };
        let taken = labels.take();
        if cells.is_none() {
            self.stage = Stage::Described;
        }
        taken
    }

    pub(super) fn set_labels(&mut self, reads: LabelReads) {
        match &mut self.stage {
            Stage::Read { labels, .. } => *labels = Some(reads),
            stage => {
                *stage = Stage::Read {
                    cells: None,
                    labels: Some(reads),
                }
            }
        }
    }
}

/// The transitions of writes.
impl QueryState {
    pub(super) fn set_write(&mut self, write: WriteWork) {
        self.stage = Stage::Write(write);
    }

    pub(super) fn write_mut(&mut self) -> Option<&mut WriteWork> {
        match &mut self.stage {
            Stage::Write(write) => Some(write),
            _ => None,
        }
    }

    /// Takes the write out of the state. The query returns to its start unless the write is set
    /// again.
    pub(super) fn take_write(&mut self) -> Option<WriteWork> {
        self.write()?;
        match std::mem::replace(&mut self.stage, Stage::Described) {
            Stage::Write(write) => Some(write),
            _ => None,
        }
    }

    pub(super) fn add_written(&mut self, fragment: WrittenFragment) {
        self.written.push(fragment);
    }
}

/// The progress of a read that a server runs.
#[derive(Debug)]
pub struct ReadCheckpoint {
    progress: Option<StrategyState>,
    status: QueryStatus,
    reason: StatusReason,
}

/// The transitions of queries of which another process runs submits.
impl QueryState {
    /// Sets the state from a message. Work of this process `continues` if the message has its
    /// state.
    pub(super) fn receive(
        &mut self,
        status: QueryStatus,
        has_results: bool,
        progress: Option<StrategyState>,
        written: Vec<WrittenFragment>,
        written_names: Vec<String>,
        continues: bool,
    ) {
        if !continues {
            self.stage = Stage::Described;
            self.fields = None;
        }
        self.progress = progress;
        self.written_names = written_names;
        for fragment in written {
            if !self.written.iter().any(|known| known.uri == fragment.uri) {
                self.written.push(fragment);
            }
        }
        self.has_results = has_results;
        self.status = status;
        self.reason = match status {
            QueryStatus::Incomplete => StatusReason::UserBufferSize,
            _ => StatusReason::None,
        };
    }

    /// Fixes the fields with buffers of a read that a server runs.
    pub(super) fn fix_fields(&mut self, names: &[&str]) {
        self.fields = Some(owned(names));
    }
}

/// The progress of queries that a server runs.
impl Query {
    /// Sets the state of a write whose first cells are kept until their tile is complete.
    pub fn begin_served(&mut self) {
        self.state.initialize(None);
    }

    /// Returns the progress of a read, for [`Self::restore_progress`].
    pub fn served_progress(&self) -> ReadCheckpoint {
        ReadCheckpoint {
            progress: self.state.progress.clone(),
            status: self.state.status,
            reason: self.state.reason,
        }
    }

    /// Restores the progress that a read had before a submit that failed after some of its results:
    /// the next submit delivers them again.
    pub fn restore_progress(&mut self, checkpoint: ReadCheckpoint) {
        if self.request.query_type == QueryType::Read {
            self.state.progress = checkpoint.progress;
            self.state.status = checkpoint.status;
            self.state.reason = checkpoint.reason;
        }
    }

    /// Marks a read as incomplete because its buffers are too small for what the server sent.
    pub fn stop_for_buffers(&mut self) {
        self.state.end_submit(false);
    }

    /// Sets the estimated sizes of results from a message, which replace those of this process.
    pub fn receive_estimates(&mut self, sizes: HashMap<String, FieldSizes>) {
        self.state.estimates = Some(sizes);
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A read that has started.
#[derive(Debug)]
pub(super) enum ReadWork {
    Dense(Box<DenseRead>),
    Sparse(Box<SparseRead>),
}

impl ReadWork {
    pub(super) fn fill(
        &mut self,
        context: &Context,
        buffers: &mut [FieldBuffers<'_>],
        stats: &Stats,
    ) -> Result<Vec<FieldSizes>> {
        match self {
            Self::Dense(read) => read.fill(context, buffers, stats),
            Self::Sparse(read) => read.fill(context, buffers, stats),
        }
    }

    /// Returns the sizes that the next `cells` cells need, in the order of the fields.
    pub(super) fn needed_sizes(&self, context: &Context, cells: u64) -> Result<Vec<NeededSizes>> {
        match self {
            Self::Dense(read) => read.needed_sizes(context, cells),
            Self::Sparse(read) => read.needed_sizes(cells),
        }
    }

    /// Returns an upper bound of the bytes of a single value of the field `index`.
    pub(super) fn largest_value(&self, index: usize) -> Result<u64> {
        match self {
            Self::Dense(read) => read.largest_value(index),
            Self::Sparse(read) => read.largest_value(index),
        }
    }

    /// Returns the number of delivered cells.
    pub(super) fn position(&self) -> u64 {
        match self {
            Self::Dense(read) => read.position,
            Self::Sparse(read) => read.delivered_cells(),
        }
    }

    /// Continues at a position that another read of the same result has reached.
    pub(super) fn seek(&mut self, context: &Context, position: u64) -> Result<()> {
        match self {
            Self::Dense(read) => {
                read.seek(position);
                Ok(())
            }
            Self::Sparse(read) => read.seek(context, position),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Dense(read) => read.is_done(),
            Self::Sparse(read) => read.is_done(),
        }
    }
}

/// A write that has started.
#[derive(Debug)]
pub(super) enum WriteWork {
    Global(Box<GlobalWrite>),
    SparseGlobal(Box<SparseGlobalWrite>),
    Unordered(Box<UnorderedWrite>),
}

impl WriteWork {
    /// Returns whether a field was written completely.
    pub(super) fn has_written(&self, name: &str) -> bool {
        matches!(self, Self::Unordered(write) if write.has_written(name))
    }
}

/// A fragment that a query wrote.
#[derive(Clone, Debug)]
pub struct WrittenFragment {
    /// The URI of its folder.
    pub uri: Uri,
    /// The timestamp range.
    pub timestamps: TimeRange,
}

/// The submits of a read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Submits {
    pub(super) number: u64,
    /// The requests to storage.
    pub(super) requests: u64,
    /// The bytes that the requests read.
    pub(super) stored_bytes: u64,
    /// The bytes that were written to the buffers.
    pub(super) returned_bytes: u64,
}

impl Submits {
    /// Adds a submit that wrote these sizes. The requests to storage and their bytes are those of
    /// the context before and after.
    pub(super) fn add(&mut self, sizes: &[FieldSizes], before: (u64, u64), after: (u64, u64)) {
        self.number += 1;
        self.requests += after.0.saturating_sub(before.0);
        self.stored_bytes += after.1.saturating_sub(before.1);
        for sizes in sizes {
            let bytes = sizes
                .data
                .saturating_add(sizes.offsets)
                .saturating_add(sizes.validity);
            self.returned_bytes = self.returned_bytes.saturating_add(bytes);
        }
    }
}

/// The progress of a query, which its client returns to the server with the next submit.
#[derive(Clone, Debug)]
pub struct StrategyState {
    /// The reader or writer.
    pub kind: Strategy,
    /// The progress.
    pub progress: StrategyProgress,
    /// The state of a write in global order, if this library can continue it.
    pub write: Option<Arc<GlobalWriteState>>,
    /// The part of the message that contains it.
    pub message: Arc<[u8]>,
}

/// The reader or writer whose progress a message contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The reader of sparse arrays without an order of the result, or in global order.
    Index,
    /// The reader of dense arrays.
    Dense,
    /// The reader of sparse arrays in row-major and column-major order.
    Legacy,
    /// The writer in global order.
    GlobalWrite,
    /// The writer of unordered cells.
    UnorderedWrite,
}

/// The progress of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrategyProgress {
    /// Nothing was delivered or written.
    None,
    /// A read has delivered cells or values of labels.
    Delivered(ReadPosition),
    /// A query that only the server that started it can continue.
    Foreign,
}

/// The position at which a read continues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadPosition {
    /// The number of delivered cells.
    pub cells: u64,
    /// The number of delivered values of each label of the schema; empty if the read delivers no
    /// labels.
    pub label_values: Vec<u64>,
}
