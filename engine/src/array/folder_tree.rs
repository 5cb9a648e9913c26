//! The folders of an array, and writing a new array into a hidden folder.

use super::enumerations;
use crate::error::Result;
use crate::format::names::{folders, unversioned_name};
use crate::format::schema;
use crate::format::version::FormatVersion;
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

/// Creates the schema folder `schemas` of a new array and writes its content: enumerations and one
/// schema. No other process accesses the folder except on an object store. The content is durable,
/// the name of the folder is not. Returns the name of the schema file.
pub(super) fn write_schema(
    vfs: &Vfs,
    schemas: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<String> {
    vfs.create_new_dir(schemas)?;
    write_schema_files(vfs, schemas, schema, key)
}

/// Writes the content of an existing schema folder, as [`write_schema`] does.
pub(super) fn write_schema_files(
    vfs: &Vfs,
    schemas: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<String> {
    vfs.create_new_dir(&schemas.join(folders::ENUMERATIONS))?;
    let version = FormatVersion(schema.version).of_records();
    enumerations::write_all(vfs, schemas, schemas, version, key, &schema.enumerations)?;
    let name = unversioned_name(schema.timestamps);
    let file = schemas.join(&name);
    let mut bytes = Vec::new();
    generic::encode(&schema::write(schema), version, key, &mut bytes)?;
    vfs.write_hidden_file(schemas, &file, &bytes)?;
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
    write_schema(vfs, &folder.join(folders::SCHEMAS), schema, key)?;
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
