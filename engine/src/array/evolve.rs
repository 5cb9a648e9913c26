//! Schema evolution: a new schema file is added to the existing ones, which fragments continue to
//! use.
//!
//! The schema file is published last and atomically: until then the array is unchanged, and
//! enumerations written before are not referenced. The exclusive object lock is held from reading
//! the latest schema to publishing its successor, so that two evolutions do not undo each other.

use std::sync::Arc;

use super::folder_tree::ensure_folders;
use super::schemas::{Schemas, array_not_found, exists, following};
use super::{enumerations, key};
use crate::config::Config;
use crate::error::{ArrayError, Result};
use crate::format::names::{folders, unversioned_name};
use crate::format::schema;
use crate::format::version::FormatVersion;
use crate::schema::{ArraySchema, SchemaEvolution};
use crate::tile::generic;
use crate::types::{EncryptionKey, Timestamp, unique_timestamp};
use crate::vfs::{FolderLock, LockMode, NewFile, Uri, Vfs};

/// Changes the schema of the array at `uri`, whose key is that of the context's configuration. The
/// new schema file has the version of the configuration, or that of the array if it is newer, and
/// is durable when the call returns. If the call fails, the array is unchanged.
pub fn evolve(vfs: &Arc<Vfs>, uri: &Uri, changes: &SchemaEvolution) -> Result<()> {
    let key = key::of_config(&vfs.context.config)?;
    let (_lock, latest) = lock_latest(vfs, uri, key.as_ref())?;
    for name in changes.needed_enumerations() {
        // An unknown enumeration is reported by the evolution itself.
        if latest.enumeration(name).is_some() {
            enumerations::load_enumeration(vfs, uri, key.as_ref(), &latest, name)?;
        }
    }
    let timestamp = changes
        .timestamp
        .unwrap_or_else(|| later_timestamp(&latest, uri));
    let configured = FormatVersion::of_config(&vfs.context.config)?;
    let evolved = ArraySchema {
        version: configured.0.max(latest.version),
        timestamps: following(&latest, timestamp),
        ..changes.evolve(&latest, timestamp)?
    };
    write_schema_file(vfs, uri, key.as_ref(), evolved)
}

/// Upgrades the array at `uri` to the format version of `config` by adding a schema file of that
/// version, unless it has that version or a newer one. The key is that of `config`.
pub fn upgrade_version(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<()> {
    if !exists(&vfs.snapshot(uri)?, uri)? {
        return Err(ArrayError::MissingForUpgrade {
            uri: uri.to_string(),
        }
        .into());
    }
    let key = key::of_config(config)?;
    let (_lock, latest) = lock_latest(vfs, uri, key.as_ref())?;
    let version = FormatVersion::of_config(config)?;
    if FormatVersion(latest.version) >= version {
        return Ok(());
    }
    let timestamp = later_timestamp(&latest, uri);
    let upgraded = ArraySchema {
        version: version.0,
        timestamps: following(&latest, timestamp),
        ..ArraySchema::clone(&latest)
    };
    write_schema_file(vfs, uri, key.as_ref(), upgraded)
}

/// Acquires the exclusive object lock and then reads the latest schema.
fn lock_latest(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    key: Option<&EncryptionKey>,
) -> Result<(FolderLock, Arc<ArraySchema>)> {
    let lock = match vfs.lock(uri, LockMode::Exclusive) {
        Err(error) if error.is_missing_file() => Err(array_not_found()),
        lock => lock,
    }?;
    let schemas = Schemas::list(&vfs.snapshot(uri)?, uri, key)?;
    let latest = schemas.get(Some(schemas.latest(Timestamp::MAX)?))?;
    Ok((lock, latest))
}

/// The maximum time in milliseconds by which the latest schema may be ahead of the clock for a new
/// one to wait.
const MAX_WAIT: Timestamp = 10;

/// Returns a timestamp for a new schema that is later than that of the latest schema, if that is
/// not far in the future. Schemas with equal timestamps would have no defined order.
fn later_timestamp(latest: &ArraySchema, uri: &Uri) -> Timestamp {
    let last = latest.timestamps.end;
    loop {
        let now = unique_timestamp(uri.as_str());
        if now > last || last - now >= MAX_WAIT {
            return now;
        }
    }
}

/// Writes a schema and those of its enumerations that are not stored yet.
fn write_schema_file(
    vfs: &Vfs,
    uri: &Uri,
    key: Option<&EncryptionKey>,
    mut schema: ArraySchema,
) -> Result<()> {
    ensure_folders(vfs, uri)?;
    let named = enumerations::named(&schema.enumerations);
    let new: Vec<_> = named
        .iter()
        .zip(&schema.enumerations)
        .filter(|(_, before)| before.file.is_empty())
        .map(|(path, _)| path.clone())
        .collect();
    schema.enumerations = named;
    let version = FormatVersion(schema.version).of_records();
    let schemas = uri.join(folders::SCHEMAS);
    let new = enumerations::encode_all(&schemas, version, key, &new)?;
    let enumerations: Vec<NewFile<'_>> = new
        .iter()
        .map(|(uri, bytes)| NewFile { uri, bytes })
        .collect();
    let file = schemas.join(&unversioned_name(schema.timestamps));
    let mut bytes = Vec::new();
    generic::encode(&schema::write(&schema), version, key, &mut bytes)?;
    let bytes = bytes.as_slice();
    vfs.publish_files(uri, &enumerations, &[NewFile { uri: &file, bytes }])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::tests::{Copy, text};
    use super::super::{Array, create, encryption_type, load_schema};
    use super::*;
    use crate::context::Context;
    use crate::schema::{Attribute, Enumeration, EnumerationValues};
    use crate::types::{Datatype, EncryptionType, QueryType};

    fn letters(values: &str) -> Arc<Enumeration> {
        let values = EnumerationValues {
            data: Some(values.as_bytes()),
            offsets: None,
        };
        Arc::new(Enumeration::new("letters", Datatype::Char, 1, false, values).expect("values"))
    }

    fn attribute(name: &str, enumeration: Option<&str>) -> Attribute {
        Attribute {
            enumeration: enumeration.map(str::to_owned),
            ..Attribute::new(name, Datatype::Uint8)
        }
    }

    fn changes(make: impl FnOnce(&mut SchemaEvolution) -> Result<()>) -> SchemaEvolution {
        let mut changes = SchemaEvolution::default();
        make(&mut changes).expect("changes");
        changes
    }

    fn schema(vfs: &Arc<Vfs>, uri: &Uri) -> Arc<ArraySchema> {
        load_schema(vfs, uri, &vfs.context.config).expect("schema")
    }

    fn files(copy: &Copy, folder: &str) -> Vec<String> {
        let entries = copy.vfs.list(&copy.uri().join(folder)).expect("listing");
        entries.into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn an_encrypted_array_stays_encrypted() {
        let folder = tempfile::tempdir().expect("folder");
        let mut config = Config::new();
        config
            .set("sm.encryption_type", "AES_256_GCM")
            .expect("type");
        config
            .set("sm.encryption_key", "0123456789abcdef0123456789abcdef")
            .expect("key");
        let vfs = Vfs::new(&Context::new(config).expect("context")).expect("vfs");
        let uri = Uri::parse(folder.path().join("array").to_str().expect("path")).expect("uri");
        let copy = Copy::of("sparse");
        create(&vfs, &uri, &schema(&copy.vfs, &copy.uri()), None).expect("made");
        let added = changes(|changes| {
            changes.add_enumeration(&letters("ab"))?;
            changes.add_attribute(attribute("letter", Some("letters")))
        });
        assert!(!text(evolve(&copy.vfs, &uri, &added)).is_empty());
        evolve(&vfs, &uri, &added).expect("evolved");
        let kind = encryption_type(&vfs, &uri).expect("type");
        assert_eq!(kind, EncryptionType::Aes256Gcm);
        let array = Array::new(&vfs, uri.as_str()).expect("array");
        array.open(QueryType::Read).expect("open");
        let stored = array.enumeration("letters").expect("values");
        assert_eq!(stored.data(), b"ab");
        let enumerations = vfs.list(&uri.join("__schema/__enumerations"));
        for entry in enumerations.expect("listing") {
            let file = uri.join("__schema/__enumerations").join(&entry.name);
            let kind = generic::encryption(&vfs.view(), &file).expect("type");
            assert_eq!(kind, EncryptionType::Aes256Gcm);
        }
    }

    #[test]
    fn only_new_enumerations_are_written() {
        let copy = Copy::of("sparse");
        let (vfs, uri) = (&copy.vfs, &copy.uri());
        let folder = "__schema/__enumerations";
        let added = changes(|changes| changes.add_enumeration(&letters("ab")));
        evolve(vfs, uri, &added).expect("evolved");
        assert_eq!(files(&copy, folder).len(), 1);
        // An attribute may use an enumeration of an earlier evolution.
        let used = changes(|changes| changes.add_attribute(attribute("letter", Some("letters"))));
        evolve(vfs, uri, &used).expect("evolved");
        assert_eq!(files(&copy, folder).len(), 1);
        let longer = changes(|changes| changes.extend_enumeration(&letters("abc")));
        evolve(vfs, uri, &longer).expect("evolved");
        assert_eq!(files(&copy, folder).len(), 2);
        let last = schema(vfs, uri);
        let path = last.enumeration("letters").expect("path");
        assert!(files(&copy, folder).contains(&path.file));
        let loaded = super::super::load_enumeration(vfs, uri, None, &last, "letters");
        let extension = changes(|changes| changes.extend_enumeration(&loaded.expect("values")));
        assert_eq!(
            text(evolve(vfs, uri, &extension)),
            "The extended enumeration 'letters' has the same file"
        );
    }

    #[test]
    fn a_failed_evolution_leaves_the_array_unchanged() {
        let copy = Copy::of("dense");
        let (vfs, uri) = (&copy.vfs, &copy.uri());
        // A file exists at the path of the enumerations folder.
        let folder = uri.join("__schema/__enumerations");
        let path = folder.path();
        let _ = fs::remove_dir_all(path);
        fs::write(path, "").expect("file");
        let before = (schema(vfs, uri), files(&copy, "__schema"));
        let added = changes(|changes| changes.add_enumeration(&letters("ab")));
        assert!(!text(evolve(vfs, uri, &added)).is_empty());
        assert!((schema(vfs, uri), files(&copy, "__schema")) == before);
        fs::remove_file(path).expect("file");
        evolve(vfs, uri, &added).expect("evolved");
        assert!(schema(vfs, uri).enumeration("letters").is_some());
    }
}
