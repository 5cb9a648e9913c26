//! Encodes the tiles of one field: statistics, filters, appending in order. The buffers are reused
//! for the next field.

use std::io::IoSlice;
use std::ops::Range;

use super::check::InputColumn;
use super::tile_stats::TileStatsBuilder;
use crate::bytes::ReusableBuffer;
use crate::context::Context;
use crate::error::Result;
use crate::filter::{Pipeline, Texts, chunk_starts, var_chunk_starts};
use crate::format::version::FormatVersion;
use crate::fragment::{FieldWriter, FilePart, TileStats};
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};
use crate::platform::lock::{Mutex, MutexGuard};
use crate::schema::{ArraySchema, StoredField};
use crate::stats::{Moment, TileCost};
use crate::tile::{Cells, CellsRef, plain_headers, plain_pieces, values_pipeline};
use crate::types::{Datatype, EncryptionKey};

/// Encodes the tiles of a field with the filters of its values, offsets and validity.
#[derive(Debug)]
pub(super) struct TileEncoder {
    pub(super) field: StoredField,
    data: Pipeline,
    offsets: Pipeline,
    validity: Pipeline,
    cell_size: usize,
}

impl TileEncoder {
    pub(super) fn new(
        schema: &ArraySchema,
        field: &StoredField,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let version = FormatVersion(schema.version).for_writing();
        let data = values_pipeline(field, version, key)?;
        Ok(Self {
            field: field.clone(),
            data,
            offsets: Pipeline::new(schema.offsets_filters.clone(), Datatype::Uint64, key)?,
            validity: Pipeline::new(schema.validity_filters.clone(), Datatype::Uint8, key)?,
            cell_size: field.cells.cell_size(),
        })
    }

    /// Returns whether the field has fixed-size cells without validity and without filters.
    pub(super) fn is_plain(&self) -> bool {
        !self.field.cells.is_var() && !self.field.cells.nullable && self.data.is_identity()
    }

    /// Encodes a tile into `encoded`. `given` and `offsets` have the meaning of the fields of
    /// [`TileBuffer`].
    fn encode(
        &self,
        cells: CellsRef<'_>,
        given: &[Range<usize>],
        offsets: &mut ReusableBuffer,
        encoded: &mut EncodedTile,
    ) -> Result<()> {
        self.filter(cells, offsets, encoded)?;
        encoded.stats = self.stats(cells, given, &encoded.min_max_candidates)?;
        Ok(())
    }

    /// Encodes a tile that is in memory into `encoded`.
    fn encode_buffer(&self, tile: &mut TileBuffer, encoded: &mut EncodedTile) -> Result<()> {
        self.encode(tile.cells.as_ref(), &tile.given, &mut tile.offsets, encoded)
    }

    /// Returns the number of bytes that the parts of a tile have before they are filtered.
    fn bytes_of(&self, cells: CellsRef<'_>) -> u64 {
        let values = match cells.starts {
            Some([first, .., end]) => end - first,
            _ => cells.data.len() as u64,
        };
        let offsets = cells
            .starts
            .map_or(0, |starts| 8 * starts.len().saturating_sub(1));
        let validity = cells.validity.filter(|_| self.field.cells.nullable);
        values + offsets as u64 + validity.map_or(0, |validity| validity.len() as u64)
    }

    /// Filters the parts of a tile into `encoded`, in place of what it held.
    fn filter(
        &self,
        cells: CellsRef<'_>,
        offsets: &mut ReusableBuffer,
        encoded: &mut EncodedTile,
    ) -> Result<()> {
        let begun = Moment::now();
        encoded.fixed.clear();
        encoded.var.clear();
        encoded.validity.clear();
        encoded.min_max_candidates.clear();
        if self.field.cells.is_var() {
            self.filter_var(cells, offsets, encoded)?;
        } else if !self.is_plain() {
            // Bytes without filters are written to the file without a copy.
            let (len, size) = (cells.data.len() as u64, self.cell_size as u64);
            let chunks = chunk_starts(&self.field.filters, len, size)?;
            self.data
                .append_tile(cells.data, &chunks, &mut encoded.fixed)?;
        }
        if let Some(validity) = cells.validity.filter(|_| self.field.cells.nullable) {
            let chunks = chunk_starts(&self.validity.list, validity.len() as u64, 1)?;
            let to = &mut encoded.validity;
            self.validity.append_tile(validity, &chunks, to)?;
        }
        encoded.cost = TileCost {
            bytes: self.bytes_of(cells),
            filters: begun.elapsed().unwrap_or_default(),
            ..TileCost::default()
        };
        Ok(())
    }

    /// Filters the offsets and the values of variable-length cells.
    fn filter_var(
        &self,
        cells: CellsRef<'_>,
        offsets: &mut ReusableBuffer,
        encoded: &mut EncodedTile,
    ) -> Result<()> {
        let starts = cells.starts.unwrap_or_default();
        let (first, end) = match starts {
            [first, .., end] => (*first, *end),
            _ => (0, 0),
        };
        encoded.var_len = end - first;
        let (fixed, var) = (&mut encoded.fixed, &mut encoded.var);
        if self.data.includes_offsets() {
            let values = cells.data;
            fixed.put(&plain_headers(&[], 0))?;
            let candidates = &mut encoded.min_max_candidates;
            return self
                .data
                .append_texts(Texts { values, starts }, var, candidates);
        }
        offsets.clear();
        let number = starts.len().saturating_sub(1);
        let targets = offsets.grow(number * 8)?.as_chunks_mut().0;
        for (target, start) in targets.iter_mut().zip(starts) {
            *target = (start - first).to_le_bytes();
        }
        let chunks = chunk_starts(&self.offsets.list, offsets.len() as u64, 8)?;
        self.offsets.append_tile(offsets, &chunks, fixed)?;
        let chunks = var_chunk_starts(&self.field.filters, starts, self.cell_size as u64)?;
        let values = &cells.data[first as usize..end as usize];
        self.data.append_tile(values, &chunks, var)
    }

    /// Returns the statistics of the written cells. If `min_max_candidates` contains the cells with
    /// the minimum and maximum, only these are compared.
    fn stats(
        &self,
        cells: CellsRef<'_>,
        given: &[Range<usize>],
        min_max_candidates: &[usize],
    ) -> Result<TileStats> {
        let number = cells.len(self.cell_size);
        let validity = cells.validity.filter(|_| self.field.cells.nullable);
        let mut builder = TileStatsBuilder::new(&self.field);
        let is_complete = given.is_empty() && validity.is_none();
        if let Some(starts) = cells.starts
            && is_complete
            && !min_max_candidates.is_empty()
        {
            for cell in min_max_candidates {
                builder.add_var(&starts[*cell..cell + 2], cells.data, None);
            }
            return builder.finish(&self.field);
        }
        let whole = 0..number;
        let runs = if given.is_empty() {
            std::slice::from_ref(&whole)
        } else {
            given
        };
        for run in runs {
            let validity = validity.map(|validity| &validity[run.clone()]);
            match cells.starts {
                Some(starts) => {
                    builder.add_var(&starts[run.start..=run.end], cells.data, validity);
                }
                None => {
                    let (start, end) = (run.start * self.cell_size, run.end * self.cell_size);
                    builder.add(&cells.data[start..end], validity);
                }
            }
        }
        let mut stats = builder.finish(&self.field)?;
        if stats.null_count == number as u64 {
            (stats.min, stats.max) = (None, None);
        }
        Ok(stats)
    }

    /// Encodes a tile into `encoded` and returns its size in the files.
    pub(super) fn measure(&self, tile: &mut TileBuffer, encoded: &mut EncodedTile) -> Result<u64> {
        self.encode_buffer(tile, encoded)?;
        if self.is_plain() {
            self.plain_len(tile.cells.data.len() as u64)
        } else {
            Ok(encoded.len())
        }
    }

    /// Returns the size in the file of a tile of `len` bytes without filters.
    fn plain_len(&self, len: u64) -> Result<u64> {
        let starts = chunk_starts(&self.field.filters, len, self.cell_size as u64)?;
        Ok(len + plain_headers(&starts, len).len() as u64)
    }

    /// Adds the size of each tile in the files to the item of `sizes` with its index. Tiles have
    /// `tile_cells` cells each. `make` has the meaning of that of [`Self::append_all`].
    pub(super) fn measure_all<'c>(
        &self,
        context: &Context,
        tile_cells: usize,
        sizes: &mut [u64],
        make: impl Fn(usize, &mut TileBuffer) -> Result<Option<CellsRef<'c>>> + Sync,
    ) -> Result<()> {
        if self.is_plain() {
            let size = self.plain_len((tile_cells as u64).saturating_mul(self.cell_size as u64))?;
            sizes.iter_mut().for_each(|sum| *sum += size);
            return Ok(());
        }
        let bytes = (tile_cells as u64)
            .saturating_mul(self.cell_size as u64)
            .saturating_mul(sizes.len() as u64);
        let window = context.threads_for(bytes).clamp(1, sizes.len().max(1));
        let slots = EncodeWorkspace::new(window, window);
        for (part, sizes) in sizes.chunks_mut(window).enumerate() {
            context.for_each_sized(bytes, sizes.len(), |task| {
                let (mut tile, mut encoded) = (slots.tile(task), slots.encoded(task));
                self.make(part * window + task, &mut tile, &mut encoded, &make)
            })?;
            for (task, sum) in sizes.iter_mut().enumerate() {
                *sum += slots.encoded(task).len();
            }
        }
        Ok(())
    }

    /// Appends an encoded tile.
    pub(super) fn append_measured(
        &self,
        writer: &mut FieldWriter,
        tile: &TileBuffer,
        encoded: &mut EncodedTile,
    ) -> Result<()> {
        if self.is_plain() {
            let stats = std::mem::take(&mut encoded.stats);
            return self.append_runs(writer, &[&tile.cells.data], stats);
        }
        self.append_encoded(writer, encoded)
    }

    /// Appends one tile. Returns its statistics, which the caller must add: a tile of a few large
    /// strings need not be in memory with copies of them.
    pub(super) fn append_tile(
        &self,
        writer: &mut FieldWriter,
        tile: &mut TileBuffer,
    ) -> Result<TileStats> {
        let mut candidates = Vec::new();
        if self.is_plain() {
            self.write_runs(writer, &[&tile.cells.data])?;
        } else {
            let mut encoded = EncodedTile::default();
            self.filter(tile.cells.as_ref(), &mut tile.offsets, &mut encoded)?;
            self.write_encoded(writer, &encoded)?;
            candidates = encoded.min_max_candidates;
        }
        self.stats(tile.cells.as_ref(), &tile.given, &candidates)
    }

    /// Appends a tile without filters from runs of bytes in the order of the tile.
    pub(super) fn append_plain(&self, writer: &mut FieldWriter, runs: &[&[u8]]) -> Result<()> {
        let mut builder = TileStatsBuilder::new(&self.field);
        runs.iter().for_each(|run| builder.add(run, None));
        self.append_runs(writer, runs, builder.finish(&self.field)?)
    }

    fn append_runs(
        &self,
        writer: &mut FieldWriter,
        runs: &[&[u8]],
        stats: TileStats,
    ) -> Result<()> {
        self.write_runs(writer, runs)?;
        writer.add_stats(stats)
    }

    fn write_runs(&self, writer: &mut FieldWriter, runs: &[&[u8]]) -> Result<()> {
        let len: u64 = runs.iter().map(|run| run.len() as u64).sum();
        let starts = chunk_starts(&self.field.filters, len, self.cell_size as u64)?;
        let headers = plain_headers(&starts, len);
        writer.count(TileCost {
            bytes: len,
            ..TileCost::default()
        });
        writer.append(FilePart::Fixed, &mut plain_pieces(&headers, &starts, runs))
    }

    /// Encodes `count` tiles with all threads, and appends them in order while the next tiles are
    /// encoded.
    ///
    /// `column` contains the cells. `make` fills the tile that it receives, whose content is
    /// unspecified, or returns contiguous cells of the caller's buffers. For fields without filters
    /// it must fill the tile.
    pub(super) fn append_all<'c>(
        &self,
        context: &Context,
        writer: &mut FieldWriter,
        column: &InputColumn<'_>,
        count: usize,
        make: impl Fn(usize, &mut TileBuffer) -> Result<Option<CellsRef<'c>>> + Sync,
    ) -> Result<()> {
        let bytes = column.bytes();
        let window = context.threads_for(bytes).clamp(1, count.max(1));
        let slots = EncodeWorkspace::new(window, count.clamp(1, 2 * window));
        let writer = Mutex::new(writer);
        for first in (0..count + window).step_by(window) {
            let encoding = window.min(count.saturating_sub(first));
            let appending = first.saturating_sub(window)..first.min(count);
            let appended = appending.len() as u64;
            let tasks = encoding + usize::from(!appending.is_empty());
            context.for_each_sized(bytes, tasks, |task| {
                if task == encoding {
                    let mut writer = writer.lock();
                    let mut tiles = appending.clone();
                    return tiles
                        .try_for_each(|tile| self.append(&mut writer, &mut slots.encoded(tile)));
                }
                let tile = first + task;
                let (mut buffer, mut encoded) = (slots.tile(task), slots.encoded(tile));
                self.make(tile, &mut buffer, &mut encoded, &make)?;
                if self.is_plain() {
                    // Without filters: the tile is moved to the queue, and its buffers are
                    // exchanged for the next tile.
                    encoded.fixed.exchange(&mut buffer.cells.data);
                }
                Ok(())
            })?;
            context.progress("tiles", |progress| progress.done += appended)?;
        }
        Ok(())
    }

    /// Gathers and encodes a tile, replacing the previous one.
    fn make<'c>(
        &self,
        index: usize,
        tile: &mut TileBuffer,
        encoded: &mut EncodedTile,
        make: impl Fn(usize, &mut TileBuffer) -> Result<Option<CellsRef<'c>>>,
    ) -> Result<()> {
        tile.given.clear();
        match make(index, tile)? {
            Some(cells) => self.encode(cells, &[], &mut tile.offsets, encoded),
            None => self.encode_buffer(tile, encoded),
        }
    }

    fn append(&self, writer: &mut FieldWriter, encoded: &mut EncodedTile) -> Result<()> {
        if self.is_plain() {
            let stats = std::mem::take(&mut encoded.stats);
            return self.append_runs(writer, &[&encoded.fixed], stats);
        }
        self.append_encoded(writer, encoded)
    }

    fn append_encoded(&self, writer: &mut FieldWriter, encoded: &mut EncodedTile) -> Result<()> {
        self.write_encoded(writer, encoded)?;
        writer.add_stats(std::mem::take(&mut encoded.stats))
    }

    fn write_encoded(&self, writer: &mut FieldWriter, encoded: &EncodedTile) -> Result<()> {
        writer.count(encoded.cost);
        writer.append(FilePart::Fixed, &mut [IoSlice::new(&encoded.fixed)])?;
        if self.field.cells.is_var() {
            writer.append(FilePart::Var, &mut [IoSlice::new(&encoded.var)])?;
            writer.add_var_size(encoded.var_len);
        }
        if self.field.cells.nullable {
            writer.append(FilePart::Validity, &mut [IoSlice::new(&encoded.validity)])?;
        }
        Ok(())
    }
}

/// A tile in memory.
#[derive(Debug, Default)]
pub(super) struct TileBuffer {
    pub(super) cells: Cells,
    /// The runs of cells that were written, if the others only pad the tile; statistics exclude
    /// padding. Empty if all cells were written.
    pub(super) given: Vec<Range<usize>>,
    /// Its offsets as they are stored, before they are filtered.
    offsets: ReusableBuffer,
}

impl TileBuffer {
    /// Removes the cells and keeps the allocations.
    pub(super) fn clear(&mut self) {
        self.cells.data.clear();
        self.cells.starts.clear();
        self.cells.validity.clear();
        self.given.clear();
    }
}

/// A tile in its stored form. The next tile reuses the buffers.
#[derive(Debug, Default)]
pub(super) struct EncodedTile {
    pub(super) fixed: ReusableBuffer,
    pub(super) var: ReusableBuffer,
    /// The size in bytes of variable-length values before filtering.
    pub(super) var_len: u64,
    pub(super) validity: ReusableBuffer,
    /// The cells with the minimum and maximum string, if a filter found them; otherwise empty.
    pub(super) min_max_candidates: Vec<usize>,
    pub(super) stats: TileStats,
    pub(super) cost: TileCost,
}

impl EncodedTile {
    /// Returns the number of bytes of the tile in the files.
    pub(super) fn len(&self) -> u64 {
        let parts = [&self.fixed, &self.var, &self.validity];
        parts.iter().map(|part| part.len() as u64).sum()
    }
}

impl Workspace for TileBuffer {
    const KIND: WorkspaceKind = WorkspaceKind::EncodeBuffers;

    fn memory(&self) -> usize {
        self.cells.memory() + self.offsets.memory()
    }
}

impl Workspace for EncodedTile {
    const KIND: WorkspaceKind = WorkspaceKind::EncodedTile;

    fn memory(&self) -> usize {
        let buffers = [&self.fixed, &self.var, &self.validity];
        buffers.map(ReusableBuffer::memory).iter().sum::<usize>()
            + 8 * self.min_max_candidates.capacity()
    }
}

/// Buffers for the tiles that are encoded at once, and for encoded tiles that wait to be appended.
#[derive(Debug)]
struct EncodeWorkspace {
    tiles: Vec<Mutex<WorkspaceGuard<TileBuffer>>>,
    encoded: Vec<Mutex<WorkspaceGuard<EncodedTile>>>,
}

impl EncodeWorkspace {
    /// Returns a workspace. The content of its buffers is unspecified.
    fn new(tiles: usize, encoded: usize) -> Self {
        let tile = |_| {
            let mut tile = WorkspaceGuard::<TileBuffer>::default();
            // The field may have no variable-length cells.
            tile.cells.starts.clear();
            tile.cells.validity.clear();
            Mutex::new(tile)
        };
        Self {
            tiles: (0..tiles).map(tile).collect(),
            encoded: (0..encoded).map(|_| Mutex::default()).collect(),
        }
    }

    /// Returns the buffer for the tile that a task encodes.
    fn tile(&self, task: usize) -> MutexGuard<'_, WorkspaceGuard<TileBuffer>> {
        self.tiles[task].lock()
    }

    /// Returns the slot for the encoded tile with a number, in rotation.
    fn encoded(&self, tile: usize) -> MutexGuard<'_, WorkspaceGuard<EncodedTile>> {
        self.encoded[tile % self.encoded.len()].lock()
    }
}
