//! The sizes of buffers that the next cells of a read need.

use super::filled_buffers::FilledBuffers;
use crate::buffers::{FieldSizes, NeededSizes, OffsetsForm};
use crate::types::CellType;

/// A number that is exact, or an upper bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    pub(crate) number: u64,
    pub(crate) is_exact: bool,
}

impl Amount {
    /// The exact number 0.
    pub(crate) const NONE: Self = Self::exact(0);

    /// Returns an exact number.
    pub(crate) const fn exact(number: u64) -> Self {
        Self {
            number,
            is_exact: true,
        }
    }

    /// Returns an upper bound.
    pub(crate) const fn at_most(number: u64) -> Self {
        Self {
            number,
            is_exact: false,
        }
    }

    /// Adds another number; the sum is exact if both are.
    pub(crate) fn add(&mut self, other: Self) {
        self.number = self.number.saturating_add(other.number);
        self.is_exact &= other.is_exact;
    }

    /// Subtracts an exact number.
    pub(crate) fn less(self, number: u64) -> Self {
        Self {
            number: self.number.saturating_sub(number),
            ..self
        }
    }

    /// Returns the exact number of two for the same thing, or the lower bound.
    pub(crate) fn or_better(self, other: Self) -> Self {
        match (self.is_exact, other.is_exact) {
            (true, _) => self,
            (false, true) => other,
            (false, false) => Self::at_most(self.number.min(other.number)),
        }
    }
}

/// Returns the sizes of the buffers for a number of cells with this number of bytes of
/// variable-length values.
pub(crate) fn needed_sizes(
    cell_type: CellType,
    form: OffsetsForm,
    cells: Amount,
    values: Amount,
) -> NeededSizes {
    let number = cells.number;
    let mut sizes = FieldSizes {
        data: number.saturating_mul(cell_type.cell_size() as u64),
        offsets: 0,
        validity: if cell_type.nullable { number } else { 0 },
    };
    if cell_type.is_var() {
        sizes.data = values.number;
        sizes.offsets = if number > 0 { form.size(number) } else { 0 };
    }
    NeededSizes {
        sizes,
        cells: number,
        is_exact: cells.is_exact && (!cell_type.is_var() || values.is_exact),
    }
}

/// The cells and the bytes of variable-length values that a read has delivered so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeliveredCells {
    pub(crate) cells: u64,
    /// By field.
    values: Vec<u64>,
    /// Whether another read delivered some cells, so that the values are too small.
    is_partial: bool,
}

impl DeliveredCells {
    /// Adds what a submit delivered.
    pub(crate) fn add(&mut self, filled: &FilledBuffers) {
        self.cells = self.cells.saturating_add(filled.cell_num as u64);
        for var in &filled.vars {
            if self.values.len() <= var.field {
                self.values.resize(var.field + 1, 0);
            }
            self.values[var.field] = self.values[var.field].saturating_add(var.bytes);
        }
    }

    /// Adds cells that another read of the same result delivered.
    pub(crate) fn skip(&mut self, cells: u64) {
        self.cells = self.cells.saturating_add(cells);
        self.is_partial = true;
    }

    /// Returns the bytes of the values of a field that are left of `all`.
    pub(crate) fn values_left(&self, all: Amount, field: usize) -> Amount {
        let rest = all.less(self.values.get(field).copied().unwrap_or_default());
        Amount {
            is_exact: rest.is_exact && !self.is_partial,
            ..rest
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Datatype, VAR_NUM};

    #[test]
    fn sums_are_exact_if_all_parts_are() {
        let mut sum = Amount::exact(3);
        sum.add(Amount::exact(4));
        assert_eq!(sum, Amount::exact(7));
        sum.add(Amount::at_most(u64::MAX));
        assert_eq!(sum, Amount::at_most(u64::MAX));
        assert_eq!(Amount::exact(7).less(9), Amount::NONE);
    }

    #[test]
    fn an_exact_number_is_better_than_a_bound() {
        let (exact, low, high) = (Amount::exact(5), Amount::at_most(6), Amount::at_most(8));
        assert_eq!(high.or_better(exact), exact);
        assert_eq!(exact.or_better(low), exact);
        assert_eq!(high.or_better(low), low);
    }

    #[test]
    fn no_cells_need_no_additional_offset() {
        let cell_type = CellType {
            datatype: Datatype::Uint8,
            cell_val_num: VAR_NUM,
            nullable: true,
        };
        let form = OffsetsForm {
            width: 4,
            elements: false,
            extra: true,
        };
        let none = needed_sizes(cell_type, form, Amount::NONE, Amount::NONE);
        assert_eq!(none.sizes, FieldSizes::default());
        assert!(none.is_exact);
        let two = needed_sizes(cell_type, form, Amount::exact(2), Amount::at_most(9));
        let sizes = (two.sizes.data, two.sizes.offsets, two.sizes.validity);
        assert_eq!((sizes, two.is_exact), ((9, 12, 2), false));
    }
}
