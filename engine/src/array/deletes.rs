//! The deletes of an array: one commit each, in its own file or in a consolidated file.
//!
//! A delete's condition is read when a query first needs it.

use std::sync::Arc;

use super::commits::{CommitScope, Commits, InlineCondition};
use super::instant::open_repeatedly;
use crate::bytes::Sink;
use crate::error::{DeleteError, Error, Result};
use crate::format::commits::{read_condition, write_condition};
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::{FragmentLocation, OpenedObject, publish_record};
use crate::platform::lock::OnceValue;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::condition::Condition;
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

/// A commit that deletes cells.
#[derive(Debug)]
pub struct Delete {
    /// The name of the commit's file, with its suffix.
    pub name: String,
    /// The timestamp. Cells written until then, inclusively, are deleted.
    pub timestamp: Timestamp,
    /// The URI of the file, or of the file before it was consolidated.
    uri: Uri,
    /// The condition, if it is in a consolidated file.
    inline: Option<InlineCondition>,
    /// The latest schema at its timestamp, if it differs from that of the open array.
    pub schema: Option<Arc<ArraySchema>>,
    condition: OnceValue<Condition>,
}

impl Delete {
    /// Returns the name with which fragments record that they applied it.
    pub fn marker(&self) -> String {
        format!("{}/{}", folders::COMMITS, self.name)
    }

    /// Returns the delete of a message, which names it as [`Delete::marker`] does.
    pub fn of_message(array: &Uri, marker: &str) -> Result<Self> {
        let name = marker.rsplit('/').next().unwrap_or_default();
        let parsed = [folders::DELETE, folders::UPDATE]
            .iter()
            .find_map(|suffix| FragmentName::with_suffix(name, suffix));
        let time = parsed.map(|name| name.timestamps());
        Ok(Self {
            name: name.to_owned(),
            timestamp: time
                .ok_or_else(|| DeleteError::UnknownMarker {
                    marker: marker.to_owned(),
                })?
                .start,
            uri: array.join(folders::COMMITS).join(name),
            inline: None,
            schema: None,
            condition: OnceValue::new(),
        })
    }

    /// Returns the file that contains it, relative to the array, and the position in the file.
    pub fn location(&self) -> (String, u64) {
        let (file, position) = match &self.inline {
            Some(inline) => (inline.file.name(), inline.position),
            None => (&self.name[..], 0),
        };
        (format!("{}/{file}", folders::COMMITS), position)
    }

    /// Returns whether it is an update, which cannot be applied.
    pub fn is_update(&self) -> bool {
        self.name.ends_with(folders::UPDATE)
    }

    /// Returns the condition of the cells that are kept, reading it if necessary.
    pub fn condition(&self, vfs: &Arc<Vfs>, key: Option<&EncryptionKey>) -> Result<&Condition> {
        self.condition.get_or_try_init(|| {
            if self.is_update() {
                let uri = self.uri.to_string();
                return Err(DeleteError::Update { uri }.into());
            }
            self.record(vfs, key)
                .and_then(|record| read_condition(&record))
                .map_err(|error| error.with_uri(&self.uri))
        })
    }

    fn record(&self, vfs: &Arc<Vfs>, key: Option<&EncryptionKey>) -> Result<Vec<u8>> {
        if let Some(inline) = &self.inline {
            return generic::decode(&inline.bytes, key);
        }
        match generic::read(&vfs.view(), &self.uri, key) {
            // A vacuum removes the file after a consolidated file with its content exists.
            Err(error) if error.is_missing_file() => match self.consolidated(vfs)? {
                Some(inline) => generic::decode(&inline.bytes, key),
                None => Err(Error::removed(self.uri.as_str())),
            },
            read => read,
        }
    }

    /// Returns the content from a consolidated file, if there is one now.
    fn consolidated(&self, vfs: &Arc<Vfs>) -> Result<Option<InlineCondition>> {
        let Some(array) = self.uri.parent().and_then(|folder| folder.parent()) else {
            return Ok(None);
        };
        let view = &vfs.view();
        let commits = open_repeatedly(vfs, &array, |lock| {
            Commits::read(view, &array, CommitScope::all(lock))
        })?;
        Ok(commits.consolidated.condition(&self.name).cloned())
    }
}

/// Returns the deletes in a time range, oldest first, then by name. `schema` returns the latest
/// schema at a time, if it differs from that of the open array.
pub(super) fn deletes(
    commits: &Commits,
    timestamps: TimeRange,
    schema: impl Fn(Timestamp) -> Result<Option<Arc<ArraySchema>>>,
) -> Result<Vec<Arc<Delete>>> {
    let inline = commits.consolidated.iter();
    let files = [folders::DELETE, folders::UPDATE]
        .into_iter()
        .flat_map(|suffix| commits.files(suffix))
        .filter(|name| !commits.consolidated.contains(name))
        .map(|name| (name, None));
    let mut found = Vec::new();
    for (name, inline) in inline.chain(files) {
        if !name.ends_with(folders::DELETE) && !name.ends_with(folders::UPDATE) {
            continue;
        }
        let Some(time) = FragmentName::parse(name)
            .map(|name| name.timestamps())
            .filter(|time| timestamps.contains(*time))
        else {
            continue;
        };
        found.push(Arc::new(Delete {
            name: name.to_owned(),
            timestamp: time.start,
            uri: commits.folder.uri.join(name),
            inline: inline.cloned(),
            schema: schema(time.start)?,
            condition: OnceValue::new(),
        }));
    }
    found.sort_by(|a, b| (a.timestamp, &a.name).cmp(&(b.timestamp, &b.name)));
    Ok(found)
}

/// Commits a delete of the cells of the array at `array` that were written until `timestamp`, in
/// milliseconds, and do not satisfy a condition. Returns an error if the timestamp is within a
/// fragment that does not store the timestamps of its cells.
pub fn write_delete(
    vfs: &Arc<Vfs>,
    array: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
    remaining: &Condition,
    timestamp: Timestamp,
) -> Result<()> {
    let timestamps = TimeRange::at(timestamp);
    let view = &vfs.view();
    let fragments = open_repeatedly(vfs, array, |lock| {
        let commits = Commits::read(view, array, CommitScope::all(lock))?;
        commits.fragments(view)
    })?;
    if fragments
        .iter()
        .map(FragmentLocation::name)
        .any(|name| name.version() < v::TIMESTAMP_FILES && name.timestamps().contains(timestamps))
    {
        return Err(DeleteError::InConsolidated.into());
    }
    let mut record = Sink::new();
    write_condition(&mut record, remaining);
    let version = FormatVersion(schema.version).for_writing();
    let name = FragmentName::generate(timestamps, version);
    let name = format!("{}{}", name.as_str(), folders::DELETE);
    let file = array.join(folders::COMMITS).join(&name);
    let opened = OpenedObject {
        uri: array,
        schema_name: &schema.name,
    };
    publish_record(
        vfs,
        opened,
        &file,
        record.as_slice(),
        version.of_records(),
        key,
    )
}
