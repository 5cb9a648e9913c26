//! The location of a chunk in the file of its tile.

use std::ops::Range;

/// The size in bytes of a chunk header: three lengths.
pub(super) const CHUNK_HEADER: u64 = 12;

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
    /// Returns the location of a chunk from its header. `start` and `position` are the fields with
    /// these names.
    pub(super) fn parse(header: [u8; CHUNK_HEADER as usize], start: usize, position: u64) -> Self {
        let word =
            |i: usize| u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
        Self {
            start,
            original_len: word(0),
            filtered_len: word(4),
            metadata_len: word(8),
            position,
        }
    }

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
