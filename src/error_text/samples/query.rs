//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{DeleteError, QueryBufferError, QueryError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        QueryError::ArrayClosed.into(),
        QueryError::OtherType {
            array: "the_array",
            query: "the_query",
        }
        .into(),
        QueryError::LayoutAfterSubmit.into(),
        QueryError::HilbertLayout.into(),
        QueryError::UnorderedDense.into(),
        QueryError::OrderedSparse.into(),
        QueryError::SubarrayOfSparseWrite.into(),
        QueryError::SubarrayOfType { query: "the_query" }.into(),
        QueryError::SubarrayAfterSubmit.into(),
        QueryError::OtherSubarray.into(),
        QueryError::ConfigAfterSubmit.into(),
        QueryError::NoCells {
            action: "the_action",
        }
        .into(),
        QueryError::ArrayNotOpen.into(),
        QueryError::ArrayReopened {
            array: "the_array",
            query: "the_query",
        }
        .into(),
        QueryError::NotARead.into(),
        QueryError::ConditionOfWrite.into(),
        QueryError::ConditionAfterSubmit.into(),
        QueryError::OutsideCurrentDomain {
            range: "the_range".into(),
            dimension: "the_dimension".into(),
            current: "the_current".into(),
        }
        .into(),
        QueryError::DuplicateAggregate {
            name: "the_name".into(),
        }
        .into(),
        QueryError::TooLate.into(),
        QueryError::UnknownField {
            name: "the_name".into(),
        }
        .into(),
        QueryError::ForeignState.into(),
        QueryError::WriteElsewhere.into(),
        QueryError::NotADelete { query: "the_query" }.into(),
        DeleteError::DenseArray.into(),
        DeleteError::NoCondition.into(),
        DeleteError::WithAggregates.into(),
        DeleteError::TooDeep { levels: 7001 }.into(),
        DeleteError::Constant.into(),
        DeleteError::OnlyNull {
            name: "the_name".into(),
        }
        .into(),
        DeleteError::UnusedEnumeration {
            name: "the_name".into(),
        }
        .into(),
        DeleteError::InConsolidated.into(),
        DeleteError::Update {
            uri: "the_uri".into(),
        }
        .into(),
        DeleteError::UnknownMarker {
            marker: "the_marker".into(),
        }
        .into(),
        QueryBufferError::GetFixed {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::GetNotNullable {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::GetUnknown {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::UnknownData {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::UnknownOffsets {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::NotAnAttribute {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::DenseDimension.into(),
        QueryBufferError::FixedLabel {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::Fixed {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::NotNullable {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::FixedResult {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::MixedCoordinates.into(),
        QueryBufferError::TwoCoordinates.into(),
        QueryBufferError::NoVarData {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::NoOffsets {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::NoData {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::NoValidity {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::LabelAfterSubmit {
            setter: "the_setter",
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::FieldAfterSubmit {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::AlreadyWritten {
            name: "the_name".into(),
        }
        .into(),
        QueryBufferError::FieldsMissing.into(),
        QueryBufferError::NoCoordinates.into(),
        QueryBufferError::DimensionMissing {
            name: "the_name".into(),
        }
        .into(),
    ]
}
