//! Cells of one field that come in the order of the file, over several submits, on their way to tiles of as many cells
//! each. Cells of a tile that is not full yet wait for the next submit.

use std::sync::Arc;

use super::check::InputColumn;
use super::cut::extend;
use super::encode_workspace::{EncodedTile, TileBuffer};
use super::tile_encoder::TileEncoder;
use crate::error::Result;
use crate::fragment::FieldWriter;
use crate::schema::{ArraySchema, StoredField};
use crate::types::EncryptionKey;
use crate::vfs::Vfs;

/// A field being written.
#[derive(Debug)]
pub(super) struct FieldStream {
    former: TileEncoder,
    /// Cells of a tile that is not full.
    waiting: TileBuffer,
    /// Its stored form, where that is looked at before it is known where it goes.
    formed: EncodedTile,
    written: u64,
}

impl FieldStream {
    pub(super) fn new(
        schema: &ArraySchema,
        field: &StoredField,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        Ok(Self {
            former: TileEncoder::new(schema, field, key)?,
            waiting: TileBuffer::default(),
            formed: EncodedTile::default(),
            written: 0,
        })
    }

    /// The field's name.
    pub(super) fn name(&self) -> &str {
        &self.former.field.name
    }

    /// How many cells have come.
    pub(super) fn cell_num(&self) -> u64 {
        self.written
    }

    /// Appends the full tiles of what waits and what came; the rest waits.
    pub(super) fn take(
        &mut self,
        vfs: &Arc<Vfs>,
        column: &InputColumn<'_>,
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
            extend(&mut self.waiting, column, 0, head)?;
            if waiting + head < tile_cells {
                return Ok(());
            }
            self.append_waiting(writer)?;
        }
        let whole = (column.cell_num - head) / tile_cells;
        if self.former.is_plain() {
            for at in 0..whole {
                let start = (head + at * tile_cells) * column.cell_size;
                let tile = &column.data[start..start + tile_cells * column.cell_size];
                self.former.append_plain(writer, &[tile])?;
            }
        } else {
            self.former
                .append_all(vfs.context(), writer, whole, |at, _| {
                    let start = head + at * tile_cells;
                    Ok(Some(column.lend(start..start + tile_cells)))
                })?;
        }
        let rest = head + whole * tile_cells;
        if rest < column.cell_num {
            extend(&mut self.waiting, column, rest, column.cell_num - rest)?;
        }
        Ok(())
    }

    /// Appends the tile that is not full, if there is one: the last.
    pub(super) fn flush(&mut self, tile_cells: usize, writer: &mut FieldWriter) -> Result<()> {
        match self.written % tile_cells as u64 {
            0 => Ok(()),
            _ => self.append_waiting(writer),
        }
    }

    /// Takes some cells of a column into the tile that is not full, which has room for them.
    pub(super) fn wait(
        &mut self,
        column: &InputColumn<'_>,
        start: usize,
        cells: usize,
    ) -> Result<()> {
        self.written += cells as u64;
        extend(&mut self.waiting, column, start, cells)
    }

    /// Brings the tile that waits into its stored form, and tells the bytes that it takes.
    pub(super) fn measure(&mut self) -> Result<u64> {
        self.former.measure(&self.waiting, &mut self.formed)
    }

    /// Appends the tile that was measured.
    pub(super) fn append_measured(&mut self, writer: &mut FieldWriter) -> Result<()> {
        let formed = &mut self.formed;
        self.former.append_measured(writer, &self.waiting, formed)?;
        self.waiting.clear();
        Ok(())
    }

    fn append_waiting(&mut self, writer: &mut FieldWriter) -> Result<()> {
        self.former.append_tile(writer, &self.waiting)?;
        self.waiting.clear();
        Ok(())
    }
}
