//! Divides the cells of one field, which arrive in file order in several submits, into tiles of
//! equal size. The cells of an incomplete tile are kept for the next submit.

use std::sync::Arc;

use super::check::InputColumn;
use super::cut::extend;
use super::tile_encoder::{EncodedTile, TileBuffer, TileEncoder};
use crate::error::Result;
use crate::fragment::FieldWriter;
use crate::schema::{ArraySchema, StoredField};
use crate::types::EncryptionKey;
use crate::vfs::Vfs;

/// A field being written.
#[derive(Debug)]
pub(super) struct FieldStream {
    encoder: TileEncoder,
    /// The cells of the incomplete tile.
    incomplete: TileBuffer,
    /// The encoded tile, if its size determines its fragment.
    encoded: EncodedTile,
    /// The number of cells received.
    pub(super) cell_num: u64,
}

impl FieldStream {
    pub(super) fn new(
        schema: &ArraySchema,
        field: &StoredField,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        Ok(Self {
            encoder: TileEncoder::new(schema, field, key)?,
            incomplete: TileBuffer::default(),
            encoded: EncodedTile::default(),
            cell_num: 0,
        })
    }

    /// Returns the name of the field.
    pub(super) fn name(&self) -> &str {
        &self.encoder.field.name
    }

    /// Returns the number of tiles that more cells complete.
    pub(super) fn completed_tiles(&self, tile_cells: usize, cells: usize) -> u64 {
        let tile_cells = tile_cells as u64;
        (self.cell_num % tile_cells + cells as u64) / tile_cells
    }

    /// Appends the complete tiles of the kept and the new cells, and keeps the rest.
    pub(super) fn take(
        &mut self,
        vfs: &Arc<Vfs>,
        column: &InputColumn<'_>,
        tile_cells: usize,
        writer: &mut FieldWriter,
    ) -> Result<()> {
        let kept = (self.cell_num % tile_cells as u64) as usize;
        self.cell_num += column.cell_num as u64;
        // The cells that complete the incomplete tile.
        let head = if kept == 0 {
            0
        } else {
            (tile_cells - kept).min(column.cell_num)
        };
        if head > 0 {
            extend(&mut self.incomplete, column, 0, head)?;
            if kept + head < tile_cells {
                return Ok(());
            }
            self.append_incomplete(writer)?;
            let context = &vfs.context;
            context.progress("tiles", |progress| progress.done += 1)?;
        }
        let whole = (column.cell_num - head) / tile_cells;
        if self.encoder.is_plain() {
            for index in 0..whole {
                let start = (head + index * tile_cells) * column.cell_size;
                let tile = &column.data[start..start + tile_cells * column.cell_size];
                self.encoder.append_plain(writer, &[tile])?;
                let context = &vfs.context;
                context.progress("tiles", |progress| progress.done += 1)?;
            }
        } else {
            self.encoder
                .append_all(&vfs.context, writer, column, whole, |index, _| {
                    let start = head + index * tile_cells;
                    Ok(Some(column.slice(start..start + tile_cells)))
                })?;
        }
        let rest = head + whole * tile_cells;
        if rest < column.cell_num {
            extend(&mut self.incomplete, column, rest, column.cell_num - rest)?;
        }
        Ok(())
    }

    /// Appends the incomplete tile, if there is one, as the last tile, and frees its memory.
    pub(super) fn flush(&mut self, tile_cells: usize, writer: &mut FieldWriter) -> Result<()> {
        let mut last = std::mem::take(&mut self.incomplete);
        if self.cell_num.is_multiple_of(tile_cells as u64) {
            return Ok(());
        }
        let stats = self.encoder.append_tile(writer, &mut last)?;
        drop(last);
        writer.add_stats(stats)
    }

    /// Adds cells of a column to the incomplete tile. They must fit.
    pub(super) fn extend_tile(
        &mut self,
        column: &InputColumn<'_>,
        start: usize,
        cells: usize,
    ) -> Result<()> {
        self.cell_num += cells as u64;
        extend(&mut self.incomplete, column, start, cells)
    }

    /// Encodes the incomplete tile and returns its size in bytes.
    pub(super) fn measure(&mut self) -> Result<u64> {
        self.encoder
            .measure(&mut self.incomplete, &mut self.encoded)
    }

    /// Appends the encoded tile.
    pub(super) fn append_measured(&mut self, writer: &mut FieldWriter) -> Result<()> {
        let encoded = &mut self.encoded;
        self.encoder
            .append_measured(writer, &self.incomplete, encoded)?;
        self.incomplete.clear();
        Ok(())
    }

    fn append_incomplete(&mut self, writer: &mut FieldWriter) -> Result<()> {
        let stats = self.encoder.append_tile(writer, &mut self.incomplete)?;
        self.incomplete.clear();
        writer.add_stats(stats)
    }
}
