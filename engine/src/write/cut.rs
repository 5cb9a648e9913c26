//! Divides ordered sparse cells into tiles of `capacity` cells.

use std::ops::Range;

use super::bounds::{bounds_of, ends_of};
use super::check::InputColumn;
use super::tile_encoder::{TileBuffer, TileEncoder};
use crate::bytes::sized;
use crate::context::Context;
use crate::error::{Result, bytes_in_memory, reserve, reserve_exact};
use crate::fragment::FieldWriter;
use crate::platform::lock::Mutex;
use crate::tile::{Cells, CellsRef};
use crate::types::Range as Bounds;

/// The cells of the caller's buffers that are written, and their order.
#[derive(Debug)]
pub(super) struct CellSequence {
    /// The indexes of the cells; `None` for the first `len` cells in the order of the buffers.
    pub(super) order: Option<Vec<u32>>,
    /// The number of cells.
    pub(super) cell_num: usize,
    /// The number of cells of a tile, at least 1.
    pub(super) capacity: usize,
    /// Whether the memory for the cells exceeds the budget unless one column is written at a time.
    pub(super) is_large: bool,
}

impl CellSequence {
    /// Returns the number of tiles.
    pub(super) fn tile_num(&self) -> usize {
        self.cell_num.div_ceil(self.capacity)
    }

    /// Returns the positions of the cells of a tile in the sequence.
    fn tile(&self, number: usize) -> Range<usize> {
        let start = number.saturating_mul(self.capacity);
        start..start.saturating_add(self.capacity).min(self.cell_num)
    }

    /// Writes all tiles of a dimension. Returns the bounds of each tile, and the coordinates of its
    /// first and its last cell.
    pub(super) fn write_with_bounds(
        &self,
        context: &Context,
        encoder: &TileEncoder,
        column: &InputColumn<'_>,
        writer: &mut FieldWriter,
    ) -> Result<Vec<[Bounds; 2]>> {
        let tile_num = self.tile_num();
        let bounds: Vec<Mutex<Option<[Bounds; 2]>>> =
            (0..tile_num).map(|_| Mutex::default()).collect();
        let physical = column.field.cells.datatype.physical();
        self.write_tiles(context, encoder, column, writer, |index, cells| {
            let mbr = bounds_of(physical, cells.data, cells.starts);
            let ends = ends_of(cells.data, cells.starts, column.cell_size);
            *bounds[index].lock() = Some([mbr, ends]);
        })?;
        Ok(bounds.into_iter().filter_map(Mutex::into_inner).collect())
    }

    /// Writes all tiles of a column, and calls `visit` with the index and the cells of each.
    pub(super) fn write_tiles(
        &self,
        context: &Context,
        encoder: &TileEncoder,
        column: &InputColumn<'_>,
        writer: &mut FieldWriter,
        visit: impl Fn(usize, CellsRef<'_>) + Sync,
    ) -> Result<()> {
        let tile_num = self.tile_num();
        if self.order.is_none() && encoder.is_plain() {
            for index in 0..tile_num {
                let cells = column.slice(self.tile(index));
                visit(index, cells);
                encoder.append_plain(writer, &[cells.data])?;
                context.progress("tiles", |progress| progress.done += 1)?;
            }
            return Ok(());
        }
        encoder.append_all(context, writer, column, tile_num, |index, tile| {
            let cells = self.tile(index);
            let Some(order) = &self.order else {
                let part = column.slice(cells);
                visit(index, part);
                return Ok(Some(part));
            };
            pick(&mut tile.cells, column, &order[cells])?;
            visit(index, tile.cells.as_ref());
            Ok(None)
        })
    }
}

/// Appends `len` cells of a column, starting at `first`, to a tile.
pub(super) fn extend(
    tile: &mut TileBuffer,
    column: &InputColumn<'_>,
    first: usize,
    len: usize,
) -> Result<()> {
    let cells = &mut tile.cells;
    if let Some(validity) = column.validity {
        reserve("a tile", &mut cells.validity, len)?;
        cells
            .validity
            .extend_from_slice(&validity[first..first + len]);
    }
    let Some(starts) = &column.starts else {
        let bytes = &column.data[first * column.cell_size..(first + len) * column.cell_size];
        reserve("a tile", &mut cells.data, bytes.len())?;
        cells.data.extend_from_slice(bytes);
        return Ok(());
    };
    let bytes = &column.data[starts[first] as usize..starts[first + len] as usize];
    reserve("offsets", &mut cells.starts, len + 1)?;
    reserve("a tile", &mut cells.data, bytes.len())?;
    let base = cells.data.len() as u64;
    if cells.starts.is_empty() {
        cells.starts.push(0);
    }
    let starts = &starts[first..=first + len];
    cells
        .starts
        .extend(starts[1..].iter().map(|end| base + (end - starts[0])));
    cells.data.extend_from_slice(bytes);
    Ok(())
}

/// Strings up to this length are copied as blocks of this fixed length.
const WORD: usize = 16;

/// Replaces `cells` by the cells of a column with these indexes.
pub(super) fn pick(cells: &mut Cells, column: &InputColumn<'_>, indexes: &[u32]) -> Result<()> {
    match column.validity {
        Some(validity) => pick_fixed(validity, 1, indexes, &mut cells.validity)?,
        None => cells.validity.clear(),
    }
    cells.starts.clear();
    let Some(starts) = &column.starts else {
        return pick_fixed(column.data, column.cell_size, indexes, &mut cells.data);
    };
    reserve("offsets", &mut cells.starts, indexes.len() + 1)?;
    // Reserve about the size of these cells, so that the allocation does not double for the last
    // ones.
    let cell_num = (starts.len() as u64).max(2) - 1;
    let share = u128::from(column.data.len() as u64) * indexes.len() as u128 / u128::from(cell_num);
    let about = share as usize + share as usize / 64 + 4 * WORD;
    if cells.data.capacity() < about {
        let more = about - cells.data.len();
        reserve_exact("a tile", &mut cells.data, more)?;
    }
    let mut end = 0;
    for index in indexes {
        cells.starts.push(end as u64);
        let cell = *index as usize;
        let (from, len) = (
            starts[cell] as usize,
            (starts[cell + 1] - starts[cell]) as usize,
        );
        // Reserve a complete block, so that the copy has a fixed length.
        if cells.data.len() - end < len + WORD {
            let more = end + len + WORD - cells.data.len();
            reserve("a tile", &mut cells.data, more)?;
            cells.data.resize(cells.data.capacity(), 0);
        }
        let word = column
            .data
            .get(from..)
            .and_then(<[u8]>::first_chunk::<WORD>);
        let target = cells.data[end..].first_chunk_mut();
        match (word, target) {
            (Some(word), Some(target)) if len <= WORD => *target = *word,
            _ => cells.data[end..end + len].copy_from_slice(&column.data[from..from + len]),
        }
        end += len;
    }
    cells.starts.push(end as u64);
    cells.data.truncate(end);
    Ok(())
}

fn pick_fixed(data: &[u8], size: usize, indexes: &[u32], to: &mut Vec<u8>) -> Result<()> {
    fn pick<const N: usize>(data: &[u8], indexes: &[u32], to: &mut [u8]) {
        let (cells, _) = data.as_chunks::<N>();
        let (targets, _) = to.as_chunks_mut::<N>();
        for (target, index) in targets.iter_mut().zip(indexes) {
            *target = cells[*index as usize];
        }
    }
    let len = bytes_in_memory("a tile", indexes.len(), size)?;
    let more = len.saturating_sub(to.len());
    reserve("a tile", to, more)?;
    // The excess bytes are overwritten by the next string.
    to.resize(len, 0);
    sized!(size,
        N => pick::<N>(data, indexes, to),
        else => {
            for (target, index) in to.chunks_exact_mut(size.max(1)).zip(indexes) {
                let start = *index as usize * size;
                target.copy_from_slice(&data[start..start + size]);
            }
        }
    );
    Ok(())
}
