//! The streams of a merge in the order of their bounds.

use super::streams::Streams;
use crate::geometry::CellOrder;

/// A binary heap of the streams with tiles that were not taken, the one with the smallest bound
/// first. Of streams with equal bounds, the first one precedes the others.
#[derive(Debug)]
pub(super) struct StreamHeap(Vec<usize>);

impl StreamHeap {
    pub(super) fn new(streams: &Streams, order: &CellOrder) -> Self {
        let with_tiles = (0..streams.len()).filter(|stream| streams.has_tiles(*stream));
        let mut heap = Self(with_tiles.collect());
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
