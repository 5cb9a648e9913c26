//! Puts and deletes of an array, or a group, that is open for writing.

use std::collections::BTreeMap;

use crate::platform::lock::Mutex;

use super::files::write_metadata_file;
use crate::error::Result;
use crate::format::metadata::{MetadataEntry, MetadataValue};
use crate::types::{Datatype, EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

/// Puts and deletes that are not written yet; the last for a key counts.
#[derive(Debug, Default)]
pub struct MetadataChanges {
    /// When they count as written.
    timestamp: Timestamp,
    entries: Mutex<BTreeMap<Box<str>, Option<Value>>>,
}

/// A value that waits to be written.
#[derive(Debug)]
struct Value {
    datatype: Datatype,
    num: u32,
    bytes: Box<[u8]>,
}

impl MetadataChanges {
    /// None yet; what comes counts as written at `timestamp`, in milliseconds.
    pub fn new(timestamp: Timestamp) -> Self {
        Self {
            timestamp,
            entries: Mutex::default(),
        }
    }

    /// Puts `num` values; their bytes are the beginning of `bytes`, and none at all are the empty
    /// value.
    pub fn put(&self, key: &str, datatype: Datatype, bytes: &[u8]) {
        let num = bytes.len() / datatype.size().max(1);
        let value = Value {
            datatype,
            num: u32::try_from(num).unwrap_or(u32::MAX),
            bytes: bytes.into(),
        };
        self.entries.lock().insert(key.into(), Some(value));
    }

    /// Deletes a key, which need not exist.
    pub fn delete(&self, key: &str) {
        self.entries.lock().insert(key.into(), None);
    }

    /// Writes a file below `object` of what there is, and forgets it; no file if there is nothing.
    /// What could not be written stays.
    pub fn write(&self, vfs: &Vfs, object: &Uri, key: Option<&EncryptionKey>) -> Result<()> {
        let mut pending = self.entries.lock();
        if pending.is_empty() {
            return Ok(());
        }
        let entries = pending.iter().map(|(key, value)| MetadataEntry {
            key,
            value: value.as_ref().map(|value| MetadataValue {
                datatype: value.datatype,
                num: value.num,
                bytes: &value.bytes,
            }),
        });
        let at = TimeRange {
            start: self.timestamp,
            end: self.timestamp,
        };
        write_metadata_file(vfs, object, at, entries, key)?;
        pending.clear();
        Ok(())
    }
}
