//! `export`: writes cells to a file, which appears under its name when it is complete.

use std::io::Write;

use serde_json::json;
use tiledb_engine::{Array, Context, Layout};

use super::cells::{write_cells, write_table};
use super::export_picture::export_picture;
use super::import::format_of;
use crate::args::{CellFormat, Cells, FileFormat};
use crate::interrupt;
use crate::npy::NpyHeader;
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::selection::{SelectedCells, dimension_sizes, open, selected_cells};
use crate::target_file::TargetFile;

/// Writes the selected cells of an array to a file.
pub(super) fn export(
    context: &Context,
    uri: &str,
    file: &str,
    format: Option<FileFormat>,
    cells: &Cells,
    output: &mut Output,
) -> Result<()> {
    let format = format_of(file, format)?;
    let array = open(context, uri, cells.time)?;
    let selected = selected_cells(&array, cells)?;
    interrupt::catch();
    let mut target = TargetFile::create(file)?;
    let written = match format {
        FileFormat::Csv => write_cells(&selected, CellFormat::Csv, usize::MAX, target.writer()),
        FileFormat::Json => write_cells(&selected, CellFormat::Json, usize::MAX, target.writer()),
        FileFormat::Npy => write_npy(&array, &selected, cells, target.writer()),
        FileFormat::Parquet | FileFormat::Arrow | FileFormat::ArrowStream => {
            write_table(&selected, format, usize::MAX, target.writer())
        }
        FileFormat::Npz => Err(Problem::usage("files of several arrays cannot be exported")
            .hint("export each attribute to a .npy file")),
        FileFormat::Png | FileFormat::Tiff => {
            export_picture(&array, cells, format, target.writer())
        }
    };
    let number = written.map_err(|problem| problem.of_file("write", file))?;
    // A signal during the last batch, or while the end of the file was written.
    interrupt::check()?;
    target.finish()?;
    let json = json!({"uri": uri, "file": file, "cells": number});
    output.print(&json, || format!("exported {number} cells to {file}\n"))
}

/// Writes one attribute as a NumPy array: with the shape of the selection if the array is dense,
/// otherwise with one dimension.
fn write_npy(
    array: &Array,
    selected: &SelectedCells,
    cells: &Cells,
    out: &mut impl Write,
) -> Result<u64> {
    let schema = array.schema()?;
    let name = match (&cells.columns[..], schema.attributes()) {
        ([column], _) => column.clone(),
        ([], [attribute]) => attribute.name.clone(),
        _ => {
            return Err(Problem::usage("a .npy file has the values of one field")
                .hint("select it with --columns NAME"));
        }
    };
    let query = selected.query.clone();
    let query = query.fields([name.as_str()]).layout(Layout::RowMajor);
    let mut batches = query.batches()?;
    let field = batches.empty();
    let field = field.field(&name)?;
    if field.values_per_cell() != Some(1) || field.is_nullable() {
        let message = format!("field '{name}' cannot be written to a .npy file");
        return Err(Problem::usage(message).hint("export it to CSV or JSON, or select numbers"));
    }
    let number = if selected.is_empty { 0 } else { query.count()? };
    let shape = selection_shape(array, selected, cells, number)?;
    let header = NpyHeader {
        datatype: field.datatype(),
        big_endian: false,
        fortran_order: false,
        shape: shape.unwrap_or_else(|| vec![number]),
    };
    let bytes = header.bytes().ok_or_else(|| {
        let datatype = field.datatype().name();
        Problem::usage(format!(
            "values of {datatype} cannot be written to a .npy file"
        ))
    })?;
    out.write_all(&bytes)?;
    if number == 0 {
        return Ok(0);
    }
    let mut written = 0;
    for batch in &mut batches {
        interrupt::check()?;
        let batch = batch?;
        out.write_all(batch.field(&name)?.data())?;
        written += batch.len() as u64;
    }
    Ok(written)
}

/// Returns the numbers of coordinates of a selection of `number` cells, which are a box; `None` if
/// they are not.
fn selection_shape(
    array: &Array,
    selected: &SelectedCells,
    cells: &Cells,
    number: u64,
) -> Result<Option<Vec<u64>>> {
    let schema = array.schema()?;
    let shape = if selected.is_empty {
        Some(vec![0; schema.dimensions().len()])
    } else {
        let sizes = dimension_sizes(array, &schema, cells)?;
        sizes.filter(|_| schema.is_dense())
    };
    let product = |sizes: &[u64]| {
        let mut sizes = sizes.iter();
        sizes.try_fold(1u64, |product, size| product.checked_mul(*size))
    };
    Ok(shape.filter(|sizes| product(sizes) == Some(number)))
}
