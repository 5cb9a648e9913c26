//! Metadata of an open array or group: read if it is open for reading, changed if it is open for
//! writing.

use std::sync::Arc;

use crate::platform::lock::OnceValue;

use super::{Metadata, MetadataChanges, MetadataItem, MetadataNames};
use crate::error::{Error, Result};
use crate::types::{Datatype, EncryptionKey, QueryType, TimeRange};
use crate::vfs::{Uri, Vfs};

const GET: &str = "Cannot get metadata;";

/// What an opening has to do with metadata.
#[derive(Debug)]
pub struct OpenMetadata<'a> {
    /// What the array or group is open for.
    pub query_type: QueryType,
    /// What closing it writes.
    pub changes: &'a MetadataChanges,
    /// The storage it lies on.
    pub vfs: &'a Vfs,
    /// Its folder.
    pub object: &'a Uri,
    /// What the opening sees.
    pub timestamps: TimeRange,
    /// Whether the time range ended when the array or group was opened.
    pub until_now: bool,
    /// The names of the metadata files when the array or group was opened.
    pub names: &'a MetadataNames,
    /// Its key.
    pub key: Option<&'a EncryptionKey>,
    /// What it saw, once that was read.
    pub seen: &'a OnceValue<Arc<Metadata>>,
}

impl<'a> OpenMetadata<'a> {
    fn read(&self) -> Result<&'a Metadata> {
        if let Some(seen) = self.seen.get() {
            return Ok(seen);
        }
        let read = Metadata::of_open(self)?;
        Ok(self.seen.get_or_init(|| Arc::new(read)))
    }
}

/// An array or a group: what can be opened and has metadata.
pub trait HoldsMetadata {
    /// How errors call it.
    const NAME: &'static str;

    /// Hands the opening to `body`, `None` if it is closed; it stays as it is until that is done.
    fn with_opening<T>(&self, body: impl FnOnce(Option<OpenMetadata<'_>>) -> T) -> T;

    /// Returns the number of keys that this opening sees. An error if it is not open for reading.
    fn metadata_num(&self) -> Result<u64> {
        read(self, "Cannot get number of metadata;", |metadata| {
            Ok(metadata.len() as u64)
        })
    }

    /// Hands the key `index`, in the order of keys, to `take`. An error if it is not open for
    /// reading, or has no such key.
    fn metadata_at<T>(&self, index: u64, take: impl FnOnce(MetadataItem<'_>) -> T) -> Result<T> {
        read(self, GET, |metadata| {
            let missing = || Error::usage("Metadata", "Cannot get metadata; index out of bounds");
            Ok(take(metadata.at(index).ok_or_else(missing)?))
        })
    }

    /// Hands a key to `take`, `None` if it is not there. An error if it is not open for reading, or
    /// `key` is missing.
    fn metadata_of<T>(
        &self,
        key: Option<&str>,
        take: impl FnOnce(Option<MetadataItem<'_>>) -> T,
    ) -> Result<T> {
        read(self, GET, |metadata| {
            Ok(take(metadata.find(present::<Self>(key, GET)?)))
        })
    }

    /// Puts values under a key when it is closed: as many as `bytes` has. No bytes are the empty
    /// value. An error if it is not open for writing, `key` is missing, or the datatype is that of
    /// anything.
    fn put_metadata(&self, key: Option<&str>, datatype: Datatype, bytes: &[u8]) -> Result<()> {
        const PUT: &str = "Cannot put metadata;";
        change(self, PUT, |changes| {
            let key = present::<Self>(key, PUT)?;
            if datatype == Datatype::Any {
                return Err(refused::<Self>(PUT, "Value type cannot be ANY"));
            }
            changes.put(key, datatype, bytes);
            Ok(())
        })
    }

    /// Deletes a key when it is closed; fine if there is none. An error if it is not open for
    /// writing, or `key` is missing.
    fn delete_metadata(&self, key: Option<&str>) -> Result<()> {
        const DELETE: &str = "Cannot delete metadata.";
        change(self, DELETE, |changes| {
            changes.delete(present::<Self>(key, DELETE)?);
            Ok(())
        })
    }
}

fn read<H: HoldsMetadata + ?Sized, T>(
    of: &H,
    action: &str,
    body: impl FnOnce(&Metadata) -> Result<T>,
) -> Result<T> {
    of.with_opening(|opening| match opening {
        Some(open) if open.query_type == QueryType::Read => body(open.read()?),
        Some(_) => Err(wrong_mode::<H>(action, "read")),
        None => Err(closed::<H>(action)),
    })
}

fn change<H: HoldsMetadata + ?Sized>(
    of: &H,
    action: &str,
    body: impl FnOnce(&MetadataChanges) -> Result<()>,
) -> Result<()> {
    of.with_opening(|opening| match opening {
        Some(open) => match open.query_type {
            QueryType::Write | QueryType::ModifyExclusive => body(open.changes),
            _ => Err(wrong_mode::<H>(action, "write or modify_exclusive")),
        },
        None => Err(closed::<H>(action)),
    })
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
