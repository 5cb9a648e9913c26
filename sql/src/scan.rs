//! The physical plan of a read of an array.

use std::fmt::{self, Write};
use std::sync::Arc;

use datafusion::arrow::array::{
    Array as _, ArrayRef, AsArray, DictionaryArray, RecordBatch, RecordBatchOptions, UInt64Array,
    downcast_integer_array,
};
use datafusion::arrow::compute::{SortOptions, TakeOptions, cast, filter_record_batch, take};
use datafusion::arrow::datatypes::{DataType, Schema, SchemaRef};
use datafusion::common::cast::as_boolean_array;
use datafusion::common::config::ConfigOptions;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ColumnStatistics, ScalarValue, SplitPoint, Statistics, internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use datafusion::physical_expr::{
    EquivalenceProperties, LexOrdering, PhysicalExpr, PhysicalSortExpr, RangePartitioning,
};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation, PushedDown,
};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::{
    RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter,
};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties, StatisticsArgs,
};
use futures::TryStreamExt;
use tiledb_engine::{Array, Condition, Layout, ReadQuery, Scalar, TimeRange};
use tokio::sync::mpsc::Sender;

use crate::error::{engine_error, usage_error};
use crate::field::{FieldInfo, FieldKind, label_values};
use crate::partitions::{Part, Parts, Ranges, subarray};
use crate::predicate::{Selection, Translator};
use crate::ranges::{Interval, RangeSet, compare};
use crate::write::stored_integers;

/// The bytes that a read of the engine delivers at once. Buffers of this size stay in the engine's
/// pool between queries; of larger ones, each query touches the pages anew.
const READ_BYTES: usize = 2 << 20;
/// The bytes of batches of DataFusion that a partition passes to the thread of the query at once.
const SENT_BYTES: usize = 1 << 20;
/// The times that it does so ahead.
const BATCHES_AHEAD: usize = 2;
/// The most rows of a batch without columns.
const ROWS_WITHOUT_COLUMNS: usize = 1 << 20;
/// The parameter of the memory of all reads.
pub(crate) const BUDGET: &str = "sm.mem.total_budget";
/// The least memory of a partition, if the budget of the engine has as much.
const MIN_BUDGET: u64 = 64 << 20;

/// An array, opened for a query.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) array: Array,
    /// The timestamps of the writes that are read.
    pub(crate) timestamps: TimeRange,
    /// All fields of the table.
    pub(crate) fields: Arc<[FieldInfo]>,
    /// Whether cells of a dense array that were not written are rows.
    pub(crate) unwritten_cells: bool,
    /// Whether columns of enumerations of texts are dictionaries.
    #[cfg(feature = "proto")]
    pub(crate) dictionaries: bool,
    /// A random number of the plan. A process that executes parts of it opens the array once.
    #[cfg(feature = "proto")]
    pub(crate) plan: u64,
}

impl Source {
    fn error(&self, error: tiledb_engine::Error) -> DataFusionError {
        engine_error(self.array.uri(), error)
    }

    #[cfg(feature = "proto")]
    pub(crate) fn field_names(&self) -> Vec<String> {
        let names = self.fields.iter().map(FieldInfo::name);
        names.map(str::to_owned).collect()
    }

    /// Returns the index of the dimension whose label a column is.
    fn labelled(&self, column: &str) -> Result<Option<usize>> {
        let schema = self.array.schema().map_err(|error| self.error(error))?;
        let found = schema.labels().find(|(label, _)| *label == column);
        let position = |name: &str| {
            let mut dimensions = schema.dimensions().iter();
            dimensions.position(|dimension| dimension.name == name)
        };
        Ok(found.and_then(|(_, dimension)| position(dimension)))
    }

    /// Returns the texts of the enumeration of a field, if predicates can be evaluated for each of
    /// them: as views, or as those of a dictionary.
    fn texts(&self, name: &str) -> Option<&ArrayRef> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        match &field.kind {
            FieldKind::Enumeration { values }
                if matches!(values.data_type(), DataType::Utf8View | DataType::LargeUtf8) =>
            {
                Some(values)
            }
            _ => None,
        }
    }

    fn dimension_names(&self) -> Result<Vec<String>> {
        let schema = self.array.schema().map_err(|error| self.error(error))?;
        let dimensions = schema.dimensions().iter();
        Ok(dimensions.map(|dimension| dimension.name.clone()).collect())
    }
}

/// The physical plan that reads an array: fields, ranges and a condition, in partitions.
#[derive(Clone, Debug)]
pub struct TileDbScan {
    pub(crate) source: Source,
    /// The columns that are delivered.
    pub(crate) columns: SchemaRef,
    pub(crate) selection: Selection,
    pub(crate) parts: Arc<Parts>,
    pub(crate) limit: Option<usize>,
    /// Predicates whose values become known while the query runs. Rows that do not satisfy them may
    /// be delivered.
    dynamic: Vec<Arc<dyn PhysicalExpr>>,
    /// Whether the rows of a partition are in the order of the dimensions.
    pub(crate) is_ordered: bool,
    /// The parts that are read at the same time.
    pub(crate) concurrent: usize,
    /// Whether one partition delivers the rows of all parts.
    pub(crate) is_merged: bool,
    /// The least and the greatest value of each column before a condition, if known.
    pub(crate) bounds: Vec<Option<(ScalarValue, ScalarValue)>>,
    cell_bytes: u64,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl TileDbScan {
    pub(crate) fn new(
        source: Source,
        columns: SchemaRef,
        selection: Selection,
        parts: Parts,
        limit: Option<usize>,
    ) -> Result<Self> {
        let names = source.dimension_names()?;
        let schema = source.array.schema().map_err(|error| source.error(error))?;
        let has_real = schema
            .dimensions()
            .iter()
            .any(|dimension| dimension.datatype.is_real());
        let is_sorted = if schema.is_dense() {
            parts.parts.iter().all(|part| part.boxes.len() <= 1)
        } else {
            // Row-major order costs nothing in one dimension. SQL distinguishes zeros by sign.
            names.len() == 1 && !has_real
        };
        let mut properties = EquivalenceProperties::new(columns.clone());
        let options = SortOptions {
            descending: false,
            nulls_first: false,
        };
        // The order of the first dimensions is known if they are delivered.
        let positions = names.iter().map_while(|name| {
            let index = columns.index_of(name).ok()?;
            let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(name, index));
            Some(PhysicalSortExpr::new(column, options))
        });
        let order: Vec<_> = positions.collect();
        let first = order.first().cloned();
        if is_sorted && !order.is_empty() {
            properties.add_ordering(order);
        }
        let partitions = match first.filter(|_| !has_real) {
            Some(first) => range_partitioning(first, &source, &parts)?,
            None => None,
        };
        let partitions = partitions
            .unwrap_or_else(|| Partitioning::UnknownPartitioning(parts.parts.len().max(1)));
        let properties = PlanProperties::new(
            properties,
            partitions,
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            cell_bytes: cell_bytes(&columns),
            concurrent: parts.parts.len().max(1),
            is_merged: false,
            bounds: vec![None; columns.fields().len()],
            source,
            columns,
            selection,
            parts: Arc::new(parts),
            limit,
            dynamic: Vec::new(),
            is_ordered: is_sorted,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }

    /// Returns the texts of the enumeration of each column of which the scan can deliver indexes
    /// instead, because no predicate that it evaluates needs the texts, and the columns with the
    /// datatypes of these indexes. Columns that are dictionaries are among them if
    /// `dictionaries` is set.
    fn indexed_columns(&self, dictionaries: bool) -> Result<(Vec<Option<ArrayRef>>, SchemaRef)> {
        let mut texts = vec![None; self.columns.fields().len()];
        if !self.dynamic.is_empty() {
            return Ok((texts, self.columns.clone()));
        }
        let schema = self.source.array.schema();
        let stored = schema.and_then(|schema| schema.arrow_schema());
        let stored = stored.map_err(|error| self.source.error(error))?;
        let mut columns = Vec::new();
        for (field, texts) in self.columns.fields().iter().zip(&mut texts) {
            columns.push(field.clone());
            let mut filters = self.selection.filters.iter().map(collect_columns);
            let is_filtered =
                filters.any(|used| used.iter().any(|used| used.name() == field.name()));
            let is_text = match field.data_type() {
                DataType::Utf8View => true,
                DataType::Dictionary(..) => dictionaries,
                _ => false,
            };
            if !is_text || is_filtered {
                continue;
            }
            let Some(found) = self.source.texts(field.name()) else {
                continue;
            };
            let dictionary = stored.field_with_name(field.name())?.data_type();
            let (DataType::Dictionary(index, _), Some(column)) = (dictionary, columns.last_mut())
            else {
                continue;
            };
            let indexes = field
                .as_ref()
                .clone()
                .with_data_type(index.as_ref().clone());
            *column = Arc::new(indexes);
            *texts = Some(found.clone());
        }
        Ok((texts, Arc::new(Schema::new(columns))))
    }

    /// Returns the scan with the indexes of an enumeration of texts in a column, and the texts;
    /// `None` for other columns, and if the texts are needed.
    pub(crate) fn with_indexes(&self, column: usize) -> Result<Option<(Self, ArrayRef)>> {
        let (mut texts, indexed) = self.indexed_columns(true)?;
        let Some(texts) = texts.get_mut(column).and_then(Option::take) else {
            return Ok(None);
        };
        let mut columns = self.columns.fields().to_vec();
        columns[column] = indexed.fields()[column].clone();
        let columns = Arc::new(Schema::new(columns));
        let mut scan = self.replaced(columns, self.parts.as_ref().clone())?;
        scan.bounds[column] = None;
        Ok(Some((scan, texts)))
    }

    /// Returns the scan with other columns or parts.
    fn replaced(&self, columns: SchemaRef, parts: Parts) -> Result<Self> {
        let (source, selection) = (self.source.clone(), self.selection.clone());
        Ok(Self {
            bounds: self.bounds.clone(),
            dynamic: self.dynamic.clone(),
            ..Self::new(source, columns, selection, parts, self.limit)?
        })
    }

    /// Returns the scan in parts that end where those of another scan end, so that rows with equal
    /// values of the first dimension have the same partition of both. A tile at an end is read for
    /// two parts. `None` if one of the scans is not in ranges of its first dimension, or if these
    /// dimensions are no integers or times of one datatype.
    pub(crate) fn aligned_with(&self, other: &Self) -> Result<Option<Self>> {
        let ranges = (
            &self.properties.partitioning,
            &other.properties.partitioning,
        );
        let (Partitioning::Range(own), Partitioning::Range(others)) = ranges else {
            return Ok(None);
        };
        let datatype = |scan: &Self| {
            let schema = scan.source.array.schema();
            let schema = schema.map_err(|error| scan.source.error(error))?;
            Ok::<_, DataFusionError>(schema.dimensions().first().map(|first| first.datatype))
        };
        let starts = other.parts.parts.iter().map(Part::start);
        let Some(starts) = starts.collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        if self.limit.is_some() || datatype(self)? != datatype(other)? {
            return Ok(None);
        }
        let parts = self.parts.cut_at(starts.get(1..).unwrap_or_default());
        let scan = self.replaced(self.columns.clone(), parts)?;
        let points = others.split_points().to_vec();
        let partitioning = RangePartitioning::try_new(own.ordering().clone(), points)?;
        let properties = scan.properties.as_ref().clone();
        let properties = properties.with_partitioning(Partitioning::Range(partitioning));
        Ok(Some(Self {
            properties: Arc::new(properties),
            ..scan
        }))
    }

    /// Returns the scan with one partition, which delivers the rows of all parts in any order as
    /// they are read. `CoalescePartitionsExec` wakes another thread for each batch: 1,750 times
    /// instead of 150, and 1.2 times the CPU time, for a column of 8,000,000 rows.
    pub(crate) fn merged(&self) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(self.columns.clone()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Self {
            is_merged: true,
            properties: Arc::new(properties),
            ..self.clone()
        }
    }

    /// Returns the URI of the array.
    pub fn uri(&self) -> &str {
        self.source.array.uri()
    }

    /// Returns the timestamps of the writes that are read.
    pub fn timestamps(&self) -> TimeRange {
        self.source.timestamps
    }

    /// Returns the number of rows that were delivered, of all executions of the plan.
    pub fn delivered_rows(&self) -> u64 {
        let rows = self.metrics.clone_inner().output_rows();
        rows.unwrap_or(0) as u64
    }

    /// Returns the number of cells that are read: of sparse arrays at least those of the result.
    pub fn cells(&self) -> u64 {
        let cells = self.parts.parts.iter().map(|part| part.cells);
        cells.fold(0, u64::saturating_add)
    }

    /// Returns whether aggregates of the engine are those of the rows: unwritten cells have no part
    /// in them.
    pub(crate) fn can_aggregate(&self) -> bool {
        let columns = self.columns.fields().iter();
        let mut labels = columns.map(|column| self.source.labelled(column.name()));
        labels.all(|label| matches!(label, Ok(None)))
            && self.dynamic.is_empty()
            && !(self.is_dense() && self.source.unwritten_cells)
    }

    /// Returns the column of the first dimension, if the partitions are ranges of it.
    pub(crate) fn first_dimension(&self) -> Option<usize> {
        let Partitioning::Range(ranges) = &self.properties.partitioning else {
            return None;
        };
        let column = ranges.ordering().first().expr.downcast_ref::<Column>();
        column.map(Column::index)
    }

    /// Returns the number of boxes that are read one by one.
    pub(crate) fn box_num(&self) -> usize {
        self.parts.parts.iter().map(|part| part.boxes.len()).sum()
    }

    /// Returns Arrow's number for a stored 1, of fields of integers and times.
    pub(crate) fn factor(&self, name: &str) -> Option<i128> {
        self.source
            .fields
            .iter()
            .find_map(|field| field.factor_of(name))
    }

    /// Returns whether all fragments store a field. Aggregates of the engine skip the cells of
    /// other fragments, and rows have the fill value of an attribute that was added later.
    pub(crate) fn is_stored(&self, name: &str) -> bool {
        let array = &self.source.array;
        let is_attribute = array
            .schema()
            .is_ok_and(|schema| schema.attribute(name).is_some());
        !is_attribute
            || array.fragments().is_ok_and(|fragments| {
                fragments
                    .iter()
                    .all(|fragment| fragment.has_attribute(name))
            })
    }

    pub(crate) fn is_dense(&self) -> bool {
        self.source
            .array
            .schema()
            .is_ok_and(|schema| schema.is_dense())
    }

    /// Returns the query of the cells in a box.
    pub(crate) fn query(&self, ranges: &Ranges, selection: &Selection) -> Result<ReadQuery> {
        let names = self.source.dimension_names()?;
        let mut query = self.source.array.query();
        query = query.subarray(subarray(ranges, names.iter().map(String::as_str)));
        if let Some(condition) = &selection.condition {
            let condition =
                Condition::parse(condition).map_err(|error| self.source.error(error))?;
            query = query.condition(condition);
        }
        let layout = if self.is_ordered {
            Layout::RowMajor
        } else {
            Layout::Unordered
        };
        if !self.is_dense() || self.is_ordered {
            query = query.layout(layout);
        }
        let budget = self.source.array.context().config().get(BUDGET);
        if let Some(budget) = budget.and_then(|budget| budget.parse::<u64>().ok()) {
            let share = budget / self.concurrent as u64;
            query = query.memory_budget(share.max(MIN_BUDGET.min(budget)));
        }
        Ok(query)
    }

    /// Returns the selection with what is known of the values of other tables.
    fn narrowed(&self) -> Selection {
        if self.dynamic.is_empty() {
            return self.selection.clone();
        }
        let dimensions = self.selection.ranges.len();
        let is_dense = self.is_dense();
        let translator = Translator::new(&self.source.fields, dimensions, is_dense);
        let mut known = translator.select(&self.dynamic);
        if is_dense {
            // The columns of other tables' values need not be delivered.
            known = known.without_condition();
        }
        self.selection.clone().and(known)
    }

    /// Returns the statistics of a part, or of all.
    fn part_statistics(&self, part: Option<&Part>) -> Statistics {
        let cells = part.map_or_else(|| self.cells(), |part| part.cells);
        let rows = usize::try_from(cells).unwrap_or(usize::MAX);
        let bytes = cells.saturating_mul(self.cell_bytes);
        let bytes = Precision::Inexact(usize::try_from(bytes).unwrap_or(usize::MAX));
        let limited = self.limit.map_or(rows, |limit| rows.min(limit));
        let is_exact = self.is_dense()
            && i64::try_from(cells).is_ok()
            && self.limit.is_none()
            && self.dynamic.is_empty()
            && self.selection.condition.is_none();
        let num_rows = if is_exact {
            Precision::Exact(rows)
        } else {
            Precision::Inexact(limited)
        };
        let columns = self.columns.fields().iter().zip(&self.bounds);
        let column_statistics = columns.map(|(field, bounds)| {
            let null_count = if field.is_nullable() {
                Precision::Absent
            } else {
                Precision::Exact(0)
            };
            // Cells may be deleted, replaced or left out.
            let (low, high) = bounds.clone().unzip();
            let inexact = |value: Option<_>| value.map_or(Precision::Absent, Precision::Inexact);
            ColumnStatistics {
                null_count,
                min_value: inexact(low),
                max_value: inexact(high),
                ..ColumnStatistics::new_unknown()
            }
        });
        Statistics {
            num_rows,
            total_byte_size: bytes,
            column_statistics: column_statistics.collect(),
        }
    }

    /// Returns the bytes of a batch with these fields: of a sparse array those of whole tiles,
    /// which the engine decodes in their place, if cells have a fixed size. Otherwise tiles that do
    /// not fit are copied, which takes 13 % of the CPU time of four columns of 8,000,000 rows.
    fn batch_bytes(&self, fields: &[String]) -> Result<usize> {
        let schema = self.source.array.schema();
        let schema = schema.map_err(|error| self.source.error(error))?;
        let mut sizes = fields.iter().map(|name| {
            if let Some(attribute) = schema.attribute(name) {
                let validity = u64::from(attribute.nullable);
                let has_size = !attribute.is_var();
                return has_size.then(|| attribute.cell_size().saturating_add(validity));
            }
            let dimension = schema.dimension(name)?;
            (!dimension.is_var()).then(|| dimension.cell_size())
        });
        let cell = sizes.try_fold(0, |sum: u64, size| Some(sum.saturating_add(size?)));
        let cell = cell.filter(|_| !schema.is_dense());
        let tile = cell.map_or(0, |cell| cell.saturating_mul(schema.capacity()));
        let tiles = (READ_BYTES as u64).checked_div(tile).unwrap_or(0);
        Ok(match tiles {
            0 => READ_BYTES,
            tiles => (tiles * tile) as usize,
        })
    }

    /// Reads a partition on the calling thread, until the receiver is dropped.
    fn read(
        &self,
        part: &Part,
        rows_at_once: usize,
        metrics: &BaselineMetrics,
        sender: &Sender<Result<RecordBatch>>,
    ) -> Result<()> {
        let selection = self.narrowed();
        let filters = selection.filters.iter();
        let filters = filters.map(|filter| reassign_expr_columns(filter.clone(), &self.columns));
        let filters: Vec<_> = filters.collect::<Result<_>>()?;
        let mut left = self.limit.unwrap_or(usize::MAX);
        for ranges in &part.boxes {
            let Some(ranges) = inside(ranges, &selection) else {
                continue;
            };
            let query = self.query(&ranges, &selection)?;
            if self.columns.fields().is_empty() {
                let rows = query.count().map_err(|error| self.source.error(error))?;
                let rows = usize::try_from(rows).unwrap_or(usize::MAX).min(left);
                let options = RecordBatchOptions::new().with_row_count(Some(rows));
                let batch =
                    RecordBatch::try_new_with_options(self.columns.clone(), Vec::new(), &options)?;
                left -= rows;
                metrics.record_output(rows);
                if sender.blocking_send(Ok(batch)).is_err() || left == 0 {
                    return Ok(());
                }
                continue;
            }
            let mut columns = ReadColumns::new(self, &ranges)?;
            let bytes = match self.limit {
                Some(limit) if selection.condition.is_none() => limit
                    .saturating_mul(self.cell_bytes as usize)
                    .clamp(1 << 10, READ_BYTES),
                _ => self.batch_bytes(&columns.names)?,
            };
            let query = query.fields(&columns.names).indexes(&columns.indexed);
            let query = query.batch_bytes(bytes);
            let batches = query.record_batches();
            let mut batches = batches.map_err(|error| self.source.error(error))?;
            while let Some(batch) = batches.next_batch() {
                let batch = batch.map_err(|error| self.source.error(error))?;
                for slice in slices(&batch, rows_at_once) {
                    let slice = filtered(columns.delivered(self, &slice)?, &filters)?;
                    let rows = slice.num_rows().min(left);
                    metrics.record_output(rows);
                    // A batch without rows would only wake the thread of the query.
                    let is_wanted = match rows {
                        0 => !sender.is_closed(),
                        _ => sender.blocking_send(Ok(slice.slice(0, rows))).is_ok(),
                    };
                    left -= rows;
                    if !is_wanted || left == 0 {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the partitioning by ranges of the first dimension, which `key` is; `None` if the parts
/// are not in its order or share values of it. Rows with equal values of it are then in one
/// partition, so that grouping by it needs no exchange of rows.
fn range_partitioning(
    key: PhysicalSortExpr,
    source: &Source,
    parts: &Parts,
) -> Result<Option<Partitioning>> {
    let Some(field) = source
        .fields
        .iter()
        .find(|field| field.dimension == Some(0))
    else {
        return Ok(None);
    };
    let mut starts = Vec::new();
    let mut last: Option<&Scalar> = None;
    for part in &parts.parts {
        let bounds = || part.boxes.iter().filter_map(|ranges| ranges.first());
        let low = bounds().filter_map(|ranges| Some(&ranges.first()?.0));
        let high = bounds().filter_map(|ranges| Some(&ranges.last()?.1));
        let low = low.min_by(|left, right| compare(left, right));
        let high = high.max_by(|left, right| compare(left, right));
        let (Some(low), Some(high)) = (low, high) else {
            return Ok(None);
        };
        if let Some(last) = last {
            if compare(last, low).is_ge() {
                return Ok(None);
            }
            let Some(start) = field.value_of(low.clone()) else {
                return Ok(None);
            };
            starts.push(SplitPoint::new(vec![start]));
        }
        last = Some(high);
    }
    let key = LexOrdering::new([key]).filter(|_| !starts.is_empty());
    key.map(|key| RangePartitioning::try_new(key, starts).map(Partitioning::Range))
        .transpose()
}

/// Divides a batch into slices with at most `rows` rows; one without columns into larger ones, as
/// aggregates such as `count(1)` need memory for each row.
fn slices(batch: &RecordBatch, rows: usize) -> impl Iterator<Item = RecordBatch> + use<> {
    let (batch, all) = (batch.clone(), batch.num_rows());
    let step = if batch.num_columns() == 0 {
        ROWS_WITHOUT_COLUMNS
    } else {
        rows
    };
    let starts = (0..all).step_by(step);
    starts.map(move |start| batch.slice(start, step.min(all - start)))
}

/// Returns a batch with the texts of indexes. `texts` has those of each column, and `columns` are
/// the columns with texts.
fn with_texts(
    batch: RecordBatch,
    texts: &[Option<ArrayRef>],
    columns: &SchemaRef,
) -> Result<RecordBatch> {
    if texts.iter().all(Option::is_none) {
        return Ok(batch);
    }
    let delivered = batch.columns().iter().zip(texts);
    let delivered = delivered.map(|(column, texts)| match texts {
        Some(texts) => take(texts, column, None),
        None => Ok(column.clone()),
    });
    let delivered = delivered.collect::<std::result::Result<_, _>>()?;
    Ok(RecordBatch::try_new(columns.clone(), delivered)?)
}

/// Returns the dictionary of texts and of indexes, each of which has a text or is null. All
/// dictionaries of the texts share them: Arrow compares and copies others.
pub(crate) fn dictionary_of(indexes: &ArrayRef, texts: &ArrayRef) -> Result<ArrayRef> {
    // `ArrayDataBuilder::build`, which validates the texts, too, takes twice the time.
    Ok(downcast_integer_array!(
        indexes => Arc::new(DictionaryArray::try_new(indexes.clone(), texts.clone())?) as ArrayRef,
        other => return internal_err!("{other} is not the type of indexes")
    ))
}

/// Returns the rows for which all predicates are true.
fn filtered(mut batch: RecordBatch, filters: &[Arc<dyn PhysicalExpr>]) -> Result<RecordBatch> {
    for filter in filters {
        let selected = filter.evaluate(&batch)?.into_array(batch.num_rows())?;
        batch = filter_record_batch(&batch, as_boolean_array(&selected)?)?;
    }
    Ok(batch)
}

/// The fields that the engine reads for the columns of a scan in a box.
struct ReadColumns {
    names: Vec<String>,
    /// Those of which indexes of known texts are read.
    indexed: Vec<String>,
    /// For each column of the scan, its position in the names, or that of a dimension with the
    /// first index, and the label for each index from there.
    sources: Vec<(usize, Option<(i128, ArrayRef)>)>,
    /// For each column of the scan, the texts of its enumeration. Views that are not known before
    /// are those of the texts of the first batch.
    texts: Vec<Option<ArrayRef>>,
}

impl ReadColumns {
    fn new(scan: &TileDbScan, ranges: &Ranges) -> Result<Self> {
        let dimensions = scan.source.dimension_names()?;
        let mut columns = Self {
            names: Vec::new(),
            indexed: Vec::new(),
            sources: Vec::new(),
            texts: Vec::new(),
        };
        for field in scan.columns.fields() {
            let name = field.name();
            let texts = scan.source.texts(name).cloned();
            if texts.is_some() {
                columns.indexed.push(name.clone());
            }
            columns.texts.push(texts);
            let Some(dimension) = scan.source.labelled(name)? else {
                let position = columns.position(name);
                columns.sources.push((position, None));
                continue;
            };
            // Labels are read by index: a read of cells has none of them.
            let bounds = ranges.get(dimension).and_then(|ranges| {
                let (low, high) = (&ranges.first()?.0, &ranges.last()?.1);
                match (low, high) {
                    (Scalar::Integer(low), Scalar::Integer(high)) => Some((*low, *high)),
                    _ => None,
                }
            });
            let (low, high) = bounds.unwrap_or((0, 0));
            let values = label_values(&scan.source.array, name, dimension, low, high);
            let values = values.map_err(|error| scan.source.error(error))?;
            let position = columns.position(&dimensions[dimension]);
            columns.sources.push((position, Some((low, values))));
        }
        Ok(columns)
    }

    /// Returns the position of a field that is read.
    fn position(&mut self, name: &str) -> usize {
        let found = self.names.iter().position(|known| known == name);
        found.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// Returns the columns of the scan for a batch of the engine.
    fn delivered(&mut self, scan: &TileDbScan, batch: &RecordBatch) -> Result<RecordBatch> {
        let sources = self.sources.iter().zip(&mut self.texts);
        let columns = sources.zip(scan.columns.fields());
        let columns = columns.map(|(((position, labels), texts), field)| {
            let column = batch.column(*position);
            let Some((low, values)) = labels else {
                match (field.data_type(), &texts) {
                    (DataType::Utf8View, _) => {}
                    (DataType::Dictionary(..), Some(texts)) => return dictionary_of(column, texts),
                    _ => return Ok(column.clone()),
                }
                let dictionary = column.as_any_dictionary_opt();
                if let (None, Some(dictionary)) = (&texts, dictionary) {
                    *texts = Some(cast(dictionary.values(), &DataType::Utf8View)?);
                }
                let indexes = dictionary.map_or(column.as_ref(), |dictionary| dictionary.keys());
                return Ok(match texts {
                    Some(texts) => take(texts, indexes, None)?,
                    None => column.clone(),
                });
            };
            let schema = scan.source.array.schema();
            let schema = schema.map_err(|error| scan.source.error(error))?;
            let datatype = schema.datatype(&self.names[*position]);
            let datatype = datatype.ok_or_else(|| usage_error("a dimension does not exist"))?;
            let indexes = stored_integers(scan.uri(), column, datatype)?;
            let indexes = indexes
                .into_iter()
                .map(|index| u64::try_from(index - low).unwrap_or(u64::MAX));
            let indexes = UInt64Array::from_iter_values(indexes);
            let options = TakeOptions { check_bounds: true };
            Ok(take(values, &indexes, Some(options))?)
        });
        let columns = columns.collect::<Result<_>>()?;
        Ok(RecordBatch::try_new(scan.columns.clone(), columns)?)
    }
}

/// Returns the ranges of a box that a selection keeps; `None` if a dimension has none.
pub(crate) fn inside(ranges: &Ranges, selection: &Selection) -> Option<Ranges> {
    let dimensions = ranges.iter().zip(&selection.ranges).map(|(ranges, kept)| {
        if kept.is_all() {
            return ranges.clone();
        }
        let intervals = ranges.iter().cloned();
        let intervals = intervals.map(|(low, high)| Interval::closed(low, high));
        let both = RangeSet::new(intervals.collect()).intersection(kept);
        let bounds = both.0.into_iter().filter_map(|interval| {
            let (low, high) = (interval.low?, interval.high?);
            Some((low.value, high.value))
        });
        bounds.collect()
    });
    let ranges: Ranges = dimensions.collect();
    let is_empty = ranges.iter().any(Vec::is_empty);
    (!is_empty).then_some(ranges)
}

/// Returns the approximate bytes of a cell with these columns.
pub(crate) fn cell_bytes(columns: &SchemaRef) -> u64 {
    let sizes = columns.fields().iter().map(|field| {
        let stored = match field.data_type() {
            DataType::Dictionary(indexes, _) => indexes,
            other => other,
        };
        stored.primitive_width().unwrap_or(16) as u64
    });
    sizes.sum::<u64>().max(1)
}

impl DisplayAs for TileDbScan {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self
            .columns
            .fields()
            .iter()
            .map(|field| field.name().as_str());
        let fields = fields.collect::<Vec<_>>().join(", ");
        if matches!(format, DisplayFormatType::TreeRender) {
            return write!(f, "uri={}\nfields={fields}", self.uri());
        }
        write!(f, "TileDbScan: uri={}, fields=[{fields}]", self.uri())?;
        let names = self.source.dimension_names().unwrap_or_default();
        let ranges = names.iter().zip(&self.selection.ranges);
        let ranges = ranges.filter(|(_, ranges)| !ranges.is_all());
        let ranges: Vec<_> = ranges
            .map(|(name, ranges)| range_text(name, ranges))
            .collect();
        if !ranges.is_empty() {
            write!(f, ", ranges=[{}]", ranges.join("; "))?;
        }
        if let Some(condition) = &self.selection.condition {
            write!(f, ", condition=[{condition}]")?;
        }
        if !self.dynamic.is_empty() {
            let dynamic: Vec<_> = self.dynamic.iter().map(ToString::to_string).collect();
            write!(f, ", dynamic=[{}]", dynamic.join(", "))?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        let tiles: u64 = self.parts.parts.iter().map(|part| part.tiles).sum();
        write!(
            f,
            ", partitions={}, fragments={}/{}, tiles={tiles}, cells={}, bytes={}",
            self.parts.parts.len(),
            self.parts.fragments,
            self.parts.all_fragments,
            self.cells(),
            self.cells().saturating_mul(self.cell_bytes),
        )
    }
}

/// Returns the ranges of a dimension as text; of many, the first ones.
fn range_text(name: &str, ranges: &RangeSet) -> String {
    const SHOWN: usize = 4;
    let mut text = String::new();
    for interval in ranges.0.iter().take(SHOWN) {
        let separator = if text.is_empty() { "" } else { ", " };
        let bound = |bound: &Option<crate::ranges::Bound>| {
            bound
                .as_ref()
                .map_or_else(String::new, |bound| bound.value.to_string())
        };
        let (low, high) = (bound(&interval.low), bound(&interval.high));
        let _ = if low == high {
            write!(text, "{separator}{low}")
        } else {
            write!(text, "{separator}{low}..{high}")
        };
    }
    let more = ranges.0.len().saturating_sub(SHOWN);
    if more > 0 {
        let _ = write!(text, ", {more} more");
    }
    format!("{name}: {text}")
}

impl ExecutionPlan for TileDbScan {
    fn name(&self) -> &str {
        "TileDbScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        datafusion::physical_plan::execution_plan::apply_expression_roots(&self.dynamic, f)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Keep);
        self.replace_children(children, options)
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if partition >= self.properties.partitioning.partition_count() {
            return internal_err!("the scan has no partition {partition}");
        }
        // Indexes are read and passed on. The texts of a slice are made when it is requested, so
        // that they are still in the caches of the processor when the query computes.
        let (texts, indexed) = self.indexed_columns(false)?;
        let scan = Self {
            cell_bytes: cell_bytes(&indexed),
            columns: indexed,
            ..self.clone()
        };
        let columns = self.columns.clone();
        let rows = context.session_config().batch_size().max(1);
        // A scan without parts has one partition without rows.
        let part_num = scan.parts.parts.len();
        let parts = if scan.is_merged {
            0..part_num
        } else {
            partition..part_num.min(partition + 1)
        };
        // The read starts when the first batch is requested: the values of dynamic predicates are
        // known then.
        let stream = futures::stream::once(async move {
            let columns = scan.columns.clone();
            let capacity = BATCHES_AHEAD * parts.len().max(1);
            let mut builder = RecordBatchReceiverStreamBuilder::new(columns, capacity);
            for part in parts {
                let (scan, sender) = (scan.clone(), builder.tx());
                let metrics = BaselineMetrics::new(&scan.metrics, part);
                builder.spawn_blocking(move || match scan.parts.parts.get(part) {
                    Some(part) => {
                        let cells = SENT_BYTES / (scan.cell_bytes.max(1) as usize);
                        let batches = (cells / rows).max(1);
                        scan.read(part, rows.saturating_mul(batches), &metrics, &sender)
                    }
                    None => Ok(()),
                });
            }
            Ok::<_, DataFusionError>(builder.build())
        });
        // Large batches wake fewer threads between the read and this stream, and small ones are in
        // the caches of the processor when the query computes.
        let delivered = columns.clone();
        let divided = stream.try_flatten().map_ok(move |batch| {
            let (texts, columns) = (texts.clone(), delivered.clone());
            let slices = slices(&batch, rows);
            futures::stream::iter(slices.map(move |slice| with_texts(slice, &texts, &columns)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            columns,
            Box::pin(divided.try_flatten()),
        )))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        arguments: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let part = arguments
            .partition()
            .filter(|_| !self.is_merged)
            .map(|index| self.parts.parts.get(index));
        Ok(Arc::new(match part {
            Some(Some(part)) => self.part_statistics(Some(part)),
            Some(None) | None => self.part_statistics(None),
        }))
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(Self {
            limit,
            ..self.clone()
        }))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }

    fn handle_child_pushdown_result(
        &self,
        phase: FilterPushdownPhase,
        result: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let filters: Vec<_> = result
            .parent_filters
            .iter()
            .map(|filter| filter.filter.clone())
            .collect();
        let unsupported = FilterPushdownPropagation::with_parent_pushdown_result(vec![
            PushedDown::No;
            filters.len()
        ]);
        // The first rows of all are other rows than the first ones that satisfy a predicate.
        let is_limited = self.limit.is_some();
        if !matches!(phase, FilterPushdownPhase::Post) || filters.is_empty() || is_limited {
            return Ok(unsupported);
        }
        // Rows are compared again by the nodes above.
        let mut updated = self.clone();
        updated.dynamic.extend(filters);
        Ok(unsupported.with_updated_node(Arc::new(updated)))
    }
}
