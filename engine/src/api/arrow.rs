//! Cells as Arrow's record batches.

use std::cell::Cell;
use std::sync::Arc;

use arrow_array::{Array as _, RecordBatch, RecordBatchReader, make_array};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Schema as ArrowSchema, SchemaRef};

use super::array::Array;
use super::read_query::ReadQuery;
use super::schema::Schema;
use super::schema_builder::SchemaBuilder;
use super::write_query::WriteQuery;
use crate::arrow::{
    ArrowCells, BatchReader, ReadColumn, arrow_error, arrow_field, attribute_of, cells_of,
    extended_by, form_of, plain_array, plain_field,
};
use crate::buffers::{FieldForm, OffsetsForm};
use crate::context::Context as EngineContext;
use crate::error::{Error, Result};
use crate::platform::lock::Mutex;
use crate::query::Query;
use crate::schema::{
    ArraySchema, Attribute, Dimension, Enumeration, EnumerationValues, SchemaEvolution,
};
use crate::types::ArrayType;

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        Self::ExternalError(Box::new(error))
    }
}

/// An iterator over the record batches of a read, which [`ReadQuery::record_batches`] returns.
///
/// Batches own their memory. That of a batch that was dropped is used for the next one. After an
/// error it returns no more batches.
#[derive(Debug)]
pub struct RecordBatches {
    query: Query,
    reader: BatchReader,
    schema: SchemaRef,
    done: bool,
}

impl RecordBatches {
    fn batch(&self, cells: usize, arrays: Vec<ArrayData>) -> Result<RecordBatch> {
        let columns = arrays.into_iter().map(make_array).collect();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(cells));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|error| arrow_error(error.to_string()))
    }

    fn advance(&mut self) -> Result<Option<RecordBatch>> {
        let next = self.reader.next(&mut self.query)?;
        next.map(|(cells, arrays)| self.batch(cells, arrays))
            .transpose()
    }
}

impl RecordBatches {
    /// Returns the next batch with the error of this crate; `None` after the last one.
    pub fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        if self.done {
            return None;
        }
        let advanced = self.advance();
        self.done = !matches!(advanced, Ok(Some(_)));
        advanced.transpose()
    }
}

impl Iterator for RecordBatches {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.next_batch()?;
        Some(batch.map_err(ArrowError::from))
    }
}

impl RecordBatchReader for RecordBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// A reader of batches for a stream of Arrow whose consumer may call it from several threads at
/// once, as packages of Python do: one call waits for the other.
///
/// After an error it returns no more batches. Zeros in the text of an error, which texts of C
/// cannot have, are escaped.
pub struct SharedReader {
    schema: SchemaRef,
    /// Behind a pointer, because each call has an exclusive reference to this structure.
    reader: Arc<Mutex<Option<Box<dyn RecordBatchReader + Send>>>>,
    process: u32,
}

thread_local! {
    /// Whether this thread reads a batch of a shared reader, so that the caller is a handler of a
    /// signal.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

impl SharedReader {
    /// Returns a reader of the batches of `reader`.
    pub fn new(reader: Box<dyn RecordBatchReader + Send>) -> Self {
        Self {
            schema: reader.schema(),
            reader: Arc::new(Mutex::new(Some(reader))),
            process: std::process::id(),
        }
    }

    fn read(&self) -> Option<std::result::Result<RecordBatch, ArrowError>> {
        // Waiting could last for ever in a handler of a signal that interrupts a read in its
        // thread, and in a child that was forked meanwhile.
        let may_wait = !IS_READING.get() && std::process::id() == self.process;
        let locked = if may_wait {
            Some(self.reader.lock())
        } else {
            self.reader.try_lock()
        };
        let Some(mut reader) = locked else {
            let problem = "another call reads the stream";
            return Some(Err(ArrowError::ExternalError(problem.into())));
        };
        let outer = IS_READING.replace(true);
        let batch = reader.as_mut().and_then(Iterator::next);
        IS_READING.set(outer);
        Some(batch?.map_err(|problem| {
            *reader = None;
            let text = problem.to_string();
            if text.contains('\0') {
                ArrowError::ExternalError(text.replace('\0', "\\0").into())
            } else {
                problem
            }
        }))
    }
}

impl std::fmt::Debug for SharedReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedReader")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl Iterator for SharedReader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read()
    }
}

impl RecordBatchReader for SharedReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// A reader whose batches have no run-end encoded columns and no views of lists: their columns have
/// a value or a list for each row. Batches with such columns are divided, to bound their memory.
#[derive(Debug)]
pub struct PlainReader<R> {
    reader: R,
    schema: SchemaRef,
    is_encoded: bool,
    /// A batch of the reader, and the number of its rows that were returned.
    batch: Option<(RecordBatch, usize)>,
}

impl<R: RecordBatchReader> PlainReader<R> {
    /// The number of rows that are decoded at once.
    const ROWS: usize = 1 << 16;

    /// Returns a reader of the decoded batches of `reader`.
    pub fn new(reader: R) -> Self {
        let schema = reader.schema();
        let fields = schema.fields().iter();
        let fields = fields.map(|field| plain_field(field).map_or_else(|| field.clone(), Arc::new));
        let fields: Vec<_> = fields.collect();
        let metadata = schema.metadata().clone();
        let plain = Arc::new(ArrowSchema::new_with_metadata(fields, metadata));
        Self {
            is_encoded: plain != schema,
            reader,
            schema: plain,
            batch: None,
        }
    }

    fn decoded(&self, batch: &RecordBatch) -> std::result::Result<RecordBatch, ArrowError> {
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| {
            if column.data_type() == field.data_type() {
                Ok(column.clone())
            } else {
                plain_array(&column.to_data()).map(make_array)
            }
        });
        let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
    }
}

impl<R: RecordBatchReader> Iterator for PlainReader<R> {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.is_encoded {
            return self.reader.next();
        }
        let (batch, done) = match self.batch.take() {
            Some(rest) => rest,
            None => match self.reader.next()? {
                Ok(batch) => (batch, 0),
                problem => return Some(problem),
            },
        };
        let rows = Self::ROWS.min(batch.num_rows() - done);
        let part = self.decoded(&batch.slice(done, rows));
        if part.is_ok() && done + rows < batch.num_rows() {
            self.batch = Some((batch, done + rows));
        }
        Some(part)
    }
}

impl<R: RecordBatchReader> RecordBatchReader for PlainReader<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

impl ReadQuery {
    /// Returns an iterator over the result as Arrow's record batches of about
    /// [`batch_bytes`](Self::batch_bytes) bytes. Cells are read into the buffers of the arrays: no
    /// other copy of them is made, except of datatypes that Arrow stores differently.
    ///
    /// | field | Arrow type |
    /// | --- | --- |
    /// | numbers, `BOOL` | the number of the same size, `Boolean` |
    /// | `DATETIME_WEEK`, `_DAY` | `Date32` |
    /// | `DATETIME_HR`, `_MIN`, `_SEC`; `_MS`, `_US`, `_NS` | `Timestamp` in seconds; in the unit |
    /// | `TIME_HR`, `_MIN`, `_SEC`, `_MS`; `_US`, `_NS` | `Time32`; `Time64` |
    /// | datetimes and times in other units | `Int64` |
    /// | strings of any length, also in UTF-16 and UTF-32 | `LargeUtf8` |
    /// | bytes, `CHAR` and geometries of any length | `LargeBinary` |
    /// | strings and bytes of a fixed length | `FixedSizeBinary` |
    /// | several values per cell | `FixedSizeList`, `LargeList` |
    /// | attributes with an enumeration | `Dictionary`; an index without a value is null |
    ///
    /// Arrow fields whose type alone means another datatype have its name as metadata with the key
    /// `tiledb.datatype`. With [`durations`](Self::durations), times are `Duration`;
    /// with [`indexes`](Self::indexes), enumerations are left out.
    ///
    /// ```
    /// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Result, Schema};
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://measured");
    /// # let schema = Schema::builder(ArrayType::Sparse)
    /// #     .dimension("id", Datatype::Int64, 0..=99, 10)
    /// #     .nullable_attribute("height", Datatype::Float64)
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// # array.write().column("id", [1, 2]).column("height", [Some(1.5), None]).submit()?;
    /// # array.reopen()?;
    /// let mut rows = 0;
    /// for batch in array.query().fields(["id", "height"]).record_batches()? {
    ///     let batch = batch.expect("a batch"); // The error is Arrow's, with ours as its source.
    ///     rows += batch.num_rows();
    ///     assert_eq!(batch.column(1).null_count(), 1);
    /// }
    /// assert_eq!(rows, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If names or values do not fit the schema of the array, or Arrow cannot express a field.
    pub fn record_batches(&self) -> Result<RecordBatches> {
        self.record_batches_in(self.context())
    }

    pub(super) fn record_batches_in(&self, context: &Arc<EngineContext>) -> Result<RecordBatches> {
        let mut query = self.query_in(context)?;
        let forms = self.forms(&query)?.into_iter();
        let columns: Vec<_> = forms
            .map(|form| ReadColumn {
                has_indexes: self.indexes.contains(&form.name),
                form,
                is_result: false,
                has_durations: self.durations,
            })
            .collect();
        let fields: Vec<_> = columns
            .iter()
            .map(ReadColumn::field)
            .collect::<Result<_>>()?;
        let bytes = self.batch_bytes as u64;
        let reader = BatchReader::new(&mut query, columns, bytes)?;
        Ok(RecordBatches {
            query,
            reader,
            schema: Arc::new(ArrowSchema::new(fields)),
            done: false,
        })
    }

    /// Reads all cells as one record batch.
    ///
    /// # Errors
    ///
    /// As [`record_batches`](Self::record_batches), or if storage fails.
    pub fn collect_record_batch(&self) -> Result<RecordBatch> {
        let mut batches = self.record_batches()?;
        let (cells, arrays) = batches.reader.all(&mut batches.query)?;
        batches.batch(cells, arrays)
    }
}

impl WriteQuery {
    /// Adds the cells of a record batch, whose columns have the names of fields. Buffers are not
    /// copied where the layouts agree. Lengths of offsets, views and time zones do not matter, the
    /// values of dictionaries are looked up in the enumeration of the attribute. A column that does
    /// not fit its field is reported by [`submit`](WriteQuery::submit).
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    /// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Result, Schema};
    ///
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://names");
    /// # let schema = Schema::builder(ArrayType::Sparse)
    /// #     .dimension("id", Datatype::Int64, 0..=99, 10)
    /// #     .nullable_attribute("name", Datatype::StringUtf8)
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    /// let names: ArrayRef = Arc::new(StringArray::from(vec![Some("Oslo"), None]));
    /// let batch = RecordBatch::try_from_iter([("id", ids), ("name", names)]).expect("a batch");
    /// array.write().record_batch(&batch).submit()?;
    /// # array.reopen()?;
    /// # assert_eq!(array.read::<Option<String>>("name")?, [Some("Oslo".to_owned()), None]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn record_batch(mut self, batch: &RecordBatch) -> Self {
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            self = self.arrow_column(field.name(), &column.to_data());
        }
        self
    }
}

impl Schema {
    /// Returns the fields as an Arrow schema: the dimensions and the attributes. The types are
    /// listed at [`ReadQuery::record_batches`].
    ///
    /// # Errors
    ///
    /// If Arrow cannot express a field, or the values of an enumeration were not read from storage;
    /// [`Array::arrow_schema`] reads them.
    pub fn arrow_schema(&self) -> Result<SchemaRef> {
        arrow_schema(&self.0, |field, name| {
            let loaded = self
                .0
                .enumeration(name)
                .and_then(|path| path.loaded().cloned());
            loaded.ok_or_else(|| {
                arrow_error(format!(
                    "the values of the enumeration '{name}' of the field '{field}' were not read"
                ))
            })
        })
    }

    /// Creates a schema with these dimensions and, for each Arrow field with another name, an
    /// attribute. A dictionary becomes an attribute with an enumeration without values, which has
    /// the name of the field; [`SchemaEvolution`](crate::SchemaEvolution) adds values.
    ///
    /// ```
    /// # use tiledb_engine::{ArrayType, Datatype, Result, Schema};
    /// # fn main() -> Result<()> {
    /// let draft = Schema::builder(ArrayType::Sparse)
    ///     .dimension("id", Datatype::Int64, 0..=99, 10)
    ///     .nullable_attribute("name", Datatype::StringUtf8)
    ///     .build()?;
    /// let arrow = draft.arrow_schema()?;
    /// let id = (**draft.dimension("id").expect("a dimension")).clone();
    /// let schema = Schema::from_arrow(ArrayType::Sparse, [id], &arrow)?;
    /// assert_eq!(schema.arrow_schema()?, arrow);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If no datatype can store the values of a field, or a dimension has another type than the
    /// field with its name.
    pub fn from_arrow(
        array_type: ArrayType,
        dimensions: impl IntoIterator<Item = Dimension>,
        schema: &ArrowSchema,
    ) -> Result<Self> {
        let mut builder = SchemaBuilder::new(array_type);
        for dimension in dimensions {
            builder = builder.with_dimension(dimension);
        }
        builder.arrow_attributes(schema).build()
    }
}

impl SchemaBuilder {
    /// Adds an attribute for each Arrow field that has not the name of a dimension that was added
    /// before, as [`Schema::from_arrow`] does.
    #[must_use]
    pub fn arrow_attributes(mut self, schema: &ArrowSchema) -> Self {
        for field in schema.fields() {
            self = match self.dimension_type(field.name()) {
                Some(datatype) => self.step(|_| {
                    let form = form_of(field)?;
                    let is_text = form.cells.datatype.is_string() && datatype.is_string();
                    if form.cells.datatype == datatype || is_text {
                        return Ok(());
                    }
                    Err(arrow_error(format!(
                        "the Arrow type {} of the field '{}' is not that of the dimension, {}",
                        field.data_type(),
                        field.name(),
                        datatype.name()
                    )))
                }),
                None => self.arrow_attribute(field),
            };
        }
        self
    }

    fn arrow_attribute(self, field: &arrow_schema::Field) -> Self {
        let DataType::Dictionary(..) = field.data_type() else {
            return match attribute_of(field) {
                Ok(attribute) => self.with_attribute(attribute),
                Err(problem) => self.step(|_| Err(problem)),
            };
        };
        let described = || -> Result<_> {
            let values = form_of(field)?;
            let ordered = field.dict_is_ordered() == Some(true);
            let (datatype, number) = (values.cells.datatype, values.cells.cell_val_num);
            let none = EnumerationValues::default();
            let enumeration = Enumeration::new(&values.name, datatype, number, ordered, none)?;
            Ok((
                attribute_of(field)?.with_enumeration(&values.name),
                enumeration,
            ))
        };
        match described() {
            Ok((attribute, values)) => self.enumeration(values).with_attribute(attribute),
            Err(problem) => self.step(|_| Err(problem)),
        }
    }
}

impl Attribute {
    /// Creates the attribute that an Arrow field becomes. Of a dictionary, it is an attribute of
    /// the indexes; [`Schema::from_arrow`] also creates its enumeration.
    ///
    /// # Errors
    ///
    /// If no datatype can store the values of the field.
    pub fn from_arrow(field: &arrow_schema::Field) -> Result<Self> {
        attribute_of(field)
    }

    /// Returns the bytes that the values of an Arrow array have as cells of the attribute, with
    /// starts of cells in 8 bytes. An enumeration of the attribute is not used.
    ///
    /// # Errors
    ///
    /// If the type of the array does not fit the attribute, or a cell is null that must not be.
    pub fn cells_of_arrow(&self, array: &dyn arrow_array::Array) -> Result<ArrowCells> {
        let form = FieldForm {
            name: self.name.clone(),
            cells: self.cell_type(),
            enumeration: None,
        };
        cells_of(&form, &array.to_data(), OffsetsForm::STARTS)
    }
}

impl Array {
    /// Returns the fields as an Arrow schema, as [`Schema::arrow_schema`]; reads the values of
    /// enumerations if necessary.
    ///
    /// # Errors
    ///
    /// If Arrow cannot express a field, or storage fails.
    pub fn arrow_schema(&self) -> Result<SchemaRef> {
        arrow_schema(&self.schema()?.0, |_, name| self.enumeration(name))
    }

    /// Adds the values of a record batch that the enumerations of its attributes lack, by one
    /// change of the schema, and opens the array again, so that the batch can be written.
    /// Enumerations that state an order of their values stay as they are, and so does an array that
    /// was opened at a time in the past.
    ///
    /// Of processes that add values at the same time, each keeps those of the others in local
    /// storage. Object stores have no locks: only one process at a time may add values there.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    /// # use tiledb_engine::{Array, ArrayType, Attribute, Context, Datatype, Enumeration};
    /// # use tiledb_engine::{Result, Schema};
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://trees");
    /// # let schema = Schema::builder(ArrayType::Sparse)
    /// #     .dimension("id", Datatype::Int64, 0..=99, 10)
    /// #     .enumeration(Enumeration::of_texts("trees", false, ["oak"])?)
    /// #     .with_attribute(Attribute::of("tree", Datatype::Uint8).with_enumeration("trees"))
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// # let ids: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    /// # let trees: ArrayRef = Arc::new(StringArray::from(vec!["ash", "oak"]));
    /// # let batch = RecordBatch::try_from_iter([("id", ids), ("tree", trees)]).expect("a batch");
    /// array.extend_enumerations(&batch)?;
    /// array.write().record_batch(&batch).submit()?;
    /// # array.reopen()?;
    /// # assert_eq!(array.read::<String>("tree")?, ["ash", "oak"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If a column does not fit its field, the integers of an attribute are too small for the
    /// number of values, or storage fails.
    pub fn extend_enumerations(&mut self, batch: &RecordBatch) -> Result<()> {
        // Other processes may add values between a look and a change.
        const ATTEMPTS: usize = 10;
        if self.is_past() {
            return Ok(());
        }
        for attempt in 1..=ATTEMPTS {
            let Some(changes) = self.missing_values(batch)? else {
                break;
            };
            match self.evolve(&changes) {
                Err(error) if !error.is_no_extension() || attempt == ATTEMPTS => {
                    return Err(error);
                }
                _ => self.reopen()?,
            }
        }
        // The write reports a value that is still missing.
        Ok(())
    }

    /// Returns the change that adds the values which enumerations lack.
    fn missing_values(&self, batch: &RecordBatch) -> Result<Option<SchemaEvolution>> {
        let schema = self.schema()?;
        let mut extended: Vec<Arc<Enumeration>> = Vec::new();
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            // Several attributes may have one enumeration.
            let form = FieldForm::of(&schema.0, field.name(), |name| {
                let known = extended.iter().find(|known| known.name() == name);
                known.map_or_else(|| self.enumeration(name), |known| Ok(known.clone()))
            })?;
            let Some(form) = form else { continue };
            if form
                .enumeration
                .as_ref()
                .is_some_and(|labels| labels.ordered())
            {
                continue;
            }
            if let Some(longer) = extended_by(&form, &column.to_data())? {
                extended.retain(|known| known.name() != longer.name());
                extended.push(Arc::new(longer));
            }
        }
        if extended.is_empty() {
            return Ok(None);
        }
        let mut changes = SchemaEvolution::new();
        for longer in &extended {
            changes.extend_enumeration(longer)?;
        }
        Ok(Some(changes))
    }
}

/// Returns the Arrow schema of the dimensions and attributes. `enumeration` returns the enumeration
/// of a field.
fn arrow_schema(
    schema: &ArraySchema,
    enumeration: impl Fn(&str, &str) -> Result<Arc<Enumeration>>,
) -> Result<SchemaRef> {
    Ok(Arc::new(ArrowSchema::new(
        schema
            .domain
            .dimensions
            .iter()
            .map(|dimension| &dimension.name)
            .chain(schema.attributes.iter().map(|attribute| &attribute.name))
            .map(|name| {
                let form = FieldForm::of(schema, name, |enumerated| enumeration(name, enumerated))?;
                arrow_field(
                    &form.ok_or_else(|| arrow_error(format!("there is no field '{name}'")))?,
                )
            })
            .collect::<Result<Vec<_>>>()?,
    )))
}
