//! A buffer that several threads fill at once, each its own part. The one place where such parts
//! are made.
#![expect(
    unsafe_code,
    reason = "parts of one buffer, interleaved, cannot be told apart by the borrow checker"
)]

use std::marker::PhantomData;

/// Bytes that several threads may write, none if another does.
#[derive(Clone, Copy, Debug)]
pub struct SharedBytes<'a> {
    start: *mut u8,
    len: usize,
    owner: PhantomData<&'a mut [u8]>,
}

// SAFETY: it is a `&mut [u8]` handed out in parts; the callers of `part` keep them apart.
unsafe impl Send for SharedBytes<'_> {}
// SAFETY: see above.
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

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes from `at` on, as a buffer of its own; `None` if it would pass the end.
    pub fn slice(&self, at: usize, len: usize) -> Option<Self> {
        let end = at.checked_add(len)?;
        (end <= self.len).then(|| Self {
            start: self.address(at),
            len,
            owner: PhantomData,
        })
    }

    /// Returns the `len` bytes at `at`. Panics where they pass the end.
    ///
    /// # Safety
    /// As long as the part lives no other thread holds a part with a byte of it.
    #[inline]
    pub unsafe fn part(&self, at: usize, len: usize) -> &'a mut [u8] {
        assert!(
            at <= self.len && len <= self.len - at,
            "part {at}+{len} of {} bytes",
            self.len
        );
        // SAFETY: within the buffer, which outlives 'a; no other thread's by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), len) }
    }

    /// Says that some bytes will be written soon, so that the CPU may fetch what they share lines
    /// with. Those past the end are left out.
    #[inline]
    pub fn will_write(&self, at: usize, len: usize) {
        /// Bytes of a line of the cache.
        const LINE: usize = 64;
        let end = at.saturating_add(len).min(self.len);
        #[cfg(target_arch = "x86_64")]
        for line in (at..end).step_by(LINE) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a hint; it reads nothing that a program could see, and the address is within
            // the buffer.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.address(line).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (LINE, end);
    }

    /// Returns the address of the byte at `at`, for loops that have checked their bounds as a
    /// whole.
    pub(super) fn address(&self, at: usize) -> *mut u8 {
        debug_assert!(at <= self.len);
        self.start.wrapping_add(at)
    }
}
