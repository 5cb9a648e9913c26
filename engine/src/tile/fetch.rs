//! A stored tile, and as little of it as a caller needs: wanted rows of unfiltered tiles go from the file to where they
//! belong, of filtered tiles only the touched chunks are read and decoded.
//!
//! Nothing of a chunk header is believed before it is checked against the tile's stored range and its length in memory.
#![expect(
    unsafe_code,
    reason = "reads straight into the caller's parts of a shared buffer"
)]

use std::cell::Cell;
use std::io::IoSliceMut;
use std::ops::Range;

use super::arrange::Walk;
use super::cells::Cells;
use super::disjoint::SharedBytes;
use crate::error::{Error, Result, try_vec};
use crate::filter::{Chunk, Pipeline, TextsMut};
use crate::vfs::{ReadFile, Uri};

/// The bytes before the chunks of a tile: their number.
const TILE_HEADER: u64 = 8;
/// The bytes before the data of a chunk: three lengths.
const CHUNK_HEADER: u64 = 12;
/// A gap in a file that is cheaper to read over than to make another system call for.
const GAP: u64 = 2048;
/// The most that one vectored read throws away.
const SINK: usize = 65536;
/// The most buffers of one vectored read.
const MAX_PARTS: usize = 1024;
/// A stored tile up to this size is read whole: fewer calls are worth more than fewer bytes.
pub(super) const SMALL: u64 = 131_072;
/// The memory that a thread keeps between reads.
const KEPT: usize = 16 << 20;

/// Where a stored tile lies.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The file.
    pub file: &'a ReadFile,
    /// What errors name: the fragment.
    pub place: &'a Uri,
    /// The tile's bytes in it.
    pub range: Range<u64>,
}

/// A stored tile: where it lies, how it was filtered, and its length in memory.
#[derive(Clone, Debug)]
pub struct StoredTile<'a> {
    /// Where it lies.
    pub source: Source<'a>,
    /// What undoes its filters.
    pub pipeline: &'a Pipeline,
    /// Its length in memory, in bytes.
    pub len: usize,
}

/// Buffers that a thread uses again and again.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) stored: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) sink: Vec<u8>,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl Scratch {
    /// Runs `body` with the buffers of this thread.
    pub fn with<T>(body: impl FnOnce(&mut Self) -> T) -> T {
        let mut scratch = SCRATCH.take().unwrap_or_default();
        let answer = body(&mut scratch);
        if scratch.stored.capacity() + scratch.data.capacity() <= KEPT {
            SCRATCH.set(Some(scratch));
        }
        answer
    }

    /// The same, with one more buffer beside them.
    pub fn with_data<T>(body: impl FnOnce(&mut Self, &mut Vec<u8>) -> T) -> T {
        Self::with(|scratch| {
            let mut data = std::mem::take(&mut scratch.data);
            let answer = body(scratch, &mut data);
            scratch.data = data;
            answer
        })
    }
}

/// The first `len` bytes of a buffer that grows when it must; what they hold is undefined but initialised.
pub(super) fn room(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        *buffer = try_vec("a tile", len)?;
    }
    Ok(&mut buffer[..len])
}

/// Gives a vector a length; what it holds is undefined but initialised.
fn resize<T: Clone + Default>(what: &'static str, to: &mut Vec<T>, len: usize) -> Result<()> {
    if to.capacity() < len {
        *to = try_vec(what, len)?;
    }
    to.resize(len, T::default());
    Ok(())
}

/// A chunk of a stored tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkAt {
    /// Where its data starts in the tile in memory.
    pub(super) start: usize,
    original_len: u32,
    filtered_len: u32,
    metadata_len: u32,
    /// Where its metadata starts in the file; the filtered data follows.
    pub(super) stored_at: u64,
}

impl ChunkAt {
    pub(super) fn end(&self) -> usize {
        self.start + self.original_len as usize
    }

    /// Whether its data can be stored as it is.
    pub(super) fn is_plain(&self) -> bool {
        self.metadata_len == 0 && self.filtered_len == self.original_len
    }

    fn stored_len(&self) -> u64 {
        u64::from(self.metadata_len) + u64::from(self.filtered_len)
    }
}

/// A piece of an unfiltered tile on its way: from the file to the destination.
#[derive(Clone, Copy, Debug)]
struct Segment {
    file: u64,
    to: usize,
    len: usize,
}

impl StoredTile<'_> {
    pub(super) fn corrupt(
        &self,
        field: &'static str,
        at: u64,
        problem: impl Into<String>,
    ) -> Error {
        Error::corrupt("tile", field, at, problem).at(self.source.place)
    }

    /// Copies the cells of `walks`, `size` bytes each, from this tile to `to`.
    ///
    /// # Safety
    /// Nobody else reads or writes the cells of the destination that the walks touch.
    pub unsafe fn copy_cells(
        &self,
        size: usize,
        walks: &[Walk],
        to: SharedBytes<'_>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.pipeline.is_identity()
            && let Some(chunk_len) = self.uniform_chunks()?
        {
            // SAFETY: the caller's promise.
            return unsafe { self.copy_unfiltered(chunk_len, size, walks, to, scratch) };
        }
        let wanted: Vec<Range<usize>> = walks.iter().map(|walk| bytes_of(walk, size)).collect();
        let (chunks, base) = self.read_chunks(&wanted, &mut scratch.stored)?;
        if let [walk] = walks
            && walk.is_one_run()
            && let [want] = &wanted[..]
            && chunks
                .iter()
                .all(|chunk| want.start <= chunk.start && chunk.end() <= want.end)
        {
            let start = walk.destination_start() * size;
            for chunk in &chunks {
                // SAFETY: cells of the walk, the caller's alone.
                let part = unsafe {
                    to.part(
                        start + chunk.start - want.start,
                        chunk.original_len as usize,
                    )
                };
                self.decode(chunk, base, &scratch.stored, part)?;
            }
            return Ok(());
        }
        let Some(first) = chunks.first().map(|chunk| chunk.start) else {
            return Ok(());
        };
        let end = chunks.last().map_or(first, ChunkAt::end);
        // Cells may cross chunks in files of old versions, so positions are in bytes until the walks start.
        let first = first / size * size;
        let data = room(&mut scratch.data, end - first)?;
        for chunk in &chunks {
            self.decode(
                chunk,
                base,
                &scratch.stored,
                &mut data[chunk.start - first..chunk.end() - first],
            )?;
        }
        for walk in walks {
            // SAFETY: the caller's promise.
            unsafe { walk.clone().shifted(first / size).copy(size, data, to) };
        }
        Ok(())
    }

    /// The bytes `span` of the tile, as `to`, whatever that held.
    pub fn read_span(
        &self,
        span: Range<usize>,
        scratch: &mut Scratch,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        if span.end > self.len || span.start > span.end {
            return Err(self.corrupt(
                "offsets",
                0,
                format!("ask for bytes {span:?} of a tile of {}", self.len),
            ));
        }
        if span.is_empty() {
            to.clear();
            return Ok(());
        }
        let (chunks, base) = self.read_chunks(std::slice::from_ref(&span), &mut scratch.stored)?;
        resize("a tile", to, span.len())?;
        for chunk in &chunks {
            let (from, end) = (span.start.max(chunk.start), span.end.min(chunk.end()));
            let part = &mut to[from - span.start..end - span.start];
            if part.len() == chunk.original_len as usize {
                self.decode(chunk, base, &scratch.stored, part)?;
            } else {
                let data = room(&mut scratch.data, chunk.original_len as usize)?;
                self.decode(chunk, base, &scratch.stored, data)?;
                part.copy_from_slice(&data[from - chunk.start..end - chunk.start]);
            }
        }
        Ok(())
    }

    /// All cells of a tile whose filters fold their offsets into the values: so many cells, into `to`.
    pub fn read_texts(&self, cells: usize, scratch: &mut Scratch, to: &mut Cells) -> Result<()> {
        let Range { start, end } = self.source.range;
        if self.source.file.size()? < end {
            return Err(self.corrupt("stored tile", start, "passes the end of its file"));
        }
        let len = usize::try_from(end - start)
            .map_err(|_| self.corrupt("size", start, "is beyond memory"))?;
        let stored = room(&mut scratch.stored, len)?;
        self.source.file.read_at(start, stored)?;
        resize("a tile", &mut to.data, self.len)?;
        resize("offsets", &mut to.starts, cells.saturating_add(1))?;
        let texts = TextsMut {
            values: &mut to.data,
            starts: &mut to.starts,
        };
        self.pipeline
            .decode_texts(stored, texts)
            .map_err(|error| error.at(self.source.place))
    }

    pub(super) fn decode(
        &self,
        chunk: &ChunkAt,
        base: u64,
        stored: &[u8],
        to: &mut [u8],
    ) -> Result<()> {
        let at = (chunk.stored_at - base) as usize;
        let bytes = stored
            .get(at..at + chunk.stored_len() as usize)
            .unwrap_or_default();
        let (metadata, filtered) = bytes.split_at(chunk.metadata_len as usize);
        let chunk = Chunk {
            original_len: chunk.original_len,
            metadata,
            filtered,
        };
        self.pipeline
            .decode_chunk(chunk, to)
            .map_err(|error| error.at(self.source.place))
    }

    /// Reads the chunks that hold a byte of `wanted` into `stored`; answers them, in order, and the place in the file
    /// of the first byte of `stored`.
    pub(super) fn read_chunks(
        &self,
        wanted: &[Range<usize>],
        stored: &mut Vec<u8>,
    ) -> Result<(Vec<ChunkAt>, u64)> {
        let Range { start, end } = self.source.range;
        // Where the metadata asks for much, the file must have it before memory is taken.
        if end - start > SMALL && self.source.file.size()? < end {
            return Err(self.corrupt("stored tile", start, "passes the end of its file"));
        }
        let touched = |chunk: &ChunkAt| {
            wanted
                .iter()
                .any(|want| want.start < chunk.end() && chunk.start < want.end)
        };
        let bytes: usize = wanted.iter().map(ExactSizeIterator::len).sum();
        let span = wanted
            .iter()
            .map(|want| want.start)
            .min()
            .unwrap_or_default()
            ..wanted.iter().map(|want| want.end).max().unwrap_or_default();
        if end - start <= SMALL || bytes.min(span.len()).saturating_mul(2) >= self.len {
            let len = usize::try_from(end - start)
                .map_err(|_| self.corrupt("size", start, "is beyond memory"))?;
            let whole = room(stored, len)?;
            self.source.file.read_at(start, whole)?;
            let chunks = self.walk_chunks(span, |at, header| {
                let at = (at - start) as usize;
                header.copy_from_slice(whole.get(at..at + header.len()).unwrap_or_default());
                Ok(())
            })?;
            return Ok((chunks.into_iter().filter(touched).collect(), start));
        }
        let chunks = self.walk_chunks(span, |at, header| self.source.file.read_at(at, header))?;
        let chunks: Vec<_> = chunks.into_iter().filter(touched).collect();
        let base = chunks.first().map_or(start, |chunk| chunk.stored_at);
        let last = chunks
            .last()
            .map_or(base, |chunk| chunk.stored_at + chunk.stored_len());
        let len = (last - base) as usize;
        let bytes = room(stored, len)?;
        // Neighbours are read together, with the headers between them.
        let mut at = 0;
        while let Some(first) = chunks.get(at) {
            let mut end = first.stored_at + first.stored_len();
            at += 1;
            while let Some(next) = chunks.get(at).filter(|next| next.stored_at <= end + GAP) {
                end = next.stored_at + next.stored_len();
                at += 1;
            }
            let part = &mut bytes[(first.stored_at - base) as usize..(end - base) as usize];
            self.source.file.read_at(first.stored_at, part)?;
        }
        Ok((chunks, base))
    }

    /// The chunks up to the end of `span`, their headers brought by `read`.
    pub(super) fn walk_chunks(
        &self,
        span: Range<usize>,
        mut read: impl FnMut(u64, &mut [u8]) -> Result<()>,
    ) -> Result<Vec<ChunkAt>> {
        let Range { start, end } = self.source.range;
        if end - start < TILE_HEADER {
            return Err(self.corrupt("number of chunks", start, "is cut off"));
        }
        let mut number = [0; TILE_HEADER as usize];
        read(start, &mut number)?;
        let number = u64::from_le_bytes(number);
        let mut at = start + TILE_HEADER;
        let mut data = 0usize;
        let mut chunks = Vec::new();
        for _ in 0..number {
            if data >= span.end {
                return Ok(chunks);
            }
            if end - at < CHUNK_HEADER {
                return Err(self.corrupt(
                    "chunk header",
                    at,
                    format!("is cut off; {number} chunks are announced"),
                ));
            }
            let mut header = [0; CHUNK_HEADER as usize];
            read(at, &mut header)?;
            let word = |i: usize| {
                u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]])
            };
            let chunk = ChunkAt {
                start: data,
                original_len: word(0),
                filtered_len: word(4),
                metadata_len: word(8),
                stored_at: at + CHUNK_HEADER,
            };
            if chunk.stored_len() > end - chunk.stored_at {
                return Err(self.corrupt(
                    "chunk",
                    at,
                    format!("of {} bytes passes the tile", chunk.stored_len()),
                ));
            }
            if chunk.original_len as usize > self.len - data {
                return Err(self.corrupt(
                    "chunk",
                    at,
                    format!("holds more than the tile's {} bytes", self.len),
                ));
            }
            at = chunk.stored_at + chunk.stored_len();
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

    /// The length of all chunks but the last of an unfiltered tile, if its first header and its size agree on one.
    fn uniform_chunks(&self) -> Result<Option<u64>> {
        let Range { start, end } = self.source.range;
        let len = self.len as u64;
        if end - start < TILE_HEADER + CHUNK_HEADER || len == 0 {
            return Ok(None);
        }
        let mut head = [0; (TILE_HEADER + CHUNK_HEADER) as usize];
        self.source.file.read_at(start, &mut head)?;
        let number = u64::from_le_bytes([
            head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7],
        ]);
        let chunk = u64::from(u32::from_le_bytes([head[8], head[9], head[10], head[11]]));
        let fits = chunk > 0
            && number == len.div_ceil(chunk)
            && number
                .checked_mul(CHUNK_HEADER)
                .and_then(|headers| headers.checked_add(TILE_HEADER + len))
                == Some(end - start);
        Ok(fits.then_some(chunk))
    }

    /// # Safety
    /// As [`StoredTile::copy_cells`].
    unsafe fn copy_unfiltered(
        &self,
        chunk: u64,
        size: usize,
        walks: &[Walk],
        to: SharedBytes<'_>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let mut segments = Vec::new();
        for walk in walks {
            let run = walk.run_len() * size;
            if run < 64 && walk.cell_num() > 64 {
                let span = bytes_of(walk, size);
                let data = room(&mut scratch.data, span.len())?;
                self.read_unfiltered(chunk, span.clone(), data, &mut scratch.sink)?;
                // SAFETY: the caller's promise.
                unsafe { walk.clone().shifted(span.start / size).copy(size, data, to) };
                continue;
            }
            let done: Result<()> = walk.for_each_run(|from, to, len| {
                self.push_segments(
                    chunk,
                    from * size..(from + len) * size,
                    to * size,
                    &mut segments,
                );
                Ok(())
            });
            done?;
        }
        if segments.windows(2).any(|pair| pair[1].file < pair[0].file) {
            segments.sort_unstable_by_key(|segment| segment.file);
        }
        let mut rest = &segments[..];
        while !rest.is_empty() {
            let (group, later) = rest.split_at(next_group(rest));
            rest = later;
            // SAFETY: segments are runs of cells of the walks.
            unsafe { self.read_group(group, to, scratch)? };
        }
        Ok(())
    }

    /// Cuts the bytes `from` of the tile at chunk ends and notes where each part lies in the file.
    fn push_segments(
        &self,
        chunk: u64,
        from: Range<usize>,
        to: usize,
        segments: &mut Vec<Segment>,
    ) {
        let (mut at, mut to) = (from.start as u64, to);
        let end = from.end as u64;
        while at < end {
            let part = (chunk - at % chunk).min(end - at);
            let file = self.source.range.start + TILE_HEADER + (at / chunk + 1) * CHUNK_HEADER + at;
            segments.push(Segment {
                file,
                to,
                len: part as usize,
            });
            at += part;
            to += part as usize;
        }
    }

    /// Reads the bytes `span` of an unfiltered tile into `to`, stepping over the chunk headers.
    fn read_unfiltered(
        &self,
        chunk: u64,
        span: Range<usize>,
        to: &mut [u8],
        sink: &mut Vec<u8>,
    ) -> Result<()> {
        let mut segments = Vec::new();
        self.push_segments(chunk, span, 0, &mut segments);
        let shared = SharedBytes::new(to);
        for group in segments.chunks(MAX_PARTS / 2) {
            // SAFETY: the segments are parts of `to`, each for itself.
            unsafe { self.read_parts(group, shared, sink)? };
        }
        Ok(())
    }

    /// Reads the data of unfiltered chunks, each to its place in the tile.
    pub(super) fn read_chunks_to(
        &self,
        chunks: &[ChunkAt],
        to: &mut [u8],
        sink: &mut Vec<u8>,
    ) -> Result<()> {
        let shared = SharedBytes::new(to);
        for group in chunks.chunks(MAX_PARTS / 2) {
            let segments: Vec<Segment> = group
                .iter()
                .map(|chunk| Segment {
                    file: chunk.stored_at,
                    to: chunk.start,
                    len: chunk.original_len as usize,
                })
                .collect();
            // SAFETY: the segments are parts of `to`, each for itself.
            unsafe { self.read_parts(&segments, shared, sink)? };
        }
        Ok(())
    }

    /// # Safety
    /// The destinations of the segments are the caller's alone.
    unsafe fn read_group(
        &self,
        group: &[Segment],
        to: SharedBytes<'_>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let wanted: usize = group.iter().map(|segment| segment.len).sum();
        if group.len() == 1 || wanted / group.len() >= 256 {
            // SAFETY: the caller's promise.
            return unsafe { self.read_parts(group, to, &mut scratch.sink) };
        }
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return Ok(());
        };
        let span = room(
            &mut scratch.stored,
            (last.file - first.file) as usize + last.len,
        )?;
        self.source.file.read_at(first.file, span)?;
        for segment in group {
            let at = (segment.file - first.file) as usize;
            // SAFETY: the caller's promise.
            unsafe { to.part(segment.to, segment.len) }
                .copy_from_slice(&span[at..at + segment.len]);
        }
        Ok(())
    }

    /// One vectored read; what lies between the segments goes down the sink.
    ///
    /// # Safety
    /// The destinations of the segments are the caller's alone.
    unsafe fn read_parts(
        &self,
        group: &[Segment],
        to: SharedBytes<'_>,
        sink: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(first) = group.first() else {
            return Ok(());
        };
        if group.len() == 1 {
            // SAFETY: the caller's promise.
            return self
                .source
                .file
                .read_at(first.file, unsafe { to.part(first.to, first.len) });
        }
        let mut sink = room(sink, SINK)?;
        let mut parts = Vec::with_capacity(2 * group.len());
        let mut at = first.file;
        for segment in group {
            let gap = (segment.file - at) as usize;
            if gap > 0 {
                let (waste, left) = sink.split_at_mut(gap);
                sink = left;
                parts.push(IoSliceMut::new(waste));
            }
            // SAFETY: the caller's promise.
            parts.push(IoSliceMut::new(unsafe { to.part(segment.to, segment.len) }));
            at = segment.file + segment.len as u64;
        }
        self.source.file.read_vectored_at(first.file, &mut parts)
    }
}

/// How many segments, from the first on, one read brings.
fn next_group(segments: &[Segment]) -> usize {
    let mut waste = 0;
    let mut parts = 1;
    for (at, pair) in segments.windows(2).enumerate() {
        // Ranges that overlap ask for bytes twice; those start a read of their own.
        let gap = pair[1]
            .file
            .checked_sub(pair[0].file + pair[0].len as u64)
            .filter(|gap| *gap <= GAP);
        let Some(gap) = gap else { return at + 1 };
        waste += gap as usize;
        parts += 2;
        if waste > SINK || parts > MAX_PARTS {
            return at + 1;
        }
    }
    segments.len()
}

/// The bytes of the tile from the first to the last cell of a walk.
fn bytes_of(walk: &Walk, size: usize) -> Range<usize> {
    let (start, end) = walk.source_span();
    start * size..end * size
}
