//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::{LabelRangeError, SubarrayError};

pub(super) fn samples() -> Vec<Error> {
    vec![
        SubarrayError::NanRange.into(),
        SubarrayError::ReversedRange {
            low: "the_low".into(),
            high: "the_high".into(),
        }
        .into(),
        SubarrayError::BadOutOfBounds {
            value: "the_value".into(),
        }
        .into(),
        SubarrayError::CoalesceWithRanges.into(),
        SubarrayError::NoDimension {
            action: "the_action",
            index: 7014,
        }
        .into(),
        SubarrayError::UnknownDimension {
            name: "the_name".into(),
        }
        .into(),
        SubarrayError::NotFixed.into(),
        SubarrayError::BadRange {
            size: 7001,
            expected: 7014,
        }
        .into(),
        SubarrayError::LabelRanges.into(),
        SubarrayError::NotVar.into(),
        SubarrayError::PointsNotFixed.into(),
        SubarrayError::PointsNotVar.into(),
        SubarrayError::BadOffset { offset: 7001 }.into(),
        SubarrayError::MixedTypes.into(),
        SubarrayError::VarDimensions.into(),
        SubarrayError::OutOfBounds {
            dimension: "the_dimension".into(),
            low: "the_low".into(),
            high: "the_high".into(),
            least: "the_least".into(),
            most: "the_most".into(),
        }
        .into(),
        SubarrayError::NoRangesOf {
            index: 7001,
            most: 7014,
        }
        .into(),
        SubarrayError::NoRange {
            action: "the_action",
            index: 7014,
        }
        .into(),
        SubarrayError::NotVarRange {
            dimension: "the_dimension".into(),
        }
        .into(),
        LabelRangeError::NotFixed.into(),
        LabelRangeError::BadRange { size: 7001 }.into(),
        LabelRangeError::NotVar.into(),
        LabelRangeError::OtherLabel {
            label: "the_label".into(),
        }
        .into(),
        LabelRangeError::DimensionRanges { dimension: 7001 }.into(),
        LabelRangeError::NoLabel { dimension: 7001 }.into(),
        LabelRangeError::NoRanges {
            method: "the_method".into(),
            label: "the_label".into(),
        }
        .into(),
        LabelRangeError::NoRange {
            method: "the_method".into(),
            label: "the_label".into(),
            index: 7027,
            number: 7040,
        }
        .into(),
    ]
}
