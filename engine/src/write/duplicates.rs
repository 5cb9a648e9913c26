//! Cells of a write with equal coordinates.

use super::bounds::cell_text;
use super::check::InputColumn;
use crate::error::{Error, Result, WriteError};
use crate::geometry::{CellOrder, KeyedCells};

/// Returns the error for a cell with the coordinates of another.
pub(super) fn duplicate(columns: &[InputColumn<'_>], cell: usize) -> Error {
    Error::from(WriteError::Duplicate {
        cell: cell_text(columns, cell),
    })
}

/// The treatment of cells with equal coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct DuplicateCheck<'a> {
    columns: &'a [InputColumn<'a>],
    rejects: bool,
    drops: bool,
}

impl<'a> DuplicateCheck<'a> {
    /// Creates a check of the cells of these columns, which rejects or drops duplicates.
    pub(super) fn new(columns: &'a [InputColumn<'a>], rejects: bool, drops: bool) -> Self {
        Self {
            columns,
            rejects,
            drops,
        }
    }

    /// Returns whether equal cells are rejected or removed.
    pub(super) fn is_enabled(&self) -> bool {
        self.rejects || self.drops
    }

    /// Checks the sorted cells `indexes` or removes duplicates. `cell` returns the number of a
    /// cell in the buffers.
    pub(super) fn apply(
        &self,
        order: &CellOrder,
        cells: KeyedCells<'_>,
        indexes: &mut Vec<u32>,
        cell: impl Fn(u32) -> usize,
    ) -> Result<()> {
        let are_equal = |a: u32, b: u32| order.same_cell(cells, a as usize, cells, b as usize);
        if self.drops {
            indexes.dedup_by(|later, earlier| are_equal(*later, *earlier));
        } else if self.rejects
            && let Some(pair) = indexes.windows(2).find(|pair| are_equal(pair[0], pair[1]))
        {
            return Err(duplicate(self.columns, cell(pair[1])));
        }
        Ok(())
    }
}
