//! The enumerations of an array's schemas. Each is read from its file when it is first needed, and
//! cached in its schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::open::Array;
use super::snapshot::Snapshot;
use crate::config::Config;
use crate::error::{ArrayEnumerationError, Error, Result};
use crate::format::enumeration;
use crate::format::names::{enumeration_name, folders};
use crate::format::version::FormatVersion;
use crate::schema::{ArraySchema, Enumeration, EnumerationPath, NamedList};
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

fn file_uri(array: &Uri, file: &str) -> Uri {
    let folder = array.join(folders::SCHEMAS).join(folders::ENUMERATIONS);
    folder.join(file)
}

/// Returns an enumeration of a schema of the array at `array`, by name.
pub fn load_enumeration(
    vfs: &Arc<Vfs>,
    array: &Uri,
    key: Option<&EncryptionKey>,
    schema: &ArraySchema,
    name: &str,
) -> Result<Arc<Enumeration>> {
    let path = schema
        .enumeration(name)
        .ok_or_else(|| Error::from(ArrayEnumerationError::Unknown { name: name.into() }))?;
    path.get(|| {
        let uri = file_uri(array, &path.file);
        let record = generic::read(&vfs.view(), &uri, key)?;
        enumeration::read(&record).map_err(|error| error.with_uri(&uri))
    })
    .cloned()
}

impl Snapshot {
    /// Returns an enumeration of the schema by name.
    pub fn enumeration(&self, vfs: &Arc<Vfs>, name: &str) -> Result<Arc<Enumeration>> {
        let Some(server) = self.session.server.as_ref() else {
            return load_enumeration(
                vfs,
                &self.uri,
                self.session.key.as_ref(),
                &self.schema,
                name,
            );
        };
        let unknown = || Error::from(ArrayEnumerationError::Unknown { name: name.into() });
        let path = self.schema.enumeration(name).ok_or_else(unknown)?;
        let load = || {
            let latest = &self.schema.name;
            let found = server.enumerations(&self.uri, self.session.timestamps, latest, &[name])?;
            let mut found = found.into_iter().flat_map(|(_, enumerations)| enumerations);
            let found = found.find(|found| found.name() == name);
            Ok(Enumeration::clone(&*found.ok_or_else(unknown)?).stored_in(&path.file))
        };
        path.get(load).cloned()
    }

    /// Loads all enumerations of the schema.
    pub fn load_enumerations(&self, vfs: &Arc<Vfs>) -> Result<()> {
        if self.load_server_enumerations(std::slice::from_ref(&self.schema))? {
            return Ok(());
        }
        self.load_all(vfs, &self.schema)
    }

    /// Loads all enumerations of the schema, and of the schemas with which visible fragments were
    /// written.
    pub fn load_enumerations_of_all_schemas(&self, vfs: &Arc<Vfs>) -> Result<()> {
        self.load_all(vfs, &self.schema)?;
        self.fragments
            .iter()
            .map(|fragment| &fragment.schema)
            .into_iter()
            .try_for_each(|schema| self.load_all(vfs, schema))
    }

    fn load_all(&self, vfs: &Arc<Vfs>, schema: &ArraySchema) -> Result<()> {
        let key = self.session.key.as_ref();
        schema.enumerations.iter().try_for_each(|path| {
            load_enumeration(vfs, &self.uri, key, schema, &path.name).map(|_| ())
        })
    }
}

impl Array {
    /// Returns an enumeration of the schema by name, loading it if necessary. Returns an error if
    /// the array is closed.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>> {
        let closed = ArrayEnumerationError::NotOpen;
        self.opened(closed)?.enumeration(&self.vfs, name)
    }

    /// Loads all enumerations of the schema. Returns an error if the array is closed.
    pub fn load_enumerations(&self) -> Result<()> {
        let closed = ArrayEnumerationError::NotOpenForAll;
        self.opened(closed)?.load_enumerations(&self.vfs)
    }

    /// Loads all enumerations of the schema and of the schemas of visible fragments. Returns an
    /// error if the array is closed.
    pub fn load_enumerations_of_all_schemas(&self) -> Result<()> {
        let closed = ArrayEnumerationError::NotOpenForAll;
        let opened = self.opened(closed)?;
        if opened.session.server.is_some() {
            let mut schemas = self.all_schemas()?;
            schemas.push(opened.schema.clone());
            return opened.load_server_enumerations(&schemas).map(drop);
        }
        opened.load_enumerations_of_all_schemas(&self.vfs)
    }

    /// Returns enumerations by the name of their schema: those with these names of the open array's
    /// schema, or, without names, all enumerations of all schemas. Returns an error if the array is
    /// closed or a name is unknown.
    pub fn enumerations_of_schemas(
        &self,
        names: &[String],
    ) -> Result<BTreeMap<String, Vec<Arc<Enumeration>>>> {
        let opened = self.opened(ArrayEnumerationError::NotOpenForAll)?;
        if !names.is_empty() {
            let named = names
                .iter()
                .map(|name| opened.enumeration(&self.vfs, name))
                .collect::<Result<_>>()?;
            return Ok(BTreeMap::from([(opened.schema.name.clone(), named)]));
        }
        let schemas = self.all_schemas()?;
        schemas
            .into_iter()
            .map(|schema| {
                let key = opened.session.key.as_ref();
                let all = schema
                    .enumerations
                    .iter()
                    .map(|path| load_enumeration(&self.vfs, &opened.uri, key, &schema, &path.name));
                Ok((schema.name.clone(), all.collect::<Result<_>>()?))
            })
            .collect()
    }

    fn opened(&self, closed: ArrayEnumerationError) -> Result<Arc<Snapshot>> {
        self.snapshot().map_err(|_| closed.into())
    }
}

/// Returns an error if enumerations exceed the sizes that the configuration allows.
pub(super) fn check_sizes(enumerations: &[EnumerationPath], config: &Config) -> Result<()> {
    let max = config.u64("sm.enumerations_max_size")?;
    let max_together = config.u64("sm.enumerations_max_total_size")?;
    let mut together = 0u64;
    for loaded in enumerations.iter().filter_map(EnumerationPath::loaded) {
        let size = (loaded.data().len() + 8 * loaded.offsets().len()) as u64;
        if size > max {
            return Err(ArrayEnumerationError::TooLarge {
                name: loaded.name().into(),
                most: max,
            }
            .into());
        }
        together = together.saturating_add(size);
    }
    if together > max_together {
        return Err(ArrayEnumerationError::TogetherTooLarge { most: max_together }.into());
    }
    Ok(())
}

/// Returns the enumerations with file names for those that have none.
pub(super) fn named(enumerations: &[EnumerationPath]) -> NamedList<EnumerationPath> {
    enumerations
        .iter()
        .map(|path| match path.loaded() {
            Some(loaded) if path.file.is_empty() => {
                let stored = Enumeration::clone(loaded).stored_in(&enumeration_name());
                EnumerationPath::of(Arc::new(stored))
            }
            _ => path.clone(),
        })
        .collect()
}

/// Returns the files of enumerations in the folder of schemas `schemas`, with their contents.
pub(super) fn encode_all(
    schemas: &Uri,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
    enumerations: &[EnumerationPath],
) -> Result<Vec<(Uri, Vec<u8>)>> {
    enumerations
        .iter()
        .map(|path| {
            let loaded = path.loaded().ok_or_else(|| {
                Error::from(ArrayEnumerationError::NotLoaded {
                    name: path.name.clone(),
                })
            })?;
            let record = enumeration::write(loaded);
            let file = schemas.join(folders::ENUMERATIONS).join(&path.file);
            let mut bytes = Vec::new();
            generic::encode(&record, version, key, &mut bytes)?;
            Ok((file, bytes))
        })
        .collect()
}
