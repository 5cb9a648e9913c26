//! What is at a place: an array, a group, or neither.
//!
//! A folder with schemas, or with the single schema of old arrays, is an array; one with the
//! details of a group, or the mark of old groups, is a group.

use crate::error::Result;
use crate::format::names::folders;
use crate::types::ObjectType;
use crate::vfs::{Uri, Vfs};

/// What is at `uri`; that there is nothing, or something else, is no error. An array costs one
/// look, since programs ask for many.
pub fn object_type(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    let has = |folder, file| -> Result<bool> {
        Ok(vfs.is_dir(&uri.join(folder))? || vfs.is_file(&uri.join(file))?)
    };
    if has(folders::SCHEMAS, folders::ROOT_SCHEMA)? {
        return Ok(ObjectType::Array);
    }
    if has(folders::GROUP_DETAILS, folders::GROUP_FILE)? {
        return Ok(ObjectType::Group);
    }
    Ok(ObjectType::Invalid)
}
