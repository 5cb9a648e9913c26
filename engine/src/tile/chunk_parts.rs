//! Reads of parts of filtered tiles through the cache of decoded chunks.

use std::ops::Range;
use std::sync::Arc;

use super::chunk_cache::ChunkLocation;
use super::chunk_cache::TileCache;
use super::disjoint::SharedBytes;
use super::stored_tile::{StoredTile, TileWorkspace, bytes_of, ensure_len};
use super::strided_copy::StridedCopy;
use crate::error::{Result, reserve, try_vec};
use crate::memory::tuning::MIN_CACHED_RUN_BYTES;

/// The target of decoding a chunk that is not cached.
enum Destination<'a> {
    /// To the caller's buffer: the chunk is copied completely and in one run.
    Caller(&'a mut [u8]),
    /// To memory that is freed after the copy: the chunk is copied completely. Reads of a large
    /// part of an array would otherwise replace chunks that are read again.
    Memory,
    /// To the cache: further reads are likely to need the rest of the chunk.
    Cache,
}

/// A chunk with requested bytes. `bytes` is `None` if it was decoded to its destination.
struct LoadedChunk {
    location: ChunkLocation,
    bytes: Option<Arc<Vec<u8>>>,
}

impl LoadedChunk {
    /// Returns the part of `range` that is in this chunk: its start, and its bytes.
    fn part(&self, range: &Range<usize>) -> (usize, &[u8]) {
        let chunk = &self.location;
        let (start, end) = (range.start.max(chunk.start), range.end.min(chunk.end()));
        let bytes = self.bytes.as_deref().map_or(&[][..], Vec::as_slice);
        let part = bytes.get(start - chunk.start..end.max(start) - chunk.start);
        (start, part.unwrap_or_default())
    }
}

impl StoredTile<'_> {
    /// Copies cells like [`StoredTile::copy_cells`], and keeps the chunks of which only a part is
    /// copied in the cache.
    pub(super) fn copy_cached(
        &self,
        cache: &TileCache<'_>,
        size: usize,
        copies: &[StridedCopy],
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        let ranges: Vec<Range<usize>> = copies.iter().map(|copy| bytes_of(copy, size)).collect();
        let run = match copies {
            [copy] if copy.is_one_run() => Some((&ranges[0], copy.destination_start() * size)),
            _ => None,
        };
        let complete = |chunk: &ChunkLocation| {
            let mut copied = copies.iter().zip(&ranges);
            copied.any(|(copy, range)| {
                let is_inside = range.start <= chunk.start && chunk.end() <= range.end;
                is_inside && copy.cell_num() * size == range.len()
            })
        };
        let destination = |chunk: &ChunkLocation| match run {
            _ if !complete(chunk) => Destination::Cache,
            Some((range, start)) => {
                Destination::Caller(to.part(start + chunk.start - range.start, chunk.len()))
            }
            None => Destination::Memory,
        };
        let chunks = self.load_chunks(cache, &ranges, &mut workspace.stored, destination)?;
        if let Some((range, start)) = run {
            for chunk in &chunks {
                let (first, bytes) = chunk.part(range);
                to.write(start + first - range.start, bytes);
            }
            return Ok(());
        }
        for copy in copies {
            match &chunks[..] {
                [only] if only.location.start.is_multiple_of(size) => {
                    let first = only.location.start / size;
                    let bytes = only.bytes.as_deref().map_or(&[][..], Vec::as_slice);
                    copy.clone().shifted(first).copy(size, bytes, to);
                }
                _ if copy.run_len() * size >= MIN_CACHED_RUN_BYTES => {
                    copy_runs(copy, size, &chunks, to);
                }
                _ => assemble(copy, size, &chunks, to, &mut workspace.data)?,
            }
        }
        Ok(())
    }

    /// Appends the bytes `span` of the tile to `to`, and keeps the chunks in the cache.
    pub(super) fn read_cached(
        &self,
        cache: &TileCache<'_>,
        span: Range<usize>,
        workspace: &mut TileWorkspace,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        let requested = std::slice::from_ref(&span);
        let chunks = self.load_chunks(cache, requested, &mut workspace.stored, |_| {
            Destination::Cache
        })?;
        reserve("a tile", to, span.len())?;
        for chunk in &chunks {
            to.extend_from_slice(chunk.part(&span).1);
        }
        Ok(())
    }

    /// Returns the chunks that contain a byte of `requested`, in order. Those that are not cached
    /// are decoded to their destination.
    fn load_chunks<'t>(
        &self,
        cache: &TileCache<'_>,
        requested: &[Range<usize>],
        stored: &mut Vec<u8>,
        destination: impl Fn(&ChunkLocation) -> Destination<'t>,
    ) -> Result<Vec<LoadedChunk>> {
        let end = requested.iter().map(|range| range.end).max().unwrap_or(0);
        let Some(locations) = cache.locations(end) else {
            let read = self.locate_and_read(requested, stored)?;
            cache.put_locations(&read.located);
            let load = |chunk| self.load(cache, chunk, read.base, stored, destination(&chunk));
            return read.touched.into_iter().map(load).collect();
        };
        let touched = locations
            .iter()
            .filter(|chunk| chunk.has_any(requested))
            .map(|chunk| LoadedChunk {
                location: *chunk,
                bytes: cache.data(chunk),
            });
        let mut touched: Vec<LoadedChunk> = touched.collect();
        let missing = touched.iter().filter(|chunk| chunk.bytes.is_none());
        let missing: Vec<ChunkLocation> = missing.map(|chunk| chunk.location).collect();
        if missing.is_empty() {
            return Ok(touched);
        }
        let base = self.read_located(&missing, stored)?;
        for chunk in touched.iter_mut().filter(|chunk| chunk.bytes.is_none()) {
            let location = chunk.location;
            *chunk = self.load(cache, location, base, stored, destination(&location))?;
        }
        Ok(touched)
    }

    /// Decodes a chunk of `stored`, which starts at the file position `base`.
    fn load(
        &self,
        cache: &TileCache<'_>,
        location: ChunkLocation,
        base: u64,
        stored: &[u8],
        destination: Destination<'_>,
    ) -> Result<LoadedChunk> {
        if let Destination::Caller(to) = destination {
            self.decode(&location, base, stored, to)?;
            return Ok(LoadedChunk {
                location,
                bytes: None,
            });
        }
        let mut bytes: Vec<u8> = try_vec("a chunk", location.len())?;
        self.decode(&location, base, stored, &mut bytes)?;
        let bytes = Arc::new(bytes);
        if let Destination::Cache = destination {
            cache.put_data(&location, bytes.clone());
        }
        Ok(LoadedChunk {
            location,
            bytes: Some(bytes),
        })
    }
}

/// Copies cells run by run from the chunks that contain them.
fn copy_runs(copy: &StridedCopy, size: usize, chunks: &[LoadedChunk], to: SharedBytes<'_>) {
    let mut index = 0;
    copy.for_each_run(|cells| {
        let run = cells.in_bytes(size);
        let range = run.source();
        let is_in = |chunk: &LoadedChunk| {
            chunk.location.start <= range.start && range.start < chunk.location.end()
        };
        if !chunks.get(index).is_some_and(is_in) {
            index = chunks.partition_point(|chunk| chunk.location.end() <= range.start);
        }
        for chunk in chunks.get(index..).unwrap_or_default() {
            if chunk.location.start >= range.end {
                break;
            }
            let (start, bytes) = chunk.part(&range);
            to.write(run.to + start - range.start, bytes);
        }
    });
}

/// Copies cells from chunks after concatenating them, which is faster for many short runs.
fn assemble(
    copy: &StridedCopy,
    size: usize,
    chunks: &[LoadedChunk],
    to: SharedBytes<'_>,
    data: &mut Vec<u8>,
) -> Result<()> {
    let span = bytes_of(copy, size);
    let data = ensure_len(data, span.len())?;
    for chunk in chunks {
        let (start, bytes) = chunk.part(&span);
        if let Some(to) = start
            .checked_sub(span.start)
            .and_then(|start| data.get_mut(start..start + bytes.len()))
        {
            to.copy_from_slice(bytes);
        }
    }
    copy.clone().shifted(span.start / size).copy(size, data, to);
    Ok(())
}
