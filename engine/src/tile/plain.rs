//! Tiles that no filter touched: wanted bytes go from the file to where they belong, past the
//! headers of chunks.
#![expect(
    unsafe_code,
    reason = "reads straight into the caller's parts of a shared buffer"
)]

use std::io::IoSliceMut;
use std::ops::Range;

use super::arrange::Walk;
use super::chunks::{CHUNK_HEADER, ChunkAt, GAP, TILE_HEADER};
use super::disjoint::SharedBytes;
use super::fetch::{StoredTile, bytes_of};
use super::scratch::{Scratch, room};
use crate::error::Result;

/// The most that one vectored read throws away.
const SINK: usize = 65536;
/// The most buffers of one vectored read.
const MAX_PARTS: usize = 1024;

/// A piece of an unfiltered tile on its way: from the file to the destination.
#[derive(Clone, Copy, Debug)]
struct Segment {
    file: u64,
    to: usize,
    len: usize,
}

impl StoredTile<'_> {
    /// Returns the length of all chunks but the last of an unfiltered tile, if its first header and
    /// its size agree on one.
    pub(super) fn uniform_chunks(&self) -> Result<Option<u64>> {
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
    pub(super) unsafe fn copy_unfiltered(
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

/// Returns the number of segments, from the first on, one read brings.
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
