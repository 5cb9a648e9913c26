//! Changes to the metadata of an array or group that is open for writing.

use std::collections::BTreeMap;

use super::files::encode_metadata_file;
use crate::error::Result;
use crate::format::metadata::{MetadataEntry, MetadataValue};
use crate::format::version::FormatVersion;
use crate::fragment::{OpenedObject, publish_change};
use crate::platform::lock::Mutex;
use crate::types::{Datatype, EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

/// Puts and deletions that are not written yet. The last one for a key counts.
#[derive(Debug, Default)]
pub struct MetadataChanges {
    /// The timestamp of the file that will be written.
    timestamp: Timestamp,
    entries: Mutex<BTreeMap<Box<str>, Change>>,
}

/// The datatype and the bytes of a value that is put; `None` deletes the key.
type Change = Option<(Datatype, Box<[u8]>)>;

/// A put, or a deletion if it has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedMetadataEntry {
    /// The key.
    pub key: String,
    /// The datatype and the values; `None` deletes the key.
    pub value: Option<(Datatype, Vec<u8>)>,
}

/// Returns a value as files have it.
pub(crate) fn metadata_value(datatype: Datatype, bytes: &[u8]) -> MetadataValue<'_> {
    MetadataValue {
        datatype,
        num: u32::try_from(bytes.len() / datatype.size()).unwrap_or(u32::MAX),
        bytes,
    }
}

impl MetadataChanges {
    /// Creates an empty list of changes. Its file gets this timestamp, in milliseconds.
    pub fn new(timestamp: Timestamp) -> Self {
        Self {
            timestamp,
            entries: Mutex::default(),
        }
    }

    /// Puts a value. The number of elements follows from the length of `bytes`; no bytes are an
    /// empty value.
    pub fn put(&self, key: &str, datatype: Datatype, bytes: &[u8]) {
        let value = Some((datatype, bytes.into()));
        self.entries.lock().insert(key.into(), value);
    }

    /// Deletes a key, which need not exist.
    pub fn delete(&self, key: &str) {
        self.entries.lock().insert(key.into(), None);
    }

    /// Adds a put or a deletion.
    pub fn apply(&self, entry: &OwnedMetadataEntry) {
        match &entry.value {
            Some((datatype, bytes)) => self.put(&entry.key, *datatype, bytes),
            None => self.delete(&entry.key),
        }
    }

    /// Returns the changes in the order of keys.
    pub fn entries(&self) -> Vec<OwnedMetadataEntry> {
        let pending = self.entries.lock();
        pending
            .iter()
            .map(|(key, value)| OwnedMetadataEntry {
                key: key.to_string(),
                value: value
                    .as_ref()
                    .map(|(datatype, bytes)| (*datatype, bytes.to_vec())),
            })
            .collect()
    }

    /// Writes the changes to a file below `object` and removes them from the list. Without changes
    /// it writes nothing. If writing fails, the changes stay. `version` is that of the object's
    /// records.
    pub fn write(
        &self,
        vfs: &Vfs,
        object: OpenedObject<'_>,
        version: FormatVersion,
        key: Option<&EncryptionKey>,
    ) -> Result<()> {
        let Some((file, bytes)) = self.encode(vfs, object.uri, version, key)? else {
            return Ok(());
        };
        publish_change(vfs, object, &file, &bytes)
            .inspect_err(|_| object.remove_empty_folders(vfs))?;
        self.clear();
        Ok(())
    }

    /// Removes the changes, which were written.
    pub fn clear(&self) {
        self.entries.lock().clear();
    }

    /// Returns the file of the changes below `object` and its content, or `None` without changes.
    pub fn encode(
        &self,
        vfs: &Vfs,
        object: &Uri,
        version: FormatVersion,
        key: Option<&EncryptionKey>,
    ) -> Result<Option<(Uri, Vec<u8>)>> {
        let pending = self.entries.lock();
        if pending.is_empty() {
            return Ok(None);
        }
        let entries = pending.iter().map(|(key, value)| MetadataEntry {
            key,
            value: value
                .as_ref()
                .map(|(datatype, bytes)| metadata_value(*datatype, bytes)),
        });
        let timestamps = TimeRange::at(self.timestamp);
        encode_metadata_file(vfs, object, timestamps, entries, version, key).map(Some)
    }
}
