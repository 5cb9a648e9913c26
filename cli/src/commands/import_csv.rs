//! Import of CSV files: the datatypes are inferred from all rows, then the rows are written in
//! batches.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Seek};

use csv::{Reader, ReaderBuilder, StringRecord};
use indicatif::{ProgressBar, ProgressStyle};
use tiledb_engine::{Array, ArrayType, Attribute, Context, Datatype, Scalar, Schema};
use tiledb_engine::{SchemaBuilder, WriteQuery};

use super::import::{Columns, Imported, compression};
use crate::problem::{Problem, Result};
use crate::selection::{parse_datatype, parse_value};

/// The number of rows in a write.
const BATCH_ROWS: usize = 200_000;

/// The datatypes that a column can have, from the most to the least specific.
const CANDIDATES: [Datatype; 6] = [
    Datatype::Bool,
    Datatype::Int64,
    Datatype::Float64,
    Datatype::DatetimeDay,
    Datatype::DatetimeSec,
    Datatype::DatetimeMs,
];

/// A column and what its cells allow.
#[derive(Debug)]
struct CsvColumn {
    name: String,
    /// Whether all cells so far are values of the candidates.
    fits: [bool; CANDIDATES.len()],
    given: Option<Datatype>,
    has_empty: bool,
    has_values: bool,
    is_dimension: bool,
}

impl CsvColumn {
    fn observe(&mut self, cell: &str) {
        if cell.is_empty() {
            self.has_empty = true;
            return;
        }
        self.has_values = true;
        for (fits, datatype) in self.fits.iter_mut().zip(CANDIDATES) {
            *fits = *fits && is_value(datatype, cell);
        }
    }

    fn datatype(&self) -> Datatype {
        let text = if self.is_dimension {
            Datatype::StringAscii
        } else {
            Datatype::StringUtf8
        };
        let inferred = self.fits.iter().position(|fits| *fits && self.has_values);
        let inferred = inferred.map_or(text, |index| CANDIDATES[index]);
        self.given.unwrap_or(inferred)
    }

    fn is_text(&self) -> bool {
        self.datatype().is_string()
    }

    /// Returns the value of a cell; `None` for null.
    fn value(&self, cell: &str) -> Result<Option<Scalar>> {
        if cell.is_empty() && !self.is_text() {
            return Ok(None);
        }
        if cell.is_empty() {
            let null = self.has_empty && !self.is_dimension;
            return Ok(Some(Scalar::from("")).filter(|_| !null));
        }
        parse_value(self.datatype(), cell).map(Some)
    }
}

/// Returns whether a cell looks like a value of a datatype.
fn is_value(datatype: Datatype, cell: &str) -> bool {
    match datatype {
        Datatype::Bool => matches!(cell, "true" | "false"),
        Datatype::Int64 => cell.parse::<i64>().is_ok(),
        Datatype::Float64 => {
            let starts = cell.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            cell == "NaN" || starts && cell.parse::<f64>().is_ok()
        }
        // A year or a month alone is not taken for a day.
        _ => cell.len() >= 10 && Scalar::from(cell).to_bytes(datatype).is_ok(),
    }
}

fn reader(file: &File) -> Reader<BufReader<&File>> {
    ReaderBuilder::new().from_reader(BufReader::with_capacity(1 << 20, file))
}

/// Creates an array from a CSV file.
pub(super) fn import(
    context: &Context,
    mut file: File,
    uri: &str,
    options: &Columns,
) -> Result<Imported> {
    let (columns, rows) = infer(&file, options)?;
    if rows == 0 {
        return Err(Problem::usage("the file has no rows"));
    }
    let row_name = row_dimension(&columns);
    let schema = schema(&columns, options, row_name.as_deref())?;
    Array::create(context, uri, &schema)?;
    let array = Array::open(context, uri)?;
    file.rewind()?;
    let bar = ProgressBar::new(rows).with_style(style());
    let mut reader = reader(&file);
    let mut batch = Vec::new();
    let mut first = 0;
    for record in reader.records() {
        batch.push(record?);
        if batch.len() == BATCH_ROWS {
            write(&array, &columns, row_name.as_deref(), first, &batch)?;
            first += batch.len() as u64;
            bar.set_position(first);
            batch.clear();
        }
    }
    if !batch.is_empty() {
        write(&array, &columns, row_name.as_deref(), first, &batch)?;
    }
    bar.finish_and_clear();
    let named = columns.iter().map(|column| {
        let nullable = if column.has_empty && !column.is_dimension {
            "?"
        } else {
            ""
        };
        let role = if column.is_dimension {
            " (dimension)"
        } else {
            ""
        };
        let kind = format!("{}{nullable}{role}", column.datatype().name());
        (column.name.clone(), kind)
    });
    let row = row_name
        .iter()
        .map(|name| (name.clone(), "UINT64 (dimension)".to_owned()));
    Ok(Imported {
        cells: rows,
        fields: row.chain(named).collect(),
    })
}

/// The style of the progress bar, which is drawn on standard error if that is a terminal.
fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} rows, {per_sec}, {eta} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Returns the columns with their datatypes, and the number of rows.
fn infer(file: &File, options: &Columns) -> Result<(Vec<CsvColumn>, u64)> {
    let mut reader = reader(file);
    let mut columns = columns(reader.headers()?, options)?;
    let mut rows = 0;
    for record in reader.records() {
        let record = record?;
        for (column, cell) in columns.iter_mut().zip(&record) {
            column.observe(cell);
        }
        rows += 1;
    }
    let empty = columns
        .iter()
        .find(|of| of.is_dimension && of.has_empty && !of.is_text());
    if let Some(column) = empty {
        let message = format!(
            "column '{}' is a dimension but has empty cells",
            column.name
        );
        return Err(Problem::usage(message).hint("choose dimensions without empty cells"));
    }
    Ok((columns, rows))
}

fn columns(header: &StringRecord, options: &Columns) -> Result<Vec<CsvColumn>> {
    let mut names = HashSet::new();
    for name in header {
        if name.is_empty() || name.starts_with("__") || !names.insert(name) {
            return Err(
                Problem::usage(format!("'{name}' cannot be the name of a column"))
                    .hint("names must be different, not empty, and not begin with '__'"),
            );
        }
    }
    let known = |name: &str| {
        if names.contains(name) {
            return Ok(());
        }
        let all = header.iter().collect::<Vec<_>>().join(", ");
        Err(Problem::usage(format!("there is no column '{name}'"))
            .hint(format!("the columns are: {all}")))
    };
    let mut given = Vec::new();
    for text in &options.types {
        let (name, datatype) = text.split_once('=').ok_or_else(|| {
            Problem::usage(format!("'{text}' is not a datatype of a column"))
                .hint("write --type COLUMN=DATATYPE, such as --type year=INT32")
        })?;
        known(name)?;
        given.push((name, parse_datatype(datatype)?));
    }
    options.dimensions.iter().try_for_each(|name| known(name))?;
    let columns = header.iter().map(|name| CsvColumn {
        name: name.to_owned(),
        fits: [true; CANDIDATES.len()],
        given: given
            .iter()
            .find(|(of, _)| *of == name)
            .map(|(_, datatype)| *datatype),
        has_empty: false,
        has_values: false,
        is_dimension: options.dimensions.iter().any(|of| of == name),
    });
    Ok(columns.collect())
}

/// Returns the name of the dimension with the numbers of rows, if no column is a dimension.
fn row_dimension(columns: &[CsvColumn]) -> Option<String> {
    if columns.iter().any(|column| column.is_dimension) {
        return None;
    }
    let free = |name: &&str| columns.iter().all(|column| column.name != **name);
    let names = ["row", "row_number", "tiledb_row"];
    names
        .iter()
        .find(|name| free(name))
        .map(|name| (*name).to_owned())
}

fn schema(columns: &[CsvColumn], options: &Columns, row_name: Option<&str>) -> Result<Schema> {
    let mut builder = Schema::builder(ArrayType::Sparse).capacity(10_000);
    if let Some(name) = row_name {
        let domain = 0..=u64::MAX / 2;
        builder = builder.dimension(name, Datatype::Uint64, domain, 10_000);
        builder = builder.filters(name, compression());
    } else {
        // Two rows may have the same coordinates.
        builder = builder.allow_duplicates(true);
    }
    for name in &options.dimensions {
        let Some(column) = columns.iter().find(|column| column.name == *name) else {
            continue;
        };
        builder = dimension(builder, column)?.filters(&column.name, compression());
    }
    for column in columns.iter().filter(|column| !column.is_dimension) {
        let attribute = Attribute::of(&column.name, column.datatype());
        let attribute = if column.has_empty {
            attribute.with_nulls()
        } else {
            attribute
        };
        builder = builder.with_attribute(attribute.with_filters(compression())?);
    }
    Ok(builder.build()?)
}

/// Adds a dimension with a domain for later rows as well.
fn dimension(builder: SchemaBuilder, column: &CsvColumn) -> Result<SchemaBuilder> {
    let (name, datatype) = (&column.name, column.datatype());
    let (years, half) = ("0001-01-01"..="9999-12-31", 1i64 << 62);
    Ok(match datatype {
        Datatype::StringAscii => builder.string_dimension(name),
        Datatype::Int64 => builder.dimension(name, datatype, -half..=half, 10_000),
        Datatype::Int32 => builder.dimension(name, datatype, -(1 << 30)..=1 << 30, 10_000),
        Datatype::Float64 => builder.dimension(name, datatype, -1e300..=1e300, 1000.0),
        Datatype::DatetimeDay => builder.dimension(name, datatype, years, 366),
        Datatype::DatetimeSec => builder.dimension(name, datatype, years, 86_400 * 30),
        Datatype::DatetimeMs => builder.dimension(name, datatype, years, 86_400_000i64 * 30),
        other => {
            let message = format!("column '{name}' of {} cannot be a dimension", other.name());
            return Err(Problem::usage(message).hint(
                "dimensions are INT32, INT64, FLOAT64, DATETIME_DAY, DATETIME_SEC, DATETIME_MS or STRING_ASCII",
            ));
        }
    })
}

fn write(
    array: &Array,
    columns: &[CsvColumn],
    row_name: Option<&str>,
    first: u64,
    rows: &[StringRecord],
) -> Result<()> {
    let mut write: WriteQuery = array.write();
    if let Some(name) = row_name {
        write = write.column(name, first..first + rows.len() as u64);
    }
    for (index, column) in columns.iter().enumerate() {
        let mut values = Vec::with_capacity(rows.len());
        for (row, record) in rows.iter().enumerate() {
            let value = column.value(record.get(index).unwrap_or_default());
            values.push(value.map_err(|problem| {
                let row = first + row as u64 + 1;
                problem.within(&format!("row {row}, column '{}'", column.name))
            })?);
        }
        write = write.column(&column.name, values);
    }
    Ok(write.submit()?)
}
