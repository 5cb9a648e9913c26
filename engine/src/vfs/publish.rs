//! Changes that other processes see at once: files and folders that appear complete, durable names,
//! locks on folders; and reads of files that another process writes under their final names, as
//! libtiledb does on local file systems. `docs/commit-protocol.md` states the rules.

use std::fmt::Debug;
use std::time::Duration;

use super::backend::{FolderState, LockAttempt, LockMode};
use super::vfs::{Vfs, WriteFile};
use super::{Scheme, Uri};
use crate::error::{Error, Result};
use crate::platform::lock::Mutex;
use crate::types::{Timestamp, now};

/// The age in milliseconds below which a damaged file may be one that a process is writing.
const WRITTEN_FOR: Timestamp = 2000;

/// Increasing pauses between attempts, up to a total.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    next: Duration,
    longest: Duration,
    waited: Duration,
    limit: Duration,
}

impl Backoff {
    /// Pauses between attempts to see one state of an object that other processes change.
    pub const CHANGING: Self = Self::new(
        Duration::from_millis(1),
        Duration::from_millis(50),
        Duration::from_secs(60),
    );
    /// Pauses between attempts to take a lock: up to a minute, as the error states. Locks are held
    /// while names change, not while cells are read or written.
    const LOCK: Self = Self::new(
        Duration::from_micros(200),
        Duration::from_millis(20),
        Duration::from_secs(60),
    );
    /// Pauses between reads of an incomplete file: 1, 2, 4, ... 32 ms. Writing a small file takes
    /// less than a millisecond, unless its process has to wait for a CPU.
    pub(super) const GROWING: Self = Self::new(
        Duration::from_millis(1),
        Duration::from_millis(32),
        Duration::from_millis(63),
    );

    /// Each pause is twice as long as the one before, and at most `longest`.
    const fn new(first: Duration, longest: Duration, limit: Duration) -> Self {
        Self {
            next: first,
            longest,
            waited: Duration::ZERO,
            limit,
        }
    }

    /// Returns whether the pauses have reached their total.
    pub fn is_over(&self) -> bool {
        self.waited >= self.limit
    }

    /// Pauses before the next attempt to use the object at `uri`.
    pub fn pause(&mut self, vfs: &Vfs, uri: &Uri) -> Result<()> {
        vfs.pause(uri, self.next)?;
        self.waited += self.next;
        self.next = (self.next * 2).min(self.longest);
        Ok(())
    }
}

/// A lock on a folder, released on drop. On storage without locks it holds nothing.
#[derive(Debug, Default)]
pub struct FolderLock {
    backend_lock: Option<Box<dyn Debug + Send + Sync>>,
}

impl FolderLock {
    /// Returns whether it excludes others; on storage without locks it does not.
    pub fn is_held(&self) -> bool {
        self.backend_lock.is_some()
    }
}

/// A file to be created.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// Its name, which must be new.
    pub uri: &'a Uri,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Returns the folders of files, each once.
fn folders_of(files: &[NewFile<'_>]) -> Vec<Uri> {
    let mut folders: Vec<Uri> = files.iter().filter_map(|file| file.uri.parent()).collect();
    folders.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    folders.dedup();
    folders
}

impl Vfs {
    /// Creates a file of these bytes in one step, durable when the call returns: after a crash it
    /// is complete or does not exist. Missing folders are created. `object` is the folder of the
    /// array or group that the file belongs to, where a temporary file may be left by a crash on
    /// storage that needs one. The name must be new.
    pub fn publish_file(&self, object: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.publish_files(object, &[], &[NewFile { uri, bytes }])
    }

    /// Creates a file as [`Self::publish_file`] does, unless `check` fails, which is called before
    /// the file gets its name. Where unnamed files exist, the file appears in the folder that was
    /// at its path before `check`, even if that was moved or removed and another one is there.
    pub fn publish_file_if(
        &self,
        object: &Uri,
        uri: &Uri,
        bytes: &[u8],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        self.publish_checked(object, &[], &[NewFile { uri, bytes }], check)
    }

    /// Creates multiple files, each as by [`Self::publish_file`], in two rounds of syncs. `files`
    /// appear in their order, after everything else is durable: the contents, and the names of
    /// `unreferenced`, which no reader looks up before one of `files` refers to them.
    pub fn publish_files(
        &self,
        object: &Uri,
        unreferenced: &[NewFile<'_>],
        files: &[NewFile<'_>],
    ) -> Result<()> {
        self.publish_checked(object, unreferenced, files, &|| Ok(()))
    }

    fn publish_checked(
        &self,
        object: &Uri,
        unreferenced: &[NewFile<'_>],
        files: &[NewFile<'_>],
        check: &dyn Fn() -> Result<()>,
    ) -> Result<()> {
        let all = || unreferenced.iter().chain(files);
        let Some(first) = all().next() else {
            return Ok(());
        };
        let mut staged = Vec::new();
        for file in all() {
            match self.with_folder_of(file.uri, || {
                self.run("write", file.uri, |backend| {
                    backend.stage_file(object, file.uri, file.bytes)
                })
            })? {
                Some(new) => staged.push(Mutex::new(new)),
                None => {
                    check()?;
                    return all().try_for_each(|file| self.publish_unstaged(object, *file));
                }
            }
            self.count_write(file.bytes.len());
        }
        for file in staged.iter_mut().take(unreferenced.len()) {
            file.get_mut().publish()?;
        }
        let folders = folders_of(unreferenced);
        let has_content =
            |index: &usize| all().nth(*index).is_some_and(|new| !new.bytes.is_empty());
        let contents: Vec<usize> = (0..staged.len()).filter(has_content).collect();
        let count = contents.len() + folders.len();
        self.sync_round(first.uri, count, |index| match contents.get(index) {
            Some(file) => staged[*file].lock().sync(),
            None => self.sync(&folders[index - contents.len()]),
        })?;
        check()?;
        let mut named = 0;
        let published = staged
            .iter_mut()
            .skip(unreferenced.len())
            .try_for_each(|file| {
                file.get_mut().publish()?;
                named += 1;
                Ok(())
            });
        let durable = published.and_then(|()| self.sync_all(&folders_of(files)));
        durable.inspect_err(|_| {
            // A failed call leaves nothing; the first error is reported.
            for file in files.iter().take(named).rev() {
                let _ = self.remove_file(file.uri);
            }
        })
    }

    /// Creates a file on storage that cannot name a file later.
    fn publish_unstaged(&self, object: &Uri, file: NewFile<'_>) -> Result<()> {
        self.count_write(file.bytes.len());
        self.with_folder_of(file.uri, || {
            self.run("write", file.uri, |backend| {
                backend.publish_file(object, file.uri, file.bytes)
            })
        })?;
        self.sync_name(file.uri).inspect_err(|_| {
            // A failed call leaves nothing; the first error is reported.
            let _ = self.remove_file(file.uri);
        })
    }

    /// Runs an operation that creates a file. If its folder is missing, creates the folder and runs
    /// the operation again.
    fn with_folder_of<T>(&self, uri: &Uri, create: impl Fn() -> Result<T>) -> Result<T> {
        match create() {
            Err(error) if error.is_missing_file() => {
                self.ensure_dir(&uri.parent().ok_or(error)?)?;
                create()
            }
            created => created,
        }
    }

    /// Writes files into folders that no other process accesses, such as one with a temporary name,
    /// and syncs them, their folders and the closed files and folders `others`, in one round. On a
    /// file system, that takes fewer steps than [`Self::publish_files`], since the files may exist
    /// incomplete.
    pub fn write_hidden_files(
        &self,
        object: &Uri,
        files: &[NewFile<'_>],
        others: &[Uri],
    ) -> Result<()> {
        let Some(first) = files.first().map(|file| file.uri) else {
            return Ok(());
        };
        if self.is_object_store(first) {
            return files
                .iter()
                .try_for_each(|file| self.publish_file(object, file.uri, file.bytes));
        }
        let mut written = Vec::new();
        for file in files {
            let mut new = self.create(file.uri)?;
            new.write(file.bytes)?;
            written.push(Mutex::new(Some(new)));
        }
        let mut folders = folders_of(files);
        folders.extend_from_slice(others);
        self.sync_files_and_folders(first, &written, &folders)
    }

    /// Syncs and closes files, and syncs folders, in one round.
    pub fn sync_files_and_folders(
        &self,
        storage: &Uri,
        files: &[Mutex<Option<WriteFile>>],
        folders: &[Uri],
    ) -> Result<()> {
        self.sync_round(storage, files.len() + folders.len(), |index| {
            let Some(file) = files.get(index) else {
                return self.sync(&folders[index - files.len()]);
            };
            // A file that fails stays, so that the round can repeat it.
            let mut file = file.lock();
            if let Some(open) = &mut *file {
                open.sync()?;
            }
            file.take().map_or(Ok(()), WriteFile::close)
        })
    }

    /// Makes the contents of closed files and the names in folders durable, in one round.
    pub fn sync_all(&self, uris: &[Uri]) -> Result<()> {
        let Some(first) = uris.first() else {
            return Ok(());
        };
        self.sync_round(first, uris.len(), |index| self.sync(&uris[index]))
    }

    /// Calls `body` for each index below `count`, at once whatever the number of CPUs. Each call
    /// syncs files or folders of the storage of `uri`, whose order does not matter. The first error
    /// ends the round, and so does a cancellation.
    fn sync_round(
        &self,
        uri: &Uri,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        if self.is_object_store(uri) {
            return self.for_each(uri, count, body);
        }
        let backend = self.backend(uri)?;
        backend.sync_round(count, &self.context.checked(body)?)
    }

    /// Renames a folder to a name at which nothing or an empty folder exists, in one step, durable
    /// when the call returns. Returns `false`, and moves nothing, if something else exists there.
    pub fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        let moved = self.publish_dir_unsynced(from, to)?;
        if moved {
            let mut folders: Vec<Uri> = [to, from].into_iter().filter_map(Uri::parent).collect();
            folders.dedup_by(|one, other| one.as_str() == other.as_str());
            self.sync_all(&folders).inspect_err(|_| {
                // A failed call moves nothing; the first error is reported.
                let _ = self.publish_dir_unsynced(to, from);
            })?;
        }
        Ok(moved)
    }

    /// Renames a folder as [`Self::publish_dir`] does. The name is durable once the folders above
    /// `from` and `to` are synced.
    pub fn publish_dir_unsynced(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.run("move", from, |backend| backend.publish_dir(from, to))
    }

    /// Creates a folder in an existing one. Returns `false` if something exists at `uri`: of
    /// several callers one creates it. The name is durable once the folder above is synced.
    pub fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.run("create_dir", uri, |backend| backend.create_new_dir(uri))
    }

    /// Creates a folder, and those above it that are missing. Returns `false` if something exists
    /// at `uri`. The names of the folders above are durable when the call returns; that of the
    /// folder itself once the one above is synced.
    pub fn create_dir_unsynced(&self, uri: &Uri) -> Result<bool> {
        match self.create_new_dir(uri) {
            Err(error) if error.is_missing_file() => {
                self.ensure_dir(&uri.parent().ok_or(error)?)?;
                self.create_new_dir(uri)
            }
            created => created,
        }
    }

    /// Creates a folder and those above it that are missing; their names are durable when the call
    /// returns.
    pub fn ensure_dir(&self, uri: &Uri) -> Result<()> {
        if self.create_dir_unsynced(uri)? {
            self.sync_name(uri)
        } else {
            Ok(())
        }
    }

    /// Removes a folder if it is empty. Returns `false` if it holds something or does not exist.
    pub fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        match self.run("remove_dir", uri, |backend| backend.remove_empty_dir(uri)) {
            Err(error) if error.is_missing_file() => Ok(false),
            removed => removed,
        }
    }

    /// Makes the name of a file or folder durable.
    pub fn sync_name(&self, uri: &Uri) -> Result<()> {
        match uri.parent() {
            Some(folder) => self.sync(&folder),
            None => Ok(()),
        }
    }

    /// Returns the time of the last change of a file in milliseconds since 1970.
    pub fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.backend(uri)?.modified(uri)
    }

    /// Returns an identifier of the state of the entries of a folder: while it is equal, none was
    /// added, removed or renamed. `None` if the storage cannot determine it, for example shortly
    /// after a change.
    pub fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.backend(uri)?.folder_state(uri)
    }

    /// Attempts to take an advisory lock on a folder without waiting. `None` if a conflicting one
    /// is held. On storage without locks every attempt succeeds.
    pub fn try_lock(&self, folder: &Uri, mode: LockMode) -> Result<Option<FolderLock>> {
        let attempt = self.run("lock", folder, |backend| backend.try_lock(folder, mode))?;
        Ok(match attempt {
            LockAttempt::Locked(backend_lock) => Some(FolderLock {
                backend_lock: Some(backend_lock),
            }),
            LockAttempt::Unsupported => Some(FolderLock { backend_lock: None }),
            LockAttempt::Busy => None,
        })
    }

    /// Runs an operation under the exclusive lock of a folder. Returns `None`, and does not run it,
    /// if the folder is locked or does not exist.
    pub fn if_unlocked<T>(
        &self,
        folder: &Uri,
        body: impl FnOnce() -> Result<T>,
    ) -> Result<Option<T>> {
        match self.try_lock(folder, LockMode::Exclusive) {
            Ok(Some(_lock)) => body().map(Some),
            Ok(None) => Ok(None),
            Err(error) if error.is_missing_file() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits before an attempt on the storage of `uri` is repeated.
    pub fn pause(&self, uri: &Uri, duration: Duration) -> Result<()> {
        self.backend(uri)?.pause(duration);
        Ok(())
    }

    /// Takes an advisory lock on a folder, which ends with the returned value or with the process.
    /// Waits up to a minute, or until the operation is cancelled; then fails. On storage without
    /// locks it returns at once. Not reentrant: a thread that holds an exclusive lock must not take
    /// another one on the same folder.
    pub fn lock(&self, folder: &Uri, mode: LockMode) -> Result<FolderLock> {
        let epoch = self.context.cancel_epoch();
        let mut backoff = Backoff::LOCK;
        loop {
            if let Some(lock) = self.try_lock(folder, mode)? {
                return Ok(lock);
            }
            self.context.check_cancelled(epoch)?;
            if backoff.is_over() {
                let reason = "another process has held the lock for a minute";
                let timed_out = std::io::Error::new(std::io::ErrorKind::TimedOut, reason);
                return Err(Error::storage("lock", folder.as_str(), timed_out));
            }
            backoff.pause(self, folder)?;
        }
    }
}

impl Vfs {
    /// Returns whether another process may be writing a file under its final name: a local one that
    /// was changed just now. Files in object stores and in memory are never seen incomplete.
    pub fn may_grow(&self, file: &Uri) -> bool {
        file.scheme() == Scheme::File
            && self
                .modified(file)
                .is_ok_and(|changed| now().abs_diff(changed) < WRITTEN_FOR)
    }
}
