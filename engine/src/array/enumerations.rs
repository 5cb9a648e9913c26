//! The enumerations of an opened array, each read from its file when it is first asked for.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::snapshot::Snapshot;
use crate::error::{Error, Result};
use crate::format::enumeration;
use crate::format::names::folders;
use crate::schema::{ArraySchema, Enumeration, EnumerationPath};
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{Uri, Vfs};

/// Enumerations by the names of their files.
#[derive(Debug, Default)]
pub(super) struct Enumerations(Mutex<HashMap<String, Arc<Enumeration>>>);

impl Snapshot {
    /// An enumeration of the schema by name.
    pub fn enumeration(&self, vfs: &Vfs, name: &str) -> Result<Arc<Enumeration>> {
        self.enumeration_of(vfs, &self.schema, name)
    }

    /// An enumeration of one of the array's schemas by name.
    pub fn enumeration_of(
        &self,
        vfs: &Vfs,
        schema: &ArraySchema,
        name: &str,
    ) -> Result<Arc<Enumeration>> {
        let path = schema.enumerations.iter().find(|path| path.name == name);
        let path = path.ok_or_else(|| {
            let message =
                format!("Unable to check if enumeration is loaded. No enumeration named '{name}'.");
            Error::usage("ArraySchema", message)
        })?;
        if let Some(known) = self.enumerations.0.lock().get(&path.file) {
            return Ok(known.clone());
        }
        let read = load(vfs, &self.uri, path, self.key.as_ref())?;
        let mut known = self.enumerations.0.lock();
        let kept = known.entry(path.file.clone());
        Ok(kept.or_insert_with(|| Arc::new(read)).clone())
    }

    /// Reads all enumerations of the schema.
    pub fn load_enumerations(&self, vfs: &Vfs) -> Result<Vec<Arc<Enumeration>>> {
        let names = self.schema.enumerations.iter().map(|path| &path.name);
        names.map(|name| self.enumeration(vfs, name)).collect()
    }

    /// Whether an enumeration was read already.
    pub fn has_enumeration(&self, path: &EnumerationPath) -> bool {
        self.enumerations.0.lock().contains_key(&path.file)
    }
}

/// Reads an enumeration of an array.
pub(super) fn load(
    vfs: &Vfs,
    array: &Uri,
    path: &EnumerationPath,
    key: Option<&EncryptionKey>,
) -> Result<Enumeration> {
    let folder = array.join(folders::SCHEMAS).join(folders::ENUMERATIONS);
    let uri = folder.join(&path.file);
    let record = generic::read(vfs, &uri, key)?;
    enumeration::read(&record).map_err(|error| error.at(&uri))
}
