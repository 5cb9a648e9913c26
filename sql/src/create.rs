//! Arrays for the rows of a query: `CREATE TABLE ... AS` and `COPY ... TO`.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{Array as _, ArrayRef, AsArray, RecordBatch, UInt64Array};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Field, Schema as ArrowSchema, SchemaRef, TimeUnit};
use datafusion::catalog::Session;
use datafusion::common::{GetExt, Statistics, not_impl_err};
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::{FileFormat, FileFormatFactory};
use datafusion::datasource::physical_plan::{FileScanConfig, FileSinkConfig, FileSource};
use datafusion::datasource::sink::{DataSink, DataSinkExec};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::object_store::{ObjectMeta, ObjectStore};
use datafusion::physical_expr::LexRequirement;
use datafusion::physical_plan::common::collect;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan};
use tiledb_engine::{
    Array, ArrayType, Context, Datatype, Enumeration, Sample, SampleColumn, Schema, SchemaBuilder,
};

use crate::error::{engine_error, not_removed_error, usage_error};
use crate::table::TableOptions;
use crate::task::{Change, blocking_change};
use crate::write::write_rows;

/// The name of the dimension of rows whose first column cannot be one.
const ROW: &str = "row";

/// Creates a sparse array at a URI with the rows of a query and the schema that the engine
/// recommends for them. The first column is the dimension if it has integers, dates, timestamps or
/// texts and no nulls; otherwise rows are numbered in the dimension `row`. Returns the number of
/// rows.
///
/// # Errors
///
/// If an array or group exists there, a column has no counterpart in the engine, storage fails, or
/// the task of [`run_task`](crate::run_task) that calls this function is abandoned. The array is
/// removed then. A process that is killed before it writes leaves an empty array.
pub fn create_array(
    context: &Context,
    uri: &str,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> Result<u64> {
    create_by(&Change::of_task(context)?, context, uri, schema, batches)
}

/// Creates an array as [`create_array`] does, by a change in a context.
pub(crate) fn create_by(
    change: &Change,
    context: &Context,
    uri: &str,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> Result<u64> {
    // Batches have dictionaries of their own, whose indexes may be too small for all values.
    let schema = normalized(&RecordBatch::new_empty(schema.clone()))?.schema();
    let batches = batches.iter().map(normalized);
    let rows = concat_batches(&schema, &batches.collect::<Result<Vec<_>>>()?)?;
    let engine = |error| engine_error(uri, error);
    let (builder, rows) = with_dimension(rows)?;
    let draft = builder
        .arrow_attributes(&rows.schema())
        .allow_duplicates(true)
        .build();
    let draft = draft.map_err(engine)?;
    let chosen = recommended(&draft, &rows).map_err(engine)?;
    change.check()?;
    // A cancellation of the operations of `context` must not leave a part of the array.
    let context = context.separate().map_err(engine)?;
    Array::create(&context, uri, &chosen).map_err(engine)?;
    let written = change.run(|| {
        let array = Array::open(change.context(), uri).map_err(engine)?;
        write_rows(&array, &rows)
    });
    written.map_err(|error| match context.remove_array(uri) {
        Ok(()) => error,
        // The error of the write is the one to report.
        Err(_) => not_removed_error(uri, error),
    })
}

/// Returns rows with the types of texts that the engine has, and without names that occur twice.
fn normalized(rows: &RecordBatch) -> Result<RecordBatch> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    let mut names = BTreeSet::new();
    for (field, column) in rows.schema().fields().iter().zip(rows.columns()) {
        if !names.insert(field.name().clone()) {
            let name = field.name();
            return Err(usage_error(format!(
                "two columns have the name '{name}': use AS"
            )));
        }
        let stated = match field.data_type() {
            // The enumerations of the array are recommended by the values.
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        let data_type = match stated {
            DataType::Utf8 | DataType::Utf8View => DataType::LargeUtf8,
            DataType::Binary | DataType::BinaryView => DataType::LargeBinary,
            DataType::Date64 => DataType::Timestamp(TimeUnit::Millisecond, None),
            other => other.clone(),
        };
        let field = Field::new(field.name(), data_type, field.is_nullable());
        columns.push(cast(column, field.data_type())?);
        fields.push(field);
    }
    Ok(RecordBatch::try_new(
        Arc::new(ArrowSchema::new(fields)),
        columns,
    )?)
}

/// Returns a builder with the dimension, and the rows with its column.
fn with_dimension(rows: RecordBatch) -> Result<(SchemaBuilder, RecordBatch)> {
    let schema = rows.schema();
    if let (Some(field), Some(column)) = (schema.fields().first(), rows.columns().first())
        && column.null_count() == 0
        && rows.num_columns() > 1
        && let Some(builder) = dimension(field)
    {
        return Ok((builder, rows));
    }
    if schema.column_with_name(ROW).is_some() {
        return Err(usage_error(format!(
            "the first column has no type of a dimension, and rows cannot be numbered because \
             there is a column '{ROW}'"
        )));
    }
    let mut fields = vec![Arc::new(Field::new(ROW, DataType::UInt64, false))];
    fields.extend(schema.fields().iter().cloned());
    let number = rows.num_rows() as u64;
    let numbers: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..number));
    let mut columns = vec![numbers];
    columns.extend(rows.columns().iter().cloned());
    let rows = RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), columns)?;
    let builder = Schema::builder(ArrayType::Sparse);
    Ok((
        builder.dimension(ROW, Datatype::Uint64, 0..=u64::MAX - 10_000, 10_000),
        rows,
    ))
}

/// Returns a builder with the dimension of a column, which any value of its type fits.
fn dimension(field: &Field) -> Option<SchemaBuilder> {
    let builder = Schema::builder(ArrayType::Sparse);
    const EXTENT: i64 = 10_000;
    let name = field.name();
    let time = |datatype| (datatype, i64::MIN + 1, i64::MAX - EXTENT, EXTENT);
    let (datatype, low, high, extent) = match field.data_type() {
        DataType::LargeUtf8 => return Some(builder.string_dimension(name)),
        DataType::UInt64 => {
            let high = u64::MAX - EXTENT as u64;
            return Some(builder.dimension(name, Datatype::Uint64, 0..=high, EXTENT));
        }
        DataType::Int8 => (Datatype::Int8, -128, 126, 1),
        DataType::Int16 => (Datatype::Int16, -32_768, 32_766, 1),
        DataType::Int32 => (
            Datatype::Int32,
            i32::MIN.into(),
            i64::from(i32::MAX) - EXTENT,
            EXTENT,
        ),
        DataType::Int64 => time(Datatype::Int64),
        DataType::UInt8 => (Datatype::Uint8, 0, 254, 1),
        DataType::UInt16 => (Datatype::Uint16, 0, 65_534, 1),
        DataType::UInt32 => (Datatype::Uint32, 0, i64::from(u32::MAX) - EXTENT, EXTENT),
        DataType::Date32 => (
            Datatype::DatetimeDay,
            i32::MIN.into(),
            i64::from(i32::MAX) - EXTENT,
            EXTENT,
        ),
        DataType::Timestamp(unit, None) => time(match unit {
            TimeUnit::Second => Datatype::DatetimeSec,
            TimeUnit::Millisecond => Datatype::DatetimeMs,
            TimeUnit::Microsecond => Datatype::DatetimeUs,
            TimeUnit::Nanosecond => Datatype::DatetimeNs,
        }),
        _ => return None,
    };
    Some(builder.dimension(name, datatype, low..=high, extent))
}

/// Returns the schema that the engine recommends for rows. An enumeration has all values of its
/// column.
fn recommended(draft: &Schema, rows: &RecordBatch) -> tiledb_engine::Result<Schema> {
    if rows.num_rows() == 0 {
        return Ok(draft.clone());
    }
    let schema = rows.schema();
    let mut sample = Sample::new().total_cells(rows.num_rows() as u64);
    let columns: Vec<_> = rows.columns().iter().map(SampledColumn::of).collect();
    for (field, column) in schema.fields().iter().zip(&columns) {
        if let Some(column) = column {
            sample = sample.column(SampleColumn {
                name: field.name(),
                data: &column.data,
                offsets: column.offsets.as_deref(),
                validity: column.validity.as_deref(),
            });
        }
    }
    if columns.iter().all(Option::is_none) {
        return Ok(draft.clone());
    }
    let chosen = draft.recommend(&sample)?.schema();
    let mut builder = Schema::builder(ArrayType::Sparse)
        .allow_duplicates(true)
        .capacity(chosen.capacity())
        .tile_order(chosen.tile_order())
        .cell_order(chosen.cell_order())
        .offsets_filters(chosen.offsets_filters().clone());
    for dimension in chosen.dimensions() {
        builder = builder.with_dimension((**dimension).clone());
    }
    for attribute in chosen.attributes() {
        let column = rows.column_by_name(&attribute.name);
        if let (Some(name), Some(column)) = (&attribute.enumeration, column) {
            let texts = column.as_string_opt::<i64>();
            let texts: BTreeSet<&str> = texts
                .iter()
                .flat_map(|texts| texts.iter().flatten())
                .collect();
            builder = builder.enumeration(Enumeration::of_texts(name, false, texts)?);
        }
        builder = builder.with_attribute((**attribute).clone());
    }
    builder.build()
}

/// The cells of a column as the engine stores them.
struct SampledColumn {
    data: Vec<u8>,
    offsets: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
}

impl SampledColumn {
    /// Returns the cells of a column; `None` if Arrow stores them differently.
    fn of(column: &ArrayRef) -> Option<Self> {
        let is_same = match column.data_type() {
            DataType::LargeUtf8 | DataType::Timestamp(..) => true,
            other => other.is_integer() || matches!(other, DataType::Float32 | DataType::Float64),
        };
        if !is_same {
            return None;
        }
        let validity = column
            .nulls()
            .map(|nulls| nulls.iter().map(u8::from).collect());
        if let Some(texts) = column.as_string_opt::<i64>() {
            let (first, last) = (
                *texts.value_offsets().first()?,
                *texts.value_offsets().last()?,
            );
            let data = texts
                .value_data()
                .get(first as usize..last as usize)?
                .to_vec();
            let starts = texts.value_offsets().iter().take(texts.len());
            return Some(Self {
                data,
                offsets: Some(starts.map(|start| (start - first) as u64).collect()),
                validity,
            });
        }
        let width = column.data_type().primitive_width()?;
        let data = column.to_data();
        let buffer = data.buffers().first()?.as_slice();
        let start = data.offset() * width;
        Some(Self {
            data: buffer.get(start..start + data.len() * width)?.to_vec(),
            offsets: None,
            validity,
        })
    }
}

/// The format of `COPY ... TO 'uri' STORED AS TILEDB`, which creates an array.
#[derive(Clone, Debug)]
pub(crate) struct ArrayFormat {
    options: TableOptions,
}

impl ArrayFormat {
    pub(crate) fn new(options: TableOptions) -> Self {
        Self { options }
    }
}

impl GetExt for ArrayFormat {
    fn get_ext(&self) -> String {
        "tiledb".to_owned()
    }
}

impl FileFormatFactory for ArrayFormat {
    fn create(
        &self,
        _: &dyn Session,
        stated: &HashMap<String, String>,
    ) -> Result<Arc<dyn FileFormat>> {
        let mut stated: Vec<_> = stated.iter().collect();
        stated.sort();
        let mut options = self.options.clone();
        for (name, value) in stated {
            options = options.set(name, value)?;
        }
        Ok(Arc::new(Self { options }))
    }

    fn default(&self) -> Arc<dyn FileFormat> {
        Arc::new(self.clone())
    }
}

/// Arrays are folders: only writing is possible by this interface.
#[async_trait]
impl FileFormat for ArrayFormat {
    fn get_ext(&self) -> String {
        GetExt::get_ext(self)
    }

    fn get_ext_with_compression(&self, _: &FileCompressionType) -> Result<String> {
        Ok(GetExt::get_ext(self))
    }

    fn compression_type(&self) -> Option<FileCompressionType> {
        None
    }

    async fn infer_schema(
        &self,
        _: &dyn Session,
        _: &Arc<dyn ObjectStore>,
        _: &[ObjectMeta],
    ) -> Result<SchemaRef> {
        not_impl_err!("arrays are read as tables, not as files")
    }

    async fn infer_stats(
        &self,
        _: &dyn Session,
        _: &Arc<dyn ObjectStore>,
        schema: SchemaRef,
        _: &ObjectMeta,
    ) -> Result<Statistics> {
        Ok(Statistics::new_unknown(&schema))
    }

    async fn create_physical_plan(
        &self,
        _: &dyn Session,
        _: FileScanConfig,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        not_impl_err!("arrays are read as tables, not as files")
    }

    async fn create_writer_physical_plan(
        &self,
        input: Arc<dyn ExecutionPlan>,
        _: &dyn Session,
        config: FileSinkConfig,
        _: Option<LexRequirement>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !config.table_partition_cols.is_empty() {
            return Err(usage_error(
                "an array has no partitions: leave out PARTITIONED BY",
            ));
        }
        let sink = CreateSink {
            uri: config.original_url,
            options: self.options.clone(),
            schema: input.schema(),
        };
        Ok(Arc::new(DataSinkExec::new(input, Arc::new(sink), None)))
    }

    fn file_source(&self, schema: TableSchema) -> Arc<dyn FileSource> {
        // Only plans of reads use it, which this format does not create.
        CsvFormat::default().file_source(schema)
    }
}

/// Creates an array with all rows.
#[derive(Debug)]
pub(crate) struct CreateSink {
    uri: String,
    options: TableOptions,
    schema: SchemaRef,
}

impl DisplayAs for CreateSink {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TileDbCreate: uri={}", self.uri)
    }
}

#[async_trait]
impl DataSink for CreateSink {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    async fn write_all(
        &self,
        data: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
    ) -> Result<u64> {
        let batches = collect(data).await?;
        let (uri, schema) = (self.uri.clone(), self.schema.clone());
        let context = self.options.engine_context();
        let context = context.map_err(|error| engine_error(&uri, error))?;
        blocking_change(context.clone(), move |change| {
            create_by(change, &context, &uri, &schema, &batches)
        })
        .await
    }
}
