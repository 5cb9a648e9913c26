//! Reads of parts of a stored tile. For unfiltered tiles the requested cells are read from
//! the file directly to their destination; for filtered tiles only chunks with requested cells are
//! read and decoded.

use std::ops::Range;

use super::cells::Cells;
use super::chunk_cache::TileCache;
use super::chunk_location::ChunkLocation;
use super::disjoint::SharedBytes;
use super::stored_tile::StoredTile;
use super::strided_copy::StridedCopy;
use super::workspace::{TileWorkspace, ensure_len};
use crate::error::{Result, try_resize};
use crate::filter::{Chunk, TextsMut};

impl StoredTile<'_> {
    /// Copies cells, of `size` bytes each, from this tile to `to`. No other thread may access the
    /// cells of the destination that the copies write.
    pub fn copy_cells(
        &self,
        size: usize,
        copies: &[StridedCopy],
        to: SharedBytes<'_>,
        workspace: &mut TileWorkspace,
    ) -> Result<()> {
        if let Some(bytes) = self.converted {
            copies.iter().for_each(|copy| copy.copy(size, bytes, to));
            return Ok(());
        }
        if self.pipeline.is_identity()
            && let Some(chunk_len) = self.chunk_len()?
        {
            return self.copy_unfiltered(chunk_len, size, copies, to, workspace);
        }
        let bytes: usize = copies.iter().map(|copy| copy.cell_num() * size).sum();
        if let Some(cache) = self.cached_part(bytes) {
            return self.copy_cached(cache, size, copies, to, workspace);
        }
        let ranges: Vec<Range<usize>> = copies.iter().map(|copy| bytes_of(copy, size)).collect();
        let (chunks, base) = self.read_chunks(&ranges, &mut workspace.stored)?;
        if let [copy] = copies
            && copy.is_one_run()
            && let [range] = &ranges[..]
            && chunks
                .iter()
                .all(|chunk| range.start <= chunk.start && chunk.end() <= range.end)
        {
            let start = copy.destination_start() * size;
            for chunk in &chunks {
                let part = to.part(
                    start + chunk.start - range.start,
                    chunk.original_len as usize,
                );
                self.decode(chunk, base, &workspace.stored, part)?;
            }
            return Ok(());
        }
        let Some(first) = chunks.first().map(|chunk| chunk.start) else {
            return Ok(());
        };
        let end = chunks.last().map_or(first, ChunkLocation::end);
        // In files of old versions, cells may cross chunks, so positions are in bytes until the
        // copies start.
        let first = first / size * size;
        let data = ensure_len(&mut workspace.data, end - first)?;
        for chunk in &chunks {
            self.decode(
                chunk,
                base,
                &workspace.stored,
                &mut data[chunk.start - first..chunk.end() - first],
            )?;
        }
        for copy in copies {
            copy.clone().shifted(first / size).copy(size, data, to);
        }
        Ok(())
    }

    /// Reads the bytes `span` of the tile into `to`, replacing its content.
    pub fn read_span(
        &self,
        span: Range<usize>,
        workspace: &mut TileWorkspace,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        if span.end > self.len || span.start > span.end {
            return Err(self.corrupt(
                "offsets",
                0,
                format!("refer to bytes {span:?} of a tile of {}", self.len),
            ));
        }
        if span.is_empty() {
            to.clear();
            return Ok(());
        }
        if let Some(bytes) = self.converted {
            try_resize("a tile", to, span.len())?;
            to.copy_from_slice(&bytes[span]);
            return Ok(());
        }
        if let Some(cache) = self.cached_part(span.len()) {
            to.clear();
            return self.read_cached(cache, span, workspace, to);
        }
        let (chunks, base) =
            self.read_chunks(std::slice::from_ref(&span), &mut workspace.stored)?;
        try_resize("a tile", to, span.len())?;
        for chunk in &chunks {
            let (from, end) = (span.start.max(chunk.start), span.end.min(chunk.end()));
            let part = &mut to[from - span.start..end - span.start];
            if part.len() == chunk.original_len as usize {
                self.decode(chunk, base, &workspace.stored, part)?;
            } else {
                let data = ensure_len(&mut workspace.data, chunk.original_len as usize)?;
                self.decode(chunk, base, &workspace.stored, data)?;
                part.copy_from_slice(&data[from - chunk.start..end - chunk.start]);
            }
        }
        Ok(())
    }

    /// Reads all cells of a tile that contains its offsets; `cells` is their expected number.
    pub fn read_texts(
        &self,
        cells: usize,
        workspace: &mut TileWorkspace,
        to: &mut Cells,
    ) -> Result<()> {
        let stored = self.read_stored(&mut workspace.stored)?;
        self.watch.note_read(self.len);
        self.check_chunks(stored)?;
        try_resize("a tile", &mut to.data, self.len)?;
        let texts = TextsMut {
            values: &mut to.data,
            number: cells,
            starts: &mut to.starts,
        };
        self.pipeline
            .decode_texts(stored, texts)
            .map_err(|error| error.with_uri(self.location.fragment))
    }

    /// Returns the cache if a read of this many bytes uses it: not for whole tiles, which are
    /// rarely read again, and not for unfiltered ones, which are copied from the file.
    fn cached_part(&self, bytes: usize) -> Option<&TileCache<'_>> {
        let cache = self.cache.as_ref();
        cache.filter(|_| bytes < self.len && !self.pipeline.is_identity())
    }

    /// Returns the length of the chunks of an unfiltered tile like [`StoredTile::uniform_chunks`],
    /// from the cache if possible.
    fn chunk_len(&self) -> Result<Option<u64>> {
        let Some(cache) = &self.cache else {
            return self.uniform_chunks();
        };
        if let Some(len) = cache.uniform() {
            return Ok(len);
        }
        let len = self.uniform_chunks()?;
        cache.put_uniform(len);
        Ok(len)
    }

    pub(super) fn decode(
        &self,
        chunk: &ChunkLocation,
        base: u64,
        stored: &[u8],
        to: &mut [u8],
    ) -> Result<()> {
        let offset = (chunk.position - base) as usize;
        let bytes = stored
            .get(offset..offset + chunk.stored_len() as usize)
            .unwrap_or_default();
        let (metadata, filtered) = bytes.split_at(chunk.metadata_len as usize);
        let chunk = Chunk {
            original_len: chunk.original_len,
            metadata,
            filtered,
        };
        self.pipeline
            .decode_chunk(chunk, to)
            .map_err(|error| error.with_uri(self.location.fragment))
    }
}

/// Returns the range of bytes of the tile from the first to the last cell of a copy.
pub(super) fn bytes_of(copy: &StridedCopy, size: usize) -> Range<usize> {
    let (start, end) = copy.source_span();
    start * size..end * size
}
