//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{AttributeError, DimensionError, EnumerationError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        AttributeError::AnyIsVar.into(),
        AttributeError::NoValues.into(),
        AttributeError::CellTooLarge { values: 7001 }.into(),
        AttributeError::OrderedTextsAreVar {
            datatype: "the_datatype",
        }
        .into(),
        AttributeError::OrderedNumbersAreSingle {
            datatype: "the_datatype",
        }
        .into(),
        AttributeError::OrderedIsNotNullable.into(),
        AttributeError::NoFillValue.into(),
        AttributeError::EmptyFillValue.into(),
        AttributeError::FillValueSize {
            size: 7001,
            cell_size: 7014,
        }
        .into(),
        AttributeError::Nullable { verb: "the_verb" }.into(),
        AttributeError::NotNullable { verb: "the_verb" }.into(),
        AttributeError::NoEnumerationName.into(),
        DimensionError::BadType {
            datatype: "the_datatype",
        }
        .into(),
        DimensionError::NotOfTexts {
            subject: "the_subject",
            datatype: "the_datatype",
        }
        .into(),
        DimensionError::NoDomain.into(),
        DimensionError::TextsAreVar.into(),
        DimensionError::OneValue { values: 7001 }.into(),
        DimensionError::DomainNan.into(),
        DimensionError::DomainReversed.into(),
        DimensionError::DomainTooLarge.into(),
        DimensionError::ExtentNotPositive {
            name: "the_name".into(),
        }
        .into(),
        DimensionError::ExtentZero {
            name: "the_name".into(),
        }
        .into(),
        DimensionError::ExtentTooLarge {
            name: "the_name".into(),
            extent: "the_extent".into(),
            low: "the_low".into(),
            high: "the_high".into(),
        }
        .into(),
        DimensionError::LastTileOverflows.into(),
        EnumerationError::NoName.into(),
        EnumerationError::NoValues.into(),
        EnumerationError::NoOffsets.into(),
        EnumerationError::EmptyOffsets.into(),
        EnumerationError::PartialOffset { size: 7001 }.into(),
        EnumerationError::OffsetBeyondData.into(),
        EnumerationError::DecreasingOffsets.into(),
        EnumerationError::UnexpectedOffsets.into(),
        EnumerationError::NoData.into(),
        EnumerationError::EmptyData.into(),
        EnumerationError::PartialMember {
            size: 7001,
            member: 7014,
        }
        .into(),
        EnumerationError::Duplicate {
            value: "the_value".into(),
        }
        .into(),
        EnumerationError::EmptyExtension.into(),
        EnumerationError::ExtensionWithOffsets.into(),
        EnumerationError::ExtensionNoOffsets.into(),
        EnumerationError::ExtensionEmptyOffsets.into(),
        EnumerationError::NotTexts.into(),
        EnumerationError::TooNew {
            version: 7001,
            newest: 7014,
        }
        .into(),
    ]
}
