//! The texts of errors of subarrays.

use tiledb_engine::error::{LabelRangeError, SubarrayError};

use super::origins::{SUBARRAY, TILEDB_INTERNAL};
use super::{Text, text};

/// Returns the text of an error of the ranges of subarrays.
pub(super) fn subarray(cause: &SubarrayError) -> Text {
    use SubarrayError as E;
    let origin = match cause {
        E::NanRange | E::ReversedRange { .. } | E::UnknownDimension { .. } => TILEDB_INTERNAL,
        _ => SUBARRAY,
    };
    let message = match cause {
        E::NanRange => "Range contains NaN".to_owned(),
        E::ReversedRange { low, high } => format!("Lower range bound {low} cannot be larger than the higher bound {high}"),
        E::BadOutOfBounds { value } => format!("[set_config] Invalid value {value} for sm.read_range_obb. Acceptable values are 'error' or 'warn'."),
        E::CoalesceWithRanges => "non-default ranges have been set, cannot change coalesce_ranges setting!".to_owned(),
        E::NoDimension { action, .. } => format!("Cannot {action}; Invalid dimension index"),
        E::UnknownDimension { .. } => "Cannot get dimension index; Invalid dimension name".to_owned(),
        E::NotFixed => "Cannot add range; Range must be fixed-sized".to_owned(),
        E::BadRange { .. } => "Cannot add range; Invalid range".to_owned(),
        E::LabelRanges => "Cannot add range to to dimension; A range is already set on a dimension label for this dimension".to_owned(),
        E::NotVar => "Cannot add range; Range must be variable-sized".to_owned(),
        E::PointsNotFixed => "Cannot add range; Range must be fixed-sized. If you want to add a variable-sized range, use the add_range_var() instead".to_owned(),
        E::PointsNotVar => "Cannot add range; Range must be variable-sized. If you want to add a fixed-sized range, use the add_point_ranges() instead".to_owned(),
        E::BadOffset { offset } => format!("Cannot add ranges; Invalid offset {offset}"),
        E::MixedTypes => "Cannot set subarray; Function not applicable to heterogeneous domains".to_owned(),
        E::VarDimensions => "Cannot set subarray; Function not applicable to domains with variable-sized dimensions".to_owned(),
        E::OutOfBounds { dimension, low, high, least, most } => format!("Cannot add range to dimension '{dimension}'; Range [{low}, {high}] is out of domain bounds [{least}, {most}]"),
        E::NoRangesOf { index, most } => format!("Cannot get number of ranges for a dimension; Invalid dimension index {index} requested, {most} max avail."),
        E::NoRange { action, .. } => format!("Cannot {action}; Invalid range index"),
        E::NotVarRange { dimension } => format!("Cannot get var range size; Dimension {dimension} is not var sized"),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of ranges of dimension labels.
pub(super) fn label_range(cause: &LabelRangeError) -> Text {
    use LabelRangeError as E;
    let message = match cause {
        E::NotFixed => "[add_label_range] Cannot add a fixed-sized range to a variable sized dimension label".to_owned(),
        E::BadRange { .. } => "[add_label_range] Invalid range".to_owned(),
        E::NotVar => "[add_label_range_var] Cannot add a variable-sized range to a fixed-sized dimension label".to_owned(),
        E::OtherLabel { label } => format!("[add_label_range] Dimension is already to set to use dimension label '{label}'"),
        E::DimensionRanges { dimension } => format!("[add_label_range] Dimension '{dimension}' already has ranges set to it."),
        E::NoLabel { .. } => "[get_label_name] No label ranges set".to_owned(),
        E::NoRanges { method, label } => format!("[{method}] No ranges set on dimension label '{label}'"),
        E::NoRange { method, label, index, number } => format!("[{method}] Invalid range index {index}; Dimension label '{label}' has {number}"),
        _ => cause.to_string(),
    };
    text(SUBARRAY, message)
}
