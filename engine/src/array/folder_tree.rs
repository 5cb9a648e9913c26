//! The folders of an array, and writing a new array into a hidden folder.

use super::enumerations;
use crate::error::Result;
use crate::format::names::{folders, unversioned_name};
use crate::format::schema;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

/// The folders of an array except the schema folder, which is the marker of an array.
pub(super) const FOLDERS: [&str; 5] = [
    folders::COMMITS,
    folders::FRAGMENTS,
    folders::METADATA,
    folders::FRAGMENT_META,
    folders::LABELS,
];

/// Writes the schema folder of a new array into `folder`, which no other process accesses except on
/// an object store: enumerations and one schema, durably. Returns the name of the schema file.
pub(super) fn write_schema(
    vfs: &Vfs,
    folder: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<String> {
    let schemas = folder.join(folders::SCHEMAS);
    for new in [&schemas, &schemas.join(folders::ENUMERATIONS)] {
        vfs.create_new_dir(new)?;
    }
    enumerations::write_all(vfs, folder, key, &schema.enumerations)?;
    let name = unversioned_name(schema.timestamps);
    let file = schemas.join(&name);
    let mut bytes = Vec::new();
    generic::encode(&schema::write(schema), key, &mut bytes)?;
    vfs.write_hidden_file(folder, &file, &bytes)?;
    Ok(name)
}

/// Writes a complete array into a new folder that no other process accesses. Its content is
/// durable, its own name is not.
pub(super) fn write_hidden(
    vfs: &Vfs,
    folder: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    vfs.create_new_dir(folder)?;
    for name in FOLDERS {
        vfs.create_new_dir(&folder.join(name))?;
    }
    write_schema(vfs, folder, schema, key)?;
    vfs.sync(folder)
}

/// Creates folders that an array of an old version lacks, durably.
pub(super) fn ensure_folders(vfs: &Vfs, uri: &Uri) -> Result<()> {
    let schemas = uri.join(folders::SCHEMAS);
    let mut created = false;
    for name in FOLDERS {
        created |= vfs.create_new_dir(&uri.join(name))?;
    }
    created |= vfs.create_new_dir(&schemas)?;
    if created {
        vfs.sync(uri)?;
    }
    vfs.ensure_dir(&schemas.join(folders::ENUMERATIONS))
}
