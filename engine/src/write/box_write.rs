//! Dense writes of a box of cells in row- or column-major order, divided into space tiles.
//!
//! Cells of a tile outside the box are written as zero, as null, or as one zero value if their
//! length is variable. Readers ignore them, because the domain of the fragment is the box.
//! libtiledb writes the same bytes.

use std::sync::Arc;

use super::bounds::check_current_domain;
use super::check::{InputColumn, attributes, check_cell_num, columns, given_columns};
use super::field_writer;
use super::tile_encoder::{TileBuffer, TileEncoder};
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
    /// The number of cells of the tile, including those outside of the box.
    cell_num: usize,
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
        grid.to_box(self.schema, self.ranges)
            .ok_or_else(|| Error::from(WriteError::LeavesDomain))
    }

    /// Appends the tiles of the box to a fragment, which may already have preceding tiles.
    pub fn append(
        &self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
        writer: &mut FragmentWriter,
    ) -> Result<()> {
        let (columns, tiles) = self.tiled(buffers, form)?;
        let total = (tiles.len() * columns.len()) as u64;
        let context = &vfs.context;
        context.progress("tiles", |progress| progress.total += total)?;
        for column in &columns {
            let encoder = TileEncoder::new(self.schema, &column.field, self.key)?;
            let field = field_writer(writer, &column.field.name, WriterKind::Ordered)?;
            write_column(vfs, &encoder, column, &tiles, field)?;
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
        let (columns, tiles) = self.tiled(buffers, form)?;
        let mut sizes = vec![0; tiles.len()];
        for column in &columns {
            let encoder = TileEncoder::new(self.schema, &column.field, self.key)?;
            let tile_cells = tiles.first().map_or(0, |tile| tile.cell_num);
            encoder.measure_all(&vfs.context, tile_cells, &mut sizes, |index, buffer| {
                tiles[index].load(column, &encoder, buffer)
            })?;
        }
        Ok(sizes)
    }

    /// Returns the columns of the box, and the position of its tiles in them.
    fn tiled<'c>(
        &self,
        buffers: &[FieldCells<'c>],
        form: OffsetsForm,
    ) -> Result<(Vec<InputColumn<'c>>, Vec<TileCopy>)> {
        let grid = TileGrid::new(self.schema)?;
        let cells = self.cells(&grid)?;
        let columns = columns(attributes(self.schema), buffers, form)?;
        check_cell_num(&columns, cells.cell_num())?;
        Ok((columns, tile_copies(&grid, &cells, self.order)?))
    }
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
            cell_num: usize::try_from(grid.tile_cell_num).unwrap_or(usize::MAX),
            whole: part == whole,
        });
        Ok(())
    })?;
    Ok(copies)
}

/// Writes all tiles of a column.
fn write_column(
    vfs: &Arc<Vfs>,
    encoder: &TileEncoder,
    column: &InputColumn<'_>,
    tiles: &[TileCopy],
    field: &mut FieldWriter,
) -> Result<()> {
    let size = column.cell_size;
    if encoder.is_plain()
        && tiles
            .iter()
            .all(|tile| tile.whole && tile.copy.run_len() * size >= MIN_DIRECT_ROW_BYTES)
    {
        let mut runs = Vec::new();
        for tile in tiles {
            runs.clear();
            tile.copy
                .for_each_run(|run| runs.push(&column.data[run.in_bytes(size).source()]));
            encoder.append_plain(field, &runs)?;
            let context = &vfs.context;
            context.progress("tiles", |progress| progress.done += 1)?;
        }
        return Ok(());
    }
    encoder.append_all(&vfs.context, field, column, tiles.len(), |index, buffer| {
        tiles[index].load(column, encoder, buffer)
    })
}

impl TileCopy {
    /// Returns the cells of a column as a slice of the caller's buffer if they are contiguous, and
    /// otherwise gathers them in `buffer`. Cells of fields without filters are always gathered.
    fn load<'c>(
        &self,
        column: &'c InputColumn<'_>,
        encoder: &TileEncoder,
        buffer: &mut TileBuffer,
    ) -> Result<Option<CellsRef<'c>>> {
        if self.whole && self.copy.is_one_run() && !encoder.is_plain() {
            let (start, end) = self.copy.source_span();
            return Ok(Some(column.slice(start..end)));
        }
        self.gather(column, buffer)?;
        Ok(None)
    }

    /// Gathers the cells of a column.
    fn gather(&self, column: &InputColumn<'_>, buffer: &mut TileBuffer) -> Result<()> {
        let TileBuffer { cells, given, .. } = buffer;
        given.clear();
        if !self.whole {
            self.copy.for_each_run(|run| match given.last_mut() {
                Some(last) if last.end == run.to => last.end += run.len,
                _ => given.push(run.to..run.to + run.len),
            });
        }
        if let Some(validity) = column.validity {
            self.gather_fixed(validity, 1, &mut cells.validity)?;
        }
        match &column.starts {
            None => self.gather_fixed(column.data, column.cell_size, &mut cells.data),
            Some(starts) => self.gather_var(column, starts, cells),
        }
    }

    /// Gathers cells of `size` bytes. Cells outside of the box are zero.
    fn gather_fixed(&self, data: &[u8], size: usize, to: &mut Vec<u8>) -> Result<()> {
        let len = bytes_in_memory("a tile", self.cell_num, size)?;
        let more = len.saturating_sub(to.len());
        reserve("a tile", to, more)?;
        if !self.whole {
            to.clear();
        }
        to.resize(len, 0);
        self.copy.copy(size, data, &mut to[..]);
        Ok(())
    }

    /// Gathers variable-length cells. Cells outside of the box are one zero value.
    fn gather_var(
        &self,
        column: &InputColumn<'_>,
        starts: &[u64],
        cells: &mut Cells,
    ) -> Result<()> {
        let (data, value_size) = (column.data, column.field.cells.datatype.size());
        cells.data.clear();
        cells.starts.clear();
        let start_num = self.cell_num.saturating_add(1);
        reserve("offsets", &mut cells.starts, start_num)?;
        let pad_to = |cell: usize, cells: &mut Cells| {
            while cells.starts.len() < cell {
                cells.starts.push(cells.data.len() as u64);
                cells.data.resize(cells.data.len() + value_size, 0);
            }
        };
        // The runs are in the order of the tile.
        self.copy.for_each_run(|run| {
            pad_to(run.to, cells);
            let base = cells.data.len() as u64;
            let span = starts[run.from]..starts[run.source_end()];
            cells.starts.extend(
                starts[run.source()]
                    .iter()
                    .map(|start| base + (start - span.start)),
            );
            let values = &data[span.start as usize..span.end as usize];
            cells.data.extend_from_slice(values);
        });
        pad_to(self.cell_num, cells);
        cells.starts.push(cells.data.len() as u64);
        Ok(())
    }
}
