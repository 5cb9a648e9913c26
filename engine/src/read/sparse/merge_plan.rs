//! The order in which cells are delivered: the value that the merge passes on to the gathering of
//! batches. A submit takes cells from the front; the rest stays for the next submit, with the tiles
//! that are in memory.

use std::convert::Infallible;

use super::filter::CellSelection;
use super::tiles::{Tile, TileLoader};
use crate::context::Context;
use crate::error::{BudgetError, BudgetPurpose, Component, Error};
use crate::memory::PARAMETER;
use crate::memory::tuning::{COORDINATE_SHARE, MAX_BATCH_TILES, THREAD_COORDINATE_BYTES};
use crate::read::selection::CellRange;

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
        let one = |tile: u32, start: u32| TileRun {
            tile,
            start,
            len: 1,
        };
        for (tile, cell) in cells {
            match &mut last {
                Some(run) if run.tile == tile && run.start + run.len == cell => run.len += 1,
                _ => self.runs.extend(last.replace(one(tile, cell))),
            }
        }
        self.runs.extend(last);
        if !self.counts.is_empty() {
            self.counts.resize(self.runs.len(), 1);
        }
    }

    /// Appends the selected cells of a tile of `cell_num` cells.
    pub(super) fn push_selected(&mut self, tile: u32, cell_num: usize, selected: &CellSelection) {
        let push = |run: CellRange| {
            match &selected.counts {
                None => self.push(TileRun {
                    tile,
                    start: run.start,
                    len: run.len,
                }),
                Some(counts) => {
                    for cell in run.start..run.start + run.len {
                        let count = counts.get(cell as usize).copied().unwrap_or(1);
                        self.push_cell(tile, cell, count);
                    }
                }
            }
            Ok(())
        };
        let done: Result<(), Infallible> = selected.cells.for_each_run(cell_num, push);
        let Ok(()) = done;
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
        let runs = self.runs[first..].iter().enumerate();
        runs.map(|(index, run)| (*run, counts.get(index).copied().unwrap_or(1)))
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

#[cfg(test)]
mod tests {
    use super::*;
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
}
