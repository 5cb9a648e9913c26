//! The order in which cells are delivered: the value that the merge passes on to the gathering of
//! batches. A submit takes batches from the front, as many cells as fit into the buffers and the
//! memory budget; the rest stays for the next submit, with the tiles that are in memory.

use std::convert::Infallible;
use std::ops::Range;

use super::filter::CellSelection;
use super::tiles::{Tile, TileLoader};
use crate::context::Context;
use crate::error::{BudgetError, BudgetPurpose, Component, Error, Result};
use crate::memory::PARAMETER;
use crate::memory::tuning::{
    BATCH_RUN_BYTES, COORDINATE_SHARE, MAX_BATCH_RUNS, MAX_BATCH_RUNS_OF_TILE, MAX_BATCH_TILES,
    MIN_BATCH_RUNS, THREAD_COORDINATE_BYTES,
};
use crate::read::filled_buffers::{ColumnBatch, FilledBuffers, FittingVars};
use crate::tile::CellRun;

/// Cells that are consecutive in their tile and in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TileRun {
    /// The index of the tile among those in memory.
    pub(super) tile: u32,
    /// The first cell.
    pub(super) start: u32,
    pub(super) len: u32,
}

/// Runs of cells in the order of the result that are not delivered yet.
#[derive(Debug, Default)]
pub(super) struct MergePlan {
    runs: Vec<TileRun>,
    /// The number of times each run is delivered; empty if each is delivered once. Only runs of one
    /// cell are delivered several times.
    counts: Vec<u64>,
    /// The number of runs that were delivered.
    delivered: usize,
}

impl MergePlan {
    pub(super) fn is_empty(&self) -> bool {
        self.delivered >= self.runs.len()
    }

    /// Drops the delivered runs.
    pub(super) fn compact(&mut self) {
        self.runs.drain(..self.delivered);
        self.counts.drain(..self.delivered.min(self.counts.len()));
        self.delivered = 0;
    }

    /// Drops all runs.
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.counts.clear();
        self.delivered = 0;
    }

    pub(super) fn reserve(&mut self, run_num: usize) {
        self.runs.reserve(run_num);
    }

    /// Appends a run that is delivered once.
    pub(super) fn push(&mut self, run: TileRun) {
        self.runs.push(run);
        if !self.counts.is_empty() {
            self.counts.push(1);
        }
    }

    /// Appends a cell that is delivered `count` times in succession.
    pub(super) fn push_cell(&mut self, tile: u32, cell: u32, count: u64) {
        if count == 0 {
            return;
        }
        let run = TileRun {
            tile,
            start: cell,
            len: 1,
        };
        if count == 1 {
            return self.push(run);
        }
        self.counts.resize(self.runs.len(), 1);
        self.runs.push(run);
        self.counts.push(count);
    }

    /// Appends single cells in order. Cells that are neighbours in their tile form one run.
    pub(super) fn extend_cells(&mut self, cells: impl Iterator<Item = (u32, u32)>) {
        self.runs.reserve(cells.size_hint().0);
        let mut last: Option<TileRun> = None;
        for (tile, start) in cells {
            match &mut last {
                Some(run) if run.tile == tile && run.start + run.len == start => run.len += 1,
                _ => self.runs.extend(last.replace(TileRun {
                    tile,
                    start,
                    len: 1,
                })),
            }
        }
        self.runs.extend(last);
        if !self.counts.is_empty() {
            self.counts.resize(self.runs.len(), 1);
        }
    }

    /// Appends the selected cells of a tile of `cell_num` cells.
    pub(super) fn push_selected(&mut self, tile: u32, cell_num: usize, selected: &CellSelection) {
        let Ok(()) = selected.cells.for_each_run::<Infallible>(cell_num, |run| {
            match &selected.counts {
                None => self.push(TileRun {
                    tile,
                    start: run.start,
                    len: run.end - run.start,
                }),
                Some(counts) => {
                    for cell in run {
                        let count = counts.get(cell as usize).copied().unwrap_or(1);
                        self.push_cell(tile, cell, count);
                    }
                }
            }
            Ok(())
        });
    }

    /// Returns the undelivered runs, each with the number of times that it is delivered.
    pub(super) fn undelivered(&self) -> impl Iterator<Item = (TileRun, u64)> {
        self.undelivered_after(0)
    }

    /// Returns the first `most` undelivered runs, or all, if all runs are delivered once.
    pub(super) fn first_undelivered(&self, most: usize) -> Option<&[TileRun]> {
        let runs = &self.runs[self.delivered..];
        self.counts
            .is_empty()
            .then(|| &runs[..runs.len().min(most)])
    }

    /// Returns the undelivered runs after the first `number` ones.
    pub(super) fn undelivered_after(&self, number: usize) -> impl Iterator<Item = (TileRun, u64)> {
        let first = self.delivered + number;
        let counts = self.counts.get(first..).unwrap_or_default();
        self.runs[first..]
            .iter()
            .enumerate()
            .map(|(index, run)| (*run, counts.get(index).copied().unwrap_or(1)))
    }

    /// Returns the number of undelivered runs.
    pub(super) fn undelivered_num(&self) -> usize {
        self.runs.len() - self.delivered
    }

    /// Removes runs from the front. A run that is repeated occurs in `taken` as often as it was
    /// delivered; the last one may be the front of a run.
    pub(super) fn take(&mut self, taken: &[TileRun]) {
        let Some((last, complete)) = taken.split_last() else {
            return;
        };
        if self.counts.is_empty() {
            self.delivered += complete.len();
        } else {
            complete.iter().for_each(|_| self.take_once());
        }
        let run = &mut self.runs[self.delivered];
        if run.len > last.len {
            run.start += last.len;
            run.len -= last.len;
        } else {
            self.take_once();
        }
    }

    /// Removes at most `most` cells from the front. Returns the removed cells as runs, each with
    /// the number of times that it would have been delivered.
    pub(super) fn skip(&mut self, most: u64) -> Vec<(TileRun, u64)> {
        let (mut left, mut skipped) = (most, Vec::new());
        while left > 0
            && let Some(run) = self.runs.get_mut(self.delivered)
        {
            let (taken, repeated) = match self.counts.get_mut(self.delivered) {
                Some(count) if *count > 1 => (run.len, (*count).min(left)),
                _ => (run.len.min(u32::try_from(left).unwrap_or(u32::MAX)), 1),
            };
            skipped.push((TileRun { len: taken, ..*run }, repeated));
            left -= u64::from(taken) * repeated;
            match self.counts.get_mut(self.delivered) {
                Some(count) if *count > repeated => *count -= repeated,
                _ if taken < run.len => {
                    run.start += taken;
                    run.len -= taken;
                }
                _ => self.delivered += 1,
            }
        }
        skipped
    }

    /// Removes the first run, or one of its repetitions.
    fn take_once(&mut self) {
        match self.counts.get_mut(self.delivered) {
            Some(count) if *count > 1 => *count -= 1,
            _ => self.delivered += 1,
        }
    }
}

/// The tiles in memory, the order in which their cells are delivered, and the number of tiles that
/// are loaded next.
#[derive(Debug)]
pub(super) struct PendingCells {
    pub(super) tiles: Vec<Tile>,
    pub(super) plan: MergePlan,
    /// The largest size of the tiles in memory so far, in bytes.
    pub(super) peak_bytes: u64,
    /// The maximum size of tiles in memory in bytes.
    pub(super) budget: u64,
    /// The maximum size of the coordinates of newly loaded tiles in bytes.
    pub(super) coordinate_bytes: u64,
    /// The minimum number of tiles that are loaded next. It doubles, because only a few cells may
    /// be selected.
    min_tiles: usize,
    /// The component in errors about the budget.
    component: Component,
}

impl PendingCells {
    /// Returns a plan without tiles, which may take `budget` bytes.
    pub(super) fn new(context: &Context, budget: u64, component: Component) -> Self {
        let thread_bytes = THREAD_COORDINATE_BYTES * context.compute_threads() as u64;
        Self {
            tiles: Vec::new(),
            plan: MergePlan::default(),
            peak_bytes: 0,
            budget,
            coordinate_bytes: thread_bytes.min(budget / COORDINATE_SHARE),
            min_tiles: 1,
            component,
        }
    }

    /// Returns whether these numbers of new tiles and of their cells are enough.
    pub(super) fn is_enough(&self, tiles: usize, cells: usize, min_cells: usize) -> bool {
        tiles >= self.min_tiles && (cells >= min_cells || tiles >= MAX_BATCH_TILES)
    }

    /// Doubles the minimum number of tiles that are loaded next.
    pub(super) fn grow(&mut self) {
        self.min_tiles = (2 * self.min_tiles).min(MAX_BATCH_TILES);
    }

    /// Returns the error for a tile of `bytes` bytes that does not fit into the budget, of which
    /// `used` bytes are in use.
    pub(super) fn budget_error(&self, bytes: u64, used: u64) -> Error {
        let purpose = match used {
            0 => BudgetPurpose::Tile,
            _ => BudgetPurpose::MoreTiles { used },
        };
        let exceeded = BudgetError {
            component: self.component,
            purpose,
            need: bytes,
            available: self.budget.saturating_sub(used),
            budget: self.budget,
            parameter: PARAMETER,
        };
        exceeded.into()
    }

    /// Adds the cells of the plan to the undelivered cells of their tiles.
    pub(super) fn count_undelivered(&mut self) {
        for (run, count) in self.plan.undelivered() {
            let tile = &mut self.tiles[run.tile as usize];
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let cells = count.saturating_mul(run.len as usize);
            tile.undelivered = tile.undelivered.saturating_add(cells);
        }
    }

    /// Removes at most `most` cells from the plan without delivering them. Returns their number.
    pub(super) fn skip(&mut self, loader: &TileLoader, most: u64) -> u64 {
        let mut total = 0u64;
        for (run, count) in self.plan.skip(most) {
            let cells = u64::from(run.len) * count;
            total += cells;
            let tile = &mut self.tiles[run.tile as usize];
            let cells = usize::try_from(cells).unwrap_or(usize::MAX);
            tile.undelivered = tile.undelivered.saturating_sub(cells);
        }
        self.release_unused(loader);
        total
    }

    /// Releases the columns of all tiles.
    pub(super) fn release_all(&mut self, loader: &TileLoader) {
        self.tiles.iter_mut().for_each(|tile| loader.release(tile));
    }

    /// Releases the columns of tiles of which no cell will be delivered.
    pub(super) fn release_unused(&mut self, loader: &TileLoader) {
        for tile in &mut self.tiles {
            if !tile.is_needed() {
                loader.release(tile);
            }
        }
    }
}

impl ColumnBatch<TileRun> {
    /// Returns the first cells of a plan that fit into the buffers.
    ///
    /// `memory` limits the size in bytes of variable-length values. They are loaded if the cells of
    /// several tiles were merged (`is_merged`), because a tile is then accessed repeatedly. If
    /// cells alternate between more tiles than fit, only the starts of their values are loaded, or
    /// nothing: what is missing is decoded tile by tile, for many cells at a time.
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
        let (mut bytes, mut starts_bytes) = (0u64, 0u64);
        // Tiles whose starts are not kept are decoded one at a time by each thread.
        let mut largest_starts = 0;
        let thread_memory = memory / context.compute_threads() as u64;
        let mut most = MAX_BATCH_RUNS;
        batch
            .runs
            .reserve(plan.undelivered_num().min(MAX_BATCH_RUNS));
        if !has_vars {
            left -= batch.take_first(plan, left);
        }
        // No more repetitions of a run fit into a batch.
        let rest = plan.undelivered_after(batch.runs.len());
        for run in rest.flat_map(|(run, count)| {
            std::iter::repeat_n(run, count.min(MAX_BATCH_RUNS_OF_TILE as u64) as usize)
        }) {
            let len = (run.len as usize).min(left);
            if len == 0 {
                batch.is_full = true;
                break;
            }
            if batch.runs.len() >= most {
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
                let more = var_size(filled, |field| loader.size(tile, field))?;
                let more_starts = var_size(filled, |field| loader.starts_size(tile, field))?;
                let total = bytes.saturating_add(more);
                let total_starts = starts_bytes.saturating_add(more_starts);
                largest_starts = more_starts.max(largest_starts);
                if bytes > 0 && total > memory {
                    let is_long = batch.runs.len() >= MIN_BATCH_RUNS;
                    if !is_merged || is_long {
                        break;
                    }
                    batch.fitting = if total_starts <= memory {
                        FittingVars::Starts
                    } else if largest_starts <= thread_memory {
                        FittingVars::Nothing
                    } else {
                        break;
                    };
                    most = usize::try_from(memory / BATCH_RUN_BYTES)
                        .unwrap_or(usize::MAX)
                        .clamp(MAX_BATCH_RUNS, MAX_BATCH_RUNS_OF_TILE);
                }
                (bytes, starts_bytes) = (total, total_starts);
                loads[run.tile as usize] = true;
            }
            batch.runs.push(taken);
            batch.cell_num += len;
            left -= len;
        }
        if has_vars {
            let mut sizes = Vec::new();
            if batch.fitting == FittingVars::Nothing {
                sizes = batch.sizes_by_tile(context, loader, tiles, filled)?;
            } else {
                let loaded: Vec<&Tile> = tiles
                    .iter()
                    .zip(&loads)
                    .filter_map(|(tile, is)| is.then_some(tile))
                    .collect();
                let loads_values = is_merged && batch.fitting == FittingVars::Values;
                batch.load_starts(context, loader, &loaded, filled, loads_values)?;
            }
            batch.measure(loader, tiles, filled, &sizes)?;
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

    /// Loads the starts of the values of tiles, with the values if `loads_values` is set.
    fn load_starts(
        &self,
        context: &Context,
        loader: &TileLoader,
        tiles: &[&Tile],
        filled: &FilledBuffers,
        loads_values: bool,
    ) -> Result<()> {
        let var_num = filled.vars.len();
        let fields = filled.vars.iter().map(|var| var.field);
        let bytes = loader.fixed_bytes(tiles.iter().copied(), fields);
        context.for_each_sized(bytes, tiles.len() * var_num, |task| {
            let (tile, var) = (tiles[task / var_num], &filled.vars[task % var_num]);
            if loads_values {
                loader.column(tile, var.field).map(drop)
            } else {
                loader.starts(tile, var.field).map(drop)
            }
        })
    }

    /// Returns the sizes in bytes of the values of each run, by variable-length field, of starts
    /// that are not kept.
    fn sizes_by_tile(
        &self,
        context: &Context,
        loader: &TileLoader,
        tiles: &[Tile],
        filled: &FilledBuffers,
    ) -> Result<Vec<Vec<u64>>> {
        let var_num = filled.vars.len();
        let (runs, indexes, groups) = self.by_tile(tiles.len());
        let measured = context.map(groups.len() * var_num, |task| {
            let (group, var) = (&groups[task / var_num], &filled.vars[task % var_num]);
            let first = &self.runs[indexes[group.start] as usize];
            let tile = &tiles[first.tile as usize];
            if is_complete(tile, first) && group.len() == 1 {
                return Ok(vec![loader.var_bytes(tile, var.field)?]);
            }
            loader.with_starts(tile, var.field, |starts| {
                let sizes = runs[group.clone()]
                    .iter()
                    .map(|run| starts[run.source_end()] - starts[run.from]);
                Ok(sizes.collect())
            })
        })?;
        let mut sizes = vec![vec![0; self.runs.len()]; var_num];
        for (task, measured) in measured.iter().enumerate() {
            let indexes = &indexes[groups[task / var_num].clone()];
            for (index, size) in indexes.iter().zip(measured) {
                sizes[task % var_num][*index as usize] = *size;
            }
        }
        Ok(sizes)
    }

    /// Computes the positions of the values of each run, and ends the batch where a buffer of
    /// values is full. `sizes` are those of the runs by variable-length field; without them, the
    /// starts are in memory.
    fn measure(
        &mut self,
        loader: &TileLoader,
        tiles: &[Tile],
        filled: &FilledBuffers,
        sizes: &[Vec<u64>],
    ) -> Result<()> {
        let mut fitting = self.runs.len();
        for (var_index, var) in filled.vars.iter().enumerate() {
            let starts: Vec<Option<&[u64]>> = tiles
                .iter()
                .map(|tile| tile.loaded_starts(var.field))
                .collect();
            let mut offsets = Vec::with_capacity(self.runs.len() + 1);
            let mut offset = var.bytes;
            offsets.push(offset);
            // At most one run after the last one that fits is measured.
            for (index, run) in self.runs.iter().take(fitting + 1).enumerate() {
                let bytes = match (sizes.get(var_index), starts[run.tile as usize]) {
                    (Some(sizes), _) => sizes[index],
                    (None, Some(starts)) => value_bytes(starts, run.start, run.len),
                    (None, None) => loader.var_bytes(&tiles[run.tile as usize], var.field)?,
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
        if self.fitting != FittingVars::Nothing {
            // The next submit needs them too.
            for var in &filled.vars {
                loader.starts(tile, var.field)?;
            }
        }
        for (var, offsets) in filled.vars.iter().zip(&self.var_offsets) {
            let left = var.capacity.saturating_sub(offsets[index]);
            let fitting = loader.with_starts(tile, var.field, |starts| {
                let starts = &starts[run.start as usize..=(run.start + run.len) as usize];
                Ok(starts.partition_point(|start| start - starts[0] <= left))
            })?;
            len = len.min(fitting.saturating_sub(1) as u32);
        }
        self.is_full = true;
        self.runs.truncate(index + usize::from(len > 0));
        for (var, offsets) in filled.vars.iter().zip(&mut self.var_offsets) {
            offsets.truncate(index + 1);
            if len > 0 {
                let bytes = loader.with_starts(tile, var.field, |starts| {
                    Ok(value_bytes(starts, run.start, len))
                })?;
                offsets.push(offsets[index] + bytes);
            }
        }
        if let Some(last) = self.runs.get_mut(index) {
            last.len = len;
        }
        Ok(())
    }

    /// Returns the runs ordered by tile, from the cells of the tile to those of the buffers; the
    /// index of each in the batch; and the range of each tile that has runs.
    pub(crate) fn by_tile(&self, tile_num: usize) -> (Vec<CellRun>, Vec<u32>, Vec<Range<usize>>) {
        // A counting sort, because there are many runs of single cells.
        let mut ends = vec![0u32; tile_num + 1];
        for run in &self.runs {
            ends[run.tile as usize + 1] += 1;
        }
        for tile in 0..tile_num {
            ends[tile + 1] += ends[tile];
        }
        let starts = ends.clone();
        let mut runs = vec![CellRun::default(); self.runs.len()];
        let mut indexes = vec![0u32; self.runs.len()];
        let mut position = self.first_cell;
        for (index, run) in (0u32..).zip(&self.runs) {
            let end = &mut ends[run.tile as usize];
            runs[*end as usize] = CellRun {
                from: run.start as usize,
                to: position,
                len: run.len as usize,
            };
            indexes[*end as usize] = index;
            *end += 1;
            position += run.len as usize;
        }
        let groups = starts
            .windows(2)
            .map(|pair| pair[0] as usize..pair[1] as usize)
            .filter(|group| !group.is_empty());
        (runs, indexes, groups.collect())
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

/// Returns whether a run is a complete tile.
fn is_complete(tile: &Tile, run: &TileRun) -> bool {
    run.start == 0 && run.len as usize == tile.cell_num
}

/// Returns the size in bytes of the values of consecutive cells.
pub(super) fn value_bytes(starts: &[u64], start: u32, len: u32) -> u64 {
    starts[(start + len) as usize] - starts[start as usize]
}

/// Returns the sum of a size of a tile over the variable-length fields.
fn var_size(filled: &FilledBuffers, size: impl Fn(usize) -> Result<u64>) -> Result<u64> {
    let mut sizes = filled.vars.iter().map(|var| size(var.field));
    sizes.try_fold(0u64, |bytes, size| Ok(bytes.saturating_add(size?)))
}

#[cfg(test)]
mod tests {
    use super::super::tiles::FieldTable;
    use super::*;
    use crate::buffers::OffsetsForm;
    use crate::config::Config;
    use proptest::prelude::*;

    fn run(tile: u32, start: u32, len: u32) -> TileRun {
        TileRun { tile, start, len }
    }

    fn all(plan: &MergePlan) -> Vec<(TileRun, u64)> {
        plan.undelivered().collect()
    }

    #[test]
    fn neighbouring_cells_form_one_run() {
        let mut plan = MergePlan::default();
        plan.extend_cells([(0, 3), (0, 4), (1, 5), (1, 5), (0, 5)].into_iter());
        let runs: Vec<TileRun> = plan.undelivered().map(|(run, _)| run).collect();
        assert_eq!(
            runs,
            [run(0, 3, 2), run(1, 5, 1), run(1, 5, 1), run(0, 5, 1)]
        );
    }

    #[test]
    fn repeated_cells_are_stored_once_and_taken_one_by_one() {
        let mut plan = MergePlan::default();
        plan.push(run(0, 0, 4));
        plan.push_cell(0, 9, 1 << 40);
        plan.push(run(1, 0, 2));
        assert_eq!(plan.undelivered_num(), 3);
        plan.take(&[run(0, 0, 4), run(0, 9, 1), run(0, 9, 1)]);
        assert_eq!(
            all(&plan),
            [(run(0, 9, 1), (1 << 40) - 2), (run(1, 0, 2), 1)]
        );
        plan.compact();
        assert_eq!(
            all(&plan),
            [(run(0, 9, 1), (1 << 40) - 2), (run(1, 0, 2), 1)]
        );
    }

    #[test]
    fn a_cell_that_is_delivered_zero_times_is_not_stored() {
        let mut plan = MergePlan::default();
        plan.push_cell(0, 1, 0);
        assert!(plan.is_empty());
    }

    #[test]
    fn skipping_removes_exactly_as_many_cells() {
        let mut plan = MergePlan::default();
        plan.push(run(0, 0, 4));
        plan.push_cell(0, 9, 5);
        plan.push(run(1, 0, 2));
        assert_eq!(plan.skip(3), [(run(0, 0, 3), 1)]);
        assert_eq!(plan.skip(3), [(run(0, 3, 1), 1), (run(0, 9, 1), 2)]);
        assert_eq!(plan.skip(4), [(run(0, 9, 1), 3), (run(1, 0, 1), 1)]);
        assert_eq!(all(&plan), [(run(1, 1, 1), 1)]);
        assert_eq!(plan.skip(9), [(run(1, 1, 1), 1)]);
        assert!(plan.is_empty());
    }

    #[test]
    fn a_run_can_be_taken_in_parts() {
        let mut plan = MergePlan::default();
        plan.push(run(2, 10, 5));
        plan.take(&[run(2, 10, 2)]);
        assert_eq!(all(&plan), [(run(2, 12, 3), 1)]);
        plan.take(&[run(2, 12, 3)]);
        assert!(plan.is_empty());
    }

    proptest! {
        /// The obvious plan is a list of cells.
        #[test]
        fn taking_in_steps_delivers_the_cells_of_the_list(
            cells in proptest::collection::vec((0u32..3, 0u32..20, 1u64..4), 1..60),
            steps in proptest::collection::vec(1usize..9, 1..200),
        ) {
            let mut plan = MergePlan::default();
            let mut list = Vec::new();
            for (tile, cell, count) in cells {
                plan.push_cell(tile, cell, count);
                list.extend(std::iter::repeat_n((tile, cell), count as usize));
            }
            let mut delivered = Vec::new();
            for step in steps {
                let runs = plan.undelivered();
                let runs = runs.flat_map(|(run, count)| std::iter::repeat_n(run, count as usize));
                let taken: Vec<TileRun> = runs.take(step).collect();
                delivered.extend(taken.iter().map(|run| (run.tile, run.start)));
                plan.take(&taken);
                plan.compact();
            }
            prop_assert_eq!(&delivered[..], &list[..delivered.len()]);
            prop_assert_eq!(delivered.len() == list.len(), plan.is_empty());
        }
    }

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
                let (runs, indexes, groups) = batch.by_tile(tiles.len());
                let mut cells = vec![None; batch.cell_num];
                for group in groups {
                    let tile = batch.runs[indexes[group.start] as usize].tile;
                    for run in &runs[group] {
                        for cell in 0..run.len {
                            let position = run.to + cell;
                            prop_assert!(cells[position].is_none());
                            cells[position] = Some((tile, (run.from + cell) as u32));
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
