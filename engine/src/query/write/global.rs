//! Writes of dense cells in global order: cells come as they are stored, in as many submits as the caller likes. Cells of
//! a tile that is not full yet wait for the next submit.

use std::sync::Arc;

use super::check::{Column, columns};
use super::tiles::{Tile, TileFormer};
use crate::error::{Error, Result};
use crate::fragment::{FieldWriter, FragmentWriter};
use crate::query::buffers::{FieldCells, OffsetsForm};
use crate::schema::ArraySchema;
use crate::space::TileGrid;
use crate::types::{EncryptionKey, NdRange, TimeRange};
use crate::vfs::{Uri, Vfs};

/// A write in global order between submits.
#[derive(Debug)]
pub struct GlobalWrite {
    schema: Arc<ArraySchema>,
    ranges: NdRange,
    tile_cells: usize,
    expected: u64,
    writer: FragmentWriter,
    fields: Vec<Field>,
}

/// An attribute being written.
#[derive(Debug)]
struct Field {
    former: TileFormer,
    /// Cells of a tile that is not full.
    waiting: Tile,
    written: u64,
}

fn wrong(message: impl Into<String>) -> Error {
    Error::usage("WriterBase", message)
}

impl GlobalWrite {
    /// Begins a write of the box `ranges`, whole tiles.
    pub fn begin(
        schema: &Arc<ArraySchema>,
        ranges: &NdRange,
        key: Option<&EncryptionKey>,
        make: impl FnOnce() -> Result<FragmentWriter>,
    ) -> Result<Self> {
        let grid = TileGrid::new(schema)?;
        let cells = grid
            .to_box(schema, ranges)
            .ok_or_else(|| wrong("The subarray leaves the domain"))?;
        let tiles = grid.tiles(&cells);
        if grid.tile_cells(&tiles.low).low != cells.low
            || grid.tile_cells(&tiles.high).high != cells.high
        {
            return Err(wrong(
                "Cannot initialize query; In global writes for dense arrays, the subarray must coincide with the tile bounds",
            ));
        }
        let formers: Result<Vec<_>> = schema
            .attributes
            .iter()
            .map(|attribute| TileFormer::new(schema, &attribute.as_ref().into(), key))
            .collect();
        let fields = formers?
            .into_iter()
            .map(|former| Field {
                former,
                waiting: Tile::default(),
                written: 0,
            })
            .collect();
        Ok(Self {
            schema: schema.clone(),
            ranges: ranges.clone(),
            tile_cells: usize::try_from(grid.tile_cell_num).unwrap_or(usize::MAX),
            expected: cells.cell_num(),
            writer: make()?,
            fields,
        })
    }

    /// When the fragment counts as written.
    pub fn timestamps(&self) -> TimeRange {
        self.writer.name().timestamps()
    }

    /// Takes the next cells.
    pub fn submit(
        &mut self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let columns = columns(&self.schema, buffers, form)?;
        for column in &columns {
            if column
                .validity
                .is_some_and(|validity| validity.len() != column.cell_num)
            {
                return Err(wrong(format!(
                    "Buffer sizes check failed; Invalid number of validity cells given for attribute '{}' ({} != {})",
                    column.field.name,
                    column.validity.map_or(0, <[u8]>::len),
                    column.cell_num
                )));
            }
        }
        for (field, column) in self.fields.iter_mut().zip(&columns) {
            let writer = self.writer.field(&column.field.name).ok_or_else(|| {
                wrong(format!("The fragment has no field '{}'", column.field.name))
            })?;
            field.take(vfs, column, self.tile_cells, writer)?;
        }
        Ok(())
    }

    /// Ends the write: all cells of the box must have come. `None` where none came.
    pub fn finish(mut self) -> Result<Option<Uri>> {
        let numbers: Vec<u64> = self.fields.iter().map(|field| field.written).collect();
        let first = numbers.first().copied().unwrap_or_default();
        if numbers.iter().any(|number| *number != first) {
            return Err(Error::usage(
                "[TileDB::Writer] Error",
                "Failed to finalize global write state; Different number of cells written across attributes and coordinates",
            ));
        }
        if first == 0 {
            return Ok(None);
        }
        if first != self.expected {
            return Err(Error::usage(
                "[TileDB::Writer] Error",
                format!(
                    "Failed to finalize global write state; Number of cells written ({first}) is different from the number of \
                     cells expected ({}) for the query subarray",
                    self.expected
                ),
            ));
        }
        self.writer
            .set_non_empty_domain(std::mem::take(&mut self.ranges));
        self.writer.finish().map(Some)
    }
}

impl Field {
    /// Appends the full tiles of what waits and what came; the rest waits.
    fn take(
        &mut self,
        vfs: &Arc<Vfs>,
        column: &Column<'_>,
        tile_cells: usize,
        writer: &mut FieldWriter,
    ) -> Result<()> {
        let waiting = (self.written % tile_cells as u64) as usize;
        self.written += column.cell_num as u64;
        // The cells that complete the waiting tile.
        let head = if waiting == 0 {
            0
        } else {
            (tile_cells - waiting).min(column.cell_num)
        };
        if head > 0 {
            extend(&mut self.waiting, column, 0, head);
            if waiting + head < tile_cells {
                return Ok(());
            }
            let full = std::mem::take(&mut self.waiting);
            self.former
                .append_all(vfs.context(), writer, 1, |_, tile| {
                    tile.cells.data.clone_from(&full.cells.data);
                    tile.cells.starts.clone_from(&full.cells.starts);
                    tile.cells.validity.clone_from(&full.cells.validity);
                    Ok(())
                })?;
        }
        let whole = (column.cell_num - head) / tile_cells;
        if self.former.is_plain() {
            let size = column.cell_size * tile_cells;
            let start = head * column.cell_size;
            for tile in column.data[start..start + whole * size].chunks_exact(size) {
                self.former.append_plain(writer, &[tile])?;
            }
        } else {
            self.former
                .append_all(vfs.context(), writer, whole, |at, tile| {
                    tile.cells.data.clear();
                    tile.cells.starts.clear();
                    tile.cells.validity.clear();
                    extend(tile, column, head + at * tile_cells, tile_cells);
                    Ok(())
                })?;
        }
        let rest = head + whole * tile_cells;
        if rest < column.cell_num {
            extend(&mut self.waiting, column, rest, column.cell_num - rest);
        }
        Ok(())
    }
}

/// Appends `len` cells of a column, from `first` on, to a tile.
fn extend(tile: &mut Tile, column: &Column<'_>, first: usize, len: usize) {
    if let Some(validity) = column.validity {
        tile.cells
            .validity
            .extend_from_slice(&validity[first..first + len]);
    }
    match &column.ends {
        None => tile.cells.data.extend_from_slice(
            &column.data[first * column.cell_size..(first + len) * column.cell_size],
        ),
        Some(ends) => {
            let base = tile.cells.data.len() as u64;
            if tile.cells.starts.is_empty() {
                tile.cells.starts.push(0);
            }
            tile.cells.starts.extend(
                ends[first + 1..=first + len]
                    .iter()
                    .map(|end| base + (end - ends[first])),
            );
            tile.cells
                .data
                .extend_from_slice(&column.data[ends[first] as usize..ends[first + len] as usize]);
        }
    }
}
