//! `import`: creates an array from a file. It appears under its name when it is complete.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tiledb_engine::{
    Array, ArrayType, Compressor, Context, Datatype, Filter, FilterList, Layout, ObjectType,
    Schema, Value as Number, WriteQuery,
};

use super::import_csv;
use crate::args::FileFormat;
use crate::npy::NpyHeader;
use crate::output::Output;
use crate::problem::{Problem, Result};

/// The memory for values of a write, in bytes.
const SLAB: u64 = 64 << 20;

/// The columns of a CSV file.
pub(super) struct Columns {
    /// The columns that become dimensions.
    pub(super) dimensions: Vec<String>,
    /// Datatypes of columns, as `COLUMN=DATATYPE`.
    pub(super) types: Vec<String>,
}

/// Returns the format of a file.
pub(super) fn format_of(file: &str, format: Option<FileFormat>) -> Result<FileFormat> {
    let extension = Path::new(file).extension().and_then(|of| of.to_str());
    let by_extension = match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("csv") => Some(FileFormat::Csv),
        Some("npy") => Some(FileFormat::Npy),
        Some("json") => Some(FileFormat::Json),
        _ => None,
    };
    format.or(by_extension).ok_or_else(|| {
        Problem::usage(format!("the format of '{file}' is not known"))
            .hint("give it with --format csv, npy or json")
    })
}

/// Creates an array from a file.
pub(super) fn import(
    context: &Context,
    file: &str,
    uri: &str,
    format: Option<FileFormat>,
    columns: &Columns,
    output: &mut Output,
) -> Result<()> {
    let format = format_of(file, format)?;
    if context.object_type(uri)? != ObjectType::Invalid {
        return Err(
            Problem::usage(format!("something exists at '{uri}' already"))
                .hint("choose another URI, or remove it with `tiledb-rs rm`"),
        );
    }
    let staged = Staged::new(context, uri);
    let source = File::open(file).map_err(|error| Problem::file("open", file, &error))?;
    let imported = match format {
        FileFormat::Csv => import_csv::import(context, source, &staged.uri, columns),
        FileFormat::Npy => import_npy(context, source, &staged.uri),
        FileFormat::Json => {
            Err(Problem::usage("JSON files cannot be imported").hint("convert the file to CSV"))
        }
    };
    let imported = imported?;
    staged.publish()?;
    let fields = imported.fields.iter();
    let fields = fields.map(|(name, kind)| json!({"name": name, "type": kind}));
    let json = json!({
        "uri": uri, "cells": imported.cells, "fields": fields.collect::<Vec<Value>>(),
    });
    output.print(&json, || {
        let fields = imported.fields.iter();
        let fields: String = fields
            .map(|(name, kind)| format!("  {name}: {kind}\n"))
            .collect();
        format!("imported {} cells to {uri}\n{fields}", imported.cells)
    })
}

/// The result of an import.
pub(super) struct Imported {
    pub(super) cells: u64,
    /// Names and datatypes.
    pub(super) fields: Vec<(String, String)>,
}

/// An array that is being imported under a temporary name: an import that is killed leaves nothing
/// at the target. It is removed unless it is published.
struct Staged<'a> {
    context: &'a Context,
    uri: String,
    target: &'a str,
    published: bool,
}

impl<'a> Staged<'a> {
    fn new(context: &'a Context, target: &'a str) -> Self {
        // Another machine may import into the same bucket.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| now.as_millis());
        let id = std::process::id();
        Self {
            context,
            uri: format!("{}.importing-{id}-{now}", target.trim_end_matches('/')),
            target,
            published: false,
        }
    }

    fn publish(mut self) -> Result<()> {
        self.context.rename(&self.uri, self.target)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        let exists = matches!(self.context.object_type(&self.uri), Ok(ObjectType::Array));
        if !self.published && exists {
            // The error that ended the import is reported.
            let _ = self.context.remove(&self.uri);
        }
    }
}

/// Returns a compressor that suits most values.
pub(super) fn compression() -> FilterList {
    FilterList::of(Filter::compression(Compressor::Zstd))
}

/// Returns the extent of tiles of a dimension, so that a tile has about 65,536 cells.
fn extent(size: u64, dimensions: usize) -> u64 {
    let most = 65_536f64.powf(1.0 / dimensions as f64) as u64;
    size.min(most.max(1))
}

fn import_npy(context: &Context, source: File, uri: &str) -> Result<Imported> {
    let mut source = BufReader::with_capacity(1 << 20, source);
    let mut header = NpyHeader::read(&mut source)?;
    if header.shape.is_empty() {
        header.shape.push(1);
    }
    let cells = header
        .values()
        .filter(|cells| *cells > 0 && *cells < 1 << 60);
    let cells = cells.ok_or_else(|| Problem::usage("the array has no values, or too many"))?;
    let mut builder = Schema::builder(ArrayType::Dense);
    for (index, size) in header.shape.iter().enumerate() {
        let extent = extent(*size, header.shape.len());
        builder = builder.dimension(&format!("d{index}"), Datatype::Int64, 0..=*size - 1, extent);
    }
    if header.fortran_order {
        builder = builder
            .cell_order(Layout::ColMajor)
            .tile_order(Layout::ColMajor);
    }
    let builder = builder
        .attribute("value", header.datatype)
        .filters("value", compression());
    Array::create(context, uri, &builder.build()?)?;
    write_npy(&Array::open(context, uri)?, &header, source)?;
    let dimensions = header.shape.iter().enumerate();
    let dimensions =
        dimensions.map(|(index, size)| (format!("d{index}"), format!("INT64 [0, {}]", size - 1)));
    let value = ("value".to_owned(), header.datatype.name().to_owned());
    Ok(Imported {
        cells,
        fields: dimensions.chain([value]).collect(),
    })
}

/// Writes the values in slabs of the dimension that varies slowest.
fn write_npy(array: &Array, header: &NpyHeader, mut source: impl Read) -> Result<()> {
    let slowest = if header.fortran_order {
        header.shape.len() - 1
    } else {
        0
    };
    let size = header.shape[slowest];
    let others: u64 = header.values().unwrap_or(0) / size;
    let row = others.saturating_mul(header.datatype.size() as u64);
    let extent = extent(size, header.shape.len());
    // Slabs consist of complete tiles.
    let rows = (SLAB / row.max(1) / extent).max(1).saturating_mul(extent);
    let mut first = 0;
    while first < size {
        let last = first.saturating_add(rows).min(size) - 1;
        let len = (last - first + 1).saturating_mul(row);
        let mut bytes = Vec::new();
        (&mut source).take(len).read_to_end(&mut bytes)?;
        if (bytes.len() as u64) < len {
            return Err(Problem::usage("the file ends before the last value"));
        }
        let write = array.write().range(&format!("d{slowest}"), first..=last);
        let layout = if header.fortran_order {
            Layout::ColMajor
        } else {
            Layout::RowMajor
        };
        values(write.layout(layout), header.datatype, &bytes).submit()?;
        first = last + 1;
    }
    Ok(())
}

/// Adds the values to a write.
fn values(write: WriteQuery, datatype: Datatype, bytes: &[u8]) -> WriteQuery {
    fn of<T: Number>(bytes: &[u8]) -> impl Iterator<Item = T> {
        bytes.chunks_exact(T::SIZE).map(T::read)
    }
    const NAME: &str = "value";
    match datatype {
        Datatype::Bool => write.column(NAME, bytes.iter().map(|byte| *byte != 0)),
        Datatype::Int8 => write.column(NAME, of::<i8>(bytes)),
        Datatype::Uint8 => write.column(NAME, of::<u8>(bytes)),
        Datatype::Int16 => write.column(NAME, of::<i16>(bytes)),
        Datatype::Uint16 => write.column(NAME, of::<u16>(bytes)),
        Datatype::Int32 => write.column(NAME, of::<i32>(bytes)),
        Datatype::Uint32 => write.column(NAME, of::<u32>(bytes)),
        Datatype::Int64 => write.column(NAME, of::<i64>(bytes)),
        Datatype::Uint64 => write.column(NAME, of::<u64>(bytes)),
        Datatype::Float32 => write.column(NAME, of::<f32>(bytes)),
        _ => write.column(NAME, of::<f64>(bytes)),
    }
}
