//! Inserts and deletes.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{Array as _, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::{
    SortColumn, cast, concat_batches, lexsort_to_indices, take_record_batch,
};
use datafusion::arrow::datatypes::{DataType, Int64Type, Schema, SchemaRef, UInt64Type};
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::dml::InsertOp;
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use tiledb_engine::{Array, Condition, Datatype, Scalar};

use crate::error::{engine_error, usage_error};
use crate::field::factor_of;
use crate::table::TileDbTable;
use crate::task::blocking_change;

/// Returns the plan that appends the rows of another plan.
pub(crate) fn insert(
    table: &TileDbTable,
    input: Arc<dyn ExecutionPlan>,
    operation: InsertOp,
) -> Result<Arc<dyn ExecutionPlan>> {
    if operation != InsertOp::Append {
        return Err(usage_error(format!(
            "only INSERT INTO writes to the array '{}': {operation} is not possible",
            table.uri()
        )));
    }
    check_latest(table)?;
    let schema = table.array().schema();
    let schema = schema.map_err(|error| engine_error(table.uri(), error))?;
    let columns = table_schema(table);
    let mut names = columns.fields().iter().map(|field| field.name());
    if let Some(label) = names.find(|name| schema.label(name).is_some()) {
        return Err(usage_error(format!(
            "the table of '{}' has the label '{label}' as a column: INSERT does not write labels",
            table.uri()
        )));
    }
    let sink = InsertSink {
        array: table.array().clone(),
        schema: input.schema(),
    };
    Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), None)))
}

fn check_latest(table: &TileDbTable) -> Result<()> {
    if table.is_past() {
        return Err(usage_error(format!(
            "the table of '{}' has the state at a timestamp and cannot be changed",
            table.uri()
        )));
    }
    Ok(())
}

/// Writes all rows as one fragment, which becomes visible at the end.
#[derive(Debug)]
pub(crate) struct InsertSink {
    array: Array,
    schema: SchemaRef,
}

impl DisplayAs for InsertSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TileDbInsert: uri={}", self.array.uri())
    }
}

#[async_trait]
impl DataSink for InsertSink {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn write_all(
        &self,
        data: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
    ) -> Result<u64> {
        let batches = collect(data).await?;
        let (array, schema) = (self.array.clone(), self.schema.clone());
        blocking_change(self.array.context().clone(), move |change| {
            // Batches have dictionaries of their own, whose indexes may be too small for all texts.
            let schema = with_texts(&RecordBatch::new_empty(schema))?.schema();
            let batches = batches.iter().map(with_texts);
            let rows = concat_batches(&schema, &batches.collect::<Result<Vec<_>>>()?)?;
            change.run(|| {
                let mut array = array.within(change.context());
                let extended = array.extend_enumerations(&rows);
                extended.map_err(|error| engine_error(array.uri(), error))?;
                change.check()?;
                write_rows(&array, &rows)
            })
        })
        .await
    }
}

/// Returns rows with the texts of dictionaries.
fn with_texts(rows: &RecordBatch) -> Result<RecordBatch> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (field, column) in rows.schema().fields().iter().zip(rows.columns()) {
        let data_type = match field.data_type() {
            DataType::Dictionary(_, values) if values.is_string() => values,
            other => other,
        };
        fields.push(field.as_ref().clone().with_data_type(data_type.clone()));
        columns.push(cast(column, data_type)?);
    }
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

/// Writes rows as one fragment; returns their number.
pub(crate) fn write_rows(array: &Array, rows: &RecordBatch) -> Result<u64> {
    let uri = array.uri();
    let number = rows.num_rows() as u64;
    if number == 0 {
        return Ok(0);
    }
    let schema = array.schema().map_err(|error| engine_error(uri, error))?;
    let mut write = array.write();
    if schema.is_dense() {
        let dimensions = schema.dimensions();
        let described: Vec<_> = dimensions
            .iter()
            .map(|dimension| (&dimension.name[..], dimension.datatype))
            .collect();
        let (cells, bounds) = box_of(uri, rows, &described)?;
        for ((name, _), (low, high)) in described.iter().zip(bounds) {
            write = write.range(name, Scalar::Integer(low)..=Scalar::Integer(high));
        }
        write = write.record_batch(&cells);
    } else {
        write = write.record_batch(rows);
    }
    write.submit().map_err(|error| engine_error(uri, error))?;
    Ok(number)
}

/// Returns the attributes of rows in row-major order, and the bounds of the box that they cover.
/// Dimensions are described by name and datatype.
fn box_of(
    uri: &str,
    rows: &RecordBatch,
    described: &[(&str, Datatype)],
) -> Result<(RecordBatch, Vec<(i128, i128)>)> {
    let schema = rows.schema();
    let columns = described.iter().map(|(name, _)| {
        let index = schema.index_of(name);
        index.map_err(|_| {
            usage_error(format!(
                "an insert into '{uri}' needs the dimension '{name}'"
            ))
        })
    });
    let dimensions: Vec<usize> = columns.collect::<Result<_>>()?;
    let keys = dimensions.iter().map(|index| SortColumn {
        values: rows.column(*index).clone(),
        options: None,
    });
    let order = lexsort_to_indices(&keys.collect::<Vec<_>>(), None)?;
    let sorted = take_record_batch(rows, &order)?;
    let mut coordinates = Vec::new();
    for (index, (_, datatype)) in dimensions.iter().zip(described) {
        coordinates.push(stored_integers(uri, sorted.column(*index), *datatype)?);
    }
    let mut bounds = Vec::new();
    for column in &coordinates {
        let (low, high) = column
            .iter()
            .fold((i128::MAX, i128::MIN), |(low, high), value| {
                (low.min(*value), high.max(*value))
            });
        bounds.push((low, high));
    }
    let lengths = bounds.iter().map(|(low, high)| (high - low + 1) as u128);
    let lengths: Vec<u128> = lengths.collect();
    let volume = lengths.iter().copied().fold(1, u128::saturating_mul);
    let is_box = volume == sorted.num_rows() as u128
        && (0..sorted.num_rows()).all(|row| {
            let mut rest = row as u128;
            (0..coordinates.len()).rev().all(|index| {
                let expected = bounds[index].0 + (rest % lengths[index]) as i128;
                rest /= lengths[index];
                coordinates[index][row] == expected
            })
        });
    if !is_box {
        return Err(DataFusionError::Execution(format!(
            "'{uri}' is a dense array: the inserted rows must be all cells of a box, each once, and \
             {} rows are not the {volume} cells between the least and the greatest coordinates",
            sorted.num_rows()
        )));
    }
    let kept: Vec<usize> = (0..sorted.num_columns())
        .filter(|index| !dimensions.contains(index))
        .collect();
    Ok((sorted.project(&kept)?, bounds))
}

/// Returns the coordinates of a dimension of integers, days or other times as they are stored.
pub(crate) fn stored_integers(
    uri: &str,
    column: &ArrayRef,
    datatype: Datatype,
) -> Result<Vec<i128>> {
    let failed = |problem: &str| {
        DataFusionError::Execution(format!("a coordinate of a row for '{uri}' {problem}"))
    };
    if column.null_count() > 0 {
        return Err(failed("is null"));
    }
    if let Some(numbers) = column.as_primitive_opt::<UInt64Type>() {
        return Ok(numbers.values().iter().copied().map(i128::from).collect());
    }
    let column = match column.data_type() {
        DataType::Date32 | DataType::Time32(_) => &cast(column, &DataType::Int32)?,
        _ => column,
    };
    let integers = cast(column, &DataType::Int64)?;
    let factor = factor_of(datatype);
    let stored = integers.as_primitive::<Int64Type>().values().iter();
    let stored = stored.map(|value| match i128::from(*value) {
        value if value % factor == 0 => Ok(value / factor),
        _ => Err(failed("lies between two coordinates of the dimension")),
    });
    stored.collect()
}

/// Returns the plan that deletes the rows for which all filters are true.
pub(crate) fn delete(table: &TileDbTable, filters: &[Expr]) -> Result<Arc<dyn ExecutionPlan>> {
    check_latest(table)?;
    let condition = table.delete_condition(filters)?;
    let input = Arc::new(EmptyExec::new(table_schema(table)));
    let sink = DeleteSink {
        array: table.array().clone(),
        schema: table_schema(table),
        condition,
    };
    Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), None)))
}

fn table_schema(table: &TileDbTable) -> SchemaRef {
    datafusion::catalog::TableProvider::schema(table)
}

/// Deletes the cells that satisfy a condition.
#[derive(Debug)]
pub(crate) struct DeleteSink {
    array: Array,
    schema: SchemaRef,
    condition: String,
}

impl DisplayAs for DeleteSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            array, condition, ..
        } = self;
        write!(
            f,
            "TileDbDelete: uri={}, condition=[{condition}]",
            array.uri()
        )
    }
}

#[async_trait]
impl DataSink for DeleteSink {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn write_all(&self, _: SendableRecordBatchStream, _: &Arc<TaskContext>) -> Result<u64> {
        let (array, condition) = (self.array.clone(), self.condition.clone());
        blocking_change(self.array.context().clone(), move |change| {
            let mut array = array.within(change.context());
            let uri = array.uri().to_owned();
            let engine = |error| engine_error(&uri, error);
            let condition = Condition::parse(&condition).map_err(engine)?;
            let number = change.run(|| {
                array.reopen().map_err(engine)?;
                let matching = array.query().condition(condition.clone());
                matching.count().map_err(engine)
            })?;
            if number > 0 {
                change.run(|| array.delete(&condition).map_err(engine))?;
            }
            Ok(number)
        })
        .await
    }
}
