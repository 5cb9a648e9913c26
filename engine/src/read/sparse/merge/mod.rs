//! Merges cells of several tiles, and keeps the newest of cells with equal coordinates.
//!
//! The tiles of a fragment are a stream, because their cells are in order. If another order is
//! requested, all tiles together are a stream, ordered by their MBRs. Each stream has a bound: no
//! cell of its next tile precedes it. Cells before the smallest bound can be delivered. A tile that
//! ends before the bounds of all other streams, and starts after all previous cells, is passed
//! through without comparing its cells. Bounds are the corners of MBRs; in the stored order, the
//! first and the last cells of tiles, which fragments store since format version 23.
//!
//! ```text
//! streams         the tiles that are not loaded yet, and their bounds
//! merge_runs      merges cells and removes hidden duplicates
//! ```
//! Loaded tiles of which some cells are not delivered are [`PendingTile`]s.

mod merge_runs;
mod streams;
#[cfg(test)]
mod tests;

use std::ops::Range as IndexRange;

use hashbrown::HashMap;

use self::merge_runs::{Dedup, MergeRules, SortedRun, merge_runs};
use self::streams::{MbrBounds, StreamHeap, Streams};
use super::filter::{CellFilter, CellSelection, Rules};
use super::merge_plan::PendingCells;
use super::scan::{ScannedTile, TileScan};
use super::tiles::{Tile, TileLoader};
use crate::context::Context;
use crate::error::{Result, try_reserved};
use crate::geometry::{Bounds, CellOrder, Coordinates, KeyedCells, Keys, Order};
use crate::read::needed_sizes::Amount;
use crate::schema::ArraySchema;
use crate::types::{Layout, Range};

/// The part of a scan whose cells are not merged yet.
#[derive(Debug)]
pub(super) struct Merge {
    rules: MergeRules,
    streams: Streams,
    /// The undelivered cells of each tile in memory.
    pending: Vec<PendingTile>,
}

impl Merge {
    /// Merges the tiles of a scan in this order, or in global order for `None`.
    pub(super) fn new(
        loader: &TileLoader,
        filter: &CellFilter,
        schema: &ArraySchema,
        scan: TileScan,
        order: Option<Order>,
    ) -> Result<Self> {
        let bounds = bounds_of(loader, schema);
        let is_stored_order = order.is_none();
        let order = match order {
            Some(order) => CellOrder::of_domain(schema, order, bounds)?,
            None => CellOrder::global(schema, bounds)?,
        };
        let streams = if is_stored_order {
            // The order of the Hilbert curve has no relation to MBRs.
            let follows_mbrs = schema.cell_order != Layout::Hilbert;
            Streams::by_fragment(&order, loader, scan, follows_mbrs)?
        } else {
            Streams::sorted(&order, loader, scan)?
        };
        let dedup = match (schema.allows_dups, filter.deletes.hides_older()) {
            (true, _) => Dedup::Off,
            (false, false) => Dedup::Newest,
            (false, true) => Dedup::NewerThanDeleted,
        };
        let rules = MergeRules {
            order,
            dedup,
            is_stored_order,
        };
        Ok(Self {
            rules,
            streams,
            pending: Vec::new(),
        })
    }

    pub(super) fn is_done(&self) -> bool {
        self.streams.is_done() && self.pending.iter().all(PendingTile::is_done)
    }

    /// Returns all tiles of the scan, and the ranges of those that were not taken.
    pub(super) fn tiles(&self) -> (&[ScannedTile], Vec<IndexRange<usize>>) {
        let (tiles, left) = self.streams.tiles();
        (tiles, left.collect())
    }

    /// Returns the number of cells of a tile in memory that may be added to the plan.
    pub(super) fn pending(&self, index: usize) -> Amount {
        let pending = self.pending.get(index);
        pending.map_or(Amount::NONE, |pending| pending.left(&self.rules))
    }

    /// Returns whether a cell may hide another one with equal coordinates.
    pub(super) fn hides_cells(&self) -> bool {
        self.rules.dedup != Dedup::Off
    }

    /// See [`super::schedule::TileScheduler::next`].
    pub(super) fn next(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        cells: &mut PendingCells,
    ) -> Result<()> {
        self.drop_delivered(loader, &mut cells.tiles);
        let loaded_num = cells.tiles.len();
        let scheduled = self.schedule(loader, min_cells, cells)?;
        let tiles = &cells.tiles[loaded_num..];
        let selected = self.load(context, loader, filter, &scheduled, tiles)?;
        self.set_last_cells(loader, tiles)?;
        // Compared cells are delivered before the next tile that is passed through: all of them
        // precede it.
        let mut compared: Vec<usize> = (0..loaded_num).collect();
        for (tile, selected) in (loaded_num..).zip(&selected) {
            if self.pending[tile].is_compared {
                compared.push(tile);
                continue;
            }
            self.merge(context, loader, &compared, false, cells)?;
            compared.clear();
            let cell_num = cells.tiles[tile].cell_num;
            cells.plan.push_selected(tile as u32, cell_num, selected);
        }
        self.merge(context, loader, &compared, true, cells)?;
        for (tile, pending) in cells.tiles.iter_mut().zip(&self.pending) {
            tile.is_pending = !pending.is_done();
        }
        cells.count_undelivered();
        cells.release_unused(loader);
        Ok(())
    }

    /// Drops tiles that have been fully emitted.
    fn drop_delivered(&mut self, loader: &TileLoader, tiles: &mut Vec<Tile>) {
        let all_pending = std::mem::take(&mut self.pending);
        let all_tiles = std::mem::take(tiles);
        for (mut tile, pending) in all_tiles.into_iter().zip(all_pending) {
            if pending.is_done() {
                loader.release(&mut tile);
            } else {
                tiles.push(tile);
                self.pending.push(pending);
            }
        }
    }

    /// Returns the memory of tiles and of their pending cells in bytes.
    fn memory(&self, tiles: &[Tile]) -> u64 {
        let tiles: usize = tiles.iter().map(Tile::memory).sum();
        let pending: usize = self.pending.iter().map(PendingTile::memory).sum();
        (tiles + pending) as u64
    }

    /// Appends the tiles of the next batch: repeatedly the next tile of the stream with the
    /// smallest bound. Their cells are not loaded yet.
    fn schedule(
        &mut self,
        loader: &TileLoader,
        min_cells: usize,
        cells: &mut PendingCells,
    ) -> Result<Vec<PendingTile>> {
        let order = &self.rules.order;
        let mut scheduled = Vec::new();
        let mut reach = [None, None];
        for pending in &self.pending {
            self.streams
                .extend_reach(order, &mut reach, pending.stream_tile);
        }
        let used = self.memory(&cells.tiles);
        let (mut cell_num, mut bytes) = (0usize, 0u64);
        let mut heap = StreamHeap::new(&self.streams, order);
        while !cells.is_enough(scheduled.len(), cell_num, min_cells) {
            let Some(stream) = heap.first() else {
                break;
            };
            let second = heap.second(&self.streams, order);
            let stream_tile = self.streams.next_tile(stream);
            let scanned = self.streams.tile(stream_tile);
            let source = &loader.sources[scanned.source as usize];
            let tile = loader.tile(scanned.source as usize, scanned.found.tile)?;
            let is_compared = !self.rules.is_stored_order
                || (self.rules.dedup != Dedup::Off && source.fragment.footer.has_timestamps)
                || !self.streams.is_alone(order, stream, second, reach);
            if is_compared || !source.contains_all(scanned.found) {
                let more = loader.coordinates_size(&tile)?;
                let total = used.saturating_add(bytes).saturating_add(more);
                if scheduled.is_empty() && total > cells.budget {
                    return Err(cells.budget_error(more, used));
                }
                let coordinate_bytes = bytes.saturating_add(more);
                if !scheduled.is_empty()
                    && (total > cells.budget / 4 || coordinate_bytes > cells.coordinate_bytes)
                {
                    break;
                }
                bytes = coordinate_bytes;
            }
            if is_compared {
                self.streams.extend_reach(order, &mut reach, stream_tile);
            }
            self.streams.take(stream);
            // Without MBR bounds, the next bound of a stream is known after its tile is loaded.
            if self.streams.has_bounds() && self.streams.has_tiles(stream) {
                heap.update_first(&self.streams, order);
            } else {
                heap.remove_first(&self.streams, order);
            }
            cell_num = cell_num.saturating_add(tile.cell_num);
            cells.tiles.push(tile);
            scheduled.push(PendingTile::new(stream_tile, is_compared));
        }
        cells.grow();
        Ok(scheduled)
    }

    /// Selects the cells of newly scheduled tiles, and loads the keys of those that are compared.
    /// Returns the selected cells of each tile.
    fn load(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        filter: &CellFilter,
        scheduled: &[PendingTile],
        tiles: &[Tile],
    ) -> Result<Vec<CellSelection>> {
        // If cells hide others, the condition is applied after hidden cells are removed.
        let hides = self.rules.dedup != Dedup::Off;
        let rules = |index: usize| {
            let rules = if hides && scheduled[index].is_compared {
                Rules::TimesAndRanges
            } else {
                Rules::All
            };
            (self.streams.tile(scheduled[index].stream_tile).found, rules)
        };
        let selected = filter.select_all(context, loader, tiles, rules)?;
        let bytes = loader.fixed_bytes(tiles, loader.fields.dims.iter().copied());
        let pending = context.map_sized(bytes, tiles.len(), |index| {
            let mut pending = scheduled[index].clone();
            if pending.is_compared {
                pending.load(&self.rules, loader, filter, &tiles[index], &selected[index])?;
            }
            Ok(pending)
        })?;
        self.pending.extend(pending);
        Ok(selected)
    }

    /// Records the last cell of the last loaded tile of each stream. `tiles` are the newly loaded
    /// ones.
    fn set_last_cells(&mut self, loader: &TileLoader, tiles: &[Tile]) -> Result<()> {
        if !self.rules.is_stored_order {
            return Ok(());
        }
        let loaded = &self.pending[self.pending.len() - tiles.len()..];
        let by_tile: HashMap<usize, usize> = loaded
            .iter()
            .enumerate()
            .map(|(index, pending)| (pending.stream_tile, index))
            .collect();
        for stream in 0..self.streams.len() {
            let last_taken = self.streams.last_taken(stream);
            let newly_loaded = last_taken.and_then(|tile| by_tile.get(&tile).copied());
            // The last cell of a stream without a new tile does not change.
            let Some(index) = newly_loaded else { continue };
            let tile = &tiles[index];
            let Some(last) = tile.cell_num.checked_sub(1) else {
                continue;
            };
            if !loaded[index].is_compared {
                // Later cells are not compared with it.
                self.streams.set_last(stream, None);
                continue;
            }
            let columns = loader.coordinates(tile);
            let values = columns
                .iter()
                .zip(&loader.fields.dims)
                .map(|(column, field)| {
                    let size = loader.fields[*field].value_size;
                    (column.get(last, size), column.starts.is_some())
                });
            let last = MbrBounds::of_cell(&self.rules.order, values)?;
            self.streams.set_last(stream, Some(last));
        }
        Ok(())
    }

    /// Appends cells of some tiles to the plan: all of them, or with `is_bounded` those that
    /// precede all cells that are not loaded yet.
    fn merge(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        indexes: &[usize],
        is_bounded: bool,
        cells: &mut PendingCells,
    ) -> Result<()> {
        let order = &self.rules.order;
        let mut bound = None;
        if is_bounded && !self.streams.is_done() {
            bound = self.streams.least_bound(order);
            if bound.is_none() {
                // No cell is known to precede a bound that is not known.
                return Ok(());
            }
        }
        let bound_columns = bound
            .map(|bound| bound.bounds.columns())
            .unwrap_or_default();
        let bound = bound.map(|bound| (bound.bounds.keyed(&bound_columns), bound.index));
        let mut parts = Vec::new();
        for index in indexes {
            let columns = loader.coordinates(&cells.tiles[*index]);
            let pending = &mut self.pending[*index];
            let part = pending.take_before(context, order, &columns, bound)?;
            if !part.is_empty() {
                parts.push((*index, part));
            }
        }
        let runs = parts.into_iter().map(|(index, part)| {
            let tile = &cells.tiles[index];
            self.pending[index].run(&self.rules, loader, index, tile, part)
        });
        merge_runs(&self.rules, runs.collect(), &mut cells.plan)
    }
}

/// Returns whether all cells are inside the domain according to the fragments.
fn bounds_of(loader: &TileLoader, schema: &ArraySchema) -> Bounds {
    let dimensions = || schema.domain.dimensions.iter();
    let domains: Vec<Option<&Range>> = dimensions()
        .map(|dimension| dimension.domain.as_ref().filter(|_| !dimension.is_var()))
        .collect();
    let in_domain = loader.sources.iter().all(|source| {
        let non_empty = source.fragment.footer.non_empty_domain.as_ref();
        non_empty.is_none_or(|non_empty| {
            non_empty
                .iter()
                .zip(&domains)
                .zip(dimensions())
                .filter_map(|((range, domain), dimension)| Some((range, (*domain)?, dimension)))
                .all(|(range, domain, dimension)| {
                    let mut union = domain.clone();
                    union.expand(range, dimension.datatype.physical());
                    union == *domain
                })
        })
    });
    if in_domain {
        Bounds::Domain
    } else {
        Bounds::Datatype
    }
}

/// The selected cells of a tile that are not in the merge plan yet.
#[derive(Clone, Debug, Default)]
struct PendingTile {
    /// The index of the tile in the streams.
    stream_tile: usize,
    /// Whether its cells are compared with others; otherwise it is passed through.
    is_compared: bool,
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
    fn new(stream_tile: usize, is_compared: bool) -> Self {
        Self {
            stream_tile,
            is_compared,
            ..Self::default()
        }
    }

    /// Loads the keys of a tile, and what decides about its selected cells.
    fn load(
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
            cells.extend(run);
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
    fn is_done(&self) -> bool {
        self.next >= self.cells.len()
    }

    /// Returns the number of cells that may be added to the plan. It is exact if no other cell
    /// hides them.
    fn left(&self, rules: &MergeRules) -> Amount {
        let cells = self.cells.get(self.next..).unwrap_or_default();
        let number = match &self.counts {
            None => cells.len() as u64,
            Some(counts) => cells
                .iter()
                .map(|cell| counts.get(*cell as usize))
                .fold(0, |sum: u64, count| {
                    sum.saturating_add(count.copied().unwrap_or(1))
                }),
        };
        Amount {
            number,
            is_exact: number == 0 || (rules.dedup == Dedup::Off && self.passing.is_none()),
        }
    }

    /// Returns the size in memory in bytes.
    fn memory(&self) -> usize {
        let counts = self.counts.as_ref();
        let counts = counts.map_or(0, |counts| 8 * counts.capacity());
        let passing = self.passing.as_ref().map_or(0, Vec::capacity);
        self.keys.memory() + 4 * self.cells.capacity() + counts + passing
    }

    /// Takes all remaining cells, or those that precede cell `j` of a bound. If that is a part of
    /// an unsorted tile, the tile is sorted.
    fn take_before(
        &mut self,
        context: &Context,
        order: &CellOrder,
        columns: &[Coordinates<'_>],
        bound: Option<(KeyedCells<'_>, usize)>,
    ) -> Result<IndexRange<usize>> {
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
    fn run<'a>(
        &'a self,
        rules: &MergeRules,
        loader: &TileLoader,
        index: usize,
        tile: &'a Tile,
        cells: IndexRange<usize>,
    ) -> SortedRun<'a> {
        let times = loader.fields.timestamps;
        let times = times
            .filter(|_| compares_times(rules, loader, tile))
            .and_then(|field| tile.loaded(field));
        let fragment = &loader.sources[tile.source].fragment;
        SortedRun {
            tile: index as u32,
            source: tile.source,
            tile_index: tile.index,
            keys: &self.keys,
            columns: loader.coordinates(tile),
            cells: &self.cells[cells],
            is_sorted: self.is_sorted,
            time: fragment.timestamps().start,
            times: times.map(|cells| &cells.data[..]),
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
            let cell = |end| {
                words
                    .iter()
                    .position(|word| *word == end)
                    .unwrap_or_default() as u32
            };
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
    rules.dedup != Dedup::Off && loader.sources[tile.source].fragment.footer.has_timestamps
}
