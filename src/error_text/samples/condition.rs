//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{AggregateError, PredicateError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        PredicateError::SetOperator.into(),
        PredicateError::InternalOperator {
            operator: "the_operator",
        }
        .into(),
        PredicateError::NotSetOperator.into(),
        PredicateError::NoOffsets.into(),
        PredicateError::DecreasingOffsets.into(),
        PredicateError::OffsetBeyondData {
            offset: 7001,
            size: 7014,
        }
        .into(),
        PredicateError::TooDeep { levels: 7001 }.into(),
        PredicateError::UnknownField {
            name: "the_name".into(),
        }
        .into(),
        PredicateError::Coordinates {
            name: "the_name".into(),
        }
        .into(),
        PredicateError::NullInequality.into(),
        PredicateError::UnorderedEnumeration {
            name: "the_name".into(),
        }
        .into(),
        PredicateError::IndexTooLarge {
            name: "the_name".into(),
            index: 7014,
        }
        .into(),
        PredicateError::VarNumbers {
            name: "the_name".into(),
        }
        .into(),
        PredicateError::ManyValues {
            name: "the_name".into(),
        }
        .into(),
        PredicateError::ValueSize {
            size: 7001,
            given: 7014,
        }
        .into(),
        PredicateError::MemberSize {
            size: 7001,
            given: 7014,
        }
        .into(),
        PredicateError::UnsupportedType {
            name: "the_name".into(),
            datatype: "the_datatype",
        }
        .into(),
        PredicateError::UnusedEnumeration {
            name: "the_name".into(),
        }
        .into(),
        PredicateError::NoSchema.into(),
        AggregateError::UnknownField {
            name: "the_name".into(),
        }
        .into(),
        AggregateError::NotNullable {
            name: "the_name".into(),
        }
        .into(),
        AggregateError::UnsupportedType {
            datatype: "the_datatype",
        }
        .into(),
        AggregateError::NotNumbers {
            operator: "the_operator",
        }
        .into(),
        AggregateError::VarNumbers {
            name: "the_name".into(),
        }
        .into(),
        AggregateError::ManyValues {
            name: "the_name".into(),
        }
        .into(),
        AggregateError::NoBuffer {
            operator: "the_operator",
        }
        .into(),
        AggregateError::NoFixedBuffer.into(),
        AggregateError::NoVarBuffer.into(),
        AggregateError::BufferSize {
            size: 7001,
            expected: 7014,
        }
        .into(),
        AggregateError::NoValidity.into(),
        AggregateError::ValiditySize { size: 7001 }.into(),
        AggregateError::CountValidity.into(),
        AggregateError::UnexpectedValidity.into(),
        AggregateError::TextTooLong {
            name: "the_name".into(),
            size: 7014,
        }
        .into(),
    ]
}
