//! Boxes of cells, moved between two orders: a tile and a caller's buffer, either way.
//!
//! A walk says for each dimension of the box how many cells it has and how far apart neighbours are
//! on both sides. It is simplified first (dimensions that continue each other become one), so that
//! most boxes end as a few long copies; a box that is turned round is copied in blocks that stay in
//! the cache.
#![expect(
    unsafe_code,
    reason = "the innermost loop of every read and write; its bounds are checked once for the box"
)]

use std::cmp::Reverse;

use super::disjoint::SharedBytes;

/// One dimension of a walk, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many.
    pub len: usize,
    /// How far apart in the source.
    pub from: usize,
    /// How far apart in the destination.
    pub to: usize,
}

/// A box of cells in two orders.
#[derive(Clone, Debug)]
pub struct Walk {
    axes: Vec<Axis>,
    from: usize,
    to: usize,
}

/// The side of the square that is turned round at once: 16 cells of up to 8 bytes touch 16 cache
/// lines on both sides.
const BLOCK: usize = 16;

impl Walk {
    /// Creates a walk over `axes` (in any order) whose first cell lies at `from` in the source and
    /// at `to` in the destination.
    pub fn new(mut axes: Vec<Axis>, from: usize, to: usize) -> Self {
        if axes.iter().any(|axis| axis.len == 0) {
            return Self {
                axes: vec![Axis {
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
        let mut merged: Vec<Axis> = Vec::with_capacity(axes.len());
        for axis in axes {
            match merged.last_mut() {
                Some(slower)
                    if slower.from == axis.from * axis.len && slower.to == axis.to * axis.len =>
                {
                    *slower = Axis {
                        len: slower.len * axis.len,
                        ..axis
                    };
                }
                _ => merged.push(axis),
            }
        }
        if merged.is_empty() {
            merged.push(Axis {
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

    /// Returns one past the last cell touched in the source and in the destination.
    fn ends(&self) -> (usize, usize) {
        let reach = |stride: fn(&Axis) -> usize| {
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

    /// Returns the first cell touched in the source and one past the last.
    pub fn source_span(&self) -> (usize, usize) {
        if self.cell_num() == 0 {
            (0, 0)
        } else {
            (self.from, self.ends().0)
        }
    }

    /// Returns the number of cells lie side by side in both orders at once.
    pub fn run_len(&self) -> usize {
        match self.axes.last() {
            Some(Axis {
                len,
                from: 1,
                to: 1,
            }) => *len,
            _ => 1,
        }
    }

    /// Returns whether the source is wanted without gaps and in order.
    pub fn is_one_run(&self) -> bool {
        self.axes.len() == 1 && self.run_len() == self.cell_num()
    }

    /// Returns the place of the first cell in the destination.
    pub fn destination_start(&self) -> usize {
        self.to
    }

    /// Calls `visit` with each run: its first cell in the source, in the destination, and its
    /// length.
    pub fn for_each_run<E>(
        &self,
        mut visit: impl FnMut(usize, usize, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.cell_num() == 0 {
            return Ok(());
        }
        let run = self.run_len();
        let outer = if run > 1 || self.axes.last().is_some_and(|axis| axis.len == 1) {
            &self.axes[..self.axes.len() - 1]
        } else {
            &self.axes[..]
        };
        let mut at = vec![0; outer.len()];
        let (mut from, mut to) = (self.from, self.to);
        loop {
            visit(from, to, run)?;
            let mut dim = outer.len();
            loop {
                if dim == 0 {
                    return Ok(());
                }
                dim -= 1;
                let axis = outer[dim];
                at[dim] += 1;
                if at[dim] < axis.len {
                    from += axis.from;
                    to += axis.to;
                    break;
                }
                at[dim] = 0;
                from -= axis.from * (axis.len - 1);
                to -= axis.to * (axis.len - 1);
            }
        }
    }

    /// The same cells of the destination, all taken from the first cell of the source.
    #[must_use]
    pub fn spread(&self) -> Self {
        let axes = self
            .axes
            .iter()
            .map(|axis| Axis { from: 0, ..*axis })
            .collect();
        Self {
            axes,
            from: 0,
            to: self.to,
        }
    }

    /// The same walk over a source whose cells start `cells` later.
    #[must_use]
    pub fn shifted(mut self, cells: usize) -> Self {
        self.from -= cells;
        self
    }

    /// Copies the cells, of `size` bytes each. Panics where the walk leaves a side.
    ///
    /// # Safety
    /// Nobody else reads or writes the cells of the destination that the walk touches.
    pub unsafe fn copy(&self, size: usize, source: &[u8], destination: SharedBytes<'_>) {
        if self.cell_num() == 0 || size == 0 {
            return;
        }
        let (from_end, to_end) = self.ends();
        let fits = |end: usize, len: usize| end.checked_mul(size).is_some_and(|end| end <= len);
        assert!(
            fits(from_end, source.len()) && fits(to_end, destination.len()),
            "a walk leaves its buffers"
        );
        let source = source.as_ptr();
        if self.run_len() == 1 && self.cell_num() > 1 {
            // SAFETY: in bounds on both sides, as just checked; the destination is the caller's
            // alone.
            return unsafe { self.turn(size, source, destination.address(0)) };
        }
        let done: Result<(), std::convert::Infallible> = self.for_each_run(|from, to, run| {
            // SAFETY: see above.
            unsafe {
                copy_run(
                    source.add(from * size),
                    destination.address(to * size),
                    run * size,
                )
            };
            Ok(())
        });
        let Ok(()) = done;
    }

    /// Copies a box whose fast dimensions differ: block by block over the two of them.
    ///
    /// # Safety
    /// Every cell of the walk is in bounds on both sides, and the destination's are the caller's
    /// alone.
    unsafe fn turn(&self, size: usize, source: *const u8, destination: *mut u8) {
        let inner = self.axes[self.axes.len() - 1];
        let others = &self.axes[..self.axes.len() - 1];
        // The other dimension to block over is the one whose neighbours are nearest in the source.
        let mut rest: Vec<Axis> = others.to_vec();
        let single = Axis {
            len: 1,
            from: 1,
            to: 1,
        };
        let across = match (0..others.len()).min_by_key(|d| others[*d].from) {
            Some(nearest) => rest.remove(nearest),
            None => single,
        };
        rest.push(single);
        let planes = Self {
            axes: rest,
            from: self.from,
            to: self.to,
        };
        let done: Result<(), std::convert::Infallible> = planes.for_each_run(|from, to, _| {
            // SAFETY: the same cells as the walk's.
            unsafe {
                let (source, destination) = (source.add(from * size), destination.add(to * size));
                match size {
                    1 => turn_plane::<1>(across, inner, source, destination),
                    2 => turn_plane::<2>(across, inner, source, destination),
                    4 => turn_plane::<4>(across, inner, source, destination),
                    8 => turn_plane::<8>(across, inner, source, destination),
                    16 => turn_plane::<16>(across, inner, source, destination),
                    _ => turn_plane_of(size, across, inner, source, destination),
                }
            }
            Ok(())
        });
        let Ok(()) = done;
    }
}

#[inline(always)]
unsafe fn copy_run(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: the caller's.
    unsafe { std::ptr::copy_nonoverlapping(from, to, len) };
}

/// Turns a plane of cells of `N` bytes.
///
/// # Safety
/// All its cells are in bounds on both sides.
unsafe fn turn_plane<const N: usize>(across: Axis, inner: Axis, from: *const u8, to: *mut u8) {
    for block_a in (0..across.len).step_by(BLOCK) {
        let end_a = across.len.min(block_a + BLOCK);
        for block_b in (0..inner.len).step_by(BLOCK) {
            let end_b = inner.len.min(block_b + BLOCK);
            for a in block_a..end_a {
                for b in block_b..end_b {
                    // SAFETY: cell (a, b) is in bounds on both sides; cells need no alignment.
                    unsafe {
                        let cell = from
                            .add((a * across.from + b * inner.from) * N)
                            .cast::<[u8; N]>()
                            .read_unaligned();
                        to.add((a * across.to + b * inner.to) * N)
                            .cast::<[u8; N]>()
                            .write_unaligned(cell);
                    }
                }
            }
        }
    }
}

/// The same for cells of any size.
///
/// # Safety
/// All its cells are in bounds on both sides.
unsafe fn turn_plane_of(size: usize, across: Axis, inner: Axis, from: *const u8, to: *mut u8) {
    for a in 0..across.len {
        for b in 0..inner.len {
            // SAFETY: cell (a, b) is in bounds on both sides.
            unsafe {
                copy_run(
                    from.add((a * across.from + b * inner.from) * size),
                    to.add((a * across.to + b * inner.to) * size),
                    size,
                );
            }
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
        fn every_cell_arrives_where_it_belongs(
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
            let axes = (0..shape.len()).map(|d| Axis { len: shape[d], from: from[d], to: to[d] }).collect();
            // SAFETY: no other thread knows the destination.
            unsafe { Walk::new(axes, 0, 0).copy(size, &source, SharedBytes::new(&mut destination)) };
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
    fn rows_that_continue_each_other_are_one_run() {
        let axes = vec![
            Axis {
                len: 4,
                from: 10,
                to: 10,
            },
            Axis {
                len: 10,
                from: 1,
                to: 1,
            },
        ];
        let walk = Walk::new(axes, 0, 0);
        assert!(walk.is_one_run());
        assert_eq!(walk.run_len(), 40);
    }
}
