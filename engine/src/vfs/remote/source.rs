//! Objects open for reading.
//!
//! Opening an object sends no request. Announced ranges are merged, cut into parts that are loaded
//! concurrently, and kept until they are read. A small read that was not announced reads ahead.

use std::fmt;
use std::io::{ErrorKind, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;

use super::block::{Block, covering, cut, merge};
use super::pieces::{FirstRequest, Pieces};
use super::store::{Location, ObjectStore, ObjectVersion, no_size, replaced};
use crate::context::Context;
use crate::error::{Result, try_vec};
use crate::http::exchange::BodyTarget;
use crate::http::failure::Failure;
use crate::memory::LruCache;
use crate::memory::tuning::{
    MAX_ANNOUNCED_BYTES, MAX_CACHED_BLOCKS, MAX_REQUEST_BYTES, MAX_TAIL_BYTES,
    MAX_TAIL_CACHE_BYTES, MIN_REQUEST_BYTES,
};
use crate::platform::lock::{Mutex, MutexGuard, OnceValue, lock_unless_inherited};
use crate::vfs::Uri;
use crate::vfs::backend::Source;

/// An object open for reading.
pub(super) struct RemoteSource {
    context: Arc<Context>,
    store: Arc<dyn ObjectStore>,
    tails: Arc<TailCache>,
    uri: Uri,
    object: Location,
    size: OnceValue<u64>,
    /// The tag of the version that was read first.
    tag: OnceValue<String>,
    /// Whether the size comes from a listing, so that the end of the file can be cached.
    is_cached: bool,
    blocks: Mutex<Vec<Arc<Block>>>,
    /// The end of the last read that was not announced, and the read-ahead size for a read that
    /// starts there.
    sequence: Mutex<Sequence>,
}

/// The state of sequential reads.
#[derive(Clone, Copy, Debug, Default)]
struct Sequence {
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

impl RemoteSource {
    /// Opens an object. `size` is its size, if a listing has it.
    pub(super) fn new(
        context: Arc<Context>,
        store: Arc<dyn ObjectStore>,
        tails: Arc<TailCache>,
        uri: Uri,
        object: Location,
        size: Option<u64>,
    ) -> Self {
        Self {
            context,
            store,
            tails,
            uri,
            object,
            is_cached: size.is_some(),
            size: size.map_or_else(OnceValue::new, OnceValue::from),
            tag: OnceValue::new(),
            blocks: Mutex::default(),
            sequence: Mutex::default(),
        }
    }

    /// Returns a parameter of reads, in bytes.
    fn parameter(&self, name: &str) -> u64 {
        self.context.config.u64(name).unwrap_or(0)
    }

    /// Returns the size of the parts in which `len` bytes are read. If the caller sets the number
    /// of requests in flight, a read uses all of them; otherwise few requests are preferred to
    /// bandwidth, as each request costs money.
    fn part_size(&self, len: u64) -> u64 {
        let name = format!("vfs.{}.max_parallel_ops", self.uri.scheme().service());
        if !self.context.config.is_set(&name) {
            return MAX_REQUEST_BYTES;
        }
        let part = len.div_ceil(self.store.parallel().max(1) as u64);
        part.clamp(MIN_REQUEST_BYTES, MAX_REQUEST_BYTES)
    }

    fn failed(&self, failure: Failure) -> crate::error::Error {
        let failure = match failure.status {
            416 => Failure::new(ErrorKind::UnexpectedEof, "the object ends before"),
            _ => failure,
        };
        failure.into_error("read", self.uri.as_str())
    }

    /// Returns the blocks, or `None` in a forked child if a thread of the parent held their lock:
    /// the child reads without them.
    fn lock_blocks(&self) -> Option<MutexGuard<'_, Vec<Arc<Block>>>> {
        lock_unless_inherited(&self.blocks)
    }

    /// Records the version of the first response.
    ///
    /// # Errors
    ///
    /// If the version is another one: the object was replaced, so that its bytes do not belong to
    /// those that were read before.
    fn check_version(&self, version: ObjectVersion) -> Result<()> {
        let is_same_size = version
            .size
            .is_none_or(|size| *self.size.get_or_init(|| size) == size);
        let is_same = is_same_size
            && version.tag.is_none_or(|tag| {
                let first = self.tag.get_or_init(|| tag.clone());
                *first == tag
            });
        if is_same {
            return Ok(());
        }
        Err(self.failed(replaced()))
    }

    /// Copies from the blocks that contain a range. Returns whether there are any.
    fn read_cached(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<bool> {
        let len: usize = to.iter().map(|part| part.len()).sum();
        let range = offset..offset.saturating_add(len as u64);
        let all_blocks = self.lock_blocks();
        let blocks = all_blocks.map_or_else(Vec::new, |all| covering(&all, &range));
        if blocks.is_empty() {
            return Ok(false);
        }
        let mut contents = Vec::with_capacity(blocks.len());
        for block in &blocks {
            match block.bytes(|range| self.load_block(range))? {
                Some(bytes) => contents.push(bytes),
                None => return Ok(false),
            }
        }
        let slices = blocks.iter().zip(&contents).map(|(block, bytes)| {
            let end = range.end.min(block.range.end) - block.range.start;
            let start = range.start.saturating_sub(block.range.start);
            bytes.get(start as usize..end as usize).unwrap_or_default()
        });
        if !scatter(slices, to) {
            return Ok(false);
        }
        if blocks.iter().any(|block| !block.is_announced)
            && let Some(mut sequence) = lock_unless_inherited(&self.sequence)
        {
            sequence.end = range.end;
        }
        for block in blocks {
            if block.note_read(&range)
                && let Some(mut all_blocks) = self.lock_blocks()
            {
                all_blocks.retain(|other| !Arc::ptr_eq(other, &block));
            }
        }
        Ok(true)
    }

    /// Loads a block with one request.
    fn load_block(&self, range: &Range<u64>) -> Result<Vec<u8>> {
        let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        let mut bytes = try_vec("ranges of a file", len)?;
        self.request(range.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads a range with one request; a large range of a slow response with several.
    fn request(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let range = offset..offset.saturating_add(to.len() as u64);
        if range.is_empty() {
            return Ok(());
        }
        let send = |range: Range<u64>, target: BodyTarget<'_>| {
            let read = self.store.read(&self.object, range, target);
            self.check_version(read.map_err(|failure| self.failed(failure))?)
        };
        if to.len() as u64 <= MIN_REQUEST_BYTES || self.store.parallel() < 2 {
            return send(range, BodyTarget::Fill(to));
        }
        let pieces = Pieces::new(offset, to, MIN_REQUEST_BYTES as usize);
        let read_piece = |_: usize| match pieces.take_last() {
            Some(piece) => {
                send(piece.range(), BodyTarget::Fill(piece.bytes)).inspect_err(|_| pieces.clear())
            }
            None => Ok(()),
        };
        self.context
            .with_request_helpers(pieces.number(), read_piece, |begin| {
                let divide = || {
                    let helpers = self.store.spare().min(pieces.number());
                    if helpers > 0 {
                        begin(helpers);
                    }
                    helpers > 0
                };
                let mut first = FirstRequest::new(&pieces, &divide);
                let read = send(range, BodyTarget::Steps(&mut first));
                read.inspect_err(|_| pieces.clear())
            })
    }

    /// Reads a range from the store.
    fn fetch(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let len = to.len() as u64;
        let part = self.part_size(len);
        if len <= part {
            return self.request(offset, to);
        }
        let parts = cut(offset..offset.saturating_add(len), part);
        let mut rest = to;
        let mut buffers = Vec::with_capacity(parts.len());
        for part in parts {
            let (buffer, after) = rest.split_at_mut((part.end - part.start) as usize);
            buffers.push(Mutex::new((part.start, buffer)));
            rest = after;
        }
        self.context
            .for_each_request(self.store.parallel(), buffers.len(), |index| {
                let mut part = buffers[index].lock();
                let (start, buffer) = &mut *part;
                self.request(*start, buffer)
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
            let Some(mut sequence) = lock_unless_inherited(&self.sequence) else {
                return self.fetch(offset, to);
            };
            let len = to.len() as u64;
            sequence.window = if offset > 0 && sequence.end == offset {
                (sequence.window * 2)
                    .max(2 * len)
                    .min(self.parameter("vfs.read_ahead_cache_size").max(len))
            } else {
                len
            };
            sequence.end = needed;
            sequence.window.max(self.parameter("vfs.read_ahead_size"))
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
        let Some(mut blocks) = self.lock_blocks() else {
            return Ok(());
        };
        let mut cached = bytes.len() as u64;
        // Newer blocks are at the end.
        let mut stays: Vec<bool> = blocks
            .iter()
            .rev()
            .map(|block| {
                cached += if block.is_announced { 0 } else { block.len() };
                block.is_announced || cached <= self.parameter("vfs.read_ahead_cache_size")
            })
            .collect();
        blocks.retain(|_| stays.pop().unwrap_or(false));
        blocks.push(Block::read_ahead(offset, bytes));
        Ok(())
    }
}

impl Source for RemoteSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        if to.is_empty() || self.read_cached(offset, &mut [IoSliceMut::new(to)])? {
            return Ok(());
        }
        // Getting the size would take the request that read-ahead may save.
        if (to.len() as u64) < self.parameter("vfs.read_ahead_cache_size")
            && self.size.get().is_some()
        {
            return self.read_ahead(offset, to);
        }
        self.fetch(offset, to)
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        if self.read_cached(offset, to)? {
            return Ok(());
        }
        let len = to.iter().map(|part| part.len()).sum();
        let mut bytes = try_vec("a read", len)?;
        self.read_at(offset, &mut bytes)?;
        scatter(std::iter::once(&bytes[..]), to);
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        let load = || match self.store.head(&self.object) {
            Ok(info) => Ok(info.size),
            Err(failure) => Err(failure.into_error("get file size of", self.uri.as_str())),
        };
        self.size.get_or_try_init(load).copied()
    }

    fn read_tail(&self, most: u64) -> Result<(Vec<u8>, u64)> {
        if let Some(size) = self.size.get() {
            let known = self.tails.get(&self.object, *size, most);
            if let Some(bytes) = known.filter(|_| self.is_cached) {
                return Ok((bytes, *size));
            }
            let offset = size.saturating_sub(most);
            let len = usize::try_from(size - offset).unwrap_or(usize::MAX);
            let mut bytes = try_vec("the end of a file", len)?;
            self.fetch(offset, &mut bytes)?;
            if self.is_cached {
                self.tails.put(&self.object, *size, &bytes);
            }
            return Ok((bytes, *size));
        }
        let read = self.store.read_tail(&self.object, most);
        let (bytes, version) = read.map_err(|failure| self.failed(failure))?;
        let size = version.size.ok_or_else(|| self.failed(no_size()))?;
        self.check_version(version)?;
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

    fn announce(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let Some(mut blocks) = self.lock_blocks() else {
            return Vec::new();
        };
        // Reads that follow do not get the errors of earlier ones.
        blocks.retain(|block| !block.is_own() || !block.has_failed());
        let missing: Vec<Range<u64>> = ranges
            .iter()
            .filter(|range| covering(&blocks, range).is_empty())
            .cloned()
            .collect();
        let announced = merge(&missing, 0);
        let mut to_load = Vec::new();
        for merged in merge(&announced, self.parameter("vfs.min_batch_gap")) {
            let part = self.part_size(merged.end - merged.start);
            to_load.extend(cut(merged, part));
        }
        for range in &to_load {
            blocks.push(Block::announced(range.clone(), &announced));
        }
        drop_oldest(&mut blocks);
        to_load
    }

    fn load(&self, range: &Range<u64>) {
        let is_same = |block: &&Arc<Block>| block.range == *range && block.is_own();
        let blocks = self.lock_blocks();
        let block = blocks.and_then(|blocks| blocks.iter().find(is_same).cloned());
        if let Some(block) = block {
            block.load(|range| self.load_block(range));
        }
    }

    fn forget(&self) {
        if let Some(mut blocks) = self.lock_blocks() {
            blocks.clear();
        }
    }
}

/// Copies slices to the buffers `to`, one after another. Returns whether they filled them.
fn scatter<'a>(slices: impl Iterator<Item = &'a [u8]>, to: &mut [IoSliceMut<'_>]) -> bool {
    let mut slices = slices;
    let mut from: &[u8] = &[];
    for part in to {
        let mut rest = &mut part[..];
        while !rest.is_empty() {
            if from.is_empty() {
                match slices.next() {
                    Some(next) => from = next,
                    None => return false,
                }
            }
            let len = rest.len().min(from.len());
            let (bytes, after) = from.split_at(len);
            let (filled, unfilled) = rest.split_at_mut(len);
            filled.copy_from_slice(bytes);
            (from, rest) = (after, unfilled);
        }
    }
    true
}

/// Drops the oldest announced blocks if the blocks are too many or too large. Those that were
/// announced and not read, for example because a condition excluded their tiles, remain otherwise.
fn drop_oldest(blocks: &mut Vec<Arc<Block>>) {
    let mut bytes: u64 = blocks.iter().map(|block| block.len()).sum();
    let mut number = blocks.len();
    blocks.retain(|block| {
        let is_excess = number > MAX_CACHED_BLOCKS || bytes > MAX_ANNOUNCED_BYTES;
        if is_excess && block.is_announced {
            bytes -= block.len();
            number -= 1;
        }
        !is_excess || !block.is_announced
    });
}

/// The end of a file.
#[derive(Debug)]
struct Tail {
    /// The size of the whole file.
    size: u64,
    bytes: Vec<u8>,
}

/// A cache of the ends of files of arrays and groups, which opens read repeatedly.
#[derive(Debug, Default)]
pub(super) struct TailCache(LruCache<String, Arc<Tail>>);

fn key_of(object: &Location) -> String {
    format!("{}/{}", object.bucket, object.key)
}

impl TailCache {
    /// Returns the last `most` bytes of a file of `size` bytes, or all if it has fewer.
    fn get(&self, object: &Location, size: u64, most: u64) -> Option<Vec<u8>> {
        let tail = self.0.get(&key_of(object))?;
        let len = usize::try_from(most.min(size)).ok()?;
        let start = tail.bytes.len().checked_sub(len)?;
        (tail.size == size).then(|| tail.bytes.get(start..).unwrap_or_default().to_vec())
    }

    /// Keeps the last bytes of a file of `size` bytes, unless they are too many.
    fn put(&self, object: &Location, size: u64, bytes: &[u8]) {
        if bytes.len() <= MAX_TAIL_BYTES {
            let key = key_of(object);
            let memory = bytes.len() + key.len() + size_of::<Tail>();
            let bytes = bytes.to_vec();
            let tail = Arc::new(Tail { size, bytes });
            self.0.put(key, tail, memory, MAX_TAIL_CACHE_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::vfs::{FaultyStore, StoreLimits, Vfs};

    #[test]
    fn slices_fill_buffers_across_their_ends() {
        let (mut one, mut other) = ([0; 3], [0; 2]);
        let mut to = [IoSliceMut::new(&mut one), IoSliceMut::new(&mut other)];
        let slices: [&[u8]; 3] = [&[1, 2], &[], &[3, 4, 5, 6]];
        assert!(scatter(slices.into_iter(), &mut to));
        assert_eq!((one, other), ([1, 2, 3], [4, 5]));
        let mut to = [IoSliceMut::new(&mut one)];
        assert!(!scatter(slices.into_iter().take(2), &mut to));
    }

    #[test]
    fn a_read_of_an_object_that_was_replaced_is_an_error() {
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        let read = |file: &crate::vfs::ReadFile| {
            let mut bytes = [0; 2];
            file.read_at(2, &mut bytes).map(|()| bytes)
        };
        for replacement in [b"efgh".as_slice(), b"efghi"] {
            vfs.write_all(&uri, b"abcd").expect("writes");
            let file = vfs.open(&uri).expect("opens");
            let loaded = std::slice::from_ref(&(0..2));
            file.announce(loaded);
            file.load(&loaded[0]);
            vfs.write_all(&uri, replacement).expect("replaces");
            let error = read(&file).expect_err("replaced").to_string();
            assert!(
                error.contains("was replaced after it was opened"),
                "{error}"
            );
            file.read_tail(1).expect_err("replaced");
            let file = vfs.open(&uri).expect("opens");
            assert_eq!(read(&file).expect("reads"), *b"gh");
        }
    }

    #[test]
    fn an_object_that_changes_between_its_size_and_its_content_is_an_error() {
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        vfs.write_all(&uri, b"abcd").expect("writes");
        let file = vfs.open(&uri).expect("opens");
        assert_eq!(file.size().expect("size"), 4);
        vfs.write_all(&uri, b"abcdef").expect("replaces");
        let mut bytes = [0; 4];
        let error = file.read_at(0, &mut bytes).expect_err("replaced");
        assert!(error.to_string().contains("was replaced"), "{error}");
    }

    #[test]
    fn ranges_that_could_not_be_loaded_are_announced_again() {
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let uri = Uri::parse("s3://bucket/key").expect("uri");
        let file = vfs.open(&uri).expect("opens");
        let ranges = std::slice::from_ref(&(0..2));
        assert_eq!(file.announce(ranges), ranges);
        file.load(&ranges[0]); // fails, since the object does not exist yet
        vfs.write_all(&uri, b"ab").expect("writes");
        assert_eq!(file.announce(ranges), ranges);
        assert_eq!(file.announce(ranges), []);
        let mut bytes = [0; 2];
        file.read_at(0, &mut bytes).expect("reads");
        assert_eq!(bytes, *b"ab");
    }

    #[test]
    fn the_oldest_announced_blocks_are_dropped_first() {
        let block = |start: u64, len: u64| {
            let range = start..start + len;
            Block::announced(range.clone(), std::slice::from_ref(&range))
        };
        let large = |start| block(start, MAX_ANNOUNCED_BYTES / 2);
        let mut blocks = vec![large(0), Block::read_ahead(1, vec![0]), large(2), large(3)];
        drop_oldest(&mut blocks);
        let starts: Vec<u64> = blocks.iter().map(|block| block.range.start).collect();
        assert_eq!(starts, [1, 3]);
        let mut many: Vec<_> = (0..300).map(|start| block(start, 1)).collect();
        drop_oldest(&mut many);
        assert_eq!(many.len(), MAX_CACHED_BLOCKS);
    }

    fn object(key: &str) -> Location {
        Location::new("b", key)
    }

    #[test]
    fn entries_are_valid_for_one_size_and_as_far_as_they_reach() {
        let cache = TailCache::default();
        cache.put(&object("a"), 10, b"cdef");
        assert_eq!(cache.get(&object("a"), 10, 2).as_deref(), Some(&b"ef"[..]));
        assert_eq!(cache.get(&object("a"), 10, 5), None);
        assert_eq!(cache.get(&object("a"), 11, 2), None);
        assert_eq!(cache.get(&object("b"), 10, 2), None);
    }

    #[test]
    fn the_oldest_entries_leave_a_full_cache() {
        let cache = TailCache::default();
        let bytes = vec![0; MAX_TAIL_BYTES];
        for number in 0..300 {
            cache.put(&object(&number.to_string()), 1 << 20, &bytes);
        }
        assert!(cache.0.size() <= MAX_TAIL_CACHE_BYTES);
        assert!(cache.get(&object("0"), 1 << 20, 1).is_none());
        assert!(cache.get(&object("299"), 1 << 20, 1).is_some());
    }
}
