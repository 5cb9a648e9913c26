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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DuplicateRule {
    /// All of them are written.
    Keep,
    /// They are an error.
    Reject,
    /// Only the first one is written.
    Drop,
}

/// Applies a rule to sorted cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct DuplicateCheck<'a> {
    columns: &'a [InputColumn<'a>],
    rule: DuplicateRule,
}

impl<'a> DuplicateCheck<'a> {
    /// Creates a check of the cells of these columns.
    pub(super) fn new(columns: &'a [InputColumn<'a>], rule: DuplicateRule) -> Self {
        Self { columns, rule }
    }

    /// Returns whether equal cells are rejected or removed.
    pub(super) fn is_enabled(&self) -> bool {
        self.rule != DuplicateRule::Keep
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
        match self.rule {
            DuplicateRule::Keep => Ok(()),
            DuplicateRule::Drop => {
                indexes.dedup_by(|later, earlier| are_equal(*later, *earlier));
                Ok(())
            }
            DuplicateRule::Reject => {
                match indexes.windows(2).find(|pair| are_equal(pair[0], pair[1])) {
                    Some(pair) => Err(duplicate(self.columns, cell(pair[1]))),
                    None => Ok(()),
                }
            }
        }
    }
}
