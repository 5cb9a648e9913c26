//! Errors that only the Rust API reports.

use super::ScalarError;
use super::table::causes;

causes! {
    /// Causes of errors of the Rust API.
    ApiError, "Rust API" {
        NullCell { cell: usize, field: String }: "Cell {cell} of field '{field}' is null; read it as Option<T>";
        WrongCellType { field: String, datatype: &'static str, cells: &'static str, requested: String }: "Field '{field}' has datatype {datatype}{cells}; it cannot be read as {requested}";
        NotUtf8 { cell: usize, field: String }: "Cell {cell} of field '{field}' is not valid UTF-8; read it as Vec<u8>";
        BoundNumber { dimensions: usize, given: usize }: "The current domain needs {dimensions} pairs of bounds, not {given}";
        NoCell { field: String, number: usize, cell: usize } [NotFound]: "Field '{field}' has {number} cells; there is no cell {cell}";
        NotRead { field: String } [NotFound]: "Field '{field}' was not read";
        PartialValue { size: usize, datatype: &'static str }: "{size} bytes are not a multiple of the size of a value of {datatype}";
        BufferTooSmall { field: String, values: usize }: "The result of field '{field}' has more values than the buffer of {values}";
        NoShape { field: String }: "The result of field '{field}' has no shape: it needs a dense array, ranges of dimensions, and row-major or column-major layout";
        OtherShape { field: String, result: Vec<usize>, given: Vec<usize> }: "The result of field '{field}' has the shape {result:?}, not {given:?}";
        NoFields: "No fields are selected";
        SelectedTwice { field: String }: "Field '{field}' is selected twice";
        UnknownField { field: String } [NotFound]: "There is no field '{field}'";
        NoFieldForFilters { field: String } [NotFound]: "There is no field '{field}' to set the filters of";
        UnknownDimension { name: String } [NotFound]: "There is no dimension or dimension label '{name}'";
        WrongBound { cause: ScalarError, name: String }: "{cause}, the datatype of '{name}'";
        TextBound { name: String }: "A range of '{name}', which has texts, needs an upper bound, and bounds are included";
        EmptyRange { name: String }: "The range of '{name}' has no value";
        BadCell { cell: usize, field: String, problem: String }: "Cell {cell} of field '{field}': {problem}";
        BadCells { field: String, problem: &'static str }: "The bytes of the cells of field '{field}' do not fit it: {problem}";
        NoRuntime: "A stream of batches is polled by a Tokio runtime, and there is none";
        UnknownName { category: &'static str, name: String }: "'{name}' is not the name of a {category}";
        UnloadedEnumeration { name: String }: "The values of enumeration '{name}' are not loaded; get it from the array before";
        BadSchemaText { problem: String }: "The text of a schema is not valid JSON: {problem}";
        NoCells: "There are no cells to write";
        EmptySample: "The sample has no cells";
        UnequalFields { first: String, first_number: usize, second: String, second_number: usize }: "Field '{first}' has {first_number} cells and field '{second}' has {second_number}";
    }
}
