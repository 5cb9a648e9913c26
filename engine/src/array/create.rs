//! Makes an array: its folders, empty, and its first schema file.

use std::sync::Arc;

use super::schemas::Schemas;
use super::{enumerations, key, labels};
use crate::error::{Error, Result};
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
/// is an error; folders without a schema, as a process that died leaves them, are none. Where something fails, nothing of
/// the array is left.
pub fn create(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    if Schemas::exist(vfs, uri)? && Schemas::list(vfs, uri, None).is_ok() {
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
    make(vfs, uri, &schema, key.as_ref()).inspect_err(|_| {
        // The first error is the one to tell. What else is in the folder is not ours.
        for folder in FOLDERS.iter().rev() {
            let _ = vfs.remove_dir(&uri.join(folder));
        }
    })
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
    let file = schemas.join(&unversioned_name(schema.timestamps));
    generic::write(vfs, &file, &schema::write(schema), key)
}
