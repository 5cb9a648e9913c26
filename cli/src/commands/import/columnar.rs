//! Import of Parquet and Arrow files: columns have the datatypes of the file; the texts of
//! dictionaries are collected first and become enumerations.

use std::collections::HashSet;

use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use tiledb_engine::{Context, Datatype, Scalar, WriteQuery};

use super::table::{AppendTarget, TableTarget, check_names};
use super::{CellShape, Imported, Labels, TableColumn};
use crate::args::{FileFormat, TableOptions};
pub(super) use crate::columnar::Source;
use crate::columnar::{CellBuffer, ColumnType, TableReader, are_texts, is_dictionary};
use crate::interrupt;
use crate::problem::{Problem, Result};
use crate::progress::Progress;

/// The memory for the cells of a write in bytes.
const WRITE_BYTES: usize = 64 << 20;
/// The most values of an enumeration; a column with more becomes one of plain texts.
const MAX_LABELS: usize = 1 << 16;

/// The conversion of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transfer {
    /// The bytes are those of the field.
    Bytes,
    /// Each value is converted to the datatype of the field.
    Values,
}

/// A column of the file.
#[derive(Debug)]
struct FileColumn {
    kind: ColumnType,
    transfer: Transfer,
    buffer: CellBuffer,
    table: TableColumn,
}

/// Creates an array from a file.
pub(super) fn import(
    context: &Context,
    source: &Source,
    uri: &str,
    options: &TableOptions,
) -> Result<Imported> {
    let schema = TableReader::open(source, None)?.schema;
    let mut columns = columns(&schema, options)?;
    collect_labels(source, &schema, &mut columns)?;
    // Readers share the position in the file: only one may be in use.
    let reader = TableReader::open(source, None)?;
    let table = columns.iter().map(|column| column.table.clone()).collect();
    let mut target = TableTarget::create(context, uri, table, options)?;
    copy(reader, &mut columns, &mut target)?;
    Ok(Imported {
        cells: target.rows,
        fields: target.fields(),
        pictures_left_out: 0,
    })
}

/// Appends the rows of a file to an array.
pub(super) fn append(target: AppendTarget, source: &Source) -> Result<Imported> {
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
    Ok(Imported {
        cells: target.rows,
        fields: target.fields(),
        pictures_left_out: 0,
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
        let is_several = kind.shape != CellShape::One && !kind.datatype.is_string();
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
        })
    }

    /// Makes the texts values of an enumeration.
    fn set_labels(&mut self, labels: Labels) {
        self.transfer = Transfer::Values;
        self.table.datatype = Datatype::Int32;
        self.table.shape = CellShape::One;
        self.table.labels = Some(labels);
    }

    fn add_to(&self, write: WriteQuery, rows: usize) -> WriteQuery {
        let name = &self.table.name;
        match self.transfer {
            Transfer::Bytes => write.column_bytes(name, self.buffer.bytes()),
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

/// Reads the dictionaries of all columns whose datatype is not given, and makes them enumerations.
/// A dictionary that is too large stays a column of texts.
fn collect_labels(source: &Source, schema: &SchemaRef, columns: &mut [FileColumn]) -> Result<()> {
    let fields = schema.fields().iter().zip(columns.iter()).enumerate();
    let dictionaries = fields.filter(|(_, (field, column))| {
        let has_type_of_file = column.table.datatype == column.kind.datatype;
        is_dictionary(field.data_type()) && has_type_of_file && !column.table.is_dimension
    });
    let dictionaries: Vec<usize> = dictionaries.map(|(index, _)| index).collect();
    if dictionaries.is_empty() {
        return Ok(());
    }
    let mut found: Vec<LabelSet> = dictionaries.iter().map(|_| LabelSet::default()).collect();
    for batch in TableReader::open(source, Some(dictionaries.clone()))? {
        interrupt::check()?;
        for (labels, array) in found.iter_mut().zip(batch?.columns()) {
            if let Some(dictionary) = array.as_any_dictionary_opt() {
                // Values of a Parquet file that no cell has are those of nulls.
                let only_used = source.format == FileFormat::Parquet;
                labels.add(dictionary, only_used)?;
            }
        }
    }
    for (index, labels) in dictionaries.into_iter().zip(found) {
        let (Some(column), Some(field)) = (columns.get_mut(index), schema.fields().get(index))
        else {
            continue;
        };
        if labels.values.len() <= MAX_LABELS {
            column.set_labels(Labels {
                values: labels.values,
                ordered: field.dict_is_ordered().unwrap_or(false),
            });
        }
    }
    Ok(())
}

/// The distinct texts of dictionaries, in the order of their first occurrence.
#[derive(Debug, Default)]
struct LabelSet {
    values: Vec<String>,
    seen: HashSet<String>,
}

impl LabelSet {
    /// Adds the values of a dictionary.
    fn add(&mut self, dictionary: &dyn AnyDictionaryArray, only_used: bool) -> Result<()> {
        let values = dictionary.values();
        let kind = ColumnType {
            datatype: Datatype::StringUtf8,
            shape: CellShape::Any,
        };
        let mut texts = CellBuffer::new(kind, true);
        texts.append("", values, 0)?;
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
        for (index, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            if self.values.len() > MAX_LABELS {
                return Ok(());
            }
            if let Some(Scalar::Text(text)) = texts.scalar(index)
                && self.seen.insert(text.clone())
            {
                self.values.push(text);
            }
        }
        Ok(())
    }
}
