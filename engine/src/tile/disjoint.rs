//! A buffer whose disjoint parts are written by multiple threads.
#![expect(
    unsafe_code,
    reason = "the borrow checker cannot verify that interleaved parts are disjoint"
)]

use std::marker::PhantomData;

/// Bytes of which multiple threads may write disjoint parts.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes<'a> {
    start: *mut u8,
    len: usize,
    owner: PhantomData<&'a mut [u8]>,
}

// SAFETY: equivalent to a `&mut [u8]` that is divided into parts; callers of `part` guarantee that
// these are disjoint.
unsafe impl Send for SharedBytes<'_> {}
// SAFETY: as for `Send`: shared access only creates disjoint parts.
unsafe impl Sync for SharedBytes<'_> {}

impl<'a> SharedBytes<'a> {
    /// Shares a buffer for as long as it is borrowed.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Self {
            start: bytes.as_mut_ptr(),
            len: bytes.len(),
            owner: PhantomData,
        }
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the number of bytes is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns `len` bytes from `offset` on as a separate buffer; `None` if that exceeds the
    /// buffer.
    pub fn slice(&self, offset: usize, len: usize) -> Option<Self> {
        let end = offset.checked_add(len)?;
        (end <= self.len).then(|| Self {
            start: self.address(offset),
            len,
            owner: PhantomData,
        })
    }

    /// Returns a mutable slice of `len` bytes from `offset` on.
    ///
    /// # Panics
    ///
    /// Panics if that exceeds the buffer.
    ///
    /// # Safety
    /// No other thread has a part with one of these bytes during the lifetime of the slice.
    #[inline]
    pub unsafe fn part(&self, offset: usize, len: usize) -> &'a mut [u8] {
        assert!(
            offset <= self.len && len <= self.len - offset,
            "part {offset}+{len} of {} bytes",
            self.len
        );
        // SAFETY: within the buffer, which outlives 'a; the caller guarantees that no other part
        // overlaps.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(offset), len) }
    }

    /// Prefetches the cache lines of bytes that will be written soon. Bytes beyond the end are
    /// ignored.
    #[inline]
    pub fn will_write(&self, offset: usize, len: usize) {
        /// The size of a cache line in bytes.
        const LINE: usize = 64;
        let end = offset.saturating_add(len).min(self.len);
        #[cfg(target_arch = "x86_64")]
        for line in (offset..end).step_by(LINE) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch has no observable effect, and the address is within the buffer.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.address(line).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (LINE, end);
    }

    /// Returns the address of a byte, for loops that check their bounds once.
    pub(super) fn address(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= self.len);
        self.start.wrapping_add(offset)
    }
}
