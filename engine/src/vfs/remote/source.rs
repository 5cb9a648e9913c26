//! Objects open for reading.
//!
//! Opening an object sends no request. Announced ranges are merged, fetched concurrently and kept
//! until they are read. A small read that was not announced reads ahead.

use std::fmt;
use std::io::{ErrorKind, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::failure::Failure;
use super::remote_context::RemoteContext;
use super::store::{Location, ObjectStore};
use crate::error::{Result, try_vec};
use crate::memory::tuning::MAX_CACHED_BLOCKS;
use crate::platform::lock::{Mutex, OnceValue};
use crate::vfs::Uri;
use crate::vfs::backend::Source;

/// An object open for reading.
pub(super) struct RemoteSource {
    pub(super) shared: Arc<RemoteContext>,
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) uri: Uri,
    pub(super) object: Location,
    pub(super) size: OnceValue<u64>,
    /// Whether the size comes from a listing, so that the end of the file can be cached.
    pub(super) is_cached: bool,
    pub(super) blocks: Mutex<Vec<Arc<Block>>>,
    /// The end of the last read that was not announced, and the read-ahead size for a read that
    /// starts there.
    pub(super) sequence: Mutex<Sequence>,
}

/// The state of sequential reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sequence {
    end: u64,
    window: u64,
}

impl fmt::Debug for RemoteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSource")
            .field("uri", &self.uri)
            .finish_non_exhaustive()
    }
}

/// A range of an object in memory.
pub(super) struct Block {
    start: u64,
    bytes: Vec<u8>,
    /// The number of unread bytes of an announced range.
    unread: AtomicUsize,
    is_announced: bool,
}

impl Block {
    fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes.len() as u64
    }

    fn get(&self, offset: u64, len: usize) -> Option<&[u8]> {
        let first = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(first..first.checked_add(len)?)
    }
}

/// Merges ranges whose gaps are small. The result is sorted.
fn merge(ranges: &[Range<u64>], gap: u64) -> Vec<Range<u64>> {
    let mut sorted: Vec<Range<u64>> = ranges
        .iter()
        .filter(|range| !range.is_empty())
        .cloned()
        .collect();
    sorted.sort_unstable_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match merged.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(gap) => {
                last.end = last.end.max(range.end);
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// Cuts a range into pieces of nearly the same length, at most `longest`.
fn cut(range: Range<u64>, longest: u64) -> Vec<Range<u64>> {
    let pieces = (range.end - range.start).div_ceil(longest).max(1);
    let piece = (range.end - range.start).div_ceil(pieces).max(1);
    let mut cut = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let end = start.saturating_add(piece).min(range.end);
        cut.push(start..end);
        start = end;
    }
    cut
}

impl RemoteSource {
    fn failed(&self, failure: Failure) -> crate::error::Error {
        let failure = match failure.status {
            416 => Failure::new(ErrorKind::UnexpectedEof, "the object ends before"),
            _ => failure,
        };
        failure.into_error("read", self.uri.as_str())
    }

    fn note_size(&self, size: Option<u64>) {
        if let Some(size) = size {
            let _ = self.size.set(size);
        }
    }

    /// Copies from a cached block. Returns whether one contains the complete range.
    fn read_cached(&self, offset: u64, to: &mut [u8]) -> bool {
        let found = {
            let blocks = self.blocks.lock();
            let has_all = |block: &&Arc<Block>| block.get(offset, to.len()).is_some();
            blocks.iter().find(has_all).cloned()
        };
        let Some(block) = found else { return false };
        if let Some(bytes) = block.get(offset, to.len()) {
            to.copy_from_slice(bytes);
        }
        if block.is_announced {
            let subtract = |left: usize| Some(left.saturating_sub(to.len()));
            let before = block
                .unread
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract);
            let is_read = before.unwrap_or(0) <= to.len();
            // The starts of tiles are read twice, so the block is dropped when its end is read.
            if is_read && offset + to.len() as u64 == block.range().end {
                self.blocks
                    .lock()
                    .retain(|other| !Arc::ptr_eq(other, &block));
            }
        } else {
            self.sequence.lock().end = offset + to.len() as u64;
        }
        true
    }

    /// Reads a range from the store.
    fn fetch(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let len = to.len() as u64;
        let part = self.shared.part_size(len, self.store.parallel());
        if len <= part {
            let size = self.store.read(&self.object, offset, to);
            self.note_size(size.map_err(|failure| self.failed(failure))?);
            return Ok(());
        }
        let parts = cut(offset..offset.saturating_add(len), part);
        let mut rest = to;
        let mut buffers = Vec::with_capacity(parts.len());
        for part in parts {
            let (buffer, after) = rest.split_at_mut((part.end - part.start) as usize);
            buffers.push(Mutex::new((part.start, buffer)));
            rest = after;
        }
        self.shared
            .for_each(self.store.parallel(), buffers.len(), &|index| {
                let mut part = buffers[index].lock();
                let (start, buffer) = &mut *part;
                let size = self.store.read(&self.object, *start, buffer);
                size.map(drop).map_err(|failure| self.failed(failure))
            })
    }

    /// Reads a block that starts at `offset` and is longer than requested, up to the end of the
    /// object.
    fn read_ahead(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let size = self.size()?;
        let needed = offset.saturating_add(to.len() as u64);
        if needed > size {
            return Err(self.failed(Failure::new(
                ErrorKind::UnexpectedEof,
                "the object ends before",
            )));
        }
        let ahead = {
            let mut sequence = self.sequence.lock();
            let len = to.len() as u64;
            sequence.window = if offset > 0 && sequence.end == offset {
                (sequence.window * 2)
                    .max(2 * len)
                    .min(self.shared.read_ahead_cache().max(len))
            } else {
                len
            };
            sequence.end = needed;
            sequence.window.max(self.shared.read_ahead())
        };
        let end = offset.saturating_add(ahead).min(size).max(needed);
        if end == needed {
            return self.fetch(offset, to);
        }
        let mut bytes = try_vec(
            "a read ahead",
            usize::try_from(end - offset).unwrap_or(usize::MAX),
        )?;
        self.fetch(offset, &mut bytes)?;
        to.copy_from_slice(bytes.get(..to.len()).unwrap_or_default());
        let mut blocks = self.blocks.lock();
        let mut cached = bytes.len() as u64;
        // Newer blocks are at the end.
        let mut stays: Vec<bool> = blocks
            .iter()
            .rev()
            .map(|block| {
                cached += if block.is_announced {
                    0
                } else {
                    block.bytes.len() as u64
                };
                block.is_announced || cached <= self.shared.read_ahead_cache()
            })
            .collect();
        blocks.retain(|_| stays.pop().unwrap_or(false));
        blocks.push(Arc::new(Block {
            start: offset,
            unread: AtomicUsize::new(0),
            bytes,
            is_announced: false,
        }));
        Ok(())
    }
}

impl Source for RemoteSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        if to.is_empty() || self.read_cached(offset, to) {
            return Ok(());
        }
        // Getting the size would take the request that read-ahead may save.
        if (to.len() as u64) < self.shared.read_ahead_cache() && self.size.get().is_some() {
            return self.read_ahead(offset, to);
        }
        self.fetch(offset, to)
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        let len = to.iter().map(|part| part.len()).sum();
        let mut bytes = try_vec("a read", len)?;
        self.read_at(offset, &mut bytes)?;
        let mut rest = bytes.as_slice();
        for part in to {
            let (bytes, after) = rest.split_at(part.len());
            part.copy_from_slice(bytes);
            rest = after;
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        if let Some(size) = self.size.get() {
            return Ok(*size);
        }
        let info = self.store.head(&self.object);
        let info =
            info.map_err(|failure| failure.into_error("get file size of", self.uri.as_str()))?;
        Ok(*self.size.get_or_init(|| info.size))
    }

    fn read_tail(&self, most: u64) -> Result<(Vec<u8>, u64)> {
        if let Some(size) = self.size.get() {
            let known = self.shared.tails.get(&self.object, *size, most);
            if let Some(bytes) = known.filter(|_| self.is_cached) {
                return Ok((bytes, *size));
            }
            let offset = size.saturating_sub(most);
            let len = usize::try_from(size - offset).unwrap_or(usize::MAX);
            let mut bytes = try_vec("the end of a file", len)?;
            self.fetch(offset, &mut bytes)?;
            if self.is_cached {
                self.shared.tails.put(&self.object, *size, &bytes);
            }
            return Ok((bytes, *size));
        }
        let read = self.store.read_tail(&self.object, most);
        let (bytes, size) = read.map_err(|failure| self.failed(failure))?;
        self.note_size(Some(size));
        Ok((bytes, size))
    }

    fn read_all(&self) -> Result<Vec<u8>> {
        match self.size.get() {
            Some(size) => Ok(self.read_tail(*size)?.0),
            None => self
                .store
                .read_all(&self.object)
                .map_err(|failure| self.failed(failure)),
        }
    }

    fn announce(&self, ranges: &[Range<u64>]) -> Result<Vec<Range<u64>>> {
        let known: Vec<Range<u64>> = {
            let mut blocks = self.blocks.lock();
            blocks.retain(|block| !block.is_announced || block.unread.load(Ordering::Relaxed) > 0);
            blocks.iter().map(|block| block.range()).collect()
        };
        let is_known = |range: &Range<u64>| {
            known
                .iter()
                .any(|known| known.start <= range.start && range.end <= known.end)
        };
        let missing: Vec<Range<u64>> = ranges
            .iter()
            .filter(|range| !is_known(range))
            .cloned()
            .collect();
        Ok(merge(&missing, self.shared.gap()))
    }

    fn load(&self, range: Range<u64>) -> Result<()> {
        let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        let mut bytes = try_vec("ranges of a file", len)?;
        self.fetch(range.start, &mut bytes)?;
        let mut blocks = self.blocks.lock();
        if blocks.len() >= MAX_CACHED_BLOCKS {
            blocks.remove(0);
        }
        blocks.push(Arc::new(Block {
            start: range.start,
            unread: AtomicUsize::new(bytes.len()),
            bytes,
            is_announced: true,
        }));
        Ok(())
    }

    fn forget(&self) {
        self.blocks.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_ranges_merge_and_long_ones_are_cut() {
        assert_eq!(merge(&[10..20, 0..5, 22..30], 2), [0..5, 10..30]);
        assert_eq!(merge(&[0..10, 5..7, 10..10], 0).len(), 1);
        assert!(merge(&[], 5).is_empty());
        assert_eq!(cut(0..10, 4), [0..4, 4..8, 8..10]);
        assert!(cut(3..3, 4).is_empty());
    }
}
