//! Storage in memory that runs another operation inside one of the storage calls of the first.

use std::collections::BTreeMap;
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tiledb_engine::internal::error::{Error, Result};
use tiledb_engine::internal::types::Timestamp;
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{
    Backend, Entry, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, OpenMode, Source, Uri,
};

type Action = Box<dyn FnOnce() + Send>;

/// The storage. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nested {
    files: Faulty,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The number of calls of each kind.
    kinds: BTreeMap<&'static str, u64>,
    /// Whether the storage has no locks.
    has_no_locks: bool,
    /// The number of calls since the action was set.
    calls: u64,
    /// An action, and the number of the call before which it runs.
    action: Option<(u64, Action)>,
    /// Whether the action is running; its calls are not counted.
    is_running: bool,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "call {}", self.calls)
    }
}

impl Nested {
    /// Returns the underlying storage, which fails on command.
    pub(crate) fn files(&self) -> &Faulty {
        &self.files
    }

    /// Disables the locks of the storage.
    pub(crate) fn drop_locks(&self) {
        self.with(|state| state.has_no_locks = true);
    }

    /// Counts calls by kind while `body` runs.
    pub(crate) fn count(&self, body: impl FnOnce()) -> BTreeMap<&'static str, u64> {
        self.with(|state| state.kinds.clear());
        body();
        self.with(|state| std::mem::take(&mut state.kinds))
    }

    fn counted(&self, kind: &'static str) {
        self.with(|state| *state.kinds.entry(kind).or_default() += 1);
        self.call();
    }

    fn with<T>(&self, body: impl FnOnce(&mut State) -> T) -> T {
        body(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs an action before the call with this number, counted from now.
    pub(crate) fn run_at(&self, call: u64, action: impl FnOnce() + Send + 'static) {
        self.with(|state| {
            state.calls = 0;
            state.action = Some((call, Box::new(action)));
        });
    }

    /// Removes the action if it has not run. Returns whether it has run.
    pub(crate) fn has_run(&self) -> bool {
        self.with(|state| state.action.take().is_none())
    }

    /// Runs the action if it is due. Returns whether it ran.
    fn call(&self) -> bool {
        let action = self.with(|state| {
            if state.is_running {
                return None;
            }
            let number = state.calls;
            state.calls += 1;
            let due = state.action.take_if(|(index, _)| *index == number)?;
            state.is_running = true;
            Some(due.1)
        });
        let Some(action) = action else {
            return false;
        };
        action();
        self.with(|state| state.is_running = false);
        true
    }

    /// Lists a folder with the action in the middle: each name is shown as before or as after the
    /// action. `shows_old` selects the names that are shown as before.
    fn list_around(
        &self,
        uri: &Uri,
        sizes: EntrySizes,
        before: &mut Vec<Entry>,
        shows_old: impl Fn(&str) -> bool,
    ) -> Result<()> {
        if self.call() {
            before.retain(|entry| shows_old(&entry.name));
            let mut after = self.files.list(uri, sizes)?;
            after.retain(|entry| !shows_old(&entry.name));
            before.extend(after);
        }
        Ok(())
    }
}

/// Returns an irregular hash of a name.
fn scatter(name: &str) -> u64 {
    name.bytes().fold(7, |sum, byte| {
        (sum ^ u64::from(byte))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23)
    })
}

impl Backend for Nested {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        self.counted("open");
        Ok(Box::new(NestedSource {
            source: self.files.open(uri)?,
            nested: self.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        self.counted("create");
        Ok(Box::new(NestedSink {
            sink: self.files.create(uri, opening)?,
            nested: self.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.counted("file_size");
        self.files.file_size(uri)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.counted("is_file");
        self.files.is_file(uri)
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.counted("is_dir");
        self.files.is_dir(uri)
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.files.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        self.counted("list");
        let mut entries = self.files.list(uri, sizes)?;
        let middle = entries.get(entries.len() / 2);
        let middle = middle.map_or_else(String::new, |entry| entry.name.clone());
        self.list_around(uri, sizes, &mut entries, |name| name < middle.as_str())?;
        self.list_around(uri, sizes, &mut entries, |name| name >= middle.as_str())?;
        for variant in 0..3 {
            let shows_old = |name: &str| scatter(name) >> variant & 1 == 0;
            self.list_around(uri, sizes, &mut entries, shows_old)?;
        }
        Ok(entries)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.counted("create_dir");
        self.files.create_dir(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.counted("remove_file");
        self.files.remove_file(uri)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.counted("remove_dir");
        self.files.remove_dir(uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.counted("touch");
        self.files.touch(uri)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.counted("rename");
        self.files.rename(from, to)
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.files.sync(uri)
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.counted("publish_file");
        self.files.publish_file(staging, uri, bytes)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.counted("publish_dir");
        self.files.publish_dir(from, to)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.counted("create_new_dir");
        self.files.create_new_dir(uri)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.counted("remove_empty_dir");
        self.files.remove_empty_dir(uri)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.counted("modified");
        self.files.modified(uri)
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.counted("folder_state");
        self.files.folder_state(uri)
    }

    /// The first operation cannot release a lock while the action waits for it; the action fails
    /// instead.
    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        self.counted("try_lock");
        if self.with(|state| state.has_no_locks) {
            return Ok(LockAttempt::Unsupported);
        }
        match self.files.try_lock(uri, mode)? {
            LockAttempt::Busy if self.with(|state| state.is_running) => {
                let kind = ErrorKind::WouldBlock;
                Err(Error::storage("lock", uri.as_str(), kind.into()))
            }
            attempt => Ok(attempt),
        }
    }

    fn pause(&self, _duration: Duration) {}
}

#[derive(Debug)]
struct NestedSource {
    source: Box<dyn Source>,
    nested: Nested,
}

impl Source for NestedSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.nested.counted("read");
        self.source.read_at(offset, to)
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        self.nested.counted("read");
        self.source.read_vectored_at(offset, to)
    }

    fn size(&self) -> Result<u64> {
        self.source.size()
    }
}

#[derive(Debug)]
struct NestedSink {
    sink: Box<dyn FileSink>,
    nested: Nested,
}

impl FileSink for NestedSink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        self.nested.counted("write");
        self.sink.write_vectored(parts)
    }

    fn sync(&mut self) -> Result<()> {
        self.sink.sync()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sink.close()
    }
}
