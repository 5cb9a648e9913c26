//! Makes an array: its folders, empty, and its first schema file.

use std::sync::Arc;

use super::schemas::Schemas;
use super::{enumerations, key, labels};
use crate::error::{Error, ErrorKind, Result};
use crate::format::names::{folders, unversioned_name};
use crate::format::schema;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

/// The folder of schemas makes it an array, so it is the last.
const FOLDERS: [&str; 6] = [
    folders::COMMITS,
    folders::FRAGMENTS,
    folders::METADATA,
    folders::FRAGMENT_META,
    folders::LABELS,
    folders::SCHEMAS,
];

/// Makes an array. `key` encrypts it; without one, the key of the storage's configuration does. An existing array at `uri`
/// is an error; folders without a schema, as a process that died leaves them, are none. Where something fails, nothing is
/// left but what was there before.
pub fn create(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    if is_array(vfs, uri)? {
        let message = format!("Cannot create array; Array '{uri}' already exists");
        return Err(Error::usage("Array", message));
    }
    let key = match key {
        Some(key) => Some(key.clone()),
        None => key::of_config(vfs.context().config())?,
    };
    enumerations::check_sizes(&schema.enumerations, vfs.context().config())?;
    let schema = ArraySchema {
        enumerations: enumerations::named(&schema.enumerations),
        ..schema.clone()
    };
    let ours = ours(vfs, uri);
    make(vfs, uri, &schema, key.as_ref()).inspect_err(|_| {
        // The first error is the one to tell.
        for folder in ours.iter().rev() {
            let _ = vfs.remove_dir(folder);
        }
    })
}

/// Whether there is an array. An error where its schemas cannot be looked at: it may be one.
fn is_array(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    if !Schemas::exist(vfs, uri)? {
        return Ok(false);
    }
    match Schemas::list(vfs, uri, None) {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            ErrorKind::Usage { .. } => Ok(false),
            _ => Err(error),
        },
    }
}

/// The folders in which nothing is yet, so that what will be in them is ours. The folder of labels always is: what a process
/// that died left in it would be in the way of the next one.
fn ours(vfs: &Vfs, uri: &Uri) -> Vec<Uri> {
    let empty = |folder: &Uri| vfs.list(folder).is_ok_and(|entries| entries.is_empty());
    let folders = FOLDERS.iter().map(|name| (*name, uri.join(name)));
    let ours = folders.filter(|(name, folder)| *name == folders::LABELS || empty(folder));
    ours.map(|(_, folder)| folder).collect()
}

/// Makes the folders that an array lacks.
pub(super) fn make_folders(vfs: &Vfs, uri: &Uri) -> Result<()> {
    vfs.create_dir(uri)?;
    for folder in FOLDERS {
        vfs.create_dir(&uri.join(folder))?;
    }
    vfs.create_dir(&uri.join(folders::SCHEMAS).join(folders::ENUMERATIONS))
}

fn make(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    make_folders(vfs, uri)?;
    labels::create_all(vfs, uri, schema, key)?;
    let schemas = uri.join(folders::SCHEMAS);
    enumerations::write_all(vfs, uri, key, &schema.enumerations)?;
    let name = unversioned_name(schema.timestamps);
    // Whole, or who dies here leaves an array that cannot be opened.
    generic::publish(vfs, uri, &schemas.join(&name), &schema::write(schema), key)
}
