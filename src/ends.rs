//! Ranges on their way to C: both ends in one place, each in its own, or their sizes.

use tiledb_engine::types::Range;

use crate::prelude::*;

/// Writes both ends of a range of fixed size, one after the other.
pub(crate) fn set_both(to: arg::Out<u8>, range: &Range) {
    if let Some(ends) = range.both() {
        to.set_all(ends);
    }
}

/// The places of both ends of a range of variable size.
pub(crate) struct Ends {
    start: arg::Out<u8>,
    end: arg::Out<u8>,
}

impl Ends {
    /// The places that an entry was given; each has room for its end.
    pub(crate) unsafe fn at(start: *mut c_void, end: *mut c_void) -> Result<Self> {
        // SAFETY: the caller's contract.
        unsafe {
            Ok(Self {
                start: arg::out(start.cast(), "start")?,
                end: arg::out(end.cast(), "end")?,
            })
        }
    }

    /// Writes the ends.
    pub(crate) fn set(self, range: &Range) {
        self.start.set_all(range.start());
        self.end.set_all(range.end());
    }
}

/// The places of the sizes of both ends.
pub(crate) struct Sizes {
    start: arg::Out<u64>,
    end: arg::Out<u64>,
}

impl Sizes {
    /// The places that an entry was given.
    pub(crate) unsafe fn at(start_size: *mut u64, end_size: *mut u64) -> Result<Self> {
        // SAFETY: the caller's contract.
        unsafe {
            Ok(Self {
                start: arg::out(start_size, "start_size")?,
                end: arg::out(end_size, "end_size")?,
            })
        }
    }

    /// Writes the sizes in bytes; no range has none.
    pub(crate) fn set(self, range: Option<&Range>) {
        let size = |of: fn(&Range) -> &[u8]| range.map_or(0, |range| of(range).len() as u64);
        self.start.set(size(Range::start));
        self.end.set(size(Range::end));
    }
}
