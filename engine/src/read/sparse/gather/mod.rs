//! Copies the cells of a merge plan to the caller's buffers.
//!
//! ```text
//! batch        as many cells as fit into the buffers
//! by_tile      decodes each tile once per field, if possible into the buffers
//! scattered    gathers cells that alternate between tiles, one block of output at a time
//! ```

mod batch;
mod by_block;
mod by_tile;

use super::merge_plan::{PendingCells, TileRun};
use super::tiles::{FieldKind, SparseField, Tile, TileLoader};
use crate::buffers::{FieldBuffers, OffsetsForm};
use crate::context::Context;
use crate::error::Result;
use crate::read::filled_buffers::ColumnBatch;
use crate::read::filled_buffers::FilledBuffers;
use crate::read::outputs::FieldOutput;

pub(super) use self::batch::BatchLimits;

/// Copies one batch of a plan to the caller's buffers, and removes it from the plan. Returns
/// whether the buffers are full.
///
/// Tiles with undelivered cells stay in memory if all tiles take at most `limits.memory` bytes.
pub(super) fn gather(
    context: &Context,
    loader: &TileLoader,
    pending: &mut PendingCells,
    filled: &mut FilledBuffers,
    buffers: &mut [FieldBuffers<'_>],
    limits: BatchLimits,
) -> Result<bool> {
    let PendingCells {
        tiles,
        plan,
        peak_bytes,
    } = pending;
    let batch = ColumnBatch::next(context, loader, tiles, plan, filled, limits)?;
    let used: u64 = tiles.iter().map(|tile| tile.memory() as u64).sum();
    *peak_bytes = used.max(*peak_bytes);
    let gather = Gather {
        loader,
        tiles,
        batch: &batch,
        is_merged: limits.is_merged,
        form: filled.form,
        targets: targets(filled, buffers),
        keeps_tiles: used <= limits.memory,
    };
    gather.run(context, limits.memory.saturating_sub(used))?;
    let delivered = batch.cells_by_tile(tiles.len());
    for (tile, delivered) in tiles.iter_mut().zip(delivered) {
        tile.undelivered = tile.undelivered.saturating_sub(delivered);
        if delivered > 0 && !tile.is_needed() {
            loader.release(tile);
        }
    }
    filled.advance(&batch);
    plan.take(&batch.runs);
    Ok(batch.is_full)
}

/// The buffers of a field.
struct FieldTarget<'a> {
    output: FieldOutput<'a>,
    /// The index of the field among the variable-length fields.
    var: Option<usize>,
}

fn targets<'a>(
    filled: &FilledBuffers,
    buffers: &'a mut [FieldBuffers<'_>],
) -> Vec<FieldTarget<'a>> {
    let targets = buffers.iter_mut().enumerate();
    let targets = targets.map(|(field, buffers)| FieldTarget {
        output: FieldOutput::new(
            buffers.data.as_deref_mut().unwrap_or_default(),
            buffers.offsets.as_deref_mut().unwrap_or_default(),
            buffers.validity.as_deref_mut(),
        ),
        var: filled.var_position(field),
    });
    targets.collect()
}

/// A batch that is copied to the caller's buffers.
struct Gather<'a> {
    loader: &'a TileLoader,
    tiles: &'a [Tile],
    batch: &'a ColumnBatch<TileRun>,
    /// Whether the cells of several tiles were merged.
    is_merged: bool,
    form: OffsetsForm,
    targets: Vec<FieldTarget<'a>>,
    /// Whether tiles with undelivered cells may stay in memory.
    keeps_tiles: bool,
}

impl Gather<'_> {
    /// Copies all fields. `memory` is the maximum size in bytes of tiles that are loaded to gather
    /// them cell by cell.
    fn run(&self, context: &Context, memory: u64) -> Result<()> {
        if self.is_scattered(memory)? {
            self.put_scattered(context)
        } else {
            self.put_by_tile(context)
        }
    }

    /// Writes the offsets of consecutive cells to the caller's buffer, starting at index `first`.
    fn put_offsets(
        &self,
        target: &FieldTarget<'_>,
        field: &SparseField,
        first: usize,
        cells: usize,
        offsets: impl Iterator<Item = u64>,
    ) {
        let width = self.form.width;
        let to = target.output.offsets.part(first * width, cells * width);
        self.form.put_all(to, offsets, field.value_size);
    }

    /// Returns the indexes of the fields whose columns are needed.
    fn column_fields(&self) -> Vec<usize> {
        let fields = &self.loader.fields;
        let is_combined = |field: &SparseField| matches!(field.kind, FieldKind::Coordinates);
        let outputs = fields.outputs().iter().enumerate();
        let single = outputs.filter(|(_, field)| !is_combined(field));
        let mut needed: Vec<usize> = single.map(|(index, _)| index).collect();
        if fields.outputs().iter().any(is_combined) {
            needed.extend(&fields.dims);
        }
        needed
    }
}
