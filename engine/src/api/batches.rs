//! The delivery of the results of a read in batches.

use super::field_values::{FieldValues, Records};
use crate::buffers::FieldForm;
use crate::buffers::{FieldBuffers, FieldSizes};
use crate::error::{Result, try_vec};
use crate::query::{Explanation, Query};
use crate::read::TileUse;
use crate::types::QueryStatus;

/// The least size of a buffer in bytes.
const MIN_BUFFER: usize = 64;
/// The size in bytes of the first buffer for the string that an aggregate returns.
const MAX_FIRST_STRING: usize = 1 << 16;

/// An iterator over the batches of a read, which
/// [`ReadQuery::batches`](super::read_query::ReadQuery::batches) returns.
///
/// ```no_run
/// # use tiledb_engine::{Array, Context, Layout, Result};
/// # fn main() -> Result<()> {
/// # let array = Array::open(&Context::new()?, "weather")?;
/// let query = array.query().layout(Layout::Unordered).batch_bytes(1 << 20);
/// let mut sum = 0.0;
/// for batch in query.batches()? {
///     // Each batch has the next cells of all fields.
///     sum += batch?.values::<f64>("temperature")?.iter().sum::<f64>();
/// }
/// # Ok(())
/// # }
/// ```
///
/// After an error it returns no more batches.
#[derive(Debug)]
pub struct Batches {
    pub(super) query: Query,
    pub(super) buffers: Vec<FieldStore>,
    /// Whether the last batch was returned, or an error.
    pub(super) done: bool,
}

impl Batches {
    /// Explains the read: its plan, and what happened so far.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn explain(&self) -> Result<Explanation> {
        let names = self.buffers.iter().map(|store| &store.form.name[..]);
        self.query.explain(&names.collect::<Vec<_>>())
    }

    /// Returns what the read does with each tile: for each fragment, in the order of
    /// [`Array::fragments`](super::array::Array::fragments), one value for each of its tiles, in
    /// the order of their [bounds](super::fragments::FragmentDetails::tile_bounds).
    /// Takes one byte of memory for each tile of the array.
    ///
    /// # Errors
    ///
    /// If storage fails, or memory is exhausted.
    pub fn tile_uses(&self) -> Result<Vec<Vec<TileUse>>> {
        let names = self.buffers.iter().map(|store| &store.form.name[..]);
        self.query.tile_uses(&names.collect::<Vec<_>>())
    }

    /// Returns the fields of the batches, without cells.
    pub fn empty(&self) -> Records {
        Records {
            fields: self.buffers.iter().map(FieldStore::empty).collect(),
        }
    }

    /// Reads until cells are delivered or the read is complete.
    fn advance(&mut self) -> Result<Option<Records>> {
        loop {
            let mut buffers: Vec<_> = self.buffers.iter_mut().map(FieldStore::buffers).collect();
            let sizes = self.query.read(&mut buffers)?;
            self.done = self.query.status() == QueryStatus::Completed;
            let is_last = self.done;
            let fields = self
                .buffers
                .iter_mut()
                .zip(sizes)
                .map(|(store, sizes)| store.filled(sizes, is_last))
                .collect();
            let records = Records { fields };
            if !records.is_empty() {
                return Ok(Some(records));
            }
            if self.done {
                return Ok(None);
            }
            self.buffers.iter_mut().try_for_each(FieldStore::grow)?;
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Records>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let advanced = self.advance();
        self.done |= advanced.is_err();
        advanced.transpose()
    }
}

/// The buffers of a field of a read.
#[derive(Debug)]
pub(super) struct FieldStore {
    form: FieldForm,
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
}

impl FieldStore {
    /// Allocates buffers of about `share` bytes.
    pub(super) fn new(form: FieldForm, share: usize) -> Result<Self> {
        let share = share.max(MIN_BUFFER);
        let per_cell = form.cells.cell_size() + usize::from(form.cells.nullable);
        let cells = if form.cells.is_var() {
            // A quarter of the memory is for offsets.
            (share / 4 / 8).max(1)
        } else {
            (share / per_cell.max(1)).max(1)
        };
        let data = if form.cells.is_var() {
            (share / 4 * 3).max(MIN_BUFFER)
        } else {
            cells.saturating_mul(form.cells.cell_size())
        };
        Self::sized(form, cells, data)
    }

    /// Allocates buffers of one cell, for the result of an aggregate.
    pub(super) fn single(form: FieldForm) -> Result<Self> {
        let data = if form.cells.is_var() {
            MAX_FIRST_STRING
        } else {
            form.cells.cell_size()
        };
        Self::sized(form, 1, data)
    }

    fn sized(form: FieldForm, cells: usize, data: usize) -> Result<Self> {
        const WHAT: &str = "a buffer of a read";
        let offsets = if form.cells.is_var() { cells } else { 0 };
        let validity = if form.cells.nullable { cells } else { 0 };
        Ok(Self {
            data: try_vec(WHAT, data)?,
            offsets: try_vec(WHAT, offsets)?,
            validity: try_vec(WHAT, validity)?,
            form,
        })
    }

    /// Doubles the buffers.
    fn grow(&mut self) -> Result<()> {
        let form = self.form.clone();
        let cells = if form.cells.is_var() {
            self.offsets.len()
        } else {
            self.data.len() / form.cells.cell_size().max(1)
        };
        let cells = cells.saturating_mul(2);
        let data = self.data.len().saturating_mul(2);
        *self = Self::sized(form, cells, data)?;
        Ok(())
    }

    fn buffers(&mut self) -> FieldBuffers<'_> {
        let is_var = self.form.cells.is_var();
        FieldBuffers {
            offsets: is_var.then_some(bytemuck::cast_slice_mut(&mut self.offsets)),
            validity: self.form.cells.nullable.then_some(&mut self.validity[..]),
            ..FieldBuffers::fixed(&self.form.name, &mut self.data)
        }
    }

    fn empty(&self) -> FieldValues {
        FieldValues::new(self.form.clone())
    }

    /// Returns the cells that a submit delivered. The last ones are not copied if they fill at
    /// least half of their buffer.
    fn filled(&mut self, sizes: FieldSizes, is_last: bool) -> FieldValues {
        let mut offsets = part(&mut self.offsets, sizes.offsets as usize / 8, is_last);
        for offset in &mut offsets {
            // The engine writes offsets in little-endian order.
            *offset = u64::from_le(*offset);
        }
        FieldValues {
            form: self.form.clone(),
            data: part(&mut self.data, sizes.data as usize, is_last),
            offsets,
            validity: part(&mut self.validity, sizes.validity as usize, is_last),
        }
    }
}

/// Returns the first `len` elements of a buffer. If the buffer is not used again (`is_last`) and at
/// least half full, its memory is taken instead of copied.
fn part<T: Clone>(buffer: &mut Vec<T>, len: usize, is_last: bool) -> Vec<T> {
    let len = len.min(buffer.len());
    if !is_last || len < buffer.len() / 2 {
        return buffer[..len].to_vec();
    }
    buffer.truncate(len);
    std::mem::take(buffer)
}
