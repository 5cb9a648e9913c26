//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::FragmentInfoError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        FragmentInfoError::BadUri {
            uri: "the_uri".into(),
        }
        .into(),
        FragmentInfoError::ConfigAfterLoad.into(),
        FragmentInfoError::NotLoaded.into(),
        FragmentInfoError::NoFragment {
            action: "the_action",
            index: 7014,
        }
        .into(),
        FragmentInfoError::NoReplaced { index: 7001 }.into(),
        FragmentInfoError::NoDimension {
            action: "the_action",
            index: 7014,
        }
        .into(),
        FragmentInfoError::NoName {
            action: "the_action",
        }
        .into(),
        FragmentInfoError::UnknownName {
            action: "the_action",
            name: "the_name".into(),
        }
        .into(),
        FragmentInfoError::VarRange {
            action: "the_action",
        }
        .into(),
        FragmentInfoError::FixedRange {
            action: "the_action",
        }
        .into(),
        FragmentInfoError::FixedRangeSize {
            action: "the_action",
        }
        .into(),
        FragmentInfoError::Dense {
            action: "the_action",
        }
        .into(),
        FragmentInfoError::NoMbr { index: 7001 }.into(),
        FragmentInfoError::NoSizedMbr { index: 7001 }.into(),
        FragmentInfoError::NoVarMbr { index: 7001 }.into(),
        FragmentInfoError::NoFragmentWithBounds { index: 7001 }.into(),
        FragmentInfoError::NoOrderBounds { index: 7001 }.into(),
        FragmentInfoError::FormatWithoutBounds.into(),
        FragmentInfoError::NoBoundSizes.into(),
    ]
}
