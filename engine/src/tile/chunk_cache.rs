//! A cache of decoded chunks of an open array. Reads of parts of a dense array tend to revisit
//! chunks, and decoding a chunk takes many times as long as copying its cells.

use std::sync::Arc;

use super::chunk_location::ChunkLocation;
use crate::memory::LruCache;
use crate::memory::tuning::CHUNK_ENTRY_BYTES;

/// The cached chunks of an open array, and the locations of chunks in their files.
pub type ChunkCache = LruCache<ChunkKey, CachedChunk>;

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

/// The key of an entry of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkKey {
    tile: TileKey,
    entry: Entry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Entry {
    /// The layout of the tile in its file.
    Layout,
    /// The chunk that starts at this position of the tile.
    Data(usize),
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

    fn get(&self, entry: Entry) -> Option<CachedChunk> {
        let tile = self.tile;
        self.chunks.get(&ChunkKey { tile, entry })
    }

    fn put(&self, entry: Entry, value: CachedChunk, bytes: usize) {
        let key = ChunkKey {
            tile: self.tile,
            entry,
        };
        let bytes = bytes.saturating_add(CHUNK_ENTRY_BYTES);
        self.chunks.put(key, value, bytes, self.limit);
    }

    /// Returns the length of the chunks of an unfiltered tile, if it is cached.
    pub(super) fn uniform(&self) -> Option<Option<u64>> {
        match self.get(Entry::Layout) {
            Some(CachedChunk::Uniform(len)) => Some(len),
            _ => None,
        }
    }

    pub(super) fn put_uniform(&self, len: Option<u64>) {
        self.put(Entry::Layout, CachedChunk::Uniform(len), 0);
    }

    /// Returns the chunks up to the byte `end` of the tile, if they are cached.
    pub(super) fn locations(&self, end: usize) -> Option<Arc<[ChunkLocation]>> {
        match self.get(Entry::Layout) {
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
        self.put(Entry::Layout, CachedChunk::Locations(chunks.into()), bytes);
    }

    /// Returns the decoded bytes of a chunk, if they are cached.
    pub(super) fn data(&self, chunk: &ChunkLocation) -> Option<Arc<Vec<u8>>> {
        match self.get(Entry::Data(chunk.start)) {
            Some(CachedChunk::Data(bytes)) if bytes.len() == chunk.original_len as usize => {
                Some(bytes)
            }
            _ => None,
        }
    }

    pub(super) fn put_data(&self, chunk: &ChunkLocation, bytes: Arc<Vec<u8>>) {
        let len = bytes.capacity();
        self.put(Entry::Data(chunk.start), CachedChunk::Data(bytes), len);
    }
}
