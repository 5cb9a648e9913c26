//! Causes of errors that only the Rust API reports.

use super::ScalarError;

/// Causes of errors of the Rust API.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    #[error("Cell {cell} of field '{field}' is null; read it as Option<T>")]
    NullCell { cell: usize, field: String },
    #[error("Field '{field}' has datatype {datatype}{cells}; it cannot be read as {requested}")]
    WrongCellType {
        field: String,
        datatype: &'static str,
        cells: &'static str,
        requested: String,
    },
    #[error("Cell {cell} of field '{field}' is not valid UTF-8; read it as Vec<u8>")]
    NotUtf8 { cell: usize, field: String },
    #[error("The current domain needs {dimensions} pairs of bounds, not {given}")]
    BoundNumber { dimensions: usize, given: usize },
    #[error("Field '{field}' has {number} cells; there is no cell {cell}")]
    NoCell {
        field: String,
        number: usize,
        cell: usize,
    },
    #[error("Field '{field}' was not read")]
    NotRead { field: String },
    #[error("{size} bytes are not a multiple of the size of a value of {datatype}")]
    PartialValue { size: usize, datatype: &'static str },
    #[error("The result of field '{field}' has more values than the buffer of {values}")]
    BufferTooSmall { field: String, values: usize },
    #[error(
        "The result of field '{field}' has no shape: it needs a dense array, ranges of dimensions, and row-major or \
         column-major layout"
    )]
    NoShape { field: String },
    #[error("The result of field '{field}' has the shape {result:?}, not {given:?}")]
    OtherShape {
        field: String,
        result: Vec<usize>,
        given: Vec<usize>,
    },
    #[error("No fields are selected")]
    NoFields,
    #[error("Field '{field}' is selected twice")]
    SelectedTwice { field: String },
    #[error("There is no field '{field}'")]
    UnknownField { field: String },
    #[error("There is no field '{field}' to set the filters of")]
    NoFieldForFilters { field: String },
    #[error("There is no dimension or dimension label '{name}'")]
    UnknownDimension { name: String },
    #[error("{cause}, the datatype of '{name}'")]
    WrongBound { cause: ScalarError, name: String },
    #[error("Cell {cell} of field '{field}': {problem}")]
    BadCell {
        cell: usize,
        field: String,
        problem: String,
    },
    #[error("The bytes of the cells of field '{field}' do not fit it: {problem}")]
    BadCells {
        field: String,
        problem: &'static str,
    },
    #[error("There are no cells to write")]
    NoCells,
    #[error("The sample has no cells")]
    EmptySample,
    #[error("Field '{first}' has {first_number} cells and field '{second}' has {second_number}")]
    UnequalFields {
        first: String,
        first_number: usize,
        second: String,
        second_number: usize,
    },
}
