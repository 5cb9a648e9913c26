//! Cells of tiles that overlap, put into order; of cells with the same coordinates one is left where they hide one
//! another: the one that was written last.

use super::super::batch::Piece;
use super::super::tiles::{Input, Tile};
use super::hold::Held;
use crate::error::{Result, try_vec};
use crate::space::{CellOrder, Coordinates, KeyedCells, Keys};
use crate::types::Value;

/// Some cells of a held tile, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The tile's place.
    pub(super) place: usize,
    /// The first, and one past the last, of its selected cells.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What sifting looks at.
pub(super) struct Sift<'a> {
    pub(super) order: &'a CellOrder,
    /// Whether cells that share coordinates hide one another.
    pub(super) dedup: bool,
    /// Whether of cells that are equal those of the newest fragment come first.
    pub(super) newest_first: bool,
    pub(super) input: &'a Input,
    /// What is known of each tile, by its place.
    pub(super) held: &'a [Held],
}

/// A tile whose cells are compared.
struct Keyed<'a> {
    place: usize,
    keys: &'a Keys,
    columns: Vec<Coordinates<'a>>,
    /// When each cell was written, or all of them.
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

/// A cell of a tile, by the tile's place among those that are compared.
type CellAt = (u32, u32);

impl<'a> Sift<'a> {
    /// Appends the cells of all segments to `pieces`, in order.
    pub(super) fn put(
        &self,
        tiles: &mut [Tile],
        segments: Vec<Segment>,
        pieces: &mut Vec<Piece>,
    ) -> Result<()> {
        for cluster in self.clusters(tiles, segments) {
            let (mut cells, hidden) = match &cluster[..] {
                [one] if !self.has_times(tiles, one) => {
                    let place = one.place as u32;
                    let cells = &self.held[one.place].cells[one.start..one.end];
                    (
                        cells.iter().map(|cell| (place, *cell)).collect(),
                        Vec::new(),
                    )
                }
                _ => self.sort(tiles, &cluster)?,
            };
            for (place, _) in hidden {
                tiles[place as usize].waiting -= 1;
            }
            if cluster
                .iter()
                .any(|one| self.held[one.place].passing.is_some())
            {
                cells.retain(|(place, cell)| {
                    let passing = self.held[*place as usize].passing.as_ref();
                    let passes = passing.is_none_or(|passing| passing[*cell as usize] != 0);
                    tiles[*place as usize].waiting -= usize::from(!passes);
                    passes
                });
            }
            self.append(tiles, &mut cells, pieces);
        }
        Ok(())
    }

    /// Groups segments so that those of one group are all before those of the next.
    fn clusters(&self, tiles: &[Tile], mut segments: Vec<Segment>) -> Vec<Vec<Segment>> {
        let ends = |segment: &Segment| {
            let cells = &self.held[segment.place].cells;
            (
                cells[segment.start] as usize,
                cells[segment.end - 1] as usize,
            )
        };
        if segments.len() < 2 {
            return segments.into_iter().map(|one| vec![one]).collect();
        }
        let columns: Vec<(usize, Vec<Coordinates<'_>>)> = segments
            .iter()
            .map(|segment| (segment.place, self.input.coordinates(&tiles[segment.place])))
            .collect();
        let keyed = |segment: &Segment| {
            let at = columns.partition_point(|(place, _)| *place < segment.place);
            KeyedCells {
                keys: &self.held[segment.place].keys,
                columns: &columns[at].1,
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

    /// Whether the cells of one fragment may hide one another: those of a consolidated one, which keeps what it replaced.
    fn has_times(&self, tiles: &[Tile], segment: &Segment) -> bool {
        let source = tiles[segment.place].source;
        self.dedup && self.input.sources[source].fragment.has_timestamps()
    }

    fn keyed<'t>(&'t self, tiles: &'t [Tile], segment: &Segment) -> Keyed<'t> {
        let tile = &tiles[segment.place];
        let times = match self.has_times(tiles, segment) {
            true => self.input.times.and_then(|field| tile.loaded(field)),
            false => None,
        };
        Keyed {
            place: segment.place,
            keys: &self.held[segment.place].keys,
            columns: self.input.coordinates(tile),
            times: times.map(|cells| &cells.data[..]),
            time: self.input.sources[tile.source].fragment.timestamps().start,
        }
    }

    /// The cells of segments in order, with their tiles' places, and those that are hidden.
    fn sort(&self, tiles: &[Tile], cluster: &[Segment]) -> Result<(Vec<CellAt>, Vec<CellAt>)> {
        // Of equal cells the first is left: the newest fragment goes first. So it does in libtiledb's global order where
        // all are left; in other orders the oldest does.
        let mut cluster = cluster.to_vec();
        let source = |segment: &Segment| (tiles[segment.place].source, segment.place);
        match self.newest_first {
            true => cluster.sort_by_key(|segment| std::cmp::Reverse(source(segment))),
            false => cluster.sort_by_key(source),
        }
        let keyed: Vec<Keyed<'_>> = cluster.iter().map(|one| self.keyed(tiles, one)).collect();
        let number = cluster.iter().map(|one| one.end - one.start).sum();
        let mut cells: Vec<CellAt> = try_vec("cell order", number)?;
        let mut words: Vec<u64> = try_vec("cell order", number)?;
        let all = cluster
            .iter()
            .zip(&keyed)
            .zip(0u32..)
            .flat_map(|((segment, keyed), at)| {
                let words = keyed.keys.word(0);
                let cells = &self.held[segment.place].cells[segment.start..segment.end];
                cells
                    .iter()
                    .map(move |cell| (words[*cell as usize], (at, *cell)))
            });
        for ((to, word), (key, cell)) in cells.iter_mut().zip(&mut words).zip(all) {
            (*to, *word) = (cell, key);
        }
        let (sorted, equal) = self.sort_words(words, &cells, &keyed)?;
        let place = |(at, cell): CellAt| (keyed[at as usize].place as u32, cell);
        if !self.dedup || !equal.contains(&true) {
            return Ok((sorted.into_iter().map(place).collect(), Vec::new()));
        }
        let (mut left, mut hidden) = (Vec::with_capacity(sorted.len()), Vec::new());
        let mut at = 0;
        while at < sorted.len() {
            let later = equal[at + 1..].iter().take_while(|equal| **equal);
            let end = at + 1 + later.count();
            match &sorted[at..end] {
                [one] => left.push(place(*one)),
                several if self.input.deletes.take_older() => {
                    self.undeleted(&keyed, several, &mut left, &mut hidden);
                }
                several => self.newest(&keyed, several, &mut left, &mut hidden),
            }
            at = end;
        }
        Ok((left, hidden))
    }

    /// Sorts cells by the first words of their keys, and by all else where that does not decide; tells of each whether it is
    /// equal to the one before.
    fn sort_words(
        &self,
        words: Vec<u64>,
        cells: &[CellAt],
        keyed: &[Keyed<'_>],
    ) -> Result<(Vec<CellAt>, Vec<bool>)> {
        let exact = self.order.word_num() == 1 && self.order.keys_decide();
        let first = words.first().copied().unwrap_or_default();
        let differing = words.iter().fold(0, |all, word| all | (word ^ first));
        let above = differing.leading_zeros();
        let below = differing.trailing_zeros() % 64;
        let index_bits = usize::BITS - cells.len().leading_zeros();
        // What differs of the key with the index behind it, in one word; what comes in runs is merged, not sorted.
        if exact && 64 - above.min(63) - below + index_bits <= 64 {
            let mask = (1u64 << index_bits) - 1;
            let key = |word: u64| (word << above.min(63) >> above.min(63) >> below) << index_bits;
            let mut items: Vec<u64> = words;
            for (at, item) in items.iter_mut().enumerate() {
                *item = key(*item) | at as u64;
            }
            items.sort();
            let mut before = None;
            let equal = items.iter().map(|item| {
                let key = item >> index_bits;
                before.replace(key) == Some(key)
            });
            let equal = equal.collect();
            let cells = items.into_iter().map(|item| cells[(item & mask) as usize]);
            return Ok((cells.collect(), equal));
        }
        let mut items: Vec<(u64, CellAt)> = words.into_iter().zip(cells.iter().copied()).collect();
        let compare = |(a, (i, cell_i)): &(u64, CellAt), (b, (j, cell_j)): &(u64, CellAt)| {
            a.cmp(b).then_with(|| {
                let (a, b) = (keyed[*i as usize].cells(), keyed[*j as usize].cells());
                self.order.compare(a, *cell_i as usize, b, *cell_j as usize)
            })
        };
        match exact {
            true => items.sort_by_key(|(word, _)| *word),
            false => items.sort_by(compare),
        }
        let mut equal = vec![false; items.len()];
        for (pair, equal) in items.windows(2).zip(equal.iter_mut().skip(1)) {
            *equal = pair[0].0 == pair[1].0 && (exact || compare(&pair[0], &pair[1]).is_eq());
        }
        Ok((items.into_iter().map(|(_, cell)| cell).collect(), equal))
    }

    /// Of cells that are equal in the order, the newest of each coordinates: the two zeros of reals are one in the order.
    fn newest(
        &self,
        keyed: &[Keyed<'_>],
        group: &[CellAt],
        left: &mut Vec<CellAt>,
        hidden: &mut Vec<CellAt>,
    ) {
        let mut winners: Vec<CellAt> = Vec::new();
        let time = |(at, cell): CellAt| keyed[at as usize].time(cell);
        for cell in group {
            let same = winners.iter_mut().find(|winner| {
                let (a, b) = (
                    keyed[winner.0 as usize].cells(),
                    keyed[cell.0 as usize].cells(),
                );
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
            hidden.push((keyed[loser.0 as usize].place as u32, loser.1));
        }
        left.extend(
            winners
                .into_iter()
                .map(|(at, cell)| (keyed[at as usize].place as u32, cell)),
        );
    }

    /// Of cells that are equal in the order, those of each coordinates that are newer than any deleted one.
    fn undeleted(
        &self,
        keyed: &[Keyed<'_>],
        group: &[CellAt],
        left: &mut Vec<CellAt>,
        hidden: &mut Vec<CellAt>,
    ) {
        let mut waiting = group.to_vec();
        waiting.sort_by_key(|(at, cell)| std::cmp::Reverse(keyed[*at as usize].time(*cell)));
        while let Some(first) = waiting.first().copied() {
            let same = |(at, cell): &CellAt| {
                let (a, b) = (keyed[first.0 as usize].cells(), keyed[*at as usize].cells());
                self.order.same_cell(a, first.1 as usize, b, *cell as usize)
            };
            let (these, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(same);
            waiting = others;
            let mut deleted = false;
            for (at, cell) in these {
                let place = keyed[at as usize].place;
                let passing = self.held[place].passing.as_ref();
                deleted |= passing.is_some_and(|passing| passing[cell as usize] == 0);
                let to = if deleted { &mut *hidden } else { &mut *left };
                to.push((place as u32, cell));
            }
        }
    }

    /// Appends cells in order, neighbours of a tile as one piece, those that count several times as often.
    fn append(&self, tiles: &mut [Tile], cells: &mut Vec<CellAt>, pieces: &mut Vec<Piece>) {
        let first = pieces.len();
        let counted = self.held.iter().any(|held| held.counts.is_some());
        for (place, cell) in cells.drain(..) {
            if counted && let Some(counts) = &self.held[place as usize].counts {
                let count = counts.get(cell as usize).copied().unwrap_or(1);
                tiles[place as usize].waiting += (count as usize).saturating_sub(1);
                pieces.extend((0..count).map(|_| Piece {
                    tile: place,
                    start: cell,
                    len: 1,
                }));
                continue;
            }
            match pieces[first..].last_mut() {
                Some(piece) if piece.tile == place && piece.start + piece.len == cell => {
                    piece.len += 1;
                }
                _ => pieces.push(Piece {
                    tile: place,
                    start: cell,
                    len: 1,
                }),
            }
        }
    }
}
