//! The type of the object at a URI: an array, a group, or neither.
//!
//! A folder with schemas, or with the single schema of old arrays, is an array; one with the
//! details of a group, or the mark of old groups, is a group.

use crate::array;
use crate::error::Result;
use crate::format::names::folders;
use crate::types::ObjectType;
use crate::vfs::{EntryKind, Uri, Vfs};

/// A function that returns the type of the object at a URI.
pub(super) type TypeOf<'a> = dyn Fn(&Vfs, &Uri) -> Result<ObjectType> + 'a;

/// Returns the type of the object at `uri`. A missing folder, or one of another kind, is not an
/// error. An array needs one storage call, because programs query many.
pub fn object_type(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    if vfs.is_object_store(uri) {
        return type_on_object_store(vfs, uri);
    }
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

/// Returns the type of the object at `uri` for a program that asks for it or lists a folder: local
/// folders that the user may not search are not objects, as for libtiledb.
pub fn accessible_object_type(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    vfs.unless_denied(uri, object_type(vfs, uri), ObjectType::Invalid)
}

fn type_on_object_store(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    if array::has_complete_schemas(&vfs.list(&uri.join(folders::SCHEMAS))?) {
        return Ok(ObjectType::Array);
    }
    let entries = vfs.list_own(uri)?;
    let has = |kind, name| {
        let mut entries = entries.iter();
        entries.any(|entry| entry.kind == kind && entry.name == name)
    };
    if has(EntryKind::File, folders::ROOT_SCHEMA) {
        return Ok(ObjectType::Array);
    }
    let has_details = has(EntryKind::Directory, folders::GROUP_DETAILS);
    if has_details || has(EntryKind::File, folders::GROUP_FILE) {
        return Ok(ObjectType::Group);
    }
    Ok(ObjectType::Invalid)
}
