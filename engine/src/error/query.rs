//! Causes of errors of queries.

/// Causes of errors of queries.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    #[error("A query needs an open array")]
    ArrayClosed,
    #[error("The array is open for {array}, not for {query}")]
    OtherType {
        array: &'static str,
        query: &'static str,
    },
    #[error("The layout cannot change after the first submit")]
    LayoutAfterSubmit,
    #[error("Queries cannot be in Hilbert order")]
    HilbertLayout,
    #[error("Dense arrays cannot be written in any order")]
    UnorderedDense,
    #[error("Sparse arrays cannot be written in row-major or column-major order")]
    OrderedSparse,
    #[error("A write of a sparse array has no subarray")]
    SubarrayOfSparseWrite,
    #[error("A query of type {query} has no subarray")]
    SubarrayOfType { query: &'static str },
    #[error("The subarray cannot change after the first submit")]
    SubarrayAfterSubmit,
    #[error("The subarray belongs to another array")]
    OtherSubarray,
    #[error("The configuration cannot change after the first submit")]
    ConfigAfterSubmit,
    #[error("Cannot {action} of a query that neither reads nor writes cells")]
    NoCells { action: &'static str },
    #[error("The array of the query is not open")]
    ArrayNotOpen,
    #[error("The array of the query is now open for {array}, not for {query}")]
    ArrayReopened {
        array: &'static str,
        query: &'static str,
    },
    #[error("The query was not begun as a read")]
    NotARead,
    #[error("A write has no condition")]
    ConditionOfWrite,
    #[error("The condition cannot change after the first submit")]
    ConditionAfterSubmit,
    #[error(
        "The range {range} of dimension '{dimension}' is outside of the current domain [{current}]"
    )]
    OutsideCurrentDomain {
        range: String,
        dimension: String,
        current: String,
    },
    #[error("The query has an aggregate '{name}' already")]
    DuplicateAggregate { name: String },
    #[error("The query has been submitted already")]
    TooLate,
    #[error("There is no field '{name}' in the query")]
    UnknownField { name: String },
    #[error("The read was started by a server that uses another library")]
    ForeignState,
    #[error("Only the query of the server that started a write can continue it")]
    WriteElsewhere,
    #[error("A query of type {query} cannot delete cells")]
    NotADelete { query: &'static str },
}

/// Causes of errors of deletes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteError {
    #[error("Cells of dense arrays cannot be deleted")]
    DenseArray,
    #[error("A delete needs a condition")]
    NoCondition,
    #[error("A delete has no aggregates")]
    WithAggregates,
    #[error("The condition of a delete is nested deeper than {levels} levels")]
    TooDeep { levels: usize },
    #[error("A condition that is always true or false cannot be stored")]
    Constant,
    #[error("A delete cannot keep only the null cells of '{name}'")]
    OnlyNull { name: String },
    #[error("A delete does not need the enumeration '{name}'")]
    UnusedEnumeration { name: String },
    #[error(
        "A delete cannot be inside of the time range of a fragment that was consolidated without timestamps"
    )]
    InConsolidated,
    #[error("'{uri}' is an update, which cannot be applied")]
    Update { uri: String },
    #[error("'{marker}' is not the name of a delete")]
    UnknownMarker { marker: String },
}

/// Causes of errors of the buffers of queries.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryBufferError {
    #[error("The field '{name}' has values of a fixed size, without offsets")]
    GetFixed { name: String },
    #[error("The field '{name}' is not nullable")]
    GetNotNullable { name: String },
    #[error("There is no field '{name}' with a buffer")]
    GetUnknown { name: String },
    #[error("There is no field '{name}' to set a buffer of")]
    UnknownData { name: String },
    #[error("There is no field '{name}' to set offsets of")]
    UnknownOffsets { name: String },
    #[error("'{name}' is not an attribute, so it has no validity")]
    NotAnAttribute { name: String },
    #[error("Writes of dense arrays have no coordinates")]
    DenseDimension,
    #[error("The label '{name}' has values of a fixed size, without offsets")]
    FixedLabel { name: String },
    #[error("The field '{name}' has values of a fixed size, so it has no offsets")]
    Fixed { name: String },
    #[error("The field '{name}' is not nullable, so it has no validity")]
    NotNullable { name: String },
    #[error("The result '{name}' has a fixed size, so it has no offsets")]
    FixedResult { name: String },
    #[error("The dimensions have different datatypes, so their coordinates need separate buffers")]
    MixedCoordinates,
    #[error("A query cannot have both separate and zipped coordinates")]
    TwoCoordinates,
    #[error("The field '{name}' has offsets but no data buffer")]
    NoVarData { name: String },
    #[error("The field '{name}' has no buffer of offsets")]
    NoOffsets { name: String },
    #[error("The field '{name}' has no data buffer")]
    NoData { name: String },
    #[error("The nullable field '{name}' has no validity buffer")]
    NoValidity { name: String },
    #[error("The label '{name}' cannot be added after the first submit ({setter})")]
    LabelAfterSubmit { setter: &'static str, name: String },
    #[error("The field '{name}' cannot be added after the first submit")]
    FieldAfterSubmit { name: String },
    #[error("The field '{name}' is written already")]
    AlreadyWritten { name: String },
    #[error("A write needs all attributes, and in sparse arrays the coordinates")]
    FieldsMissing,
    #[error("A write of a sparse array needs the coordinates of the cells")]
    NoCoordinates,
    #[error("The dimension '{name}' has no buffer")]
    DimensionMissing { name: String },
}
