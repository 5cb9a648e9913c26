//! Gathers a batch whose cells alternate between tiles, one block of output at a time. All tiles of
//! the batch are in memory.

use std::ops::Range;

use super::super::merge_plan::TileRun;
use super::super::tiles::FieldKind;
use super::Gather;
use crate::bytes::sized;
use crate::context::Context;
use crate::error::Result;
use crate::memory::tuning::GATHER_BLOCK_RUNS;
use crate::tile::{Cells, CellsRef};

/// Consecutive runs of the result.
struct Block {
    runs: Range<usize>,
    /// The index of the first cell in the buffers, and the number of cells.
    position: usize,
    cells: usize,
}

/// The cells of a field by tile; [`NOTHING`] for tiles without runs.
type Columns<'t> = Vec<CellsRef<'t>>;

const NOTHING: CellsRef<'_> = CellsRef {
    data: &[],
    starts: None,
    validity: None,
};

impl Gather<'_> {
    /// Returns whether the batch should be gathered cell by cell, and the tiles fit into `memory`
    /// bytes.
    pub(super) fn is_scattered(&self, memory: u64) -> Result<bool> {
        let batch = self.batch;
        let run_num = batch.runs.len();
        if !self.is_merged || run_num < GATHER_BLOCK_RUNS / 8 || run_num * 4 < batch.cell_num {
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
        let mut columns: Vec<Columns<'_>> = vec![Vec::new(); self.loader.fields.len()];
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
        let blocks = chunks.map(|runs| {
            let block = Block {
                runs: first..first + runs.len(),
                position,
                cells: runs.iter().map(|run| run.len as usize).sum(),
            };
            position += block.cells;
            first += runs.len();
            block
        });
        blocks.collect()
    }

    fn put_block(&self, block: &Block, index: usize, columns: &[Columns<'_>]) {
        let (field, output) = (&self.loader.fields[index], &self.outputs[index]);
        if let FieldKind::Coordinates = field.kind {
            return self.put_block_coordinates(block, index, columns);
        }
        let columns = &columns[index];
        let runs = &self.batch.runs[block.runs.clone()];
        if let (Some(validity), true) = (output.validity, field.is_nullable()) {
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
        columns: &Columns<'_>,
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
    fn put_block_coordinates(&self, block: &Block, index: usize, columns: &[Columns<'_>]) {
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
