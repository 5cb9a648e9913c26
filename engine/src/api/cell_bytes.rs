//! Cells of a field as bytes, for columns that are converted as a whole.

use crate::buffers::FieldForm;
use crate::error::{ApiError, Error, Result};

/// The cells of one field as bytes in little-endian order.
#[derive(Clone, Copy, Debug, Default)]
pub struct CellBytes<'a> {
    /// The values of all cells, one cell after another.
    pub data: &'a [u8],
    /// The start of each cell in `data`. Fields of variable length need them; others have none.
    pub offsets: Option<&'a [u64]>,
    /// One byte per cell, 0 for null. If a nullable field has none, no cell is null.
    pub validity: Option<&'a [u8]>,
}

impl CellBytes<'_> {
    /// Returns the number of cells, after a check that the parts fit the field and each other.
    pub(super) fn check(&self, form: &FieldForm) -> Result<usize> {
        let problem = |problem| {
            Error::from(ApiError::BadCells {
                field: form.name.clone(),
                problem,
            })
        };
        let cells = match self.offsets {
            Some(offsets) if form.cells.is_var() => {
                let last = offsets.last().copied().unwrap_or(0);
                let partial =
                    |start: &u64| !start.is_multiple_of(form.cells.datatype.size() as u64);
                if !offsets.is_sorted() || last > self.data.len() as u64 {
                    return Err(problem(
                        "its offsets are not ascending positions of its data",
                    ));
                }
                if offsets.iter().any(partial) || !self.is_whole(form) {
                    return Err(problem("a cell ends within a value"));
                }
                offsets.len()
            }
            Some(_) => return Err(problem("cells of a fixed size have no offsets")),
            None if form.cells.is_var() => return Err(problem("its cells need offsets")),
            None if !self.is_whole(form) => return Err(problem("the last cell is incomplete")),
            None => self.data.len() / form.cells.cell_size().max(1),
        };
        match self.validity {
            Some(_) if !form.cells.nullable => Err(problem("it is not nullable")),
            Some(bytes) if bytes.len() != cells => Err(problem(
                "it has another number of cells than of validity bytes",
            )),
            _ => Ok(cells),
        }
    }

    fn is_whole(&self, form: &FieldForm) -> bool {
        self.data
            .len()
            .is_multiple_of(form.cells.cell_size().max(1))
    }
}
