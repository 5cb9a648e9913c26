//! Moving and removing objects, with everything in their folders.

use std::sync::Arc;

use super::copy::is_copy_target;
use super::object_type;
use super::removal::{Extent, complete_removal, remove_object};
use super::walk::TypeOf;
use super::walk::parse_path;
use crate::error::{Error, ObjectError, Result};
use crate::types::ObjectType;
use crate::vfs::{LockMode, Uri, Vfs};

/// Removes the array or group at `path`, and everything in its folder. Completes a removal that was
/// interrupted.
///
/// # Errors
///
/// If the object does not exist or storage fails.
pub fn remove(vfs: &Arc<Vfs>, path: &str) -> Result<()> {
    let uri = parse_path("remove", "", path)?;
    if !vfs.is_object_store(&uri) && complete_removal(vfs, &uri)? {
        return Ok(());
    }
    check(vfs, "remove", path, &uri)?;
    remove_object(vfs, &uri, Extent::Everything)
}

/// Returns whether [`move_object`] accepts a target: nothing exists there. Object stores move by
/// copies, and what an interrupted one left is replaced.
///
/// # Errors
///
/// If storage fails.
pub fn is_move_target(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    if vfs.is_object_store(uri) && !vfs.has_directories(uri)? {
        return is_copy_target(vfs, uri);
    }
    Ok(!vfs.is_dir(uri)? && !vfs.is_file(uri)?)
}

/// Moves the array or group at `from` to `to`, in one step that is durable when the call returns.
///
/// # Errors
///
/// If no object exists at `from`, something exists at `to`, or storage fails.
pub fn move_object(vfs: &Arc<Vfs>, from: &str, to: &str) -> Result<()> {
    let old = parse_path("move", "", from)?;
    let new = parse_path("move", "to ", to)?;
    check(vfs, "move", from, &old)?;
    if old.scheme() != new.scheme() {
        // Returns the error that it is not supported.
        return vfs.rename("move path", &old, &new);
    }
    let _lock = vfs.lock(&old, LockMode::Exclusive)?;
    if let Some(parent) = new.parent() {
        vfs.ensure_dir(&parent)?;
    }
    if !vfs.publish_dir(&old, &new)? {
        let kind = std::io::ErrorKind::DirectoryNotEmpty;
        return Err(Error::storage("move", old.as_str(), kind.into()));
    }
    Ok(())
}

/// Removes everything in the folder of an object, whose type `type_of` returns.
pub fn remove_typed(vfs: &Arc<Vfs>, path: &str, type_of: &TypeOf<'_>) -> Result<()> {
    let uri = parse_path("remove", "", path)?;
    check_type("remove", path, type_of(&vfs.view(), &uri)?)?;
    vfs.remove_dir(&uri)
}

/// Moves the folder of an object, whose type `type_of` returns, file by file.
pub fn move_typed(vfs: &Arc<Vfs>, from: &str, to: &str, type_of: &TypeOf<'_>) -> Result<()> {
    let old = parse_path("move", "", from)?;
    let new = parse_path("move", "to ", to)?;
    check_type("move", from, type_of(&vfs.view(), &old)?)?;
    vfs.rename("move path", &old, &new)
}

fn check(vfs: &Arc<Vfs>, action: &'static str, path: &str, uri: &Uri) -> Result<()> {
    check_type(action, path, object_type(&vfs.view(), uri)?)
}

fn check_type(action: &'static str, path: &str, found: ObjectType) -> Result<()> {
    if found != ObjectType::Invalid {
        return Ok(());
    }
    let path = path.into();
    Err(ObjectError::NotAnObject { action, path }.into())
}
