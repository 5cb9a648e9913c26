//! Moving and removing objects, with all that is in their folders.

use super::object_type;
use crate::error::{Error, Result};
use crate::types::ObjectType;
use crate::vfs::{Uri, Vfs};

const ORIGIN: &str = "Object";

/// Removes the array or group at `path`, and all that is in it. An error where there is none.
pub fn remove(vfs: &Vfs, path: &str) -> Result<()> {
    vfs.remove_dir(&existing(vfs, "remove", path)?)
}

/// Gives the array or group at `from` the place `to`, which must be free. An error where there is none.
pub fn move_object(vfs: &Vfs, from: &str, to: &str) -> Result<()> {
    let old = parse("move", "", from)?;
    let new = parse("move", "to ", to)?;
    check(vfs, "move", from, &old)?;
    vfs.rename("move path", &old, &new)
}

fn existing(vfs: &Vfs, action: &str, path: &str) -> Result<Uri> {
    let uri = parse(action, "", path)?;
    check(vfs, action, path, &uri)?;
    Ok(uri)
}

fn parse(action: &str, which: &str, path: &str) -> Result<Uri> {
    Uri::parse(path).map_err(|_| {
        let message = format!("Cannot {action} object {which}'{path}'; Invalid URI");
        Error::usage(ORIGIN, message)
    })
}

fn check(vfs: &Vfs, action: &str, path: &str, uri: &Uri) -> Result<()> {
    match object_type(vfs, uri)? {
        ObjectType::Invalid => {
            let message = format!("Cannot {action} object '{path}'; Invalid TileDB object");
            Err(Error::usage(ORIGIN, message))
        }
        _ => Ok(()),
    }
}
