//! Reads of unfiltered tiles: requested bytes are read from the file directly to their destination,
//! without the chunk headers between them. Chunks of which narrow parts are read repeatedly are
//! cached, because such a read takes as long as one of the whole chunk.

use std::io::IoSliceMut;
use std::ops::Range;
use std::sync::Arc;

use super::chunk_cache::{CHUNK_HEADER, ChunkLocation, TileCache};
use super::chunks::{LoadedChunk, TILE_HEADER, copy_loaded};
use super::disjoint::SharedBytes;
use super::stored_tile::{StoredTile, TileWorkspace, bytes_of, ensure_len};
use super::strided_copy::StridedCopy;
use crate::error::{Result, try_vec};
use crate::memory::tuning::{
    MAX_DISCARDED_BYTES, MAX_GATHERED_BYTES, MAX_NARROW_GAP, MIN_SCATTERED_BYTES,
};

/// The maximum number of buffers of one vectored read.
const MAX_PARTS: usize = 1024;

/// A part of an unfiltered tile: its position in the file and in the destination, and its length.
#[derive(Clone, Copy, Debug)]
struct Segment {
    file: u64,
    to: usize,
    len: usize,
}

impl StoredTile<'_> {
    /// Returns the common length of all chunks but the last of an unfiltered tile, if its first
    /// header and its stored size agree with one.
    pub(super) fn uniform_chunks(&self) -> Result<Option<u64>> {
        let Range { start, end } = self.range;
        let len = self.len as u64;
        if end - start < TILE_HEADER + CHUNK_HEADER || len == 0 {
            return Ok(None);
        }
        let mut head = [0; (TILE_HEADER + CHUNK_HEADER) as usize];
        self.file.read_at(start, &mut head)?;
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

    /// Copies cells like [`StoredTile::copy_cells`] from an unfiltered tile with chunks of `chunk`
    /// bytes.
    pub(super) fn copy_unfiltered(
        &self,
        chunk: u64,
        size: usize,
        copies: &[StridedCopy],
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        if let Some(cache) = &self.cache
            && let Some(indexes) = narrow_chunks(chunk, size, copies)
        {
            let chunks: Vec<ChunkLocation> = indexes
                .map(|index| self.uniform_location(chunk, index))
                .collect();
            if cache.admits(&chunks) {
                return self.copy_from_cache(cache, &chunks, size, copies, to, workspace);
            }
        }
        let mut segments = Vec::new();
        for copy in copies {
            self.watch.note_bytes(copy.cell_num() * size);
            if copy.cell_num() > 64 && !copy.has_separate_runs(size) {
                let span = bytes_of(copy, size);
                let data = ensure_len(&mut workspace.data, span.len())?;
                self.read_unfiltered(chunk, span.clone(), data, &mut workspace.discarded)?;
                copy.clone().shifted(span.start / size).copy(size, data, to);
                continue;
            }
            copy.for_each_run(|cells| {
                let bytes = cells.in_bytes(size);
                self.push_segments(chunk, bytes.source(), bytes.to, &mut segments);
            });
        }
        if segments.windows(2).any(|pair| pair[1].file < pair[0].file) {
            segments.sort_unstable_by_key(|segment| segment.file);
        }
        let requested: usize = segments.iter().map(|segment| segment.len).sum();
        let gathered = requested / segments.len().max(1) < MIN_SCATTERED_BYTES;
        let mut rest = &segments[..];
        while !rest.is_empty() {
            let (group, remaining) = rest.split_at(next_group(rest, gathered));
            rest = remaining;
            if gathered && group.len() > 1 {
                self.read_gathered(group, to, workspace)?;
            } else {
                let part = |segment: &Segment| to.part(segment.to, segment.len);
                self.read_parts(group, part, &mut workspace.discarded)?;
            }
        }
        Ok(())
    }

    /// Returns the location of a chunk of a tile with chunks of `chunk` bytes.
    fn uniform_location(&self, chunk: u64, index: u64) -> ChunkLocation {
        let start = index * chunk;
        let len = chunk.min((self.len as u64).saturating_sub(start)) as u32;
        ChunkLocation {
            start: start as usize,
            original_len: len,
            filtered_len: len,
            metadata_len: 0,
            position: self.range.start + TILE_HEADER + (index + 1) * CHUNK_HEADER + start,
        }
    }

    /// Copies cells like [`StoredTile::copy_unfiltered`] from cached chunks. Those that are missing
    /// are added.
    fn copy_from_cache(
        &self,
        cache: &TileCache<'_>,
        chunks: &[ChunkLocation],
        size: usize,
        copies: &[StridedCopy],
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        let load = |location: &ChunkLocation| {
            let bytes = match cache.data(location) {
                Some(bytes) => bytes,
                None => {
                    let mut bytes: Vec<u8> = try_vec("a chunk", location.len())?;
                    self.file.read_at(location.position, &mut bytes)?;
                    let bytes = Arc::new(bytes);
                    cache.put_data(location, bytes.clone());
                    bytes
                }
            };
            Ok(LoadedChunk {
                location: *location,
                bytes: Some(bytes),
            })
        };
        let loaded: Vec<LoadedChunk> = chunks.iter().map(load).collect::<Result<_>>()?;
        let requested = copies.iter().map(|copy| copy.cell_num() * size);
        self.watch.note_bytes(requested.sum());
        copy_loaded(size, copies, &loaded, to, &mut workspace.data)
    }

    /// Divides the bytes `from` of the tile at the ends of chunks and adds a segment for each part.
    fn push_segments(
        &self,
        chunk: u64,
        from: Range<usize>,
        to: usize,
        segments: &mut Vec<Segment>,
    ) {
        let (mut offset, mut to) = (from.start as u64, to);
        let end = from.end as u64;
        while offset < end {
            let part = (chunk - offset % chunk).min(end - offset);
            let file =
                self.range.start + TILE_HEADER + (offset / chunk + 1) * CHUNK_HEADER + offset;
            segments.push(Segment {
                file,
                to,
                len: part as usize,
            });
            offset += part;
            to += part as usize;
        }
    }

    /// Reads the bytes `span` of an unfiltered tile into `to`, without chunk headers.
    fn read_unfiltered(
        &self,
        chunk: u64,
        span: Range<usize>,
        to: &mut [u8],
        discarded: &mut Vec<u8>,
    ) -> Result<()> {
        let mut segments = Vec::new();
        self.push_segments(chunk, span, 0, &mut segments);
        let (mut rest, mut done) = (to, 0);
        for group in segments.chunks(MAX_PARTS / 2) {
            let next = |segment: &Segment| next_part(&mut rest, &mut done, segment);
            self.read_parts(group, next, discarded)?;
        }
        Ok(())
    }

    /// Reads the data of unfiltered chunks to their positions in the tile.
    pub(super) fn read_chunks_to(
        &self,
        chunks: &[ChunkLocation],
        to: &mut [u8],
        discarded: &mut Vec<u8>,
    ) -> Result<()> {
        let (mut rest, mut done) = (to, 0);
        for group in chunks.chunks(MAX_PARTS / 2) {
            let segments: Vec<Segment> = group
                .iter()
                .map(|chunk| Segment {
                    file: chunk.position,
                    to: chunk.start,
                    len: chunk.original_len as usize,
                })
                .collect();
            let next = |segment: &Segment| next_part(&mut rest, &mut done, segment);
            self.read_parts(&segments, next, discarded)?;
        }
        Ok(())
    }

    /// Reads segments with the bytes between them, and copies them to their destinations.
    fn read_gathered(
        &self,
        group: &[Segment],
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            return Ok(());
        };
        let span = ensure_len(
            &mut workspace.stored,
            (last.file - first.file) as usize + last.len,
        )?;
        self.file.read_at(first.file, span)?;
        for segment in group {
            let offset = (segment.file - first.file) as usize;
            to.write(segment.to, &span[offset..offset + segment.len]);
        }
        Ok(())
    }

    /// Reads segments with one vectored read; bytes between them are read into `discarded`. `part`
    /// returns the destination of a segment.
    fn read_parts<'t>(
        &self,
        group: &[Segment],
        mut part: impl FnMut(&Segment) -> &'t mut [u8],
        discarded: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(first) = group.first() else {
            return Ok(());
        };
        if group.len() == 1 {
            return self.file.read_at(first.file, part(first));
        }
        let mut discarded = ensure_len(discarded, MAX_DISCARDED_BYTES)?;
        let mut parts = Vec::with_capacity(2 * group.len());
        let mut offset = first.file;
        for segment in group {
            let gap = (segment.file - offset) as usize;
            if gap > 0 {
                let (waste, left) = discarded.split_at_mut(gap);
                discarded = left;
                parts.push(IoSliceMut::new(waste));
            }
            parts.push(IoSliceMut::new(part(segment)));
            offset = segment.file + segment.len as u64;
        }
        self.file.read_vectored_at(first.file, &mut parts)
    }
}

/// Returns the indexes of the chunks that contain runs of cells, if the runs are short beside the
/// gaps between them, and reading both takes nearly all bytes of the chunks.
fn narrow_chunks(chunk: u64, size: usize, copies: &[StridedCopy]) -> Option<Range<u64>> {
    let (mut requested, mut spans, mut runs) = (0, 0, 0);
    let (mut first, mut end) = (usize::MAX, 0);
    for copy in copies {
        let span = bytes_of(copy, size);
        requested += copy.cell_num() * size;
        spans += span.len();
        runs += copy.cell_num() / copy.run_len().max(1);
        (first, end) = (first.min(span.start), end.max(span.end));
    }
    let gaps = spans.saturating_sub(requested);
    if requested == 0 || gaps < requested || gaps / runs > MAX_NARROW_GAP {
        return None;
    }
    let indexes = first as u64 / chunk..(end as u64).div_ceil(chunk);
    let bytes = (indexes.end - indexes.start) * chunk;
    (spans as u64 >= bytes / 4 * 3).then_some(indexes)
}

/// Removes the part of a segment from `rest`, the bytes of a buffer after the first `done`. The
/// segments must ascend in the buffer.
fn next_part<'t>(rest: &mut &'t mut [u8], done: &mut usize, segment: &Segment) -> &'t mut [u8] {
    let bytes = std::mem::take(rest);
    let (_, bytes) = bytes.split_at_mut(segment.to - *done);
    let (part, bytes) = bytes.split_at_mut(segment.len);
    *rest = bytes;
    *done = segment.to + segment.len;
    part
}

/// Returns the number of segments at the start that one read covers: a vectored one, or, if they
/// are gathered, one with all bytes between them.
fn next_group(segments: &[Segment], gathered: bool) -> usize {
    let mut bytes = segments.first().map_or(0, |segment| segment.len as u64);
    let mut waste = 0;
    let mut parts = 1;
    for (index, pair) in segments.windows(2).enumerate() {
        // Overlapping ranges need the same bytes twice, so they are read separately.
        let gap = pair[1]
            .file
            .checked_sub(pair[0].file + pair[0].len as u64)
            .filter(|gap| *gap <= MAX_NARROW_GAP as u64);
        let Some(gap) = gap else { return index + 1 };
        waste += gap as usize;
        parts += 2;
        bytes += gap + pair[1].len as u64;
        let full = if gathered {
            bytes > MAX_GATHERED_BYTES as u64
        } else {
            waste > MAX_DISCARDED_BYTES || parts > MAX_PARTS
        };
        if full {
            return index + 1;
        }
    }
    segments.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divides segments of `len` bytes with `gap` bytes between them, and returns the groups.
    fn groups(number: usize, len: usize, gap: u64, gathered: bool) -> Vec<Vec<Segment>> {
        let segments: Vec<Segment> = (0..number)
            .map(|index| Segment {
                file: index as u64 * (len as u64 + gap),
                to: index * len,
                len,
            })
            .collect();
        let mut rest = &segments[..];
        let mut groups = Vec::new();
        while !rest.is_empty() {
            let (group, remaining) = rest.split_at(next_group(rest, gathered));
            rest = remaining;
            groups.push(group.to_vec());
        }
        groups
    }

    #[test]
    fn groups_of_segments_are_within_the_limits_of_a_read() {
        let gaps = [0, 1, 2047, MAX_NARROW_GAP as u64, MAX_NARROW_GAP as u64 + 1];
        for (len, gap) in [1, 4, 256, 5000, 2 << 20]
            .into_iter()
            .flat_map(|len| gaps.map(|gap| (len, gap)))
        {
            for gathered in [false, true] {
                let found = groups(3000, len, gap, gathered);
                assert_eq!(found.iter().map(Vec::len).sum::<usize>(), 3000);
                for group in &found {
                    let span = group.len() as u64 * (len as u64 + gap) - gap;
                    let waste = (group.len() as u64 - 1) * gap;
                    if group.len() == 1 {
                        continue;
                    }
                    assert!(gap <= MAX_NARROW_GAP as u64);
                    if gathered {
                        assert!(span <= MAX_GATHERED_BYTES as u64, "{len} {gap} {span}");
                    } else {
                        assert!(waste <= MAX_DISCARDED_BYTES as u64, "{len} {gap} {waste}");
                        assert!(2 * group.len() <= MAX_PARTS + 1, "{len} {gap}");
                    }
                }
            }
        }
        // A column of a tile of 1 MB is one read.
        assert_eq!(groups(512, 4, 2044, true).len(), 1);
    }
}
