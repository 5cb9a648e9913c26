//! The location of chunks in the file of their tile, and a cache of decoded chunks of an open
//! array.
//!
//! Reads of parts of a dense array tend to revisit chunks, and decoding a chunk takes many times as
//! long as copying its cells.

use std::ops::Range;
use std::sync::Arc;

use crate::memory::LruCache;
use crate::memory::tuning::CHUNK_ENTRY_BYTES;

/// The cached chunks of an open array, and the locations of chunks in their files.
/// An entry has the layout of a tile in its file, or with a position the chunk that starts there.
pub type ChunkCache = LruCache<(TileKey, Option<usize>), CachedChunk>;

/// A file of a tile of an open array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileKey {
    /// The index of the fragment in the snapshot.
    pub fragment: usize,
    /// The index of the field in the fragment.
    pub slot: usize,
    /// The index of the file among those of the field.
    pub part: usize,
    /// The tile.
    pub tile: u64,
}

/// An entry of the cache.
#[derive(Clone, Debug)]
pub enum CachedChunk {
    /// The length of all chunks but the last of an unfiltered tile; `None` if they differ.
    Uniform(Option<u64>),
    /// The first chunks of a filtered tile, in order.
    Locations(Arc<[ChunkLocation]>),
    /// The decoded bytes of a chunk.
    Data(Arc<Vec<u8>>),
    /// A chunk of an unfiltered tile that is cached when it is read again.
    Candidate,
}

/// The part of the cache that belongs to a tile.
#[derive(Clone, Copy, Debug)]
pub struct TileCache<'a> {
    chunks: &'a ChunkCache,
    tile: TileKey,
    /// The maximum size of the cache in bytes.
    limit: usize,
}

impl<'a> TileCache<'a> {
    /// Returns the part of a cache of at most `limit` bytes that belongs to a tile.
    pub fn new(chunks: &'a ChunkCache, tile: TileKey, limit: usize) -> Self {
        Self {
            chunks,
            tile,
            limit,
        }
    }

    /// Returns the chunk that starts at a position, or the layout of the tile for `None`.
    fn get(&self, start: Option<usize>) -> Option<CachedChunk> {
        self.chunks.get(&(self.tile, start))
    }

    fn put(&self, start: Option<usize>, value: CachedChunk, bytes: usize) {
        let bytes = bytes.saturating_add(CHUNK_ENTRY_BYTES);
        self.chunks
            .put((self.tile, start), value, bytes, self.limit);
    }

    /// Returns whether an earlier call noted all these chunks, and notes the others. Returns
    /// `false` for chunks that take more than a quarter of the cache.
    pub(super) fn admits(&self, chunks: &[ChunkLocation]) -> bool {
        let bytes: usize = chunks.iter().map(ChunkLocation::len).sum();
        if bytes > self.limit / 4 {
            return false;
        }
        let mut admitted = true;
        for chunk in chunks {
            if self.get(Some(chunk.start)).is_none() {
                self.put(Some(chunk.start), CachedChunk::Candidate, 0);
                admitted = false;
            }
        }
        admitted
    }

    /// Returns the length of the chunks of an unfiltered tile, if it is cached.
    pub(super) fn uniform(&self) -> Option<Option<u64>> {
        match self.get(None) {
            Some(CachedChunk::Uniform(len)) => Some(len),
            _ => None,
        }
    }

    pub(super) fn put_uniform(&self, len: Option<u64>) {
        self.put(None, CachedChunk::Uniform(len), 0);
    }

    /// Returns the chunks up to the byte `end` of the tile, if they are cached.
    pub(super) fn locations(&self, end: usize) -> Option<Arc<[ChunkLocation]>> {
        match self.get(None) {
            Some(CachedChunk::Locations(chunks))
                if chunks.last().is_some_and(|chunk| chunk.end() >= end) =>
            {
                Some(chunks)
            }
            _ => None,
        }
    }

    pub(super) fn put_locations(&self, chunks: &[ChunkLocation]) {
        let bytes = size_of_val(chunks);
        self.put(None, CachedChunk::Locations(chunks.into()), bytes);
    }

    /// Returns the decoded bytes of a chunk, if they are cached.
    pub(super) fn data(&self, chunk: &ChunkLocation) -> Option<Arc<Vec<u8>>> {
        match self.get(Some(chunk.start)) {
            Some(CachedChunk::Data(bytes)) if bytes.len() == chunk.original_len as usize => {
                Some(bytes)
            }
            _ => None,
        }
    }

    pub(super) fn put_data(&self, chunk: &ChunkLocation, bytes: Arc<Vec<u8>>) {
        let len = bytes.capacity();
        self.put(Some(chunk.start), CachedChunk::Data(bytes), len);
    }
}

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
