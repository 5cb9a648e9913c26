//! The aggregates of a sparse read, over the selected cells in any order.
//!
//! Fragments that are read completely and hide no cell of another contribute their statistics; so
//! do complete tiles. Only other tiles are fetched.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::platform::lock::Mutex;

use super::SparseRead;
use super::batch::CellPiece;
use super::scheduler::TileScheduler;
use super::select::TileSelection;
use super::tiles::{Input, Tile};
use crate::aggregate::{
    Accumulator, Aggregate, AggregateOperator, TileStatistics, count, fields_of,
};
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::stats::{Counter, Stats, Timer};
use crate::tile::CellsRef;

/// The desired number of cells per wave.
const WANTED: usize = 1 << 22;

/// A field of the read and its accumulator.
struct FieldAccumulator {
    field: usize,
    accumulator: Accumulator,
}

impl SparseRead {
    /// Computes the aggregates of all results and returns values and validity. The read is complete
    /// afterwards.
    pub fn aggregate(
        &mut self,
        context: &Context,
        aggregates: &[&Aggregate],
        stats: &Stats,
    ) -> Result<Vec<(Vec<u8>, bool)>> {
        let _timing = stats.timer(Timer::ProcessAggregates);
        let (parts, field_indexes) = fields_of(aggregates);
        let input = &self.input;
        let fields = parts.into_iter().filter_map(|(field, parts)| {
            let named = |known: &super::SparseField| known.stored.name == field.name;
            Some(FieldAccumulator {
                field: input.fields.iter().position(named)?,
                accumulator: Accumulator::new(field, parts),
            })
        });
        let mut fields: Vec<FieldAccumulator> = fields.collect();
        let rows = match self.whole_fragments(&mut fields)? {
            Some(rows) => rows,
            None if self.input.range_filter.is_counted() || !self.scheduler.is_straight() => {
                self.accumulate_pieces(context, &mut fields, stats)?
            }
            None => self.accumulate_tiles(context, &mut fields, stats)?,
        };
        self.record_tiles(stats);
        let results = aggregates
            .iter()
            .zip(field_indexes)
            .map(
                |(aggregate, field_index)| match (field_index, aggregate.operator()) {
                    (Some(index), _) => fields[index].accumulator.result(aggregate),
                    (None, AggregateOperator::Count) => (rows.to_le_bytes().to_vec(), true),
                    (None, _) => (vec![0; 8], false),
                },
            );
        Ok(results.collect())
    }

    /// Aggregates complete fragments by their statistics. Returns `None` without a change if that
    /// is impossible.
    fn whole_fragments(&self, fields: &mut [FieldAccumulator]) -> Result<Option<u64>> {
        let input = &self.input;
        if self.input.condition.is_some()
            || !self.scheduler.is_straight()
            || !input.range_filter.is_all()
        {
            return Ok(None);
        }
        let touched = |index: usize| input.sources[index].timed || input.deletes.touch(index);
        if (0..input.sources.len()).any(touched) {
            return Ok(None);
        }
        let mut collected: Vec<Accumulator> =
            fields.iter().map(|of| of.accumulator.empty()).collect();
        let mut rows = 0u64;
        for source in &input.sources {
            let cells = source.fragment.cell_num();
            rows = rows.saturating_add(cells);
            for (of, collected) in fields.iter().zip(&mut collected) {
                let Some(tiles) = source.tiles(of.field, &input.fields[of.field])? else {
                    return Ok(None);
                };
                let statistics =
                    TileStatistics::of_fragment(&source.fragment, tiles.slot(), cells)?;
                if !statistics.is_some_and(|statistics| collected.add_statistics(&statistics)) {
                    return Ok(None);
                }
            }
        }
        for (of, found) in fields.iter_mut().zip(&collected) {
            of.accumulator.merge(found);
        }
        Ok(Some(rows))
    }

    /// Aggregates tile by tile if no cell hides another or is returned several times. Returns the
    /// number of cells.
    fn accumulate_tiles(
        &mut self,
        context: &Context,
        fields: &mut [FieldAccumulator],
        stats: &Stats,
    ) -> Result<u64> {
        let rows = AtomicU64::new(0);
        let TileScheduler::SequentialTiles(scheduler) = &mut self.scheduler else {
            return Ok(0);
        };
        let shared: Vec<Mutex<&mut FieldAccumulator>> = fields.iter_mut().map(Mutex::new).collect();
        while !scheduler.is_done() {
            context.check_cancelled(self.cancel_epoch)?;
            let (input, tiles) = (&self.input, &mut self.tiles);
            let planned = scheduler.schedule(input, WANTED, tiles)?;
            stats.add(Counter::InternalLoops, 1);
            context.for_each(tiles.len(), |index| {
                let tile = &tiles[index];
                let mask = |chosen: TileSelection<'_>| {
                    let mask = match chosen {
                        TileSelection::None => return Ok(()),
                        TileSelection::All => None,
                        TileSelection::Some(mask, _) => Some(mask),
                    };
                    let cells = mask.map_or(tile.cell_num as u64, count);
                    rows.fetch_add(cells, Ordering::Relaxed);
                    if cells == 0 {
                        return Ok(());
                    }
                    let mask = mask.filter(|_| cells < tile.cell_num as u64);
                    add_to_all(&shared, |field, own| match mask {
                        None => add_whole(input, tile, field, own),
                        Some(mask) => add_masked(input, tile, field, mask, own),
                    })
                };
                input.choose(tile, planned[index].found, true, mask)
            })?;
            tiles.iter_mut().for_each(|tile| input.forget(tile));
        }
        Ok(rows.into_inner())
    }

    /// Aggregates cells that were merged or are returned several times. Returns the number of
    /// cells.
    fn accumulate_pieces(
        &mut self,
        context: &Context,
        fields: &mut [FieldAccumulator],
        stats: &Stats,
    ) -> Result<u64> {
        let mut rows = 0u64;
        while !self.scheduler.is_done() {
            context.check_cancelled(self.cancel_epoch)?;
            let pieces = self.queue.refill();
            self.scheduler
                .next(context, &self.input, WANTED, &mut self.tiles, pieces)?;
            stats.add(Counter::InternalLoops, 1);
            let mut by_tile: Vec<Vec<CellPiece>> = Vec::new();
            by_tile.resize_with(self.tiles.len(), Vec::new);
            for piece in pieces.drain(..) {
                rows = rows.saturating_add(u64::from(piece.len));
                by_tile[piece.tile as usize].push(piece);
            }
            let touched: Vec<usize> = (0..by_tile.len())
                .filter(|index| !by_tile[*index].is_empty())
                .collect();
            let (input, tiles) = (&self.input, &self.tiles);
            let shared: Vec<Mutex<&mut FieldAccumulator>> =
                fields.iter_mut().map(Mutex::new).collect();
            context.for_each(touched.len(), |index| {
                let (tile, pieces) = (&tiles[touched[index]], &by_tile[touched[index]]);
                add_to_all(&shared, |field, own| add(input, tile, field, pieces, own))
            })?;
            for index in touched {
                let tile = &mut self.tiles[index];
                let done: usize = by_tile[index].iter().map(|piece| piece.len as usize).sum();
                tile.waiting = tile.waiting.saturating_sub(done);
                if tile.waiting == 0 {
                    self.input.forget(tile);
                }
            }
        }
        Ok(rows)
    }
}

/// Adds the cells that `add` returns to the accumulator of each field.
fn add_to_all(
    fields: &[Mutex<&mut FieldAccumulator>],
    add: impl Fn(usize, &mut Accumulator) -> Result<()>,
) -> Result<()> {
    for of in fields {
        let (field, mut own) = {
            let of = of.lock();
            (of.field, of.accumulator.empty())
        };
        add(field, &mut own)?;
        of.lock().accumulator.merge(&own);
    }
    Ok(())
}

/// Adds all cells of a tile, by its statistics if they suffice.
fn add_whole(input: &Input, tile: &Tile, field: usize, own: &mut Accumulator) -> Result<()> {
    let source = &input.sources[tile.source];
    let statistics = match source.tiles(field, &input.fields[field])? {
        Some(tiles) => {
            let cells = tile.cell_num as u64;
            TileStatistics::of_tile(&source.fragment, tiles.slot(), tile.tile, cells)?
        }
        None => None,
    };
    if statistics.is_some_and(|statistics| own.add_statistics(&statistics)) {
        return Ok(());
    }
    own.add(&column(input, tile, field)?, tile.cell_num, None);
    Ok(())
}

/// Adds the cells of a tile whose byte in `mask` is 1.
fn add_masked(
    input: &Input,
    tile: &Tile,
    field: usize,
    mask: &[u8],
    own: &mut Accumulator,
) -> Result<()> {
    own.add(&column(input, tile, field)?, tile.cell_num, Some(mask));
    Ok(())
}

fn column<'t>(input: &Input, tile: &'t Tile, at: usize) -> Result<CellsRef<'t>> {
    let (field, cells) = (&input.fields[at], input.column(tile, at)?);
    Ok(CellsRef {
        data: &cells.data,
        starts: field.is_var().then_some(&cells.starts[..]),
        validity: field.is_nullable().then_some(&cells.validity[..]),
    })
}

/// Adds the cells of some pieces of a tile.
fn add(
    input: &Input,
    tile: &Tile,
    field: usize,
    pieces: &[CellPiece],
    own: &mut Accumulator,
) -> Result<()> {
    let whole = [CellPiece {
        start: 0,
        len: tile.cell_num as u32,
        ..pieces[0]
    }];
    if pieces == whole {
        return add_whole(input, tile, field, own);
    }
    // A cell that is returned several times is in as many pieces, and each round adds it once.
    let mut rest = pieces.to_vec();
    while !rest.is_empty() {
        let mut mask: Vec<u8> = try_vec("cells of an aggregate", tile.cell_num)?;
        rest.retain(|piece| {
            let run = &mut mask[piece.start as usize..(piece.start + piece.len) as usize];
            let again = run.contains(&1);
            if !again {
                run.fill(1);
            }
            again
        });
        add_masked(input, tile, field, &mask, own)?;
    }
    Ok(())
}
