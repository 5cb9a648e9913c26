//! Import of NumPy's `.npy` files to dense arrays.

use std::fs::File;
use std::io::{BufReader, Read};

use tiledb_engine::{Array, ArrayType, CellBytes, Context, Datatype, Layout, Schema};

use super::{Imported, compression};
use crate::interrupt;
use crate::npy::NpyHeader;
use crate::problem::{Problem, Result};
use crate::progress::Progress;

/// The memory for values of a write, in bytes.
const SLAB: u64 = 64 << 20;

/// Returns the extent of tiles of a dimension, so that a tile has about 65,536 cells.
fn extent(size: u64, dimensions: usize) -> u64 {
    let max_extent = 65_536f64.powf(1.0 / dimensions as f64) as u64;
    size.min(max_extent.max(1))
}

/// Creates an array from a `.npy` file.
pub(super) fn import(context: &Context, source: File, uri: &str) -> Result<Imported> {
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
    write(&Array::open(context, uri)?, &header, source)?;
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
fn write(array: &Array, header: &NpyHeader, mut source: impl Read) -> Result<()> {
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
    let bar = Progress::bytes(row.saturating_mul(size));
    let mut first = 0;
    while first < size {
        interrupt::check()?;
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
        let cells = CellBytes {
            data: &bytes,
            ..CellBytes::default()
        };
        write.layout(layout).column_bytes("value", cells).submit()?;
        first = last + 1;
        bar.set(first.saturating_mul(row));
    }
    Ok(())
}
