//! Copies the cells of a merge plan to the caller's buffers.
//!
//! A batch is as many cells of the plan as fit into the buffers. It is copied tile by tile: each
//! tile is decoded once per field; a tile whose cells are delivered together and in stored order is
//! decoded into the buffers. If cells alternate between tiles, all tiles of the batch are decoded,
//! and the cells are gathered one block of output at a time.

use std::ops::Range;

use super::merge_plan::{PendingCells, TileRun};
use super::tiles::{FieldKind, SparseField, Tile, TileLoader};
use crate::buffers::FieldBuffers;
use crate::bytes::sized;
use crate::context::Context;
use crate::error::Result;
use crate::fragment::FilePart;
use crate::geometry::PackedColumn;
use crate::memory::WorkspaceGuard;
use crate::memory::tuning::GATHER_BLOCK_RUNS;
use crate::read::filled_buffers::{ColumnBatch, FieldOutput, FilledBuffers, FittingVars};
use crate::tile::{CellRun, Cells, CellsRef, SharedBytes, TileWorkspace};
use crate::types::values_of;

/// Copies one batch of a plan to the caller's buffers, and removes it from the plan. Returns
/// whether the buffers are full.
///
/// Tiles with undelivered cells stay in memory if all tiles take at most `memory` bytes.
/// `is_merged` is whether the cells of several tiles were merged.
pub(super) fn gather(
    context: &Context,
    loader: &TileLoader,
    pending: &mut PendingCells,
    filled: &mut FilledBuffers,
    buffers: &mut [FieldBuffers<'_>],
    memory: u64,
    is_merged: bool,
) -> Result<bool> {
    let PendingCells { tiles, plan, .. } = pending;
    let batch = ColumnBatch::next(context, loader, tiles, plan, filled, memory, is_merged)?;
    let used: u64 = tiles.iter().map(|tile| tile.memory() as u64).sum();
    pending.peak_bytes = used.max(pending.peak_bytes);
    let gather = Gather {
        loader,
        tiles,
        batch: &batch,
        is_merged,
        filled,
        outputs: buffers.iter_mut().map(FieldOutput::of_buffers).collect(),
        keeps_tiles: used <= memory && batch.fitting == FittingVars::Values,
    };
    if gather.is_scattered(memory.saturating_sub(used))? {
        gather.put_scattered(context)?;
    } else {
        gather.put_by_tile(context)?;
    }
    let delivered = batch.cells_by_tile(tiles.len());
    for (tile, delivered) in tiles.iter_mut().zip(&delivered) {
        tile.undelivered = tile.undelivered.saturating_sub(*delivered);
        if *delivered > 0 && !tile.is_needed() {
            loader.release(tile);
        }
    }
    // Batches with few cells of each tile load values that do not fit into memory together.
    let is_attribute =
        |field: &usize| matches!(loader.fields[*field].kind, FieldKind::Attribute(_));
    let vars = filled.vars.iter().map(|var| var.field).filter(is_attribute);
    let vars: Vec<usize> = vars.collect();
    let memory_of = |tile: &Tile| {
        vars.iter()
            .map(|field| tile.field_memory(*field))
            .sum::<usize>()
    };
    if tiles.iter().map(memory_of).sum::<usize>() as u64 > memory {
        for (tile, delivered) in tiles.iter_mut().zip(&delivered) {
            if *delivered == 0 {
                vars.iter()
                    .for_each(|field| loader.release_field(tile, *field));
            }
        }
    }
    filled.advance(&batch);
    plan.take(&batch.runs);
    Ok(batch.is_full)
}

/// A batch that is copied to the caller's buffers.
struct Gather<'a> {
    loader: &'a TileLoader,
    tiles: &'a [Tile],
    batch: &'a ColumnBatch<TileRun>,
    /// Whether the cells of several tiles were merged.
    is_merged: bool,
    filled: &'a FilledBuffers,
    /// The buffers by field.
    outputs: Vec<FieldOutput<'a>>,
    /// Whether tiles with undelivered cells may stay in memory.
    keeps_tiles: bool,
}

impl Gather<'_> {
    /// Copies all fields tile by tile.
    fn put_by_tile(&self, context: &Context) -> Result<()> {
        let (runs, indexes, groups) = self.batch.by_tile(self.tiles.len());
        let output_num = self.loader.fields.output_num;
        let tile_of = |group: &Range<usize>| {
            let first = &self.batch.runs[indexes[group.start] as usize];
            &self.tiles[first.tile as usize]
        };
        let tiles = groups.iter().map(tile_of);
        let bytes = self.loader.fixed_bytes(tiles, 0..output_num);
        context.for_each_sized(bytes, groups.len() * output_num, |task| {
            let group = groups[task / output_num].clone();
            let tile = tile_of(&group);
            self.put_field(
                tile,
                &runs[group.clone()],
                &indexes[group],
                task % output_num,
            )
        })
    }

    /// Copies the runs of a tile of the field `index`. `indexes` are those of the runs in the
    /// batch.
    fn put_field(
        &self,
        tile: &Tile,
        runs: &[CellRun],
        indexes: &[u32],
        index: usize,
    ) -> Result<()> {
        let field = &self.loader.fields[index];
        if let FieldKind::Coordinates = field.kind {
            return self.put_coordinates(tile, runs, index);
        }
        if let FieldKind::Dimension(dim) = field.kind
            && let Some(column) = tile.packed(dim)
        {
            put_packed(runs, column, field.cell_size, self.outputs[index].data);
            return Ok(());
        }
        if tile.loaded(index).is_none() {
            if self.put_directly(tile, runs, indexes, index)? {
                return Ok(());
            }
            // If the tile stays in memory, the next submit need not decode it again.
            let delivered: usize = runs.iter().map(|run| run.len).sum();
            let stays = self.keeps_tiles && (delivered < tile.undelivered || tile.is_pending);
            if !stays {
                if self.put_chunks(tile, runs, indexes, index)? {
                    return Ok(());
                }
                let mut cells = WorkspaceGuard::<Cells>::default();
                self.loader.load(tile, index, &mut cells)?;
                self.put(runs, indexes, index, cells.as_ref());
                return Ok(());
            }
        }
        let cells = self.loader.column(tile, index)?;
        self.put(runs, indexes, index, cells.as_ref());
        Ok(())
    }

    /// Decodes a complete tile into the buffers. Returns whether that was possible.
    fn put_directly(
        &self,
        tile: &Tile,
        runs: &[CellRun],
        indexes: &[u32],
        index: usize,
    ) -> Result<bool> {
        let ([run], [run_index]) = (runs, indexes) else {
            return Ok(false);
        };
        let source = &self.loader.sources[tile.source];
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        let Some(stored) = source.tiles(index, field)? else {
            return Ok(false);
        };
        if run.from > 0 || run.len != tile.cell_num {
            return Ok(false);
        }
        let (tile, first, cells) = (tile.index, run.to, run.len);
        if let (Some(validity), true) = (output.validity, field.stored.cells.nullable) {
            let to = validity.part(first, cells);
            stored.read_part(FilePart::Validity, tile, to)?;
        }
        let Some(offsets) = self.var_offsets(index) else {
            let size = field.cell_size;
            let to = output.data.part(first * size, cells * size);
            return stored.read_part(FilePart::Fixed, tile, to).map(|()| true);
        };
        let run_index = *run_index as usize;
        let (start, end) = (offsets[run_index], offsets[run_index + 1]);
        let to = output.data.part(start as usize, (end - start) as usize);
        stored.read_values(tile, cells, to, |offsets| {
            let offsets = values_of::<u64>(offsets).map(|offset| start + offset);
            self.put_offsets(index, first, cells, offsets);
        })?;
        Ok(true)
    }

    /// Copies the cells of a tile chunk by chunk. Returns whether that was possible.
    fn put_chunks(
        &self,
        tile: &Tile,
        runs: &[CellRun],
        indexes: &[u32],
        index: usize,
    ) -> Result<bool> {
        let source = &self.loader.sources[tile.source];
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        let Some(stored) = source.tiles(index, field)? else {
            return Ok(false);
        };
        if stored.includes_offsets() || !do_ascend(runs) {
            return Ok(false);
        }
        let gather_cells = |part: FilePart, size: usize, to: SharedBytes<'_>| {
            let len = tile.cell_num.saturating_mul(size);
            stored.with_tile(part, tile.index, len, |stored| {
                TileWorkspace::with(|workspace| {
                    stored.gather(size, runs.len(), |run| runs[run], to, workspace)
                })
            })
        };
        if let (Some(validity), true) = (output.validity, field.stored.cells.nullable) {
            gather_cells(FilePart::Validity, 1, validity)?;
        }
        let Some(var_offsets) = self.var_offsets(index) else {
            gather_cells(FilePart::Fixed, field.cell_size, output.data)?;
            return Ok(true);
        };
        self.loader.with_starts(tile, index, |starts| {
            for (run, run_index) in runs.iter().zip(indexes) {
                self.put_run_offsets(index, run, starts, var_offsets[*run_index as usize]);
            }
            let values = |run: usize| {
                let cells = runs[run].source();
                CellRun {
                    from: starts[cells.start] as usize,
                    to: var_offsets[indexes[run] as usize] as usize,
                    len: (starts[cells.end] - starts[cells.start]) as usize,
                }
            };
            let len = stored.var_size(tile.index)?;
            stored.with_tile(FilePart::Var, tile.index, len, |stored| {
                TileWorkspace::with(|workspace| {
                    stored.gather(1, runs.len(), values, output.data, workspace)
                })
            })
        })?;
        Ok(true)
    }

    /// Copies a field from the cells of a tile.
    fn put(&self, runs: &[CellRun], indexes: &[u32], index: usize, cells: CellsRef<'_>) {
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        let validity = cells.validity.filter(|_| field.stored.cells.nullable);
        if let (Some(validity), Some(to)) = (validity, output.validity) {
            put_fixed(runs, validity, 1, to);
        }
        let (Some(starts), Some(var_offsets)) = (cells.starts, self.var_offsets(index)) else {
            return put_fixed(runs, cells.data, field.cell_size, output.data);
        };
        for (run, run_index) in runs.iter().zip(indexes) {
            let base = var_offsets[*run_index as usize];
            let (from, end) = (starts[run.from], starts[run.source_end()]);
            let bytes = &cells.data[from as usize..end as usize];
            output.data.write(base as usize, bytes);
            self.put_run_offsets(index, run, starts, base);
        }
    }

    /// Writes the offsets of the cells of a run, whose values are at `base` in the buffer.
    fn put_run_offsets(&self, index: usize, run: &CellRun, starts: &[u64], base: u64) {
        let offsets = starts[run.source()]
            .iter()
            .map(|start| base + (start - starts[run.from]));
        self.put_offsets(index, run.to, run.len, offsets);
    }

    /// Copies the coordinates of each cell to consecutive bytes.
    fn put_coordinates(&self, tile: &Tile, runs: &[CellRun], index: usize) -> Result<()> {
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        let size = field.value_size;
        for (dim, dim_field) in self.loader.fields.dims.iter().enumerate() {
            let column = self.loader.column(tile, *dim_field)?;
            for run in runs {
                let cells = &column.data[run.in_bytes(size).source()];
                for (cell, bytes) in cells.chunks_exact(size).enumerate() {
                    let position = (run.to + cell) * field.cell_size + dim * size;
                    output.data.write(position, bytes);
                }
            }
        }
        Ok(())
    }

    /// Returns the positions of the values of the runs in the buffer of a variable-length field.
    fn var_offsets(&self, index: usize) -> Option<&[u64]> {
        let var = self.filled.var_position(index)?;
        self.batch.var_offsets.get(var).map(Vec::as_slice)
    }

    /// Writes the offsets of consecutive cells of a field to the caller's buffer, starting at index
    /// `first`.
    fn put_offsets(
        &self,
        index: usize,
        first: usize,
        cells: usize,
        offsets: impl Iterator<Item = u64>,
    ) {
        let form = &self.filled.form;
        let to = &self.outputs[index].offsets;
        let to = to.part(first * form.width, cells * form.width);
        form.put_all(to, offsets, self.loader.fields[index].value_size);
    }

    /// Returns the indexes of the fields whose columns are needed.
    fn column_fields(&self) -> Vec<usize> {
        let fields = &self.loader.fields;
        let is_combined = |field: &SparseField| matches!(field.kind, FieldKind::Coordinates);
        let single = fields
            .outputs()
            .iter()
            .enumerate()
            .filter(|(_, field)| !is_combined(field));
        let mut needed: Vec<usize> = single.map(|(index, _)| index).collect();
        if fields.outputs().iter().any(is_combined) {
            needed.extend(&fields.dims);
        }
        needed
    }
}

/// Consecutive runs of the result.
struct Block {
    runs: Range<usize>,
    /// The index of the first cell in the buffers, and the number of cells.
    position: usize,
    cells: usize,
}

/// The cells of a field in a tile without runs.
const NOTHING: CellsRef<'_> = CellsRef {
    data: &[],
    starts: None,
    validity: None,
};

/// Batches whose cells alternate between tiles.
impl Gather<'_> {
    /// Returns whether the batch should be gathered cell by cell, and the tiles fit into `memory`
    /// bytes.
    pub(super) fn is_scattered(&self, memory: u64) -> Result<bool> {
        let batch = self.batch;
        let run_num = batch.runs.len();
        if batch.fitting != FittingVars::Values || !self.is_merged {
            return Ok(false);
        }
        if run_num < GATHER_BLOCK_RUNS / 8 || run_num * 4 < batch.cell_num {
            return Ok(false);
        }
        let mut bytes = 0u64;
        for tile in batch.tiles(self.tiles.len()) {
            let tile = &self.tiles[tile];
            for field in self.column_fields() {
                if tile.loaded(field).is_none() {
                    bytes = bytes.saturating_add(self.loader.size(tile, field)?);
                }
            }
        }
        Ok(bytes <= memory)
    }

    /// Loads the tiles of the batch, and gathers all fields cell by cell.
    pub(super) fn put_scattered(&self, context: &Context) -> Result<()> {
        let tiles = self.batch.tiles(self.tiles.len());
        let fields = self.column_fields();
        let loaded = tiles.iter().map(|tile| &self.tiles[*tile]);
        let bytes = self.loader.fixed_bytes(loaded, fields.iter().copied());
        context.for_each_sized(bytes, tiles.len() * fields.len(), |task| {
            let tile = &self.tiles[tiles[task / fields.len()]];
            let field = fields[task % fields.len()];
            self.loader.column(tile, field).map(drop)
        })?;
        let mut columns: Vec<Vec<CellsRef<'_>>> = vec![Vec::new(); self.loader.fields.len()];
        for field in fields {
            let loaded = self
                .tiles
                .iter()
                .map(|tile| tile.loaded(field))
                .map(|cells| cells.map_or(NOTHING, Cells::as_ref));
            columns[field] = loaded.collect();
        }
        let blocks = self.blocks();
        let output_num = self.loader.fields.output_num;
        context.for_each(blocks.len() * output_num, |task| {
            self.put_block(&blocks[task / output_num], task % output_num, &columns);
            Ok(())
        })
    }

    fn blocks(&self) -> Vec<Block> {
        let mut position = self.batch.first_cell;
        let mut first = 0;
        let chunks = self.batch.runs.chunks(GATHER_BLOCK_RUNS);
        chunks
            .map(|runs| {
                let block = Block {
                    runs: first..first + runs.len(),
                    position,
                    cells: runs.iter().map(|run| run.len as usize).sum(),
                };
                position += block.cells;
                first += runs.len();
                block
            })
            .collect()
    }

    fn put_block(&self, block: &Block, index: usize, columns: &[Vec<CellsRef<'_>>]) {
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        if let FieldKind::Coordinates = field.kind {
            return self.put_block_coordinates(block, index, columns);
        }
        let columns = &columns[index];
        let runs = &self.batch.runs[block.runs.clone()];
        if let (Some(validity), true) = (output.validity, field.stored.cells.nullable) {
            let to = validity.part(block.position, block.cells);
            let column = |tile: u32| columns[tile as usize].validity.unwrap_or_default();
            gather_sized::<1>(runs, column, to);
        }
        if let Some(var_offsets) = self.var_offsets(index) {
            return self.put_block_values(block, index, var_offsets, columns);
        }
        let size = field.cell_size;
        let to = output.data.part(block.position * size, block.cells * size);
        let data = |tile: u32| columns[tile as usize].data;
        sized!(size,
            N => gather_sized::<N>(runs, data, to),
            else => {
                let mut rest = to;
                for run in runs {
                    let (from, len) = (run.start as usize * size, run.len as usize * size);
                    let (part, later) = rest.split_at_mut(len);
                    part.copy_from_slice(&data(run.tile)[from..from + len]);
                    rest = later;
                }
            }
        );
    }

    /// Copies variable-length values and their offsets.
    fn put_block_values(
        &self,
        block: &Block,
        index: usize,
        var_offsets: &[u64],
        columns: &[CellsRef<'_>],
    ) {
        let (base, end) = (var_offsets[block.runs.start], var_offsets[block.runs.end]);
        let to = self.outputs[index]
            .data
            .part(base as usize, (end - base) as usize);
        let mut offsets: Vec<u64> = Vec::with_capacity(block.cells);
        let mut done = 0usize;
        for run in &self.batch.runs[block.runs.clone()] {
            let column = &columns[run.tile as usize];
            if run.len == 1 {
                let starts = column.starts.unwrap_or_default();
                let cell = run.start as usize;
                let (from, end) = (starts[cell] as usize, starts[cell + 1] as usize);
                offsets.push(base + done as u64);
                copy_short(column.data, from..end, to, done);
                done += end - from;
                continue;
            }
            let (first, last) = (run.start as usize, (run.start + run.len) as usize);
            let starts = &column.starts.unwrap_or_default()[first..=last];
            let (from, end) = (starts[0] as usize, starts[starts.len() - 1] as usize);
            let bytes = &column.data[from..end];
            to[done..done + bytes.len()].copy_from_slice(bytes);
            let shift = (base + done as u64).wrapping_sub(starts[0]);
            let starts = &starts[..starts.len() - 1];
            offsets.extend(starts.iter().map(|start| start.wrapping_add(shift)));
            done += bytes.len();
        }
        let offsets = offsets.into_iter();
        self.put_offsets(index, block.position, block.cells, offsets);
    }

    /// Copies the coordinates of each cell to consecutive bytes.
    fn put_block_coordinates(&self, block: &Block, index: usize, columns: &[Vec<CellsRef<'_>>]) {
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        let (size, cell_size) = (field.value_size, field.cell_size);
        let to = output
            .data
            .part(block.position * cell_size, block.cells * cell_size);
        for (dim, dim_field) in self.loader.fields.dims.iter().enumerate() {
            let mut outputs = to.chunks_exact_mut(cell_size);
            for run in &self.batch.runs[block.runs.clone()] {
                let from = run.start as usize * size;
                let cells = &columns[*dim_field][run.tile as usize].data[from..];
                let cells = cells.chunks_exact(size).take(run.len as usize);
                for (cell, output) in cells.zip(&mut outputs) {
                    output[dim * size..(dim + 1) * size].copy_from_slice(cell);
                }
            }
        }
    }
}

/// Copies packed coordinates.
fn put_packed(runs: &[CellRun], column: &PackedColumn, size: usize, to: SharedBytes<'_>) {
    for run in runs {
        let to = to.part(run.to * size, run.len * size);
        column.write(run.source(), to);
    }
}

/// Copies cells of `size` bytes.
fn put_fixed(runs: &[CellRun], data: &[u8], size: usize, to: SharedBytes<'_>) {
    sized!(size,
        N => put_sized::<N>(runs, data, to),
        else => {
            for run in runs {
                to.write(run.to * size, &data[run.in_bytes(size).source()]);
            }
        }
    )
}

fn put_sized<const N: usize>(runs: &[CellRun], data: &[u8], to: SharedBytes<'_>) {
    let (cells, _) = data.as_chunks::<N>();
    for run in runs {
        match &cells[run.source()] {
            // Merged fragments have many runs of single cells.
            [one] => to.write(run.to * N, one),
            many => to.write(run.to * N, many.as_flattened()),
        }
    }
}

/// Returns whether the starts and the ends of runs of a tile ascend.
fn do_ascend(runs: &[CellRun]) -> bool {
    runs.windows(2).all(|pair| {
        let (a, b) = (pair[0].source(), pair[1].source());
        a.start <= b.start && a.end <= b.end
    })
}

/// Copies the cells of runs, of `N` bytes each, one after the other.
fn gather_sized<'t, const N: usize>(
    runs: &[TileRun],
    column: impl Fn(u32) -> &'t [u8],
    to: &mut [u8],
) {
    let (to, _) = to.as_chunks_mut::<N>();
    if runs.len() == to.len() {
        // Each run is one cell.
        for (run, to) in runs.iter().zip(to) {
            let (cells, _) = column(run.tile).as_chunks::<N>();
            *to = cells[run.start as usize];
        }
        return;
    }
    let mut position = 0;
    for run in runs {
        let (cells, _) = column(run.tile).as_chunks::<N>();
        let (start, len) = (run.start as usize, run.len as usize);
        if len == 1 {
            to[position] = cells[start];
        } else {
            to[position..position + len].copy_from_slice(&cells[start..start + len]);
        }
        position += len;
    }
}

/// Copies the bytes `from` to `position`. The following bytes of `to` may change too; they are
/// written later.
#[inline(always)]
fn copy_short(bytes: &[u8], from: Range<usize>, to: &mut [u8], position: usize) {
    // Most strings fit into a word, which is copied without regard to the length.
    const WORD: usize = 16;
    let word = bytes
        .get(from.start..)
        .and_then(<[u8]>::first_chunk::<WORD>);
    let target = to.get_mut(position..).and_then(<[u8]>::first_chunk_mut);
    match (word, target) {
        (Some(word), Some(target)) if from.len() <= WORD => *target = *word,
        _ => to[position..position + from.len()].copy_from_slice(&bytes[from]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::config::Config;
    use crate::filter::{FilterList, Pipeline};
    use crate::read::filled_buffers::share_with_tasks;
    use crate::stats::ReadWatch;
    use crate::tile::{StoredTile, TileWorkspace};
    use crate::types::Datatype;
    use crate::vfs::{Uri, Vfs};

    /// Returns the stored form of an unfiltered tile with chunks of these lengths, whose bytes are
    /// their positions.
    fn stored_tile(lens: &[usize]) -> Vec<u8> {
        let mut stored = (lens.len() as u64).to_le_bytes().to_vec();
        let mut position = 0;
        for len in lens {
            for number in [*len as u32, *len as u32, 0] {
                stored.extend_from_slice(&number.to_le_bytes());
            }
            stored.extend((position..position + len).map(|position| position as u8));
            position += len;
        }
        stored
    }

    /// Returns runs whose starts and ends ascend. They may overlap and be equal.
    fn runs_within(ends: Vec<(usize, usize)>, len: usize) -> Vec<CellRun> {
        let bounds = ends
            .into_iter()
            .map(|(a, b)| (a % (len + 1), b % (len + 1)));
        let (mut starts, mut ends): (Vec<usize>, Vec<usize>) =
            bounds.map(|(a, b)| (a.min(b), a.max(b))).unzip();
        starts.sort_unstable();
        ends.sort_unstable();
        let mut to = 0;
        let runs = starts.into_iter().zip(ends).map(|(from, end)| {
            let run = CellRun {
                from,
                to,
                len: end - from,
            };
            to += run.len;
            run
        });
        runs.collect()
    }

    fn gathered(lens: &[usize], runs: &[CellRun]) -> Vec<u8> {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("storage");
        let uri = Uri::parse("mem://tile").expect("a URI");
        let stored = stored_tile(lens);
        vfs.write_all(&uri, &stored).expect("written");
        let file = vfs.open(&uri).expect("a file");
        let pipeline = Pipeline::new(Arc::new(FilterList::default()), Datatype::Uint8, None);
        let tile = StoredTile {
            fragment: &uri,
            file: &file,
            range: 0..stored.len() as u64,
            pipeline: &pipeline.expect("a pipeline"),
            len: lens.iter().sum(),
            cache: None,
            watch: ReadWatch::start(),
            converted: None,
        };
        let mut bytes = vec![0xee; runs.iter().map(|run| run.len).sum()];
        let to = share_with_tasks(&mut bytes);
        TileWorkspace::with(|workspace| {
            tile.gather(1, runs.len(), |run| runs[run], to, workspace)
                .expect("gathered");
        });
        bytes
    }

    proptest! {
        #[test]
        fn runs_that_overlap_are_copied_from_every_chunk(
            lens in proptest::collection::vec(0usize..9, 1..6),
            ends in proptest::collection::vec((0usize..50, 0usize..50), 0..8),
        ) {
            let runs = runs_within(ends, lens.iter().sum());
            let expected: Vec<u8> = runs
                .iter()
                .flat_map(|run| (run.from..run.from + run.len).map(|position| position as u8))
                .collect();
            prop_assert_eq!(gathered(&lens, &runs), expected);
        }
    }
}
