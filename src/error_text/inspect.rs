//! The texts of errors of fragment information.

use tiledb_engine::error::FragmentInfoError;

use super::origins::{C_API, FRAGMENT_INFO};
use super::{Text, text};

/// Returns the text of an error of fragment information.
pub(super) fn fragment_info(cause: &FragmentInfoError) -> Text {
    use FragmentInfoError as E;
    let origin = match cause {
        E::BadUri { .. } => C_API,
        _ => FRAGMENT_INFO,
    };
    let message = match cause {
        E::BadUri { .. } => "Failed to create TileDB fragment info object; Invalid URI".to_owned(),
        E::ConfigAfterLoad => "[set_config] Cannot set config after load".to_owned(),
        E::NotLoaded => "Fragment info has not been loaded.".to_owned(),
        E::NoFragment { action, .. } => format!("Cannot {action}; Invalid fragment index"),
        E::NoReplaced { .. } => {
            "Cannot get URI of fragment to vacuum; Invalid fragment index".to_owned()
        }
        E::NoDimension { action, .. } => format!("Cannot {action}; Invalid dimension index"),
        E::NoName { action } => format!("Cannot {action}; Dimension name argument cannot be null"),
        E::UnknownName { action, name } => {
            format!("Cannot {action}; Invalid dimension name '{name}'")
        }
        E::VarRange { action } => format!("Cannot {action}; Dimension is variable-sized"),
        E::FixedRange { action } => format!("Cannot {action}; Dimension is fixed-sized"),
        E::FixedRangeSize { action } => format!("Cannot {action}; Dimension is fixed sized"),
        E::Dense { action } => format!("Cannot {action}; Fragment is not sparse"),
        E::NoMbr { .. } => "Cannot get MBR; Invalid MBR index".to_owned(),
        E::NoSizedMbr { .. } => "Cannot get MBR; Invalid mbr index".to_owned(),
        E::NoVarMbr { .. } => "Cannot get MBR var; Invalid mbr index".to_owned(),
        E::NoFragmentWithBounds { .. } => {
            "Cannot get MBR global order bound: Invalid fragment index".to_owned()
        }
        E::NoOrderBounds { .. } => {
            "Cannot get MBR global order bound: Invalid mbr index".to_owned()
        }
        E::FormatWithoutBounds => "Cannot get MBR global order bound: Unavailable".to_owned(),
        E::NoBoundSizes => "Cannot get MBR global order bound: Variable-length dimension \
                            requires non-NULL dimension_sizes argument"
            .to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}
