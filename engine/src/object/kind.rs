//! The type of the object at a URI: an array, a group, or neither.
//!
//! A folder with schemas, or with the single schema of old arrays, is an array; one with the
//! details of a group, or the mark of old groups, is a group.

use crate::error::Result;
use crate::format::names::folders;
use crate::types::ObjectType;
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// A function that returns the type of the object at a URI.
pub(super) type TypeOf<'a> = dyn Fn(&Vfs, &Uri) -> Result<ObjectType> + 'a;

/// Returns the type of the object at `uri`. A missing folder, or one of another kind, is not an
/// error. An array needs one storage call, because programs query many.
pub fn object_type(vfs: &Vfs, uri: &Uri) -> Result<ObjectType> {
    if vfs.is_object_store(uri) {
        return Ok(type_of(&vfs.list_own(uri)?));
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

/// Returns the type of a folder with these entries.
fn type_of(entries: &[Entry]) -> ObjectType {
    let has = |folder, file| {
        entries.iter().any(|entry| match entry.kind {
            EntryKind::Directory => entry.name == folder,
            EntryKind::File => entry.name == file,
        })
    };
    if has(folders::SCHEMAS, folders::ROOT_SCHEMA) {
        return ObjectType::Array;
    }
    if has(folders::GROUP_DETAILS, folders::GROUP_FILE) {
        ObjectType::Group
    } else {
        ObjectType::Invalid
    }
}
