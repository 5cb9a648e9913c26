//! The chunks of a stored tile: reading those that contain requested bytes.
//!
//! Chunk headers are checked against the tile's stored range and its unfiltered length before they
//! are used.

use std::ops::Range;

use super::chunk_location::{CHUNK_HEADER, ChunkLocation};
use super::stored_tile::StoredTile;
use super::workspace::ensure_len;
use crate::error::Result;
use crate::memory::tuning::{MAX_CHUNK_GAP, SMALL_TILE_BYTES};

/// The size in bytes of the tile header, the number of chunks.
pub(super) const TILE_HEADER: u64 = 8;

/// The chunks of a tile that were read.
#[derive(Debug)]
pub(super) struct ReadChunks {
    /// All chunks up to the end of the requested bytes.
    pub(super) located: Vec<ChunkLocation>,
    /// The chunks that contain a requested byte, in order. They were read.
    pub(super) touched: Vec<ChunkLocation>,
    /// The file position of the first byte that was read.
    pub(super) base: u64,
}

impl StoredTile<'_> {
    /// Reads the chunks that contain a byte of `requested` into `stored`. Returns the chunks, in
    /// order, and the file position of the first byte of `stored`.
    pub(super) fn read_chunks(
        &self,
        requested: &[Range<usize>],
        stored: &mut Vec<u8>,
    ) -> Result<(Vec<ChunkLocation>, u64)> {
        let ReadChunks { touched, base, .. } = self.locate_and_read(requested, stored)?;
        Ok((touched, base))
    }

    /// Reads the chunks that contain a byte of `requested` into `stored`.
    pub(super) fn locate_and_read(
        &self,
        requested: &[Range<usize>],
        stored: &mut Vec<u8>,
    ) -> Result<ReadChunks> {
        self.check_in_file()?;
        let Range { start, end } = self.location.range;
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
            return Ok(ReadChunks {
                located,
                touched,
                base: start,
            });
        }
        let located = self.parse_chunks(span, |offset, header| {
            self.location.file.read_at(offset, header)
        })?;
        let touched = touched_of(&located);
        let base = self.read_located(&touched, stored)?;
        Ok(ReadChunks {
            located,
            touched,
            base,
        })
    }

    /// Returns an error if a large tile is not within its file: checked before a large amount of
    /// memory is allocated.
    pub(super) fn check_in_file(&self) -> Result<()> {
        let Range { start, end } = self.location.range;
        if end - start > SMALL_TILE_BYTES && self.location.file.size()? < end {
            return Err(self.corrupt("stored tile", start, "extends beyond the end of its file"));
        }
        Ok(())
    }

    /// Reads all bytes of the stored tile, after [`StoredTile::check_in_file`].
    pub(super) fn read_file_range<'s>(&self, stored: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        let Range { start, end } = self.location.range;
        let len = usize::try_from(end - start)
            .map_err(|_| self.corrupt("size", start, "exceeds the address space"))?;
        let bytes = ensure_len(stored, len)?;
        self.location.file.read_at(start, bytes)?;
        Ok(bytes)
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
        if chunk.stored_len() > self.location.range.end - chunk.position {
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
