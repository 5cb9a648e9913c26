//! The location of a chunk in the file of its tile.

use std::ops::Range;

/// The location of a chunk of a stored tile.
#[derive(Clone, Copy, Debug)]
pub struct ChunkLocation {
    /// The start of its data in the unfiltered tile.
    pub(super) start: usize,
    pub(super) original_len: u32,
    pub(super) filtered_len: u32,
    pub(super) metadata_len: u32,
    /// The start of its metadata in the file; the filtered data follows.
    pub(super) position: u64,
}

impl ChunkLocation {
    pub(super) fn end(&self) -> usize {
        self.start + self.original_len as usize
    }

    /// Returns the length of its data in the unfiltered tile.
    pub(super) fn len(&self) -> usize {
        self.original_len as usize
    }

    /// Returns whether it contains a byte of any of these ranges.
    pub(super) fn has_any(&self, ranges: &[Range<usize>]) -> bool {
        ranges
            .iter()
            .any(|range| range.start < self.end() && self.start < range.end)
    }

    /// Returns whether its data may be stored unfiltered.
    pub(super) fn is_plain(&self) -> bool {
        self.metadata_len == 0 && self.filtered_len == self.original_len
    }

    pub(super) fn stored_len(&self) -> u64 {
        u64::from(self.metadata_len) + u64::from(self.filtered_len)
    }
}
