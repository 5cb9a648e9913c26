//! Causes of errors of reads, estimates and dimension labels of queries.

use super::Error;

/// Causes of errors of estimates of result sizes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EstimateError {
    #[error("There is no field '{name}' to estimate")]
    Unknown { name: String },
    #[error("The field '{name}' is nullable, so its estimate includes validity")]
    Nullable { name: String },
    #[error("The field '{name}' has values of a fixed size, so its estimate is one number")]
    NotVar { name: String },
    #[error("The field '{name}' has values of variable size, so its estimate includes offsets")]
    NotFixed { name: String },
    #[error("The size of the label '{name}' cannot be estimated")]
    Label { name: String },
    #[error("'{name}' is no attribute, so its estimate has no validity")]
    NotAnAttribute { name: String },
    #[error("The attribute '{name}' is not nullable, so its estimate has no validity")]
    NotNullable { name: String },
    #[error("Only the results of reads can be estimated")]
    NotARead,
}

/// Causes of errors of reads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("The read has no buffers (ordered: {ordered})")]
    NoBuffers { ordered: bool },
    #[error("The read of a dense array has no buffers")]
    NoDenseBuffers,
    #[error("The read of a dense array has no subarray")]
    NoSubarray,
    #[error("'sm.query.dense.qc_coords_mode' needs a condition")]
    NoCondition,
    #[error("A read in global order has one range per dimension")]
    ManyRanges,
    #[error("The validity of '{name}' holds {size} cells, but its data for {cells}")]
    ValiditySize { name: String, size: u64, cells: u64 },
    #[error("Cannot read field '{name}'; the array has none of that name")]
    UnknownField { name: String },
    #[error("Cannot read field '{name}' of the dense array, which has none of that name")]
    UnknownDenseField { name: String },
    #[error("A range of dimension '{dimension}' leaves the domain")]
    OutsideDomain { dimension: String },
    #[error("The deletes of cells are computed when the cells are selected")]
    ComputedDeletes,
    #[error("Fragment '{uri}' lacks its delete metadata")]
    NoDeletes { uri: String },
    #[error("Coordinates are made of those of the dimensions")]
    ComputedCoordinates,
}

/// Causes of errors of reads of dimension labels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelReadError {
    #[error("A range of a label contains no values")]
    NoValues,
    #[error("The domain of the array of the label has no grid of tiles")]
    UnsupportedDomain,
    #[error("The array of the label has no attribute '{name}'")]
    NoAttribute { name: String },
    #[error("The label has no values")]
    Empty,
    #[error("The values of the label are not in their order")]
    OutOfOrder,
    #[error("An index has no value of the label")]
    Discontinuous,
}

/// Causes of errors of dimension labels in queries.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryLabelError {
    #[error("Cannot {action} the label '{label}': {cause}")]
    Failed {
        action: &'static str,
        label: String,
        cause: Error,
    },
    #[error("The array has no dimension label '{name}'")]
    Unknown { name: String },
    #[error("A query with dimension labels has no condition")]
    WithCondition,
    #[error("A query with dimension labels cannot be in global order")]
    GlobalOrder,
    #[error(
        "The values of a label cannot be read with cells of a sparse array of several dimensions"
    )]
    SparseDimensions,
    #[error("A write has either values or ranges of labels")]
    BufferAndRange,
    #[error("The coordinates of a write of labels must be consecutive")]
    NotConsecutive,
    #[error("A write of labels has one range")]
    NotOneRange,
    #[error(
        "The server does not continue reads of the values of labels; use buffers that all values fit in"
    )]
    NotContinued,
}
