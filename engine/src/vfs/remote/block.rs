//! Ranges of an object in memory, or on their way there.
//!
//! A range that was announced is loaded by a thread that waits for requests, or by the first thread
//! that reads it. Other readers of the range wait until it is loaded.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::platform::lock::blocking::{Condvar, StdMutex, StdMutexGuard};
use crate::platform::lock::process_generation;

/// The content of a block.
#[derive(Debug)]
enum Content {
    /// No thread loads it yet.
    FileRanges,
    Loading,
    Loaded(Arc<Vec<u8>>),
    /// Loading failed. The first reader gets the error; others load the range themselves.
    Failed(Option<Error>),
}

#[derive(Debug)]
struct State {
    content: Content,
    /// The announced ranges that were not read, in order.
    unread: Vec<Range<u64>>,
}

/// A range of an object.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) range: Range<u64>,
    /// Whether each byte is expected to be read once. Other blocks are a read ahead.
    pub(super) is_announced: bool,
    /// The process that created it. In a forked child no thread loads it.
    process: u32,
    state: StdMutex<State>,
    loaded: Condvar,
}

impl Block {
    fn new(range: Range<u64>, content: Content, unread: Vec<Range<u64>>) -> Arc<Self> {
        Arc::new(Self {
            range,
            is_announced: !unread.is_empty(),
            process: process_generation(),
            state: StdMutex::new(State { content, unread }),
            loaded: Condvar::new(),
        })
    }

    /// Creates a block that will be loaded. `announced`: the ranges that will be read, in order.
    pub(super) fn announced(range: Range<u64>, announced: &[Range<u64>]) -> Arc<Self> {
        let unread = announced
            .iter()
            .filter_map(|announced| {
                let part = announced.start.max(range.start)..announced.end.min(range.end);
                (!part.is_empty()).then_some(part)
            })
            .collect();
        Self::new(range, Content::FileRanges, unread)
    }

    /// Creates a block of bytes that were read ahead from `start`.
    pub(super) fn read_ahead(start: u64, bytes: Vec<u8>) -> Arc<Self> {
        let range = start..start.saturating_add(bytes.len() as u64);
        Self::new(range, Content::Loaded(Arc::new(bytes)), Vec::new())
    }

    /// Returns whether the process is the one that created the block. If not, the locks of the
    /// block may be in any state.
    pub(super) fn is_own(&self) -> bool {
        self.process == process_generation()
    }

    pub(super) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Returns whether loading failed.
    pub(super) fn has_failed(&self) -> bool {
        matches!(self.state.lock().content, Content::Failed(_))
    }

    /// Calls `load` and keeps the bytes, unless another thread does so or did.
    pub(super) fn load(&self, load: impl FnOnce(&Range<u64>) -> Result<Vec<u8>>) {
        let mut state = self.state.lock();
        if matches!(state.content, Content::FileRanges) {
            state.content = Content::Loading;
            drop(state);
            self.finish(load);
        }
    }

    /// Returns the bytes: waits for a thread that loads them, or loads them. Returns `None` if
    /// another reader got the error, or if loading was cancelled.
    ///
    /// # Errors
    ///
    /// If loading failed.
    pub(super) fn bytes(
        &self,
        load: impl FnOnce(&Range<u64>) -> Result<Vec<u8>>,
    ) -> Result<Option<Arc<Vec<u8>>>> {
        self.load(load);
        let mut state = self.state.lock();
        while matches!(state.content, Content::Loading) {
            state = self.loaded.wait(state);
        }
        match &mut state.content {
            Content::Loaded(bytes) => Ok(Some(bytes.clone())),
            Content::Failed(error) => error.take().map_or(Ok(None), Err),
            Content::FileRanges | Content::Loading => Ok(None),
        }
    }

    fn finish(&self, load: impl FnOnce(&Range<u64>) -> Result<Vec<u8>>) {
        /// Ends the waiting of readers if `load` panics.
        struct EndGuard<'a>(&'a Block);
        impl Drop for EndGuard<'_> {
            fn drop(&mut self) {
                let mut state: StdMutexGuard<'_, State> = self.0.state.lock();
                if matches!(state.content, Content::Loading) {
                    state.content = Content::Failed(None);
                }
                drop(state);
                self.0.loaded.notify_all();
            }
        }
        let _ended = EndGuard(self);
        let content = match load(&self.range) {
            Ok(bytes) => Content::Loaded(Arc::new(bytes)),
            // The operation that announced the range was cancelled, the next reader was not.
            Err(error) if error.is_cancelled() => Content::Failed(None),
            Err(error) => Content::Failed(Some(error)),
        };
        self.state.lock().content = content;
    }

    /// Records that a range was read. Returns whether all announced ranges were.
    pub(super) fn note_read(&self, read: &Range<u64>) -> bool {
        let mut state = self.state.lock();
        let mut rest = Vec::with_capacity(state.unread.len() + 1);
        for range in &state.unread {
            let before = range.start..range.end.min(read.start);
            let after = range.start.max(read.end)..range.end;
            rest.extend([before, after].into_iter().filter(|part| !part.is_empty()));
        }
        state.unread = rest;
        self.is_announced && state.unread.is_empty()
    }
}

/// Returns the blocks that contain a range together, in order; nothing if a part is missing.
pub(super) fn covering(blocks: &[Arc<Block>], range: &Range<u64>) -> Vec<Arc<Block>> {
    let mut chain: Vec<Arc<Block>> = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let next = blocks
            .iter()
            .filter(|block| block.range.contains(&start) && block.is_own())
            .max_by_key(|block| block.range.end);
        let Some(next) = next else { return Vec::new() };
        start = next.range.end;
        chain.push(next.clone());
    }
    chain
}

/// Merges ranges whose gaps are small. The result is sorted.
pub(super) fn merge(ranges: &[Range<u64>], gap: u64) -> Vec<Range<u64>> {
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
pub(super) fn cut(range: Range<u64>, longest: u64) -> Vec<Range<u64>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(range: Range<u64>) -> Arc<Block> {
        Block::announced(range.clone(), std::slice::from_ref(&range))
    }

    fn load_failing(_: &Range<u64>) -> Result<Vec<u8>> {
        let reason = std::io::ErrorKind::ConnectionReset.into();
        Err(Error::storage("read", "s3://bucket/key", reason))
    }

    #[test]
    fn near_ranges_merge_and_long_ones_are_cut() {
        assert_eq!(merge(&[10..20, 0..5, 22..30], 2), [0..5, 10..30]);
        assert_eq!(merge(&[0..10, 5..7, 10..10], 0).len(), 1);
        assert!(merge(&[], 5).is_empty());
        assert_eq!(cut(0..10, 4), [0..4, 4..8, 8..10]);
        assert!(cut(3..3, 4).is_empty());
    }

    #[test]
    fn neighbouring_blocks_cover_a_range_together() {
        let blocks = [10..20, 0..10, 25..30].map(announced);
        let found = covering(&blocks, &(5..15));
        let ranges: Vec<_> = found.iter().map(|block| block.range.clone()).collect();
        assert_eq!(ranges, [0..10, 10..20]);
        assert!(covering(&blocks, &(15..26)).is_empty());
    }

    #[test]
    fn a_block_is_read_when_all_announced_ranges_are() {
        let block = Block::announced(0..100, &[10..20, 30..40]);
        assert!(!block.note_read(&(0..15)));
        assert!(!block.note_read(&(10..20)));
        assert!(!block.note_read(&(32..35)));
        assert!(block.note_read(&(25..100)));
        assert!(
            !Block::read_ahead(0, vec![1]).note_read(&(0..1)),
            "it stays"
        );
    }

    #[test]
    fn a_block_is_loaded_once_and_its_readers_wait() {
        let block = announced(0..2);
        std::thread::scope(|scope| {
            let (entered, enter) = std::sync::mpsc::channel();
            let (go, wait) = std::sync::mpsc::channel();
            let loading = &block;
            scope.spawn(move || {
                loading.load(|_| {
                    entered.send(()).expect("sends");
                    wait.recv().expect("receives");
                    Ok(vec![1, 2])
                });
            });
            enter.recv().expect("loads");
            let reader = scope.spawn(|| block.bytes(load_failing));
            go.send(()).expect("sends");
            let read = reader.join().expect("thread").expect("reads");
            assert_eq!(*read.expect("bytes"), [1, 2]);
        });
    }

    #[test]
    fn one_reader_gets_the_error_of_a_block() {
        let block = announced(0..2);
        assert!(block.bytes(load_failing).is_err());
        let second = block.bytes(|_| Ok(vec![3, 4]));
        assert!(second.expect("no error").is_none());
        let cancelled = announced(0..2);
        cancelled.load(|_| Err(Error::cancelled()));
        let reader = cancelled.bytes(load_failing);
        assert!(reader.expect("the reader is not cancelled").is_none());
        let panicking = announced(0..2);
        let load = || panicking.load(|_| panic!("no bytes"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(load)).is_err());
        let after = panicking.bytes(load_failing);
        assert!(after.expect("no error").is_none());
    }
}
