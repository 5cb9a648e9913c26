//! A tile as it is stored: its location, the filters of its values, which depend on the format
//! version, its length; and reads of it or of parts of it.
//!
//! For unfiltered tiles the requested cells are read from the file directly to their destination,
//! or from chunks that are read repeatedly (`plain`); for filtered tiles only chunks with requested
//! cells are read and decoded (`chunks`, `chunk_cache`). Whole tiles are read once, then decoded
//! chunk by chunk to the destination.

use std::ops::Range;

use super::cells::Cells;
use super::chunk_cache::{ChunkLocation, TileCache};
use super::disjoint::SharedBytes;
use super::strided_copy::StridedCopy;
use crate::error::{Error, Result, reserve_exact, try_resize, try_vec};
use crate::filter::{Chunk, Chunks, Filter, FilterType, Pipeline};
use crate::format::version::{self as v, FormatVersion};
use crate::memory::tuning::SMALL_TILE_BYTES;
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};
use crate::schema::StoredField;
use crate::stats::ReadWatch;
use crate::types::{Datatype, EncryptionKey};
use crate::vfs::{ReadFile, Uri};

/// A stored tile: its location, its filters, and its unfiltered length.
#[derive(Debug)]
pub struct StoredTile<'a> {
    /// The URI of the fragment, for error messages.
    pub fragment: &'a Uri,
    /// The file.
    pub file: &'a ReadFile,
    /// The range of the stored tile in the file, in bytes.
    pub range: Range<u64>,
    /// The pipeline that reverses its filters.
    pub pipeline: &'a Pipeline,
    /// The unfiltered length in bytes.
    pub len: usize,
    /// The part of the cache of decoded chunks that belongs to the tile, if there is a cache.
    pub cache: Option<TileCache<'a>>,
    /// Measures how long reading and unfiltering take.
    pub watch: ReadWatch,
    /// The bytes of the tile, if they differ from the stored ones: nothing is read then.
    pub converted: Option<&'a [u8]>,
}

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
        let (chunks, _, base) = self.read_chunks(&ranges, &mut workspace.stored)?;
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
        let (chunks, _, base) =
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
        self.pipeline
            .decode_texts(stored, &mut to.data, cells, &mut to.starts)
            .map_err(|error| error.with_uri(self.fragment))
    }

    /// Returns the cache if a read of this many bytes uses it: not for whole tiles, which are
    /// rarely read again, and not for unfiltered ones ([`StoredTile::copy_unfiltered`] decides).
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
            .map_err(|error| error.with_uri(self.fragment))
    }

    /// Decodes the whole tile into `to`, which must have the tile's unfiltered length.
    pub fn read_whole(&self, to: &mut [u8], workspace: &mut TileWorkspace) -> Result<()> {
        if to.len() != self.len {
            let problem = format!("is {1} bytes, but {0} were requested", to.len(), self.len);
            return Err(self.corrupt("length", 0, problem));
        }
        if self.len == 0 {
            return Ok(());
        }
        if let Some(bytes) = self.converted {
            to.copy_from_slice(bytes);
            return Ok(());
        }
        if self.is_plain() {
            return self.read_plain(to, workspace);
        }
        let stored = self.read_stored(&mut workspace.stored)?;
        self.watch.note_read(self.len);
        self.decode_stored(stored, to)
    }

    /// Decodes the whole tile into a buffer, replacing its content. Memory is allocated after the
    /// lengths of the stored chunks have been checked.
    pub fn read_whole_into(&self, to: &mut Vec<u8>, workspace: &mut TileWorkspace) -> Result<()> {
        if self.converted.is_some() {
            self.resize(to)?;
            return self.read_whole(to, workspace);
        }
        if self.is_plain() {
            if self.len > to.capacity() {
                self.check_len(workspace)?;
            }
            self.resize(to)?;
            return self.read_whole(to, workspace);
        }
        if self.len == 0 {
            to.clear();
            return Ok(());
        }
        let stored = self.read_stored(&mut workspace.stored)?;
        self.watch.note_read(self.len);
        if self.len > to.capacity() {
            self.check_chunks(stored)?;
        }
        self.resize(to)?;
        self.decode_stored(stored, to)
    }

    /// Resizes a buffer to the tile's length. Its content is unspecified.
    fn resize(&self, to: &mut Vec<u8>) -> Result<()> {
        if self.len > to.capacity() {
            to.clear();
            reserve_exact("a tile", to, self.len)?;
        }
        to.resize(self.len, 0);
        Ok(())
    }

    /// Returns whether the tile is read directly to its destination.
    fn is_plain(&self) -> bool {
        self.pipeline.is_identity() && self.range.end - self.range.start > SMALL_TILE_BYTES
    }

    /// Decodes the chunks of the stored tile.
    fn decode_stored(&self, stored: &[u8], to: &mut [u8]) -> Result<()> {
        let mut offset = 0;
        let fragment = self.fragment;
        for chunk in self.chunks(stored)? {
            let chunk = chunk.map_err(|error| error.with_uri(fragment))?;
            let end = offset + chunk.original_len as usize;
            self.pipeline
                .decode_chunk(chunk, &mut to[offset..end])
                .map_err(|error| error.with_uri(fragment))?;
            offset = end;
        }
        Ok(())
    }

    fn chunks<'s>(&self, stored: &'s [u8]) -> Result<Chunks<'s>> {
        Chunks::parse(stored, self.len as u64).map_err(|error| error.with_uri(self.fragment))
    }

    /// Returns an error unless the chunks of the stored tile have as many unfiltered bytes as the
    /// tile.
    pub(super) fn check_chunks(&self, stored: &[u8]) -> Result<()> {
        let mut chunks = self.chunks(stored)?;
        chunks
            .try_for_each(|chunk| chunk.map(drop))
            .map_err(|error| error.with_uri(self.fragment))
    }

    /// Returns an error unless the chunks in the file have as many unfiltered bytes as the tile.
    fn check_len(&self, workspace: &mut TileWorkspace) -> Result<()> {
        if self.len as u64 <= SMALL_TILE_BYTES {
            return Ok(());
        }
        let last = self.len - 1..self.len;
        self.read_chunks(std::slice::from_ref(&last), &mut workspace.stored)
            .map(|_| ())
    }

    /// Reads an unfiltered tile directly to its destination. Chunks of variable-length cells differ
    /// in length, since they contain whole cells.
    fn read_plain(&self, to: &mut [u8], workspace: &mut TileWorkspace) -> Result<()> {
        let file = self.file;
        let chunks =
            self.parse_chunks(0..self.len, |offset, header| file.read_at(offset, header))?;
        if chunks.iter().any(|chunk| !chunk.is_plain()) {
            return Err(self.corrupt(
                "chunk",
                self.range.start,
                "has a stored length other than that of its data",
            ));
        }
        self.watch.note_bytes(self.len);
        self.read_chunks_to(&chunks, to, &mut workspace.discarded)
    }

    /// Returns all bytes of the stored tile.
    pub(super) fn read_stored<'s>(&self, stored: &'s mut Vec<u8>) -> Result<&'s [u8]> {
        self.check_in_file()?;
        self.read_file_range(stored)
    }

    pub(super) fn corrupt(
        &self,
        field: &'static str,
        offset: u64,
        problem: impl Into<String>,
    ) -> Error {
        Error::corrupt("tile", field, offset, problem).with_uri(self.fragment)
    }
}

/// Returns the range of bytes of the tile from the first to the last cell of a copy.
pub(super) fn bytes_of(copy: &StridedCopy, size: usize) -> Range<usize> {
    let (start, end) = copy.source_span();
    start * size..end * size
}

/// Returns the pipeline for the values of a field in fragments of this version.
pub fn values_pipeline(
    field: &StoredField,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Pipeline> {
    if includes_offsets(field, version) {
        return Pipeline::for_texts(field.filters.clone(), field.cells.datatype, key);
    }
    let values = if field.cells.is_var() {
        1
    } else {
        field.cells.cell_val_num
    };
    let pipeline = Pipeline::for_cells(field.filters.clone(), field.cells.datatype, values, key)?;
    if version < v::WINDOW_FILTERS_APPLY_TO_TIMES {
        Ok(pipeline.without_time_windows())
    } else {
        Ok(pipeline)
    }
}

/// Returns whether the first filter also encodes the offsets of the field's cells.
fn includes_offsets(field: &StoredField, version: FormatVersion) -> bool {
    let first = field.filters.filters.first().map(Filter::kind);
    field.cells.is_var()
        && match (first, field.cells.datatype) {
            (Some(FilterType::Rle), Datatype::StringAscii) => version >= v::RLE_HOLDS_ASCII_OFFSETS,
            (Some(FilterType::Dictionary), Datatype::StringAscii) => {
                version >= v::DICTIONARY_HOLDS_ASCII_OFFSETS
            }
            (Some(FilterType::Rle | FilterType::Dictionary), Datatype::StringUtf8) => {
                version >= v::ENCODING_HOLDS_UTF8_OFFSETS
            }
            _ => false,
        }
}

/// Buffers for reading tiles: stored bytes, decoded bytes, and bytes to discard.
#[derive(Debug, Default)]
pub struct TileWorkspace {
    pub(super) stored: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) discarded: Vec<u8>,
}

impl Workspace for TileWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::TileRead;

    fn memory(&self) -> usize {
        self.stored.capacity() + self.data.capacity() + self.discarded.capacity()
    }
}

impl TileWorkspace {
    /// Runs `body` with buffers from the pool of the process.
    pub fn with<T>(body: impl FnOnce(&mut Self) -> T) -> T {
        body(&mut WorkspaceGuard::default())
    }

    /// Runs `body` with buffers from the pool and the buffer for decoded bytes as a separate
    /// argument.
    pub fn with_data<T>(body: impl FnOnce(&mut Self, &mut Vec<u8>) -> T) -> T {
        Self::with(|workspace| {
            let mut data = std::mem::take(&mut workspace.data);
            let result = body(workspace, &mut data);
            workspace.data = data;
            result
        })
    }
}

/// Returns the first `len` bytes of a buffer, which grows if necessary. They are initialised but
/// unspecified.
pub(super) fn ensure_len(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        *buffer = try_vec("a tile", len)?;
    }
    Ok(&mut buffer[..len])
}
