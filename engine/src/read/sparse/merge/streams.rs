//! Selects the next tiles, and which of them must be compared with others, by the bounds of the
//! streams.

use std::cmp::Ordering;

use super::super::plan::PlannedTile;
use super::super::tiles::{Input, Tile};
use super::Merge;
use super::mbr_bounds::MbrBounds;
use super::pending_tile::PendingTile;
use crate::error::Result;

/// A sequence of tiles.
#[derive(Debug)]
pub(super) struct Stream {
    /// The first tile in the plan, the next one, and the end.
    pub(super) first: usize,
    pub(super) next: usize,
    pub(super) end: usize,
    /// The last loaded cell, if later ones do not precede it.
    pub(super) last: Option<MbrBounds>,
}

/// The treatment of a tile of the plan in a wave.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScheduledTile {
    pub(super) planned: usize,
    /// Whether its cells are compared with others; otherwise it is passed through.
    pub(super) compared: bool,
}

/// The two tiles of different fragments with the largest ends.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    first: Option<usize>,
    second: Option<usize>,
}

impl Merge {
    /// Selects the tiles of the next wave: repeatedly the next tile of the stream with the smallest
    /// bound.
    pub(super) fn schedule(
        &mut self,
        input: &Input,
        cells_wanted: usize,
        tiles: &mut Vec<Tile>,
    ) -> Result<Vec<ScheduledTile>> {
        let mut scheduled = Vec::new();
        let mut reach = Reach::default();
        for pending in &self.pending {
            self.extend_reach(&mut reach, pending.planned);
        }
        let kept: usize = tiles.iter().map(Tile::memory).sum();
        let kept = (kept + self.pending.iter().map(PendingTile::memory).sum::<usize>()) as u64;
        let (mut cells, mut bytes) = (0usize, 0u64);
        // Without MBR bounds, the bound of a stream is known after its tile is loaded.
        let mut paused = vec![false; self.streams.len()];
        let (mut first, mut second) = (None, None);
        while !self
            .batch_sizer
            .is_enough(scheduled.len(), cells, cells_wanted)
        {
            // The bounds of other streams do not change, so the smallest is searched only when
            // necessary.
            let continues =
                |index: usize| !paused[index] && self.streams[index].next < self.streams[index].end;
            let stays = first.is_some_and(|index| {
                continues(index)
                    && second.is_none_or(|other| self.compare_streams(index, other).is_le())
            });
            if !stays {
                (first, second) = self.first_streams(&paused);
            }
            let Some(index) = first else {
                break;
            };
            let planned = self.streams[index].next;
            let PlannedTile { source, found } = self.plan[planned];
            let tile = Tile::new(input, source as usize, found.tile)?;
            let compared = !self.is_alone(input, second, planned, &reach);
            if compared || !input.is_whole(source as usize, found) {
                let more = input.coordinates_size(&tile)?;
                let all = kept.saturating_add(bytes).saturating_add(more);
                if scheduled.is_empty() && all > self.batch_sizer.budget {
                    return Err(self.batch_sizer.refuse(more, kept));
                }
                if !scheduled.is_empty()
                    && (all > self.batch_sizer.budget / 4
                        || bytes.saturating_add(more) > self.batch_sizer.wave_bytes)
                {
                    break;
                }
                bytes += more;
            }
            if compared {
                self.extend_reach(&mut reach, planned);
            }
            paused[index] = self.mbr_bounds.is_none();
            self.streams[index].next += 1;
            cells = cells.saturating_add(tile.cell_num);
            tiles.push(tile);
            scheduled.push(ScheduledTile { planned, compared });
        }
        Ok(scheduled)
    }

    /// Returns the streams with the smallest and second smallest bound that are not paused.
    fn first_streams(&self, paused: &[bool]) -> (Option<usize>, Option<usize>) {
        let (mut first, mut second) = (None, None);
        let is_before = |index: usize, other: Option<usize>| {
            other.is_none_or(|other| self.compare_streams(index, other).is_lt())
        };
        for (index, stream) in self.streams.iter().enumerate() {
            if paused[index] || stream.next >= stream.end {
                continue;
            }
            if is_before(index, first) {
                (first, second) = (Some(index), first);
            } else if is_before(index, second) {
                second = Some(index);
            }
        }
        (first, second)
    }

    /// Compares the bounds of two streams. An unknown bound is the smallest.
    pub(super) fn compare_streams(&self, a: usize, b: usize) -> Ordering {
        let bound = |index: usize| self.bound(&self.streams[index]);
        match (bound(a), bound(b)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some((a, i)), Some((b, j))) => self.compare(a, i, b, j),
        }
    }

    /// Returns the bound of a stream: no cell of its next tile precedes it. `None` if it is
    /// unknown.
    pub(super) fn bound<'a>(&'a self, stream: &'a Stream) -> Option<(&'a MbrBounds, usize)> {
        let lower = self.mbr_bounds.as_ref().map(|(low, _)| (low, stream.next));
        match (lower, &stream.last) {
            (Some((low, low_index)), Some(last))
                if self.compare(low, low_index, last, 0).is_lt() =>
            {
                Some((last, 0))
            }
            (None, Some(last)) => Some((last, 0)),
            (lower, _) => lower,
        }
    }

    pub(super) fn compare(&self, a: &MbrBounds, i: usize, b: &MbrBounds, j: usize) -> Ordering {
        let by_key = a.keys.compare(i, &b.keys, j);
        if by_key.is_ne() || self.order.keys_decide() {
            return by_key;
        }
        let (columns_a, columns_b) = (a.columns(), b.columns());
        self.order
            .compare(a.keyed(&columns_a), i, b.keyed(&columns_b), j)
    }

    /// Returns whether the next tile of the first stream ends before the bound of the `second` and
    /// starts after all loaded cells.
    fn is_alone(
        &self,
        input: &Input,
        second: Option<usize>,
        planned: usize,
        reach: &Reach,
    ) -> bool {
        let Some((low, high)) = self.mbr_bounds.as_ref().filter(|_| self.stored) else {
            return false;
        };
        let source = self.plan[planned].source;
        if self.dedup && input.sources[source as usize].fragment.has_timestamps() {
            return false;
        }
        let is_before = |other: &usize| self.compare(high, *other, low, planned).is_lt();
        let others = [reach.first, reach.second].into_iter().flatten();
        let mut others = others.filter(|other| self.plan[*other].source != source);
        others.all(|other| is_before(&other))
            && second.is_none_or(|other| {
                self.bound(&self.streams[other])
                    .is_some_and(|(bound, j)| self.compare(high, planned, bound, j).is_lt())
            })
    }

    fn extend_reach(&self, reach: &mut Reach, planned: usize) {
        let Some((_, high)) = &self.mbr_bounds else {
            return;
        };
        let source = self.plan[planned].source;
        let is_further = |other: Option<usize>| {
            other.is_none_or(|other| self.compare(high, other, high, planned).is_lt())
        };
        let is_own =
            |other: Option<usize>| other.is_some_and(|other| self.plan[other].source == source);
        if is_further(reach.first) {
            if !is_own(reach.first) {
                reach.second = reach.first;
            }
            reach.first = Some(planned);
        } else if !is_own(reach.first) && is_further(reach.second) {
            reach.second = Some(planned);
        }
    }
}
