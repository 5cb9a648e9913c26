//! Strided copies and runs: boxes of cells are copied between a tile and a caller's buffer that
//! have different cell orders.
//!
//! A copy states for each dimension of the box the number of cells and the strides on both sides.
//! It is simplified first by merging dimensions whose strides are contiguous, so that most boxes
//! become a few long copies. A box whose fastest dimensions differ is transposed in blocks that fit
//! in the cache.

use std::cmp::Reverse;
use std::ops::Range;

use super::disjoint::{CellWriter, CopyAxis};
use crate::bytes::sized;
use crate::memory::tuning::{MIN_RUN_DISTANCE, MIN_SEPARATE_RUN_BYTES};

/// A copy of a box of cells between two cell orders.
#[derive(Clone, Debug)]
pub struct StridedCopy {
    axes: Vec<CopyAxis>,
    from: usize,
    to: usize,
}

impl StridedCopy {
    /// Creates a copy over `axes`, in any order, whose first cell has index `from` in the source
    /// and `to` in the destination.
    pub fn new(mut axes: Vec<CopyAxis>, from: usize, to: usize) -> Self {
        if axes.iter().any(|axis| axis.len == 0) {
            return Self {
                axes: vec![CopyAxis {
                    len: 0,
                    from: 1,
                    to: 1,
                }],
                from: 0,
                to: 0,
            };
        }
        axes.retain(|axis| axis.len > 1);
        axes.sort_unstable_by_key(|axis| Reverse(axis.to));
        let mut merged: Vec<CopyAxis> = Vec::with_capacity(axes.len());
        for axis in axes {
            match merged.last_mut() {
                Some(slower)
                    if slower.from == axis.from * axis.len && slower.to == axis.to * axis.len =>
                {
                    *slower = CopyAxis {
                        len: slower.len * axis.len,
                        ..axis
                    };
                }
                _ => merged.push(axis),
            }
        }
        if merged.is_empty() {
            merged.push(CopyAxis {
                len: 1,
                from: 1,
                to: 1,
            });
        }
        Self {
            axes: merged,
            from,
            to,
        }
    }

    /// Returns the number of cells.
    pub fn cell_num(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// Returns the ends of the cells accessed in the source and in the destination.
    fn ends(&self) -> (usize, usize) {
        let reach = |stride: fn(&CopyAxis) -> usize| {
            self.axes
                .iter()
                .map(|axis| (axis.len - 1) * stride(axis))
                .sum::<usize>()
        };
        (
            self.from + reach(|axis| axis.from) + 1,
            self.to + reach(|axis| axis.to) + 1,
        )
    }

    /// Returns the first cell accessed in the source, and the end.
    pub fn source_span(&self) -> (usize, usize) {
        if self.cell_num() == 0 {
            (0, 0)
        } else {
            (self.from, self.ends().0)
        }
    }

    /// Returns the number of consecutive cells that are contiguous on both sides.
    pub fn run_len(&self) -> usize {
        match self.axes.last() {
            Some(CopyAxis {
                len,
                from: 1,
                to: 1,
            }) => *len,
            _ => 1,
        }
    }

    /// Returns whether runs of cells of `size` bytes are so long, or so far apart in the source,
    /// that copying them one by one costs less than copying what is between them as well.
    pub(super) fn has_separate_runs(&self, size: usize) -> bool {
        let (start, end) = self.source_span();
        let runs = self.cell_num() / self.run_len().max(1);
        self.run_len() * size >= MIN_SEPARATE_RUN_BYTES
            || (end - start) * size >= runs.saturating_mul(MIN_RUN_DISTANCE)
    }

    /// Returns whether the whole copy is a single run of contiguous cells.
    pub fn is_one_run(&self) -> bool {
        self.axes.len() == 1 && self.run_len() == self.cell_num()
    }

    /// Returns the index of the first cell in the destination.
    pub fn destination_start(&self) -> usize {
        self.to
    }

    /// Calls `visit` with each run of cells that are consecutive on both sides.
    pub fn for_each_run(&self, mut visit: impl FnMut(CellRun)) {
        if self.cell_num() == 0 {
            return;
        }
        let len = self.run_len();
        let outer = if len > 1 || self.axes.last().is_some_and(|axis| axis.len == 1) {
            &self.axes[..self.axes.len() - 1]
        } else {
            &self.axes[..]
        };
        for_each_start(outer, self.from, self.to, |from, to| {
            visit(CellRun { from, to, len });
        });
    }

    /// Returns a copy to the same cells of the destination from the first cell of the source only.
    #[must_use]
    pub fn broadcast(&self) -> Self {
        let axes = self
            .axes
            .iter()
            .map(|axis| CopyAxis { from: 0, ..*axis })
            .collect();
        Self {
            axes,
            from: 0,
            to: self.to,
        }
    }

    /// Returns the copy for a source that lacks its first `cells` cells.
    #[must_use]
    pub fn shifted(mut self, cells: usize) -> Self {
        self.from -= cells;
        self
    }

    /// Copies the cells, of `size` bytes each.
    ///
    /// # Panics
    ///
    /// Panics if a cell is out of bounds of the source or the destination.
    pub fn copy<'a>(&self, size: usize, source: &[u8], destination: impl Into<CellWriter<'a>>) {
        self.write(size, source, &mut destination.into());
    }

    fn write(&self, size: usize, source: &[u8], destination: &mut CellWriter<'_>) {
        if self.cell_num() == 0 || size == 0 {
            return;
        }
        let (from_end, to_end) = self.ends();
        let fits = |end: usize, len: usize| end.checked_mul(size).is_some_and(|end| end <= len);
        // Before the first cell is written: a copy is complete or has no effect.
        assert!(
            fits(from_end, source.len()) && fits(to_end, destination.len()),
            "a copy exceeds its buffers"
        );
        if self.run_len() == 1 && self.cell_num() > 1 {
            return self.transpose(size, source, destination);
        }
        let run = self.run_len();
        let Some((rows, others)) = self.axes[..self.axes.len() - 1].split_last() else {
            let cells = self.from * size..(self.from + run) * size;
            return destination.write(self.to * size, &source[cells]);
        };
        for_each_start(others, self.from, self.to, |from, to| {
            destination.write_rows(size, run, *rows, &source[from * size..], to);
        });
    }

    /// Copies a box whose fastest dimensions differ on the two sides, block by block.
    fn transpose(&self, size: usize, source: &[u8], destination: &mut CellWriter<'_>) {
        let inner = self.axes[self.axes.len() - 1];
        let others = &self.axes[..self.axes.len() - 1];
        // The second dimension of the blocks is the one with the smallest stride in the source.
        let mut rest: Vec<CopyAxis> = others.to_vec();
        let single = CopyAxis {
            len: 1,
            from: 1,
            to: 1,
        };
        let outer = match (0..others.len()).min_by_key(|d| others[*d].from) {
            Some(nearest) => rest.remove(nearest),
            None => single,
        };
        rest.push(single);
        let planes = Self {
            axes: rest,
            from: self.from,
            to: self.to,
        };
        planes.for_each_run(|plane| {
            let source = &source[plane.from * size..];
            sized!(size,
                N => destination.write_plane::<N>(outer, inner, source, plane.to),
                else => write_plane_of(size, [outer, inner], source, plane.to, destination)
            );
        });
    }
}

/// Copies a plane of cells of any size.
fn write_plane_of(
    size: usize,
    [outer, inner]: [CopyAxis; 2],
    source: &[u8],
    first: usize,
    destination: &mut CellWriter<'_>,
) {
    for a in 0..outer.len {
        let source = &source[a * outer.from * size..];
        destination.write_rows(size, 1, inner, source, first + a * outer.to);
    }
}

/// Calls `visit` with the first cell in the source and in the destination for each position of
/// axes with at least one cell. `from` and `to` are those of the first position.
fn for_each_start(
    axes: &[CopyAxis],
    mut from: usize,
    mut to: usize,
    mut visit: impl FnMut(usize, usize),
) {
    let mut position = vec![0; axes.len()];
    loop {
        visit(from, to);
        let mut dim = axes.len();
        loop {
            if dim == 0 {
                return;
            }
            dim -= 1;
            let axis = axes[dim];
            position[dim] += 1;
            if position[dim] < axis.len {
                from += axis.from;
                to += axis.to;
                break;
            }
            position[dim] = 0;
            from -= axis.from * (axis.len - 1);
            to -= axis.to * (axis.len - 1);
        }
    }
}

/// Cells or bytes that are consecutive in a source and in a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellRun {
    /// The index of the first cell in the source.
    pub from: usize,
    /// The index of the first cell in the destination.
    pub to: usize,
    /// The number of cells.
    pub len: usize,
}

impl CellRun {
    /// Returns the indexes of the cells in the source.
    pub fn source(&self) -> Range<usize> {
        self.from..self.source_end()
    }

    /// Returns the index after the last cell in the source.
    pub fn source_end(&self) -> usize {
        self.from + self.len
    }

    /// Returns the run in bytes, for cells of `size` bytes.
    #[must_use]
    pub fn in_bytes(self, size: usize) -> Self {
        Self {
            from: self.from * size,
            to: self.to * size,
            len: self.len * size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn strides(shape: &[usize], order: &[usize]) -> Vec<usize> {
        let mut strides = vec![0; shape.len()];
        let mut cells = 1;
        for dim in order {
            strides[*dim] = cells;
            cells *= shape[*dim];
        }
        strides
    }

    proptest! {
        #[test]
        fn copies_move_every_cell(
            shape in proptest::collection::vec(1usize..40, 1..4),
            from_order in Just([0, 1, 2]).prop_shuffle(),
            to_order in Just([0, 1, 2]).prop_shuffle(),
            size in prop::sample::select(vec![1usize, 2, 3, 4, 8, 16]),
        ) {
            let keep = |order: [usize; 3]| order.into_iter().filter(|d| *d < shape.len()).collect::<Vec<_>>();
            let (from, to) = (strides(&shape, &keep(from_order)), strides(&shape, &keep(to_order)));
            let cells: usize = shape.iter().product();
            let source: Vec<u8> = (0..cells * size).map(|i| (i * 7 % 251) as u8).collect();
            let mut destination = vec![0; cells * size];
            let axes = (0..shape.len()).map(|d| CopyAxis { len: shape[d], from: from[d], to: to[d] }).collect();
            StridedCopy::new(axes, 0, 0).copy(size, &source, &mut destination[..]);
            for cell in 0..cells {
                let (mut left, mut at_from, mut at_to) = (cell, 0, 0);
                for d in 0..shape.len() {
                    at_from += left % shape[d] * from[d];
                    at_to += left % shape[d] * to[d];
                    left /= shape[d];
                }
                prop_assert_eq!(&source[at_from * size..][..size], &destination[at_to * size..][..size]);
            }
        }
    }

    #[test]
    fn contiguous_rows_are_one_run() {
        let axes = vec![
            CopyAxis {
                len: 4,
                from: 10,
                to: 10,
            },
            CopyAxis {
                len: 10,
                from: 1,
                to: 1,
            },
        ];
        let copy = StridedCopy::new(axes, 0, 0);
        assert!(copy.is_one_run());
        assert_eq!(copy.run_len(), 40);
    }
}
