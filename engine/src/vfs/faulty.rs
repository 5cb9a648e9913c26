//! A backend that fails or forgets on command, for tests: it stands before files in memory.
//!
//! It counts what changes storage. From an operation on that a test names it fails, as a full disk does; and it can forget
//! whatever was not synced, as a machine does that loses power. It is in every build so that the tests of other crates can
//! use it; nothing else makes one.

use std::collections::BTreeSet;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;

use crate::lock::Mutex;

use super::backend::{Backend, FolderState, LockAttempt, LockMode, Opening, Sink, Source};
use super::memory::Memory;
use super::{Entry, Uri};
use crate::error::{Error, Result};
use crate::types::Timestamp;

/// A backend that fails or forgets on command. Clones are the same backend.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    storage: Arc<Memory>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    changes: u64,
    fails_from: Option<u64>,
    /// Files with content that was not synced.
    unsynced: BTreeSet<Uri>,
}

impl Faulty {
    /// A backend without a fault yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many operations that change storage there were.
    pub fn changes(&self) -> u64 {
        self.state.lock().changes
    }

    /// Fails all changes from the one with this number on, counted from 0.
    pub fn fail_from(&self, change: u64) {
        self.state.lock().fails_from = Some(change);
    }

    /// Fails no more.
    pub fn heal(&self) {
        self.state.lock().fails_from = None;
    }

    /// Loses the content of every file that was not synced since it was written; the names stay.
    pub fn forget_unsynced(&self) -> Result<()> {
        for uri in std::mem::take(&mut self.state.lock().unsynced) {
            if self.storage.is_file(&uri)? {
                self.storage.create(&uri, Opening::Replace)?;
            }
        }
        Ok(())
    }

    /// Counts a change, and fails it where that is wanted.
    fn change(&self, action: &'static str, uri: &Uri) -> Result<()> {
        let mut state = self.state.lock();
        let number = state.changes;
        state.changes += 1;
        match state.fails_from {
            Some(from) if number >= from => {
                let kind = ErrorKind::StorageFull;
                Err(Error::storage(action, uri.as_str(), kind.into()))
            }
            _ => Ok(()),
        }
    }
}

impl Backend for Faulty {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        self.storage.open(uri)
    }

    fn create(&self, uri: &Uri, opening: Opening) -> Result<Box<dyn Sink>> {
        self.change("open file", uri)?;
        Ok(Box::new(FaultySink {
            sink: self.storage.create(uri, opening)?,
            backend: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.storage.file_size(uri)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.storage.is_file(uri)
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.storage.is_dir(uri)
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.storage.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: bool) -> Result<Vec<Entry>> {
        self.storage.list(uri, sizes)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.change("create directory", uri)?;
        self.storage.create_dir(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.change("delete file", uri)?;
        self.storage.remove_file(uri)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.change("delete directory", uri)?;
        self.storage.remove_dir(uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.change("create file", uri)?;
        self.storage.touch(uri)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.change("move", from)?;
        self.storage.rename(from, to)
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.change("sync", uri)?;
        self.state.lock().unsynced.remove(uri);
        Ok(())
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.change("create file", uri)?;
        self.storage.publish_file(staging, uri, bytes)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.change("move", from)?;
        self.storage.publish_dir(from, to)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.change("create directory", uri)?;
        self.storage.create_new_dir(uri)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.change("delete directory", uri)?;
        self.storage.remove_empty_dir(uri)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.storage.modified(uri)
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.storage.folder_state(uri)
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        self.storage.try_lock(uri, mode)
    }
}

#[derive(Debug)]
struct FaultySink {
    sink: Box<dyn Sink>,
    backend: Faulty,
    uri: Uri,
}

impl Sink for FaultySink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        self.backend.change("write to file", &self.uri)?;
        let unsynced = &mut self.backend.state.lock().unsynced;
        unsynced.insert(self.uri.clone());
        self.sink.write_vectored(parts)
    }

    fn sync(&mut self) -> Result<()> {
        self.backend.sync(&self.uri)
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sink.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::context::Context;
    use crate::vfs::Vfs;

    fn vfs(backend: &Faulty) -> Arc<Vfs> {
        let context = Context::new(Config::new()).expect("context");
        Vfs::with_backend(&context, Arc::new(backend.clone())).expect("vfs")
    }

    #[test]
    fn changes_fail_from_the_one_that_is_named() {
        let backend = Faulty::new();
        let (vfs, uri) = (vfs(&backend), Uri::parse("file:///file").expect("uri"));
        vfs.write_all(&uri, b"abc").expect("no fault yet");
        let needed = backend.changes();
        for change in 0..needed {
            backend.fail_from(backend.changes() + change);
            assert!(vfs.write_all(&uri, b"abc").is_err(), "change {change}");
            backend.heal();
        }
        vfs.write_all(&uri, b"abc").expect("healed");
    }

    #[test]
    fn what_was_not_synced_is_forgotten() {
        let backend = Faulty::new();
        let vfs = vfs(&backend);
        let (kept, lost) = (
            Uri::parse("mem://kept").expect("uri"),
            Uri::parse("mem://lost").expect("uri"),
        );
        vfs.write_all(&kept, b"abc").expect("writes");
        let mut file = vfs.create(&lost).expect("creates");
        file.write(b"abc").expect("writes");
        file.close().expect("closes");
        backend.forget_unsynced().expect("forgets");
        assert_eq!(vfs.read_all(&kept).expect("reads"), b"abc");
        assert_eq!(vfs.read_all(&lost).expect("reads"), b"");
    }
}
