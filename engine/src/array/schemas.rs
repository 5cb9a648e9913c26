//! The schemas of an array: one file per evolution. Each fragment names the schema with which it
//! was written.
//!
//! The latest schema is determined by the timestamps in file names. `__array_schema.tdb`, of arrays
//! that have only one, has no timestamp and is the oldest. Programs may create an array with
//! timestamps of the clock and evolve it with small numbers as timestamps, or the reverse. If the
//! names do not show which, they are compared as strings, as in libtiledb.

use std::collections::HashMap;
use std::sync::Arc;

use super::key;
use crate::config::Config;
use crate::error::{ArrayError, Error, FragmentError, Result};
use crate::format::names::{FragmentName, folders};
use crate::format::schema;
use crate::format::version::{self as v, FormatVersion};
use crate::platform::lock::{Mutex, OnceValue};
use crate::schema::ArraySchema;
use crate::stats::{Counter, Part, Timer};
use crate::tile::generic;
use crate::types::{EncryptionKey, EncryptionType, TimeRange, Timestamp};
use crate::vfs::{Entry, EntryKind, StorageView, Uri, Vfs, is_temporary};

/// Returns whether the entries of a folder of schemas on an object store make its parent an array:
/// enumerations do not, nor do schemas of which others are being copied.
pub(crate) fn has_complete_schemas(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.kind == EntryKind::File) && !is_incomplete(entries)
}

/// Returns whether the schemas with these entries are being copied: a file with a temporary name is
/// there until the last one is.
fn is_incomplete(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| is_temporary(&entry.name))
}

/// The schema files of an array, loaded when needed.
#[derive(Debug)]
pub(super) struct Schemas {
    /// The storage in which they were listed.
    pub(super) view: StorageView,
    /// The array's folder.
    pub(super) array: Uri,
    /// The key of an encrypted array.
    pub(super) key: Option<EncryptionKey>,
    /// The names of files in the schema folder, in order of evolution.
    names: Vec<FragmentName>,
    /// Whether the old single file exists, once that has been checked.
    single: OnceValue<bool>,
    loaded: Mutex<HashMap<String, Arc<ArraySchema>>>,
}

impl Schemas {
    /// Lists the schemas of an array. Returns an error without any schema, that is, if the array
    /// does not exist.
    pub(super) fn list(
        view: &StorageView,
        array: &Uri,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let stats = view.vfs.context.stats.part(Part::ArrayDirectory);
        let timing = stats.timer(Timer::ListSchemas);
        let entries = view.list(&array.join(folders::SCHEMAS))?;
        drop(timing);
        if is_incomplete(&entries) {
            return Err(array_not_found());
        }
        let mut names: Vec<_> = entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::File)
            .filter_map(|entry| FragmentName::with_suffix(&entry.name, ""))
            .collect();
        sort(&mut names);
        let schemas = Self {
            view: view.clone(),
            array: array.clone(),
            key: key.cloned(),
            names,
            single: OnceValue::new(),
            loaded: Mutex::default(),
        };
        if schemas.names.is_empty() && !schemas.single()? {
            return Err(array_not_found());
        }
        Ok(schemas)
    }

    /// Returns whether the old single file exists.
    fn single(&self) -> Result<bool> {
        let file = || self.array.join(folders::ROOT_SCHEMA);
        let found = self.single.get_or_try_init(|| self.view.is_file(&file()));
        found.copied()
    }

    /// Returns the file name of the latest schema until `end`, in milliseconds, or of the first if
    /// all are later.
    pub(super) fn latest(&self, end: Timestamp) -> Result<&str> {
        let found = match self
            .names
            .iter()
            .rev()
            .find(|name| name.timestamps().end <= end)
        {
            None if !self.single()? => self.names.first(),
            found => found,
        };
        Ok(found.map_or(folders::ROOT_SCHEMA, FragmentName::as_str))
    }

    /// Returns the schema in a file; `None` means the old single file.
    pub(super) fn get(&self, name: Option<&str>) -> Result<Arc<ArraySchema>> {
        let name = name.unwrap_or(folders::ROOT_SCHEMA);
        if let Some(schema) = self.loaded.lock().get(name) {
            return Ok(schema.clone());
        }
        if !self.has(name)? {
            return Err(FragmentError::NoSchema { name: name.into() }.into());
        }
        let schema = Arc::new(load(&self.view, &self.uri(name), self.key.as_ref())?);
        let mut loaded = self.loaded.lock();
        Ok(loaded.entry(name.to_owned()).or_insert(schema).clone())
    }

    /// Returns all schemas.
    pub(super) fn all(&self) -> Result<Vec<Arc<ArraySchema>>> {
        let names = self.names.iter().map(FragmentName::as_str);
        let single = self.single()?.then_some(folders::ROOT_SCHEMA);
        names
            .chain(single)
            .map(|name| self.get(Some(name)))
            .collect()
    }

    /// Returns the names of the schema files, in order of evolution.
    pub(super) fn file_names(&self) -> Result<Vec<String>> {
        let single = self.single()?.then_some(folders::ROOT_SCHEMA);
        let names = self.names.iter().map(FragmentName::as_str);
        Ok(single.into_iter().chain(names).map(str::to_owned).collect())
    }

    fn has(&self, name: &str) -> Result<bool> {
        if name == folders::ROOT_SCHEMA {
            return self.single();
        }
        if self.names.iter().any(|known| known.as_str() == name) {
            return Ok(true);
        }
        // A fragment listed after the schemas may have been written with a newer schema.
        match FragmentName::with_suffix(name, "") {
            Some(_) => self.view.is_file(&self.uri(name)),
            None => Ok(false),
        }
    }

    /// Returns the URI of a schema file.
    pub(super) fn uri(&self, name: &str) -> Uri {
        if name == folders::ROOT_SCHEMA {
            self.array.join(name)
        } else {
            self.array.join(folders::SCHEMAS).join(name)
        }
    }

    /// Returns whether the array's own folder can contain fragments and commits: if any schema has
    /// a format version before the folders for them. An array without evolution has only one schema
    /// to check.
    pub(super) fn may_have_root_fragments(&self, latest: &ArraySchema) -> Result<bool> {
        let tells = self.names.len() > 1 || FormatVersion(latest.version) < v::COMMITS_FOLDER;
        Ok(tells || self.single()?)
    }
}

/// Timestamps from September 2001 on, in milliseconds, are taken for clock times.
const CLOCK: Timestamp = 1_000_000_000_000;

/// Sorts schemas in order of evolution.
fn sort(names: &mut [FragmentName]) {
    let text = |a: &FragmentName, b: &FragmentName| a.as_str().cmp(b.as_str());
    let by_clock = |name: &FragmentName| name.timestamps().start >= CLOCK;
    let mut clocked = names.iter().filter(|name| by_clock(name));
    let only = match (clocked.next(), clocked.next()) {
        (Some(only), None) => Some(only.timestamps().start),
        _ => None,
    };
    // Schemas whose timestamps range from a small number to a clock time.
    let mut leading = names
        .iter()
        .map(FragmentName::timestamps)
        .filter(|times| times.start < CLOCK && times.end >= CLOCK);
    let created_by_clock = match (only, leading.next()) {
        // The only schema with a clock time is the creation, or the first evolution after one with
        // a small number.
        (Some(_), None) => return names.sort_by(text),
        (Some(only), Some(first)) => first.end > only && leading.all(|times| times.end > only),
        (None, _) => false,
    };
    let order = |name: &FragmentName| {
        let TimeRange { start, end } = name.timestamps();
        (created_by_clock && !by_clock(name), end, start)
    };
    names.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| text(a, b)));
}

/// Returns the timestamps of a schema that follows `latest`. The first one with a clock time after
/// small numbers begins at the last of these.
pub(super) fn following(latest: &ArraySchema, timestamp: Timestamp) -> TimeRange {
    let last = latest.timestamps.end;
    if (1..CLOCK).contains(&last) && timestamp >= CLOCK {
        TimeRange {
            start: last,
            end: timestamp,
        }
    } else {
        TimeRange::at(timestamp)
    }
}

/// Returns the error for an array that does not exist.
pub(crate) fn array_not_found() -> Error {
    Error::from(ArrayError::Missing)
}

fn load(view: &StorageView, uri: &Uri, key: Option<&EncryptionKey>) -> Result<ArraySchema> {
    let stats = &view.vfs.context.stats;
    let _timing = stats.timer(Timer::LoadSchema);
    let record = generic::read(view, uri, key)?;
    stats.add(Counter::ReadSchemaBytes, record.len() as u64);
    schema::read(&record, uri.name()).map_err(|error| error.with_uri(uri))
}

/// Returns the latest schema of the array at `uri`. The key is that of `config`. Returns an error
/// if the array does not exist or the key is wrong.
pub fn load_schema(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<Arc<ArraySchema>> {
    load_schema_with(&vfs.snapshot(uri)?, uri, key::of_config(config)?.as_ref())
}

/// Returns the latest schema of the array at `uri`. Returns an error if the array does not exist or
/// the key is wrong.
pub(crate) fn load_schema_with(
    view: &StorageView,
    uri: &Uri,
    key: Option<&EncryptionKey>,
) -> Result<Arc<ArraySchema>> {
    let schemas = Schemas::list(view, uri, key)?;
    schemas.get(Some(schemas.latest(Timestamp::MAX)?))
}

/// Returns the latest schema of the array at `uri`, and all schemas in order of evolution. The key
/// is that of `config`.
pub fn list_schemas(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    config: &Config,
) -> Result<(Arc<ArraySchema>, Vec<Arc<ArraySchema>>)> {
    let key = key::of_config_or_context(vfs, config)?;
    let schemas = Schemas::list(&vfs.snapshot(uri)?, uri, key.as_ref())?;
    let latest = schemas.get(Some(schemas.latest(Timestamp::MAX)?))?;
    Ok((latest, schemas.all()?))
}

/// Returns whether an array exists at `uri`.
pub fn exists(view: &StorageView, uri: &Uri) -> Result<bool> {
    let folder = uri.join(folders::SCHEMAS);
    let has_schemas = if view.vfs.is_object_store(uri) {
        has_complete_schemas(&view.list(&folder)?)
    } else {
        view.is_dir(&folder)?
    };
    Ok(has_schemas || view.is_file(&uri.join(folders::ROOT_SCHEMA))?)
}

/// Returns the encryption type of the array at `uri`, without a key. Returns an error if the array
/// does not exist.
pub fn encryption_type(vfs: &Arc<Vfs>, uri: &Uri) -> Result<EncryptionType> {
    let view = vfs.snapshot(uri)?;
    let schemas = Schemas::list(&view, uri, None)?;
    generic::encryption(&vfs.view(), &schemas.uri(schemas.latest(Timestamp::MAX)?))
}

/// Parses the URI or path of an array.
pub fn parse_uri(text: &str) -> Result<Uri> {
    Uri::parse(text).map_err(|_| Error::from(ArrayError::BadUri { uri: text.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_with_small_and_clock_timestamps_are_in_order_of_evolution() {
        const NOW: u64 = 1_795_000_000_005;
        for times in [
            &[(NOW, NOW), (2, 2), (3, 3)][..],
            &[(NOW, NOW), (2, 2), (2, NOW + 9)],
            &[(NOW, NOW), (9, 9), (10, 10), (10, NOW + 9)],
            &[(10, 10), (NOW, NOW)],
            &[(5, 5), (5, NOW)],
            &[(5, 5), (5, NOW), (NOW + 1, NOW + 1)],
            &[(5, 5), (5, NOW), (NOW + 1, NOW + 1), (NOW + 2, NOW + 2)],
            &[(9, 9), (10, 10), (100, 100)],
            &[(NOW, NOW), (NOW + 1, NOW + 1)],
        ] {
            let names = times.iter().map(|(start, end)| {
                let name = format!("__{start}_{end}_00112233445566778899aabbccddeeff");
                FragmentName::parse(&name).expect("name")
            });
            let mut names: Vec<_> = names.collect();
            names.reverse();
            sort(&mut names);
            let sorted = names.iter().map(|name| name.timestamps());
            let sorted: Vec<_> = sorted.map(|times| (times.start, times.end)).collect();
            assert_eq!(sorted, times);
        }
    }
}
