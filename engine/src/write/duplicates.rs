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

impl DuplicateRule {
    /// Checks the sorted cells `indexes` or removes duplicates. `columns` are the dimensions in the
    /// buffers, and `cell` returns the number of a cell there.
    pub(super) fn apply(
        self,
        order: &CellOrder,
        cells: KeyedCells<'_>,
        indexes: &mut Vec<u32>,
        columns: &[InputColumn<'_>],
        cell: impl Fn(u32) -> usize,
    ) -> Result<()> {
        let are_equal = |a: u32, b: u32| order.same_cell(cells, a as usize, cells, b as usize);
        match self {
            Self::Keep => Ok(()),
            Self::Drop => {
                indexes.dedup_by(|later, earlier| are_equal(*later, *earlier));
                Ok(())
            }
            Self::Reject => match indexes.windows(2).find(|pair| are_equal(pair[0], pair[1])) {
                Some(pair) => Err(duplicate(columns, cell(pair[1]))),
                None => Ok(()),
            },
        }
    }
}
