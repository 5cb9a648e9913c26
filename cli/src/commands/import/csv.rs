//! Import of CSV files: the datatypes are inferred from all rows, then the rows are written in
//! batches.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use csv::{ByteRecord, Reader, ReaderBuilder, StringRecord};
use tiledb_engine::{Context, Datatype, Scalar, Schema};

use super::recommendation::{LabelSet, SAMPLE_BYTES, SAMPLE_ROWS, SampleCells};
use super::table::{self, AppendTarget, TableTarget, check_names};
use super::{CellShape, ImportSummary, Labels, TableColumn};
use crate::args::{ImportOptions, SchemaGoal, TableOptions};
use crate::interrupt;
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::selection::parse_value;

/// The most rows in a write.
const BATCH_ROWS: usize = 200_000;
/// The size of the text of rows after which they are written, in bytes.
const BATCH_BYTES: usize = 64 << 20;
/// The number of rows after which a signal is noticed.
const CHECK_ROWS: u64 = 4096;

/// The datatypes that a column can have, from the most to the least specific.
const CANDIDATES: [Datatype; 9] = [
    Datatype::Bool,
    Datatype::Int64,
    // As floating-point numbers, large integers would be rounded.
    Datatype::Uint64,
    Datatype::Float64,
    Datatype::DatetimeDay,
    Datatype::DatetimeSec,
    Datatype::DatetimeMs,
    Datatype::DatetimeUs,
    Datatype::DatetimeNs,
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
    /// The texts, if the column becomes an enumeration.
    labels: Option<Labels>,
    /// The column of an existing array; its datatype is given.
    existing: Option<TableColumn>,
}

impl CsvColumn {
    fn observe(&mut self, cell: &str) -> Result<()> {
        if self.existing.is_some() {
            // Rows that cannot be written are found before others are.
            return self.value(cell).map(drop);
        }
        if cell.is_empty() {
            self.has_empty = true;
            return Ok(());
        }
        self.has_values = true;
        for (fits, datatype) in self.fits.iter_mut().zip(CANDIDATES) {
            *fits = *fits && is_value(datatype, cell);
        }
        Ok(())
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

    /// Returns the column as one of a table.
    fn table_column(&self) -> TableColumn {
        if let Some(column) = &self.existing {
            return column.clone();
        }
        let index_type = self.labels.as_ref().map(Labels::index_type);
        TableColumn {
            name: self.name.clone(),
            datatype: index_type.unwrap_or(self.datatype()),
            shape: CellShape::One,
            nullable: self.has_empty && !self.is_dimension,
            is_dimension: self.is_dimension,
            labels: self.labels.clone(),
        }
    }

    /// Returns whether empty cells are null.
    fn is_nullable(&self) -> bool {
        match &self.existing {
            Some(column) => column.nullable,
            None => self.has_empty && !self.is_dimension,
        }
    }

    /// Returns the value of a cell; `None` for null.
    fn value(&self, cell: &str) -> Result<Option<Scalar>> {
        match cell {
            "" if self.is_nullable() => Ok(None),
            "" if self.is_text() => Ok(Some(Scalar::from(""))),
            "" => Err(Problem::usage("an empty cell is null, which it cannot be")
                .hint("the field is not nullable; fill the cell in")),
            cell => match parse_value(self.datatype(), cell) {
                Err(problem) if self.existing.is_none() => Err(problem.hint(format!(
                    "--type {}=STRING_UTF8 keeps the cells as texts",
                    self.name
                ))),
                value => value.map(Some),
            },
        }
    }
}

/// Returns whether a cell looks like a value of a datatype.
fn is_value(datatype: Datatype, cell: &str) -> bool {
    match datatype {
        Datatype::Bool => matches!(cell, "true" | "false"),
        // As an integer, -0 would lose its sign.
        Datatype::Int64 => cell
            .parse::<i64>()
            .is_ok_and(|number| number != 0 || !cell.starts_with('-')),
        Datatype::Uint64 => cell.parse::<u64>().is_ok(),
        Datatype::Float64 => {
            let starts = cell.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
            // Exported files have NaN and inf, those of NumPy nan.
            let number = || cell.parse().is_ok_and(|number| is_kept(cell, number));
            matches!(cell, "NaN" | "nan" | "inf") || starts && number()
        }
        // A year or a month alone is not taken for a day. Exported files have the text NaT.
        _ => (cell.len() >= 10 || cell == "NaT") && Scalar::from(cell).to_bytes(datatype).is_ok(),
    }
}

/// The number of digits of integers that floating-point numbers have in any case.
const EXACT_DIGITS: usize = 15;

/// Returns whether a floating-point number has all digits of a text that is an integer, and is not
/// infinite because the text is too large.
fn is_kept(cell: &str, number: f64) -> bool {
    let digits = cell.trim_start_matches(['+', '-', '0']);
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_integer && digits.len() > EXACT_DIGITS {
        return number.abs().to_string() == digits;
    }
    number.is_finite() || !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
}

fn reader(file: &File) -> Reader<BufReader<&File>> {
    ReaderBuilder::new().from_reader(BufReader::with_capacity(1 << 20, file))
}

/// Creates an array from a CSV file.
pub(super) fn import(
    context: &Context,
    file: &File,
    uri: &str,
    options: &ImportOptions,
) -> Result<ImportSummary> {
    let (mut columns, rows) = infer(file, |header| self::columns(header, &options.table))?;
    let (schema, reasons) = choose_schema(file, &mut columns, rows, options)?;
    let table = columns.iter().map(CsvColumn::table_column).collect();
    let mut target = TableTarget::create(context, uri, table, &schema)?;
    copy(file, &columns, rows, &mut target)?;
    Ok(ImportSummary {
        cells: rows,
        fields: target.fields(),
        pictures_left_out: 0,
        reasons,
    })
}

/// Returns the schema for the goal, and the reasons for it. Columns of texts for which an
/// enumeration is recommended get their labels, from the complete file.
fn choose_schema(
    file: &File,
    columns: &mut [CsvColumn],
    rows: u64,
    options: &ImportOptions,
) -> Result<(Schema, Vec<String>)> {
    let draft = |columns: &[CsvColumn]| {
        let table: Vec<TableColumn> = columns.iter().map(CsvColumn::table_column).collect();
        table::schema(&table, &options.table)
    };
    let first = draft(columns)?;
    if options.goal == SchemaGoal::None {
        return Ok((first, Vec::new()));
    }
    let given = columns.iter().filter(|column| column.given.is_some());
    let given: Vec<String> = given.map(|column| column.name.clone()).collect();
    let sample = sample(file, columns, &first)?;
    let recommended = sample.recommend(&first, options.goal, Some(rows), &given)?;
    let mut enumerated: Vec<usize> = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let attribute = recommended.schema.attribute(&column.name);
        if attribute.is_some_and(|attribute| attribute.enumeration.is_some()) {
            enumerated.push(index);
        }
    }
    if enumerated.is_empty() {
        return Ok((recommended.schema.clone(), recommended.reasons()));
    }
    collect_labels(file, columns, &enumerated)?;
    let second = draft(columns)?;
    let sample = self::sample(file, columns, &second)?;
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let again = sample.recommend(&second, options.goal, Some(rows), &names)?;
    let labels = columns.iter().filter(|column| column.labels.is_some());
    let labels: Vec<&str> = labels.map(|column| &column.name[..]).collect();
    let reasons = again.reasons_with_labels(&recommended, &labels);
    Ok((again.schema, reasons))
}

/// Reads a sample of the cells of all fields: the first rows.
fn sample(mut file: &File, columns: &[CsvColumn], draft: &Schema) -> Result<SampleCells> {
    file.rewind()?;
    let (mut records, mut bytes) = (Vec::new(), 0);
    for record in reader(file).records() {
        let record = record?;
        bytes += record.as_slice().len();
        records.push(record);
        if records.len() == SAMPLE_ROWS || bytes >= SAMPLE_BYTES {
            break;
        }
    }
    let mut sample = SampleCells::default();
    let table: Vec<TableColumn> = columns.iter().map(CsvColumn::table_column).collect();
    if let Some(name) = table::row_dimension(&table) {
        let rows: Vec<u64> = (0..records.len() as u64).collect();
        sample.add_rows(&name, &rows);
    }
    for (index, column) in columns.iter().enumerate() {
        let indexes: HashMap<&str, i128> = match &column.labels {
            Some(labels) => labels
                .values
                .iter()
                .map(|text| &text[..])
                .zip(0..)
                .collect(),
            None => HashMap::new(),
        };
        let mut values = Vec::with_capacity(records.len());
        for (row, record) in records.iter().enumerate() {
            let value = column.value(record.get(index).unwrap_or_default());
            let value =
                value.map_err(|problem| problem.within(&position(row as u64, &column.name)))?;
            values.push(match value {
                Some(Scalar::Text(text)) if column.labels.is_some() => {
                    indexes.get(&text[..]).map(|index| Scalar::Integer(*index))
                }
                value => value,
            });
        }
        sample.add_values(draft, &column.name, values.into_iter());
    }
    Ok(sample)
}

/// Reads the texts of columns and makes them enumerations. A column with too many stays one of
/// texts.
fn collect_labels(mut file: &File, columns: &mut [CsvColumn], collected: &[usize]) -> Result<()> {
    file.rewind()?;
    let mut found: Vec<LabelSet> = collected.iter().map(|_| LabelSet::default()).collect();
    for (row, record) in reader(file).records().enumerate() {
        let record = record?;
        for (labels, index) in found.iter_mut().zip(collected) {
            let column = &columns[*index];
            if let Some(Scalar::Text(text)) =
                column.value(record.get(*index).unwrap_or_default())?
            {
                labels.add(&text);
            }
        }
        if (row as u64).is_multiple_of(CHECK_ROWS) {
            interrupt::check()?;
        }
    }
    for (labels, index) in found.into_iter().zip(collected) {
        columns[*index].labels = labels.finish(false);
    }
    Ok(())
}

/// Appends the rows of a CSV file to an array.
pub(super) fn append(target: AppendTarget, file: &File) -> Result<ImportSummary> {
    let (columns, rows) = infer(file, |header| {
        let names: Vec<&str> = header.iter().collect();
        target.check(&names)?;
        let columns = names.iter().map(|name| existing(target.column(name)?));
        columns.collect()
    })?;
    let table = columns.iter().map(CsvColumn::table_column).collect();
    let mut target = TableTarget::append(target, table)?;
    let copied = copy(file, &columns, rows, &mut target);
    copied.map_err(|problem| target.explain(problem))?;
    Ok(ImportSummary {
        cells: rows,
        fields: target.fields(),
        pictures_left_out: 0,
        reasons: Vec::new(),
    })
}

/// Returns the column of a file for one of an array.
fn existing(column: TableColumn) -> Result<CsvColumn> {
    let text = column.datatype.is_string() || column.datatype == Datatype::Char;
    if column.shape != CellShape::One && !text && !column.datatype.is_bytes() {
        let message = format!("field '{}' has several values per cell", column.name);
        return Err(Problem::usage(message).hint("append a Parquet or Arrow file instead"));
    }
    Ok(CsvColumn {
        name: column.name.clone(),
        fits: [false; CANDIDATES.len()],
        given: Some(column.datatype),
        has_empty: false,
        has_values: false,
        is_dimension: column.is_dimension,
        labels: None,
        existing: Some(column),
    })
}

/// Writes the rows of a file.
fn copy(mut file: &File, columns: &[CsvColumn], rows: u64, target: &mut TableTarget) -> Result<()> {
    file.rewind()?;
    let bar = Progress::new(Some(rows), "rows");
    let mut reader = reader(file);
    let (mut batch, mut bytes) = (Vec::new(), 0);
    for record in reader.records() {
        let record = record?;
        bytes += record.as_slice().len();
        batch.push(record);
        if batch.len() == BATCH_ROWS || bytes >= BATCH_BYTES {
            write(target, columns, &batch)?;
            bar.set(target.rows);
            batch.clear();
            bytes = 0;
        }
    }
    if !batch.is_empty() {
        write(target, columns, &batch)?;
    }
    Ok(())
}

/// Returns the columns with their datatypes, and the number of rows.
fn infer(
    file: &File,
    columns: impl FnOnce(&StringRecord) -> Result<Vec<CsvColumn>>,
) -> Result<(Vec<CsvColumn>, u64)> {
    let mut reader = reader(file);
    let mut columns = columns(reader.headers()?)?;
    let (mut rows, mut last) = (0, 0);
    let size = file.metadata().map_or(0, |metadata| metadata.len());
    let bar = Progress::bytes(size);
    for record in reader.records() {
        let record = record?;
        for (column, cell) in columns.iter_mut().zip(&record) {
            let observed = column.observe(cell);
            observed.map_err(|problem| problem.within(&position(rows, &column.name)))?;
        }
        last = record.position().map_or(0, |position| position.byte());
        rows += 1;
        if rows % CHECK_ROWS == 0 {
            bar.set(last);
            interrupt::check()?;
        }
    }
    let empty = columns
        .iter()
        .find(|column| column.is_dimension && column.has_empty && !column.is_text());
    if let Some(column) = empty {
        let message = format!(
            "column '{}' is a dimension but has empty cells",
            column.name
        );
        return Err(Problem::usage(message).hint("choose dimensions without empty cells"));
    }
    if rows == 0 {
        return Err(Problem::usage("the file has no rows"));
    }
    check_last_quote(file, last, rows)?;
    Ok((columns, rows))
}

/// Returns an error if a quote in the last row, which starts at byte `start`, is not closed: the
/// cell with the quote has all rows that follow it in the file, so that they would be lost.
fn check_last_quote(mut file: &File, start: u64, rows: u64) -> Result<()> {
    file.seek(SeekFrom::Start(start))?;
    // A line after the end of the file is a row unless it is in quotes.
    let rest = BufReader::new(file).chain(&b"\n-"[..]);
    let mut builder = ReaderBuilder::new();
    let mut reader = builder.has_headers(false).flexible(true).from_reader(rest);
    let mut row = ByteRecord::new();
    if reader.read_byte_record(&mut row)? && reader.read_byte_record(&mut row)? {
        return Ok(());
    }
    let message = format!("row {rows}: a quote is not closed before the end of the file");
    Err(Problem::usage(message).hint("a quote in a cell is written twice, in a cell in quotes"))
}

/// Returns the position of a cell for errors.
fn position(row: u64, column: &str) -> String {
    format!("row {}, column '{column}'", row + 1)
}

fn columns(header: &StringRecord, options: &TableOptions) -> Result<Vec<CsvColumn>> {
    let names: Vec<&str> = header.iter().collect();
    check_names(&names)?;
    let given = options.given(&names)?;
    let columns = header.iter().map(|name| CsvColumn {
        name: name.to_owned(),
        fits: [true; CANDIDATES.len()],
        given: given
            .iter()
            .find(|(column, _)| *column == name)
            .map(|(_, datatype)| *datatype),
        has_empty: false,
        has_values: false,
        is_dimension: options.dimensions.iter().any(|dimension| dimension == name),
        labels: None,
        existing: None,
    });
    Ok(columns.collect())
}

fn write(target: &mut TableTarget, columns: &[CsvColumn], rows: &[StringRecord]) -> Result<()> {
    interrupt::check()?;
    let mut values = Vec::with_capacity(columns.len());
    for (index, column) in columns.iter().enumerate() {
        let cells = rows.iter().enumerate().map(|(row, record)| {
            let value = column.value(record.get(index).unwrap_or_default());
            value.map_err(|problem| {
                problem.within(&position(target.rows + row as u64, &column.name))
            })
        });
        values.push(cells.collect::<Result<Vec<Option<Scalar>>>>()?);
    }
    let existing = columns.iter().zip(&values);
    target.add_labels(existing.filter_map(|(column, values)| {
        Some((column.existing.as_ref()?, values.iter().cloned()))
    }))?;
    let mut write = target.write(rows.len());
    for (column, values) in columns.iter().zip(values) {
        write = write.column(&column.name, values);
    }
    target.submit(write, rows.len())
}
