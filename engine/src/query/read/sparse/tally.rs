//! The aggregates of a sparse read: over the cells that are results, in no order.
//!
//! Fragments that are asked for as a whole, and hide no cell of another, answer by their statistics, whole tiles by theirs;
//! only what is left is fetched.

use parking_lot::Mutex;

use super::SparseRead;
use super::batch::Piece;
use super::tiles::{Input, Tile};
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::query::aggregate::{Aggregate, Operator, Tally, TileFacts, fields_of};
use crate::stats::Stats;
use crate::tile::CellsRef;

/// How many cells a wave should bring.
const WANTED: usize = 1 << 22;

/// A field of the read and what is collected of it.
struct FieldTally {
    field: usize,
    tally: Tally,
}

impl SparseRead {
    /// Computes aggregates of all results: the value of each, and whether it is valid. Nothing is left to be read then.
    pub fn aggregate(
        &mut self,
        context: &Context,
        aggregates: &[&Aggregate],
        stats: &Stats,
    ) -> Result<Vec<(Vec<u8>, bool)>> {
        let (wanted, places) = fields_of(aggregates);
        let input = &self.input;
        let fields = wanted.into_iter().filter_map(|(field, wanted)| {
            let named = |known: &super::Field| known.stored.name == field.name;
            Some(FieldTally {
                field: input.fields.iter().position(named)?,
                tally: Tally::new(field, wanted),
            })
        });
        let mut fields: Vec<FieldTally> = fields.collect();
        let rows = match self.whole_fragments(&mut fields)? {
            Some(rows) => rows,
            None => self.tally_tiles(context, &mut fields, stats)?,
        };
        let results = aggregates.iter().zip(places).map(|(aggregate, place)| {
            match (place, aggregate.operator()) {
                (Some(at), _) => fields[at].tally.result(aggregate),
                (None, Operator::Count) => (rows.to_le_bytes().to_vec(), true),
                (None, _) => (vec![0; 8], false),
            }
        });
        Ok(results.collect())
    }

    /// Answers by whole fragments; `None`, and nothing is collected, where that cannot be.
    fn whole_fragments(&self, fields: &mut [FieldTally]) -> Result<Option<u64>> {
        let input = &self.input;
        if self.input.condition.is_some() || !self.flow.is_straight() || !input.asked.is_all() {
            return Ok(None);
        }
        let touched = |at: usize| input.sources[at].timed || input.deletes.touch(at);
        if (0..input.sources.len()).any(touched) {
            return Ok(None);
        }
        let mut collected: Vec<Tally> = fields.iter().map(|of| of.tally.empty()).collect();
        let mut rows = 0u64;
        for source in &input.sources {
            let cells = source.fragment.cell_num();
            rows = rows.saturating_add(cells);
            for (of, collected) in fields.iter().zip(&mut collected) {
                let Some(tiles) = source.tiles(of.field, &input.fields[of.field])? else {
                    return Ok(None);
                };
                let facts = TileFacts::of_fragment(&source.fragment, tiles.slot(), cells)?;
                if !facts.is_some_and(|facts| collected.add_facts(&facts)) {
                    return Ok(None);
                }
            }
        }
        for (of, found) in fields.iter_mut().zip(&collected) {
            of.tally.merge(found);
        }
        Ok(Some(rows))
    }

    /// Collects tile by tile; answers how many cells there are.
    fn tally_tiles(
        &mut self,
        context: &Context,
        fields: &mut [FieldTally],
        stats: &Stats,
    ) -> Result<u64> {
        let mut rows = 0u64;
        while !self.flow.is_done() {
            context.check_cancelled(self.cancel_epoch)?;
            let pieces = self.queue.refill();
            let wave = self
                .flow
                .next(context, &self.input, WANTED, &mut self.tiles, pieces)?;
            stats.add("num_tiles_read", wave as u64);
            let mut by_tile: Vec<Vec<Piece>> = Vec::new();
            by_tile.resize_with(self.tiles.len(), Vec::new);
            for piece in pieces.drain(..) {
                rows = rows.saturating_add(u64::from(piece.len));
                by_tile[piece.tile as usize].push(piece);
            }
            let touched: Vec<usize> = (0..by_tile.len())
                .filter(|at| !by_tile[*at].is_empty())
                .collect();
            let (input, tiles) = (&self.input, &self.tiles);
            let shared: Vec<Mutex<&mut FieldTally>> = fields.iter_mut().map(Mutex::new).collect();
            context.for_each(touched.len(), |at| {
                let (tile, pieces) = (&tiles[touched[at]], &by_tile[touched[at]]);
                for of in &shared {
                    let (field, mut own) = {
                        let of = of.lock();
                        (of.field, of.tally.empty())
                    };
                    add(input, tile, field, pieces, &mut own)?;
                    of.lock().tally.merge(&own);
                }
                Ok(())
            })?;
            for at in touched {
                let tile = &mut self.tiles[at];
                let done: usize = by_tile[at].iter().map(|piece| piece.len as usize).sum();
                tile.waiting = tile.waiting.saturating_sub(done);
                if tile.waiting == 0 {
                    self.input.forget(tile);
                }
            }
        }
        Ok(rows)
    }
}

/// Adds the cells of a tile that are results.
fn add(input: &Input, tile: &Tile, at: usize, pieces: &[Piece], own: &mut Tally) -> Result<()> {
    let field = &input.fields[at];
    let source = &input.sources[tile.source];
    let whole = [Piece {
        start: 0,
        len: tile.cell_num as u32,
        ..pieces[0]
    }];
    if pieces == whole {
        let facts = match source.tiles(at, field)? {
            Some(tiles) => {
                let cells = tile.cell_num as u64;
                TileFacts::of_tile(&source.fragment, tiles.slot(), tile.tile, cells)?
            }
            None => None,
        };
        if facts.is_some_and(|facts| own.add_facts(&facts)) {
            return Ok(());
        }
    }
    let cells = input.column(tile, at)?;
    let column = CellsRef {
        data: &cells.data,
        starts: field.is_var().then_some(&cells.starts[..]),
        validity: field.is_nullable().then_some(&cells.validity[..]),
    };
    if pieces == whole {
        own.add(&column, tile.cell_num, None);
        return Ok(());
    }
    // A cell that counts several times comes in as many pieces, and each round adds it once.
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
        own.add(&column, tile.cell_num, Some(&mask));
    }
    Ok(())
}
