//! Writes of sparse cells in global order: cells come as they are stored, in as many submits as the caller likes.

use std::sync::Arc;

use super::ascent::{Cell, faults, order_error};
use super::bounds::{bounds_of, check_current_domain};
use super::check::{Column, attributes, columns, dimensions, same_cell_num};
use super::order::{Checks, duplicate};
use super::stream::FieldStream;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::format::names::FragmentName;
use crate::fragment::{FieldTiles, FieldWriter, FragmentWriter};
use crate::query::buffers::{FieldCells, OffsetsForm};
use crate::schema::{ArraySchema, StoredField};
use crate::space::{Bounds, CellOrder};
use crate::types::{EncryptionKey, NdRange, TimeRange};
use crate::vfs::{Uri, Vfs};

/// A write of sparse cells in global order between submits.
#[derive(Debug)]
pub struct SparseGlobalWrite {
    schema: Arc<ArraySchema>,
    checks: Checks,
    order: CellOrder,
    writer: FragmentWriter,
    /// The dimensions, then the attributes.
    fields: Vec<FieldStream>,
    /// The bounds of the tile that is not full.
    bounds: Option<NdRange>,
    cell_num: u64,
    last: Option<Cell>,
}

impl SparseGlobalWrite {
    /// Begins a write into the fragment that `make` makes.
    pub fn begin(
        schema: &Arc<ArraySchema>,
        checks: Checks,
        key: Option<&EncryptionKey>,
        make: impl FnOnce() -> Result<FragmentWriter>,
    ) -> Result<Self> {
        let bounds = match checks.bounds {
            true => Bounds::Domain,
            false => Bounds::Datatype,
        };
        let writer = make()?;
        let stored = stored(schema, &writer);
        let fields = stored.map(|field| FieldStream::new(schema, &field, key));
        Ok(Self {
            schema: schema.clone(),
            checks,
            order: CellOrder::global(schema, bounds)?,
            fields: fields.collect::<Result<_>>()?,
            writer,
            bounds: None,
            cell_num: 0,
            last: None,
        })
    }

    /// The name of the fragment.
    pub fn name(&self) -> &FragmentName {
        self.writer.name()
    }

    /// When the fragment counts as written.
    pub fn timestamps(&self) -> TimeRange {
        self.writer.name().timestamps()
    }

    /// Takes the next cells.
    pub fn submit(
        &mut self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let columns = columns(stored(&self.schema, &self.writer), buffers, form)?;
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        same_cell_num(&columns, cell_num as u64)?;
        if cell_num == 0 {
            return Ok(());
        }
        let coordinates = &columns[..self.schema.dim_num()];
        if self.checks.bounds {
            self.checks.check_bounds(&self.schema, coordinates)?;
        }
        let dropped = self.check_order(vfs.context(), coordinates)?;
        if dropped.is_empty() {
            self.take(vfs, &columns)?;
        } else {
            let mut start = 0;
            for end in dropped.into_iter().chain([cell_num]) {
                if start < end {
                    let run = columns.iter().map(|column| column.part(start..end));
                    self.take(vfs, &run.collect::<Vec<_>>())?;
                }
                start = end + 1;
            }
        }
        self.last = Some(Cell::of(coordinates, cell_num - 1));
        Ok(())
    }

    /// Checks the order of cells. Gives those that are to be left out.
    fn check_order(&self, context: &Context, columns: &[Column<'_>]) -> Result<Vec<usize>> {
        let refuses = self.checks.refuses_duplicates(&self.schema);
        if !self.checks.order && !refuses && !self.checks.drop_duplicates {
            return Ok(Vec::new());
        }
        let last = self.last.as_ref();
        let faults = faults(context, &self.order, columns, last)?;
        if let (Some(cell), true) = (faults.duplicates.first(), refuses) {
            return Err(duplicate(columns, *cell));
        }
        if let (Some(cell), true) = (faults.order, self.checks.order) {
            return Err(order_error(&self.order, columns, last, cell));
        }
        match self.checks.drop_duplicates {
            true => Ok(faults.duplicates),
            false => Ok(Vec::new()),
        }
    }

    fn take(&mut self, vfs: &Arc<Vfs>, columns: &[Column<'_>]) -> Result<()> {
        let capacity = self.capacity();
        self.note_bounds(&columns[..self.schema.dim_num()], capacity);
        for (stream, column) in self.fields.iter_mut().zip(columns) {
            let writer = field(&mut self.writer, &column.field.name)?;
            stream.take(vfs, column, capacity, writer)?;
        }
        self.cell_num += columns.first().map_or(0, |column| column.cell_num) as u64;
        Ok(())
    }

    fn capacity(&self) -> usize {
        // No schema has none, but files can say anything.
        usize::try_from(self.schema.capacity.max(1)).unwrap_or(usize::MAX)
    }

    /// Notes the bounds of the tiles that the cells fill.
    fn note_bounds(&mut self, columns: &[Column<'_>], capacity: usize) {
        let cell_num = columns.first().map_or(0, |column| column.cell_num);
        let mut filled = (self.cell_num % capacity as u64) as usize;
        let mut start = 0;
        while start < cell_num {
            let len = (capacity - filled).min(cell_num - start);
            let parts = columns.iter().map(|column| column.part(start..start + len));
            let bounds: NdRange = parts
                .map(|part| {
                    let physical = part.field.datatype.physical();
                    bounds_of(physical, part.data, part.ends.as_deref())
                })
                .collect();
            let mut known = self.bounds.take().unwrap_or_else(|| bounds.clone());
            for ((known, bounds), column) in known.iter_mut().zip(&bounds).zip(columns) {
                known.expand(bounds, column.field.datatype.physical());
            }
            filled += len;
            if filled == capacity {
                self.writer.push_mbr(known);
                filled = 0;
            } else {
                self.bounds = Some(known);
            }
            start += len;
        }
    }

    /// Ends the write. `None` where no cell came.
    pub fn finish(mut self) -> Result<Option<Uri>> {
        if self.cell_num == 0 {
            return Ok(None);
        }
        let capacity = self.capacity();
        let names: Vec<StoredField> = stored(&self.schema, &self.writer).collect();
        for (stream, known) in self.fields.iter_mut().zip(names) {
            stream.flush(capacity, field(&mut self.writer, &known.name)?)?;
        }
        if let Some(bounds) = self.bounds.take() {
            self.writer.push_mbr(bounds);
        }
        let last = self.cell_num % capacity as u64;
        self.writer.set_last_tile_cell_num(last);
        let domain = self.writer.non_empty_domain().unwrap_or_default();
        check_current_domain(&self.schema, domain, "GlobalOrderWriter")?;
        self.writer.finish().map(Some)
    }
}

/// What the fragment stores: dimensions, attributes, and what it tells of its cells beside those.
fn stored<'a>(
    schema: &'a ArraySchema,
    writer: &FragmentWriter,
) -> impl Iterator<Item = StoredField> + use<'a> {
    let own = writer.own_fields();
    let own = own.filter_map(|field| FieldTiles::own(schema, field.name()));
    dimensions(schema).chain(attributes(schema)).chain(own)
}

fn field<'a>(writer: &'a mut FragmentWriter, name: &str) -> Result<&'a mut FieldWriter> {
    writer.field(name).ok_or_else(|| {
        let message = format!("The fragment has no field '{name}'");
        Error::usage("GlobalOrderWriter", message)
    })
}
