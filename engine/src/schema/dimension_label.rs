//! Dimension labels: what a schema says of them. Reading and writing through them is to come.

use crate::types::{DataOrder, Datatype};

/// A dimension label: an array of its own that maps values to indexes of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct DimensionLabel {
    /// The index of the dimension.
    pub dimension: u32,
    /// The name.
    pub name: String,
    /// Where its array lies.
    pub uri: String,
    /// Whether that is relative to the array's folder.
    pub uri_is_relative: bool,
    /// The attribute of its array that holds the values.
    pub attribute: String,
    /// The order of the values.
    pub order: DataOrder,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// Values per label, or `VAR_NUM`.
    pub cell_val_num: u32,
    /// Whether its array does not belong to this one.
    pub is_external: bool,
}
