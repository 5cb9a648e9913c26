//! Runs operations one storage call at a time in a given order, by means of a backend that stops at
//! each call.

use std::collections::HashMap;
use std::fmt;
use std::io::{IoSlice, IoSliceMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::types::Timestamp;
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{
    Backend, Entry, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, OpenMode, Source, Uri,
};

use crate::access::Access;

/// Decides which thread makes its next call.
pub(crate) trait Chooser: Send {
    /// Returns one of the threads in `enabled`. `pending` contains the next call of each unfinished
    /// thread; `last` is the thread that made the previous call.
    fn choose(&mut self, enabled: &[usize], pending: &[Option<Access>], last: usize) -> usize;
}

/// A call that was made.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) thread: usize,
    pub(crate) access: Access,
}

/// The calls of a run.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Event>,
    /// Whether no thread could continue although not all were finished.
    pub(crate) is_deadlocked: bool,
}

/// The threads of a run, of which one at a time makes a storage call.
pub(crate) struct Scheduler {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    threads: Vec<Thread>,
    running: Option<usize>,
    last: usize,
    chooser: Box<dyn Chooser>,
    events: Vec<Event>,
    locks: HashMap<String, Held>,
    /// The number of changes of names in each folder.
    folder_changes: HashMap<String, u64>,
    is_deadlocked: bool,
}

enum Thread {
    Running,
    /// Waits for its turn. A paused thread continues after the call with this number.
    Waiting(Access, usize),
    Finished,
}

#[derive(Clone, Copy, Default)]
struct Held {
    shared: usize,
    exclusive: bool,
}

impl Held {
    fn admits(self, mode: LockMode) -> bool {
        match mode {
            LockMode::Shared => !self.exclusive,
            LockMode::Exclusive => !self.exclusive && self.shared == 0,
        }
    }

    fn change(&mut self, mode: LockMode, is_held: bool) {
        match mode {
            LockMode::Exclusive => self.exclusive = is_held,
            LockMode::Shared if is_held => self.shared += 1,
            LockMode::Shared => self.shared -= 1,
        }
    }
}

impl Scheduler {
    pub(crate) fn new(threads: usize, chooser: Box<dyn Chooser>) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                threads: (0..threads).map(|_| Thread::Running).collect(),
                running: None,
                last: 0,
                chooser,
                events: Vec::new(),
                locks: HashMap::new(),
                folder_changes: HashMap::new(),
                is_deadlocked: false,
            }),
            changed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is a thread's turn to make a call. Returns the number of previous calls.
    pub(crate) fn turn(&self, thread: usize, access: Access) -> usize {
        let mut state = self.state();
        let made = state.events.len();
        state.threads[thread] = Thread::Waiting(access, made);
        state.leave(thread);
        self.changed.notify_all();
        while state.running != Some(thread) && !state.is_deadlocked {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.threads[thread] = Thread::Running;
        state.events.len().saturating_sub(1)
    }

    /// Ends a thread. Returns the number of previous calls.
    pub(crate) fn finish(&self, thread: usize) -> usize {
        let mut state = self.state();
        state.threads[thread] = Thread::Finished;
        state.leave(thread);
        self.changed.notify_all();
        state.events.len()
    }

    pub(crate) fn take_trace(&self) -> Trace {
        let mut state = self.state();
        Trace {
            events: std::mem::take(&mut state.events),
            is_deadlocked: state.is_deadlocked,
        }
    }

    fn release(&self, folder: &str, mode: LockMode) {
        if let Some(held) = self.state().locks.get_mut(folder) {
            held.change(mode, false);
        }
    }

    fn folder_changes(&self, folder: &str) -> u64 {
        self.state()
            .folder_changes
            .get(folder)
            .copied()
            .unwrap_or(0)
    }
}

impl State {
    fn leave(&mut self, thread: usize) {
        if self.running == Some(thread) {
            self.running = None;
        }
        let is_running = |thread: &Thread| matches!(thread, Thread::Running);
        if self.running.is_none() && !self.threads.iter().any(is_running) {
            self.next();
        }
    }

    /// Lets the next thread make its call.
    fn next(&mut self) {
        let threads = 0..self.threads.len();
        let mut enabled: Vec<usize> = threads
            .clone()
            .filter(|index| self.is_enabled(*index))
            .collect();
        if enabled.is_empty() {
            let waits = |index: &usize| self.paused(*index).is_some();
            enabled = threads.filter(waits).collect();
        }
        if enabled.is_empty() {
            let is_finished = |thread: &Thread| matches!(thread, Thread::Finished);
            self.is_deadlocked = !self.threads.iter().all(is_finished);
            return;
        }
        let pending: Vec<_> = self
            .threads
            .iter()
            .map(|thread| match thread {
                Thread::Waiting(access, _) => Some(access.clone()),
                _ => None,
            })
            .collect();
        let thread = self.chooser.choose(&enabled, &pending, self.last);
        let Some(access) = pending[thread].clone() else {
            unreachable!("only waiting threads are enabled");
        };
        if let Some((folder, mode)) = access.lock() {
            let held = self.locks.entry(folder.to_owned()).or_default();
            held.change(mode, true);
        }
        for folder in access.changed_folders() {
            *self.folder_changes.entry(folder.to_owned()).or_default() += 1;
        }
        self.events.push(Event { thread, access });
        self.running = Some(thread);
        self.last = thread;
    }

    /// Returns the number of calls made before a thread paused.
    fn paused(&self, thread: usize) -> Option<usize> {
        match &self.threads[thread] {
            Thread::Waiting(access, made) if access.is_pause => Some(*made),
            _ => None,
        }
    }

    fn is_enabled(&self, thread: usize) -> bool {
        let Thread::Waiting(access, made) = &self.threads[thread] else {
            return false;
        };
        if let Some((folder, mode)) = access.lock() {
            let held = self.locks.get(folder).copied().unwrap_or_default();
            return held.admits(mode);
        }
        // A pause ends after a call of another thread.
        !access.is_pause || self.events.len() > *made
    }
}

/// The storage as one thread of a run sees it.
#[derive(Clone)]
pub(crate) struct Scheduled {
    pub(crate) storage: Faulty,
    pub(crate) scheduler: Arc<Scheduler>,
    pub(crate) thread: usize,
    /// Whether the storage reports the states of folders.
    pub(crate) has_folder_states: bool,
    pub(crate) has_locks: bool,
}

impl fmt::Debug for Scheduled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Scheduled {{ thread: {} }}", self.thread)
    }
}

impl Scheduled {
    fn turn(&self, access: Access) {
        self.scheduler.turn(self.thread, access);
    }
}

impl Backend for Scheduled {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        self.turn(Access::reads("open", uri));
        Ok(Box::new(ScheduledSource {
            source: self.storage.open(uri)?,
            storage: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        self.turn(Access::writes("create", uri));
        Ok(Box::new(ScheduledSink {
            sink: self.storage.create(uri, opening)?,
            storage: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.turn(Access::reads("file_size", uri));
        self.storage.file_size(uri)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.turn(Access::reads("is_file", uri));
        self.storage.is_file(uri)
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.turn(Access::reads("is_dir", uri));
        self.storage.is_dir(uri)
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.turn(Access::reads("is_same", one));
        self.storage.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        self.turn(Access::lists("list", uri));
        self.storage.list(uri, sizes)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.turn(Access::writes("create_dir", uri));
        self.storage.create_dir(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.turn(Access::writes("remove_file", uri));
        self.storage.remove_file(uri)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.turn(Access::writes_tree("remove_dir", uri));
        self.storage.remove_dir(uri)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.turn(Access::writes("remove_empty_dir", uri));
        self.storage.remove_empty_dir(uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.turn(Access::writes("touch", uri));
        self.storage.touch(uri)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.turn(Access::moves("rename", from, to));
        self.storage.rename(from, to)
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.turn(Access::private("sync", uri));
        self.storage.sync(uri)
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.turn(Access::writes("publish_file", uri));
        self.storage.publish_file(staging, uri, bytes)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.turn(Access::moves("publish_dir", from, to));
        self.storage.publish_dir(from, to)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.turn(Access::writes("create_new_dir", uri));
        self.storage.create_new_dir(uri)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.turn(Access::reads("modified", uri));
        self.storage.modified(uri)
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.turn(Access::lists("folder_state", uri));
        if !self.has_folder_states {
            return Ok(None);
        }
        let folder = uri.path().trim_end_matches('/');
        let changes = self.scheduler.folder_changes(folder);
        // A missing folder has no state.
        let exists = self.storage.is_dir(uri)?;
        Ok(exists.then(|| FolderState(u128::from(changes))))
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        if !self.has_locks {
            return Ok(LockAttempt::Unsupported);
        }
        let access = Access::locks(uri, mode);
        let folder = access.uri.clone();
        self.turn(access);
        match self.storage.try_lock(uri, mode) {
            Ok(LockAttempt::Locked(held)) => Ok(LockAttempt::Locked(Box::new(ScheduledLock {
                held: Some(held),
                storage: self.clone(),
                uri: uri.clone(),
                folder,
                mode,
            }))),
            refused => {
                self.scheduler.release(&folder, mode);
                refused
            }
        }
    }

    fn pause(&self, _duration: Duration) {
        let root = Uri::parse("mem://").expect("uri");
        self.turn(Access::pause(&root));
    }
}

/// A lock on a folder.
#[derive(Debug)]
struct ScheduledLock {
    held: Option<Box<dyn fmt::Debug + Send + Sync>>,
    storage: Scheduled,
    uri: Uri,
    folder: String,
    mode: LockMode,
}

impl Drop for ScheduledLock {
    fn drop(&mut self) {
        self.storage.turn(Access::private("unlock", &self.uri));
        drop(self.held.take());
        self.storage.scheduler.release(&self.folder, self.mode);
    }
}

#[derive(Debug)]
struct ScheduledSource {
    source: Box<dyn Source>,
    storage: Scheduled,
    uri: Uri,
}

// Names are never reused, so an open file never changes: reading it conflicts with nothing.
impl Source for ScheduledSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.storage.turn(Access::private("read", &self.uri));
        self.source.read_at(offset, to)
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        self.storage.turn(Access::private("read", &self.uri));
        self.source.read_vectored_at(offset, to)
    }

    fn size(&self) -> Result<u64> {
        self.storage.turn(Access::private("size", &self.uri));
        self.source.size()
    }
}

#[derive(Debug)]
struct ScheduledSink {
    sink: Box<dyn FileSink>,
    storage: Scheduled,
    uri: Uri,
}

impl FileSink for ScheduledSink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        self.storage.turn(Access::fills("write", &self.uri));
        self.sink.write_vectored(parts)
    }

    fn sync(&mut self) -> Result<()> {
        self.storage.turn(Access::private("sync", &self.uri));
        self.sink.sync()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sink.close()
    }
}
