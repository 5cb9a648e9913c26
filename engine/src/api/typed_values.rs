//! Cells as values of Rust types.

use super::cell::FromCell;
use super::field_values::{FieldValues, Records};
use crate::error::{ApiError, Result};

impl FieldValues {
    /// Returns the cells as values of a Rust type.
    ///
    /// # Errors
    ///
    /// If the cells have another datatype, or a cell is null and `T` is not an `Option`.
    pub fn values<T: FromCell>(&self) -> Result<Vec<T>> {
        T::from_cells(self)
    }

    /// Returns a cell as a value of a Rust type.
    ///
    /// # Errors
    ///
    /// As [`values`](FieldValues::values), and if the cell does not exist.
    pub fn value<T: FromCell>(&self, cell: usize) -> Result<T> {
        if cell >= self.len() {
            return Err(ApiError::NoCell {
                field: self.name().into(),
                number: self.len(),
                cell,
            }
            .into());
        }
        if self.is_null(cell) {
            return T::from_null(self, cell);
        }
        T::from_cell(self, cell)
    }
}

impl Records {
    /// Returns the cells of a field as values of a Rust type, such as
    /// `records.values::<Option<f64>>("temperature")?`.
    ///
    /// # Errors
    ///
    /// If the field was not read, its cells have another datatype, or a cell is null and `T` is not
    /// an `Option`.
    pub fn values<T: FromCell>(&self, name: &str) -> Result<Vec<T>> {
        self.field(name)?.values()
    }
}
