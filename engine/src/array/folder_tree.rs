//! The folders of an array, and writing a new array into a hidden folder.

use super::enumerations;
use crate::error::Result;
use crate::format::names::{folders, unversioned_name};
use crate::format::schema;
use crate::format::version::FormatVersion;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{NewFile, Uri, Vfs};

/// The folders of an array except the schema folder, which is the marker of an array.
pub const FOLDERS: [&str; 5] = [
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
    write_schema_files(vfs, schemas, schema, key, &[])
}

/// Writes the content of an existing schema folder, as [`write_schema`] does. Syncs it and the
/// closed files and folders `others` in one round.
pub(super) fn write_schema_files(
    vfs: &Vfs,
    schemas: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
    others: &[Uri],
) -> Result<String> {
    let encoded = encode_schema_files(vfs, schemas, schema, key)?;
    let files: Vec<NewFile<'_>> = encoded
        .iter()
        .map(|(uri, bytes)| NewFile { uri, bytes })
        .collect();
    vfs.write_hidden_files(schemas, &files, others)?;
    Ok(unversioned_name(schema.timestamps))
}

/// Creates the folder of enumerations in a schema folder. Returns the files of enumerations and the
/// schema with their content.
fn encode_schema_files(
    vfs: &Vfs,
    schemas: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<Vec<(Uri, Vec<u8>)>> {
    vfs.create_new_dir(&schemas.join(folders::ENUMERATIONS))?;
    let version = FormatVersion(schema.version).of_records();
    let mut files = enumerations::encode_all(schemas, version, key, &schema.enumerations)?;
    let mut bytes = Vec::new();
    generic::encode(&schema::write(schema), version, key, &mut bytes)?;
    files.push((schemas.join(&unversioned_name(schema.timestamps)), bytes));
    Ok(files)
}

/// Writes a complete array into a new folder that no other process accesses. Returns the names of
/// the files and folders below it that must be synced, in addition to the folder itself; on object
/// stores everything is durable already, and the list is empty.
pub(super) fn write_hidden(
    vfs: &Vfs,
    folder: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<Vec<String>> {
    vfs.create_new_dir(folder)?;
    for name in FOLDERS {
        vfs.create_new_dir(&folder.join(name))?;
    }
    let schemas = folder.join(folders::SCHEMAS);
    vfs.create_new_dir(&schemas)?;
    if vfs.is_object_store(folder) {
        write_schema_files(vfs, &schemas, schema, key, &[])?;
        return Ok(Vec::new());
    }
    let files = encode_schema_files(vfs, &schemas, schema, key)?;
    let mut names = vec![folders::SCHEMAS.to_owned()];
    if !schema.enumerations.is_empty() {
        names.push(format!("{}/{}", folders::SCHEMAS, folders::ENUMERATIONS));
    }
    for (uri, bytes) in &files {
        let mut file = vfs.create(uri)?;
        file.write(bytes)?;
        file.close()?;
        names.extend(
            uri.as_str()
                .get(folder.as_str().len() + 1..)
                .map(str::to_owned),
        );
    }
    Ok(names)
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
