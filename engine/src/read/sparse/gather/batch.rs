//! The size of a batch: as much of the merge plan as fits into the buffers and the memory budget.

use std::ops::Range;

use super::super::merge_plan::{MergePlan, TileRun};
use super::super::tiles::{Tile, TileLoader};
use crate::context::Context;
use crate::error::Result;
use crate::memory::tuning::{MAX_BATCH_RUNS, MAX_BATCH_RUNS_OF_TILE};
use crate::read::filled_buffers::ColumnBatch;
use crate::read::filled_buffers::FilledBuffers;

impl ColumnBatch<TileRun> {
    /// Returns the first cells of a plan that fit into the buffers.
    ///
    /// `memory` limits the size in bytes of variable-length values. They are loaded if the cells of
    /// several tiles were merged (`is_merged`), because a tile is then accessed repeatedly.
    pub(crate) fn next(
        context: &Context,
        loader: &TileLoader,
        tiles: &[Tile],
        plan: &MergePlan,
        filled: &FilledBuffers,
        memory: u64,
        is_merged: bool,
    ) -> Result<Self> {
        let mut batch = Self::new(filled.cell_num);
        let mut left = filled.capacity - filled.cell_num;
        let has_vars = !filled.vars.is_empty();
        // Whether the values of a tile, which is not delivered completely, must be in memory.
        let mut loads = vec![false; if has_vars { tiles.len() } else { 0 }];
        let mut bytes = 0u64;
        batch
            .runs
            .reserve(plan.undelivered_num().min(MAX_BATCH_RUNS));
        if !has_vars {
            left -= batch.take_first(plan, left);
        }
        // No more repetitions of a run fit into a batch.
        let repeated = |(run, count): (TileRun, u64)| {
            std::iter::repeat_n(run, count.min(MAX_BATCH_RUNS_OF_TILE as u64) as usize)
        };
        let rest = plan.undelivered_after(batch.runs.len());
        for run in rest.flat_map(repeated) {
            let len = (run.len as usize).min(left);
            if len == 0 {
                batch.is_full = true;
                break;
            }
            if batch.runs.len() >= MAX_BATCH_RUNS {
                // A tile that is delivered completely is decoded into the buffers.
                let last = batch.runs.last();
                let is_same = last.is_some_and(|last| last.tile == run.tile);
                if !is_same || batch.runs.len() >= MAX_BATCH_RUNS_OF_TILE {
                    break;
                }
            }
            let taken = TileRun {
                len: len as u32,
                ..run
            };
            let tile = &tiles[run.tile as usize];
            if has_vars && !loads[run.tile as usize] && !is_complete(tile, &taken) {
                let more = var_size(loader, tile, filled)?;
                if bytes > 0 && bytes.saturating_add(more) > memory {
                    break;
                }
                bytes = bytes.saturating_add(more);
                loads[run.tile as usize] = true;
            }
            batch.runs.push(taken);
            batch.cell_num += len;
            left -= len;
        }
        if has_vars {
            let loaded = tiles.iter().zip(&loads);
            let loaded: Vec<&Tile> = loaded.filter_map(|(tile, is)| is.then_some(tile)).collect();
            batch.load_starts(context, loader, &loaded, filled, is_merged)?;
            batch.measure(loader, tiles, filled)?;
        }
        Ok(batch)
    }

    /// Takes the first runs of a plan as they are, which is usually possible: if they are delivered
    /// once and have at most `left` cells. Returns the number of cells.
    fn take_first(&mut self, plan: &MergePlan, left: usize) -> usize {
        let runs = plan.first_undelivered(MAX_BATCH_RUNS).unwrap_or_default();
        let cells = runs.iter().map(|run| run.len as usize).sum();
        if cells > left {
            return 0;
        }
        self.runs.extend_from_slice(runs);
        self.cell_num = cells;
        cells
    }

    /// Loads the starts of the values of tiles, or the values if cells were merged.
    fn load_starts(
        &self,
        context: &Context,
        loader: &TileLoader,
        tiles: &[&Tile],
        filled: &FilledBuffers,
        is_merged: bool,
    ) -> Result<()> {
        let var_num = filled.vars.len();
        let fields = filled.vars.iter().map(|var| var.field);
        let bytes = loader.fixed_bytes(tiles.iter().copied(), fields);
        context.for_each_sized(bytes, tiles.len() * var_num, |task| {
            let (tile, var) = (tiles[task / var_num], &filled.vars[task % var_num]);
            if is_merged {
                loader.column(tile, var.field).map(drop)
            } else {
                loader.starts(tile, var.field).map(drop)
            }
        })
    }

    /// Computes the positions of the values of each run, and ends the batch where a buffer of
    /// values is full.
    fn measure(
        &mut self,
        loader: &TileLoader,
        tiles: &[Tile],
        filled: &FilledBuffers,
    ) -> Result<()> {
        let mut fitting = self.runs.len();
        for var in &filled.vars {
            let starts = tiles.iter().map(|tile| tile.loaded_starts(var.field));
            let starts: Vec<Option<&[u64]>> = starts.collect();
            let mut offsets = Vec::with_capacity(self.runs.len() + 1);
            let mut offset = var.bytes;
            offsets.push(offset);
            // At most one run after the last one that fits is measured.
            for run in self.runs.iter().take(fitting + 1) {
                let bytes = match starts[run.tile as usize] {
                    Some(starts) => value_bytes(starts, run.start, run.len),
                    None => loader.var_bytes(&tiles[run.tile as usize], var.field)?,
                };
                offset = offset.saturating_add(bytes);
                offsets.push(offset);
                if offset > var.capacity {
                    break;
                }
            }
            let ends = offsets.get(1..).unwrap_or_default();
            fitting = fitting.min(ends.partition_point(|end| *end <= var.capacity));
            self.var_offsets.push(offsets);
        }
        if fitting < self.runs.len() {
            let tile = &tiles[self.runs[fitting].tile as usize];
            self.cut(loader, tile, filled, fitting)?;
        }
        self.cell_num = self.runs.iter().map(|run| run.len as usize).sum();
        Ok(())
    }

    /// Ends the batch in or before the run `index`, whose values do not fit into a buffer.
    fn cut(
        &mut self,
        loader: &TileLoader,
        tile: &Tile,
        filled: &FilledBuffers,
        index: usize,
    ) -> Result<()> {
        let run = self.runs[index];
        let mut len = run.len;
        for (var, offsets) in filled.vars.iter().zip(&self.var_offsets) {
            let starts = loader.starts(tile, var.field)?;
            let starts = &starts[run.start as usize..=(run.start + run.len) as usize];
            let left = var.capacity.saturating_sub(offsets[index]);
            let fitting = starts.partition_point(|start| start - starts[0] <= left);
            len = len.min(fitting.saturating_sub(1) as u32);
        }
        self.is_full = true;
        self.runs.truncate(index + usize::from(len > 0));
        for (var, offsets) in filled.vars.iter().zip(&mut self.var_offsets) {
            offsets.truncate(index + 1);
            if len > 0 {
                let starts = loader.starts(tile, var.field)?;
                offsets.push(offsets[index] + value_bytes(starts, run.start, len));
            }
        }
        if let Some(last) = self.runs.get_mut(index) {
            last.len = len;
        }
        Ok(())
    }

    /// Returns the runs ordered by tile, and the range of each tile that has runs.
    pub(crate) fn by_tile(&self, tile_num: usize) -> (Vec<PlacedRun>, Vec<Range<usize>>) {
        // A counting sort, because there are many runs of single cells.
        let mut ends = vec![0u32; tile_num + 1];
        for run in &self.runs {
            ends[run.tile as usize + 1] += 1;
        }
        for tile in 0..tile_num {
            ends[tile + 1] += ends[tile];
        }
        let starts = ends.clone();
        let mut placed = vec![PlacedRun::default(); self.runs.len()];
        let mut position = self.first_cell;
        for (index, run) in (0u32..).zip(&self.runs) {
            let end = &mut ends[run.tile as usize];
            placed[*end as usize] = PlacedRun {
                position,
                index,
                start: run.start,
                len: run.len,
            };
            *end += 1;
            position += run.len as usize;
        }
        let groups = starts
            .windows(2)
            .map(|pair| pair[0] as usize..pair[1] as usize);
        (placed, groups.filter(|group| !group.is_empty()).collect())
    }

    /// Returns the indexes of the tiles of the batch.
    pub(crate) fn tiles(&self, tile_num: usize) -> Vec<usize> {
        let mut has_runs = vec![false; tile_num];
        for run in &self.runs {
            has_runs[run.tile as usize] = true;
        }
        (0..tile_num).filter(|tile| has_runs[*tile]).collect()
    }

    /// Returns the number of delivered cells of each tile.
    pub(crate) fn cells_by_tile(&self, tile_num: usize) -> Vec<usize> {
        let mut cells = vec![0usize; tile_num];
        for run in &self.runs {
            cells[run.tile as usize] += run.len as usize;
        }
        cells
    }
}

/// A run of a tile and its position in the buffers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacedRun {
    /// The index of its first cell in the buffers.
    pub(crate) position: usize,
    /// The index of the run in the batch.
    pub(crate) index: u32,
    /// The first cell in the tile.
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// Returns whether a run is a complete tile.
fn is_complete(tile: &Tile, run: &TileRun) -> bool {
    run.start == 0 && run.len as usize == tile.cell_num
}

/// Returns the size in bytes of the values of consecutive cells.
fn value_bytes(starts: &[u64], start: u32, len: u32) -> u64 {
    starts[(start + len) as usize] - starts[start as usize]
}

/// Returns the size in bytes of the variable-length values of a tile that must be in memory.
fn var_size(loader: &TileLoader, tile: &Tile, filled: &FilledBuffers) -> Result<u64> {
    let mut bytes = 0u64;
    for var in &filled.vars {
        bytes = bytes.saturating_add(loader.size(tile, var.field)?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::super::tiles::FieldTable;
    use super::*;
    use crate::buffers::OffsetsForm;
    use crate::config::Config;
    use proptest::prelude::*;

    /// The number of cells of each tile.
    const TILE_CELLS: usize = 50;

    /// Returns the next batch of cells of a fixed length.
    fn batch(plan: &MergePlan, tiles: &[Tile], filled: &FilledBuffers) -> ColumnBatch<TileRun> {
        let context = Context::new(Config::default()).expect("a context");
        let loader = TileLoader::new(FieldTable::new(Vec::new(), 0), Vec::new());
        ColumnBatch::next(&context, &loader, tiles, plan, filled, 0, true).expect("a batch")
    }

    fn buffers(capacity: usize) -> FilledBuffers {
        let form = OffsetsForm {
            width: 8,
            elements: false,
            extra: false,
        };
        let mut filled = FilledBuffers::new(Vec::new(), form, &[]);
        filled.capacity = capacity;
        filled
    }

    fn tiles() -> Vec<Tile> {
        let tile = |index| Tile::new(0, index, TILE_CELLS, 0, 0);
        (0..4).map(tile).collect()
    }

    #[test]
    fn a_cell_that_is_delivered_often_fills_many_batches() {
        let mut plan = MergePlan::default();
        plan.push_cell(1, 7, 1 << 40);
        let batch = batch(&plan, &tiles(), &buffers(1000));
        assert_eq!((batch.cell_num, batch.runs.len()), (1000, 1000));
        assert!(batch.is_full);
        plan.take(&batch.runs);
        let (run, count) = plan.undelivered().next().expect("a run");
        assert_eq!((run.start, count), (7, (1 << 40) - 1000));
    }

    #[test]
    fn batches_have_a_bounded_number_of_runs() {
        let mut plan = MergePlan::default();
        plan.push_cell(0, 3, 1 << 30);
        plan.push_cell(1, 3, 1);
        let batch = batch(&plan, &tiles(), &buffers(usize::MAX >> 8));
        assert_eq!(batch.runs.len(), MAX_BATCH_RUNS_OF_TILE);
        assert!(!batch.is_full);
    }

    proptest! {
        #[test]
        fn batches_deliver_the_plan_in_order(
            runs in proptest::collection::vec((0u32..4, 0u32..40, 1u32..10, 1u64..4), 1..40),
            is_repeated: bool,
            capacities in proptest::collection::vec(0usize..30, 1..60),
        ) {
            let mut plan = MergePlan::default();
            let mut expected = Vec::new();
            for (tile, start, len, count) in runs {
                if count == 1 || !is_repeated {
                    plan.push(TileRun { tile, start, len });
                    expected.extend((start..start + len).map(|cell| (tile, cell)));
                } else {
                    plan.push_cell(tile, start, count);
                    expected.extend(std::iter::repeat_n((tile, start), count as usize));
                }
            }
            let tiles = tiles();
            let mut delivered = Vec::new();
            for capacity in capacities {
                let batch = batch(&plan, &tiles, &buffers(capacity));
                let left = expected.len() - delivered.len();
                prop_assert_eq!(batch.cell_num, left.min(capacity));
                prop_assert!(left > capacity || !batch.is_full);
                let (placed, groups) = batch.by_tile(tiles.len());
                let mut cells = vec![None; batch.cell_num];
                for group in groups {
                    let tile = batch.runs[placed[group.start].index as usize].tile;
                    for run in &placed[group] {
                        for cell in 0..run.len {
                            let position = run.position + cell as usize;
                            prop_assert!(cells[position].is_none());
                            cells[position] = Some((tile, run.start + cell));
                        }
                    }
                }
                delivered.extend(cells.into_iter().flatten());
                plan.take(&batch.runs);
                plan.compact();
            }
            prop_assert_eq!(&delivered[..], &expected[..delivered.len()]);
        }
    }
}
