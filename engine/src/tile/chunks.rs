//! The chunks of a stored tile: their headers checked, those that hold wanted bytes read.
//!
//! Nothing of a chunk header is believed before it is checked against the tile's stored range and
//! its length in memory.

use std::ops::Range;

use super::fetch::StoredTile;
use super::scratch::room;
use crate::error::Result;

/// The bytes before the chunks of a tile: their number.
pub(super) const TILE_HEADER: u64 = 8;
/// The bytes before the data of a chunk: three lengths.
pub(super) const CHUNK_HEADER: u64 = 12;
/// A gap in a file that is cheaper to read over than to make another system call for.
pub(super) const GAP: u64 = 2048;
/// A stored tile up to this size is read whole: fewer calls are worth more than fewer bytes.
pub(super) const SMALL: u64 = 131_072;

/// A chunk of a stored tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChunkAt {
    /// Where its data starts in the tile in memory.
    pub(super) start: usize,
    pub(super) original_len: u32,
    pub(super) filtered_len: u32,
    pub(super) metadata_len: u32,
    /// Where its metadata starts in the file; the filtered data follows.
    pub(super) stored_at: u64,
}

impl ChunkAt {
    pub(super) fn end(&self) -> usize {
        self.start + self.original_len as usize
    }

    /// Returns whether its data can be stored as it is.
    pub(super) fn is_plain(&self) -> bool {
        self.metadata_len == 0 && self.filtered_len == self.original_len
    }

    pub(super) fn stored_len(&self) -> u64 {
        u64::from(self.metadata_len) + u64::from(self.filtered_len)
    }
}

impl StoredTile<'_> {
    /// Reads the chunks that hold a byte of `wanted` into `stored`; answers them, in order, and the
    /// place in the file of the first byte of `stored`.
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

    /// Returns the chunks up to the end of `span`, their headers brought by `read`.
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
}
