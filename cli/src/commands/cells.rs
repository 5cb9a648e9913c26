//! `head` and `cat`, and the writers of cells.

use std::io::{BufWriter, IsTerminal, Write};

use arrow_array::RecordBatchReader;
use arrow_schema::{DataType, Schema as ArrowSchema};
use serde_json::{Map, Value};
use tiledb_engine::{Aggregate, Context, Datatype, Records, Scalar};

use crate::args::{CellFormat, Cells, FileFormat};
use crate::cell_text::{cell_json, is_number, table_text};
use crate::columnar::TableWriter;
use crate::interrupt;
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::progress::Progress;
use crate::selection::{SelectedCells, open, selected_cells};
use crate::table::Table;

/// The number of cells of a text after which a signal is noticed.
const SIGNAL_CELLS: usize = 4096;
/// The memory for a batch in bytes.
const BATCH: usize = 8 << 20;

/// Prints the first cells.
pub(super) fn head(
    context: &Context,
    uri: &str,
    count: usize,
    cells: &Cells,
    output: &mut Output,
) -> Result<()> {
    cat(context, uri, cells, CellFormat::Table, count, output)
}

/// Prints cells in a format, up to a number.
pub(super) fn cat(
    context: &Context,
    uri: &str,
    cells: &Cells,
    format: CellFormat,
    limit: usize,
    output: &mut Output,
) -> Result<()> {
    let array = open(context, uri, cells.time)?;
    let cells = selected_cells(&array, cells)?;
    let format = if output.json {
        CellFormat::Json
    } else {
        format
    };
    if format == CellFormat::Arrow {
        if std::io::stdout().is_terminal() {
            return Err(Problem::usage("a stream of Arrow is not text")
                .hint("redirect the output to a file or a program"));
        }
        // The lock of `output` cannot move to other threads, which a writer requires.
        let mut out = BufWriter::new(std::io::stdout());
        write_table(&cells, FileFormat::ArrowStream, limit, &mut out)?;
        return Ok(out.flush()?);
    }
    write_cells(&cells, format, limit, output.writer())?;
    Ok(output.writer().flush()?)
}

/// Writes cells to a file or standard output; returns their number.
pub(crate) fn write_cells(
    selected: &SelectedCells,
    format: CellFormat,
    limit: usize,
    out: &mut impl Write,
) -> Result<u64> {
    let query = selected.query.clone().batch_bytes(BATCH);
    let limit = if selected.is_empty { 0 } else { limit };
    let mut left = limit;
    let mut written = 0;
    let mut writer = CellWriter::new(format);
    let batches = query.batches()?;
    writer.begin(&batches.empty(), out)?;
    for batch in batches.take_while(|_| limit > 0) {
        interrupt::check()?;
        let batch = batch?;
        let cells = batch.len().min(left);
        writer.write(&batch, cells, out)?;
        written += cells as u64;
        left -= cells;
        if left == 0 {
            break;
        }
    }
    writer.end(out)?;
    Ok(written)
}

/// Writes cells as a Parquet or Arrow file; returns their number.
pub(crate) fn write_table(
    selected: &SelectedCells,
    format: FileFormat,
    limit: usize,
    out: &mut (impl Write + Send),
) -> Result<u64> {
    let query = selected.query.clone().batch_bytes(BATCH);
    let limit = if selected.is_empty { 0 } else { limit };
    let mut batches = query.record_batches()?;
    if !selected.is_empty && has_durations(selected, &batches.schema())? {
        batches = query.durations().record_batches()?;
    }
    let mut writer = TableWriter::new(format, out, &batches.schema())?;
    let bar = Progress::new(None, "cells");
    let (mut left, mut written) = (limit, 0);
    for batch in batches.take_while(|_| limit > 0) {
        interrupt::check()?;
        let batch = batch?;
        let cells = batch.num_rows().min(left);
        writer.write(&batch.slice(0, cells))?;
        written += cells as u64;
        bar.set(written);
        left -= cells;
        if left == 0 {
            break;
        }
    }
    writer.finish()?;
    Ok(written)
}

/// Returns whether a field of times has values that are not times of a day, such as those of an
/// imported column of durations. Then all fields of times are exported as durations, whose values
/// Arrow does not limit. Times whose values are not compared, which are lists and labels, are taken
/// for durations.
fn has_durations(selected: &SelectedCells, columns: &ArrowSchema) -> Result<bool> {
    let is_time = |kind: &DataType| matches!(kind, DataType::Time32(_) | DataType::Time64(_));
    let mut ends = Vec::new();
    for column in columns.fields() {
        let (name, kind) = (column.name(), column.data_type());
        match kind {
            DataType::FixedSizeList(item, _) | DataType::LargeList(item)
                if is_time(item.data_type()) =>
            {
                return Ok(true);
            }
            _ if !is_time(kind) => {}
            _ if selected.schema.labels().any(|(label, _)| label == name) => return Ok(true),
            _ => ends.extend([Aggregate::min(name), Aggregate::max(name)]),
        }
    }
    let ends = selected.query.aggregate(&ends)?;
    Ok(ends.iter().any(|end| match end.scalar(0) {
        Some(Scalar::Integer(time)) => !(0..units_of_day(end.datatype())).contains(&time),
        _ => false,
    }))
}

/// Returns the number of units of a datatype of times in a day.
fn units_of_day(datatype: Datatype) -> i128 {
    match datatype {
        Datatype::TimeHr => 24,
        Datatype::TimeMin => 24 * 60,
        Datatype::TimeSec => 86_400,
        Datatype::TimeMs => 86_400_000,
        Datatype::TimeUs => 86_400_000_000,
        _ => 86_400_000_000_000,
    }
}

/// Returns an error if a signal was received, which is looked up for some of the cells.
fn check_signal(cell: usize) -> Result<()> {
    if cell.is_multiple_of(SIGNAL_CELLS) {
        interrupt::check()?;
    }
    Ok(())
}

/// The state of writing cells in a format.
struct CellWriter {
    format: CellFormat,
    table: Option<Table>,
    is_first: bool,
}

impl CellWriter {
    fn new(format: CellFormat) -> Self {
        Self {
            format,
            table: None,
            is_first: true,
        }
    }

    /// Writes what precedes the cells.
    fn begin(&mut self, fields: &Records, out: &mut impl Write) -> Result<()> {
        let names = fields.fields().iter().map(|field| field.name().to_owned());
        match self.format {
            CellFormat::Table => {
                let fields = fields.fields().iter().enumerate();
                let numbers = fields.filter(|(_, field)| is_number(field.value_datatype()));
                self.table = Some(Table::new(names).right(numbers.map(|(index, _)| index)));
            }
            CellFormat::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                writer.write_record(names)?;
                writer.flush()?;
            }
            CellFormat::Json => out.write_all(b"[")?,
            // `write_table` writes these.
            CellFormat::Arrow => {}
        }
        Ok(())
    }

    fn write(&mut self, batch: &Records, cells: usize, out: &mut impl Write) -> Result<()> {
        match self.format {
            CellFormat::Table => self.write_table(batch, cells, out)?,
            CellFormat::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                for cell in 0..cells {
                    check_signal(cell)?;
                    let fields = batch.fields().iter();
                    writer
                        .write_record(fields.map(|field| field.text(cell).unwrap_or_default()))?;
                }
                writer.flush()?;
            }
            CellFormat::Json => {
                for cell in 0..cells {
                    check_signal(cell)?;
                    let fields = batch.fields().iter();
                    let row = fields.map(|field| (field.name().to_owned(), cell_json(field, cell)));
                    let row = Value::Object(row.collect::<Map<_, _>>());
                    let separator = if self.is_first && cell == 0 {
                        "\n"
                    } else {
                        ",\n"
                    };
                    write!(out, "{separator}  {row}")?;
                }
            }
            CellFormat::Arrow => {}
        }
        self.is_first &= cells == 0;
        Ok(())
    }

    fn write_table(&mut self, batch: &Records, cells: usize, out: &mut impl Write) -> Result<()> {
        let Some(table) = &mut self.table else {
            return Ok(());
        };
        for cell in 0..cells {
            let fields = batch.fields().iter();
            let row = fields.map(|field| table_text(field, cell));
            let row = row.map(|text| text.unwrap_or_else(|| "null".to_owned()));
            table.push(row.collect());
        }
        Ok(out.write_all(table.part(self.is_first).as_bytes())?)
    }

    /// Writes what follows the cells.
    fn end(&mut self, out: &mut impl Write) -> Result<()> {
        match (self.format, &mut self.table) {
            (CellFormat::Table, Some(table)) if self.is_first => {
                out.write_all(table.part(true).as_bytes())?;
            }
            (CellFormat::Json, _) => {
                let end: &[u8] = if self.is_first { b"]\n" } else { b"\n]\n" };
                out.write_all(end)?;
            }
            _ => {}
        }
        Ok(())
    }
}
