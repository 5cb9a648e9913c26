//! Making a group.

use super::wrong;
use crate::error::{Error, Result};
use crate::format::names::folders;
use crate::object::object_type;
use crate::types::ObjectType;
use crate::vfs::{Uri, Vfs};

/// Makes an empty group at `uri`. An error where there is one already, or an array, or where that is no URI.
pub fn create(vfs: &Vfs, uri: &str) -> Result<()> {
    let invalid = |_: Error| wrong("Cannot create group ''; Invalid group URI");
    let uri = Uri::parse(uri).map_err(invalid)?;
    match object_type(vfs, &uri)? {
        ObjectType::Invalid => {}
        ObjectType::Group => {
            let message = format!("Cannot create group; Group '{uri}' already exists");
            return Err(wrong(message));
        }
        ObjectType::Array => {
            let message = format!("Cannot create group; '{uri}' is an array");
            return Err(wrong(message));
        }
    }
    for folder in [folders::METADATA, folders::GROUP_DETAILS] {
        vfs.create_dir(&uri.join(folder))?;
    }
    vfs.touch(&uri.join(folders::GROUP_FILE))
}
