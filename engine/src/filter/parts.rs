//! What one filter hands to the next: data and metadata, each in parts, one after the other in memory.

use crate::bytes::Room;
use crate::error::{Error, Result};

/// Bytes in parts, one after the other.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) bytes: Room,
    /// Where each part ends.
    pub(super) ends: Vec<usize>,
}

impl Parts {
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(super) fn view(&self) -> PartsView<'_> {
        PartsView {
            bytes: &self.bytes,
            ends: &self.ends,
        }
    }

    /// Ends a part with what was appended since the last one.
    pub(super) fn end_part(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Appends parts as they are.
    pub(super) fn append(&mut self, parts: PartsView<'_>) {
        let base = self.bytes.len();
        self.bytes.put(parts.bytes);
        self.ends.extend(parts.ends.iter().map(|end| base + end));
    }

    pub(super) fn put_u32(&mut self, value: u32) {
        self.bytes.put(&value.to_le_bytes());
    }

    pub(super) fn put_u64(&mut self, value: u64) {
        self.bytes.put(&value.to_le_bytes());
    }
}

/// Parts that somebody else holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartsView<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) ends: &'a [usize],
}

impl<'a> PartsView<'a> {
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (bytes, ends) = (self.bytes, self.ends);
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts
            .zip(ends)
            .map(move |(start, end)| bytes.get(start..*end).unwrap_or_default())
    }
}

/// A length or a count of parts as chunks store it.
pub(super) fn u32_of(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::usage("Filter", "Input is too large to be filtered."))
}
