//! Unordered sparse writes: cells are sorted and divided into tiles of one fragment.
//!
//! If the configuration allows it, attributes can be written in later submits than the coordinates.
//! The fragment is committed after the last attribute.

use std::collections::HashSet;
use std::sync::Arc;

use super::bounds::check_current_domain;
use super::check::{InputColumn, attributes, check_cell_num, columns, dimensions, given_columns};
use super::cut::CellSequence;
use super::field_writer;
use super::order::{SparseWriteOptions, sequence};
use super::tile_encoder::TileEncoder;
use crate::buffers::{FieldCells, OffsetsForm};
use crate::error::{Result, WriterKind};
use crate::fragment::{FieldWriter, FragmentWriter};
use crate::schema::{ArraySchema, StoredField};
use crate::types::EncryptionKey;
use crate::vfs::Vfs;

/// An unordered write between submits.
#[derive(Debug)]
pub struct UnorderedWrite {
    schema: Arc<ArraySchema>,
    key: Option<EncryptionKey>,
    sequence: CellSequence,
    /// The number of cells in each buffer.
    given: usize,
    /// `None` if it has no cells, and after the commit.
    writer: Option<FragmentWriter>,
    /// The names of the fields that were written.
    written: HashSet<String>,
}

/// Returns the columns of the attributes that have buffers. Cells after the first `cell_num` are
/// ignored; programs rely on that.
fn attribute_columns<'a>(
    attributes: impl Iterator<Item = StoredField>,
    buffers: &[FieldCells<'a>],
    form: OffsetsForm,
    cell_num: usize,
) -> Result<Vec<InputColumn<'a>>> {
    let mut columns = given_columns(attributes, buffers, form)?;
    columns
        .iter_mut()
        .for_each(|column| column.keep_first(cell_num));
    check_cell_num(&columns, cell_num as u64)?;
    Ok(columns)
}

impl UnorderedWrite {
    /// Sorts the cells of the buffers and writes their coordinates to the fragment that `make`
    /// creates.
    pub fn begin(
        vfs: &Arc<Vfs>,
        schema: &Arc<ArraySchema>,
        key: Option<&EncryptionKey>,
        options: SparseWriteOptions,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
        make: impl FnOnce() -> Result<FragmentWriter>,
    ) -> Result<Self> {
        let columns = columns(dimensions(schema), buffers, form)?;
        let given = columns.first().map_or(0, |column| column.cell_num);
        check_cell_num(&columns, given as u64)?;
        let sequence = sequence(&vfs.context, schema, &columns, options)?;
        let mut write = Self {
            schema: schema.clone(),
            key: key.cloned(),
            sequence,
            given,
            writer: None,
            written: HashSet::new(),
        };
        // All buffers are checked before the fragment is created.
        let attributes = write.check_attributes(buffers, form)?;
        if given > 0 {
            write.writer = Some(make()?);
        }
        let field_num = schema.dim_num() + schema.attributes.len();
        let total = write.sequence.tile_num() * field_num;
        let context = &vfs.context;
        context.progress("tiles", |progress| progress.total = total as u64)?;
        write.write_coordinates(vfs, &columns)?;
        drop(columns);
        match attributes {
            Some(attributes) => write.write_attributes(vfs, &attributes)?,
            None => write.submit(vfs, buffers, form)?,
        }
        Ok(write)
    }

    /// Checks the buffers of attributes. Returns the columns, or `None` if they are large: then
    /// each is made when it is written.
    fn check_attributes<'a>(
        &self,
        buffers: &[FieldCells<'a>],
        form: OffsetsForm,
    ) -> Result<Option<Vec<InputColumn<'a>>>> {
        if !self.sequence.is_large {
            let fields = attributes(&self.schema);
            return attribute_columns(fields, buffers, form, self.given).map(Some);
        }
        for field in attributes(&self.schema) {
            attribute_columns(std::iter::once(field), buffers, form, self.given)?;
        }
        Ok(None)
    }

    /// Writes the attributes of a later submit.
    pub fn submit(
        &mut self,
        vfs: &Arc<Vfs>,
        buffers: &[FieldCells<'_>],
        form: OffsetsForm,
    ) -> Result<()> {
        let missing: Vec<_> = attributes(&self.schema)
            .filter(|field| !self.has_written(&field.name))
            .collect();
        let at_once = if self.sequence.is_large {
            1
        } else {
            missing.len().max(1)
        };
        for fields in missing.chunks(at_once) {
            let columns = attribute_columns(fields.iter().cloned(), buffers, form, self.given)?;
            self.write_attributes(vfs, &columns)?;
        }
        Ok(())
    }

    /// Returns whether a field was written.
    pub fn has_written(&self, name: &str) -> bool {
        self.written.contains(name)
    }

    /// Returns whether all fields were written.
    pub fn is_complete(&self) -> bool {
        self.written.len() == self.schema.dim_num() + self.schema.attributes.len()
    }

    /// Returns the fragment for the commit, or `None` if it has no cells.
    pub fn take_fragment(&mut self) -> Option<FragmentWriter> {
        self.writer.take()
    }

    fn write_coordinates(&mut self, vfs: &Arc<Vfs>, columns: &[InputColumn<'_>]) -> Result<()> {
        let mut bounds = Vec::with_capacity(columns.len());
        for column in columns {
            let of_column = self.write(column, |sequence, encoder, field| {
                sequence.write_with_bounds(&vfs.context, encoder, column, field)
            })?;
            bounds.push(of_column.into_iter());
        }
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        for _ in 0..self.sequence.tile_num() {
            let (mbr, ends) = bounds
                .iter_mut()
                .filter_map(Iterator::next)
                .map(|[mbr, ends]| (mbr, ends))
                .unzip();
            writer.push_tile(mbr, ends);
        }
        let last = self.sequence.cell_num % self.sequence.capacity;
        writer.set_last_tile_cell_num(last as u64);
        let domain = writer.non_empty_domain().unwrap_or_default();
        check_current_domain(&self.schema, domain, WriterKind::Unordered)
    }

    fn write_attributes(&mut self, vfs: &Arc<Vfs>, columns: &[InputColumn<'_>]) -> Result<()> {
        for column in columns {
            self.write(column, |sequence, encoder, field| {
                sequence.write_tiles(&vfs.context, encoder, column, field, |_, _| {})
            })?;
        }
        Ok(())
    }

    /// Writes a column with `write` and records its field as written. Writes nothing if there are
    /// no cells.
    fn write<T: Default>(
        &mut self,
        column: &InputColumn<'_>,
        write: impl FnOnce(&CellSequence, &TileEncoder, &mut FieldWriter) -> Result<T>,
    ) -> Result<T> {
        let name = &column.field.name;
        self.written.insert(name.clone());
        let Some(fragment) = &mut self.writer else {
            return Ok(T::default());
        };
        let encoder = TileEncoder::new(&self.schema, &column.field, self.key.as_ref())?;
        let field = field_writer(fragment, name, WriterKind::Unordered)?;
        write(&self.sequence, &encoder, field)
    }
}
