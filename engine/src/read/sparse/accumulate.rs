//! The aggregates of a sparse read, over the selected cells in any order.
//!
//! Fragments that are read completely and hide no cell of another contribute their statistics; so
//! do complete tiles. Only other tiles are fetched.

use std::sync::atomic::{AtomicU64, Ordering};

use super::filter::{CellFilter, Rules};
use super::merge_plan::{PendingCells, TileRun};
use super::tiles::{Tile, TileLoader};
use super::{SequentialTiles, SparseRead, TileScheduler};
use crate::aggregate::{
    Accumulator, Aggregate, AggregateResult, GroupedAggregates, TileStatistics, count,
};
use crate::context::Context;
use crate::error::{Error, ReadError, Result, try_vec};
use crate::fragment::FieldTiles;
use crate::memory::tuning::AGGREGATE_BATCH_CELLS;
use crate::platform::lock::Mutex;
use crate::read::selection::Selection;
use crate::stats::{Counter, Stats, Timer};
use crate::tile::CellsRef;

impl SparseRead {
    /// Computes the aggregates of all results. The read is complete afterwards.
    pub(crate) fn aggregate(
        &mut self,
        context: &Context,
        aggregates: &[&Aggregate],
        stats: &Stats,
    ) -> Result<Vec<AggregateResult>> {
        let _timing = stats.timer(Timer::ProcessAggregates);
        let grouped = GroupedAggregates::new(aggregates);
        // By field of the read.
        let mut fields: Vec<(usize, Accumulator)> = Vec::new();
        for (field, accumulator) in grouped.accumulators() {
            let index = self.loader.fields.position(&field.name);
            fields.push((
                index.ok_or_else(|| {
                    Error::from(ReadError::UnknownField {
                        name: field.name.clone(),
                    })
                })?,
                accumulator,
            ));
        }
        let cell_num = match self.add_fragments(&mut fields)? {
            Some(cell_num) => cell_num,
            None => {
                let (loader, filter, pending) = (&self.loader, &self.filter, &mut self.pending);
                match &mut self.scheduler {
                    TileScheduler::Sequential(tiles) if !filter.ranges.is_counted() => {
                        add_tiles(context, loader, filter, tiles, pending, &mut fields, stats)?
                    }
                    _ => self.add_plan(context, &mut fields, stats)?,
                }
            }
        };
        self.record_tiles(stats);
        let accumulators: Vec<&Accumulator> =
            fields.iter().map(|(_, accumulator)| accumulator).collect();
        Ok(grouped.results(&accumulators, cell_num))
    }

    /// Aggregates complete fragments by their statistics. Returns `None` without a change if that
    /// is impossible.
    fn add_fragments(&self, fields: &mut [(usize, Accumulator)]) -> Result<Option<u64>> {
        let (loader, filter) = (&self.loader, &self.filter);
        if filter.condition.is_some() || self.scheduler.is_merged() || !filter.ranges.is_all() {
            return Ok(None);
        }
        if loader
            .sources
            .iter()
            .enumerate()
            .any(|(index, source)| source.filters_times || filter.deletes.affects(index))
        {
            return Ok(None);
        }
        let mut collected: Vec<Accumulator> = fields
            .iter()
            .map(|(_, accumulator)| accumulator.empty())
            .collect();
        let mut cell_num = 0u64;
        for source in &loader.sources {
            let cells = source.fragment.cell_num();
            cell_num = cell_num.saturating_add(cells);
            for ((field, _), collected) in fields.iter().zip(&mut collected) {
                let tiles = source.tiles(*field, &loader.fields[*field])?;
                let Some(slot) = tiles.and_then(FieldTiles::statistics_slot) else {
                    return Ok(None);
                };
                let statistics = TileStatistics::of_fragment(&source.fragment, slot, cells)?;
                if !statistics.is_some_and(|statistics| collected.add_statistics(&statistics)) {
                    return Ok(None);
                }
            }
        }
        for ((_, accumulator), collected) in fields.iter_mut().zip(&collected) {
            accumulator.merge(collected);
        }
        Ok(Some(cell_num))
    }

    /// Aggregates cells that are merged or delivered several times. Returns their number.
    fn add_plan(
        &mut self,
        context: &Context,
        fields: &mut [(usize, Accumulator)],
        stats: &Stats,
    ) -> Result<u64> {
        let (loader, filter, pending) = (&self.loader, &self.filter, &mut self.pending);
        let mut cell_num = 0u64;
        while !self.scheduler.is_done() {
            self.scheduler
                .next(context, loader, filter, AGGREGATE_BATCH_CELLS, pending)?;
            stats.add(Counter::InternalLoops, 1);
            self.scheduler.report(context)?;
            let mut by_tile: Vec<Vec<(TileRun, u64)>> = Vec::new();
            by_tile.resize_with(pending.tiles.len(), Vec::new);
            for (run, count) in pending.plan.undelivered() {
                cell_num = cell_num.saturating_add(count.saturating_mul(u64::from(run.len)));
                by_tile[run.tile as usize].push((run, count));
            }
            pending.plan.clear();
            let with_runs: Vec<usize> = (0..by_tile.len())
                .filter(|tile| !by_tile[*tile].is_empty())
                .collect();
            let shared: Vec<Mutex<&mut (usize, Accumulator)>> =
                fields.iter_mut().map(Mutex::new).collect();
            let bytes = loader.fixed_bytes(
                with_runs.iter().map(|tile| &pending.tiles[*tile]),
                loader.fields.dims.iter().copied(),
            );
            context.for_each_sized(bytes, with_runs.len(), |index| {
                let (tile, runs) = (&pending.tiles[with_runs[index]], &by_tile[with_runs[index]]);
                add_to_all(&shared, |field, partial| {
                    add_runs(loader, tile, field, runs, partial)
                })
            })?;
            for tile in &mut pending.tiles {
                tile.undelivered = 0;
            }
            pending.release_unused(loader);
        }
        Ok(cell_num)
    }
}

/// Aggregates tile by tile if no cell hides another or is delivered several times. Returns the
/// number of cells.
fn add_tiles(
    context: &Context,
    loader: &TileLoader,
    filter: &CellFilter,
    sequential: &mut SequentialTiles,
    pending: &mut PendingCells,
    fields: &mut [(usize, Accumulator)],
    stats: &Stats,
) -> Result<u64> {
    let cell_num = AtomicU64::new(0);
    let epoch = context.cancel_epoch();
    let shared: Vec<Mutex<&mut (usize, Accumulator)>> = fields.iter_mut().map(Mutex::new).collect();
    while !sequential.is_done() {
        context.check_cancelled(epoch)?;
        let scanned = sequential.schedule(loader, filter, AGGREGATE_BATCH_CELLS, pending)?;
        stats.add(Counter::InternalLoops, 1);
        let tiles = &pending.tiles;
        loader.prefetch(tiles, |_, _| true)?;
        let bytes = loader.fixed_bytes(tiles, loader.fields.dims.iter().copied());
        context.for_each_sized(bytes, tiles.len(), |index| {
            let tile = &tiles[index];
            let selected = filter.select(loader, tile, scanned[index].found, Rules::All)?;
            let mask = match &selected.cells {
                Selection::None => return Ok(()),
                Selection::Mask(mask) => Some(&mask[..]),
                _ => None,
            };
            let cells = mask.map_or(tile.cell_num as u64, count);
            cell_num.fetch_add(cells, Ordering::Relaxed);
            if cells > 0 {
                let mask = mask.filter(|_| cells < tile.cell_num as u64);
                add_to_all(&shared, |field, partial| match mask {
                    None => add_whole(loader, tile, field, partial),
                    Some(mask) => add_masked(loader, tile, field, mask, partial),
                })?;
            }
            selected.cells.recycle();
            Ok(())
        })?;
        pending.release_all(loader);
    }
    Ok(cell_num.into_inner())
}

/// Adds the cells that `add` adds to an accumulator to that of each field, which it gets by its
/// index in the read.
fn add_to_all(
    fields: &[Mutex<&mut (usize, Accumulator)>],
    add: impl Fn(usize, &mut Accumulator) -> Result<()>,
) -> Result<()> {
    for shared in fields {
        let (field, mut partial) = {
            let (field, accumulator) = &**shared.lock();
            (*field, accumulator.empty())
        };
        add(field, &mut partial)?;
        shared.lock().1.merge(&partial);
    }
    Ok(())
}

/// Adds all cells of a tile, by its statistics if they suffice.
fn add_whole(
    loader: &TileLoader,
    tile: &Tile,
    field: usize,
    partial: &mut Accumulator,
) -> Result<()> {
    let source = &loader.sources[tile.source];
    let tiles = source.tiles(field, &loader.fields[field])?;
    let statistics = match tiles.and_then(FieldTiles::statistics_slot) {
        Some(slot) => {
            let cells = tile.cell_num as u64;
            TileStatistics::of_tile(&source.fragment, slot, tile.index, cells)?
        }
        None => None,
    };
    if statistics.is_some_and(|statistics| partial.add_statistics(&statistics)) {
        return Ok(());
    }
    partial.add(&column(loader, tile, field)?, tile.cell_num, None);
    Ok(())
}

/// Adds the cells of a tile whose byte in `mask` is 1.
fn add_masked(
    loader: &TileLoader,
    tile: &Tile,
    field: usize,
    mask: &[u8],
    partial: &mut Accumulator,
) -> Result<()> {
    partial.add(&column(loader, tile, field)?, tile.cell_num, Some(mask));
    Ok(())
}

/// Adds runs of a tile, each as often as it is delivered.
fn add_runs(
    loader: &TileLoader,
    tile: &Tile,
    field: usize,
    runs: &[(TileRun, u64)],
    partial: &mut Accumulator,
) -> Result<()> {
    if let [(run, 1)] = runs
        && run.len as usize == tile.cell_num
    {
        return add_whole(loader, tile, field, partial);
    }
    // Each bit of the counts is one pass, because counts may be large: the cells whose count has
    // bit b are added once, and that accumulator is doubled b times.
    let all_bits = runs.iter().fold(0, |bits, (_, count)| bits | count);
    for bit in (0..u64::BITS).filter(|bit| all_bits >> bit & 1 != 0) {
        let mut mask: Vec<u8> = try_vec("cells of an aggregate", tile.cell_num)?;
        for (run, _) in runs.iter().filter(|(_, count)| count >> bit & 1 != 0) {
            mask[run.start as usize..(run.start + run.len) as usize].fill(1);
        }
        let mut once = partial.empty();
        add_masked(loader, tile, field, &mask, &mut once)?;
        for _ in 0..bit {
            let mut twice = once.empty();
            twice.merge(&once);
            twice.merge(&once);
            once = twice;
        }
        partial.merge(&once);
    }
    Ok(())
}

fn column<'t>(loader: &TileLoader, tile: &'t Tile, field: usize) -> Result<CellsRef<'t>> {
    let cells = loader.column(tile, field)?;
    let field = &loader.fields[field];
    Ok(CellsRef {
        data: &cells.data,
        starts: field.stored.cells.is_var().then_some(&cells.starts[..]),
        validity: field.stored.cells.nullable.then_some(&cells.validity[..]),
    })
}
