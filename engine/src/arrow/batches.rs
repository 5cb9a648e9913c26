//! Reads in batches of Arrow arrays.

use std::sync::Arc;

use arrow_data::ArrayData;

use super::export::{ColumnBuffers, FreedBuffers, labels_of};
use super::types::{ReadColumn, arrow_error};
use crate::buffers::{NeededSizes, PerBuffer};
use crate::config::Config;
use crate::error::Result;
use crate::query::Query;
use crate::types::QueryStatus;

/// The bytes that are reserved for a cell of variable length if nothing is known.
const VAR_CELL_BYTES: u64 = 24;
/// The least bytes for variable-length values.
const MIN_VALUE_BYTES: usize = 64;

/// The state of a read that is delivered as arrays. Memory of batches that were dropped is used for
/// the next ones.
#[derive(Debug)]
pub struct BatchReader {
    columns: Vec<ReadColumn>,
    freed: Vec<PerBuffer<Arc<FreedBuffers>>>,
    /// The values of enumerations, which all batches share.
    labels: Vec<Option<ArrayData>>,
    /// The sizes that the complete result needs.
    needed: Vec<NeededSizes>,
    /// The cells of a batch, and the bytes of the values of each field.
    cells: usize,
    value_bytes: Vec<usize>,
}

impl BatchReader {
    /// Begins to read fields in batches of about `bytes` bytes, or in one batch if the result is
    /// smaller. Sets the form of the offsets of the query, which must not have been submitted.
    ///
    /// # Errors
    ///
    /// If a field does not exist, or the read would fail.
    pub fn new(query: &mut Query, columns: Vec<ReadColumn>, bytes: u64) -> Result<Self> {
        let mut config = Config::new();
        config.set("sm.var_offsets.bitsize", "64")?;
        config.set("sm.var_offsets.mode", "elements")?;
        config.set("sm.var_offsets.extra_element", "true")?;
        query.set_config(&config)?;
        let needed = needed_sizes(query, &columns, u64::MAX)?;
        let labels = columns.iter().map(|column| {
            if column.has_indexes {
                Ok(None)
            } else {
                labels_of(&column.form)
            }
        });
        let mut reader = Self {
            labels: labels.collect::<Result<_>>()?,
            freed: columns.iter().map(|_| PerBuffer::default()).collect(),
            columns,
            needed,
            cells: 0,
            value_bytes: Vec::new(),
        };
        reader.size(bytes);
        Ok(reader)
    }

    /// Returns the fields.
    pub fn columns(&self) -> &[ReadColumn] {
        &self.columns
    }

    /// Chooses the sizes of the buffers of about `bytes` bytes from those that the complete result
    /// needs.
    fn size(&mut self, bytes: u64) {
        let needed = &self.needed;
        let most = needed.iter().map(|needed| needed.cells).max().unwrap_or(0);
        let average = |data: u64| {
            data.checked_div(most)
                .map_or(VAR_CELL_BYTES, |size| size + 1)
        };
        let per_cell = self
            .columns
            .iter()
            .zip(needed)
            .map(|(column, needed)| {
                let form = &column.form;
                let size = if form.cells.is_var() {
                    8 + average(needed.sizes.data)
                } else {
                    form.cells.cell_size() as u64
                };
                size.saturating_add(u64::from(form.cells.nullable))
            })
            .fold(0, u64::saturating_add)
            .max(1);
        let cells = (bytes / per_cell).clamp(1, most.max(1));
        let len = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        self.cells = len(cells);
        let values = needed.iter().map(|needed| {
            let total = needed.sizes.data;
            if cells == most {
                return len(total).max(1);
            }
            let part = average(total).saturating_mul(cells);
            len(part.saturating_add(part / 8).min(total)).max(MIN_VALUE_BYTES)
        });
        self.value_bytes = values.collect();
    }

    /// Enlarges the sizes of variable-length values for the next cell, and at least to twice as
    /// much.
    fn grow(&mut self, query: &Query) -> Result<()> {
        let needed = needed_sizes(query, &self.columns, 1)?;
        for (bytes, needed) in self.value_bytes.iter_mut().zip(needed) {
            let needed = usize::try_from(needed.sizes.data).unwrap_or(usize::MAX);
            *bytes = bytes.saturating_mul(2).max(needed);
        }
        Ok(())
    }

    fn buffers(&self) -> Result<Vec<ColumnBuffers<'_>>> {
        self.columns
            .iter()
            .zip(&self.freed)
            .zip(&self.labels)
            .zip(&self.value_bytes)
            .map(|(field, bytes)| {
                let ((column, freed), labels) = field;
                ColumnBuffers::new(column, freed, labels.as_ref(), self.cells, *bytes)
            })
            .collect()
    }

    /// Reads the next cells; returns their number and an array for each field, or `None` after the
    /// last one.
    ///
    /// # Errors
    ///
    /// If storage fails, or values have no counterpart in Arrow.
    pub fn next(&mut self, query: &mut Query) -> Result<Option<(usize, Vec<ArrayData>)>> {
        while query.status() != QueryStatus::Completed {
            let mut buffers = self.buffers()?;
            let cells = submit(query, &mut buffers)?;
            if cells > 0 {
                let arrays = buffers.into_iter().map(ColumnBuffers::into_array);
                return Ok(Some((cells, arrays.collect::<Result<_>>()?)));
            }
            drop(buffers);
            if query.status() == QueryStatus::Incomplete {
                self.grow(query)?;
            }
        }
        Ok(None)
    }

    /// Reads all cells into one array for each field; returns their number. The buffers are
    /// enlarged if their sizes were not known.
    ///
    /// # Errors
    ///
    /// As [`next`](Self::next).
    pub fn all(&mut self, query: &mut Query) -> Result<(usize, Vec<ArrayData>)> {
        if self.needed.iter().all(|needed| needed.is_exact) {
            self.size(u64::MAX);
        }
        let mut buffers = self.buffers()?;
        let (mut cells, mut values) = (self.cells, self.value_bytes.clone());
        while query.status() != QueryStatus::Completed {
            submit(query, &mut buffers)?;
            if query.status() == QueryStatus::Completed {
                break;
            }
            let needed = needed_sizes(query, &self.columns, 1)?;
            cells = cells.saturating_mul(2);
            for ((buffers, values), needed) in buffers.iter_mut().zip(&mut values).zip(needed) {
                let needed = usize::try_from(needed.sizes.data).unwrap_or(usize::MAX);
                *values = values.saturating_mul(2).saturating_add(needed);
                buffers.grow(cells, *values)?;
            }
        }
        let cells = buffers.first().map_or(0, ColumnBuffers::cells);
        let arrays = buffers.into_iter().map(ColumnBuffers::into_array);
        Ok((cells, arrays.collect::<Result<_>>()?))
    }
}

/// Returns the sizes that the next cells of fields need, for at most `cells` cells.
fn needed_sizes(query: &Query, columns: &[ReadColumn], cells: u64) -> Result<Vec<NeededSizes>> {
    let names: Vec<&str> = columns.iter().map(|column| &column.form.name[..]).collect();
    query.needed_sizes(&names, cells)
}

/// Submits a read; returns the number of cells, which all fields must have.
fn submit(query: &mut Query, buffers: &mut [ColumnBuffers<'_>]) -> Result<usize> {
    let mut submitted: Vec<_> = buffers.iter_mut().map(ColumnBuffers::buffers).collect();
    let sizes = query.read(&mut submitted)?;
    drop(submitted);
    let added: Vec<usize> = buffers
        .iter_mut()
        .zip(&sizes)
        .map(|(buffers, sizes)| buffers.add(sizes))
        .collect();
    let cells = added.first().copied().unwrap_or(0);
    match added.iter().position(|number| *number != cells) {
        None => Ok(cells),
        Some(index) => Err(arrow_error(format!(
            "the field '{}' has {} values and '{}' has {cells}: values of dimension labels are read alone",
            buffers[index].name(),
            added[index],
            buffers[0].name()
        ))),
    }
}
