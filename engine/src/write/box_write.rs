//! Dense writes of a box of cells in row- or column-major order, divided into space tiles.
//!
//! Cells of a tile outside the box are written as zero, as null, or as one zero value if their
//! length is variable. Readers ignore them, because the domain of the fragment is the box.
//! libtiledb writes the same bytes.

use std::sync::Arc;

use super::bounds::check_current_domain;
use super::check::{InputColumn, attributes, check_cell_num, columns, given_columns};
use super::encode_workspace::TileBuffer;
use super::tile_encoder::TileEncoder;
use super::values_order::{check_order, is_ordered};
use crate::buffers::{FieldCells, OffsetsForm};
use crate::error::{Error, Result, WriteError, WriterKind, bytes_in_memory, reserve};
use crate::fragment::{FieldWriter, FragmentWriter};
use crate::geometry::{CellBox, Order, TileGrid};
use crate::memory::tuning::MIN_DIRECT_ROW_BYTES;
use crate::schema::ArraySchema;
use crate::tile::{Cells, CellsRef, CopyAxis, StridedCopy};
use crate::types::{EncryptionKey, NdRange};
use crate::vfs::Vfs;

/// Copies the cells of one space tile from the caller's buffers.
#[derive(Debug)]
struct TileCopy {
    copy: StridedCopy,
    /// Whether the box covers the complete tile.
    whole: bool,
}

/// A write of a box of a dense array.
#[derive(Clone, Copy, Debug)]
pub struct BoxWrite<'a> {
    /// The schema of the array.
    pub schema: &'a Arc<ArraySchema>,
    /// The box.
    pub ranges: &'a NdRange,
    /// The order of the cells in the caller's buffers.
    pub order: Order,
    /// The key, if the array is encrypted.
    pub key: Option<&'a EncryptionKey>,
}

impl BoxWrite<'_> {
    /// Writes all attributes of the box to the fragment that `make` creates. The caller finishes
    /// the fragment.
    pub fn write(
        &self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
        make: impl FnOnce() -> Result<FragmentWriter>,
    ) -> Result<FragmentWriter> {
        if is_ordered(self.schema) {
            // No fragment is created if values are out of order.
            let columns = columns(attributes(self.schema), buffers, form)?;
            check_cell_num(
                &columns,
                self.cells(&TileGrid::new(self.schema)?)?.cell_num(),
            )?;
            check_order(self.schema, &columns)?;
        }
        let mut writer = make()?;
        self.append(vfs, buffers, form, &mut writer)?;
        check_current_domain(self.schema, self.ranges, WriterKind::Ordered)?;
        writer.set_non_empty_domain(self.ranges.clone());
        Ok(writer)
    }

    /// Checks the sizes of the buffers that are set.
    pub fn check(&self, buffers: &[FieldCells<'_>], form: OffsetsForm) -> Result<()> {
        let columns = given_columns(attributes(self.schema), buffers, form)?;
        let cells = self.cells(&TileGrid::new(self.schema)?)?;
        check_cell_num(&columns, cells.cell_num())
    }

    /// Returns the box divided by the grid of tiles.
    fn cells(&self, grid: &TileGrid) -> Result<CellBox> {
        let leaves = || Error::from(WriteError::LeavesDomain);
        grid.to_box(self.schema, self.ranges).ok_or_else(leaves)
    }

    /// Appends the tiles of the box to a fragment, which may already have preceding tiles.
    pub fn append(
        &self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
        writer: &mut FragmentWriter,
    ) -> Result<()> {
        let TiledBox {
            columns,
            tiles,
            tile_cells,
        } = self.tiled(buffers, form)?;
        let total = (tiles.len() * columns.len()) as u64;
        let context = vfs.context();
        context.progress("tiles", |progress| progress.total += total)?;
        for column in &columns {
            let encoder = TileEncoder::new(self.schema, &column.field, self.key)?;
            let field = writer.field(&column.field.name).ok_or_else(|| {
                Error::from(WriteError::NoField {
                    name: column.field.name.clone(),
                    writer: WriterKind::Ordered,
                })
            })?;
            write_column(vfs, &encoder, column, &tiles, tile_cells, field)?;
        }
        Ok(())
    }

    /// Returns the number of bytes of each tile of the box in the files of a fragment, in the order
    /// of the tiles.
    pub fn measure(
        &self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<Vec<u64>> {
        let TiledBox {
            columns,
            tiles,
            tile_cells,
        } = self.tiled(buffers, form)?;
        let mut sizes = vec![0; tiles.len()];
        for column in &columns {
            let encoder = TileEncoder::new(self.schema, &column.field, self.key)?;
            encoder.measure_all(vfs.context(), tile_cells, &mut sizes, |index, tile| {
                bring(column, &tiles[index], tile_cells, encoder.is_plain(), tile)
            })?;
        }
        Ok(sizes)
    }

    /// Returns the columns of the box, and the position of its tiles in them.
    fn tiled<'c>(&self, buffers: &[FieldCells<'c>], form: OffsetsForm) -> Result<TiledBox<'c>> {
        let grid = TileGrid::new(self.schema)?;
        let cells = self.cells(&grid)?;
        let columns = columns(attributes(self.schema), buffers, form)?;
        check_cell_num(&columns, cells.cell_num())?;
        Ok(TiledBox {
            columns,
            tiles: tile_copies(&grid, &cells, self.order)?,
            tile_cells: usize::try_from(grid.tile_cell_num).unwrap_or(usize::MAX),
        })
    }
}

/// A box divided into tiles.
struct TiledBox<'c> {
    columns: Vec<InputColumn<'c>>,
    tiles: Vec<TileCopy>,
    /// The number of cells of a tile.
    tile_cells: usize,
}

/// Returns the copy of each tile that the box overlaps, in tile order.
fn tile_copies(grid: &TileGrid, cells: &CellBox, order: Order) -> Result<Vec<TileCopy>> {
    let from = cells.strides(order);
    let to = grid.tile_strides();
    let tiles = grid.tiles(cells);
    let mut copies = Vec::new();
    tiles.for_each_cell(grid.tile_order, |tile| {
        let whole = grid.tile_cells(tile);
        let Some(part) = whole.intersection(cells) else {
            return Ok::<(), Error>(());
        };
        let axes = (0..from.len()).map(|d| CopyAxis {
            len: part.len(d) as usize,
            from: from[d] as usize,
            to: to[d] as usize,
        });
        let first = |position: &[u64], base: &[u64], strides: &[u64]| -> u64 {
            (0..position.len())
                .map(|d| (position[d] - base[d]) * strides[d])
                .sum()
        };
        let start = first(&part.low, &cells.low, &from);
        let first_cell = first(&part.low, &whole.low, &to);
        copies.push(TileCopy {
            copy: StridedCopy::new(axes.collect(), start as usize, first_cell as usize),
            whole: part == whole,
        });
        Ok(())
    })?;
    Ok(copies)
}

fn write_column(
    vfs: &Arc<Vfs>,
    encoder: &TileEncoder,
    column: &InputColumn<'_>,
    tiles: &[TileCopy],
    tile_cells: usize,
    field: &mut FieldWriter,
) -> Result<()> {
    let size = column.cell_size;
    let rows = |tile: &TileCopy| tile.whole && tile.copy.run_len() * size >= MIN_DIRECT_ROW_BYTES;
    if encoder.is_plain() && tiles.iter().all(rows) {
        let mut runs = Vec::new();
        for tile in tiles {
            runs.clear();
            tile.copy
                .for_each_run(|run| runs.push(&column.data[run.in_bytes(size).source()]));
            encoder.append_plain(field, &runs)?;
            let context = vfs.context();
            context.progress("tiles", |progress| progress.done += 1)?;
        }
        return Ok(());
    }
    encoder.append_all(vfs.context(), field, column, tiles.len(), |index, tile| {
        bring(column, &tiles[index], tile_cells, encoder.is_plain(), tile)
    })
}

/// Returns the cells of a tile as a slice of the caller's buffer if they are contiguous, and
/// otherwise gathers them in `tile`. Cells of fields without filters are always gathered.
fn bring<'c>(
    column: &'c InputColumn<'_>,
    from: &TileCopy,
    tile_cells: usize,
    plain: bool,
    tile: &mut TileBuffer,
) -> Result<Option<CellsRef<'c>>> {
    if from.whole && from.copy.is_one_run() && !plain {
        let (start, end) = from.copy.source_span();
        return Ok(Some(column.slice(start..end)));
    }
    gather(column, from, tile_cells, tile)?;
    Ok(None)
}

/// Gathers the cells of a tile.
fn gather(
    column: &InputColumn<'_>,
    from: &TileCopy,
    tile_cells: usize,
    tile: &mut TileBuffer,
) -> Result<()> {
    tile.given.clear();
    if !from.whole {
        from.copy.for_each_run(|run| match tile.given.last_mut() {
            Some(given) if given.end == run.to => given.end += run.len,
            _ => tile.given.push(run.to..run.to + run.len),
        });
    }
    if let Some(validity) = column.validity {
        gather_fixed(from, validity, 1, tile_cells, &mut tile.cells.validity)?;
    }
    match &column.starts {
        None => gather_fixed(
            from,
            column.data,
            column.cell_size,
            tile_cells,
            &mut tile.cells.data,
        ),
        Some(starts) => gather_var(
            from,
            column.data,
            starts,
            column.field.datatype.size(),
            tile_cells,
            tile,
        ),
    }
}

fn gather_fixed(
    from: &TileCopy,
    data: &[u8],
    size: usize,
    tile_cells: usize,
    to: &mut Vec<u8>,
) -> Result<()> {
    let len = bytes_in_memory("a tile", tile_cells, size)?;
    let more = len.saturating_sub(to.len());
    reserve("a tile", to, more)?;
    if !from.whole {
        to.clear();
    }
    to.resize(len, 0);
    from.copy.copy(size, data, &mut to[..]);
    Ok(())
}

fn gather_var(
    from: &TileCopy,
    data: &[u8],
    starts: &[u64],
    value_size: usize,
    tile_cells: usize,
    tile: &mut TileBuffer,
) -> Result<()> {
    tile.cells.data.clear();
    tile.cells.starts.clear();
    let start_num = tile_cells.saturating_add(1);
    reserve("offsets", &mut tile.cells.starts, start_num)?;
    let Cells {
        data: values,
        starts: tile_starts,
        ..
    } = &mut tile.cells;
    let fill_to = |upto: usize, tile_starts: &mut Vec<u64>, values: &mut Vec<u8>| {
        while tile_starts.len() < upto {
            tile_starts.push(values.len() as u64);
            values.resize(values.len() + value_size, 0);
        }
    };
    // The runs are in the order of the tile.
    from.copy.for_each_run(|run| {
        fill_to(run.to, tile_starts, values);
        let base = values.len() as u64;
        let span = starts[run.from]..starts[run.source_end()];
        let run_starts = starts[run.source()].iter();
        tile_starts.extend(run_starts.map(|start| base + (start - span.start)));
        values.extend_from_slice(&data[span.start as usize..span.end as usize]);
    });
    fill_to(tile_cells, tile_starts, values);
    tile_starts.push(values.len() as u64);
    Ok(())
}
