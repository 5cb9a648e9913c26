//! The schemas of an array: one file for each evolution, each fragment naming the one it was
//! written with.
//!
//! The latest is told by the times in the file names, as numbers. `__array_schema.tdb`, of arrays
//! that had only one, has no time and counts as the oldest. An array that was created by the clock
//! may be evolved at times that the program counts from 1 or so, and the other way round; where the
//! names do not tell which, their order as texts decides, as for libtiledb.

use std::collections::HashMap;
use std::sync::Arc;

use crate::platform::lock::OnceValue;

use crate::platform::lock::Mutex;

use crate::error::{Error, Result};
use crate::format::names::{FragmentName, folders};
use crate::format::schema;
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;
use crate::stats::{Counter, Part, Timer};
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
    single: OnceValue<bool>,
    loaded: Mutex<HashMap<String, Arc<ArraySchema>>>,
}

impl Schemas {
    /// Returns whether there is an array at `array`.
    pub(super) fn exist(vfs: &Arc<Vfs>, array: &Uri) -> Result<bool> {
        Ok(vfs.is_dir(&array.join(folders::SCHEMAS))?
            || vfs.is_file(&array.join(folders::ROOT_SCHEMA))?)
    }

    /// Lists the schemas of an array; an error if there are none, since there is no array then.
    pub(super) fn list(vfs: &Arc<Vfs>, array: &Uri, key: Option<&EncryptionKey>) -> Result<Self> {
        let stats = vfs.context().stats().part(Part::ArrayDirectory);
        let timing = stats.timer(Timer::ListSchemas);
        let entries = vfs.list(&array.join(folders::SCHEMAS))?;
        drop(timing);
        let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
        let mut names: Vec<_> = files
            .filter_map(|entry| FragmentName::with_suffix(&entry.name, ""))
            .collect();
        sort(&mut names);
        let schemas = Self {
            vfs: vfs.clone(),
            array: array.clone(),
            key: key.cloned(),
            names,
            single: OnceValue::new(),
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

    /// Returns the file name of the latest schema until `end`, in milliseconds; of the first where
    /// all are later.
    pub(super) fn latest(&self, end: Timestamp) -> Result<&str> {
        let until = |name: &&FragmentName| name.timestamps().end <= end;
        let found = match self.names.iter().rev().find(until) {
            None if !self.single()? => self.names.first(),
            found => found,
        };
        Ok(found.map_or(folders::ROOT_SCHEMA, FragmentName::as_str))
    }

    /// Returns the schema in a file; the old single one for `None`.
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

    /// Returns all schemas.
    pub(super) fn all(&self) -> Result<Vec<Arc<ArraySchema>>> {
        let names = self.names.iter().map(FragmentName::as_str);
        let single = self.single()?.then_some(folders::ROOT_SCHEMA);
        names
            .chain(single)
            .map(|name| self.get(Some(name)))
            .collect()
    }

    fn has(&self, name: &str) -> Result<bool> {
        if name == folders::ROOT_SCHEMA {
            return self.single();
        }
        if self.names.iter().any(|known| known.as_str() == name) {
            return Ok(true);
        }
        // A fragment that was listed after the schemas may have been written with a newer one.
        match FragmentName::with_suffix(name, "") {
            Some(_) => self.vfs.is_file(&self.uri(name)),
            None => Ok(false),
        }
    }

    /// Returns where the file of a schema is.
    pub(super) fn uri(&self, name: &str) -> Uri {
        match name == folders::ROOT_SCHEMA {
            true => self.array.join(name),
            false => self.array.join(folders::SCHEMAS).join(name),
        }
    }

    /// Returns whether the array's own folder may hold fragments and commits: it does where any
    /// schema is older than the folders for them. An array that never evolved tells by its only
    /// schema.
    pub(super) fn may_have_root_fragments(&self, latest: &ArraySchema) -> Result<bool> {
        let tells = self.names.len() > 1 || FormatVersion(latest.version) < v::COMMITS_FOLDER;
        Ok(tells || self.single()?)
    }
}

/// Milliseconds from here on, September 2001, are the clock's.
const CLOCK: Timestamp = 1_000_000_000_000;

/// Puts schemas into the order in which they came.
fn sort(names: &mut [FragmentName]) {
    let text = |a: &FragmentName, b: &FragmentName| a.as_str().cmp(b.as_str());
    let by_clock = |name: &FragmentName| name.timestamps().start >= CLOCK;
    let mut clocked = names.iter().filter(|name| by_clock(name));
    let only = match (clocked.next(), clocked.next()) {
        (Some(only), None) => Some(only.timestamps().start),
        _ => None,
    };
    // Those that lead from counted times to the clock.
    let leading = names.iter().map(FragmentName::timestamps);
    let mut leading = leading.filter(|of| of.start < CLOCK && of.end >= CLOCK);
    let created_by_clock = match (only, leading.next()) {
        // The only one by the clock is the creation, or the first evolution after one at a counted
        // time.
        (Some(_), None) => return names.sort_by(text),
        (Some(only), Some(first)) => first.end > only && leading.all(|of| of.end > only),
        (None, _) => false,
    };
    let order = |name: &FragmentName| {
        let TimeRange { start, end } = name.timestamps();
        (created_by_clock && !by_clock(name), end, start)
    };
    names.sort_by(|a, b| order(a).cmp(&order(b)).then_with(|| text(a, b)));
}

/// Returns the times of a schema that follows `latest` at a moment. The first one by the clock
/// after counted times begins with the last of these.
pub(super) fn following(latest: &ArraySchema, at: Timestamp) -> TimeRange {
    let last = latest.timestamps.end;
    match (1..CLOCK).contains(&last) && at >= CLOCK {
        true => TimeRange {
            start: last,
            end: at,
        },
        false => TimeRange { start: at, end: at },
    }
}

/// Returns the error if there is no array.
pub(crate) fn not_there() -> Error {
    Error::usage(
        "TileDB internal",
        "Cannot open array; Array does not exist.",
    )
}

fn load(vfs: &Vfs, uri: &Uri, key: Option<&EncryptionKey>) -> Result<ArraySchema> {
    let stats = vfs.context().stats();
    let _timing = stats.timer(Timer::LoadSchema);
    let record = generic::read(vfs, uri, key)?;
    stats.add(Counter::ReadSchemaBytes, record.len() as u64);
    schema::read(&record, uri.name()).map_err(|error| error.with_uri(uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_times_follow_a_creation_by_the_clock_and_the_clock_follows_them() {
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
            let sorted: Vec<_> = sorted.map(|of| (of.start, of.end)).collect();
            assert_eq!(sorted, times);
        }
    }
}
