//! The deletes that an opening sees: a commit each, alone in a file or within a consolidated one.
//!
//! What a delete keeps is read when a query first asks for it.

use std::sync::Arc;

use crate::platform::lock::OnceValue;

use super::commits::{CommitScope, Commits};
use super::instant::open_repeatedly;
use super::snapshot::Snapshot;
use crate::bytes::Sink;
use crate::error::{Error, Result};
use crate::format::commits::{read_condition, write_condition};
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::condition::Condition;
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

/// A commit that deletes cells.
#[derive(Debug)]
pub struct Delete {
    /// The file's name, with its suffix.
    name: String,
    timestamp: Timestamp,
    /// The file, or the one that it was in before many became one.
    uri: Uri,
    /// Its bytes, if they are in a consolidated file.
    inline: Option<Vec<u8>>,
    /// The latest schema at its time, if that is not the one of the opening.
    schema: Option<Arc<ArraySchema>>,
    condition: OnceValue<Condition>,
}

impl Delete {
    /// Returns the name of the commit's file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name under which fragments note that they applied it.
    pub fn marker(&self) -> String {
        format!("{}/{}", folders::COMMITS, self.name)
    }

    /// Cells written until then are deleted, those of this millisecond too.
    pub fn timestamp(&self) -> Timestamp {
        self.timestamp
    }

    /// Returns the schema that it was written for, if it is not the latest of the opening.
    pub fn schema(&self) -> Option<&Arc<ArraySchema>> {
        self.schema.as_ref()
    }

    /// Returns the condition that cells satisfy which are kept; read on first use.
    pub fn kept(&self, vfs: &Vfs, key: Option<&EncryptionKey>) -> Result<&Condition> {
        if let Some(condition) = self.condition.get() {
            return Ok(condition);
        }
        if self.name.ends_with(folders::UPDATE) {
            let message = format!("Cannot apply '{}'; Updates are not supported", self.uri);
            return Err(Error::usage("ArrayOperations", message));
        }
        let read = || read_condition(&self.record(vfs, key)?);
        let condition = read().map_err(|error| error.with_uri(&self.uri))?;
        Ok(self.condition.get_or_init(|| condition))
    }

    fn record(&self, vfs: &Vfs, key: Option<&EncryptionKey>) -> Result<Vec<u8>> {
        if let Some(bytes) = &self.inline {
            return generic::decode(bytes, key);
        }
        match generic::read(vfs, &self.uri, key) {
            // A vacuum removed the file after a consolidated one holds its content.
            Err(error) if error.is_not_found() => match self.consolidated(vfs)? {
                Some(bytes) => generic::decode(&bytes, key),
                None => Err(Error::removed(self.uri.as_str())),
            },
            read => read,
        }
    }

    /// Returns the content in a consolidated file, if one holds it now.
    fn consolidated(&self, vfs: &Vfs) -> Result<Option<Vec<u8>>> {
        let Some(array) = self.uri.parent().and_then(|folder| folder.parent()) else {
            return Ok(None);
        };
        let mut commits = open_repeatedly(vfs, &array, |lock| {
            Commits::read(vfs, &array, CommitScope::all(lock))
        })?;
        Ok(commits.consolidated.remove(&self.name).flatten())
    }
}

/// Commits a delete that leaves the cells that satisfy a condition, of those written until
/// `timestamp`, in milliseconds. An error where that lies within a fragment whose cells do not tell
/// their times.
pub fn write_delete(
    vfs: &Arc<Vfs>,
    snapshot: &Snapshot,
    kept: &Condition,
    timestamp: Timestamp,
) -> Result<()> {
    let array = &snapshot.uri;
    let at = TimeRange {
        start: timestamp,
        end: timestamp,
    };
    let fragments = open_repeatedly(vfs, array, |lock| {
        let commits = Commits::read(vfs, array, CommitScope::all(lock))?;
        commits.fragments(vfs)
    })?;
    let mut fragments = fragments.iter().map(|found| &found.name);
    if fragments.any(|name| name.version() < v::TIMESTAMP_FILES && name.timestamps().contains(at)) {
        let message =
            "Cannot write a delete in the middle of a fragment consolidated without timestamps.";
        return Err(Error::usage("Deletes", message));
    }
    let mut record = Sink::new();
    write_condition(&mut record, kept);
    let version = FormatVersion(snapshot.schema.version).for_writing();
    let name = FragmentName::generate(at, version);
    let name = format!("{}{}", name.as_str(), folders::DELETE);
    let key = snapshot.key.as_ref();
    let file = array.join(folders::COMMITS).join(&name);
    generic::publish(vfs, array, &file, record.as_slice(), key)
}

/// Returns the deletes in a time range, oldest first, ties by name. `schema` brings the latest
/// schema at a time, if that is not the one of the opening.
pub(super) fn deletes(
    commits: &Commits,
    timestamps: TimeRange,
    schema: impl Fn(Timestamp) -> Result<Option<Arc<ArraySchema>>>,
) -> Result<Vec<Arc<Delete>>> {
    let inline = commits.consolidated.iter();
    let inline = inline.map(|(name, bytes)| (name.as_str(), bytes.clone()));
    let files = [folders::DELETE, folders::UPDATE]
        .into_iter()
        .flat_map(|suffix| commits.files(suffix))
        .filter(|name| !commits.consolidated.contains_key(*name))
        .map(|name| (name, None));
    let mut found = Vec::new();
    for (name, inline) in inline.chain(files) {
        if !name.ends_with(folders::DELETE) && !name.ends_with(folders::UPDATE) {
            continue;
        }
        let parsed = FragmentName::parse(name).map(|name| name.timestamps());
        let Some(time) = parsed.filter(|time| timestamps.contains(*time)) else {
            continue;
        };
        found.push(Arc::new(Delete {
            name: name.to_owned(),
            timestamp: time.start,
            uri: commits.folder.join(name),
            inline,
            schema: schema(time.start)?,
            condition: OnceValue::new(),
        }));
    }
    found.sort_by(|a, b| (a.timestamp, &a.name).cmp(&(b.timestamp, &b.name)));
    Ok(found)
}
