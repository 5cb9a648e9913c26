//! Merges the cells of overlapping tiles, and removes hidden duplicates: of cells with equal
//! coordinates, the newest is kept.

use super::super::batch::CellPiece;
use super::super::scheduler::repeat;
use super::super::tiles::{Input, Tile};
use super::packed_cells::{CellAt, PackedCells, bits_of};
use super::pending_tile::PendingTile;
use crate::error::{Result, try_reserved};
use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys, sort_by_bits};
use crate::memory::buffer_pool;
use crate::types::Value;

/// A sorted range of the cells of a tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The index of the tile.
    pub(super) tile_index: usize,
    /// The range of its selected cells.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The input of merging.
pub(super) struct MergeInput<'a> {
    pub(super) order: &'a CellOrder,
    /// Whether cells with equal coordinates hide one another.
    pub(super) dedup: bool,
    /// Whether the cells of tiles are stored in this order.
    pub(super) stored: bool,
    pub(super) input: &'a Input,
    /// The state of each tile by index.
    pub(super) pending: &'a [PendingTile],
}

/// A tile whose cells are compared.
struct Keyed<'a> {
    keys: &'a Keys,
    columns: Vec<Coordinates<'a>>,
    /// The timestamp of each cell, or of all cells.
    times: Option<&'a [u8]>,
    time: u64,
}

impl Keyed<'_> {
    fn cells(&self) -> KeyedCells<'_> {
        KeyedCells {
            keys: self.keys,
            columns: &self.columns,
        }
    }

    fn time(&self, cell: u32) -> u64 {
        match self.times {
            Some(times) => u64::read(times.get(cell as usize * 8..).unwrap_or_default()),
            None => self.time,
        }
    }
}

/// The tiles whose cells are compared.
struct KeyedTiles<'a> {
    tiles: Vec<Keyed<'a>>,
    /// The position of each tile among them, by its index in the read.
    slots: Vec<u32>,
}

impl<'a> KeyedTiles<'a> {
    fn of(&self, (tile_index, _): CellAt) -> &Keyed<'a> {
        &self.tiles[self.slots[tile_index as usize] as usize]
    }
}

/// Cells of a cluster in order.
enum InOrder {
    /// The cells that are kept, and those that are hidden.
    Cells(Vec<CellAt>, Vec<CellAt>),
    PackedCells(PackedCells),
}

/// Hidden cells are not delivered.
fn drop_hidden(tiles: &mut [Tile], hidden: &[CellAt]) {
    for (tile_index, _) in hidden {
        tiles[*tile_index as usize].waiting -= 1;
    }
}

/// The maximum number of runs that are merged; more are sorted by radix sort.
const RUNS: usize = 4;

impl<'a> MergeInput<'a> {
    /// Appends the cells of all segments to `pieces` in order.
    pub(super) fn put(
        &self,
        tiles: &mut [Tile],
        segments: Vec<Segment>,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        let counted = segments
            .iter()
            .any(|segment| self.pending[segment.tile_index].counts.is_some());
        for cluster in self.clusters(tiles, segments) {
            let is_asked = cluster
                .iter()
                .any(|one| self.pending[one.tile_index].passing.is_some());
            let (mut cells, hidden) = match &cluster[..] {
                [one] if self.pending[one.tile_index].sorted && !self.has_times(tiles, one) => {
                    let pending = &self.pending[one.tile_index];
                    let cells = pending.cells[one.start..one.end].iter();
                    let cells = cells.map(|cell| (one.tile_index as u32, *cell));
                    if !is_asked {
                        self.append(tiles, counted, cells, pieces)?;
                        continue;
                    }
                    (cells.collect(), Vec::new())
                }
                _ => match self.sort(tiles, &cluster)? {
                    InOrder::Cells(cells, hidden) => (cells, hidden),
                    InOrder::PackedCells(numbers) if is_asked => numbers.left(),
                    InOrder::PackedCells(numbers) => {
                        pieces.reserve(numbers.items.len());
                        let mut hidden = Vec::new();
                        let cells = numbers.cells(|cell| hidden.push(cell));
                        self.append(tiles, counted, cells, pieces)?;
                        drop_hidden(tiles, &hidden);
                        buffer_pool::put_words(numbers.items, usize::MAX);
                        continue;
                    }
                },
            };
            drop_hidden(tiles, &hidden);
            if is_asked {
                cells.retain(|(tile_index, cell)| {
                    let passing = self.pending[*tile_index as usize].passing.as_ref();
                    let passes = passing.is_none_or(|passing| passing[*cell as usize] != 0);
                    tiles[*tile_index as usize].waiting -= usize::from(!passes);
                    passes
                });
            }
            self.append(tiles, counted, cells.into_iter(), pieces)?;
        }
        Ok(())
    }

    /// Groups segments so that all cells of a group precede those of the next.
    fn clusters(&self, tiles: &[Tile], mut segments: Vec<Segment>) -> Vec<Vec<Segment>> {
        let ends = |segment: &Segment| {
            let cells = &self.pending[segment.tile_index].cells;
            (
                cells[segment.start] as usize,
                cells[segment.end - 1] as usize,
            )
        };
        if !self.stored {
            // Unsorted segments are sorted together.
            return if segments.is_empty() {
                Vec::new()
            } else {
                vec![segments]
            };
        }
        if segments.len() < 2 {
            return segments.into_iter().map(|one| vec![one]).collect();
        }
        let columns: Vec<(usize, Vec<Coordinates<'_>>)> = segments
            .iter()
            .map(|segment| {
                (
                    segment.tile_index,
                    self.input.coordinates(&tiles[segment.tile_index]),
                )
            })
            .collect();
        let keyed = |segment: &Segment| {
            let column =
                columns.partition_point(|(tile_index, _)| *tile_index < segment.tile_index);
            KeyedCells {
                keys: &self.pending[segment.tile_index].keys,
                columns: &columns[column].1,
            }
        };
        let compare = |a: &Segment, i: usize, b: &Segment, j: usize| {
            self.order.compare(keyed(a), i, keyed(b), j)
        };
        segments.sort_by(|a, b| compare(a, ends(a).0, b, ends(b).0));
        let mut clusters: Vec<Vec<Segment>> = Vec::new();
        let mut last: Option<Segment> = None;
        for segment in segments {
            let overlaps = last.is_some_and(|last| {
                compare(&last, ends(&last).1, &segment, ends(&segment).0).is_ge()
            });
            match clusters.last_mut() {
                Some(cluster) if overlaps => cluster.push(segment),
                _ => clusters.push(vec![segment]),
            }
            let is_further = last.is_none_or(|last| {
                compare(&last, ends(&last).1, &segment, ends(&segment).1).is_lt()
            });
            if is_further {
                last = Some(segment);
            }
        }
        clusters
    }

    /// Returns whether the cells of one fragment may hide one another, as in a consolidated
    /// fragment with timestamps.
    fn has_times(&self, tiles: &[Tile], segment: &Segment) -> bool {
        let source = tiles[segment.tile_index].source;
        self.dedup && self.input.sources[source].fragment.has_timestamps()
    }

    fn keyed<'t>(&'t self, tiles: &'t [Tile], segment: &Segment) -> Keyed<'t> {
        let tile = &tiles[segment.tile_index];
        let times = if self.has_times(tiles, segment) {
            self.input.times.and_then(|field| tile.loaded(field))
        } else {
            None
        };
        Keyed {
            keys: &self.pending[segment.tile_index].keys,
            columns: self.input.coordinates(tile),
            times: times.map(|cells| &cells.data[..]),
            time: self.input.sources[tile.source].fragment.timestamps().start,
        }
    }

    /// Returns the cells of segments in order.
    fn sort(&self, tiles: &[Tile], cluster: &[Segment]) -> Result<InOrder> {
        // Of equal cells the first is kept, so the newest fragment is first. If all are kept, the
        // newest is first in global order, as in libtiledb, and the oldest in other orders. Those
        // of one fragment are in storage order.
        let mut cluster = cluster.to_vec();
        cluster.sort_by_key(|one| {
            let Tile { source, tile, .. } = &tiles[one.tile_index];
            if self.dedup || self.stored {
                (usize::MAX - source, *tile)
            } else {
                (*source, *tile)
            }
        });
        let mut keyed = KeyedTiles {
            tiles: cluster.iter().map(|one| self.keyed(tiles, one)).collect(),
            slots: vec![0; tiles.len()],
        };
        for (slot, segment) in (0u32..).zip(&cluster) {
            keyed.slots[segment.tile_index] = slot;
        }
        if let Some(mut numbers) = self.numbers(&cluster)? {
            // Merging a few runs is faster than sorting them.
            if self.stored && cluster.len() <= RUNS {
                numbers.items.sort()
            } else {
                sort_by_bits(&mut numbers.items, numbers.low, numbers.high)?
            }
            let by_fragment = keyed.tiles.iter().all(|tile| tile.times.is_none());
            let first_is_left =
                by_fragment && self.order.keys_are_cells() && !self.input.deletes.take_older();
            if !self.dedup || first_is_left {
                // Cells of a fragment precede those of older ones.
                numbers.hides = self.dedup;
                return Ok(InOrder::PackedCells(numbers));
            }
            let later = numbers.items.windows(2);
            let later = later.map(|pair| numbers.key(pair[0]) == numbers.key(pair[1]));
            let equal: Vec<bool> = std::iter::once(false).chain(later).collect();
            let cells = numbers.cells(drop).collect();
            let (left, hidden) = self.left_of(&keyed, cells, &equal);
            return Ok(InOrder::Cells(left, hidden));
        }
        let number = cluster.iter().map(|one| one.end - one.start).sum();
        let mut cells: Vec<(u64, CellAt)> = try_reserved("cell order", number)?;
        for (segment, keyed) in cluster.iter().zip(&keyed.tiles) {
            let words = keyed.keys.word(0);
            let tile_index = segment.tile_index as u32;
            let part = self.pending[segment.tile_index].cells[segment.start..segment.end].iter();
            cells.extend(part.map(|cell| (words[*cell as usize], (tile_index, *cell))));
        }
        let (cells, equal) = self.sort_words(cells, &keyed);
        let (left, hidden) = if self.dedup {
            self.left_of(&keyed, cells, &equal)
        } else {
            (cells, Vec::new())
        };
        Ok(InOrder::Cells(left, hidden))
    }

    /// Returns the cells of segments as integers in their order, or `None` if keys do not determine
    /// the order or do not fit into an integer.
    fn numbers(&self, cluster: &[Segment]) -> Result<Option<PackedCells>> {
        if self.order.word_num() > 1 || !self.order.keys_decide() {
            return Ok(None);
        }
        let segments = || {
            cluster.iter().map(|segment| {
                let pending = &self.pending[segment.tile_index];
                (
                    pending.keys.word(0),
                    &pending.cells[segment.start..segment.end],
                )
            })
        };
        let first = segments().find_map(|(words, cells)| Some(words[*cells.first()? as usize]));
        let first = first.unwrap_or_default();
        let differing = segments().fold(0, |all, (words, cells)| {
            if cells.len() == words.len() {
                words.iter().fold(all, |all, word| all | (word ^ first))
            } else {
                cells
                    .iter()
                    .fold(all, |all, cell| all | (words[*cell as usize] ^ first))
            }
        });
        let above = differing.leading_zeros().min(63);
        let below = differing.trailing_zeros() % 64;
        let most = segments().map(|(words, _)| words.len()).max();
        let cell_bits = bits_of(most.unwrap_or_default());
        let low = cell_bits + bits_of(cluster.len());
        let high = 64 - above - below + low;
        if high > 64 {
            return Ok(None);
        }
        let number = segments().map(|(_, cells)| cells.len()).sum();
        let mut items = buffer_pool::filled_words("cell order", number)?;
        let mut rest = &mut items[..];
        for (slot, (words, cells)) in segments().enumerate() {
            let slot = (slot as u64) << cell_bits;
            let item =
                |word: u64, cell: u64| (word << above >> above >> below) << low | slot | cell;
            let (targets, later) = rest.split_at_mut(cells.len());
            rest = later;
            // If all cells of a tile are selected, they are not looked up one by one; the order is
            // irrelevant for sorting.
            if cells.len() == words.len() {
                for ((target, word), cell) in targets.iter_mut().zip(words).zip(0..) {
                    *target = item(*word, cell);
                }
                continue;
            }
            for (target, cell) in targets.iter_mut().zip(cells) {
                *target = item(words[*cell as usize], u64::from(*cell));
            }
        }
        Ok(Some(PackedCells {
            items,
            cell_bits,
            low,
            high,
            tile_indexes: cluster.iter().map(|one| one.tile_index as u32).collect(),
            hides: false,
        }))
    }

    /// Returns the visible and the hidden cells of sorted cells. `equal` states whether a cell
    /// equals the previous one.
    fn left_of(
        &self,
        keyed: &KeyedTiles<'_>,
        cells: Vec<CellAt>,
        equal: &[bool],
    ) -> (Vec<CellAt>, Vec<CellAt>) {
        let mut hidden = Vec::new();
        if !equal.contains(&true) {
            return (cells, hidden);
        }
        let mut left = Vec::with_capacity(cells.len());
        let mut index = 0;
        while index < cells.len() {
            let later = equal[index + 1..].iter().take_while(|equal| **equal);
            let end = index + 1 + later.count();
            match &cells[index..end] {
                [one] => left.push(*one),
                several if self.input.deletes.take_older() => {
                    self.undeleted(keyed, several, &mut left, &mut hidden);
                }
                several => self.newest(keyed, several, &mut left, &mut hidden),
            }
            index = end;
        }
        (left, hidden)
    }

    /// Sorts cells by the first words of their keys, and then by complete keys. Returns for each
    /// whether it equals the previous one.
    fn sort_words(
        &self,
        mut items: Vec<(u64, CellAt)>,
        keyed: &KeyedTiles<'_>,
    ) -> (Vec<CellAt>, Vec<bool>) {
        let exact = self.order.word_num() == 1 && self.order.keys_decide();
        let compare = |(a, cell_a): &(u64, CellAt), (b, cell_b): &(u64, CellAt)| {
            a.cmp(b).then_with(|| {
                let (a, b) = (keyed.of(*cell_a).cells(), keyed.of(*cell_b).cells());
                self.order
                    .compare(a, cell_a.1 as usize, b, cell_b.1 as usize)
            })
        };
        if exact {
            items.sort_by_key(|(word, _)| *word)
        } else {
            items.sort_by(compare)
        }
        let mut equal = vec![false; items.len()];
        for (pair, equal) in items.windows(2).zip(equal.iter_mut().skip(1)) {
            *equal = pair[0].0 == pair[1].0 && (exact || compare(&pair[0], &pair[1]).is_eq());
        }
        (items.into_iter().map(|(_, cell)| cell).collect(), equal)
    }

    /// Returns the newest of the cells with equal coordinates among cells with equal keys: the two
    /// floating-point zeros have equal keys.
    fn newest(
        &self,
        keyed: &KeyedTiles<'_>,
        group: &[CellAt],
        left: &mut Vec<CellAt>,
        hidden: &mut Vec<CellAt>,
    ) {
        let mut winners: Vec<CellAt> = Vec::new();
        let time = |cell: CellAt| keyed.of(cell).time(cell.1);
        for cell in group {
            let same = winners.iter_mut().find(|winner| {
                let (a, b) = (keyed.of(**winner).cells(), keyed.of(*cell).cells());
                self.order
                    .same_cell(a, winner.1 as usize, b, cell.1 as usize)
            });
            let loser = match same {
                None => {
                    winners.push(*cell);
                    continue;
                }
                Some(winner) if time(*cell) > time(*winner) => std::mem::replace(winner, *cell),
                Some(_) => *cell,
            };
            hidden.push(loser);
        }
        left.extend(winners);
    }

    /// Returns the cells with equal keys that are newer than any deleted one with the same
    /// coordinates.
    fn undeleted(
        &self,
        keyed: &KeyedTiles<'_>,
        group: &[CellAt],
        left: &mut Vec<CellAt>,
        hidden: &mut Vec<CellAt>,
    ) {
        let mut waiting = group.to_vec();
        waiting.sort_by_key(|cell| std::cmp::Reverse(keyed.of(*cell).time(cell.1)));
        while let Some(first) = waiting.first().copied() {
            let same = |cell: &CellAt| {
                let (a, b) = (keyed.of(first).cells(), keyed.of(*cell).cells());
                self.order
                    .same_cell(a, first.1 as usize, b, cell.1 as usize)
            };
            let (these, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(same);
            waiting = others;
            let mut deleted = false;
            for (tile_index, cell) in these {
                let passing = self.pending[tile_index as usize].passing.as_ref();
                deleted |= passing.is_some_and(|passing| passing[cell as usize] == 0);
                let to = if deleted { &mut *hidden } else { &mut *left };
                to.push((tile_index, cell));
            }
        }
    }

    /// Appends cells in order, with consecutive cells of a tile as one piece; cells that are
    /// returned several times are repeated.
    fn append(
        &self,
        tiles: &mut [Tile],
        counted: bool,
        cells: impl Iterator<Item = CellAt>,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        if counted {
            for (tile_index, cell) in cells {
                let counts = self.pending[tile_index as usize].counts.as_ref();
                let count = counts.and_then(|counts| counts.get(cell as usize).copied());
                let number = repeat(pieces, tile_index, cell, count.unwrap_or(1))?;
                tiles[tile_index as usize].waiting += number.saturating_sub(1);
            }
            return Ok(());
        }
        let one = |(tile, start): CellAt| CellPiece {
            tile,
            start,
            len: 1,
        };
        pieces.reserve(cells.size_hint().0);
        let mut last: Option<CellPiece> = None;
        for (tile_index, cell) in cells {
            match &mut last {
                Some(piece) if piece.tile == tile_index && piece.start + piece.len == cell => {
                    piece.len += 1;
                }
                _ => pieces.extend(last.replace(one((tile_index, cell)))),
            }
        }
        pieces.extend(last);
        Ok(())
    }
}
