//! Access to the metadata of an open array or group: it can be read if the object is open for
//! reading, and changed if it is open for writing.

use std::sync::Arc;

use super::super::instant::open_repeatedly;
use super::{Metadata, MetadataChanges, MetadataItem, MetadataNames, OwnedMetadataEntry};
use crate::array::server::ObjectServer;
use crate::error::{Error, MetadataAction, MetadataError, Release, Result};
use crate::platform::lock::OnceValue;
use crate::types::{Datatype, EncryptionKey, QueryType, TimeRange};
use crate::vfs::{Uri, Vfs};

/// The state of an array or group from an open until it is closed: its mode, time range, key and
/// server, and the metadata that it sees. `S` is the kind of server.
#[derive(Debug)]
pub struct Session<S: ?Sized> {
    /// The mode in which the array or group is open.
    pub query_type: QueryType,
    /// The time range of the open.
    pub timestamps: TimeRange,
    /// Whether the time range ended when the array or group was opened.
    pub until_now: bool,
    /// Its encryption key.
    pub key: Option<EncryptionKey>,
    /// The names of the metadata files when the array or group was opened.
    pub metadata_names: Arc<MetadataNames>,
    /// The metadata, once it has been read.
    pub metadata: OnceValue<Arc<Metadata>>,
    /// The server of the array or group, if it has the files.
    pub server: Option<Arc<S>>,
}

impl<S: ?Sized> Session<S> {
    /// Creates a session of an array or group in storage. The names of the metadata files are not
    /// known yet.
    pub fn new(query_type: QueryType, timestamps: TimeRange, key: Option<EncryptionKey>) -> Self {
        Self {
            query_type,
            timestamps,
            until_now: false,
            key,
            metadata_names: Arc::default(),
            metadata: OnceValue::new(),
            server: None,
        }
    }
}

impl<S: ?Sized> Clone for Session<S> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            metadata_names: self.metadata_names.clone(),
            metadata: self.metadata.clone(),
            server: self.server.clone(),
            ..*self
        }
    }
}

impl<S: ObjectServer + ?Sized> Session<S> {
    fn read(&self, (vfs, object): (&Arc<Vfs>, &Uri)) -> Result<&Metadata> {
        let load = || self.load(vfs, object).map(Arc::new);
        Ok(self.metadata.get_or_try_init(load)?)
    }

    /// Loads the metadata that the open object sees. If files have been consolidated and removed
    /// since the open, the consolidated files are read, which may contain newer values; but not if
    /// the time range was set by the caller.
    fn load(&self, vfs: &Arc<Vfs>, object: &Uri) -> Result<Metadata> {
        let (timestamps, key) = (self.timestamps, self.key.as_ref());
        if let Some(server) = &self.server {
            let entries = server.metadata(object, timestamps)?;
            return Ok(Metadata::default().changed_by(&entries));
        }
        let view = &vfs.view();
        match Metadata::read(view, object, &self.metadata_names, timestamps, key) {
            Err(error) if error.is_missing() => {}
            read => return read,
        }
        open_repeatedly(vfs, object, |lock| {
            let names = MetadataNames::list(view, object, lock)?;
            let mut range = timestamps;
            if self.until_now {
                range = names.extend(range);
            }
            Metadata::read(view, object, &names, range, key)
        })
    }
}

/// An array or a group, which can be opened and has metadata.
pub trait WithMetadata {
    /// The name in error messages.
    const NAME: &'static str;

    /// The server of an object of this type.
    type Server: ObjectServer + ?Sized;

    /// Returns its storage and its folder.
    fn location(&self) -> (&Arc<Vfs>, &Uri);

    /// Calls `body` with the state of the open object and the changes that closing it writes, or
    /// `None` if it is closed. The state does not change during the call.
    fn with_session<T>(
        &self,
        body: impl FnOnce(Option<(&Session<Self::Server>, &MetadataChanges)>) -> T,
    ) -> T;

    /// Replaces the metadata that the object sees until it is closed or reopened. Does nothing if
    /// it is closed.
    fn replace_metadata(&self, metadata: Metadata);

    /// Returns the metadata of an object that is open for reading, or the unwritten changes of
    /// another one, in the order of keys. Returns an error if the object is closed.
    fn metadata_entries(&self) -> Result<Vec<OwnedMetadataEntry>> {
        self.with_session(|session| match session {
            Some((open, _)) if open.query_type == QueryType::Read => {
                Ok(open.read(self.location())?.entries())
            }
            Some((_, changes)) => Ok(changes.entries()),
            None => Err(closed::<Self>(MetadataAction::Get)),
        })
    }

    /// Changes the metadata that the object sees, if it is open for reading, or adds to the changes
    /// that closing it writes. Returns an error if the object is closed.
    fn apply_metadata(&self, entries: &[OwnedMetadataEntry]) -> Result<()> {
        let changed = self.with_session(|session| match session {
            Some((open, _)) if open.query_type == QueryType::Read => {
                Ok(Some(open.read(self.location())?.changed_by(entries)))
            }
            Some((_, changes)) => {
                entries.iter().for_each(|entry| changes.apply(entry));
                Ok(None)
            }
            None => Err(closed::<Self>(MetadataAction::Put)),
        })?;
        if let Some(changed) = changed {
            self.replace_metadata(changed);
        }
        Ok(())
    }

    /// Returns the number of keys. Returns an error if the object is not open for reading.
    fn metadata_num(&self) -> Result<u64> {
        read(self, MetadataAction::Count, |metadata| {
            Ok(metadata.len() as u64)
        })
    }

    /// Calls `take` with the item at `index`, in the order of keys. Returns an error if the object
    /// is not open for reading or the index is out of range.
    fn metadata_at<T>(&self, index: u64, take: impl FnOnce(MetadataItem<'_>) -> T) -> Result<T> {
        read(self, MetadataAction::Get, |metadata| {
            Ok(take(metadata.at(index).ok_or_else(|| {
                Error::from(MetadataError::NoItem { index })
            })?))
        })
    }

    /// Calls `take` with the item of a key, or `None` if it does not exist. Returns an error if the
    /// object is not open for reading or `key` is missing.
    fn metadata_of<T>(
        &self,
        key: Option<&str>,
        take: impl FnOnce(Option<MetadataItem<'_>>) -> T,
    ) -> Result<T> {
        read(self, MetadataAction::Get, |metadata| {
            Ok(take(
                metadata.find(present::<Self>(key, MetadataAction::Get)?),
            ))
        })
    }

    /// Puts a value, which is written when the object is closed. The number of elements follows
    /// from the length of `bytes`; no bytes are an empty value. Returns an error if the object is
    /// not open for writing, `key` is missing, the datatype is "any", or there are more elements
    /// than the 32 bits of the file format can count.
    fn put_metadata(&self, key: Option<&str>, datatype: Datatype, bytes: &[u8]) -> Result<()> {
        let action = MetadataAction::Put;
        change(self, action, |changes| {
            let key = present::<Self>(key, action)?;
            if datatype == Datatype::Any {
                let owner = Self::NAME;
                return Err(MetadataError::AnyType { owner, action }.into());
            }
            let number = (bytes.len() / datatype.size()) as u64;
            if number > u64::from(u32::MAX) {
                let key = key.to_owned();
                return Err(MetadataError::TooManyValues { key, number }.into());
            }
            changes.put(key, datatype, bytes);
            Ok(())
        })
    }

    /// Deletes a key, which need not exist; written when the object is closed. Returns an error if
    /// the object is not open for writing or `key` is missing.
    fn delete_metadata(&self, key: Option<&str>) -> Result<()> {
        let action = MetadataAction::Delete;
        change(self, action, |changes| {
            changes.delete(present::<Self>(key, action)?);
            Ok(())
        })
    }
}

fn read<H: WithMetadata + ?Sized, T>(
    object: &H,
    action: MetadataAction,
    body: impl FnOnce(&Metadata) -> Result<T>,
) -> Result<T> {
    object.with_session(|session| match session {
        Some((open, _)) if open.query_type == QueryType::Read => {
            body(open.read(object.location())?)
        }
        Some(_) => Err(wrong_mode::<H>(action, "read")),
        None => Err(closed::<H>(action)),
    })
}

fn change<H: WithMetadata + ?Sized>(
    object: &H,
    action: MetadataAction,
    body: impl FnOnce(&MetadataChanges) -> Result<()>,
) -> Result<()> {
    object.with_session(|session| match session {
        Some((open, changes)) => match open.query_type {
            QueryType::Write | QueryType::ModifyExclusive => body(changes),
            _ => Err(wrong_mode::<H>(action, Release::current().writing_modes())),
        },
        None => Err(closed::<H>(action)),
    })
}

fn present<T: WithMetadata + ?Sized>(key: Option<&str>, action: MetadataAction) -> Result<&str> {
    let owner = T::NAME;
    key.ok_or_else(|| MetadataError::NoKey { owner, action }.into())
}

fn closed<T: WithMetadata + ?Sized>(action: MetadataAction) -> Error {
    let owner = T::NAME;
    MetadataError::NotOpen { owner, action }.into()
}

fn wrong_mode<T: WithMetadata + ?Sized>(action: MetadataAction, modes: &'static str) -> Error {
    let cause = MetadataError::WrongMode {
        owner: T::NAME,
        action,
        modes,
    };
    cause.into()
}
