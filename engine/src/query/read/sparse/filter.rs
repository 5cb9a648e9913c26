//! Which of the cells that are results a condition leaves.
//!
//! It looks at cells after those that hide one another were told apart: a cell that fails still hides what it replaced.
//! Where nothing is hidden, tiles that statistics rule out do not even come this far.

use std::sync::OnceLock;

use super::batch::Piece;
use super::fields::Kind;
use super::plan::Planned;
use super::tiles::{Input, Tile};
use crate::context::Context;
use crate::error::Result;
use crate::query::condition::{BoundCondition, FieldFacts, Verdict};
use crate::tile::CellsRef;
use crate::types::Range;

/// A condition, and where its fields are among those of the read.
#[derive(Debug)]
pub(super) struct Filter {
    condition: BoundCondition,
    columns: Vec<usize>,
}

/// What a condition leaves of a tile.
pub(super) enum Share {
    None,
    All,
    /// The cells with a 1.
    Some(Vec<u8>),
}

impl Filter {
    /// The fields of the condition must be among those of the read.
    pub(super) fn new(condition: BoundCondition, input: &Input) -> Self {
        let fields = condition.fields().iter();
        let place = |name: &String| {
            input
                .fields
                .iter()
                .position(|field| field.stored.name == *name)
        };
        Self {
            columns: fields.filter_map(place).collect(),
            condition,
        }
    }

    /// Whether the statistics of a tile leave it in.
    pub(super) fn may_hold(&self, input: &Input, planned: &Planned) -> Result<bool> {
        let source = planned.source as usize;
        let cells = input.sources[source].cell_num(planned.found.tile)?;
        Ok(self.verdict(input, source, planned.found.tile, cells)? != Verdict::None)
    }

    /// Takes from `pieces` the cells that fail.
    pub(super) fn apply(
        &self,
        context: &Context,
        input: &Input,
        tiles: &mut [Tile],
        pieces: &mut Vec<Piece>,
    ) -> Result<()> {
        let mut places = vec![usize::MAX; tiles.len()];
        let mut touched = Vec::new();
        for piece in &*pieces {
            let place = &mut places[piece.tile as usize];
            if *place == usize::MAX {
                *place = touched.len();
                touched.push(piece.tile as usize);
            }
        }
        let shares: Vec<OnceLock<Share>> = touched.iter().map(|_| OnceLock::new()).collect();
        context.for_each(touched.len(), |at| {
            let _ = shares[at].set(self.share(input, &tiles[touched[at]])?);
            Ok(())
        })?;
        let mut left = Vec::with_capacity(pieces.len());
        for piece in pieces.drain(..) {
            let before = left.len();
            match shares[places[piece.tile as usize]].get() {
                Some(Share::All) => left.push(piece),
                Some(Share::Some(bits)) => push_runs(&mut left, piece, bits),
                Some(Share::None) | None => {}
            }
            let kept: usize = left[before..].iter().map(|piece| piece.len as usize).sum();
            tiles[piece.tile as usize].waiting -= piece.len as usize - kept;
        }
        *pieces = left;
        for at in touched {
            if tiles[at].waiting == 0 {
                input.forget(&mut tiles[at]);
            }
        }
        Ok(())
    }

    /// What it leaves of a tile.
    pub(super) fn share(&self, input: &Input, tile: &Tile) -> Result<Share> {
        match self.verdict(input, tile.source, tile.tile, tile.cell_num)? {
            Verdict::None => return Ok(Share::None),
            Verdict::All => return Ok(Share::All),
            Verdict::Some => {}
        }
        let columns = self.columns.iter().map(|field| {
            let cells = input.column(tile, *field)?;
            let (var, nullable) = (&input.fields[*field], input.fields[*field].is_nullable());
            Ok(CellsRef {
                data: &cells.data,
                starts: var.is_var().then_some(&cells.starts[..]),
                validity: nullable.then_some(&cells.validity[..]),
            })
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let mut bits = vec![1; tile.cell_num];
        self.condition.select(&columns, tile.cell_num, &mut bits);
        Ok(Share::Some(bits))
    }

    /// What statistics tell of a tile.
    fn verdict(&self, input: &Input, source: usize, tile: u64, cells: usize) -> Result<Verdict> {
        let of = &input.sources[source];
        let mut facts = Vec::with_capacity(self.columns.len());
        for at in &self.columns {
            let field = &input.fields[*at];
            facts.push(match field.kind {
                Kind::Attribute(_) => match of.tiles(*at, field)? {
                    Some(tiles) => FieldFacts::of_tile(&of.fragment, tiles.slot(), tile),
                    None => FieldFacts::UNKNOWN,
                },
                Kind::Dimension(dim) => {
                    let leaf = usize::try_from(tile).ok();
                    let mbr = leaf.and_then(|at| of.fragment.rtree().ok()?.leaf(at)?.get(dim));
                    FieldFacts {
                        ends: mbr.map(|range: &Range| (range.start(), range.end())),
                        null_count: Some(0),
                    }
                }
                Kind::Coordinates | Kind::Timestamps => FieldFacts::UNKNOWN,
            });
        }
        Ok(self.condition.verdict(&facts, cells as u64))
    }
}

/// Appends the runs of a piece whose cells have a 1.
fn push_runs(left: &mut Vec<Piece>, piece: Piece, bits: &[u8]) {
    let end = (piece.start + piece.len) as usize;
    let mut at = piece.start as usize;
    while at < end {
        match bits[at..end].first_chunk::<8>() {
            Some([0, 0, 0, 0, 0, 0, 0, 0]) => at += 8,
            _ if bits[at] == 0 => at += 1,
            _ => {
                let run = bits[at..end].iter().position(|bit| *bit == 0);
                let run = run.unwrap_or(end - at);
                left.push(Piece {
                    tile: piece.tile,
                    start: at as u32,
                    len: run as u32,
                });
                at += run;
            }
        }
    }
}
