//! The texts of errors of groups, objects and file stores.

use tiledb_engine::array::{exclusive_type, writing_modes};
use tiledb_engine::error::{FilestoreError, GroupError, MemberError, ObjectError};

use super::origins::{C_API, GROUP, GROUP_DETAILS, OBJECT, OBJECT_ITER};
use super::{Text, parts, text};

/// Returns the text of an error of groups.
pub(super) fn group(cause: &GroupError) -> Text {
    use GroupError as E;
    let origin = match cause {
        E::BadUri { .. } => C_API,
        _ => GROUP,
    };
    let message = match cause {
        E::BadUri { .. } => "Failed to allocate TileDB group API object; Invalid URI".to_owned(),
        E::BadNewUri { .. } => "Cannot create group ''; Invalid group URI".to_owned(),
        E::IsArray { uri } => format!("Cannot create group; '{uri}' is an array"),
        E::Exists { uri } => format!("Cannot create group; Group '{uri}' already exists"),
        E::MissingForClose { .. } => "Cannot close group; Group does not exist.".to_owned(),
        E::BadMetadataUri { action, .. } => format!("Cannot {action} group metadata; Invalid URI"),
        E::NotAGroup { action, .. } => {
            format!("Cannot {action} group metadata; Group does not exist")
        }
        E::AlreadyOpen => "Cannot open group; Group already open".to_owned(),
        E::UnsupportedQueryType => "Cannot open group; Unsupported query type".to_owned(),
        E::Missing { .. } => "Cannot open group; Group does not exist.".to_owned(),
        E::Close { cause } => format!(
            "{cause} : Was storage for the group moved or deleted before closing?",
            cause = parts(cause)
        ),
        E::NoQueryType => "Cannot get query_type; Group is not open".to_owned(),
        E::ConfigOfOpen => "[set_config] Cannot set config; Group is open".to_owned(),
        E::BadMemberUri { uri } => format!("Cannot add member; '{uri}' is no URI"),
        E::NotOpen { action } => format!("Cannot {action}; Group is not open"),
        E::NotForWriting { action } => {
            format!(
                "Cannot {action}; Group was not opened in {} mode",
                writing_modes()
            )
        }
        E::NotForReading => "Cannot get member; Group was not opened in read mode".to_owned(),
        E::DeleteClosed => "[delete_group] Group is not open".to_owned(),
        E::DeleteNotExclusive => format!(
            "[delete_group] Query type must be {}",
            exclusive_type().name()
        ),
        E::BadDeleteUri { uri } => format!("[delete_group] '{uri}' is no URI"),
        E::MemberOpen { uri, group, cause } => format!(
            "Cannot open member '{uri}' of group '{group}'; {cause}",
            cause = parts(cause)
        ),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of the members of groups.
pub(super) fn member(cause: &MemberError) -> Text {
    use MemberError as E;
    let message = match cause {
        E::NoMember { index, number } => {
            format!("index {index} is larger than member count {number}")
        }
        E::Unknown { name } => format!("{name} does not exist in group"),
        E::Added { key } => format!(
            "Cannot add group member {key}, a member with the same name or URI has already been added."
        ),
        E::UnknownToRemove { key } => {
            format!("Cannot remove group member {key}, member does not exist in group.")
        }
        E::AddedToRemove { key } => format!(
            "Cannot remove group member {key}, a member with the same name or URI has already been added."
        ),
        E::Removed { key } => format!(
            "Cannot remove group member {key}, a member with the same name or URI has already been removed."
        ),
        E::Ambiguous { key } => format!(
            "Cannot remove group member {key}, there are multiple members with the same URI, please remove by name."
        ),
        _ => cause.to_string(),
    };
    text(GROUP_DETAILS, message)
}

/// Returns the text of an error of objects.
pub(super) fn object(cause: &ObjectError) -> Text {
    use ObjectError as E;
    let origin = match cause {
        E::BadWalk { .. } => OBJECT_ITER,
        _ => OBJECT,
    };
    let message = match cause {
        E::BadUri {
            action,
            which,
            path,
        } => format!("Cannot {action} object {which}'{path}'; Invalid URI"),
        E::NotAnObject { action, path } => {
            format!("Cannot {action} object '{path}'; Invalid TileDB object")
        }
        E::BadWalk { .. } => "Cannot create object iterator; Invalid input path".to_owned(),
        _ => cause.to_string(),
    };
    text(origin, message)
}

/// Returns the text of an error of files that are stored as arrays.
pub(super) fn filestore(cause: &FilestoreError) -> Text {
    use FilestoreError as E;
    let message = match cause {
        E::BeyondEnd { len, start, size } => format!(
            "The number of bytes requested is bigger than the array; {len} bytes from {start} on were asked for of {size}"
        ),
        E::BufferTooSmall { parameter, extent } => format!(
            "The buffer size configured via {parameter} is smaller than current {extent} tile extent"
        ),
        E::NoSize { key, uri } => {
            format!("The array metadata doesn't contain the {key} key; nothing was stored in {uri}")
        }
        _ => cause.to_string(),
    };
    text(C_API, message)
}
