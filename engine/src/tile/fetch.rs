//! A stored tile, and as little of it as a caller needs: wanted rows of unfiltered tiles go from
//! the file to where they belong, of filtered tiles only the touched chunks are read and decoded.
#![expect(
    unsafe_code,
    reason = "reads straight into the caller's parts of a shared buffer"
)]

use std::ops::Range;

use super::arrange::Walk;
use super::cells::Cells;
use super::chunks::ChunkAt;
use super::disjoint::SharedBytes;
use super::scratch::{Scratch, room};
use crate::error::{Error, Result, try_resize};
use crate::filter::{Chunk, Pipeline, TextsMut};
use crate::vfs::{ReadFile, Uri};

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

impl StoredTile<'_> {
    pub(super) fn corrupt(
        &self,
        field: &'static str,
        at: u64,
        problem: impl Into<String>,
    ) -> Error {
        Error::corrupt("tile", field, at, problem).with_uri(self.source.place)
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
        // Cells may cross chunks in files of old versions, so positions are in bytes until the
        // walks start.
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
        try_resize("a tile", to, span.len())?;
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

    /// All cells of a tile whose filters fold their offsets into the values: so many cells, into
    /// `to`.
    pub fn read_texts(&self, cells: usize, scratch: &mut Scratch, to: &mut Cells) -> Result<()> {
        let stored = self.read_stored(&mut scratch.stored)?;
        self.check_chunks(stored)?;
        try_resize("a tile", &mut to.data, self.len)?;
        let texts = TextsMut {
            values: &mut to.data,
            number: cells,
            starts: &mut to.starts,
        };
        self.pipeline
            .decode_texts(stored, texts)
            .map_err(|error| error.with_uri(self.source.place))
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
            .map_err(|error| error.with_uri(self.source.place))
    }
}

/// Returns the bytes of the tile from the first to the last cell of a walk.
pub(super) fn bytes_of(walk: &Walk, size: usize) -> Range<usize> {
    let (start, end) = walk.source_span();
    start * size..end * size
}
