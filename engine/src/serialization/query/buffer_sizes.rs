//! The sizes of the buffers of a field in the form of messages.

use crate::buffers::FieldSizes;

/// The sizes in bytes of the buffers of a field, as messages name them.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageSizes {
    /// The values of fixed length, or the offsets of values of variable length.
    pub(super) fixed: u64,
    /// The values of variable length.
    pub(super) var: u64,
    pub(super) validity: u64,
}

impl MessageSizes {
    /// Converts the sizes of a field. `is_var` states whether its cells have variable length.
    pub(super) fn of(sizes: FieldSizes, is_var: bool) -> Self {
        let FieldSizes {
            data,
            offsets,
            validity,
        } = sizes;
        let (fixed, var) = if is_var { (offsets, data) } else { (data, 0) };
        Self {
            fixed,
            var,
            validity,
        }
    }

    /// Returns the sizes for a field. `is_var` states whether its cells have variable length.
    pub(super) fn of_field(self, is_var: bool) -> FieldSizes {
        FieldSizes {
            data: if is_var { self.var } else { self.fixed },
            offsets: if is_var { self.fixed } else { 0 },
            validity: self.validity,
        }
    }
}
