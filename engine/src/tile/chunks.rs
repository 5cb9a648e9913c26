//! The chunks of a stored tile: reading those that contain requested bytes, gathering runs of cells
//! chunk by chunk, so that a chunk is still in the processor's cache when its cells are copied, and
//! copying boxes of cells through the cache of decoded chunks.
//!
//! Chunk headers are checked against the tile's stored range and its unfiltered length before they
//! are used.

use std::ops::Range;
use std::sync::Arc;

use super::chunk_cache::{CHUNK_HEADER, ChunkLocation, TileCache};
use super::disjoint::SharedBytes;
use super::stored_tile::{StoredTile, TileWorkspace, bytes_of, ensure_len};
use super::strided_copy::{CellRun, StridedCopy};
use crate::bytes::prefetch;
use crate::error::{Result, reserve, try_vec};
use crate::memory::tuning::{MAX_CHUNK_GAP, MAX_PREFETCHED_BYTES, RUNS_AHEAD, SMALL_TILE_BYTES};

/// The size in bytes of the tile header, the number of chunks.
pub(super) const TILE_HEADER: u64 = 8;

impl StoredTile<'_> {
    /// Reads the chunks that contain a byte of `requested` into `stored`. Returns them in order,
    /// all chunks up to the end of the requested bytes, and the file position of the first byte of
    /// `stored`.
    pub(super) fn read_chunks(
        &self,
        requested: &[Range<usize>],
        stored: &mut Vec<u8>,
    ) -> Result<(Vec<ChunkLocation>, Vec<ChunkLocation>, u64)> {
        self.check_in_file()?;
        let Range { start, end } = self.range;
        let touched_of = |chunks: &[ChunkLocation]| -> Vec<ChunkLocation> {
            let touched = chunks.iter().filter(|chunk| chunk.has_any(requested));
            touched.copied().collect()
        };
        let first = requested.iter().map(|range| range.start).min();
        let last = requested.iter().map(|range| range.end).max();
        let span = first.unwrap_or_default()..last.unwrap_or_default();
        let bytes: usize = requested.iter().map(ExactSizeIterator::len).sum();
        if end - start <= SMALL_TILE_BYTES || bytes.min(span.len()).saturating_mul(2) >= self.len {
            let whole = self.read_file_range(stored)?;
            let located = self.parse_chunks(span, |offset, header| {
                let offset = (offset - start) as usize;
                header
                    .copy_from_slice(whole.get(offset..offset + header.len()).unwrap_or_default());
                Ok(())
            })?;
            let touched = touched_of(&located);
            self.note_chunks(&touched);
            return Ok((touched, located, start));
        }
        let located =
            self.parse_chunks(span, |offset, header| self.file.read_at(offset, header))?;
        let touched = touched_of(&located);
        let base = self.read_located(&touched, stored)?;
        Ok((touched, located, base))
    }

    /// Returns an error if a large tile is not within its file: checked before a large amount of
    /// memory is allocated.
    pub(super) fn check_in_file(&self) -> Result<()> {
        let Range { start, end } = self.range;
        if end - start > SMALL_TILE_BYTES && self.file.size()? < end {
            return Err(self.corrupt("stored tile", start, "extends beyond the end of its file"));
        }
        Ok(())
    }

    /// Reads all bytes of the stored tile, after [`StoredTile::check_in_file`].
    pub(super) fn read_file_range<'s>(&self, stored: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        let Range { start, end } = self.range;
        let len = usize::try_from(end - start)
            .map_err(|_| self.corrupt("size", start, "exceeds the address space"))?;
        let bytes = ensure_len(stored, len)?;
        self.file.read_at(start, bytes)?;
        Ok(bytes)
    }

    /// Reads these chunks, which ascend, into `stored`. Returns the file position of its first
    /// byte.
    pub(super) fn read_located(
        &self,
        chunks: &[ChunkLocation],
        stored: &mut Vec<u8>,
    ) -> Result<u64> {
        let start = self.range.start;
        let base = chunks.first().map_or(start, |chunk| chunk.position);
        let last = chunks
            .last()
            .map_or(base, |chunk| chunk.position + chunk.stored_len());
        let len = (last - base) as usize;
        let bytes = ensure_len(stored, len)?;
        // Nearby chunks are read in one call, including the headers between them.
        let mut offset = 0;
        while let Some(first) = chunks.get(offset) {
            let mut end = first.position + first.stored_len();
            offset += 1;
            while let Some(next) = chunks
                .get(offset)
                .filter(|next| next.position <= end + MAX_CHUNK_GAP)
            {
                end = next.position + next.stored_len();
                offset += 1;
            }
            let part = &mut bytes[(first.position - base) as usize..(end - base) as usize];
            self.file.read_at(first.position, part)?;
        }
        self.note_chunks(chunks);
        Ok(base)
    }

    fn note_chunks(&self, chunks: &[ChunkLocation]) {
        let bytes = chunks.iter().map(|chunk| chunk.original_len as usize);
        self.watch.note_read(bytes.sum());
    }

    /// Returns the chunks up to the end of `span`; `read` provides the bytes of their headers.
    pub(super) fn parse_chunks(
        &self,
        span: Range<usize>,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<()>,
    ) -> Result<Vec<ChunkLocation>> {
        let Range { start, end } = self.range;
        if end - start < TILE_HEADER {
            return Err(self.corrupt("number of chunks", start, "is cut off"));
        }
        let mut number = [0; TILE_HEADER as usize];
        read(start, &mut number)?;
        let number = u64::from_le_bytes(number);
        let mut offset = start + TILE_HEADER;
        let mut data = 0usize;
        let mut chunks = Vec::new();
        for _ in 0..number {
            if data >= span.end {
                return Ok(chunks);
            }
            if end - offset < CHUNK_HEADER {
                return Err(self.corrupt(
                    "chunk header",
                    offset,
                    format!("is cut off; {number} chunks are announced"),
                ));
            }
            let mut header = [0; CHUNK_HEADER as usize];
            read(offset, &mut header)?;
            let chunk = ChunkLocation::parse(header, data, offset + CHUNK_HEADER);
            self.check_chunk(&chunk)?;
            offset = chunk.position + chunk.stored_len();
            data = chunk.end();
            chunks.push(chunk);
        }
        if data != self.len {
            return Err(self.corrupt(
                "chunks",
                start,
                format!("hold {data} bytes, not {}", self.len),
            ));
        }
        Ok(chunks)
    }

    /// Returns an error if a chunk extends beyond the stored tile, or has more data than the tile.
    fn check_chunk(&self, chunk: &ChunkLocation) -> Result<()> {
        let offset = chunk.position - CHUNK_HEADER;
        if chunk.stored_len() > self.range.end - chunk.position {
            let problem = format!("of {} bytes extends beyond the tile", chunk.stored_len());
            return Err(self.corrupt("chunk", offset, problem));
        }
        if chunk.len() > self.len - chunk.start {
            let problem = format!("holds more than the tile's {} bytes", self.len);
            return Err(self.corrupt("chunk", offset, problem));
        }
        Ok(())
    }
}

impl StoredTile<'_> {
    /// Copies `number` runs of cells, of `size` bytes each, from this tile to `to`. The runs must
    /// ascend in the tile and in the destination, and no other thread may access their cells there.
    /// They may overlap in the tile if their starts and their ends ascend.
    pub fn gather(
        &self,
        size: usize,
        number: usize,
        run: impl Fn(usize) -> CellRun,
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        let run = |run_index: usize| run(run_index).in_bytes(size);
        let Some(last) = number.checked_sub(1) else {
            return Ok(());
        };
        let span = run(0).from..run(last).source_end();
        if span.end > self.len {
            let problem = format!("refer to bytes {span:?} of a tile of {}", self.len);
            return Err(self.corrupt("cells", 0, problem));
        }
        if span.is_empty() {
            return Ok(());
        }
        if let Some(bytes) = self.converted {
            for run in (0..number).map(run) {
                to.write(run.to, &bytes[run.source()]);
            }
            return Ok(());
        }
        let TileWorkspace { stored, data, .. } = workspace;
        let (chunks, _, base) = self.read_chunks(std::slice::from_ref(&span), stored)?;
        let mut run_index = 0;
        for chunk in &chunks {
            while run_index < number && run(run_index).source_end() <= chunk.start {
                run_index += 1;
            }
            if run_index == number {
                break;
            }
            let first = run(run_index);
            if first.from >= chunk.end() {
                continue;
            }
            let alone = run_index == last || run(run_index + 1).from >= chunk.end();
            if alone && first.from <= chunk.start && chunk.end() <= first.source_end() {
                let start = first.to + chunk.start - first.from;
                let part = to.part(start, chunk.end() - chunk.start);
                self.decode(chunk, base, stored, part)?;
                continue;
            }
            let bytes = self.bytes_of(chunk, base, stored, data)?;
            let mut index = run_index;
            while index < number {
                let run = run(index);
                if run.from >= chunk.end() {
                    break;
                }
                let (from, end) = (run.from.max(chunk.start), run.source_end().min(chunk.end()));
                if from < end {
                    let bytes = &bytes[from - chunk.start..end - chunk.start];
                    let part = to.part(run.to + from - run.from, end - from);
                    copy(bytes, part);
                }
                index += 1;
                // Runs may overlap, so that several continue in the next chunk.
                if run.source_end() <= chunk.end() {
                    run_index = index;
                }
            }
        }
        Ok(())
    }

    /// Returns the unfiltered bytes of a chunk: as read if it is stored unfiltered, otherwise
    /// decoded into `data`.
    fn bytes_of<'b>(
        &self,
        chunk: &ChunkLocation,
        base: u64,
        stored: &'b [u8],
        data: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        if self.pipeline.is_identity() && chunk.is_plain() {
            let offset = (chunk.position - base) as usize;
            let len = chunk.end() - chunk.start;
            return Ok(stored.get(offset..offset + len).unwrap_or_default());
        }
        let data = ensure_len(data, chunk.end() - chunk.start)?;
        self.decode(chunk, base, stored, data)?;
        Ok(data)
    }
}

/// Copies bytes; eight bytes as a single word.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    match (from.as_chunks(), to.as_chunks_mut()) {
        (([one], []), ([word], [])) => *word = <[u8; 8]>::clone(one),
        _ => to.copy_from_slice(from),
    }
}

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
pub(super) struct LoadedChunk {
    pub(super) location: ChunkLocation,
    pub(super) bytes: Option<Arc<Vec<u8>>>,
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
            copies.iter().zip(&ranges).any(|(copy, range)| {
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
        copy_loaded(size, copies, &chunks, to, &mut workspace.data)
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
            let (touched, located, base) = self.read_chunks(requested, stored)?;
            cache.put_locations(&located);
            return touched
                .into_iter()
                .map(|chunk| self.load(cache, chunk, base, stored, destination(&chunk)))
                .collect();
        };
        let mut touched: Vec<LoadedChunk> = locations
            .iter()
            .filter(|chunk| chunk.has_any(requested))
            .map(|chunk| LoadedChunk {
                location: *chunk,
                bytes: cache.data(chunk),
            })
            .collect();
        let missing: Vec<ChunkLocation> = touched
            .iter()
            .filter(|chunk| chunk.bytes.is_none())
            .map(|chunk| chunk.location)
            .collect();
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

/// Copies cells from the chunks that contain them.
pub(super) fn copy_loaded(
    size: usize,
    copies: &[StridedCopy],
    chunks: &[LoadedChunk],
    to: SharedBytes<'_>,
    data: &mut Vec<u8>,
) -> Result<()> {
    for copy in copies {
        match chunks {
            [only] if only.location.start.is_multiple_of(size) => {
                let first = only.location.start / size;
                let bytes = only.bytes.as_deref().map_or(&[][..], Vec::as_slice);
                copy.clone().shifted(first).copy(size, bytes, to);
            }
            _ if copy.has_separate_runs(size) => copy_runs(copy, size, chunks, to),
            _ => assemble(copy, size, chunks, to, data)?,
        }
    }
    Ok(())
}

/// Copies cells run by run from the chunks that contain them.
fn copy_runs(copy: &StridedCopy, size: usize, chunks: &[LoadedChunk], to: SharedBytes<'_>) {
    let mut index = 0;
    let mut before = None;
    copy.for_each_run(|cells| {
        let run = cells.in_bytes(size);
        let range = run.source();
        let stride = before.and_then(|before| range.start.checked_sub(before));
        before = Some(range.start);
        if !chunks.get(index).is_some_and(|chunk| {
            chunk.location.start <= range.start && range.start < chunk.location.end()
        }) {
            index = chunks.partition_point(|chunk| chunk.location.end() <= range.start);
        }
        for chunk in chunks.get(index..).unwrap_or_default() {
            if chunk.location.start >= range.end {
                break;
            }
            let (start, bytes) = chunk.part(&range);
            if let Some(stride) = stride {
                let next = bytes.as_ptr().wrapping_add(RUNS_AHEAD * stride);
                prefetch(next, bytes.len().min(MAX_PREFETCHED_BYTES));
            }
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
