//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::QueryMessageError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        QueryMessageError::Json { writes: true }.into(),
        QueryMessageError::NoArray.into(),
        QueryMessageError::OtherType {
            query: "the_query",
            message: "the_message",
        }
        .into(),
        QueryMessageError::UnsupportedType.into(),
        QueryMessageError::NoHeaders.into(),
        QueryMessageError::UnknownField {
            name: "the_name".into(),
        }
        .into(),
        QueryMessageError::NoBuffer {
            name: "the_name".into(),
        }
        .into(),
        QueryMessageError::BufferTooSmall {
            name: "the_name".into(),
        }
        .into(),
        QueryMessageError::ServerBuffers.into(),
        QueryMessageError::DuplicateField {
            name: "the_name".into(),
        }
        .into(),
        QueryMessageError::BadOffsets {
            name: "the_name".into(),
        }
        .into(),
        QueryMessageError::MissingContent {
            has: 7022,
            needs: 7023,
        }
        .into(),
        QueryMessageError::EmptyCondition.into(),
        QueryMessageError::AttributeRanges.into(),
        QueryMessageError::DuplicateAggregate {
            name: "the_name".into(),
        }
        .into(),
        QueryMessageError::IncompleteAggregates.into(),
        QueryMessageError::LabelOrder.into(),
    ]
}
