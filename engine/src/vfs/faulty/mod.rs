//! A backend for tests, over files in memory: it fails, loses what was not synced, and lets another
//! operation run between two storage calls.
//!
//! It counts storage calls, those of them that change something, and syncs. A change that a test
//! names fails, as on a full disk, alone or with all after it, as if the process was killed there.
//! On a loss of power it drops contents and names that were not synced. It is part of every build
//! so that the tests of other crates can use it; nothing else creates one.

mod durable;

use std::fmt;
use std::io::{ErrorKind, IoSlice};
use std::sync::Arc;
use std::time::Duration;

use crate::platform::lock::Mutex;

pub use self::durable::Loss;
use self::durable::{Durable, Node};
use super::backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, OpenMode, Source, StagedFile,
};
use super::memory::Memory;
use super::{Entry, Uri};
use crate::error::{Error, Result};
use crate::types::Timestamp;

/// A backend that fails and forgets on command. Clones are the same backend.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    storage: Arc<Memory>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    calls: u64,
    changes: u64,
    syncs: u64,
    rounds: u64,
    /// Whether a round of syncs is running.
    in_round: bool,
    fails: Fails,
    /// An action that runs before the call with this number.
    meanwhile: Option<(u64, Action)>,
    /// Whether it is running.
    interrupted: bool,
    durable: Durable,
}

/// Which changes fail.
#[derive(Clone, Copy, Debug, Default)]
enum Fails {
    #[default]
    None,
    Once(u64),
    From(u64),
}

struct Action(Box<dyn FnOnce() + Send>);

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Action")
    }
}

impl Faulty {
    /// Returns a backend that does not fail.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of storage calls so far.
    pub fn calls(&self) -> u64 {
        self.state.lock().calls
    }

    /// The number of storage calls so far that change something.
    pub fn changes(&self) -> u64 {
        self.state.lock().changes
    }

    /// The number of files and folders that were synced so far.
    pub fn syncs(&self) -> u64 {
        self.state.lock().syncs
    }

    /// The number of rounds of syncs so far. A sync outside of a round is one.
    pub fn rounds(&self) -> u64 {
        self.state.lock().rounds
    }

    /// Fails all changes from the one of this number on, counted from 0.
    pub fn fail_from(&self, change: u64) {
        self.state.lock().fails = Fails::From(change);
    }

    /// Fails the change of this number, counted from 0.
    pub fn fail_once(&self, change: u64) {
        self.state.lock().fails = Fails::Once(change);
    }

    /// Fails no more.
    pub fn heal(&self) {
        self.state.lock().fails = Fails::None;
    }

    /// Runs an action, once, before the storage call of this number, counted from 0. Within it
    /// nothing waits: what another operation holds is not released before it ends.
    pub fn meanwhile(&self, call: u64, action: impl FnOnce() + Send + 'static) {
        self.state.lock().meanwhile = Some((call, Action(Box::new(action))));
    }

    /// The number of contents and changes of names that a loss of power can take, each by itself.
    pub fn undurable(&self) -> usize {
        self.state.lock().durable.undurable()
    }

    /// Makes everything durable.
    pub fn settle(&self) {
        self.state.lock().durable.settle();
    }

    /// Loses what was not synced, or a part of it; what is left is durable.
    pub fn lose_power(&self, loss: Loss) -> Result<()> {
        let tree = self.state.lock().durable.lose(loss);
        self.storage.replace_all(tree)
    }

    /// Counts a storage call, and runs what is to run before it.
    fn call(&self) {
        let action = {
            let mut state = self.state.lock();
            let number = state.calls;
            state.calls += 1;
            let action = state
                .meanwhile
                .take_if(|(operation, _)| *operation == number);
            state.interrupted |= action.is_some();
            action
        };
        if let Some((_, Action(action))) = action {
            action();
            self.state.lock().interrupted = false;
        }
    }

    /// Counts a change, and fails it if that is due.
    fn change(&self, action: &'static str, uri: &Uri) -> Result<()> {
        self.call();
        let mut state = self.state.lock();
        let number = state.changes;
        state.changes += 1;
        let fails = match state.fails {
            Fails::None => false,
            Fails::Once(failing) => number == failing,
            Fails::From(failing) => number >= failing,
        };
        if fails {
            let kind = ErrorKind::StorageFull;
            Err(Error::storage(action, uri.as_str(), kind.into()))
        } else {
            Ok(())
        }
    }

    fn note<T>(&self, body: impl FnOnce(&mut Durable) -> T) -> T {
        body(&mut self.state.lock().durable)
    }

    fn count_sync(&self) {
        let mut state = self.state.lock();
        state.syncs += 1;
        if !state.in_round {
            state.rounds += 1;
        }
    }
}

impl Backend for Faulty {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        self.call();
        self.storage.open(uri)
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        self.change("open file", uri)?;
        let sink = self.storage.create(uri, opening)?;
        let keeps = opening == OpenMode::Append;
        Ok(Box::new(FaultySink {
            sink,
            backend: self.clone(),
            node: self.note(|durable| durable.open_file(uri.path(), keeps)),
            uri: uri.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.call();
        self.storage.file_size(uri)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.call();
        self.storage.is_file(uri)
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.call();
        self.storage.is_dir(uri)
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.call();
        self.storage.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        self.call();
        self.storage.list(uri, sizes)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.change("create directory", uri)?;
        self.storage.create_dir(uri)?;
        self.note(|durable| durable.create_dir(uri.path()));
        Ok(())
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.change("delete file", uri)?;
        self.storage.remove_file(uri)?;
        self.note(|durable| durable.remove_file(uri.path()));
        Ok(())
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.change("delete directory", uri)?;
        self.storage.remove_dir(uri)?;
        self.note(|durable| durable.remove_dir(uri.path()));
        Ok(())
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.change("create file", uri)?;
        self.storage.touch(uri)?;
        self.note(|durable| {
            let node = durable.open_file(uri.path(), true);
            durable.sync_node(node);
        });
        Ok(())
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.change("move", from)?;
        self.storage.rename(from, to)?;
        self.note(|durable| durable.rename(from.path(), to.path()));
        Ok(())
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.change("sync", uri)?;
        self.count_sync();
        self.note(|durable| durable.sync(uri.path()));
        Ok(())
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.change("create file", uri)?;
        self.storage.publish_file(staging, uri, bytes)?;
        if !bytes.is_empty() {
            self.count_sync();
        }
        self.note(|durable| durable.publish_file(uri.path(), bytes));
        Ok(())
    }

    fn stage_file<'a>(
        &'a self,
        staging: &Uri,
        uri: &Uri,
        bytes: &'a [u8],
    ) -> Result<Option<Box<dyn StagedFile + 'a>>> {
        self.change("create file", uri)?;
        if let Some(folder) = uri.parent()
            && !self.storage.is_dir(&folder)?
        {
            let kind = ErrorKind::NotFound;
            return Err(Error::storage("create file", uri.as_str(), kind.into()));
        }
        Ok(Some(Box::new(FaultyStaged {
            backend: self,
            staging: staging.clone(),
            uri: uri.clone(),
            bytes,
            synced: bytes.is_empty(),
            node: None,
        })))
    }

    fn sync_round(&self, count: usize, body: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        {
            let mut state = self.state.lock();
            state.in_round = true;
            state.rounds += u64::from(count > 0);
        }
        let synced = (0..count).try_for_each(body);
        self.state.lock().in_round = false;
        synced
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.change("move", from)?;
        let moved = self.storage.publish_dir(from, to)?;
        if moved {
            self.note(|durable| durable.rename(from.path(), to.path()));
        }
        Ok(moved)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.change("create directory", uri)?;
        let created = self.storage.create_new_dir(uri)?;
        if created {
            self.note(|durable| durable.create_dir(uri.path()));
        }
        Ok(created)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.change("delete directory", uri)?;
        let removed = self.storage.remove_empty_dir(uri)?;
        if removed {
            self.note(|durable| durable.remove_file(uri.path()));
        }
        Ok(removed)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.call();
        self.storage.modified(uri)
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.call();
        self.storage.folder_state(uri)
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        self.call();
        self.storage.try_lock(uri, mode)
    }

    fn pause(&self, duration: Duration) {
        if !self.state.lock().interrupted {
            std::thread::sleep(duration);
        }
    }
}

#[derive(Debug)]
struct FaultyStaged<'a> {
    backend: &'a Faulty,
    staging: Uri,
    uri: Uri,
    bytes: &'a [u8],
    synced: bool,
    /// The file, once it has its name.
    node: Option<Node>,
}

impl StagedFile for FaultyStaged<'_> {
    fn sync(&mut self) -> Result<()> {
        self.backend.change("sync", &self.uri)?;
        self.backend.count_sync();
        self.synced = true;
        if let Some(node) = self.node {
            self.backend.note(|durable| durable.sync_node(node));
        }
        Ok(())
    }

    fn publish(&mut self) -> Result<()> {
        self.backend.change("create file", &self.uri)?;
        let storage = &self.backend.storage;
        storage.publish_file(&self.staging, &self.uri, self.bytes)?;
        self.node = Some(self.backend.note(|durable| {
            let node = durable.open_file(self.uri.path(), false);
            durable.append(node, self.bytes);
            if self.synced {
                durable.sync_node(node);
            }
            node
        }));
        Ok(())
    }
}

#[derive(Debug)]
struct FaultySink {
    sink: Box<dyn FileSink>,
    backend: Faulty,
    node: Node,
    uri: Uri,
}

impl FileSink for FaultySink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        self.backend.change("write to file", &self.uri)?;
        self.backend.note(|durable| {
            for part in &*parts {
                durable.append(self.node, part);
            }
        });
        self.sink.write_vectored(parts)
    }

    fn sync(&mut self) -> Result<()> {
        self.backend.change("sync", &self.uri)?;
        self.backend.count_sync();
        self.backend.note(|durable| durable.sync_node(self.node));
        Ok(())
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
    fn one_change_fails_alone() {
        let backend = Faulty::new();
        let (vfs, uri) = (vfs(&backend), Uri::parse("mem://folder").expect("uri"));
        backend.fail_once(backend.changes() + 1);
        vfs.create_dir(&uri).expect("the first");
        assert!(vfs.create_dir(&uri.join("x")).is_err());
        vfs.create_dir(&uri.join("x")).expect("the third");
    }

    #[test]
    fn an_action_runs_once_before_the_call_that_is_named() {
        let backend = Faulty::new();
        let (vfs, uri) = (vfs(&backend), Uri::parse("mem://folder").expect("uri"));
        vfs.create_dir(&uri).expect("creates");
        let other = (vfs.clone(), uri.join("y"));
        backend.meanwhile(backend.calls() + 1, move || {
            other.0.create_dir(&other.1).expect("creates");
        });
        for expected in [0, 1, 1] {
            assert_eq!(vfs.list(&uri).expect("lists").len(), expected);
        }
    }

    /// Names below a folder, each with its content.
    fn found(vfs: &Vfs, folder: &Uri) -> Vec<String> {
        let mut found = Vec::new();
        let mut visit = |uri: &Uri, entry: &Entry| {
            let name = uri.as_str().strip_prefix(folder.as_str()).expect("below");
            found.push(match entry.kind {
                crate::vfs::EntryKind::Directory => name.to_owned(),
                crate::vfs::EntryKind::File => {
                    let bytes = vfs.read_all(uri).expect("reads");
                    format!("{name}={}", String::from_utf8(bytes).expect("text"))
                }
            });
            Ok(std::ops::ControlFlow::Continue(()))
        };
        vfs.walk(folder, &mut visit).expect("walks");
        found
    }

    #[test]
    fn names_are_lost_unless_their_folder_was_synced() {
        let setup = || {
            let backend = Faulty::new();
            let vfs = vfs(&backend);
            let root = Uri::parse("mem://root").expect("uri");
            vfs.ensure_dir(&root).expect("creates");
            for name in ["kept", "removed", "moved"] {
                vfs.publish_file(&root, &root.join(name), b"1")
                    .expect("writes");
            }
            vfs.ensure_dir(&root.join("folder")).expect("creates");
            assert_eq!(backend.undurable(), 0);
            vfs.remove_file(&root.join("removed")).expect("removes");
            vfs.rename("move", &root.join("moved"), &root.join("folder/new"))
                .expect("moves");
            vfs.write_all(&root.join("folder/other"), b"2")
                .expect("writes");
            let mut file = vfs.create(&root.join("kept")).expect("opens");
            file.write(b"22").expect("writes");
            file.close().expect("closes");
            (backend, vfs, root)
        };
        let states = |loss| {
            let (backend, vfs, root) = setup();
            assert_eq!(backend.undurable(), 4);
            backend.lose_power(loss).expect("loses");
            assert_eq!(backend.undurable(), 0);
            found(&vfs, &root)
        };
        assert_eq!(
            states(Loss::Everything),
            ["/folder", "/kept=1", "/moved=1", "/removed=1"]
        );
        let all = ["/folder", "/folder/new=1", "/folder/other=2", "/kept=22"];
        let one = |index: usize| states(Loss::One(index));
        assert_eq!(
            one(0),
            ["/folder", "/folder/new=1", "/folder/other=2", "/kept=1"]
        );
        assert_eq!(one(1), [&all[..], &["/removed=1"]].concat());
        assert_eq!(
            one(2),
            ["/folder", "/folder/other=2", "/kept=22", "/moved=1"]
        );
        assert_eq!(one(3), ["/folder", "/folder/new=1", "/kept=22"]);
        let (backend, vfs, root) = setup();
        vfs.sync(&root.join("folder")).expect("syncs");
        backend.lose_power(Loss::Everything).expect("loses");
        assert_eq!(
            found(&vfs, &root),
            [
                "/folder",
                "/folder/new=1",
                "/folder/other=2",
                "/kept=1",
                "/removed=1"
            ]
        );
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
        backend.lose_power(Loss::Contents).expect("loses");
        assert_eq!(vfs.read_all(&kept).expect("reads"), b"abc");
        assert_eq!(vfs.read_all(&lost).expect("reads"), b"");
    }
}
