//! Buffers whose disjoint parts are written by multiple threads, and the writer of cells to any
//! part of a buffer.

#![expect(
    unsafe_code,
    reason = "the borrow checker cannot verify that interleaved parts are disjoint"
)]

use std::marker::PhantomData;

use crate::bytes::prefetch;
use crate::memory::tuning::TRANSPOSE_CELLS;

/// Bytes of which multiple threads write disjoint parts.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes<'a> {
    start: *mut u8,
    len: usize,
    owner: PhantomData<&'a mut [u8]>,
}

// SAFETY: a value stands for a `&mut [u8]`, which may be sent to another thread; `new` makes its
// caller ensure that parts in different threads are disjoint.
unsafe impl Send for SharedBytes<'_> {}
// SAFETY: the methods change bytes of parts only, and a shared reference permits no more than a
// copy of the value in the other thread.
unsafe impl Sync for SharedBytes<'_> {}

impl<'a> SharedBytes<'a> {
    /// Shares a buffer for as long as it is borrowed.
    ///
    /// # Safety
    /// No two of the parts that exist at the same time overlap, and no byte of a part is written
    /// by another thread while the part exists. This applies to all copies of the value. A part is
    /// what a method writes, or returns for writing.
    pub unsafe fn new(bytes: &'a mut [u8]) -> Self {
        Self {
            start: bytes.as_mut_ptr(),
            len: bytes.len(),
            owner: PhantomData,
        }
    }

    /// Returns a mutable slice of `len` bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// Panics if that exceeds the buffer.
    #[inline]
    pub fn part(&self, offset: usize, len: usize) -> &'a mut [u8] {
        assert_within(offset, len, self.len);
        // SAFETY: the range is within the buffer, which is borrowed for 'a. The contract of `new`
        // excludes other accesses to it while the slice exists.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(offset), len) }
    }

    /// Writes bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// Panics if they exceed the buffer.
    #[inline]
    pub fn write(&self, offset: usize, bytes: &[u8]) {
        CellWriter::from(*self).write(offset, bytes);
    }

    /// Prefetches the cache lines of bytes that will be written soon. Bytes beyond the end are
    /// ignored.
    #[inline]
    pub fn will_write(&self, offset: usize, len: usize) {
        let len = len.min(self.len.saturating_sub(offset));
        prefetch(self.start.wrapping_add(offset), len);
    }
}

/// Writes cells to a buffer, or to a part of a buffer that several threads write.
#[derive(Debug)]
pub struct CellWriter<'a> {
    start: *mut u8,
    len: usize,
    owner: PhantomData<&'a mut [u8]>,
}

impl<'a> From<&'a mut [u8]> for CellWriter<'a> {
    fn from(bytes: &'a mut [u8]) -> Self {
        Self {
            start: bytes.as_mut_ptr(),
            len: bytes.len(),
            owner: PhantomData,
        }
    }
}

impl<'a> From<SharedBytes<'a>> for CellWriter<'a> {
    fn from(bytes: SharedBytes<'a>) -> Self {
        Self {
            start: bytes.start,
            len: bytes.len,
            owner: PhantomData,
        }
    }
}

impl CellWriter<'_> {
    /// Returns the number of bytes of the buffer.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Writes bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// Panics if they exceed the buffer.
    #[inline(always)]
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        assert_within(offset, bytes.len(), self.len);
        // SAFETY: the target is within the buffer. It does not overlap `bytes`: no other reference
        // to it exists, either because the writer was made from the only one or by the contract of
        // `SharedBytes::new`.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(offset), bytes.len());
        }
    }

    /// Copies rows of `run` contiguous cells, of `size` bytes each, from `source`: row `a` is at
    /// `a * rows.from` in `source`, and at `first + a * rows.to` in the buffer, in cells.
    ///
    /// # Panics
    ///
    /// Panics if a cell is out of bounds on either side.
    pub(super) fn write_rows(
        &mut self,
        size: usize,
        run: usize,
        rows: CopyAxis,
        source: &[u8],
        first: usize,
    ) {
        if rows.len == 0 {
            return;
        }
        let end = |first, stride| {
            last_cell(first, (rows.len, stride), (1, 0))?
                .checked_add(run)?
                .checked_mul(size)
        };
        let fits = |end: Option<usize>, len| end.is_some_and(|end| end <= len);
        assert!(
            fits(end(0, rows.from), source.len()) && fits(end(first, rows.to), self.len),
            "rows exceed their buffers"
        );
        let (from, to) = (source.as_ptr(), self.start);
        for row in 0..rows.len {
            // SAFETY: a row ends at or before the end of the last one, which is within both
            // buffers. The two do not overlap, as in `write`.
            unsafe {
                let from = from.add(row * rows.from * size);
                let to = to.add((first + row * rows.to) * size);
                std::ptr::copy_nonoverlapping(from, to, run * size);
            }
        }
    }

    /// Copies a plane of cells of `N` bytes from `source`, block by block: cell (a, b) is at
    /// `a * outer.from + b * inner.from` in `source`, and at `first + a * outer.to + b *
    /// inner.to` in the buffer, in cells.
    ///
    /// # Panics
    ///
    /// Panics if a cell is out of bounds on either side.
    pub(super) fn write_plane<const N: usize>(
        &mut self,
        outer: CopyAxis,
        inner: CopyAxis,
        source: &[u8],
        first: usize,
    ) {
        if outer.len == 0 || inner.len == 0 {
            return;
        }
        let last_from = last_cell(0, (outer.len, outer.from), (inner.len, inner.from));
        let last_to = last_cell(first, (outer.len, outer.to), (inner.len, inner.to));
        let fits = |last: Option<usize>, len| last.is_some_and(|last| last < len / N);
        assert!(
            fits(last_from, source.len()) && fits(last_to, self.len),
            "a plane exceeds its buffers"
        );
        let (from, to) = (source.as_ptr(), self.start);
        for block_a in (0..outer.len).step_by(TRANSPOSE_CELLS) {
            let end_a = outer.len.min(block_a + TRANSPOSE_CELLS);
            for block_b in (0..inner.len).step_by(TRANSPOSE_CELLS) {
                let end_b = inner.len.min(block_b + TRANSPOSE_CELLS);
                for a in block_a..end_a {
                    for b in block_b..end_b {
                        // SAFETY: the indexes of cell (a, b) are at most those of the last cell,
                        // which is within both buffers. Arrays of bytes need no alignment.
                        unsafe {
                            let cell = from
                                .add((a * outer.from + b * inner.from) * N)
                                .cast::<[u8; N]>()
                                .read();
                            to.add((first + a * outer.to + b * inner.to) * N)
                                .cast::<[u8; N]>()
                                .write(cell);
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn assert_within(offset: usize, len: usize, total: usize) {
    assert!(
        offset <= total && len <= total - offset,
        "part {offset}+{len} of {total} bytes"
    );
}

/// Returns the index of the last cell of a plane, whose two dimensions have at least one cell and
/// these lengths and strides; `None` if it is too large.
fn last_cell(first: usize, outer: (usize, usize), inner: (usize, usize)) -> Option<usize> {
    let reach = |(len, stride): (usize, usize)| (len - 1).checked_mul(stride);
    first.checked_add(reach(outer)?)?.checked_add(reach(inner)?)
}

/// One dimension of a strided copy, in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyAxis {
    /// The number of cells.
    pub len: usize,
    /// The stride in the source.
    pub from: usize,
    /// The stride in the destination.
    pub to: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    const fn axis(len: usize, from: usize, to: usize) -> CopyAxis {
        CopyAxis { len, from, to }
    }

    #[test]
    fn threads_write_interleaved_parts() {
        let mut bytes = vec![0; 1000];
        // SAFETY: the thread `thread` writes the bytes whose index has the remainder `thread`.
        let shared = unsafe { SharedBytes::new(&mut bytes) };
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                scope.spawn(move || {
                    for byte in (usize::from(thread)..1000).step_by(4) {
                        if byte % 8 < 4 {
                            shared.write(byte, &[thread]);
                        } else {
                            shared.part(byte, 1).fill(thread);
                        }
                    }
                });
            }
        });
        let expected: Vec<u8> = (0..1000usize).map(|byte| (byte % 4) as u8).collect();
        assert_eq!(bytes, expected);
    }

    #[test]
    fn parts_beyond_the_end_panic() {
        let mut bytes = vec![0; 8];
        // SAFETY: one thread uses the buffer, and keeps no part.
        let shared = unsafe { SharedBytes::new(&mut bytes) };
        let panics = |body: &dyn Fn()| catch_unwind(AssertUnwindSafe(body)).is_err();
        for (offset, len) in [(9, 0), (8, 1), (0, 9), (usize::MAX, 2), (1, usize::MAX)] {
            assert!(panics(&|| shared.part(offset, len).fill(0)));
        }
        assert!(panics(&|| shared.write(6, &[1, 2, 3])));
        assert_eq!(shared.part(8, 0).len(), 0);
        shared.will_write(usize::MAX, 1);
        shared.will_write(6, usize::MAX);
    }

    #[test]
    fn rows_beyond_either_buffer_panic() {
        let write = |run: usize, rows: CopyAxis, first: usize| {
            catch_unwind(move || {
                let (source, mut to) = ([1; 24], [0; 24]);
                CellWriter::from(&mut to[..]).write_rows(2, run, rows, &source, first);
                to
            })
        };
        assert!(write(4, axis(3, 4, 4), 0).is_ok());
        for (run, rows, first) in [
            (4, axis(3, 4, 4), 1),
            (5, axis(3, 4, 3), 0),
            (4, axis(3, 5, 4), 0),
            (4, axis(4, 0, 4), 0),
            (usize::MAX, axis(1, 1, 1), 0),
            (1, axis(2, usize::MAX, 1), 0),
            (1, axis(1, 1, 1), usize::MAX),
            (1, axis(1, 1, 1), usize::MAX / 2),
        ] {
            assert!(write(run, rows, first).is_err(), "{run} {rows:?} {first}");
        }
        assert_eq!(write(9, axis(0, 9, 9), 99).expect("no cell"), [0; 24]);
    }

    #[test]
    fn planes_beyond_either_buffer_panic() {
        let write = |outer: CopyAxis, inner: CopyAxis, first: usize| {
            catch_unwind(move || {
                let (source, mut to) = ([1; 24], [0; 24]);
                CellWriter::from(&mut to[..]).write_plane::<2>(outer, inner, &source, first);
                to
            })
        };
        assert!(write(axis(3, 4, 1), axis(4, 1, 3), 0).is_ok());
        for (outer, inner, first) in [
            (axis(3, 4, 1), axis(4, 1, 3), 1),
            (axis(3, 4, 1), axis(5, 1, 3), 0),
            (axis(3, 5, 1), axis(4, 1, 3), 0),
            (axis(2, 1, usize::MAX), axis(2, 1, 1), 0),
            (axis(2, usize::MAX, 1), axis(3, usize::MAX, 1), 0),
            (axis(1, 1, 1), axis(1, 1, 1), usize::MAX),
        ] {
            assert!(write(outer, inner, first).is_err(), "{outer:?} {inner:?}");
        }
        let untouched = write(axis(0, 1, 1), axis(9, 9, 9), 99).expect("no cell");
        assert_eq!(untouched, [0; 24]);
    }
}
