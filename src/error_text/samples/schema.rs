//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{CurrentDomainError, SchemaCheckError, SchemaError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        SchemaError::ReservedName {
            prefix: "the_prefix",
        }
        .into(),
        SchemaError::DuplicateEnumeration {
            name: "the_name".into(),
        }
        .into(),
        SchemaError::UnknownEnumeration {
            name: "the_name".into(),
        }
        .into(),
        SchemaError::EnumerationOfType {
            attribute: "the_attribute".into(),
            datatype: "the_datatype",
        }
        .into(),
        SchemaError::EnumerationOfMany {
            attribute: "the_attribute".into(),
        }
        .into(),
        SchemaError::EnumerationNotLoaded {
            name: "the_name".into(),
        }
        .into(),
        SchemaError::EnumerationTooLarge {
            name: "the_name".into(),
            attribute: "the_attribute".into(),
        }
        .into(),
        SchemaError::EnumerationPastIndex {
            name: "the_name".into(),
            attribute: "the_attribute".into(),
            datatype: "the_datatype",
            values: 129,
            most: 128,
        }
        .into(),
        SchemaError::NoDimensions.into(),
        SchemaError::MixedTypes.into(),
        SchemaError::DenseType {
            datatype: "the_datatype",
        }
        .into(),
        SchemaError::HilbertTiles.into(),
        SchemaError::UnorderedTiles.into(),
        SchemaError::HilbertDense.into(),
        SchemaError::UnorderedCells.into(),
        SchemaError::NoCapacity.into(),
        SchemaError::DenseDuplicates.into(),
        SchemaError::RealDoubleDelta.into(),
        SchemaError::FilterNotFirst {
            filter: "the_filter",
        }
        .into(),
        SchemaError::NoAttribute {
            index: 7001,
            number: 7014,
        }
        .into(),
        SchemaError::UnknownAttribute {
            name: "the_name".into(),
        }
        .into(),
        SchemaError::NoDimension {
            index: 7001,
            number: 7014,
        }
        .into(),
        SchemaError::UnknownDimension {
            name: "the_name".into(),
        }
        .into(),
        SchemaError::NoCommonType.into(),
        SchemaError::MixedDomain.into(),
        SchemaCheckError::NoDomain.into(),
        SchemaCheckError::NoDimensions.into(),
        SchemaCheckError::HilbertDimensions {
            number: 7001,
            most: 7014,
        }
        .into(),
        SchemaCheckError::RealDense.into(),
        SchemaCheckError::NoAttributes.into(),
        SchemaCheckError::MixedTypes.into(),
        SchemaCheckError::NoExtent.into(),
        SchemaCheckError::NoCapacity.into(),
        SchemaCheckError::OrderedAttributes.into(),
        SchemaCheckError::DuplicateName.into(),
        SchemaCheckError::NoLabelSchema {
            label: "the_label".into(),
        }
        .into(),
        SchemaCheckError::WebpType.into(),
        SchemaCheckError::WebpSparse.into(),
        SchemaCheckError::WebpDimensions { number: 7001 }.into(),
        SchemaCheckError::WebpMixed.into(),
        SchemaCheckError::TooNew {
            version: 7001,
            newest: 7014,
        }
        .into(),
        CurrentDomainError::NoDimensions.into(),
        CurrentDomainError::NoDimension { index: 7001 }.into(),
        CurrentDomainError::NoRange { index: 7001 }.into(),
        CurrentDomainError::NoDimensionToSet { index: 7001 }.into(),
        CurrentDomainError::UnknownDimension {
            name: "the_name".into(),
        }
        .into(),
        CurrentDomainError::EmptyRange.into(),
        CurrentDomainError::RangeSize {
            size: 7001,
            expected: 7014,
        }
        .into(),
        CurrentDomainError::DimensionNumber.into(),
        CurrentDomainError::RangeMissing { index: 7001 }.into(),
        CurrentDomainError::BeyondDomain.into(),
        CurrentDomainError::NanRange.into(),
        CurrentDomainError::ReversedRange {
            low: "the_low".into(),
            high: "the_high".into(),
        }
        .into(),
        CurrentDomainError::Shrinks.into(),
    ]
}
