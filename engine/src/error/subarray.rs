//! Causes of errors of subarrays.

/// Causes of errors of the ranges of subarrays.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubarrayError {
    #[error("A bound of the range is not a number")]
    NanRange,
    #[error("The lower bound {low} of the range is larger than the upper bound {high}")]
    ReversedRange { low: String, high: String },
    #[error("The parameter 'sm.read_range_oob' must be 'error' or 'warn', not '{value}'")]
    BadOutOfBounds { value: String },
    #[error("Merging of adjacent ranges cannot change after ranges are added")]
    CoalesceWithRanges,
    #[error("Cannot {action} of dimension {index}, which does not exist")]
    NoDimension { action: &'static str, index: u32 },
    #[error("There is no dimension '{name}'")]
    UnknownDimension { name: String },
    #[error("Dimensions of variable size need ranges of variable size")]
    NotFixed,
    #[error("A bound of the range has {size} bytes instead of {expected}")]
    BadRange { size: usize, expected: usize },
    #[error("The dimension has ranges of a dimension label")]
    LabelRanges,
    #[error("Dimensions of a fixed size need ranges of that size")]
    NotVar,
    #[error("Points of a dimension of variable size need offsets")]
    PointsNotFixed,
    #[error("Points of a dimension of a fixed size have no offsets")]
    PointsNotVar,
    #[error("The offset {offset} of a point is not inside the values")]
    BadOffset { offset: u64 },
    #[error("The dimensions have different datatypes, so they need one range each")]
    MixedTypes,
    #[error("A dimension has values of variable size, so each dimension needs its range")]
    VarDimensions,
    #[error(
        "The range [{low}, {high}] is outside of the domain [{least}, {most}] of dimension '{dimension}'"
    )]
    OutOfBounds {
        dimension: String,
        low: String,
        high: String,
        least: String,
        most: String,
    },
    #[error("There is no dimension {index}; the largest index is {most}")]
    NoRangesOf { index: u32, most: usize },
    #[error("Cannot {action} {index}, which does not exist")]
    NoRange { action: &'static str, index: usize },
    #[error("The dimension '{dimension}' has no ranges of variable size")]
    NotVarRange { dimension: String },
}

/// Causes of errors of ranges of dimension labels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelRangeError {
    #[error("Labels of variable size need ranges of variable size")]
    NotFixed,
    #[error("A bound of the range of a label does not have {size} bytes")]
    BadRange { size: usize },
    #[error("Labels of a fixed size need ranges of that size")]
    NotVar,
    #[error("The dimension has ranges of the label '{label}' already")]
    OtherLabel { label: String },
    #[error("Dimension {dimension} has ranges already")]
    DimensionRanges { dimension: usize },
    #[error("Dimension {dimension} has no ranges of a label")]
    NoLabel { dimension: u32 },
    #[error("{method}: the label '{label}' has no ranges")]
    NoRanges { method: String, label: String },
    #[error("{method}: there is no range {index}; the label '{label}' has {number}")]
    NoRange {
        method: String,
        label: String,
        index: u64,
        number: usize,
    },
}
