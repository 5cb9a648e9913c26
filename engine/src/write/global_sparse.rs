//! Sparse writes in global order, in any number of submits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bounds::{bounds_of, check_current_domain, ends_of};
use super::check::{InputColumn, attributes, check_cell_num, columns, dimensions};
use super::field_stream::FieldStream;
use super::field_writer;
use super::global_state::{GlobalWriteState, cells_of, check_tiles, resume_fields};
use super::order::{SparseWriteOptions, capacity_of};
use super::order_check::{
    DuplicateRule, copy_cell, duplicate, order_error, order_violations, resumed_cell,
};
use crate::buffers::{FieldCells, OffsetsForm};
use crate::context::Context;
use crate::error::{Result, WriteError, WriterKind};
use crate::format::names::{FragmentName, TIMESTAMPS};
use crate::fragment::{FieldTiles, FragmentWriter, UnfinishedFragment};
use crate::geometry::{Bounds, CellCopy, CellOrder};
use crate::platform::lock::Mutex;
use crate::schema::{ArraySchema, StoredField};
use crate::types::{EncryptionKey, NdRange, TimeRange, Value};
use crate::vfs::{Uri, Vfs};

/// A write of sparse cells in global order between submits.
#[derive(Debug)]
pub struct SparseGlobalWrite {
    schema: Arc<ArraySchema>,
    options: SparseWriteOptions,
    order: CellOrder,
    writer: FragmentWriter,
    /// The streams of the dimensions, then those of the attributes.
    fields: Vec<FieldStream>,
    /// The MBR of the incomplete tile, and the coordinates of its first and its last cell.
    bounds: Option<[NdRange; 2]>,
    cell_num: u64,
    last: Option<CellCopy>,
    split: Option<Split>,
    /// Whether the fields have the cells of the submits that succeeded, and no others: the write
    /// can continue after a failed submit. As in libtiledb, cells in the wrong order end the write.
    pub(crate) is_intact: bool,
}

/// The division of cells into fragments by size.
#[derive(Debug)]
struct Split {
    /// The maximum size of the tiles of a fragment in bytes.
    most: u64,
    /// The size of the tiles of the current fragment in bytes.
    size: u64,
    /// The fragments that are complete.
    full: Vec<FragmentWriter>,
    /// The timestamps of the cells with the last coordinates, if the write has timestamps.
    times: Vec<u64>,
}

impl SparseGlobalWrite {
    /// Starts a write to the fragment that `make` creates.
    pub fn begin(
        schema: &Arc<ArraySchema>,
        options: SparseWriteOptions,
        key: Option<&EncryptionKey>,
        make: impl FnOnce() -> Result<FragmentWriter>,
    ) -> Result<Self> {
        let bounds = if options.checks_bounds {
            Bounds::Domain
        } else {
            Bounds::Datatype
        };
        let writer = make()?;
        let stored = stored(schema, &writer);
        let fields = stored.map(|field| FieldStream::new(schema, &field, key));
        Ok(Self {
            schema: schema.clone(),
            options,
            order: CellOrder::global(schema, bounds)?,
            fields: fields.collect::<Result<_>>()?,
            writer,
            bounds: None,
            cell_num: 0,
            last: None,
            split: None,
            is_intact: true,
        })
    }

    /// Continues a write. `make` opens the fragment.
    pub fn resume(
        schema: &Arc<ArraySchema>,
        options: SparseWriteOptions,
        key: Option<&EncryptionKey>,
        state: GlobalWriteState,
        make: impl FnOnce(UnfinishedFragment) -> Result<FragmentWriter>,
    ) -> Result<Self> {
        let dim_num = schema.domain.dimensions.len();
        check_tiles(&state.fragment, &state.cells, schema.capacity, dim_num)?;
        let mut write = Self::begin(schema, options, key, || make(state.fragment))?;
        let capacity = capacity_of(schema);
        write.cell_num = resume_fields(&mut write.fields, &state.cells, capacity)?;
        if write.cell_num > 0 {
            write.last = Some(resumed_cell(schema, state.last)?);
        }
        Ok(write)
    }

    /// Makes complete tiles durable, so that another query can continue. Does nothing if a tile is
    /// incomplete, or if the cells are divided into several fragments.
    pub fn release(&mut self) -> Result<()> {
        if self.split.is_none() && cells_of(&self.fields, capacity_of(&self.schema)).is_some() {
            self.writer.release()?;
        }
        Ok(())
    }

    /// Returns the state with which another query can continue; `None` if the write was not
    /// released.
    pub fn state(&self) -> Option<GlobalWriteState> {
        let last = self.last.as_ref().map(CellCopy::values);
        Some(GlobalWriteState {
            cells: cells_of(&self.fields, capacity_of(&self.schema))?,
            fragment: self.writer.unfinished()?,
            last: last.unwrap_or_default(),
        })
    }

    /// Limits the size of the tiles of a fragment; further cells are written to another fragment.
    /// Must be called before the first cell is written.
    pub fn split_at(&mut self, most: u64) {
        self.split = Some(Split {
            most,
            size: 0,
            full: Vec::new(),
            times: Vec::new(),
        });
    }

    /// Returns the name of the first fragment.
    pub fn name(&self) -> &FragmentName {
        self.split
            .iter()
            .flat_map(|split| &split.full)
            .chain([&self.writer])
            .next()
            .unwrap_or(&self.writer)
            .name()
    }

    /// Returns the timestamp range of the fragment.
    pub fn timestamps(&self) -> TimeRange {
        self.writer.name().timestamps()
    }

    /// Writes the next cells. Nothing changes if the buffers are invalid or a cell is out of
    /// bounds.
    pub fn submit(
        &mut self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let mut columns = columns(stored(&self.schema, &self.writer), buffers, form)?;
        // Programs pass validity buffers that are longer than the number of cells.
        columns
            .iter_mut()
            .for_each(|column| column.keep_first(column.cell_num));
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        check_cell_num(&columns, cell_num as u64)?;
        if cell_num == 0 {
            return Ok(());
        }
        let coordinates = &columns[..self.schema.dim_num()];
        if self.options.checks_bounds {
            self.options.check_bounds(&self.schema, coordinates)?;
        }
        self.is_intact = false;
        let mut dropped = self.check_order(&vfs.context, coordinates)?;
        if dropped.is_empty() && self.split.is_some() && !self.schema.allows_dups {
            dropped = self.hidden(&vfs.context, &columns)?;
        }
        self.write_kept(vfs, &columns, dropped)?;
        self.last = Some(copy_cell(coordinates, cell_num - 1));
        self.is_intact = true;
        Ok(())
    }

    /// Writes the cells of a submit except those with the indexes `dropped`.
    fn write_kept(
        &mut self,
        vfs: &Arc<Vfs>,
        columns: &[InputColumn<'_>],
        dropped: Vec<usize>,
    ) -> Result<()> {
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        let (capacity, kept) = (capacity_of(&self.schema), cell_num - dropped.len());
        let total: u64 = self
            .fields
            .iter()
            .map(|field| field.completed_tiles(capacity, kept))
            .sum();
        let context = &vfs.context;
        context.progress("tiles", |progress| progress.total += total)?;
        if dropped.is_empty() {
            return self.take(vfs, columns);
        }
        let mut start = 0;
        for end in dropped.into_iter().chain([cell_num]) {
            if start < end {
                let run = columns.iter().map(|column| column.part(start..end));
                self.take(vfs, &run.collect::<Vec<_>>())?;
            }
            start = end + 1;
        }
        Ok(())
    }

    /// Checks the order of cells. Returns the duplicates to remove.
    fn check_order(&self, context: &Context, columns: &[InputColumn<'_>]) -> Result<Vec<usize>> {
        let rule = self.options.duplicate_rule(&self.schema);
        if !self.options.checks_order && rule == DuplicateRule::Keep {
            return Ok(Vec::new());
        }
        let last = self.last.as_ref();
        let violations = order_violations(context, &self.order, columns, last)?;
        if let (Some(cell), DuplicateRule::Reject) = (violations.duplicates.first(), rule) {
            return Err(duplicate(columns, *cell));
        }
        if let (Some(cell), true) = (violations.order, self.options.checks_order) {
            return Err(order_error(&self.order, columns, last, cell));
        }
        match rule {
            DuplicateRule::Drop => Ok(violations.duplicates),
            DuplicateRule::Keep | DuplicateRule::Reject => Ok(Vec::new()),
        }
    }

    /// Returns the cells that are invisible at every time: those that follow a cell with the same
    /// coordinates and timestamp. They are removed if the cells are divided into several fragments,
    /// because the order of fragments with equal timestamps is undefined.
    fn hidden(&mut self, context: &Context, columns: &[InputColumn<'_>]) -> Result<Vec<usize>> {
        let times = columns
            .iter()
            .find(|column| column.field.name == TIMESTAMPS);
        let (Some(times), Some(split)) = (times, &mut self.split) else {
            return Ok(Vec::new());
        };
        let coordinates = &columns[..self.schema.dim_num()];
        let violations = order_violations(context, &self.order, coordinates, self.last.as_ref())?;
        let mut duplicates = violations.duplicates.into_iter().peekable();
        let mut hidden = Vec::new();
        for (cell, time) in times
            .data
            .chunks_exact(u64::SIZE)
            .map(u64::read)
            .enumerate()
        {
            if duplicates.next_if_eq(&cell).is_none() {
                split.times.clear();
            }
            if split.times.contains(&time) {
                hidden.push(cell)
            } else {
                split.times.push(time)
            }
        }
        Ok(hidden)
    }

    fn take(&mut self, vfs: &Arc<Vfs>, columns: &[InputColumn<'_>]) -> Result<()> {
        let capacity = capacity_of(&self.schema);
        if self.split.is_some() {
            return self.take_tile_by_tile(&vfs.context, columns, capacity);
        }
        self.note_bounds(&columns[..self.schema.dim_num()], capacity);
        for (stream, column) in self.fields.iter_mut().zip(columns) {
            let writer = field_writer(&mut self.writer, &column.field.name, WriterKind::Global)?;
            stream.take(vfs, column, capacity, writer)?;
        }
        self.cell_num += columns.first().map_or(0, |column| column.cell_num) as u64;
        Ok(())
    }

    /// Writes the next cells tile by tile, because the size of a tile determines its fragment.
    fn take_tile_by_tile(
        &mut self,
        context: &Context,
        columns: &[InputColumn<'_>],
        capacity: usize,
    ) -> Result<()> {
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        let mut start = 0;
        while start < cell_num {
            let filled = (self.cell_num % capacity as u64) as usize;
            let len = (capacity - filled).min(cell_num - start);
            for (stream, column) in self.fields.iter_mut().zip(columns) {
                stream.extend_tile(column, start, len)?;
            }
            let coordinates: Vec<_> = columns[..self.schema.dim_num()]
                .iter()
                .map(|column| column.part(start..start + len))
                .collect();
            self.widen_bounds(&coordinates);
            self.cell_num += len as u64;
            start += len;
            if filled + len == capacity {
                self.end_tile(context)?;
            }
        }
        Ok(())
    }

    /// Writes the encoded tile, to another fragment if it does not fit into the current one.
    fn end_tile(&mut self, context: &Context) -> Result<()> {
        let Some(split) = &mut self.split else {
            return Ok(());
        };
        let fields: Vec<_> = self.fields.iter_mut().map(Mutex::new).collect();
        let sizes = AtomicU64::new(0);
        context.for_each(fields.len(), |index| {
            sizes.fetch_add(fields[index].lock().measure()?, Ordering::Relaxed);
            Ok(())
        })?;
        let size = sizes.into_inner();
        if size > split.most {
            let most = split.most;
            return Err(WriteError::FragmentTooSmall { size, most }.into());
        }
        if split.size.saturating_add(size) > split.most {
            check_domain(&self.schema, &self.writer)?;
            let next = self.writer.next_fragment()?;
            let mut full = std::mem::replace(&mut self.writer, next);
            full.seal()?;
            split.full.push(full);
            split.size = 0;
        }
        split.size += size;
        for stream in &mut self.fields {
            let writer = field_writer(&mut self.writer, stream.name(), WriterKind::Global)?;
            stream.append_measured(writer)?;
        }
        self.push_bounds();
        let tiles = self.fields.len() as u64;
        context.progress("tiles", |progress| progress.done += tiles)
    }

    /// Records the bounds of the tiles that the cells complete.
    fn note_bounds(&mut self, columns: &[InputColumn<'_>], capacity: usize) {
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        let mut filled = (self.cell_num % capacity as u64) as usize;
        let mut start = 0;
        while start < cell_num {
            let len = (capacity - filled).min(cell_num - start);
            let parts = columns.iter().map(|column| column.part(start..start + len));
            self.widen_bounds(&parts.collect::<Vec<_>>());
            filled += len;
            if filled == capacity {
                self.push_bounds();
                filled = 0;
            }
            start += len;
        }
    }

    /// Extends the bounds of the incomplete tile by cells.
    fn widen_bounds(&mut self, columns: &[InputColumn<'_>]) {
        let bounds: NdRange = columns
            .iter()
            .map(|column| {
                let physical = column.field.cells.datatype.physical();
                bounds_of(physical, column.data, column.starts.as_deref())
            })
            .collect();
        let ends: NdRange = columns
            .iter()
            .map(|column| ends_of(column.data, column.starts.as_deref(), column.cell_size))
            .collect();
        let Some([mbr, known_ends]) = &mut self.bounds else {
            self.bounds = Some([bounds, ends]);
            return;
        };
        for ((known, bounds), column) in mbr.iter_mut().zip(&bounds).zip(columns) {
            known.expand(bounds, column.field.cells.datatype.physical());
        }
        for (known, ends) in known_ends.iter_mut().zip(&ends) {
            *known = known.until(ends.end());
        }
    }

    /// Adds the complete tile to the fragment.
    fn push_bounds(&mut self) {
        if let Some([mbr, ends]) = self.bounds.take() {
            self.writer.push_tile(mbr, ends);
        }
    }

    /// Ends the write. Returns `None` if no cell was written.
    pub fn finish(self, context: &Context) -> Result<Option<Uri>> {
        let uris = self.finish_all(context, |_| Ok(true))?;
        Ok(uris.into_iter().next())
    }

    /// Ends the write and returns its fragments, which become visible at once. `before_commit` is
    /// called with the name of the first one after everything but the commit is written. If it
    /// returns `false`, nothing is committed.
    pub fn finish_all(
        mut self,
        context: &Context,
        before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
    ) -> Result<Vec<Uri>> {
        if self.cell_num == 0 {
            return Ok(Vec::new());
        }
        let capacity = capacity_of(&self.schema);
        let last = self.cell_num % capacity as u64;
        if self.split.is_some() && last > 0 {
            self.end_tile(context)?;
        } else if self.split.is_none() {
            for stream in &mut self.fields {
                let writer = field_writer(&mut self.writer, stream.name(), WriterKind::Global)?;
                stream.flush(capacity, writer)?;
            }
            self.push_bounds();
        }
        self.writer.set_last_tile_cell_num(last);
        check_domain(&self.schema, &self.writer)?;
        let mut writers = self.split.map_or_else(Vec::new, |split| split.full);
        writers.push(self.writer);
        FragmentWriter::finish_together(writers, before_commit)
    }
}

fn check_domain(schema: &ArraySchema, writer: &FragmentWriter) -> Result<()> {
    let domain = writer.non_empty_domain().unwrap_or_default();
    check_current_domain(schema, domain, WriterKind::Global)
}

/// Returns the fields of the fragment: dimensions, attributes and timestamps.
fn stored<'a>(
    schema: &'a ArraySchema,
    writer: &FragmentWriter,
) -> impl Iterator<Item = StoredField> + use<'a> {
    let internal_fields = writer
        .internal_fields()
        .filter_map(|field| FieldTiles::internal_field(schema, field.name()));
    dimensions(schema)
        .chain(attributes(schema))
        .chain(internal_fields)
}
