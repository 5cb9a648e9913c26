//! Tiles that are buffered for merging: their keys, and the order of the undelivered cells.

use std::ops::Range;

use super::super::filter::{CellFilter, CellSelection};
use super::super::tiles::{Tile, TileLoader};
use super::merge_runs::{CellTimes, Dedup, MergeRules, SortedRun};
use crate::context::Context;
use crate::error::{Result, try_reserved};
use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys};
use crate::read::needed_sizes::Amount;

/// The selected cells of a tile that are not in the merge plan yet.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingTile {
    /// The index of the tile in the streams.
    pub(super) stream_tile: usize,
    /// Whether its cells are compared with others; otherwise it is passed through.
    pub(super) is_compared: bool,
    keys: Keys,
    /// The selected cells, in order if `is_sorted`.
    cells: Vec<u32>,
    is_sorted: bool,
    /// The first and the last of them in order.
    ends: (u32, u32),
    /// The first cell that is not in the plan.
    next: usize,
    /// The number of times each cell is delivered.
    counts: Option<Vec<u64>>,
    /// A byte per cell of the tile, 1 if it satisfies the condition; `None` if all do.
    passing: Option<Vec<u8>>,
}

impl PendingTile {
    /// Returns a tile without cells.
    pub(super) fn new(stream_tile: usize, is_compared: bool) -> Self {
        Self {
            stream_tile,
            is_compared,
            ..Self::default()
        }
    }

    /// Loads the keys of a tile, and what decides about its selected cells.
    pub(super) fn load(
        &mut self,
        rules: &MergeRules,
        loader: &TileLoader,
        filter: &CellFilter,
        tile: &Tile,
        selected: &CellSelection,
    ) -> Result<()> {
        let cell_num = selected.cells.count(tile.cell_num);
        if cell_num == 0 && !rules.is_stored_order {
            return Ok(());
        }
        for field in &loader.fields.dims {
            loader.column(tile, *field)?;
        }
        if compares_times(rules, loader, tile)
            && let Some(times) = loader.fields.timestamps
        {
            loader.column(tile, times)?;
        }
        let columns = loader.coordinates(tile);
        rules.order.make_keys(&columns, &mut self.keys)?;
        self.cells = try_reserved("cell order", cell_num)?;
        let cells = &mut self.cells;
        selected.cells.for_each_run(tile.cell_num, |run| {
            cells.extend(run.start..run.start + run.len);
            Ok::<(), crate::error::Error>(())
        })?;
        self.counts.clone_from(&selected.counts);
        if rules.dedup != Dedup::Off && !self.cells.is_empty() {
            self.passing = filter.passing(loader, tile)?;
        }
        self.is_sorted = rules.is_stored_order;
        self.ends = match self.cells[..] {
            [first, .., last] if rules.is_stored_order => (first, last),
            [first, ..] => self.find_ends(&rules.order, first, &columns),
            [] => (0, 0),
        };
        Ok(())
    }

    /// Returns whether all cells are in the plan.
    pub(super) fn is_done(&self) -> bool {
        self.next >= self.cells.len()
    }

    /// Returns the number of cells that may be added to the plan. It is exact if no other cell
    /// hides them.
    pub(super) fn left(&self, rules: &MergeRules) -> Amount {
        let cells = self.cells.get(self.next..).unwrap_or_default();
        let number = match &self.counts {
            None => cells.len() as u64,
            Some(counts) => {
                let counts = cells.iter().map(|cell| counts.get(*cell as usize));
                counts.fold(0, |sum: u64, count| {
                    sum.saturating_add(count.copied().unwrap_or(1))
                })
            }
        };
        Amount {
            number,
            is_exact: number == 0 || (rules.dedup == Dedup::Off && self.passing.is_none()),
        }
    }

    /// Returns the size in memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let counts = self.counts.as_ref();
        let counts = counts.map_or(0, |counts| 8 * counts.capacity());
        let passing = self.passing.as_ref().map_or(0, Vec::capacity);
        self.keys.memory() + 4 * self.cells.capacity() + counts + passing
    }

    /// Takes all remaining cells, or those that precede cell `j` of a bound. If that is a part of
    /// an unsorted tile, the tile is sorted.
    pub(super) fn take_before(
        &mut self,
        context: &Context,
        order: &CellOrder,
        columns: &[Coordinates<'_>],
        bound: Option<(KeyedCells<'_>, usize)>,
    ) -> Result<Range<usize>> {
        let start = self.next;
        self.next = match bound {
            None => self.cells.len(),
            Some((bound, cell)) => self.end_before(context, order, columns, bound, cell)?,
        };
        Ok(start..self.next)
    }

    fn end_before(
        &mut self,
        context: &Context,
        order: &CellOrder,
        columns: &[Coordinates<'_>],
        bound: KeyedCells<'_>,
        bound_cell: usize,
    ) -> Result<usize> {
        let is_before = |pending: &Self, cell: u32| {
            let cells = pending.keyed(columns);
            order
                .compare(cells, cell as usize, bound, bound_cell)
                .is_lt()
        };
        if !self.is_sorted {
            if self.cells.is_empty() {
                return Ok(0);
            }
            match (is_before(self, self.ends.0), is_before(self, self.ends.1)) {
                (false, _) => return Ok(self.next),
                (true, true) => return Ok(self.cells.len()),
                (true, false) => self.sort(context, order, columns)?,
            }
        }
        let remaining = &self.cells[self.next..];
        Ok(self.next + remaining.partition_point(|cell| is_before(self, *cell)))
    }

    /// Returns cells of the tile as a run. `index` is the index of the tile in memory.
    pub(super) fn run<'a>(
        &'a self,
        rules: &MergeRules,
        loader: &TileLoader,
        index: usize,
        tile: &'a Tile,
        cells: Range<usize>,
    ) -> SortedRun<'a> {
        let times = loader.fields.timestamps;
        let times = times.filter(|_| compares_times(rules, loader, tile));
        let times = times.and_then(|field| tile.loaded(field));
        let fragment = &loader.sources[tile.source].fragment;
        SortedRun {
            tile: index as u32,
            source: tile.source,
            tile_index: tile.index,
            keys: &self.keys,
            columns: loader.coordinates(tile),
            cells: &self.cells[cells],
            is_sorted: self.is_sorted,
            times: times.map_or(CellTimes::All(fragment.timestamps().start), |cells| {
                CellTimes::Each(&cells.data)
            }),
            passing: self.passing.as_deref(),
            counts: self.counts.as_deref(),
        }
    }

    fn keyed<'a>(&'a self, columns: &'a [Coordinates<'a>]) -> KeyedCells<'a> {
        KeyedCells {
            keys: &self.keys,
            columns,
        }
    }

    /// Returns the first and the last of the cells in order. `one` is any of them.
    fn find_ends(&self, order: &CellOrder, one: u32, columns: &[Coordinates<'_>]) -> (u32, u32) {
        let words = self.keys.word(0);
        let by_word = order.word_num() == 1 && order.keys_decide();
        if by_word && self.cells.len() == words.len() {
            // Find both ends first, and then their positions.
            let ends = words.iter().fold((u64::MAX, 0), |(low, high), word| {
                (low.min(*word), high.max(*word))
            });
            let position = |end| words.iter().position(|word| *word == end);
            let cell = |end| position(end).unwrap_or_default() as u32;
            return (cell(ends.0), cell(ends.1));
        }
        let cells = self.keyed(columns);
        let is_before =
            |a: u32, b: u32| order.compare(cells, a as usize, cells, b as usize).is_lt();
        let (mut first, mut last) = (one, one);
        for cell in self.cells.iter().copied() {
            if is_before(cell, first) {
                first = cell;
            } else if is_before(last, cell) {
                last = cell;
            }
        }
        (first, last)
    }

    /// Sorts the cells of the tile.
    fn sort(
        &mut self,
        context: &Context,
        order: &CellOrder,
        columns: &[Coordinates<'_>],
    ) -> Result<()> {
        self.is_sorted = true;
        let keyed = KeyedCells {
            keys: &self.keys,
            columns,
        };
        if self.cells.len() == self.keys.len() {
            if let Some(sorted) = order.sort(context, keyed)?.order {
                self.cells = sorted;
            }
        } else {
            self.cells.sort_unstable_by(|a, b| {
                let by_order = order.compare(keyed, *a as usize, keyed, *b as usize);
                by_order.then(a.cmp(b))
            });
        }
        Ok(())
    }
}

/// Returns whether the timestamps of the cells of a tile determine which are the newest.
fn compares_times(rules: &MergeRules, loader: &TileLoader, tile: &Tile) -> bool {
    rules.dedup != Dedup::Off && loader.sources[tile.source].fragment.has_timestamps()
}
