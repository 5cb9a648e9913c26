//! Causes of errors of writes.

use super::WriterKind;

/// Causes of errors of the caller's buffers and ranges of a write. They occur before the write
/// begins.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteBufferError {
    #[error("The attribute '{name}' has no offsets")]
    NoOffsets { name: String },
    #[error("The attribute '{name}' has validity for {given} cells instead of {cells}")]
    ValidityNumber {
        name: String,
        given: usize,
        cells: u64,
    },
    #[error("The attribute '{name}' has {given} cells instead of {cells}")]
    CellNumber {
        name: String,
        given: usize,
        cells: u64,
    },
    #[error("The first offset {offset} of attribute '{name}' is beyond the data of {size} bytes")]
    FirstOffset {
        name: String,
        offset: u64,
        size: u64,
    },
    #[error(
        "The offset {offset} of cell {index} of attribute '{name}' is beyond the data of {size} bytes"
    )]
    Offset {
        name: String,
        offset: u64,
        index: usize,
        size: u64,
    },
    #[error("The offsets of attribute '{name}' do not increase")]
    DecreasingOffsets { name: String },
    #[error("The last offset {offset} of attribute '{name}' is not the end of the data, {size}")]
    LastOffset {
        name: String,
        offset: u64,
        size: u64,
    },
    #[error(
        "The value {value} of field '{name}' is outside of [{low}, {high}], the range of its float scaling filter; set {parameter} to false to write it as another number"
    )]
    OutsideScaling {
        name: String,
        value: String,
        low: String,
        high: String,
        parameter: &'static str,
    },
    #[error(
        "The float scaling filter of field '{name}' takes values of {datatype} for floating-point numbers; set {parameter} to false to write them as other numbers"
    )]
    ScalingOfIntegers {
        name: String,
        datatype: &'static str,
        parameter: &'static str,
    },
    #[error("The subarray leaves the domain")]
    OutsideDomain,
    #[error("A write in global order of a dense array consists of complete tiles")]
    PartialTiles,
    #[error("The fragment has no field '{name}'")]
    NoField { name: String },
    #[error("The values of attribute '{name}' are not in their order")]
    OutOfOrder { name: String },
    #[error("The write has no buffers")]
    NoBuffers,
    #[error("A write of a dense array has one range per dimension")]
    ManyRanges,
}

/// Causes of errors of writes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    #[error("The buffers were unset after a submit, so the write was discarded")]
    BuffersUnset,
    #[error("The fields of the write in global order have different numbers of cells")]
    UnequalFields,
    #[error("The message does not have the last cell of the write")]
    NoLastCell,
    #[error(
        "The write in global order has {cells} cells instead of the {expected} of its subarray"
    )]
    CellsMissing { cells: u64, expected: u64 },
    #[error(
        "The coordinate {coordinate} is outside of the domain [{low}, {high}] of dimension '{dimension}'"
    )]
    OutsideDomain {
        coordinate: String,
        low: String,
        high: String,
        dimension: String,
    },
    #[error("The cells of the {writer} are outside of the current domain")]
    OutsideCurrentDomain { writer: WriterKind },
    #[error(
        "The cell {cell} comes before the last cell written (Hilbert order: {hilbert}, in another tile: {tiles})"
    )]
    NotAfterLast {
        cell: String,
        hilbert: bool,
        tiles: bool,
    },
    #[error(
        "The cell {cell} comes before the preceding cell {before} (Hilbert order: {hilbert}, in another tile: {tiles})"
    )]
    NotAfter {
        before: String,
        cell: String,
        hilbert: bool,
        tiles: bool,
    },
    #[error("Two cells have the coordinates {cell}")]
    Duplicate { cell: String },
    #[error("The subarray of the write leaves the domain")]
    LeavesDomain,
    #[error("The fragment of the {writer} has no field '{name}'")]
    NoField { name: String, writer: WriterKind },
    #[error("A tile of {size} bytes exceeds the fragment size of {most} bytes")]
    FragmentTooSmall { size: u64, most: u64 },
    #[error("Ordered attributes cannot be written in global order")]
    OrderedAttributes,
    #[error("All fields of the unordered write are written already")]
    AllWritten,
    #[error("Some fields of the unordered write are not written")]
    NotAllWritten,
    #[error("Only writes have written fragments")]
    NoFragmentNumber,
    #[error("Only writes have a {property}")]
    NotAWrite { property: String },
    #[error("There is no {property} of a written fragment {index}")]
    NoFragment { property: String, index: u64 },
    #[error("Only writes in global order are finalized by a submit")]
    NotGlobalOrder,
    #[error("The query was not begun as a sparse write")]
    NotSparse,
}
