//! The schemas of an array: one file for each evolution, each fragment naming the one it was written with.
//!
//! The latest is told by the times in the file names, as numbers. `__array_schema.tdb`, of arrays that had only one, has no
//! time and counts as the oldest. An array is created by the clock, and may then be evolved at times that the program counts
//! from 1 or so: these follow.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::lock::Mutex;

use crate::error::{Error, Result};
use crate::format::names::{FragmentName, folders};
use crate::format::schema;
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{EntryKind, Uri, Vfs};

/// The schema files of an array, loaded when they are wanted.
#[derive(Debug)]
pub(super) struct Schemas {
    vfs: Arc<Vfs>,
    array: Uri,
    key: Option<EncryptionKey>,
    /// Names of files in the folder of schemas, the first first.
    names: Vec<FragmentName>,
    /// Whether there is the old single file, once that was looked up.
    single: OnceLock<bool>,
    loaded: Mutex<HashMap<String, Arc<ArraySchema>>>,
}

impl Schemas {
    /// Whether there is an array at `array`.
    pub(super) fn exist(vfs: &Arc<Vfs>, array: &Uri) -> Result<bool> {
        Ok(vfs.is_dir(&array.join(folders::SCHEMAS))?
            || vfs.is_file(&array.join(folders::ROOT_SCHEMA))?)
    }

    /// Lists the schemas of an array; an error where there are none, since there is no array then.
    pub(super) fn list(vfs: &Arc<Vfs>, array: &Uri, key: Option<&EncryptionKey>) -> Result<Self> {
        let entries = vfs.list(&array.join(folders::SCHEMAS))?;
        let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
        let mut names: Vec<_> = files
            .filter_map(|entry| FragmentName::parse(&entry.name))
            .collect();
        names.sort_by(|a, b| order(a).cmp(&order(b)));
        let schemas = Self {
            vfs: vfs.clone(),
            array: array.clone(),
            key: key.cloned(),
            names,
            single: OnceLock::new(),
            loaded: Mutex::default(),
        };
        if schemas.names.is_empty() && !schemas.single()? {
            return Err(not_there());
        }
        Ok(schemas)
    }

    fn single(&self) -> Result<bool> {
        if let Some(known) = self.single.get() {
            return Ok(*known);
        }
        let found = self.vfs.is_file(&self.array.join(folders::ROOT_SCHEMA))?;
        Ok(*self.single.get_or_init(|| found))
    }

    /// The file name of the latest schema until `end`, in milliseconds; of the first where all are later.
    pub(super) fn latest(&self, end: Timestamp) -> Result<&str> {
        let until = |name: &&FragmentName| name.timestamps().end <= end;
        let found = match self.names.iter().rev().find(until) {
            None if !self.single()? => self.names.first(),
            found => found,
        };
        Ok(found.map_or(folders::ROOT_SCHEMA, FragmentName::as_str))
    }

    /// The schema in a file; the old single one for `None`.
    pub(super) fn get(&self, name: Option<&str>) -> Result<Arc<ArraySchema>> {
        let name = name.unwrap_or(folders::ROOT_SCHEMA);
        if let Some(schema) = self.loaded.lock().get(name) {
            return Ok(schema.clone());
        }
        if !self.has(name)? {
            let message = format!(
                "Could not find schema {name} in map of schemas loaded.\nConsider reloading the array to check for new array schemas."
            );
            return Err(Error::usage("FragmentMetadata", message));
        }
        let schema = Arc::new(load(&self.vfs, &self.uri(name), self.key.as_ref())?);
        let mut loaded = self.loaded.lock();
        Ok(loaded.entry(name.to_owned()).or_insert(schema).clone())
    }

    fn has(&self, name: &str) -> Result<bool> {
        match name == folders::ROOT_SCHEMA {
            true => self.single(),
            false => Ok(self.names.iter().any(|known| known.as_str() == name)),
        }
    }

    /// Where the file of a schema is.
    pub(super) fn uri(&self, name: &str) -> Uri {
        match name == folders::ROOT_SCHEMA {
            true => self.array.join(name),
            false => self.array.join(folders::SCHEMAS).join(name),
        }
    }

    /// Whether the array's own folder may hold fragments and commits: it does where any schema is older than the folders
    /// for them. An array that never evolved tells by its only schema.
    pub(super) fn may_have_root_fragments(&self, latest: &ArraySchema) -> Result<bool> {
        let tells = self.names.len() > 1 || FormatVersion(latest.version) < v::COMMITS_FOLDER;
        Ok(tells || self.single()?)
    }
}

/// Milliseconds from here on, September 2001, are the clock's.
const CLOCK: Timestamp = 1_000_000_000_000;

/// What the schemas of an array are ordered by.
fn order(name: &FragmentName) -> (bool, Timestamp, Timestamp, &str) {
    let TimeRange { start, end } = name.timestamps();
    (end < CLOCK, end, start, name.as_str())
}

/// The error where there is no array.
pub(super) fn not_there() -> Error {
    Error::usage(
        "TileDB internal",
        "Cannot open array; Array does not exist.",
    )
}

fn load(vfs: &Vfs, uri: &Uri, key: Option<&EncryptionKey>) -> Result<ArraySchema> {
    let record = generic::read(vfs, uri, key)?;
    schema::read(&record, uri.name()).map_err(|error| error.at(uri))
}
