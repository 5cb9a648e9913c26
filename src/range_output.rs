//! Writes ranges to output parameters: both ends consecutively, each end separately, or their
//! sizes.

use tiledb_engine::internal::types::Range;

use crate::prelude::*;

/// Writes both ends of a fixed-size range consecutively.
pub(crate) fn set_both(to: arg::Out<u8>, range: &Range) {
    if let Some(ends) = range.both() {
        to.set_all(ends);
    }
}

/// Output pointers for both ends of a variable-size range.
pub(crate) struct EndPointers {
    start: arg::Out<u8>,
    end: arg::Out<u8>,
}

impl EndPointers {
    /// Checks the pointers of the caller. Each must point to a buffer that is large enough for its
    /// end.
    pub(crate) unsafe fn new(start: *mut c_void, end: *mut c_void) -> Result<Self> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe {
            Ok(Self {
                start: arg::out(start.cast(), "start")?,
                end: arg::out(end.cast(), "end")?,
            })
        }
    }

    /// Writes both ends.
    pub(crate) fn set(self, range: &Range) {
        self.start.set_all(range.start());
        self.end.set_all(range.end());
    }
}

/// Output pointers for the sizes of both ends.
pub(crate) struct SizePointers {
    start: arg::Out<u64>,
    end: arg::Out<u64>,
}

impl SizePointers {
    /// Checks the pointers of the caller.
    pub(crate) unsafe fn new(start_size: *mut u64, end_size: *mut u64) -> Result<Self> {
        // SAFETY: the caller passes pointers that satisfy the contract in lib.rs.
        unsafe {
            Ok(Self {
                start: arg::out(start_size, "start_size")?,
                end: arg::out(end_size, "end_size")?,
            })
        }
    }

    /// Writes the sizes in bytes, or 0 for a missing range.
    pub(crate) fn set(self, range: Option<&Range>) {
        let size = |bound: fn(&Range) -> &[u8]| range.map_or(0, |range| bound(range).len() as u64);
        self.start.set(size(Range::start));
        self.end.set(size(Range::end));
    }
}
