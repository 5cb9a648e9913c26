//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{WriteBufferError, WriteError, WriterKind};

pub(super) fn samples() -> Vec<Error> {
    vec![
        WriteBufferError::NoOffsets {
            name: "the_name".into(),
        }
        .into(),
        WriteBufferError::ValidityNumber {
            name: "the_name".into(),
            given: 7014,
            cells: 7027,
        }
        .into(),
        WriteBufferError::CellNumber {
            name: "the_name".into(),
            given: 7014,
            cells: 7027,
        }
        .into(),
        WriteBufferError::FirstOffset {
            name: "the_name".into(),
            offset: 7014,
            size: 7027,
        }
        .into(),
        WriteBufferError::Offset {
            name: "the_name".into(),
            offset: 7014,
            index: 7027,
            size: 7040,
        }
        .into(),
        WriteBufferError::DecreasingOffsets {
            name: "the_name".into(),
        }
        .into(),
        WriteBufferError::LastOffset {
            name: "the_name".into(),
            offset: 7014,
            size: 7027,
        }
        .into(),
        WriteBufferError::OutsideScaling {
            name: "the_name".into(),
            value: "the_value".into(),
            low: "the_low".into(),
            high: "the_high".into(),
            parameter: "the_parameter",
        }
        .into(),
        WriteBufferError::ScalingOfIntegers {
            name: "the_name".into(),
            datatype: "the_datatype",
            parameter: "the_parameter",
        }
        .into(),
        WriteBufferError::OutsideDomain.into(),
        WriteBufferError::PartialTiles.into(),
        WriteBufferError::NoField {
            name: "the_name".into(),
        }
        .into(),
        WriteBufferError::OutOfOrder {
            name: "the_name".into(),
        }
        .into(),
        WriteBufferError::NoBuffers.into(),
        WriteBufferError::ManyRanges.into(),
        WriteError::UnequalFields.into(),
        WriteError::CellsMissing {
            cells: 7001,
            expected: 7014,
        }
        .into(),
        WriteError::OutsideDomain {
            coordinate: "the_coordinate".into(),
            low: "the_low".into(),
            high: "the_high".into(),
            dimension: "the_dimension".into(),
        }
        .into(),
        WriteError::OutsideCurrentDomain {
            writer: WriterKind::Global,
        }
        .into(),
        WriteError::NotAfterLast {
            cell: "the_cell".into(),
            hilbert: true,
            tiles: true,
        }
        .into(),
        WriteError::NotAfter {
            before: "the_before".into(),
            cell: "the_cell".into(),
            hilbert: true,
            tiles: true,
        }
        .into(),
        WriteError::Duplicate {
            cell: "the_cell".into(),
        }
        .into(),
        WriteError::LeavesDomain.into(),
        WriteError::NoField {
            name: "the_name".into(),
            writer: WriterKind::Global,
        }
        .into(),
        WriteError::FragmentTooSmall {
            size: 7001,
            most: 7014,
        }
        .into(),
        WriteError::OrderedAttributes.into(),
        WriteError::AllWritten.into(),
        WriteError::NotAllWritten.into(),
        WriteError::BuffersUnset.into(),
        WriteError::NoFragmentNumber.into(),
        WriteError::NotAWrite {
            property: "the_property".into(),
        }
        .into(),
        WriteError::NoFragment {
            property: "the_property".into(),
            index: 7014,
        }
        .into(),
        WriteError::NotGlobalOrder.into(),
        WriteError::NotSparse.into(),
        WriteError::NoLastCell.into(),
    ]
}
