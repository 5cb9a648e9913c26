//! The texts of errors of writes.

use tiledb_engine::config::Release;
use tiledb_engine::error::{WriteBufferError, WriteError, WriterKind};

use super::origins::{
    GLOBAL_ORDER_WRITER, ORDERED_WRITER, QUERY, STATUS_DIMENSION, STATUS_QUERY, STATUS_WRITER,
    TILEDB_INTERNAL, UNORDER_WRITER, UNORDERED_WRITER, WRITER_BASE,
};
use super::{Text, text};

/// Returns the text of an error of the caller's buffers and ranges of a write.
pub(super) fn write_buffer(cause: &WriteBufferError) -> Text {
    use WriteBufferError as E;
    let message = match cause {
        E::NoOffsets { name } => format!("Offsets of attribute {name} are not set"),
        E::ValidityNumber { name, given, cells } => format!("Buffer sizes check failed; Invalid number of validity cells given for attribute '{name}' ({given} != {cells})"),
        E::CellNumber { name, given, cells } => format!("Buffer sizes check failed; Invalid number of cells given for attribute '{name}' ({given} != {cells})"),
        E::FirstOffset { name, offset, size } => format!("Invalid offsets for attribute {name}; offset {offset} specified for buffer of size {size}"),
        E::Offset { name, offset, index, size } => format!("Invalid offsets for attribute {name}; offset {offset} specified at index {index} for buffer of size {size}"),
        E::DecreasingOffsets { name } => format!("Invalid offsets for attribute {name}; offsets must be given in strictly ascending order."),
        E::LastOffset { name, offset, size } => format!("Invalid offsets for attribute {name}; the last offset: {offset} is not equal to the size of the data buffer: {size}"),
        E::PartialTiles => "Cannot initialize query; In global writes for dense arrays, the subarray must coincide with the tile bounds".to_owned(),
        E::OutOfOrder { name } => format!("The data for attribute '{name}' is not in the expected order."),
        E::NoBuffers => "Cannot initialize writer; Buffers not set".to_owned(),
        E::ManyRanges => "Cannot initialize writer; Multi-range dense writes are not supported".to_owned(),
        _ => cause.to_string(),
    };
    text(WRITER_BASE, message)
}

/// Returns the modes of queries that write.
fn writing_modes() -> &'static str {
    match Release::current() {
        Release::V2_30 => "WRITE and MODIFY_EXCLUSIVE mode",
        Release::V2_31 => "WRITE mode",
    }
}

/// Returns the text of an error of writes.
pub(super) fn write(cause: &WriteError) -> Text {
    use WriteError as E;
    let origin = match cause {
        E::OutsideDomain { .. } => STATUS_DIMENSION,
        E::LeavesDomain => ORDERED_WRITER,
        E::FragmentTooSmall { .. } | E::OrderedAttributes => GLOBAL_ORDER_WRITER,
        E::AllWritten => TILEDB_INTERNAL,
        E::NotAllWritten => UNORDER_WRITER,
        E::NoFragmentNumber | E::NotAWrite { .. } | E::NoFragment { .. } | E::NotSparse => {
            STATUS_QUERY
        }
        E::NotGlobalOrder => QUERY,
        _ => STATUS_WRITER,
    };
    let message = match cause {
        E::UnequalFields => "Failed to finalize global write state; Different number of cells written across attributes and coordinates".to_owned(),
        E::CellsMissing { cells, expected } => format!("Failed to finalize global write state; Number of cells written ({cells}) is different from the number of cells expected ({expected}) for the query subarray"),
        E::OutsideDomain { coordinate, low, high, dimension } => format!("Dimension: Coordinate {coordinate} is out of domain bounds [{low}, {high}] on dimension '{dimension}'"),
        E::OutsideCurrentDomain { writer } => return outside_current_domain(*writer),
        E::NotAfterLast { cell, hilbert, tiles } => return not_after_last(cell, *hilbert, *tiles),
        E::NotAfter { before, cell, hilbert, tiles } => return out_of_order(format!("Coordinates {before} succeed {cell}"), *hilbert, *tiles),
        E::Duplicate { cell } => format!("Duplicate coordinates {cell} are not allowed"),
        E::LeavesDomain => "The subarray leaves the domain".to_owned(),
        E::NoField { name, writer } => return text(writer_origin(*writer), WriteBufferError::NoField { name: name.clone() }),
        E::FragmentTooSmall { size, most } => format!("Fragment size is too small to write a single tile: it takes {size} bytes of {most}"),
        E::OrderedAttributes => "Failed to initialize global order writer. Global order writes to ordered attributes are not yet supported.".to_owned(),
        E::AllWritten => "['UnorderedWriter::dowork]  (UnorderWriter: All buffers already written)".to_owned(),
        E::NotAllWritten => "Not all buffers already written".to_owned(),
        E::NoFragmentNumber => format!("Cannot get number of fragments; Applicable only to {}", writing_modes()),
        E::NotAWrite { property } => format!("Cannot get {property}; Applicable only to {}", writing_modes()),
        E::NoFragment { property, .. } => format!("Cannot get {property}; Invalid fragment index"),
        E::NotGlobalOrder => "Failed to submit and finalize query; Call valid only in global_order writes.".to_owned(),
        E::NotSparse => "Query was not begun as a sparse write".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

fn writer_origin(writer: WriterKind) -> &'static str {
    match writer {
        WriterKind::Ordered => ORDERED_WRITER,
        WriterKind::Unordered => UNORDERED_WRITER,
        _ => GLOBAL_ORDER_WRITER,
    }
}

fn outside_current_domain(writer: WriterKind) -> Text {
    // libtiledb has an apostrophe in one of the names.
    let quote = match writer {
        WriterKind::Unordered => "'",
        _ => "",
    };
    let writer = writer_origin(writer);
    text(
        TILEDB_INTERNAL,
        format!(
            "[{quote}{writer}::dowork]  (FragmentMetadata: Cells are written outside of the defined current domain.)"
        ),
    )
}

fn not_after_last(cell: &str, hilbert: bool, tiles: bool) -> Text {
    let number = if hilbert { "s" } else { "" };
    let violation = format!("Coordinate{number} {cell} comes before last written coordinate");
    out_of_order(violation, hilbert, tiles)
}

fn out_of_order(violation: String, hilbert: bool, tiles: bool) -> Text {
    let order = if hilbert { "hilbert" } else { "global" };
    let boundary = if tiles {
        " due to writes across tiles"
    } else {
        ""
    };
    let message = format!("Write failed; {violation} in the {order} order{boundary}");
    text(STATUS_WRITER, message)
}
