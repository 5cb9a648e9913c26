//! Errors of writes.

use std::fmt;

use super::Release;
use super::table::{Text, causes};

causes! {
    /// Causes of errors of the caller's buffers and ranges of a write. They occur before the write
    /// begins.
    WriteBufferError, "WriterBase" {
        NoOffsets { name: String }: "The attribute '{name}' has no offsets"
            => "Offsets of attribute {name} are not set";
        ValidityNumber { name: String, given: usize, cells: u64 }: "The attribute '{name}' has validity for {given} cells instead of {cells}"
            => "Buffer sizes check failed; Invalid number of validity cells given for attribute '{name}' ({given} != {cells})";
        CellNumber { name: String, given: usize, cells: u64 }: "The attribute '{name}' has {given} cells instead of {cells}"
            => "Buffer sizes check failed; Invalid number of cells given for attribute '{name}' ({given} != {cells})";
        FirstOffset { name: String, offset: u64, size: u64 }: "The first offset {offset} of attribute '{name}' is beyond the data of {size} bytes"
            => "Invalid offsets for attribute {name}; offset {offset} specified for buffer of size {size}";
        Offset { name: String, offset: u64, index: usize, size: u64 }: "The offset {offset} of cell {index} of attribute '{name}' is beyond the data of {size} bytes"
            => "Invalid offsets for attribute {name}; offset {offset} specified at index {index} for buffer of size {size}";
        DecreasingOffsets { name: String }: "The offsets of attribute '{name}' do not increase"
            => "Invalid offsets for attribute {name}; offsets must be given in strictly ascending order.";
        LastOffset { name: String, offset: u64, size: u64 }: "The last offset {offset} of attribute '{name}' is not the end of the data, {size}"
            => "Invalid offsets for attribute {name}; the last offset: {offset} is not equal to the size of the data buffer: {size}";
        OutsideScaling { name: String, value: String, low: String, high: String, parameter: &'static str }: "The value {value} of field '{name}' is outside of [{low}, {high}], the range of its float scaling filter; set {parameter} to false to write it as another number";
        ScalingOfIntegers { name: String, datatype: &'static str, parameter: &'static str }: "The float scaling filter of field '{name}' takes values of {datatype} for floating-point numbers; set {parameter} to false to write them as other numbers";
        OutsideDomain: "The subarray leaves the domain";
        PartialTiles: "A write in global order of a dense array consists of complete tiles"
            => "Cannot initialize query; In global writes for dense arrays, the subarray must coincide with the tile bounds";
        NoField { name: String } [NotFound]: "The fragment has no field '{name}'";
        OutOfOrder { name: String }: "The values of attribute '{name}' are not in their order"
            => "The data for attribute '{name}' is not in the expected order.";
        NoBuffers: "The write has no buffers"
            => "Cannot initialize writer; Buffers not set";
        ManyRanges [Unsupported]: "A write of a dense array has one range per dimension"
            => "Cannot initialize writer; Multi-range dense writes are not supported";
    }

    /// Causes of errors of writes.
    WriteError, "[TileDB::Writer] Error" {
        BuffersUnset: "The buffers were unset after a submit, so the write was discarded";
        UnequalFields: "The fields of the write in global order have different numbers of cells"
            => "Failed to finalize global write state; Different number of cells written across attributes and coordinates";
        NoLastCell: "The message does not have the last cell of the write";
        CellsMissing { cells: u64, expected: u64 }: "The write in global order has {cells} cells instead of the {expected} of its subarray"
            => "Failed to finalize global write state; Number of cells written ({cells}) is different from the number of cells expected ({expected}) for the query subarray";
        OutsideDomain { coordinate: String, low: String, high: String, dimension: String }: "The coordinate {coordinate} is outside of the domain [{low}, {high}] of dimension '{dimension}'"
            => ("[TileDB::Dimension] Error", "Dimension: Coordinate {coordinate} is out of domain bounds [{low}, {high}] on dimension '{dimension}'");
        OutsideCurrentDomain { writer: WriterKind }: "The cells of the {writer} are outside of the current domain"
            => {
                // libtiledb has an apostrophe in one of the names.
                let quote = if *writer == WriterKind::Unordered { "'" } else { "" };
                let component = writer.component();
                Text::new("TileDB internal", format!("[{quote}{component}::dowork]  (FragmentMetadata: Cells are written outside of the defined current domain.)"))
            };
        NotAfterLast { cell: String, hilbert: bool, tiles: bool }: "The cell {cell} comes before the last cell written (Hilbert order: {hilbert}, in another tile: {tiles})"
            => { out_of_order(format!("Coordinate{} {cell} comes before last written coordinate", if *hilbert { "s" } else { "" }), *hilbert, *tiles) };
        NotAfter { before: String, cell: String, hilbert: bool, tiles: bool }: "The cell {cell} comes before the preceding cell {before} (Hilbert order: {hilbert}, in another tile: {tiles})"
            => { out_of_order(format!("Coordinates {before} succeed {cell}"), *hilbert, *tiles) };
        Duplicate { cell: String }: "Two cells have the coordinates {cell}"
            => "Duplicate coordinates {cell} are not allowed";
        LeavesDomain: "The subarray of the write leaves the domain"
            => ("OrderedWriter", "The subarray leaves the domain");
        NoField { name: String, writer: WriterKind } [NotFound]: "The fragment of the {writer} has no field '{name}'"
            => { Text::new(writer.component(), format!("The fragment has no field '{name}'")) };
        FragmentTooSmall { size: u64, most: u64 }: "A tile of {size} bytes exceeds the fragment size of {most} bytes"
            => ("GlobalOrderWriter", "Fragment size is too small to write a single tile: it takes {size} bytes of {most}");
        OrderedAttributes [Unsupported]: "Ordered attributes cannot be written in global order"
            => ("GlobalOrderWriter", "Failed to initialize global order writer. Global order writes to ordered attributes are not yet supported.");
        AllWritten: "All fields of the unordered write are written already"
            => ("TileDB internal", "['UnorderedWriter::dowork]  (UnorderWriter: All buffers already written)");
        NotAllWritten: "Some fields of the unordered write are not written"
            => ("UnorderWriter", "Not all buffers already written");
        NoFragmentNumber: "Only writes have written fragments"
            => { Text::new("[TileDB::Query] Error", format!("Cannot get number of fragments; Applicable only to {}", Release::current().types_of_writes())) };
        NotAWrite { property: String }: "Only writes have a {property}"
            => { Text::new("[TileDB::Query] Error", format!("Cannot get {property}; Applicable only to {}", Release::current().types_of_writes())) };
        NoFragment { property: String, index: u64 } [NotFound]: "There is no {property} of a written fragment {index}"
            => ("[TileDB::Query] Error", "Cannot get {property}; Invalid fragment index");
        NotGlobalOrder: "Only writes in global order are finalized by a submit"
            => ("Query", "Failed to submit and finalize query; Call valid only in global_order writes.");
        NotSparse: "The query was not begun as a sparse write"
            => ("[TileDB::Query] Error", "Query was not begun as a sparse write");
    }
}

/// A kind of write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriterKind {
    /// Writes a box of a dense array.
    Ordered,
    /// Writes cells in any order.
    Unordered,
    /// Writes cells in global order.
    Global,
}

impl fmt::Display for WriterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ordered => "ordered write",
            Self::Unordered => "unordered write",
            Self::Global => "write in global order",
        })
    }
}

impl WriterKind {
    /// Returns libtiledb's component.
    fn component(self) -> &'static str {
        match self {
            Self::Ordered => "OrderedWriter",
            Self::Unordered => "UnorderedWriter",
            Self::Global => "GlobalOrderWriter",
        }
    }
}

fn out_of_order(violation: String, hilbert: bool, tiles: bool) -> Text {
    let order = if hilbert { "hilbert" } else { "global" };
    let boundary = if tiles {
        " due to writes across tiles"
    } else {
        ""
    };
    let message = format!("Write failed; {violation} in the {order} order{boundary}");
    Text::new("[TileDB::Writer] Error", message)
}
