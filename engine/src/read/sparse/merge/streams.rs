//! The tiles that are not loaded yet, as streams with bounds: no cell of the next tile of a stream
//! precedes its bound. Bounds are the corners of MBRs, or the first and last cells of tiles; a heap
//! has the stream with the smallest bound first.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::super::scan::{ScannedTile, TileScan};
use super::super::tiles::TileLoader;
use crate::error::Result;
use crate::geometry::{CellOrder, Coordinates, KeyedCells, Keys};
use crate::tile::Cells;
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
    /// No cell of a tile precedes its first bound, and none follows its second one. `None` if the
    /// order has no relation to MBRs and a fragment does not store the first and the last cell of
    /// each tile.
    tile_bounds: Option<[MbrBounds; 2]>,
    streams: Vec<Stream>,
}

impl Streams {
    /// Returns one stream for each fragment, whose cells are in `order`. `follows_mbrs` is whether
    /// the corners of an MBR bound its cells in this order.
    pub(super) fn by_fragment(
        order: &CellOrder,
        loader: &TileLoader,
        scan: TileScan,
        follows_mbrs: bool,
    ) -> Result<Self> {
        let mut streams = Vec::new();
        let mut first = 0;
        for tiles in &scan.by_fragment {
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
        let exact = |tile: &ScannedTile| loader.sources[tile.source as usize].has_order_bounds();
        // Cells of one fragment are not compared with others.
        let reads_exact = streams.len() > 1;
        let firsts = streams.iter().map(|stream| &tiles[stream.first]);
        let has_bounds = if reads_exact && firsts.clone().all(exact) {
            true
        } else {
            follows_mbrs && texts_follow_mbrs(loader, &tiles)?
        };
        Ok(Self {
            tile_bounds: has_bounds
                .then(|| tile_bounds(order, loader, &tiles, reads_exact))
                .transpose()?,
            tiles,
            streams,
        })
    }

    /// Returns one stream of all tiles, ordered by the first corner of their MBRs.
    pub(super) fn sorted(order: &CellOrder, loader: &TileLoader, scan: TileScan) -> Result<Self> {
        let unsorted = scan.into_tiles();
        let low = MbrBounds::of_tiles(order, loader, &unsorted, false, false)?;
        let columns = low.columns();
        let cells = low.keyed(&columns);
        let mut indexes: Vec<usize> = (0..unsorted.len()).collect();
        indexes.sort_by(|a, b| order.compare(cells, *a, cells, *b));
        let tiles: Vec<ScannedTile> = indexes.into_iter().map(|index| unsorted[index]).collect();
        Ok(Self {
            tile_bounds: Some(tile_bounds(order, loader, &tiles, false)?),
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
    pub(super) fn has_bounds(&self) -> bool {
        self.tile_bounds.is_some()
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

    /// Returns the bound of all tiles that were not taken, or `None` if it is unknown.
    pub(super) fn least_bound(&self, order: &CellOrder) -> Option<BoundCell<'_>> {
        let first = (0..self.streams.len())
            .filter(|stream| self.has_tiles(*stream))
            .min_by(|a, b| self.compare_streams(order, *a, *b))?;
        self.bound(order, &self.streams[first])
    }

    /// Compares the bounds of two streams. An unknown bound is the smallest.
    pub(super) fn compare_streams(&self, order: &CellOrder, a: usize, b: usize) -> Ordering {
        let bound = |stream: usize| self.bound(order, &self.streams[stream]);
        match (bound(a), bound(b)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => a.compare(order, b),
        }
    }

    /// Returns the bound of a stream: no cell of its next tile precedes it. `None` if it is
    /// unknown.
    fn bound<'a>(&'a self, order: &CellOrder, stream: &'a Stream) -> Option<BoundCell<'a>> {
        let bounds = self.tile_bounds.as_ref();
        let low = bounds.map(|[low, _]| low.cell(stream.next));
        let last = stream.last.as_ref().map(|last| last.cell(0));
        match (low, last) {
            (Some(low), Some(last)) if low.precedes(order, last) => Some(last),
            (low, last) => low.or(last),
        }
    }

    /// Returns whether the next tile of the first `stream` ends before the bound of the `second`
    /// one and starts after all tiles of other fragments in `reach`, see [`Self::extend_reach`].
    pub(super) fn is_alone(
        &self,
        order: &CellOrder,
        stream: usize,
        second: Option<usize>,
        reach: [Option<usize>; 2],
    ) -> bool {
        let Some([_, high]) = &self.tile_bounds else {
            return false;
        };
        let tile = self.next_tile(stream);
        let source = self.tiles[tile].source;
        let Some(first_cell) = self.bound(order, &self.streams[stream]) else {
            return false;
        };
        let mut others = reach
            .into_iter()
            .flatten()
            .filter(|other| self.tiles[*other].source != source);
        let last_cell = high.cell(tile);
        others.all(|other| high.cell(other).precedes(order, first_cell))
            && second.is_none_or(|other| {
                let bound = self.bound(order, &self.streams[other]);
                bound.is_some_and(|bound| last_cell.precedes(order, bound))
            })
    }

    /// Adds a loaded tile to `reach`, the two tiles of different fragments with the largest ends.
    pub(super) fn extend_reach(
        &self,
        order: &CellOrder,
        reach: &mut [Option<usize>; 2],
        tile: usize,
    ) {
        let Some([_, high]) = &self.tile_bounds else {
            return;
        };
        let source = self.tiles[tile].source;
        let is_further = |other: Option<usize>| {
            other.is_none_or(|other| high.cell(other).precedes(order, high.cell(tile)))
        };
        let is_own =
            |other: Option<usize>| other.is_some_and(|other| self.tiles[other].source == source);
        let [first, second] = *reach;
        if is_further(first) {
            *reach = [Some(tile), if is_own(first) { second } else { first }];
        } else if !is_own(first) && is_further(second) {
            *reach = [first, Some(tile)];
        }
    }

    /// Returns the index of the last tile of a stream that was taken.
    pub(super) fn last_taken(&self, stream: usize) -> Option<usize> {
        let stream = &self.streams[stream];
        (stream.first..stream.next).next_back()
    }

    /// Sets the last loaded cell of a stream; `None` if later ones are not compared with it.
    pub(super) fn set_last(&mut self, stream: usize, last: Option<MbrBounds>) {
        self.streams[stream].last = last;
    }
}

/// Returns the bounds of tiles: cells that no cell of a tile precedes, and cells that none follows.
fn tile_bounds(
    order: &CellOrder,
    loader: &TileLoader,
    tiles: &[ScannedTile],
    in_stored_order: bool,
) -> Result<[MbrBounds; 2]> {
    let bounds = |is_end| MbrBounds::of_tiles(order, loader, tiles, in_stored_order, is_end);
    Ok([bounds(false)?, bounds(true)?])
}

/// Returns whether the MBRs of texts, which are ranges of bytes, also bound the texts in the order
/// of signed characters. They do if the end is ASCII after the common prefix: where a text first
/// differs from the end, it has a lesser byte, which is ASCII, too.
fn texts_follow_mbrs(loader: &TileLoader, tiles: &[ScannedTile]) -> Result<bool> {
    for tile in tiles {
        let source = &loader.sources[tile.source as usize];
        for range in source.fragment.mbr(tile.found.tile)?.iter() {
            if range.is_var() && !range.end()[common_len(range)..].is_ascii() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Returns the number of bytes with which both ends of a range of texts begin, and so all texts
/// between them.
fn common_len(range: &Range) -> usize {
    let bytes = range.start().iter().zip(range.end());
    bytes.take_while(|(start, end)| start == end).count()
}

/// Returns a text that no text in a range precedes in the order of signed characters, see
/// [`texts_follow_mbrs`]: the start up to the first byte by which it differs from the end. Any byte
/// after that one can be a negative character.
fn signed_start(range: &Range) -> &[u8] {
    let start = range.start();
    &start[..start.len().min(common_len(range) + 1)]
}

/// Cells that bound those of tiles: one bound of each tile, or a cell of a tile.
#[derive(Debug, Default)]
pub(super) struct MbrBounds {
    columns: Vec<Cells>,
    keys: Keys,
}

impl MbrBounds {
    /// Returns one end of the MBR of each tile. With `in_stored_order`, fragments that store the
    /// first and the last cell of each tile are bounded by these instead, which is exact.
    pub(super) fn of_tiles(
        order: &CellOrder,
        loader: &TileLoader,
        tiles: &[ScannedTile],
        in_stored_order: bool,
        is_end: bool,
    ) -> Result<Self> {
        let mut columns = vec![Cells::default(); order.dim_num()];
        for tile in tiles {
            let source = &loader.sources[tile.source as usize];
            let mut stored = None;
            if in_stored_order && source.has_order_bounds() {
                stored = source.fragment.order_bounds(tile.found.tile)?;
            }
            let is_cell = stored.is_some();
            let ranges = match stored {
                Some(ranges) => Cow::Owned(ranges),
                None => Cow::Borrowed(source.fragment.mbr(tile.found.tile)?),
            };
            for (column, range) in columns.iter_mut().zip(ranges.iter()) {
                let value = if is_end {
                    range.end()
                } else if is_cell || !range.is_var() || !order.has_signed_texts() {
                    range.start()
                } else {
                    signed_start(range)
                };
                column.data.extend_from_slice(value);
                if range.is_var() {
                    if column.starts.is_empty() {
                        column.starts.push(0);
                    }
                    column.starts.push(column.data.len() as u64);
                }
            }
        }
        Self::new(order, columns)
    }

    /// Returns one cell, by the bytes of its coordinates and whether they have a variable length.
    pub(super) fn of_cell<'a>(
        order: &CellOrder,
        coordinates: impl Iterator<Item = (&'a [u8], bool)>,
    ) -> Result<Self> {
        let columns = coordinates.map(|(value, is_var)| Cells {
            data: value.to_vec(),
            starts: if is_var {
                vec![0, value.len() as u64]
            } else {
                Vec::new()
            },
            validity: Vec::new(),
        });
        Self::new(order, columns.collect())
    }

    fn new(order: &CellOrder, columns: Vec<Cells>) -> Result<Self> {
        let mut bounds = Self {
            columns,
            keys: Keys::default(),
        };
        let mut keys = Keys::default();
        order.make_keys(&bounds.columns(), &mut keys)?;
        bounds.keys = keys;
        Ok(bounds)
    }

    pub(super) fn columns(&self) -> Vec<Coordinates<'_>> {
        self.columns.iter().map(Cells::coordinates).collect()
    }

    pub(super) fn keyed<'a>(&'a self, columns: &'a [Coordinates<'a>]) -> KeyedCells<'a> {
        KeyedCells {
            keys: &self.keys,
            columns,
        }
    }

    /// Returns one of the cells.
    pub(super) fn cell(&self, index: usize) -> BoundCell<'_> {
        BoundCell {
            bounds: self,
            index,
        }
    }
}

/// One cell of bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundCell<'a> {
    pub(super) bounds: &'a MbrBounds,
    pub(super) index: usize,
}

impl BoundCell<'_> {
    /// Returns whether this cell precedes another one.
    pub(super) fn precedes(self, order: &CellOrder, other: BoundCell<'_>) -> bool {
        self.compare(order, other).is_lt()
    }

    /// Compares this cell with another one.
    pub(super) fn compare(self, order: &CellOrder, other: BoundCell<'_>) -> Ordering {
        let (a, b) = (self.bounds, other.bounds);
        let by_key = a.keys.compare(self.index, &b.keys, other.index);
        if by_key.is_ne() || order.keys_decide() {
            return by_key;
        }
        let (a_columns, b_columns) = (a.columns(), b.columns());
        let (a_cells, b_cells) = (a.keyed(&a_columns), b.keyed(&b_columns));
        order.compare(a_cells, self.index, b_cells, other.index)
    }
}

/// A binary heap of the streams with tiles that were not taken, the one with the smallest bound
/// first. Of streams with equal bounds, the first one precedes the others.
#[derive(Debug)]
pub(super) struct StreamHeap(Vec<usize>);

impl StreamHeap {
    pub(super) fn new(streams: &Streams, order: &CellOrder) -> Self {
        let mut heap = Self(
            (0..streams.len())
                .filter(|stream| streams.has_tiles(*stream))
                .collect(),
        );
        for position in (0..heap.0.len() / 2).rev() {
            heap.sink(streams, order, position);
        }
        heap
    }

    /// Returns the stream with the smallest bound.
    pub(super) fn first(&self) -> Option<usize> {
        self.0.first().copied()
    }

    /// Returns the stream with the second smallest bound.
    pub(super) fn second(&self, streams: &Streams, order: &CellOrder) -> Option<usize> {
        match *self.0.get(1..)? {
            [left, right, ..] if precedes(streams, order, right, left) => Some(right),
            [left, ..] => Some(left),
            [] => None,
        }
    }

    /// Restores the order after the bound of the first stream has grown.
    pub(super) fn update_first(&mut self, streams: &Streams, order: &CellOrder) {
        self.sink(streams, order, 0);
    }

    /// Removes the first stream.
    pub(super) fn remove_first(&mut self, streams: &Streams, order: &CellOrder) {
        if !self.0.is_empty() {
            self.0.swap_remove(0);
            self.sink(streams, order, 0);
        }
    }

    /// Moves a stream down until it precedes those below it.
    fn sink(&mut self, streams: &Streams, order: &CellOrder, mut position: usize) {
        loop {
            let mut least = position;
            for below in [2 * position + 1, 2 * position + 2] {
                if let (Some(&stream), Some(&other)) = (self.0.get(below), self.0.get(least))
                    && precedes(streams, order, stream, other)
                {
                    least = below;
                }
            }
            if least == position {
                return;
            }
            self.0.swap(position, least);
            position = least;
        }
    }
}

/// Returns whether a stream precedes another one.
fn precedes(streams: &Streams, order: &CellOrder, stream: usize, other: usize) -> bool {
    let by_bound = streams.compare_streams(order, stream, other);
    by_bound.then(stream.cmp(&other)).is_lt()
}
