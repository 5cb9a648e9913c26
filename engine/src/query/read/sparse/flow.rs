//! The order in which tiles come, a wave at a time, and in which their cells follow one another.

use super::batch::Piece;
use super::select::Selected;
use super::tiles::{Input, Tile};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::fragment::FoundTile;
use crate::schema::ArraySchema;
use crate::types::Layout;
use std::sync::OnceLock;

/// What is left of a plan.
#[derive(Debug)]
pub(super) struct Flow {
    plan: Vec<Planned>,
    at: usize,
    /// How many more tiles a wave may have than its cells ask for.
    spread: usize,
    budget: u64,
}

/// A tile that can hold results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned {
    pub(super) source: u32,
    pub(super) found: FoundTile,
}

impl Flow {
    pub(super) fn new(
        context: &Context,
        input: &Input,
        _schema: &ArraySchema,
        _layout: Layout,
        budget: u64,
    ) -> Result<Self> {
        Ok(Self {
            plan: plan(context, input)?,
            at: 0,
            spread: 1,
            budget,
        })
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.plan.len()
    }

    pub(super) fn next(
        &mut self,
        context: &Context,
        input: &Input,
        wanted: usize,
        tiles: &mut Vec<Tile>,
        pieces: &mut Vec<Piece>,
    ) -> Result<usize> {
        for tile in tiles.iter_mut() {
            input.forget(tile);
        }
        tiles.clear();
        let first = self.at;
        let mut cells = 0usize;
        let mut bytes = 0u64;
        while let Some(planned) = self.plan.get(self.at) {
            if self.at >= first + self.spread && cells >= wanted {
                break;
            }
            let source = planned.source as usize;
            let tile = Tile::new(input, source, planned.found.tile)?;
            if !input.is_whole(source, planned.found) {
                for field in &input.dims {
                    let size = input.size(source, tile.tile, tile.cell_num, *field)?;
                    bytes = bytes.saturating_add(size);
                }
                if bytes > self.budget / 2 {
                    if tiles.is_empty() {
                        return Err(Error::Budget {
                            origin: "SparseUnorderedWithDupsReader",
                            message: format!(
                                "Cannot load a single tile requiring {bytes} bytes, increase memory budget ({})",
                                self.budget
                            ),
                        });
                    }
                    break;
                }
            }
            cells = cells.saturating_add(tile.cell_num);
            tiles.push(tile);
            self.at += 1;
        }
        self.spread = (2 * self.spread).min(4096);
        let planned = &self.plan[first..self.at];
        let selected: Vec<OnceLock<Selected>> = tiles.iter().map(|_| OnceLock::new()).collect();
        let known: &[Tile] = tiles;
        context.for_each(known.len(), |at| {
            let _ = selected[at].set(input.select(&known[at], planned[at].found)?);
            Ok(())
        })?;
        for (at, selected) in selected.into_iter().enumerate() {
            let Some(selected) = selected.into_inner() else {
                continue;
            };
            let before = pieces.len();
            push(pieces, at as u32, &selected);
            tiles[at].waiting = pieces[before..]
                .iter()
                .map(|piece| piece.len as usize)
                .sum();
            if tiles[at].waiting == 0 {
                input.forget(&mut tiles[at]);
            }
        }
        Ok(planned.len())
    }
}

/// Appends the selected cells of a tile; those that count several times come as often.
pub(super) fn push(pieces: &mut Vec<Piece>, tile: u32, selected: &Selected) {
    for run in &selected.runs {
        let Some(counts) = &selected.counts else {
            pieces.push(Piece {
                tile,
                start: run.start,
                len: run.len,
            });
            continue;
        };
        for start in run.start..run.start + run.len {
            let count = counts.get(start as usize).copied().unwrap_or(1);
            for _ in 0..count {
                pieces.push(Piece {
                    tile,
                    start,
                    len: 1,
                });
            }
        }
    }
}

/// The tiles that can hold results, fragment after fragment, the oldest first.
fn plan(context: &Context, input: &Input) -> Result<Vec<Planned>> {
    let found: Vec<OnceLock<Vec<FoundTile>>> =
        input.sources.iter().map(|_| OnceLock::new()).collect();
    context.for_each(input.sources.len(), |at| {
        let _ = found[at].set(tiles_of(input, at)?);
        Ok(())
    })?;
    let found = found.into_iter().filter_map(OnceLock::into_inner);
    Ok(found
        .enumerate()
        .flat_map(|(source, found)| {
            found.into_iter().map(move |found| Planned {
                source: source as u32,
                found,
            })
        })
        .collect())
}

fn tiles_of(input: &Input, source: usize) -> Result<Vec<FoundTile>> {
    let fragment = &input.sources[source].fragment;
    let Some(domain) = fragment.non_empty_domain() else {
        return Ok(Vec::new());
    };
    if input.asked.is_all() {
        fragment.check_tile_num()?;
        let tiles = 0..fragment.tile_num();
        return Ok(tiles.map(|tile| FoundTile { tile, whole: true }).collect());
    }
    if input.asked.overlap(domain) == crate::fragment::Overlap::None {
        return Ok(Vec::new());
    }
    fragment.find_tiles(|mbr| input.asked.overlap(mbr))
}
