//! Import of Parquet and Arrow files: columns have the datatypes of the file. The texts of
//! dictionaries, and of columns for which an enumeration is recommended, are collected first.

use std::collections::HashMap;

use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef, Int32Array, RecordBatch, UInt16Array};
use arrow_schema::{DataType, Field, SchemaRef};
use tiledb_engine::{Context, Datatype, Scalar, Schema, WriteQuery};

use super::recommendation::{LabelSet, SAMPLE_BYTES, SAMPLE_ROWS, SampleCells};
use super::table::{self, AppendTarget, TableTarget, check_names};
use super::{CellShape, ImportSummary, Labels, TableColumn};
use crate::args::{FileFormat, ImportOptions, SchemaGoal, TableOptions};
pub(super) use crate::columnar::Source;
use crate::columnar::{CellBuffer, ColumnType, TableReader, are_texts, is_dictionary};
use crate::interrupt;
use crate::problem::{Problem, Result};
use crate::progress::Progress;

/// The memory for the cells of a write in bytes.
const WRITE_BYTES: usize = 64 << 20;

/// The conversion of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transfer {
    /// The bytes are those of the field.
    Bytes,
    /// Each value is converted to the datatype of the field.
    Values,
    /// The buffer has the indexes of labels.
    Labels,
}

/// A column of the file.
#[derive(Clone, Debug)]
struct FileColumn {
    kind: ColumnType,
    transfer: Transfer,
    buffer: CellBuffer,
    table: TableColumn,
    /// The indexes of labels.
    indexes: HashMap<String, u32>,
}

/// Creates an array from a file.
pub(super) fn import(
    context: &Context,
    source: &Source,
    uri: &str,
    options: &ImportOptions,
) -> Result<ImportSummary> {
    let opened = TableReader::open(source, None)?;
    let (schema, total) = (opened.schema, opened.rows);
    let mut columns = columns(&schema, &options.table)?;
    let fields = schema.fields().iter().zip(&columns).enumerate();
    let dictionaries = fields.filter(|(_, (field, column))| {
        let has_type_of_file = column.table.datatype == column.kind.datatype;
        is_dictionary(field.data_type()) && has_type_of_file && !column.table.is_dimension
    });
    let dictionaries: Vec<usize> = dictionaries.map(|(index, _)| index).collect();
    collect_labels(source, &schema, &mut columns, &dictionaries)?;
    let (array_schema, reasons) = choose_schema(source, &schema, &mut columns, options, total)?;
    let labels = columns.iter().enumerate();
    let labels = labels.filter(|(_, column)| column.transfer == Transfer::Labels);
    let labels: Vec<usize> = labels.map(|(index, _)| index).collect();
    // Readers share the position in the file: only one may be in use.
    let reader = TableReader::open_dictionaries(source, None, &labels)?;
    let table = columns.iter().map(|column| column.table.clone()).collect();
    let mut target = TableTarget::create(context, uri, table, &array_schema)?;
    copy(reader, &mut columns, &mut target)?;
    Ok(ImportSummary {
        cells: target.rows,
        fields: target.fields(),
        pictures_left_out: 0,
        reasons,
    })
}

/// Returns the schema for the goal, and the reasons for it. Columns of texts for which an
/// enumeration is recommended get their labels, from the complete file.
fn choose_schema(
    source: &Source,
    file_schema: &SchemaRef,
    columns: &mut [FileColumn],
    options: &ImportOptions,
    total: Option<u64>,
) -> Result<(Schema, Vec<String>)> {
    let draft = |columns: &[FileColumn]| {
        let table: Vec<TableColumn> = columns.iter().map(|column| column.table.clone()).collect();
        table::schema(&table, &options.table)
    };
    if options.goal == SchemaGoal::None {
        return Ok((draft(columns)?, Vec::new()));
    }
    let first = draft(columns)?;
    let given: Vec<&str> = options.table.types.iter().map(|text| &text[..]).collect();
    let is_given = |column: &TableColumn| {
        let mut names = given.iter().filter_map(|text| text.split_once('='));
        names.any(|(name, _)| name == column.name)
    };
    let kept = columns.iter().map(|column| &column.table);
    let kept = kept.filter(|column| is_given(column));
    let kept: Vec<String> = kept.map(|column| column.name.clone()).collect();
    let sample = sample(source, columns, &first)?;
    let recommended = sample.recommend(&first, options.goal, total, &kept)?;
    let enumerated = columns.iter().enumerate().filter(|(_, column)| {
        let enumeration = recommended.schema.attribute(&column.table.name);
        let enumeration = enumeration.and_then(|attribute| attribute.enumeration.as_ref());
        column.table.labels.is_none() && enumeration.is_some()
    });
    let enumerated: Vec<usize> = enumerated.map(|(index, _)| index).collect();
    if enumerated.is_empty() {
        return Ok((recommended.schema.clone(), recommended.reasons()));
    }
    collect_labels(source, file_schema, columns, &enumerated)?;
    // Columns with more labels in the file than in the sample stay texts.
    let names = columns.iter().map(|column| column.table.name.clone());
    let second = draft(columns)?;
    let sample = self::sample(source, columns, &second)?;
    let again = sample.recommend(&second, options.goal, total, &names.collect::<Vec<_>>())?;
    let labels = columns
        .iter()
        .filter(|column| column.table.labels.is_some());
    let labels: Vec<&str> = labels.map(|column| &column.table.name[..]).collect();
    let reasons = again.reasons_with_labels(&recommended, &labels);
    Ok((again.schema, reasons))
}

/// Reads a sample of the cells of all fields.
fn sample(source: &Source, columns: &[FileColumn], draft: &Schema) -> Result<SampleCells> {
    let mut columns = columns.to_vec();
    let mut rows: Vec<u64> = Vec::new();
    let (mut first, readers) = (0, TableReader::open_samples(source)?);
    let number = readers.len();
    for (index, reader) in readers.into_iter().enumerate() {
        let limit = SAMPLE_ROWS * (index + 1) / number;
        let memory_limit = SAMPLE_BYTES * (index + 1) / number;
        for batch in reader {
            interrupt::check()?;
            let batch = batch?;
            let batch = batch.slice(0, batch.num_rows().min(limit - rows.len()));
            append_batch(&mut columns, &batch, 0)?;
            rows.extend(first..first + batch.num_rows() as u64);
            first += batch.num_rows() as u64;
            let memory: usize = columns.iter().map(|column| column.buffer.memory()).sum();
            if rows.len() >= limit || memory >= memory_limit {
                break;
            }
        }
        // The next part of the sample does not follow the last one.
        first += 1 << 20;
    }
    if rows.is_empty() {
        return Err(Problem::usage("the file has no rows"));
    }
    let mut sample = SampleCells::default();
    let table: Vec<TableColumn> = columns.iter().map(|column| column.table.clone()).collect();
    if let Some(name) = table::row_dimension(&table) {
        sample.add_rows(&name, &rows);
    }
    for column in &columns {
        let name = &column.table.name;
        match column.transfer {
            Transfer::Bytes | Transfer::Labels => sample.add_bytes(name, column.buffer.bytes()),
            Transfer::Values => {
                let values = (0..rows.len()).map(|row| column.buffer.scalar(row));
                sample.add_values(draft, name, values);
            }
        }
    }
    Ok(sample)
}

/// Appends the rows of a file to an array.
pub(super) fn append(target: AppendTarget, source: &Source) -> Result<ImportSummary> {
    let reader = TableReader::open(source, None)?;
    let fields = reader.schema.fields().iter();
    let names: Vec<&str> = fields.clone().map(|field| field.name().as_str()).collect();
    target.check(&names)?;
    let columns = fields.map(|field| FileColumn::existing(field, target.column(field.name())?));
    let mut columns: Vec<FileColumn> = columns.collect::<Result<_>>()?;
    let table = columns.iter().map(|column| column.table.clone()).collect();
    let mut target = TableTarget::append(target, table)?;
    let copied = copy(reader, &mut columns, &mut target);
    copied.map_err(|problem| target.explain(problem))?;
    Ok(ImportSummary {
        cells: target.rows,
        fields: target.fields(),
        pictures_left_out: 0,
        reasons: Vec::new(),
    })
}

/// Writes all rows of a file, in writes of bounded size.
fn copy(reader: TableReader, columns: &mut [FileColumn], target: &mut TableTarget) -> Result<()> {
    let bar = Progress::new(reader.rows, "rows");
    let mut buffered_rows = 0;
    for batch in reader {
        interrupt::check()?;
        let batch = batch?;
        let first = target.rows + buffered_rows as u64;
        append_batch(columns, &batch, first)?;
        buffered_rows += batch.num_rows();
        let memory: usize = columns.iter().map(|column| column.buffer.memory()).sum();
        if memory >= WRITE_BYTES {
            write(columns, target, buffered_rows)?;
            buffered_rows = 0;
            bar.set(target.rows);
        }
    }
    if buffered_rows > 0 {
        write(columns, target, buffered_rows)?;
    }
    if target.rows == 0 {
        return Err(Problem::usage("the file has no rows"));
    }
    Ok(())
}

/// Appends the cells of a batch, whose first row is `first`, to the buffers.
fn append_batch(columns: &mut [FileColumn], batch: &RecordBatch, first: u64) -> Result<()> {
    for (column, array) in columns.iter_mut().zip(batch.columns()) {
        let name = &column.table.name;
        if column.transfer == Transfer::Labels {
            column.append_labels(array, first)?;
            continue;
        }
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            column.buffer.append(name, array, first)?;
            continue;
        };
        let plain = arrow_select::take::take(dictionary.values(), dictionary.keys(), None)?;
        column.buffer.append(name, &plain, first)?;
    }
    Ok(())
}

/// Writes the buffered rows and clears the buffers.
fn write(columns: &mut [FileColumn], target: &mut TableTarget, rows: usize) -> Result<()> {
    let existing = columns
        .iter()
        .filter(|column| column.transfer == Transfer::Values);
    target.add_labels(existing.map(|column| {
        let values = (0..rows).map(|row| column.buffer.scalar(row));
        (&column.table, values)
    }))?;
    let mut write = target.write(rows);
    for column in columns.iter() {
        write = column.add_to(write, rows);
    }
    target.submit(write, rows)?;
    columns.iter_mut().for_each(|column| column.buffer.clear());
    Ok(())
}

impl FileColumn {
    /// Returns the column of a new array for one of a file.
    fn new(field: &Field, options: &TableOptions, given: Option<Datatype>) -> Result<Self> {
        let (name, kind) = (field.name(), ColumnType::of(field)?);
        let is_dimension = options.dimensions.contains(name);
        let text = is_dimension && kind.datatype == Datatype::StringUtf8;
        let datatype = if text {
            Datatype::StringAscii
        } else {
            kind.datatype
        };
        let datatype = given.unwrap_or(datatype);
        let is_several = match kind.shape {
            CellShape::One => false,
            CellShape::Fixed(_) => true,
            CellShape::Any => !kind.datatype.is_string(),
        };
        let is_same_type = datatype == kind.datatype || are_texts(datatype, kind.datatype);
        if is_several && !is_same_type {
            let message = format!("column '{name}' has several values per cell");
            return Err(Problem::usage(message).hint("its datatype cannot be set with --type"));
        }
        let shape = match kind.shape {
            CellShape::Any if !is_same_type && !datatype.is_string() && !datatype.is_bytes() => {
                CellShape::One
            }
            shape => shape,
        };
        let has_nulls = field.is_nullable() || *field.data_type() == DataType::Null;
        let nullable = has_nulls && !is_dimension;
        Ok(Self {
            kind,
            transfer: if is_same_type {
                Transfer::Bytes
            } else {
                Transfer::Values
            },
            buffer: CellBuffer::new(kind, nullable),
            table: TableColumn {
                name: name.clone(),
                datatype,
                shape,
                nullable,
                is_dimension,
                labels: None,
            },
            indexes: HashMap::new(),
        })
    }

    /// Returns the column for one of an existing array. Numbers may have another size if they fit.
    fn existing(field: &Field, table: TableColumn) -> Result<Self> {
        let kind = ColumnType::of(field)?;
        let (from, to) = (kind.datatype, table.datatype);
        let is_same_type = from == to || are_texts(from, to);
        let transfer = if is_same_type && kind.shape == table.shape && table.labels.is_none() {
            Transfer::Bytes
        } else {
            let numbers = from.is_integer() && to.is_integer() || from.is_real() && to.is_real();
            let single = kind.shape == CellShape::One && table.shape == CellShape::One;
            let is_label = table.labels.is_some() && is_same_type;
            let converts = is_label || numbers && single;
            if !converts {
                let (name, from) = (&table.name, field.data_type());
                let message = format!(
                    "column '{name}' of Arrow's type {from} does not fit the field of {}",
                    table.kind()
                );
                return Err(Problem::usage(message).hint("convert the column in the file"));
            }
            Transfer::Values
        };
        Ok(Self {
            kind,
            transfer,
            buffer: CellBuffer::new(kind, table.nullable),
            table,
            indexes: HashMap::new(),
        })
    }

    /// Makes the texts values of an enumeration, and the cells of the buffer their indexes.
    fn set_labels(&mut self, labels: Labels) {
        self.transfer = Transfer::Labels;
        self.table.datatype = labels.index_type();
        self.table.shape = CellShape::One;
        let kind = ColumnType {
            datatype: self.table.datatype,
            shape: CellShape::One,
        };
        self.buffer = CellBuffer::new(kind, self.table.nullable);
        let indexes = labels.values.iter().cloned().zip(0..);
        self.indexes = indexes.collect();
        self.table.labels = Some(labels);
    }

    /// Appends the indexes of texts or of the texts of a dictionary.
    fn append_labels(&mut self, array: &ArrayRef, first: u64) -> Result<()> {
        let kind = ColumnType {
            datatype: Datatype::StringUtf8,
            shape: CellShape::Any,
        };
        let dictionary = array.as_any_dictionary_opt();
        let values = dictionary.map_or(array, |dictionary| dictionary.values());
        let mut texts = CellBuffer::new(kind, true);
        texts.append(&self.table.name, values, first)?;
        let index = |position: usize| match texts.scalar(position) {
            Some(Scalar::Text(text)) => self.indexes.get(&text).copied(),
            _ => None,
        };
        // Values that no cell has need no label.
        let labels: Vec<Option<u32>> = (0..values.len()).map(index).collect();
        let keys = match dictionary {
            Some(_) if values.is_empty() => vec![0; array.len()],
            Some(dictionary) => dictionary.normalized_keys(),
            None => (0..array.len()).collect(),
        };
        let nulls = array.logical_nulls();
        let is_null = |cell: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(cell));
        let mut cells = Vec::with_capacity(keys.len());
        for (cell, key) in keys.into_iter().enumerate() {
            match labels.get(key).copied().flatten() {
                Some(label) => cells.push(label),
                None if is_null(cell) => cells.push(0),
                None => {
                    let message = format!(
                        "row {}, column '{}': a text was not there when the file was read first",
                        first + cell as u64 + 1,
                        self.table.name
                    );
                    return Err(Problem::usage(message).hint("import it when nothing writes it"));
                }
            }
        }
        let name = &self.table.name;
        let cells = cells.into_iter();
        if self.table.datatype == Datatype::Uint16 {
            let cells = cells.map(|label| label as u16);
            let cells = UInt16Array::new(cells.collect(), nulls);
            self.buffer.append(name, &cells, first)
        } else {
            let cells = cells.map(|label| label as i32);
            let cells = Int32Array::new(cells.collect(), nulls);
            self.buffer.append(name, &cells, first)
        }
    }

    fn add_to(&self, write: WriteQuery, rows: usize) -> WriteQuery {
        let name = &self.table.name;
        match self.transfer {
            Transfer::Bytes | Transfer::Labels => write.column_bytes(name, self.buffer.bytes()),
            Transfer::Values => write.column(name, (0..rows).map(|row| self.buffer.scalar(row))),
        }
    }
}

fn columns(schema: &SchemaRef, options: &TableOptions) -> Result<Vec<FileColumn>> {
    let fields = schema.fields();
    let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    check_names(&names)?;
    let given = options.given(&names)?;
    let columns = fields.iter().map(|field| {
        let given = given.iter().find(|(name, _)| *name == field.name());
        FileColumn::new(field, options, given.map(|(_, datatype)| *datatype))
    });
    columns.collect()
}

/// Reads the texts of columns and makes them enumerations. A column with too many stays one of
/// texts.
fn collect_labels(
    source: &Source,
    schema: &SchemaRef,
    columns: &mut [FileColumn],
    collected: &[usize],
) -> Result<()> {
    if collected.is_empty() {
        return Ok(());
    }
    let mut found: Vec<LabelSet> = collected.iter().map(|_| LabelSet::default()).collect();
    let reader = TableReader::open_dictionaries(source, Some(collected.to_vec()), collected)?;
    for batch in reader {
        interrupt::check()?;
        for (labels, array) in found.iter_mut().zip(batch?.columns()) {
            // Values of a Parquet file that no cell has are those of nulls.
            let only_used = source.format == FileFormat::Parquet;
            match array.as_any_dictionary_opt() {
                Some(dictionary) => add_dictionary(labels, dictionary, only_used)?,
                None => add_texts(labels, array, &vec![true; array.len()])?,
            }
        }
    }
    for (index, labels) in collected.iter().zip(found) {
        let (Some(column), Some(field)) = (columns.get_mut(*index), schema.fields().get(*index))
        else {
            continue;
        };
        if let Some(labels) = labels.finish(field.dict_is_ordered().unwrap_or(false)) {
            column.set_labels(labels);
        }
    }
    Ok(())
}

/// Adds the values of a dictionary.
fn add_dictionary(
    labels: &mut LabelSet,
    dictionary: &dyn AnyDictionaryArray,
    only_used: bool,
) -> Result<()> {
    let values = dictionary.values();
    let mut used = vec![!only_used; values.len()];
    if only_used && !values.is_empty() {
        let keys = dictionary.normalized_keys();
        let valid = keys.into_iter().enumerate();
        for (_, key) in valid.filter(|(cell, _)| dictionary.keys().is_valid(*cell)) {
            if let Some(used) = used.get_mut(key) {
                *used = true;
            }
        }
    }
    add_texts(labels, values, &used)
}

/// Adds the texts of an array that are used.
fn add_texts(labels: &mut LabelSet, values: &ArrayRef, used: &[bool]) -> Result<()> {
    let kind = ColumnType {
        datatype: Datatype::StringUtf8,
        shape: CellShape::Any,
    };
    let mut texts = CellBuffer::new(kind, true);
    texts.append("", values, 0)?;
    for (index, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        if let Some(Scalar::Text(text)) = texts.scalar(index) {
            labels.add(&text);
        }
    }
    Ok(())
}
