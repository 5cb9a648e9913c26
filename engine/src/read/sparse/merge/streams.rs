//! The tiles that are not loaded yet, as streams with bounds: no cell of the next tile of a stream
//! precedes its bound.

use std::cmp::Ordering;

use super::super::scan::{ScannedTile, TileScan};
use super::super::tiles::TileLoader;
use super::mbr_bounds::MbrBounds;
use crate::error::Result;
use crate::geometry::CellOrder;
use crate::types::Range;

/// A sequence of tiles.
#[derive(Debug)]
struct Stream {
    /// The first tile, the next one, and the end, as indexes of all tiles.
    first: usize,
    next: usize,
    end: usize,
    /// The last loaded cell, if later ones do not precede it.
    last: Option<MbrBounds>,
}

/// The tiles of a merge, as streams.
#[derive(Debug)]
pub(super) struct Streams {
    /// All tiles, stream by stream.
    tiles: Vec<ScannedTile>,
    /// The first and last corner of the MBR of each tile; `None` in an order without relation to
    /// MBRs.
    corners: Option<(MbrBounds, MbrBounds)>,
    streams: Vec<Stream>,
}

/// The two tiles of different fragments with the largest ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reach {
    first: Option<usize>,
    second: Option<usize>,
}

impl Streams {
    /// Returns one stream for each fragment, whose cells are in `order`.
    pub(super) fn by_fragment(
        order: &CellOrder,
        loader: &TileLoader,
        scan: TileScan,
        has_corners: bool,
    ) -> Result<Self> {
        let mut streams = Vec::new();
        let mut first = 0;
        for tiles in scan.by_fragment() {
            let end = first + tiles.len();
            if first < end {
                streams.push(Stream {
                    first,
                    next: first,
                    end,
                    last: None,
                });
            }
            first = end;
        }
        let tiles = scan.into_tiles();
        Ok(Self {
            corners: has_corners
                .then(|| corners(order, loader, &tiles))
                .transpose()?,
            tiles,
            streams,
        })
    }

    /// Returns one stream of all tiles, ordered by the first corner of their MBRs.
    pub(super) fn sorted(order: &CellOrder, loader: &TileLoader, scan: TileScan) -> Result<Self> {
        let unsorted = scan.into_tiles();
        let low = MbrBounds::of_tiles(order, loader, &unsorted, Range::start)?;
        let columns = low.columns();
        let cells = low.keyed(&columns);
        let mut indexes: Vec<usize> = (0..unsorted.len()).collect();
        indexes.sort_by(|a, b| order.compare(cells, *a, cells, *b));
        let tiles: Vec<ScannedTile> = indexes.into_iter().map(|index| unsorted[index]).collect();
        Ok(Self {
            corners: Some(corners(order, loader, &tiles)?),
            streams: vec![Stream {
                first: 0,
                next: 0,
                end: tiles.len(),
                last: None,
            }],
            tiles,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.streams.len()
    }

    pub(super) fn tile(&self, index: usize) -> ScannedTile {
        self.tiles[index]
    }

    /// Returns whether the bounds of streams are known before their next tiles are loaded.
    pub(super) fn has_corners(&self) -> bool {
        self.corners.is_some()
    }

    /// Returns all tiles, and the ranges of those that were not taken.
    pub(super) fn tiles(&self) -> (&[ScannedTile], impl Iterator<Item = std::ops::Range<usize>>) {
        let left = self.streams.iter().map(|stream| stream.next..stream.end);
        (&self.tiles, left)
    }

    /// Returns whether all tiles of all streams were taken.
    pub(super) fn is_done(&self) -> bool {
        self.streams.iter().all(|stream| stream.next >= stream.end)
    }

    /// Returns whether a stream has tiles that were not taken.
    pub(super) fn has_tiles(&self, stream: usize) -> bool {
        self.streams[stream].next < self.streams[stream].end
    }

    /// Returns the index of the next tile of a stream.
    pub(super) fn next_tile(&self, stream: usize) -> usize {
        self.streams[stream].next
    }

    /// Takes the next tile of a stream.
    pub(super) fn take(&mut self, stream: usize) {
        self.streams[stream].next += 1;
    }

    /// Returns the bound of all tiles that were not taken. `None` if all were taken; `Some(None)`
    /// if it is unknown.
    pub(super) fn least_bound(&self, order: &CellOrder) -> Option<Option<(&MbrBounds, usize)>> {
        let streams = (0..self.streams.len()).filter(|stream| self.has_tiles(*stream));
        let first = streams.min_by(|a, b| self.compare_streams(order, *a, *b))?;
        Some(self.bound(order, &self.streams[first]))
    }

    /// Compares the bounds of two streams. An unknown bound is the smallest.
    pub(super) fn compare_streams(&self, order: &CellOrder, a: usize, b: usize) -> Ordering {
        let bound = |stream: usize| self.bound(order, &self.streams[stream]);
        match (bound(a), bound(b)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some((a, i)), Some((b, j))) => a.compare(order, i, b, j),
        }
    }

    /// Returns the bound of a stream: no cell of its next tile precedes it. `None` if it is
    /// unknown.
    fn bound<'a>(
        &'a self,
        order: &CellOrder,
        stream: &'a Stream,
    ) -> Option<(&'a MbrBounds, usize)> {
        let corner = self.corners.as_ref().map(|(low, _)| (low, stream.next));
        match (corner, &stream.last) {
            (Some((low, tile)), Some(last)) if low.compare(order, tile, last, 0).is_lt() => {
                Some((last, 0))
            }
            (None, Some(last)) => Some((last, 0)),
            (corner, _) => corner,
        }
    }

    /// Returns whether a tile, the next one of the first stream, ends before the bound of the
    /// `second` stream and starts after all tiles of other fragments in `reach`.
    pub(super) fn is_alone(
        &self,
        order: &CellOrder,
        tile: usize,
        second: Option<usize>,
        reach: &Reach,
    ) -> bool {
        let Some((low, high)) = &self.corners else {
            return false;
        };
        let source = self.tiles[tile].source;
        let others = [reach.first, reach.second].into_iter().flatten();
        let mut others = others.filter(|other| self.tiles[*other].source != source);
        others.all(|other| high.compare(order, other, low, tile).is_lt())
            && second.is_none_or(|other| {
                self.bound(order, &self.streams[other])
                    .is_some_and(|(bound, j)| high.compare(order, tile, bound, j).is_lt())
            })
    }

    /// Adds a tile to the loaded ones.
    pub(super) fn extend_reach(&self, order: &CellOrder, reach: &mut Reach, tile: usize) {
        let Some((_, high)) = &self.corners else {
            return;
        };
        let source = self.tiles[tile].source;
        let is_further = |other: Option<usize>| {
            other.is_none_or(|other| high.compare(order, other, high, tile).is_lt())
        };
        let is_own =
            |other: Option<usize>| other.is_some_and(|other| self.tiles[other].source == source);
        if is_further(reach.first) {
            if !is_own(reach.first) {
                reach.second = reach.first;
            }
            reach.first = Some(tile);
        } else if !is_own(reach.first) && is_further(reach.second) {
            reach.second = Some(tile);
        }
    }

    /// Sets the last loaded cell of each stream. `last_cell` returns that of a tile: `None` if the
    /// tile is not among the newly loaded ones, and `Some(None)` if later cells are not compared
    /// with it.
    pub(super) fn set_last(
        &mut self,
        last_cell: impl Fn(usize) -> Result<Option<Option<MbrBounds>>>,
    ) -> Result<()> {
        for stream in &mut self.streams {
            if stream.next > stream.first
                && let Some(last) = last_cell(stream.next - 1)?
            {
                stream.last = last;
            }
        }
        Ok(())
    }
}

/// Returns the first and the last corner of the MBR of each tile.
fn corners(
    order: &CellOrder,
    loader: &TileLoader,
    tiles: &[ScannedTile],
) -> Result<(MbrBounds, MbrBounds)> {
    Ok((
        MbrBounds::of_tiles(order, loader, tiles, Range::start)?,
        MbrBounds::of_tiles(order, loader, tiles, Range::end)?,
    ))
}
