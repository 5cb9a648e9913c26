//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{EvolutionError, LabelError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        LabelError::Unordered.into(),
        LabelError::NoDomain.into(),
        LabelError::NoDimension { index: 7001 }.into(),
        LabelError::NoName.into(),
        LabelError::NameOfAttribute {
            name: "the_name".into(),
        }
        .into(),
        LabelError::NameOfDimension {
            name: "the_name".into(),
        }
        .into(),
        LabelError::NameOfLabel {
            name: "the_name".into(),
        }
        .into(),
        LabelError::NoLabel {
            index: 7001,
            number: 7014,
        }
        .into(),
        LabelError::Unknown {
            name: "the_name".into(),
        }
        .into(),
        LabelError::BadDimensionType {
            label: "the_label".into(),
            datatype: "the_datatype",
        }
        .into(),
        LabelError::BadType {
            label: "the_label".into(),
            datatype: "the_datatype",
        }
        .into(),
        LabelError::NoSchema {
            label: "the_label".into(),
            subject: "the_subject",
        }
        .into(),
        LabelError::ExtentType {
            label: "the_label".into(),
            datatype: "the_datatype",
            given: "the_given",
        }
        .into(),
        LabelError::DimensionNumber {
            label: "the_label".into(),
            number: 7014,
        }
        .into(),
        LabelError::DimensionType {
            found: "the_found",
            expected: "the_expected",
        }
        .into(),
        LabelError::NoAttribute {
            name: "the_name".into(),
        }
        .into(),
        LabelError::Order {
            found: "the_found",
            expected: "the_expected",
        }
        .into(),
        LabelError::Type {
            found: "the_found",
            expected: "the_expected",
        }
        .into(),
        LabelError::ValueNumber {
            found: 7001,
            expected: 7014,
        }
        .into(),
        LabelError::NullableOrSparse {
            label: "the_label".into(),
        }
        .into(),
        LabelError::DimensionMissing {
            label: "the_label".into(),
        }
        .into(),
        LabelError::NotCreated.into(),
        LabelError::OutsideArray {
            label: "the_label".into(),
            uri: "the_uri".into(),
        }
        .into(),
        EvolutionError::AttributeAdded {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::EnumerationAdded {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::EnumerationExtended {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::NoCurrentDomain.into(),
        EvolutionError::TwoTimestamps {
            start: 7001,
            end: 7014,
        }
        .into(),
        EvolutionError::UnknownAttribute {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::UnknownEnumeration {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::NotLoaded {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::NotAnExtension {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::SameFile {
            name: "the_name".into(),
        }
        .into(),
        EvolutionError::NoAttributeName.into(),
        EvolutionError::EnumerationInUse {
            name: "the_name".into(),
            attribute: "the_attribute".into(),
        }
        .into(),
    ]
}
