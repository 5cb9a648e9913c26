//! The texts of errors of dimension labels and of the evolution of schemas.

use tiledb_engine::error::{EvolutionError, LabelError};

use super::origins::{ARRAY, ARRAY_SCHEMA, ARRAY_SCHEMA_EVOLUTION, DIMENSION_LABEL};
use super::{Text, text};

/// Returns the text of an error of dimension labels.
pub(super) fn label(cause: &LabelError) -> Text {
    use LabelError as E;
    let origin = match cause {
        E::NotCreated => ARRAY,
        E::OutsideArray { .. } => DIMENSION_LABEL,
        _ => ARRAY_SCHEMA,
    };
    let message = match cause {
        E::Unordered => {
            "Cannot add dimension label; Unordered dimension labels are not yet supported."
                .to_owned()
        }
        E::NoDomain => {
            "Cannot add dimension label; Must set domain before adding dimension labels.".to_owned()
        }
        E::NoDimension { index } => {
            format!("Cannot add a label to dimension {index}; Invalid dimension index. ")
        }
        E::NoName => "Cannot add a dimension label with name ''. The name is empty.".to_owned(),
        E::NameOfAttribute { name } => format!(
            "Cannot add a dimension label with name '{name}'. An attribute with that name already exists."
        ),
        E::NameOfDimension { name } => format!(
            "Cannot add a dimension label with name '{name}'. A dimension with that name already exists."
        ),
        E::NameOfLabel { name } => format!(
            "Cannot add a dimension label with name '{name}'. A different label with that name already exists."
        ),
        E::NoLabel { index, number } => format!(
            "Unable to get dimension label reference; Index {index} is out of range, there are {number}."
        ),
        E::Unknown { name } => {
            format!("Unable to get dimension label reference; No dimension label named '{name}'.")
        }
        E::BadDimensionType { label, datatype } => format!(
            "Failed to add dimension label '{label}'. (TileDB internal: Failed to create dimension label schema; Currently labels are not support on dimensions with datatype Datatype::{datatype})"
        ),
        E::BadType { label, datatype } => format!(
            "Failed to add dimension label '{label}'. (TileDB internal: Datatype Datatype::{datatype} is not a valid dimension datatype. (TileDB internal: Datatype '{datatype}' is not a valid dimension datatype.))"
        ),
        E::NoSchema { label, subject } => format!(
            "Cannot set {subject} for dimension label '{label}'; No dimension label schema is set."
        ),
        _ => label_other(cause),
    };
    text(origin, message)
}

fn label_other(cause: &LabelError) -> String {
    use LabelError as E;
    match cause {
        E::ExtentType {
            label,
            datatype,
            given,
        } => format!(
            "Cannot set tile extent for dimension label '{label}; The dimension the label is set on has type '{datatype}'which does not match the provided datatype '{given}'."
        ),
        E::DimensionNumber { label, number } => {
            format!("Invalid schema for label '{label}'; Schema has {number} dimensions.")
        }
        E::DimensionType { found, expected } => format!(
            "The dimension datatype of the dimension label is '{found}', but expected datatype was '{expected}'"
        ),
        E::NoAttribute { name } => {
            format!("The dimension label is missing an attribute with name '{name}'.")
        }
        E::Order { found, expected } => format!(
            "The label order of the dimension label is {found}, but the expected label order was {expected}."
        ),
        E::Type { found, expected } => format!(
            "The datatype of the dimension label is {found}, but the expected label datatype was {expected}."
        ),
        E::ValueNumber { found, expected } => format!(
            "The cell value number of the label attribute in the dimension label {found}, but the expected cell value number was {expected}."
        ),
        E::NullableOrSparse { label } => format!(
            "Invalid schema for label '{label}'; its values must be neither nullable nor sparse"
        ),
        E::DimensionMissing { .. } => "The dimension of the label is not there".to_owned(),
        E::NotCreated => {
            "Failed to create array. Dimension labels that are not external must have a schema"
                .to_owned()
        }
        _ => cause.to_string(),
    }
}

/// Returns the text of an error of the evolution of schemas.
pub(super) fn evolution(cause: &EvolutionError) -> Text {
    use EvolutionError as E;
    let origin = match cause {
        E::UnknownEnumeration { .. }
        | E::NotLoaded { .. }
        | E::NotAnExtension { .. }
        | E::SameFile { .. }
        | E::NoAttributeName
        | E::EnumerationInUse { .. } => ARRAY_SCHEMA,
        _ => ARRAY_SCHEMA_EVOLUTION,
    };
    let message = match cause {
        E::AttributeAdded { .. } => "Cannot add attribute; Input attribute name is already there".to_owned(),
        E::EnumerationAdded { .. } => "Cannot add enumeration; Input enumeration name is already added".to_owned(),
        E::EnumerationExtended { .. } => "Cannot extend enumeration; Input enumeration name has already been extended in this evolution.".to_owned(),
        E::NoCurrentDomain => "Unable to expand the array current domain, the new current domain specified is empty".to_owned(),
        E::TwoTimestamps { start, end } => format!("Cannot set timestamp range; first element {start} and second element {end} are not equal!"),
        E::UnknownAttribute { .. } => "Cannot drop attribute; Input attribute name refers to a dimension or does not exist".to_owned(),
        E::UnknownEnumeration { name } => format!("Unable to get enumeration path name. Unknown enumeration named '{name}'."),
        E::NotLoaded { name } => format!("Error extending enumeration. Enumeration with name '{name}' is not loaded."),
        E::NotAnExtension { name } => format!("Error extending enumeration. Provided enumeration is not an extension of the current state of '{name}'"),
        E::SameFile { name } => format!("Error extending enumeration. Enumeration path name for '{name}' already exists in this schema."),
        E::NoAttributeName => "Cannot remove attribute '': empty string is reserved".to_owned(),
        E::EnumerationInUse { name, attribute } => format!("Unable to drop enumeration '{name}' as it is used by attribute '{attribute}'."),
        _ => cause.to_string(),
    };
    text(origin, message)
}
