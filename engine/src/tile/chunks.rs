//! The chunks of a stored tile: reading those that contain requested bytes.
//!
//! Chunk headers are checked against the tile's stored range and its unfiltered length before they
//! are used.

use std::ops::Range;

use super::chunk_location::ChunkLocation;
use super::stored_tile::StoredTile;
use super::workspace::ensure_len;
use crate::error::Result;
use crate::memory::tuning::{MAX_CHUNK_GAP, SMALL_TILE_BYTES};

/// The size in bytes of the tile header, the number of chunks.
pub(super) const TILE_HEADER: u64 = 8;
/// The size in bytes of a chunk header: three lengths.
pub(super) const CHUNK_HEADER: u64 = 12;

impl StoredTile<'_> {
    /// Reads the chunks that contain a byte of `requested` into `stored`. Returns the chunks, in
    /// order, and the file position of the first byte of `stored`.
    pub(super) fn read_chunks(
        &self,
        requested: &[Range<usize>],
        stored: &mut Vec<u8>,
    ) -> Result<(Vec<ChunkLocation>, u64)> {
        let (_, touched, base) = self.locate_and_read(requested, stored)?;
        Ok((touched, base))
    }

    /// Reads chunks like [`StoredTile::read_chunks`]. Returns also all chunks up to the end of
    /// `requested`.
    pub(super) fn locate_and_read(
        &self,
        requested: &[Range<usize>],
        stored: &mut Vec<u8>,
    ) -> Result<(Vec<ChunkLocation>, Vec<ChunkLocation>, u64)> {
        let Range { start, end } = self.location.range;
        // Before allocating a large amount of memory, check that the file is that large.
        if end - start > SMALL_TILE_BYTES && self.location.file.size()? < end {
            return Err(self.corrupt("stored tile", start, "extends beyond the end of its file"));
        }
        let touched_of = |chunks: &[ChunkLocation]| -> Vec<ChunkLocation> {
            let touched = chunks.iter().filter(|chunk| chunk.has_any(requested));
            touched.copied().collect()
        };
        let bytes: usize = requested.iter().map(ExactSizeIterator::len).sum();
        let span = requested
            .iter()
            .map(|range| range.start)
            .min()
            .unwrap_or_default()
            ..requested
                .iter()
                .map(|range| range.end)
                .max()
                .unwrap_or_default();
        if end - start <= SMALL_TILE_BYTES || bytes.min(span.len()).saturating_mul(2) >= self.len {
            let len = usize::try_from(end - start)
                .map_err(|_| self.corrupt("size", start, "exceeds the address space"))?;
            let whole = ensure_len(stored, len)?;
            self.location.file.read_at(start, whole)?;
            let chunks = self.parse_chunks(span, |offset, header| {
                let offset = (offset - start) as usize;
                header
                    .copy_from_slice(whole.get(offset..offset + header.len()).unwrap_or_default());
                Ok(())
            })?;
            let touched = touched_of(&chunks);
            self.note_chunks(&touched);
            return Ok((chunks, touched, start));
        }
        let chunks = self.parse_chunks(span, |offset, header| {
            self.location.file.read_at(offset, header)
        })?;
        let touched = touched_of(&chunks);
        let base = self.read_located(&touched, stored)?;
        Ok((chunks, touched, base))
    }

    /// Reads these chunks, which ascend, into `stored`. Returns the file position of its first
    /// byte.
    pub(super) fn read_located(
        &self,
        chunks: &[ChunkLocation],
        stored: &mut Vec<u8>,
    ) -> Result<u64> {
        let start = self.location.range.start;
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
            self.location.file.read_at(first.position, part)?;
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
        let Range { start, end } = self.location.range;
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
            let word = |i: usize| {
                u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]])
            };
            let chunk = ChunkLocation {
                start: data,
                original_len: word(0),
                filtered_len: word(4),
                metadata_len: word(8),
                position: offset + CHUNK_HEADER,
            };
            if chunk.stored_len() > end - chunk.position {
                return Err(self.corrupt(
                    "chunk",
                    offset,
                    format!("of {} bytes extends beyond the tile", chunk.stored_len()),
                ));
            }
            if chunk.original_len as usize > self.len - data {
                return Err(self.corrupt(
                    "chunk",
                    offset,
                    format!("holds more than the tile's {} bytes", self.len),
                ));
            }
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
}
