//! Metadata of an open array or group: read where it is open for reading, changed where it is open for writing.

use std::sync::Arc;

use super::{Metadata, MetadataChanges, MetadataItem};
use crate::error::{Error, Result};
use crate::types::{Datatype, QueryType};

const GET: &str = "Cannot get metadata;";

/// An array or a group: what can be opened and has metadata.
pub trait HoldsMetadata {
    /// How errors call it.
    const NAME: &'static str;

    /// What it is open for, and what closing it writes; `None` where it is closed.
    fn opening(&self) -> Option<(QueryType, Arc<MetadataChanges>)>;

    /// The metadata that this opening sees, read on first use and kept as long as it is open.
    fn load_metadata(&self) -> Result<Arc<Metadata>>;

    /// The metadata that this opening sees. An error where it is not open for reading.
    fn metadata(&self) -> Result<Arc<Metadata>> {
        seen(self, GET)
    }

    /// The number of keys that this opening sees. An error where it is not open for reading.
    fn metadata_num(&self) -> Result<u64> {
        Ok(seen(self, "Cannot get number of metadata;")?.len() as u64)
    }

    /// Hands the key `index`, in the order of keys, to `read`. An error where it is not open for reading, or has no such
    /// key.
    fn metadata_at<T>(&self, index: u64, read: impl FnOnce(MetadataItem<'_>) -> T) -> Result<T> {
        let metadata = self.metadata()?;
        let missing = || Error::usage("Metadata", "Cannot get metadata; index out of bounds");
        Ok(read(metadata.at(index).ok_or_else(missing)?))
    }

    /// Hands a key to `read`, `None` where it is not there. An error where it is not open for reading, or `key` is missing.
    fn metadata_of<T>(
        &self,
        key: Option<&str>,
        read: impl FnOnce(Option<MetadataItem<'_>>) -> T,
    ) -> Result<T> {
        let metadata = self.metadata()?;
        Ok(read(metadata.find(present::<Self>(key, GET)?)))
    }

    /// Puts values under a key when it is closed: as many as `bytes` has. No bytes are the empty value. An error where it is
    /// not open for writing, `key` is missing, or the datatype is that of anything.
    fn put_metadata(&self, key: Option<&str>, datatype: Datatype, bytes: &[u8]) -> Result<()> {
        const PUT: &str = "Cannot put metadata;";
        let changes = open_changes(self, PUT)?;
        let key = present::<Self>(key, PUT)?;
        if datatype == Datatype::Any {
            return Err(refused::<Self>(PUT, "Value type cannot be ANY"));
        }
        changes.put(key, datatype, bytes);
        Ok(())
    }

    /// Deletes a key when it is closed; fine where there is none. An error where it is not open for writing, or `key` is
    /// missing.
    fn delete_metadata(&self, key: Option<&str>) -> Result<()> {
        const DELETE: &str = "Cannot delete metadata.";
        let changes = open_changes(self, DELETE)?;
        changes.delete(present::<Self>(key, DELETE)?);
        Ok(())
    }
}

fn seen<T: HoldsMetadata + ?Sized>(of: &T, action: &str) -> Result<Arc<Metadata>> {
    match of.opening() {
        Some((QueryType::Read, _)) => of.load_metadata(),
        Some(_) => Err(wrong_mode::<T>(action, "read")),
        None => Err(closed::<T>(action)),
    }
}

fn open_changes<T: HoldsMetadata + ?Sized>(of: &T, action: &str) -> Result<Arc<MetadataChanges>> {
    match of.opening() {
        Some((QueryType::Write | QueryType::ModifyExclusive, changes)) => Ok(changes),
        Some(_) => Err(wrong_mode::<T>(action, "write or modify_exclusive")),
        None => Err(closed::<T>(action)),
    }
}

fn present<'a, T: HoldsMetadata + ?Sized>(key: Option<&'a str>, action: &str) -> Result<&'a str> {
    key.ok_or_else(|| refused::<T>(action, "Key cannot be null"))
}

fn closed<T: HoldsMetadata + ?Sized>(action: &str) -> Error {
    refused::<T>(action, &format!("{} is not open", T::NAME))
}

fn wrong_mode<T: HoldsMetadata + ?Sized>(action: &str, modes: &str) -> Error {
    let why = format!("{} was not opened in {modes} mode", T::NAME);
    refused::<T>(action, &why)
}

fn refused<T: HoldsMetadata + ?Sized>(action: &str, why: &str) -> Error {
    Error::usage(T::NAME, format!("{action} {why}"))
}
