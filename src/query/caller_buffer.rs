//! One buffer of the caller.

use std::borrow::Cow;

use tiledb_engine::internal::error::try_vec;
use tiledb_engine::internal::serialization::BufferSize;

use crate::prelude::*;

/// The number of bytes per offset in the size of a buffer of offsets to be written.
const OFFSET_SIZE: u64 = 8;

/// A buffer of the caller: pointers to the buffer and to its size, and the size at the time it was
/// set.
#[derive(Clone, Copy)]
pub(crate) struct CallerBuffer {
    pub(super) start: *mut u8,
    pub(super) size: *mut u64,
    pub(super) capacity: u64,
}

impl CallerBuffer {
    /// A buffer that is not set.
    pub(crate) const NONE: Self = Self {
        start: std::ptr::null_mut(),
        size: std::ptr::null_mut(),
        capacity: 0,
    };

    /// Creates a buffer of `capacity` bytes. The pointers must stay valid as long as it is used.
    pub(crate) fn new(start: *mut u8, size: *mut u64, capacity: u64) -> Self {
        Self {
            start,
            size,
            capacity,
        }
    }

    /// Returns whether the caller has set the buffer.
    pub(super) fn is_set(&self) -> bool {
        !self.size.is_null()
    }

    /// Returns whether the buffer has a size but no memory, as a server receives it.
    pub(crate) fn is_unallocated(&self) -> bool {
        self.is_set() && self.start.is_null() && self.capacity > 0
    }

    /// Returns whether content of this size fits into the buffer.
    pub(crate) fn fits(&self, size: u64) -> bool {
        size <= self.capacity && (size == 0 || !self.start.is_null())
    }

    /// Returns the sizes of the buffer for a message.
    pub(crate) unsafe fn header(&self) -> Option<BufferSize> {
        self.is_set().then(|| BufferSize {
            // SAFETY: the caller keeps the pointer to the size valid.
            size: unsafe { *self.size },
            original: self.capacity,
        })
    }

    /// Copies a result to a position after earlier ones, and sets the size to its end.
    pub(crate) unsafe fn put_at(&self, start: u64, content: &[u8]) {
        if !self.is_set() {
            return;
        }
        let end = start.saturating_add(content.len() as u64);
        // SAFETY: the content fits after `start`, and the caller keeps the buffer and its size
        // valid.
        unsafe {
            let whole = slice_mut(self.start, end.min(self.capacity));
            if let Some(to) = whole.get_mut(start as usize..end as usize) {
                to.copy_from_slice(content);
            }
            self.size.write(end);
        }
    }

    /// Returns a buffer of offsets of `width` bytes for a message. It has eight bytes per offset,
    /// as its size counts them; if the caller's buffer has fewer, it is copied and filled with
    /// zeros. A size of `cell_num` offsets of this width is sent as it is.
    pub(crate) unsafe fn sent_offsets<'a>(
        &self,
        width: usize,
        cell_num: Option<u64>,
    ) -> Result<Option<Cow<'a, [u8]>>> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        let Some(content) = (unsafe { self.offsets(width, cell_num) })? else {
            return Ok(None);
        };
        // SAFETY: the buffer is set, and the caller keeps the pointer to the size valid.
        let size = usize::try_from(unsafe { *self.size }).unwrap_or(content.len());
        if size == content.len() {
            return Ok(Some(Cow::Borrowed(content)));
        }
        let mut copy = try_vec("a copy of offsets", size)?;
        if let Some(to) = copy.get_mut(..content.len()) {
            to.copy_from_slice(content);
        }
        Ok(Some(Cow::Owned(copy)))
    }

    /// Returns the buffer for filling it.
    pub(crate) unsafe fn bytes<'a>(&self) -> Option<&'a mut [u8]> {
        // SAFETY: the caller keeps the buffers valid during submits, and overlapping buffers were
        // rejected.
        self.is_set()
            .then(|| unsafe { slice_mut(self.start, self.capacity) })
    }

    /// Reduces the buffer to its first half.
    pub(crate) fn halve(&mut self) {
        self.capacity /= 2;
    }

    /// Returns the content of the buffer, of its current size.
    pub(crate) unsafe fn content<'a>(&self) -> Result<Option<&'a [u8]>> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe { self.content_of(|size| size) }
    }

    /// Returns the content of a buffer of offsets of `width` bytes. Its size counts eight bytes per
    /// offset, regardless of the width, unless it is that of `cell_num` offsets of this width.
    pub(crate) unsafe fn offsets<'a>(
        &self,
        width: usize,
        cell_num: Option<u64>,
    ) -> Result<Option<&'a [u8]>> {
        let exact = cell_num.and_then(|number| number.checked_mul(width as u64));
        let bytes = |size| match exact {
            Some(exact) if size == exact => exact,
            _ => size / OFFSET_SIZE * width as u64,
        };
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe { self.content_of(bytes) }
    }

    /// Returns the current size of the buffer, if it is set.
    pub(crate) unsafe fn current_size(&self) -> Option<u64> {
        // SAFETY: the caller keeps the pointer to the size valid.
        self.is_set().then(|| unsafe { *self.size })
    }

    /// Returns the first `size` bytes of the buffer.
    unsafe fn content_of<'a>(&self, bytes: impl Fn(u64) -> u64) -> Result<Option<&'a [u8]>> {
        if !self.is_set() {
            return Ok(None);
        }
        // SAFETY: the caller keeps the buffer and its size valid during submits.
        unsafe { arg::bytes(self.start.cast(), bytes(*self.size), "buffer").map(Some) }
    }

    /// Writes the number of delivered bytes to the caller's size.
    pub(crate) unsafe fn set_size(&self, delivered: u64) {
        if self.is_set() {
            // SAFETY: the caller keeps the pointer to the size valid during submits.
            unsafe { self.size.write(delivered) };
        }
    }
}

/// Returns a slice of the caller's memory, an empty one for a null pointer.
unsafe fn slice_mut<'a>(start: *mut u8, len: u64) -> &'a mut [u8] {
    match usize::try_from(len) {
        Ok(len) if len > 0 && !start.is_null() => {
            // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
            unsafe { std::slice::from_raw_parts_mut(start, len.min(isize::MAX as usize)) }
        }
        _ => &mut [],
    }
}
