//! Dense writes in global order, in any number of submits. The cells of an incomplete tile are kept
//! for the next submit.

use std::sync::Arc;

use super::bounds::check_current_domain;
use super::check::{attributes, columns};
use super::field_stream::FieldStream;
use super::global_state::{GlobalWriteState, cells_of, check_tiles, resume_fields};
use super::values_order::reject_ordered;
use crate::buffers::{FieldCells, OffsetsForm};
use crate::error::{Error, Result, WriteBufferError, WriteError, WriterKind};
use crate::fragment::{FragmentWriter, UnfinishedFragment};
use crate::geometry::{CellBox, TileGrid};
use crate::schema::ArraySchema;
use crate::types::{EncryptionKey, NdRange, TimeRange};
use crate::vfs::{Uri, Vfs};

/// A write in global order between submits.
#[derive(Debug)]
pub struct GlobalWrite {
    schema: Arc<ArraySchema>,
    ranges: NdRange,
    tile_cells: usize,
    expected: u64,
    writer: FragmentWriter,
    fields: Vec<FieldStream>,
    /// Whether the fields have the cells of the submits that succeeded, and no others: the write
    /// can continue after a failed submit.
    pub(crate) is_intact: bool,
}

impl GlobalWrite {
    /// Begins a write of the box `ranges`, whole tiles.
    pub fn begin(
        schema: &Arc<ArraySchema>,
        ranges: &NdRange,
        key: Option<&EncryptionKey>,
        make: impl FnOnce() -> Result<FragmentWriter>,
    ) -> Result<Self> {
        reject_ordered(schema)?;
        let grid = TileGrid::new(schema)?;
        let cells = whole_tiles(&grid, schema, ranges)?;
        let fields = attributes(schema)
            .map(|field| FieldStream::new(schema, &field, key))
            .collect::<Result<_>>()?;
        Ok(Self {
            schema: schema.clone(),
            ranges: ranges.clone(),
            tile_cells: usize::try_from(grid.tile_cell_num).unwrap_or(usize::MAX),
            expected: cells.cell_num(),
            writer: make()?,
            fields,
            is_intact: true,
        })
    }

    /// Checks that the box `ranges` consists of complete tiles.
    pub fn check(schema: &ArraySchema, ranges: &NdRange) -> Result<()> {
        whole_tiles(&TileGrid::new(schema)?, schema, ranges).map(drop)
    }

    /// Continues a write of the box `ranges`. `make` opens the fragment.
    pub fn resume(
        schema: &Arc<ArraySchema>,
        ranges: &NdRange,
        key: Option<&EncryptionKey>,
        state: GlobalWriteState,
        make: impl FnOnce(UnfinishedFragment) -> Result<FragmentWriter>,
    ) -> Result<Self> {
        let (cells, tile_cells) = (&state.cells[..], TileGrid::new(schema)?.tile_cell_num);
        check_tiles(&state.fragment, cells, tile_cells, 0)?;
        let mut write = Self::begin(schema, ranges, key, || make(state.fragment))?;
        resume_fields(&mut write.fields, &state.cells, write.tile_cells)?;
        Ok(write)
    }

    /// Makes complete tiles durable, so that another query can continue. Does nothing if a tile is
    /// incomplete.
    pub fn release(&mut self) -> Result<()> {
        if cells_of(&self.fields, self.tile_cells).is_some() {
            self.writer.release()?;
        }
        Ok(())
    }

    /// Returns the state with which another query can continue; `None` if the write was not
    /// released.
    pub fn state(&self) -> Option<GlobalWriteState> {
        let mut fragment = self.writer.unfinished()?;
        fragment.non_empty_domain = Some(self.ranges.clone());
        Some(GlobalWriteState {
            cells: cells_of(&self.fields, self.tile_cells)?,
            fragment,
            last: Vec::new(),
        })
    }

    /// Returns the timestamp range of the fragment.
    pub fn timestamps(&self) -> TimeRange {
        self.writer.name().timestamps()
    }

    /// Writes the next cells. If they are invalid, nothing changes.
    pub fn submit(
        &mut self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let columns = columns(attributes(&self.schema), buffers, form)?;
        for column in &columns {
            if column
                .validity
                .is_some_and(|validity| validity.len() != column.cell_num)
            {
                return Err(WriteBufferError::ValidityNumber {
                    name: column.field.name.clone(),
                    given: column.validity.map_or(0, <[u8]>::len),
                    cells: column.cell_num as u64,
                }
                .into());
            }
        }
        self.is_intact = false;
        let tiles = self
            .fields
            .iter()
            .zip(&columns)
            .map(|(field, column)| field.completed_tiles(self.tile_cells, column.cell_num));
        let total: u64 = tiles.sum();
        let context = &vfs.context;
        context.progress("tiles", |progress| progress.total += total)?;
        for (field, column) in self.fields.iter_mut().zip(&columns) {
            let writer = self.writer.field(&column.field.name).ok_or_else(|| {
                Error::from(WriteBufferError::NoField {
                    name: column.field.name.clone(),
                })
            })?;
            field.take(vfs, column, self.tile_cells, writer)?;
        }
        self.is_intact = true;
        Ok(())
    }

    /// Ends the write and commits its fragment; see [`GlobalWrite::into_writer`].
    pub fn finish(self) -> Result<Option<Uri>> {
        self.into_writer()?.map(FragmentWriter::finish).transpose()
    }

    /// Ends the write and returns its fragment for the commit, or `None` if it has no cells.
    ///
    /// # Errors
    /// If cells of the box are missing.
    pub fn into_writer(mut self) -> Result<Option<FragmentWriter>> {
        let numbers: Vec<u64> = self.fields.iter().map(|field| field.cell_num).collect();
        let first = numbers.first().copied().unwrap_or_default();
        if numbers.iter().any(|number| *number != first) {
            return Err(WriteError::UnequalFields.into());
        }
        if first == 0 {
            return Ok(None);
        }
        if first != self.expected {
            return Err(WriteError::CellsMissing {
                cells: first,
                expected: self.expected,
            }
            .into());
        }
        check_current_domain(&self.schema, &self.ranges, WriterKind::Global)?;
        self.writer
            .set_non_empty_domain(std::mem::take(&mut self.ranges));
        Ok(Some(self.writer))
    }
}

/// Returns the box `ranges`, which must consist of complete tiles.
fn whole_tiles(grid: &TileGrid, schema: &ArraySchema, ranges: &NdRange) -> Result<CellBox> {
    let cells = grid
        .to_box(schema, ranges)
        .ok_or_else(|| Error::from(WriteBufferError::OutsideDomain))?;
    if grid.cells(&grid.tiles(&cells)) != cells {
        return Err(WriteBufferError::PartialTiles.into());
    }
    Ok(cells)
}
