//! A query: its settings, its submits, its state.

use std::sync::Arc;

use super::aggregate::{Aggregate, Output, check_output};
use super::buffers::{FieldBuffers, FieldCells, FieldSizes, OffsetsForm};
use super::condition::{BoundCondition, Condition};
use super::fields::{self, BufferKind, QUERY};
use super::read::{Asked, DenseRead};
use super::subarray::Subarray;
use super::write::{BoxWrite, GlobalWrite};
use crate::array::{Array, Snapshot};
use crate::config::Config;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fragment::FragmentWriter;
use crate::schema::ArraySchema;
use crate::space::Order;
use crate::stats::Stats;
use crate::types::{
    ArrayType, Layout, NdRange, QueryStatus, QueryType, StatusReason, TimeRange, Timestamp,
};
use crate::vfs::{Uri, Vfs};

/// A fragment that a query wrote.
#[derive(Clone, Debug)]
pub struct WrittenFragment {
    /// Its folder.
    pub uri: Uri,
    /// When it counts as written.
    pub timestamps: TimeRange,
}

/// A query on an open array.
#[derive(Debug)]
pub struct Query {
    pub(super) vfs: Arc<Vfs>,
    array: Arc<Array>,
    pub(super) snapshot: Arc<Snapshot>,
    query_type: QueryType,
    layout: Layout,
    subarray: Subarray,
    config: Config,
    status: QueryStatus,
    reason: StatusReason,
    has_results: bool,
    work: Work,
    pub(super) condition: Option<Arc<Condition>>,
    /// The aggregates, by the names of their results.
    pub(super) aggregates: Vec<(String, Aggregate)>,
    written: Vec<WrittenFragment>,
    /// What was counted and timed: "Query", and in it "Reader" or "Writer".
    stats: Stats,
    worker: Stats,
}

/// What a query has begun.
#[derive(Debug)]
enum Work {
    Nothing,
    Read {
        names: Vec<String>,
        read: Box<DenseRead>,
    },
    Write(Box<GlobalWrite>),
}

fn wrong(message: impl Into<String>) -> Error {
    Error::usage(QUERY, message)
}

/// The results of all aggregates, by name.
fn results_of<'a>(
    aggregates: &'a [(String, Aggregate)],
    read: &DenseRead,
    context: &Context,
    stats: &Stats,
) -> Result<Vec<(&'a str, Output<'a>)>> {
    if aggregates.is_empty() {
        return Ok(Vec::new());
    }
    let asked: Vec<&Aggregate> = aggregates.iter().map(|(_, aggregate)| aggregate).collect();
    let computed = read.aggregate(context, &asked, stats)?;
    let outputs = aggregates.iter().zip(computed);
    let outputs = outputs.map(|((name, aggregate), (value, valid))| {
        let output = Output {
            aggregate,
            value,
            valid,
        };
        (&name[..], output)
    });
    Ok(outputs.collect())
}

impl Query {
    /// A query on `array`, which must be open for `query_type`.
    pub fn new(array: &Arc<Array>, query_type: QueryType) -> Result<Self> {
        if !array.is_open() {
            return Err(Error::usage(
                "Error",
                "Cannot create query; Input array is not open",
            ));
        }
        let open_for = array.query_type();
        if open_for != query_type {
            return Err(Error::usage(
                "Error",
                format!(
                    "Cannot create query; Array query type does not match declared query type: ({} != {})",
                    open_for.name(),
                    query_type.name()
                ),
            ));
        }
        let snapshot = array.snapshot()?;
        let stats = array.vfs().context().stats().child("Query");
        let worker = stats.child(match query_type {
            QueryType::Read => "Reader",
            _ => "Writer",
        });
        let schema = &snapshot.schema;
        let layout = if schema.array_type == ArrayType::Dense {
            Layout::RowMajor
        } else {
            Layout::Unordered
        };
        Ok(Self {
            vfs: array.vfs().clone(),
            array: array.clone(),
            subarray: Subarray::new(schema),
            config: snapshot.config.clone(),
            snapshot,
            query_type,
            layout,
            status: QueryStatus::Uninitialized,
            reason: StatusReason::None,
            has_results: false,
            work: Work::Nothing,
            condition: None,
            aggregates: Vec::new(),
            written: Vec::new(),
            stats,
            worker,
        })
    }

    /// What the query does.
    pub fn query_type(&self) -> QueryType {
        self.query_type
    }

    /// The array it was made for.
    pub fn array(&self) -> &Arc<Array> {
        &self.array
    }

    /// The schema that its fields belong to.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.snapshot.schema
    }

    fn is_dense(&self) -> bool {
        self.schema().array_type == ArrayType::Dense
    }

    /// Whether a submit has begun the work.
    fn has_begun(&self) -> bool {
        !matches!(self.work, Work::Nothing)
    }

    /// The order of cells.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Sets the order of cells; before the first submit.
    pub fn set_layout(&mut self, layout: Layout) -> Result<()> {
        if layout == self.layout {
            return Ok(());
        }
        if self.has_begun() {
            return Err(wrong("Cannot set layout after initialization"));
        }
        if layout == Layout::Hilbert {
            return Err(wrong(
                "Cannot set layout; Hilbert order is not applicable to queries",
            ));
        }
        let ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
        if self.query_type == QueryType::Write {
            if self.is_dense() && layout == Layout::Unordered {
                return Err(wrong(
                    "Unordered writes are only possible for sparse arrays",
                ));
            }
            if !self.is_dense() && ordered {
                return Err(wrong(
                    "Row-major and column-major writes are only possible for dense arrays",
                ));
            }
        }
        self.layout = layout;
        Ok(())
    }

    /// What the query reads or writes.
    pub fn subarray(&self) -> &Subarray {
        &self.subarray
    }

    /// Sets what the query reads or writes; before the first submit.
    pub fn set_subarray(&mut self, subarray: &Subarray) -> Result<()> {
        if self.has_begun() {
            return Err(wrong(
                "[set_subarray] Setting a subarray on an already initialized  query is not supported.",
            ));
        }
        if self.query_type == QueryType::Write && !self.is_dense() {
            return Err(wrong(
                "[set_subarray] Setting a subarray is not supported on sparse writes.",
            ));
        }
        if !subarray.fits(self.schema()) {
            return Err(wrong(
                "[set_subarray] The subarray belongs to another array",
            ));
        }
        self.subarray = subarray.clone();
        Ok(())
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sets parameters for this query; before the first submit.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        if self.status != QueryStatus::Uninitialized {
            return Err(wrong(
                "[set_config] Cannot set config after initialization.",
            ));
        }
        self.config.inherit(config);
        self.subarray.set_config(config)
    }

    /// Whether a buffer may be asked for.
    pub fn check_buffer_known(&self, name: &str, kind: BufferKind) -> Result<()> {
        fields::check_buffer_known(self.schema(), name, kind)
    }

    /// Whether a buffer may be set.
    pub fn check_buffer(&self, name: &str, kind: BufferKind) -> Result<()> {
        if let Some(aggregate) = self.aggregate(name) {
            return fields::check_result_buffer(aggregate, name, kind);
        }
        fields::check_buffer(self.schema(), self.query_type, self.is_dense(), name, kind)?;
        if let Work::Read { names, .. } = &self.work
            && !names.iter().any(|known| known == name)
        {
            return Err(wrong(format!(
                "Cannot set buffer for new attribute/dimension '{name}' after initialization"
            )));
        }
        Ok(())
    }

    /// The form of offsets that a write takes.
    pub fn written_form(&self) -> Result<OffsetsForm> {
        OffsetsForm::from_config(&self.config, "WriterBase", "writer")
    }

    /// The state.
    pub fn status(&self) -> QueryStatus {
        self.status
    }

    /// Why the query is incomplete.
    pub fn reason(&self) -> StatusReason {
        self.reason
    }

    /// Whether the last submit delivered cells.
    pub fn has_results(&self) -> bool {
        self.has_results
    }

    /// The number of fragments written so far.
    pub fn written_num(&self) -> Result<u32> {
        if self.query_type != QueryType::Write {
            return Err(wrong(
                "Cannot get number of fragments; Applicable only to WRITE and MODIFY_EXCLUSIVE mode",
            ));
        }
        Ok(self.written.len() as u32)
    }

    /// A fragment that was written; `what` of it is asked for.
    pub fn written_fragment(&self, index: u64, what: &str) -> Result<&WrittenFragment> {
        if self.query_type != QueryType::Write {
            return Err(wrong(format!(
                "Cannot get {what}; Applicable only to WRITE and MODIFY_EXCLUSIVE mode"
            )));
        }
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| self.written.get(index));
        found.ok_or_else(|| wrong(format!("Cannot get {what}; Invalid fragment index")))
    }

    /// Errors unless [`Query::finalize`] has something to end.
    pub fn check_may_finalize(&self) -> Result<()> {
        if self.query_type != QueryType::Write || self.layout != Layout::GlobalOrder {
            return Err(Error::usage(
                "Query",
                "Failed to submit and finalize query; Call valid only in global_order writes.",
            ));
        }
        Ok(())
    }

    /// What was counted and timed, as JSON.
    pub fn stats(&self) -> String {
        self.stats.dump()
    }

    /// The number of fragments that hold cells of the subarray.
    pub fn relevant_fragment_num(&self) -> u64 {
        self.snapshot.fragments.len() as u64
    }

    /// Errors unless the array is still open for what the query does.
    fn check_open(&self) -> Result<()> {
        let wrong_state = |message: String| Err(Error::usage("Query", message));
        if !self.array.is_open() {
            return wrong_state("Cannot init query; The associated array is not open".into());
        }
        let open_for = self.array.query_type();
        if open_for != self.query_type {
            return wrong_state(format!(
                "Cannot init query; Associated array query type does not match query type: ({} != {})",
                open_for.name(),
                self.query_type.name()
            ));
        }
        if !self.is_dense() {
            return Err(wrong("Queries on sparse arrays are not implemented yet"));
        }
        Ok(())
    }

    /// Reads as much as fits the buffers. The answers are in their order; there are none once the read is complete.
    pub fn read(&mut self, buffers: &mut [FieldBuffers<'_>]) -> Result<Vec<FieldSizes>> {
        let read = self.try_read(buffers);
        if read.is_err() && self.has_begun() {
            self.status = QueryStatus::Failed;
        }
        read
    }

    fn try_read(&mut self, buffers: &mut [FieldBuffers<'_>]) -> Result<Vec<FieldSizes>> {
        self.check_open()?;
        let is_result = |field: &FieldBuffers<'_>| self.aggregate(field.name).is_some();
        let results: Vec<bool> = buffers.iter().map(is_result).collect();
        for (field, _) in buffers.iter().zip(&results).filter(|(_, result)| !**result) {
            let (data, offsets) = (field.data.is_some(), field.offsets.is_some());
            fields::check_complete(
                self.schema(),
                field.name,
                data,
                offsets,
                field.validity.is_some(),
            )?;
        }
        if !self.has_begun() {
            self.check_results(buffers)?;
            let cells = buffers.iter().zip(&results).filter(|(_, result)| !**result);
            let names: Vec<&str> = cells.map(|(field, _)| field.name).collect();
            self.begin_read(&names)?;
        }
        let Work::Read { read, names } = &mut self.work else {
            return Err(wrong("Query was not begun as a read"));
        };
        self.has_results = false;
        if self.status == QueryStatus::Completed {
            return Ok(Vec::new());
        }
        let mut cells: Vec<FieldBuffers<'_>> = buffers
            .iter_mut()
            .zip(&results)
            .filter(|(_, result)| !**result)
            .map(|(field, _)| field.reborrow())
            .collect();
        let (context, worker) = (self.vfs.context(), &self.worker);
        let timer = worker.timer("dowork");
        let delivered = match names.is_empty() {
            true => Vec::new(),
            false => read.step(context, &mut cells, worker)?,
        };
        let done = names.is_empty() || read.is_done();
        let computed = match done {
            true => results_of(&self.aggregates, read, context, worker)?,
            false => Vec::new(),
        };
        drop(timer);
        self.has_results = delivered
            .iter()
            .any(|sizes| sizes.data > 0 || sizes.offsets > 0);
        let mut delivered = delivered.into_iter();
        let mut sizes = Vec::with_capacity(buffers.len());
        for (field, result) in buffers.iter_mut().zip(results) {
            let output = computed
                .iter()
                .find(|(name, _)| result && *name == field.name);
            sizes.push(match (result, output) {
                (false, _) => delivered.next().unwrap_or_default(),
                (true, Some((_, output))) => output.put(field)?,
                // Results come with the last cells; until then their sizes stay.
                (true, None) => field.sizes(),
            });
        }
        (self.status, self.reason) = match done {
            true => (QueryStatus::Completed, StatusReason::None),
            false => (QueryStatus::Incomplete, StatusReason::UserBufferSize),
        };
        Ok(sizes)
    }

    /// How many bytes a read delivers for a field, all submits together. The caller says what kind of field it takes it
    /// for.
    pub fn estimate(&self, name: &str, var: bool, nullable: bool) -> Result<FieldSizes> {
        fields::check_estimate(self.schema(), name, var, nullable)?;
        if self.query_type != QueryType::Read {
            let message =
                "query estimated result size: operation currently supported only for read queries";
            return Err(Error::usage("Query", message));
        }
        self.check_open()?;
        // The order does not matter here, and several ranges are fine in this one.
        self.plan(Layout::RowMajor, &[name], None)?.estimate()
    }

    fn count_fields<'a>(&self, names: impl Iterator<Item = &'a str>) {
        for shape in names.filter_map(|name| fields::shape_of(self.schema(), name)) {
            let counter = if shape.dimension {
                "dim_num"
            } else {
                "attr_num"
            };
            self.worker.add(counter, 1);
            let counter = if shape.var {
                "attr_var_num"
            } else {
                "attr_fixed_num"
            };
            self.worker.add(counter, u64::from(!shape.dimension));
            self.worker
                .add("attr_nullable_num", u64::from(shape.nullable));
        }
    }

    fn plan(
        &self,
        layout: Layout,
        names: &[&str],
        condition: Option<BoundCondition>,
    ) -> Result<DenseRead> {
        let selected_only = self.config.flag("sm.query.dense.qc_coords_mode")?;
        let asked = Asked {
            subarray: &self.subarray,
            layout,
            names,
            form: OffsetsForm::from_config(&self.config, "DenseReader", "reader")?,
            selected_only: selected_only && condition.is_some(),
            condition,
        };
        let snapshot = &self.snapshot;
        DenseRead::new(
            self.vfs.context(),
            &snapshot.schema,
            &snapshot.fragments,
            asked,
        )
    }

    /// Errors unless each result of an aggregate has the buffers that it needs.
    fn check_results(&self, buffers: &[FieldBuffers<'_>]) -> Result<()> {
        self.aggregates.iter().try_for_each(|(name, aggregate)| {
            let found = buffers.iter().find(|buffers| buffers.name == name);
            check_output(aggregate, found)
        })
    }

    fn begin_read(&mut self, names: &[&str]) -> Result<()> {
        if names.is_empty() && self.aggregates.is_empty() {
            return Err(Error::usage(
                "DenseReader",
                "Cannot initialize dense reader; Buffers not set",
            ));
        }
        if !self.subarray.is_set() {
            return Err(Error::usage(
                "DenseReader",
                "Cannot initialize reader; Dense reads must have a subarray set",
            ));
        }
        if self.condition.is_none() && self.config.flag("sm.query.dense.qc_coords_mode")? {
            let message = "sm.query.dense.qc_coords_mode requires a query condition";
            return Err(Error::usage("DenseReader", message));
        }
        self.check_current_domain()?;
        self.count_fields(names.iter().copied());
        let condition = self.bound_condition().inspect_err(|_| {
            self.status = QueryStatus::Failed;
        })?;
        let read = self.plan(self.layout, names, condition)?;
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        self.work = Work::Read {
            names,
            read: Box::new(read),
        };
        Ok(())
    }

    /// Writes the cells of the buffers.
    pub fn write(&mut self, cells: &[FieldCells<'_>]) -> Result<()> {
        let worker = self.worker.clone();
        let _timer = worker.timer("dowork");
        self.count_fields(cells.iter().map(|field| field.name));
        self.try_write(cells)
    }

    fn try_write(&mut self, cells: &[FieldCells<'_>]) -> Result<()> {
        self.check_open()?;
        for field in cells {
            let (data, offsets) = (field.data.is_some(), field.offsets.is_some());
            fields::check_complete(
                self.schema(),
                field.name,
                data,
                offsets,
                field.validity.is_some(),
            )?;
        }
        let form = self.written_form()?;
        let ranges = self.subarray.single().ok_or_else(|| {
            Error::usage(
                "WriterBase",
                "Cannot initialize writer; Multi-range dense writes are not supported",
            )
        })?;
        match self.layout {
            Layout::RowMajor => self.write_ordered(&ranges, Order::RowMajor, cells, form)?,
            Layout::ColMajor => self.write_ordered(&ranges, Order::ColMajor, cells, form)?,
            Layout::GlobalOrder => {
                if !self.has_begun() {
                    let make = || self.new_fragment();
                    let begun = GlobalWrite::begin(
                        self.schema(),
                        &ranges,
                        self.snapshot.key.as_ref(),
                        make,
                    )?;
                    self.work = Work::Write(Box::new(begun));
                }
                if let Work::Write(write) = &mut self.work
                    && let Err(error) = write.submit(&self.vfs, cells, form)
                {
                    // What it wrote goes with it.
                    self.work = Work::Nothing;
                    self.status = QueryStatus::Failed;
                    return Err(error);
                }
                self.status = QueryStatus::InProgress;
                return Ok(());
            }
            Layout::Unordered | Layout::Hilbert => {
                return Err(wrong(
                    "Unordered writes are only possible for sparse arrays",
                ));
            }
        }
        self.status = QueryStatus::Completed;
        Ok(())
    }

    fn write_ordered(
        &mut self,
        ranges: &NdRange,
        order: Order,
        cells: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let of = BoxWrite {
            schema: self.schema(),
            ranges,
            order,
            key: self.snapshot.key.as_ref(),
        };
        let writer = of.write(&self.vfs, cells, form, || self.new_fragment())?;
        let timestamps = writer.name().timestamps();
        let uri = writer.finish()?;
        self.written.push(WrittenFragment { uri, timestamps });
        Ok(())
    }

    fn new_fragment(&self) -> Result<FragmentWriter> {
        let snapshot = &self.snapshot;
        let timestamp = self.write_timestamp();
        FragmentWriter::create(
            &self.vfs,
            &snapshot.uri,
            &snapshot.schema,
            true,
            timestamp,
            snapshot.key.as_ref(),
        )
    }

    /// The time that the array was opened at for writing; `None` is the time of the write.
    fn write_timestamp(&self) -> Option<Timestamp> {
        Some(self.snapshot.timestamps.end).filter(|end| *end != 0 && *end != Timestamp::MAX)
    }

    /// Ends a write in global order; nothing for other queries.
    pub fn finalize(&mut self) -> Result<()> {
        if let Work::Write(_) = self.work
            && let Work::Write(write) = std::mem::replace(&mut self.work, Work::Nothing)
        {
            let timestamps = write.timestamps();
            self.status = QueryStatus::Failed;
            if let Some(uri) = write.finish()? {
                self.written.push(WrittenFragment { uri, timestamps });
            }
        }
        if self.status != QueryStatus::Uninitialized {
            self.status = QueryStatus::Completed;
        }
        Ok(())
    }
}
