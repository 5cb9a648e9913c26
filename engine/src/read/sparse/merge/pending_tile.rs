//! Tiles that are buffered for merging: their keys, and the order of the undelivered cells.

use std::sync::OnceLock;

use super::super::select::SelectedCells;
use super::super::tiles::{Input, Tile};
use super::Merge;
use super::mbr_bounds::MbrBounds;
use super::streams::ScheduledTile;
use crate::condition::TileMatch;
use crate::context::Context;
use crate::error::{Result, try_reserved, try_vec};
use crate::geometry::{Coordinates, KeyedCells, Keys};
use crate::tile::Cells;

/// The cells of a tile that are not in the queue yet.
#[derive(Debug, Default)]
pub(super) struct PendingTile {
    /// The index of the tile in the plan.
    pub(super) planned: usize,
    pub(super) keys: Keys,
    /// The selected cells, in order if `sorted`.
    pub(super) cells: Vec<u32>,
    pub(super) sorted: bool,
    /// The first and the last of them in order.
    pub(super) ends: (u32, u32),
    /// The first cell that is not in the queue.
    pub(super) next: usize,
    /// The number of times each cell is returned.
    pub(super) counts: Option<Vec<u64>>,
    /// A byte per cell of the tile, 1 if it satisfies the condition; `None` if all do.
    pub(super) passing: Option<Vec<u8>>,
}

impl PendingTile {
    /// The size in memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let counts = self
            .counts
            .as_ref()
            .map_or(0, |counts| 8 * counts.capacity());
        let passing = self.passing.as_ref().map_or(0, Vec::capacity);
        self.keys.memory() + 4 * self.cells.capacity() + counts + passing
    }
}

impl Merge {
    /// Loads the keys and the selection of new tiles.
    pub(super) fn make_pending_tiles(
        &self,
        context: &Context,
        input: &Input,
        tiles: &[Tile],
        scheduled: &[ScheduledTile],
        selected: &[SelectedCells],
    ) -> Result<Vec<PendingTile>> {
        let pending: Vec<OnceLock<PendingTile>> = tiles.iter().map(|_| OnceLock::new()).collect();
        context.for_each(tiles.len(), |index| {
            let planned = scheduled[index].planned;
            let fresh = if scheduled[index].compared {
                self.make_pending_tile(input, &tiles[index], &selected[index], planned)?
            } else {
                PendingTile {
                    planned,
                    ..PendingTile::default()
                }
            };
            let _ = pending[index].set(fresh);
            Ok(())
        })?;
        let pending = pending.into_iter().map(OnceLock::into_inner);
        Ok(pending.map(Option::unwrap_or_default).collect())
    }

    fn make_pending_tile(
        &self,
        input: &Input,
        tile: &Tile,
        selected: &SelectedCells,
        planned: usize,
    ) -> Result<PendingTile> {
        let mut pending = PendingTile {
            planned,
            ..PendingTile::default()
        };
        if selected.runs.is_empty() && !self.stored {
            return Ok(pending);
        }
        for field in &input.dims {
            input.column(tile, *field)?;
        }
        if let Some(times) = self.deciding_times(input, tile) {
            input.column(tile, times)?;
        }
        let columns = input.coordinates(tile);
        self.order.make_keys(&columns, &mut pending.keys)?;
        pending.cells = try_reserved("cell order", selected.cell_num())?;
        for run in &selected.runs {
            pending.cells.extend(run.start..run.start + run.len);
        }
        pending.counts.clone_from(&selected.counts);
        if self.dedup && !pending.cells.is_empty() {
            pending.passing = match input.tile_match(tile)? {
                TileMatch::All => None,
                TileMatch::None => Some(try_vec("the cells of a condition", tile.cell_num)?),
                TileMatch::Some => {
                    let mut passing: Vec<u8> = try_vec("the cells of a condition", tile.cell_num)?;
                    passing.fill(1);
                    input.select_condition(tile, &mut passing)?;
                    Some(passing)
                }
            };
        }
        pending.sorted = self.stored;
        pending.ends = match pending.cells[..] {
            [first, .., last] if self.stored => (first, last),
            [first, ..] => self.ends(&pending, first, &columns),
            [] => (0, 0),
        };
        Ok(pending)
    }

    /// Returns the first and the last of the cells in order. `one` is any of them.
    fn ends(&self, pending: &PendingTile, one: u32, columns: &[Coordinates<'_>]) -> (u32, u32) {
        let keyed = KeyedCells {
            keys: &pending.keys,
            columns,
        };
        let words = pending.keys.word(0);
        let alone = self.order.word_num() == 1 && self.order.keys_decide();
        if alone && pending.cells.len() == words.len() {
            // Find both ends first, and then their positions.
            let ends = words.iter().fold((u64::MAX, 0), |(low, high), word| {
                (low.min(*word), high.max(*word))
            });
            let position_of = |end| {
                words
                    .iter()
                    .position(|word| *word == end)
                    .unwrap_or_default()
            };
            return (position_of(ends.0) as u32, position_of(ends.1) as u32);
        }
        let (mut first, mut last) = (one, one);
        let is_before = |a: u32, b: u32| {
            let order = self.order.compare(keyed, a as usize, keyed, b as usize);
            order.is_lt()
        };
        for cell in pending.cells.iter().copied() {
            if is_before(cell, first) {
                first = cell;
            } else if is_before(last, cell) {
                last = cell;
            }
        }
        (first, last)
    }

    /// Sorts the remaining cells of a tile.
    pub(super) fn sort_pending(
        &self,
        context: &Context,
        pending: &mut PendingTile,
        columns: &[Coordinates<'_>],
    ) -> Result<()> {
        if std::mem::replace(&mut pending.sorted, true) {
            return Ok(());
        }
        let keyed = KeyedCells {
            keys: &pending.keys,
            columns,
        };
        if pending.cells.len() == pending.keys.len() {
            if let Some(order) = self.order.sort(context, keyed)?.order {
                pending.cells = order;
            }
        } else {
            pending.cells.sort_unstable_by(|a, b| {
                let order = self.order.compare(keyed, *a as usize, keyed, *b as usize);
                order.then(a.cmp(b))
            });
        }
        Ok(())
    }

    /// Returns the index of the field of timestamps, if they determine the newest cell.
    fn deciding_times(&self, input: &Input, tile: &Tile) -> Option<usize> {
        let has_times = input.sources[tile.source].fragment.has_timestamps();
        input.times.filter(|_| self.dedup && has_times)
    }

    /// Records the last cell of the last loaded tile of each stream.
    pub(super) fn note_last(
        &mut self,
        input: &Input,
        tiles: &[Tile],
        kept: usize,
        scheduled: &[ScheduledTile],
    ) -> Result<()> {
        if !self.stored {
            return Ok(());
        }
        for stream in &mut self.streams {
            let Some(index) = scheduled.iter().position(|index| {
                index.planned >= stream.first && index.planned + 1 == stream.next
            }) else {
                continue;
            };
            let tile = &tiles[kept + index];
            let Some(last) = tile.cell_num.checked_sub(1) else {
                continue;
            };
            if !scheduled[index].compared {
                stream.last = None;
                continue;
            }
            let mut bounds = MbrBounds::default();
            for (column, field) in input.coordinates(tile).iter().zip(&input.dims) {
                let bytes = column.get(last, input.fields[*field].value_size);
                let starts = match column.starts {
                    Some(_) => vec![0, bytes.len() as u64],
                    None => Vec::new(),
                };
                bounds.columns.push(Cells {
                    data: bytes.to_vec(),
                    starts,
                    validity: Vec::new(),
                });
            }
            let columns = bounds.columns();
            let mut keys = Keys::default();
            self.order.make_keys(&columns, &mut keys)?;
            bounds.keys = keys;
            stream.last = Some(bounds);
        }
        Ok(())
    }
}
