//! The texts of errors of arrays and their metadata.

use std::fmt::Display;

use tiledb_engine::error::{
    ArrayEnumerationError, ArrayError, Error, MetadataAction, MetadataError,
};

use super::origins::{
    ARRAY, ARRAY_DIRECTORY, ARRAY_SCHEMA, ERROR, METADATA, STATUS_ARRAY, STATUS_ENCRYPTION,
    TILEDB_INTERNAL,
};
use super::{Text, parts, text};

/// Returns the text of an error of arrays.
pub(super) fn array(cause: &ArrayError) -> Text {
    use ArrayError as E;
    let origin = match cause {
        E::AlreadyOpen
        | E::UnsupportedQueryType
        | E::ReopenClosed
        | E::ReopenNotRead
        | E::SchemaOfClosed
        | E::OldVersion { .. } => STATUS_ARRAY,
        E::Listing { .. } => ARRAY_DIRECTORY,
        E::Missing | E::BadUri { .. } | E::InUse { .. } => TILEDB_INTERNAL,
        E::UnknownEncryption { .. } => ERROR,
        E::BadKey => STATUS_ENCRYPTION,
        _ => ARRAY,
    };
    let message = match cause {
        E::AlreadyOpen => "Cannot open array; Array already open.".to_owned(),
        E::UnsupportedQueryType => "Array: Cannot open array; Unsupported query type.".to_owned(),
        E::ReopenClosed => "Cannot reopen array; Array is not open".to_owned(),
        E::ReopenNotRead => "Cannot reopen array; Array was not opened in read mode".to_owned(),
        E::ConfigOfOpen => "[set_config] Cannot set a config on an open array".to_owned(),
        E::SchemaOfClosed => "Cannot get array schema; Array is not open".to_owned(),
        E::NotOpen => "Array is not open".to_owned(),
        E::NotOpenForDomain => "[non_empty_domain] Array is not open".to_owned(),
        E::NotOpenForDomainByIndex => "[non_empty_domain_from_index] Array is not open".to_owned(),
        E::NotOpenForDomainByName => "[non_empty_domain_from_name] Array is not open".to_owned(),
        E::NotOpenForReads => "[non_empty_domain] Array not opened for reads".to_owned(),
        E::UpdatesAreExperimental => {
            "Cannot open array; Update query type is only experimental, do not use.".to_owned()
        }
        E::OldVersion {
            operation,
            version,
            least,
        } => format!(
            "Cannot open array for {operation}; Array format version ({version}) is smaller than the minimum supported version ({least})."
        ),
        E::Open { cause } => return opening(cause),
        E::Listing { cause } => format!("{cause}", cause = parts(cause)),
        _ => array_other(cause),
    };
    text(origin, message)
}

fn array_other(cause: &ArrayError) -> String {
    use ArrayError as E;
    match cause {
        // libtiledb reports the failure of undoing the open.
        E::InUse { .. } => format!(
            "[Array::set_array_closed] May not perform simultaneous open or close operations. {cause}"
        ),
        E::Missing => "Cannot open array; Array does not exist.".to_owned(),
        E::Exists { uri } => format!("Cannot create array; Array '{uri}' already exists"),
        E::MissingForUpgrade { uri } => {
            format!("Cannot upgrade array; Array '{uri}' does not exist")
        }
        E::BadUri { .. } => "Failed to construct valid URI. Given path is invalid.".to_owned(),
        E::NoDimension { .. } => "Cannot get non-empty domain; Invalid dimension index".to_owned(),
        E::UnknownDimension { name } => {
            format!("Cannot get non-empty domain; Dimension name '{name}' does not exist")
        }
        E::MixedTypes => {
            "[non_empty_domain] Function non-applicable to arrays with heterogenous dimensions"
                .to_owned()
        }
        E::VarDimensions => {
            "[non_empty_domain] Function non-applicable to arrays with variable-sized dimensions"
                .to_owned()
        }
        E::VarByIndex { name } => {
            format!("Cannot get non-empty domain; Dimension '{name}' is var-sized")
        }
        E::VarByName { name } => {
            format!("Cannot get non-empty domain; Dimension '{name}' is variable-sized")
        }
        E::FixedDimension { name } => {
            format!("Cannot get non-empty domain; Dimension '{name}' is fixed-sized")
        }
        E::UnknownEncryption { name } => format!("Invalid EncryptionType {name}"),
        E::BadKey => "Cannot create key; invalid key length for encryption type.".to_owned(),
        _ => cause.to_string(),
    }
}

/// Returns the text of an error of the enumerations of stored schemas.
pub(super) fn array_enumeration(cause: &ArrayEnumerationError) -> Text {
    use ArrayEnumerationError as E;
    let origin = match cause {
        E::NotOpen | E::NotOpenForAll => ARRAY,
        _ => ARRAY_SCHEMA,
    };
    let message = match cause {
        E::NotOpen => "Unable to load enumerations; Array is not open.".to_owned(),
        E::NotOpenForAll => "Unable to load all enumerations; Array is not open.".to_owned(),
        E::Unknown { name } => format!(
            "Unable to check if unknown enumeration is loaded. No enumeration named '{name}'."
        ),
        E::TooLarge { name, most } => {
            format!("Invalid enumeration '{name}' has a size exceeding {most} bytes.")
        }
        E::TogetherTooLarge { most } => {
            format!("Total enumeration size for the entire schema exceeds {most} bytes.")
        }
        E::NotLoaded { name } => {
            format!("Cannot store the schema; Its enumeration '{name}' has not been loaded.")
        }
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of the metadata of arrays and groups.
pub(super) fn metadata(cause: &MetadataError) -> Text {
    use MetadataError as E;
    let message = match cause {
        E::NotOpen { owner, action } => {
            return metadata_error(owner, *action, format_args!("{owner} is not open"));
        }
        E::WrongMode {
            owner,
            action,
            modes,
        } => {
            return metadata_error(
                owner,
                *action,
                format_args!("{owner} was not opened in {modes} mode"),
            );
        }
        E::AnyType { owner, action } => {
            return metadata_error(owner, *action, "Value type cannot be ANY");
        }
        E::NoKey { owner, action } => return metadata_error(owner, *action, "Key cannot be null"),
        E::NoItem { .. } => "Cannot get metadata; index out of bounds".to_owned(),
        _ => cause.to_string(),
    };
    text(METADATA, message)
}

/// Returns the text of a failed open. libtiledb replaces the origin of internal errors.
fn opening(cause: &Error) -> Text {
    let cause = parts(cause);
    match cause.origin {
        TILEDB_INTERNAL => text(STATUS_ARRAY, cause.message),
        _ => text(STATUS_ARRAY, cause),
    }
}

fn metadata_error(owner: &'static str, action: MetadataAction, problem: impl Display) -> Text {
    let action = match action {
        MetadataAction::Count => "Cannot get number of metadata;",
        MetadataAction::Put => "Cannot put metadata;",
        MetadataAction::Delete => "Cannot delete metadata.",
        _ => "Cannot get metadata;",
    };
    text(owner, format!("{action} {problem}"))
}
