//! Tiles of one field on their way to its files: statistics, filters, appended in order.

use std::io::IoSlice;
use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;

use super::stats::Running;
use crate::context::Context;
use crate::error::Result;
use crate::filter::{FilterList, Pipeline, Texts, chunk_starts, var_chunk_starts};
use crate::format::version::FormatVersion;
use crate::fragment::{FieldWriter, Part, TileStats};
use crate::schema::{ArraySchema, StoredField};
use crate::tile::{Cells, plain_headers, plain_pieces, values_pipeline};
use crate::types::{Datatype, EncryptionKey, VAR_NUM};

/// The filters of an field's files.
#[derive(Debug)]
pub(super) struct TileFormer {
    pub(super) field: StoredField,
    data: Pipeline,
    offsets: Pipeline,
    offsets_filters: Arc<FilterList>,
    validity: Pipeline,
    validity_filters: Arc<FilterList>,
    cell_size: usize,
}

/// A tile in memory.
#[derive(Debug, Default)]
pub(super) struct Tile {
    pub(super) cells: Cells,
    /// The runs of cells that were given, where others only fill the tile up: statistics leave those out. Empty: all were.
    pub(super) given: Vec<Range<usize>>,
}

impl Tile {
    /// Forgets the cells and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.cells.data.clear();
        self.cells.starts.clear();
        self.cells.validity.clear();
        self.given.clear();
    }
}

/// A tile in its stored form.
#[derive(Debug, Default)]
pub(super) struct Formed {
    fixed: Vec<u8>,
    var: Option<(Vec<u8>, u64)>,
    validity: Option<Vec<u8>>,
    stats: TileStats,
}

impl TileFormer {
    pub(super) fn new(
        schema: &ArraySchema,
        field: &StoredField,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let values = if field.cell_val_num == VAR_NUM {
            1
        } else {
            field.cell_val_num
        };
        let version = FormatVersion(schema.version).for_writing();
        let data = values_pipeline(field, version, key)?;
        Ok(Self {
            field: field.clone(),
            data,
            offsets: Pipeline::new(schema.offsets_filters.clone(), Datatype::Uint64, key)?,
            offsets_filters: schema.offsets_filters.clone(),
            validity: Pipeline::new(schema.validity_filters.clone(), Datatype::Uint8, key)?,
            validity_filters: schema.validity_filters.clone(),
            cell_size: field.datatype.size() * values as usize,
        })
    }

    /// Whether fixed-size cells, without validity, are stored as they are.
    pub(super) fn is_plain(&self) -> bool {
        self.field.cell_val_num != VAR_NUM && !self.field.nullable && self.data.is_identity()
    }

    fn is_var(&self) -> bool {
        self.field.cell_val_num == VAR_NUM
    }

    /// The stored form of a tile.
    fn form(&self, tile: &Tile) -> Result<Formed> {
        let validity = self.field.nullable.then_some(&tile.cells.validity[..]);
        let mut formed = Formed::default();
        if self.is_var() {
            let cells = &tile.cells;
            let len = cells.data.len() as u64;
            if self.data.folds_offsets() {
                let texts = Texts {
                    values: &cells.data,
                    starts: &cells.starts,
                };
                formed.fixed = plain_headers(&[], 0);
                formed.var = Some((self.data.encode_texts(texts)?, len));
            } else {
                let offsets = &cells.starts[..cells.starts.len().saturating_sub(1)];
                let bytes: Vec<u8> = offsets
                    .iter()
                    .flat_map(|offset| offset.to_le_bytes())
                    .collect();
                let starts = chunk_starts(&self.offsets_filters, bytes.len() as u64, 8)?;
                formed.fixed = self.offsets.encode_tile(&bytes, &starts)?;
                let size = self.cell_size as u64;
                let starts = var_chunk_starts(&self.field.filters, offsets, len, size)?;
                formed.var = Some((self.data.encode_tile(&cells.data, &starts)?, len));
            }
        } else if !self.is_plain() {
            // Plain bytes go to the file from where they are.
            let starts = chunk_starts(
                &self.field.filters,
                tile.cells.data.len() as u64,
                self.cell_size as u64,
            )?;
            formed.fixed = self.data.encode_tile(&tile.cells.data, &starts)?;
        }
        if let Some(validity) = validity {
            let starts = chunk_starts(&self.validity_filters, validity.len() as u64, 1)?;
            formed.validity = Some(self.validity.encode_tile(validity, &starts)?);
        }
        formed.stats = self.stats(tile, validity);
        Ok(formed)
    }

    /// The statistics of the cells that were given.
    fn stats(&self, tile: &Tile, validity: Option<&[u8]>) -> TileStats {
        let cells = if self.is_var() {
            tile.cells.starts.len().saturating_sub(1)
        } else {
            tile.cells.data.len() / self.cell_size
        };
        let whole = 0..cells;
        let runs = if tile.given.is_empty() {
            std::slice::from_ref(&whole)
        } else {
            &tile.given
        };
        let mut running = Running::new(&self.field);
        for run in runs {
            let validity = validity.map(|validity| &validity[run.clone()]);
            if self.is_var() {
                running.add_var(
                    &tile.cells.starts[run.start..=run.end],
                    &tile.cells.data,
                    validity,
                );
            } else {
                let (start, end) = (run.start * self.cell_size, run.end * self.cell_size);
                running.add(&tile.cells.data[start..end], validity);
            }
        }
        let mut stats = running.finish(&self.field);
        if stats.null_count == cells as u64 {
            (stats.min, stats.max) = (None, None);
        }
        stats
    }

    /// Appends one tile.
    pub(super) fn append_tile(&self, writer: &mut FieldWriter, tile: &Tile) -> Result<()> {
        match self.is_plain() {
            true => self.append_plain(writer, &[&tile.cells.data]),
            false => append_formed(writer, self.form(tile)?),
        }
    }

    /// Appends a tile that is stored as it is, given as runs of bytes in the order of the tile.
    pub(super) fn append_plain(&self, writer: &mut FieldWriter, runs: &[&[u8]]) -> Result<()> {
        let mut running = Running::new(&self.field);
        runs.iter().for_each(|run| running.add(run, None));
        self.append_runs(writer, runs, running.finish(&self.field))
    }

    fn append_runs(
        &self,
        writer: &mut FieldWriter,
        runs: &[&[u8]],
        stats: TileStats,
    ) -> Result<()> {
        let len: u64 = runs.iter().map(|run| run.len() as u64).sum();
        let starts = chunk_starts(&self.field.filters, len, self.cell_size as u64)?;
        let headers = plain_headers(&starts, len);
        writer.append(Part::Fixed, &mut plain_pieces(&headers, &starts, runs))?;
        writer.note_stats(stats);
        Ok(())
    }

    /// Forms `count` tiles that `make` brings, as many at once as there are threads, and appends them in order. What was
    /// formed is appended while the next tiles are formed.
    pub(super) fn append_all(
        &self,
        context: &Context,
        writer: &mut FieldWriter,
        count: usize,
        make: impl Fn(usize, &mut Tile) -> Result<()> + Sync,
    ) -> Result<()> {
        let window = context.compute_threads().clamp(1, count.max(1));
        let slots: Vec<Mutex<(Tile, Formed)>> = (0..2 * window).map(|_| Mutex::default()).collect();
        let slot = |tile: usize| slots[tile % slots.len()].lock();
        let writer = Mutex::new(writer);
        for first in (0..count + window).step_by(window) {
            let forming = window.min(count.saturating_sub(first));
            let appending = first.saturating_sub(window)..first.min(count);
            context.for_each(forming + usize::from(!appending.is_empty()), |job| {
                if job == forming {
                    let mut writer = writer.lock();
                    let mut tiles = appending.clone();
                    return tiles.try_for_each(|tile| self.append(&mut writer, &mut slot(tile)));
                }
                let mut slot = slot(first + job);
                make(first + job, &mut slot.0)?;
                slot.1 = self.form(&slot.0)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn append(&self, writer: &mut FieldWriter, slot: &mut (Tile, Formed)) -> Result<()> {
        let formed = std::mem::take(&mut slot.1);
        match self.is_plain() {
            true => self.append_runs(writer, &[&slot.0.cells.data], formed.stats),
            false => append_formed(writer, formed),
        }
    }
}

fn append_formed(writer: &mut FieldWriter, formed: Formed) -> Result<()> {
    writer.append(Part::Fixed, &mut [IoSlice::new(&formed.fixed)])?;
    if let Some((var, size)) = &formed.var {
        writer.append(Part::Var, &mut [IoSlice::new(var)])?;
        writer.note_var_size(*size);
    }
    if let Some(validity) = &formed.validity {
        writer.append(Part::Validity, &mut [IoSlice::new(validity)])?;
    }
    writer.note_stats(formed.stats);
    Ok(())
}
