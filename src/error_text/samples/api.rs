//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::ApiError;
use tiledb_engine::error::ScalarError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        ApiError::NullCell {
            cell: 7001,
            field: "the_field".into(),
        }
        .into(),
        ApiError::WrongCellType {
            field: "the_field".into(),
            datatype: "the_datatype",
            cells: "the_cells",
            requested: "the_requested".into(),
        }
        .into(),
        ApiError::NotUtf8 {
            cell: 7001,
            field: "the_field".into(),
        }
        .into(),
        ApiError::BoundNumber {
            dimensions: 7001,
            given: 7014,
        }
        .into(),
        ApiError::NoCell {
            field: "the_field".into(),
            number: 7014,
            cell: 7027,
        }
        .into(),
        ApiError::BufferTooSmall {
            field: "the_field".into(),
            values: 7001,
        }
        .into(),
        ApiError::NoShape {
            field: "the_field".into(),
        }
        .into(),
        ApiError::OtherShape {
            field: "the_field".into(),
            result: vec![7001],
            given: vec![7014],
        }
        .into(),
        ApiError::NotRead {
            field: "the_field".into(),
        }
        .into(),
        ApiError::PartialValue {
            size: 7001,
            datatype: "the_datatype",
        }
        .into(),
        ApiError::NoFields.into(),
        ApiError::SelectedTwice {
            field: "the_field".into(),
        }
        .into(),
        ApiError::UnknownField {
            field: "the_field".into(),
        }
        .into(),
        ApiError::NoFieldForFilters {
            field: "the_field".into(),
        }
        .into(),
        ApiError::UnknownDimension {
            name: "the_name".into(),
        }
        .into(),
        ApiError::WrongBound {
            cause: ScalarError::WrongType {
                value: "the_value".into(),
                datatype: "the_type",
            },
            name: "the_name".into(),
        }
        .into(),
        ApiError::BadCell {
            cell: 7001,
            field: "the_field".into(),
            problem: "the_problem".into(),
        }
        .into(),
        ApiError::BadCells {
            field: "the_field".into(),
            problem: "the_problem",
        }
        .into(),
        ApiError::NoCells.into(),
        ApiError::EmptySample.into(),
        ApiError::UnequalFields {
            first: "the_first".into(),
            first_number: 7014,
            second: "the_second".into(),
            second_number: 7040,
        }
        .into(),
    ]
}
