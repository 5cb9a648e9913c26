//! Metadata of an open array: read where it is open for reading, changed where it is open for writing.

use std::sync::Arc;

use super::super::Array;
use super::{Metadata, MetadataChanges, MetadataItem};
use crate::error::{Error, Result};
use crate::types::{Datatype, QueryType};

const ORIGIN: &str = "Array";
const GET: &str = "Cannot get metadata;";
const CLOSED: &str = "Array is not open";

impl Array {
    /// The metadata that this opening sees, read on first use and kept as long as the array is open. An error where it is
    /// not open for reading.
    pub fn metadata(&self) -> Result<Arc<Metadata>> {
        self.seen_metadata(GET)
    }

    /// The number of keys that this opening sees. An error where the array is not open for reading.
    pub fn metadata_num(&self) -> Result<u64> {
        Ok(self.seen_metadata("Cannot get number of metadata;")?.len() as u64)
    }

    /// Hands the key `index`, in the order of keys, to `read`. An error where the array is not open for reading, or has no
    /// such key.
    pub fn metadata_at<T>(
        &self,
        index: u64,
        read: impl FnOnce(MetadataItem<'_>) -> T,
    ) -> Result<T> {
        let metadata = self.metadata()?;
        let missing = || Error::usage("Metadata", "Cannot get metadata; index out of bounds");
        Ok(read(metadata.at(index).ok_or_else(missing)?))
    }

    /// Hands a key to `read`, `None` where it is not there. An error where the array is not open for reading, or `key` is
    /// missing.
    pub fn metadata_of<T>(
        &self,
        key: Option<&str>,
        read: impl FnOnce(Option<MetadataItem<'_>>) -> T,
    ) -> Result<T> {
        let metadata = self.metadata()?;
        Ok(read(metadata.find(present(key, GET)?)))
    }

    /// Puts values under a key when the array is closed: as many as `bytes` has. No bytes are the empty value. An error
    /// where the array is not open for writing, `key` is missing, or the datatype is that of anything.
    pub fn put_metadata(&self, key: Option<&str>, datatype: Datatype, bytes: &[u8]) -> Result<()> {
        const PUT: &str = "Cannot put metadata;";
        let changes = self.open_changes(PUT)?;
        let key = present(key, PUT)?;
        if datatype == Datatype::Any {
            return Err(refused(PUT, "Value type cannot be ANY"));
        }
        changes.put(key, datatype, bytes);
        Ok(())
    }

    /// Deletes a key when the array is closed; fine where there is none. An error where the array is not open for writing,
    /// or `key` is missing.
    pub fn delete_metadata(&self, key: Option<&str>) -> Result<()> {
        const DELETE: &str = "Cannot delete metadata.";
        let changes = self.open_changes(DELETE)?;
        changes.delete(present(key, DELETE)?);
        Ok(())
    }

    fn seen_metadata(&self, action: &str) -> Result<Arc<Metadata>> {
        let snapshot = self.snapshot().map_err(|_| refused(action, CLOSED))?;
        match snapshot.query_type {
            QueryType::Read => snapshot.metadata(self.vfs()),
            _ => Err(refused(action, "Array was not opened in read mode")),
        }
    }

    fn open_changes(&self, action: &str) -> Result<Arc<MetadataChanges>> {
        let (query_type, changes) = self.changes().ok_or_else(|| refused(action, CLOSED))?;
        match query_type {
            QueryType::Write | QueryType::ModifyExclusive => Ok(changes),
            _ => {
                let why = "Array was not opened in write or modify_exclusive mode";
                Err(refused(action, why))
            }
        }
    }
}

fn present<'a>(key: Option<&'a str>, action: &str) -> Result<&'a str> {
    key.ok_or_else(|| refused(action, "Key cannot be null"))
}

fn refused(action: &str, why: &str) -> Error {
    Error::usage(ORIGIN, format!("{action} {why}"))
}
