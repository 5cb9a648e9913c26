//! The local file system.
//!
//! One system call does the work of one operation; nothing is buffered here, since the page cache
//! is one. Files are read at offsets, so a file open for reading has no position and may be shared.
//! The content of a file is durable once the file is synced, a new name once its folder is. A
//! process has a limited number of descriptors: idle files are closed when there are none left.

mod publish;
mod removal;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, UNIX_EPOCH};

use super::backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, OpenMode, Source, StagedFile,
};
use super::{Entry, EntryKind, OpenFolder, Uri};
use crate::config::Config;
use crate::context::for_each_waiting;
use crate::error::{Error, Result, try_vec};
use crate::memory::tuning::{FOLDER_BUFFER_BYTES, SLOW_SYNC_MICROSECONDS, SYNCS_AT_ONCE};
use crate::memory::{OpenFilePermit, with_descriptor};
use crate::platform::lock::Mutex;
use crate::platform::{self, EntryType};
use crate::types::{Timestamp, now};

/// The minimum age in milliseconds of the last change of a folder for a reliable state: ten times
/// the longest step of the kernel's clock for file times (4 ms at 250 Hz, 10 ms at 100 Hz). Two
/// changes within one step have the same state.
const SETTLED_AFTER: Timestamp = 100;

/// The state of a folder that does not exist.
const MISSING: FolderState = FolderState(0);

/// Which files and folders are synced: the parameter `vfs.file.sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syncs {
    /// Files and folders, as `docs/commit-protocol.md` requires.
    All,
    /// Only the contents of files, as by libtiledb.
    Files,
    /// Nothing.
    None,
}

/// The local file system, and the permissions of new files and folders.
#[derive(Debug)]
pub(super) struct Local {
    file_mode: u32,
    folder_mode: u32,
    syncs: Syncs,
    /// The duration of the last sync of a round in microseconds, which shows whether threads are
    /// worth their start. Before the first one they are used: many processes have one operation.
    last_sync: AtomicU64,
}

impl Local {
    pub(super) fn new(config: &Config) -> Result<Self> {
        Ok(Self {
            file_mode: config.permissions("vfs.file.posix_file_permissions")?,
            folder_mode: config.permissions("vfs.file.posix_directory_permissions")?,
            syncs: match config.text("vfs.file.sync").as_deref() {
                Some("none") => Syncs::None,
                Some("files") => Syncs::Files,
                _ => Syncs::All,
            },
            last_sync: AtomicU64::new(u64::MAX),
        })
    }

    fn syncs_files(&self) -> bool {
        self.syncs != Syncs::None
    }

    /// Opens a file for writing; creates the folders above it if they are missing.
    /// `action` is the name of the operation in errors.
    fn open_for_writing(
        &self,
        action: &'static str,
        uri: &Uri,
        options: &mut OpenOptions,
    ) -> Result<File> {
        let options = options.create(true);
        platform::set_file_permissions(options, self.file_mode);
        let open = || with_descriptor(|| options.open(uri.path()));
        let mut opened = open();
        if matches!(&opened, Err(error) if error.kind() == ErrorKind::NotFound) {
            self.make_folders_above(uri)?;
            opened = open();
        }
        opened.map_err(|error| Error::storage(action, uri.as_str(), error))
    }

    fn make_folders_above(&self, uri: &Uri) -> Result<()> {
        match uri.parent() {
            Some(parent) => self.create_dir(&parent),
            None => Ok(()),
        }
    }
}

impl Backend for Local {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        let file = with_descriptor(|| platform::open_at_once(uri.path()))
            .map_err(|error| Error::storage("open file", uri.as_str(), error))?;
        Ok(Box::new(LocalSource {
            file,
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        let mut options = OpenOptions::new();
        match opening {
            OpenMode::Replace => options.write(true).truncate(true),
            OpenMode::Append => options.append(true),
        };
        let file = self.open_for_writing("open file", uri, &mut options)?;
        Ok(Box::new(LocalSink::new(file, uri, self.syncs_files())?))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        let metadata = std::fs::metadata(uri.path())
            .map_err(|error| Error::storage("get file size of", uri.as_str(), error))?;
        Ok(metadata.len())
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        Ok(look_up(uri)?.is_some_and(|metadata| !metadata.is_dir()))
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        Ok(look_up(uri)?.is_some_and(|metadata| metadata.is_dir()))
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        platform::is_same(one.path(), other.path())
            .map_err(|error| Error::storage("look up", one.as_str(), error))
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        each_entry(uri, &mut |name, kind| {
            entries.push(entry(uri, name, kind, sizes));
        })?;
        let entries = entries.into_iter().collect::<io::Result<_>>();
        entries.map_err(|error| Error::storage("list directory", uri.as_str(), error))
    }

    fn each_name(&self, uri: &Uri, take: &mut dyn FnMut(&str)) -> Result<()> {
        each_entry(uri, &mut |name, _| take(name))
    }

    fn open_folder(&self, uri: &Uri) -> Option<Box<dyn OpenFolder>> {
        let folder = with_descriptor(|| platform::open_folder(uri.path())).ok()?;
        Some(Box::new(LocalFolder {
            folder,
            uri: uri.clone(),
        }))
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        platform::set_folder_permissions(&mut builder, self.folder_mode);
        let made = match builder.create(uri.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Without `.`, which cannot be created below a folder that is missing.
                let path: PathBuf = Path::new(uri.path()).components().collect();
                builder.recursive(true).create(path)
            }
            // libtiledb succeeds if anything exists at the path.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        made.map_err(|error| Error::storage("create directory", uri.as_str(), error))
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let removed = match std::fs::remove_file(uri.path()) {
            // libtiledb removes an empty folder, too.
            Err(_) if Path::new(uri.path()).is_dir() => std::fs::remove_dir(uri.path()),
            removed => removed,
        };
        removed.map_err(|error| Error::storage("delete file", uri.as_str(), error))
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        removal::folder(uri.path())
            .map_err(|error| Error::storage("delete directory", uri.as_str(), error))
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        let options = &mut OpenOptions::new();
        let options = options.write(true).truncate(false);
        // An empty file has no content to be synced.
        let file = self.open_for_writing("create file", uri, options)?;
        platform::close(file).map_err(|error| Error::storage("close file", uri.as_str(), error))
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        let moved = match std::fs::rename(from.path(), to.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.make_folders_above(to)?;
                std::fs::rename(from.path(), to.path())
            }
            moved => moved,
        };
        moved.map_err(|error| Error::storage("move", from.as_str(), error))
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        match self.syncs {
            Syncs::All => {}
            Syncs::Files if !Path::new(uri.path()).is_dir() => {}
            Syncs::Files | Syncs::None => return Ok(()),
        }
        match with_descriptor(|| platform::sync(uri.path())) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            synced => synced.map_err(|error| Error::storage("sync", uri.as_str(), error)),
        }
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut file = publish::LocalStaged::write(self, staging, uri, bytes)?;
        file.sync()?;
        file.publish()
    }

    fn stage_file<'a>(
        &'a self,
        staging: &Uri,
        uri: &Uri,
        bytes: &'a [u8],
    ) -> Result<Option<Box<dyn StagedFile + 'a>>> {
        let file = publish::LocalStaged::write(self, staging, uri, bytes)?;
        Ok(Some(Box::new(file)))
    }

    /// Other threads are used only if syncs take longer than to wake them.
    fn sync_round(&self, count: usize, body: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
        let timed = |index| {
            let begun = Instant::now();
            let synced = body(index);
            let elapsed = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.last_sync.store(elapsed, Ordering::Relaxed);
            synced
        };
        let mut done = 0;
        while done < count
            && (done + 1 == count
                || self.syncs == Syncs::None
                || self.last_sync.load(Ordering::Relaxed) < SLOW_SYNC_MICROSECONDS)
        {
            timed(done)?;
            done += 1;
        }
        // Each sync may need a descriptor. Those that get none are repeated one by one.
        let repeated = Mutex::new(Vec::new());
        for_each_waiting(
            SYNCS_AT_ONCE,
            count - done,
            &|index| match timed(done + index) {
                Err(error) if is_out_of_descriptors(&error) => {
                    repeated.lock().push(done + index);
                    Ok(())
                }
                synced => synced,
            },
        )?;
        repeated.into_inner().into_iter().try_for_each(timed)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        match std::fs::rename(from.path(), to.path()) {
            Ok(()) => Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::DirectoryNotEmpty
                        | ErrorKind::AlreadyExists
                        | ErrorKind::NotADirectory
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(Error::storage("move", from.as_str(), error)),
        }
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        let mut builder = std::fs::DirBuilder::new();
        platform::set_folder_permissions(&mut builder, self.folder_mode);
        match builder.create(uri.path()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(Error::storage("create directory", uri.as_str(), error)),
        }
    }

    /// Removes a symbolic link to an empty folder, too.
    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        let path = uri.path().trim_end_matches('/');
        let failed = |error| Error::storage("delete directory", uri.as_str(), error);
        let is_link = std::fs::symlink_metadata(path)
            .map_err(failed)?
            .is_symlink();
        let removed = if !is_link {
            std::fs::remove_dir(path)
        } else if with_descriptor(|| std::fs::read_dir(path))
            .map_err(failed)?
            .next()
            .is_some()
        {
            return Ok(false);
        } else {
            std::fs::remove_file(path)
        };
        match removed {
            Ok(()) => Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        let modified = std::fs::metadata(uri.path()).and_then(|metadata| metadata.modified());
        let modified =
            modified.map_err(|error| Error::storage("get time of", uri.as_str(), error))?;
        let elapsed = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Timestamp::try_from(elapsed.as_millis()).unwrap_or(Timestamp::MAX))
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        match platform::folder_state(uri.path()) {
            Ok(Some((state, changed))) => Ok(settled(state, changed)),
            Ok(None) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(MISSING)),
            Err(error) => Err(Error::storage("look up", uri.as_str(), error)),
        }
    }

    #[cfg(target_os = "linux")]
    fn list_with_state(&self, uri: &Uri) -> Result<(Vec<Entry>, Option<FolderState>)> {
        let failed = |error| Error::storage("list directory", uri.as_str(), error);
        let folder = match with_descriptor(|| platform::open_folder(uri.path())) {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok((Vec::new(), Some(MISSING)));
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Ok((Vec::new(), None));
            }
            Err(error) => return Err(failed(error)),
        };
        let state = || match platform::open_folder_state(&folder) {
            Ok((state, changed)) => settled(state, changed),
            Err(_) => None,
        };
        let before = state();
        let mut entries = Vec::new();
        let push = &mut |name: &str, kind| entries.push(entry(uri, name, kind, EntrySizes::Skip));
        platform::each_entry_of(&folder, FOLDER_BUFFER_BYTES, push).map_err(failed)?;
        let unchanged = before.filter(|before| state().as_ref() == Some(before));
        let entries: io::Result<_> = entries.into_iter().collect();
        Ok((entries.map_err(failed)?, unchanged))
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        let exclusive = mode == LockMode::Exclusive;
        let attempt = with_descriptor(|| platform::try_lock_folder(uri.path(), exclusive));
        match attempt.map_err(|error| Error::storage("lock", uri.as_str(), error))? {
            LockAttempt::Locked(lock) => Ok(LockAttempt::Locked(Box::new(lock))),
            LockAttempt::Busy => Ok(LockAttempt::Busy),
            LockAttempt::Unsupported => Ok(LockAttempt::Unsupported),
        }
    }
}

/// Returns the state of a folder that was changed at this time, in milliseconds; `None` if it may
/// have changed again since. The time is in the future if the clock is that of another machine or
/// was set back.
fn settled(state: u128, changed: Timestamp) -> Option<FolderState> {
    let is_settled = changed.saturating_add(SETTLED_AFTER) <= now();
    is_settled.then_some(FolderState(state))
}

/// Returns the properties of what a path leads to, or `None` if that is nothing. Any other error is
/// returned: a file that cannot be looked up is not one that does not exist.
fn look_up(uri: &Uri) -> Result<Option<Metadata>> {
    match std::fs::metadata(uri.path()) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if platform::is_missing(&error) => Ok(None),
        Err(error) => Err(Error::storage("look up", uri.as_str(), error)),
    }
}

/// Calls `take` with the name and the type of each entry of a folder; never for a missing folder.
fn each_entry(uri: &Uri, take: &mut dyn FnMut(&str, EntryType)) -> Result<()> {
    // A folder that cannot be opened has no entry that would be taken twice.
    match with_descriptor(|| platform::each_entry(uri.path(), FOLDER_BUFFER_BYTES, take)) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::storage("list directory", uri.as_str(), error))
        }
        _ => Ok(()),
    }
}

/// Returns an entry of a listing. Only links, sizes, and types that the listing does not show cost
/// a system call. An entry that has been removed meanwhile counts as a file: reading it fails.
fn entry(folder: &Uri, name: &str, kind: EntryType, sizes: EntrySizes) -> io::Result<Entry> {
    let mut is_folder = kind == EntryType::Folder;
    let (mut size, mut link) = (0, false);
    let path = || Path::new(folder.path()).join(name);
    if kind == EntryType::Other {
        match std::fs::symlink_metadata(path()) {
            Ok(metadata) => {
                link = metadata.is_symlink();
                is_folder = metadata.is_dir();
            }
            Err(error) if platform::is_missing(&error) => {}
            Err(error) => return Err(error),
        }
    }
    if link || (sizes == EntrySizes::Read && !is_folder) {
        match std::fs::metadata(path()) {
            Ok(metadata) => {
                is_folder = metadata.is_dir();
                size = if is_folder { 0 } else { metadata.len() };
            }
            // A dangling link counts as an empty file, and so does a file that was removed since.
            Err(error) if platform::is_missing(&error) => {}
            // The target is in a folder that the user may not search.
            Err(error) if link && error.kind() == ErrorKind::PermissionDenied => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Entry {
        name: name.to_owned(),
        kind: if is_folder {
            EntryKind::Directory
        } else {
            EntryKind::File
        },
        size,
        link,
    })
}

fn is_out_of_descriptors(error: &Error) -> bool {
    match error.cause() {
        crate::error::Cause::Storage { source, .. } => platform::is_out_of_descriptors(source),
        _ => false,
    }
}

/// A file open for reading at offsets.
#[derive(Debug)]
struct LocalSource {
    file: File,
    uri: Uri,
}

impl LocalSource {
    fn failed(&self, error: io::Error) -> Error {
        Error::storage("read from file", self.uri.as_str(), error)
    }
}

impl Source for LocalSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        platform::read_at(&self.file, offset, to).map_err(|error| self.failed(error))
    }

    fn read_vectored_at(&self, mut offset: u64, mut to: &mut [IoSliceMut<'_>]) -> Result<()> {
        IoSliceMut::advance_slices(&mut to, 0); // drops empty parts in front
        while !to.is_empty() {
            let count = match platform::read_vectored_at(&self.file, offset, to) {
                Ok(0) => return Err(self.failed(ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.failed(error)),
            };
            offset += count as u64;
            IoSliceMut::advance_slices(&mut to, count);
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        platform::size(&self.file)
            .map_err(|error| Error::storage("get file size of", self.uri.as_str(), error))
    }
}

/// An open folder. Files are opened relative to it.
#[derive(Debug)]
struct LocalFolder {
    folder: File,
    uri: Uri,
}

impl OpenFolder for LocalFolder {
    fn read_tail(&self, path: &str, most: u64) -> Result<(Vec<u8>, u64)> {
        let failed = |action, error| Error::storage(action, self.uri.join(path).as_str(), error);
        let file = with_descriptor(|| platform::open_below(&self.folder, path))
            .map_err(|error| failed("open file", error))?;
        // Seeking to the end takes less time than to look up all properties of the file.
        let size = (&file).seek(SeekFrom::End(0));
        let size = size.map_err(|error| failed("get file size of", error))?;
        let len = usize::try_from(size.min(most)).unwrap_or(usize::MAX);
        let mut bytes = try_vec("the end of a file", len)?;
        platform::read_at(&file, size - len as u64, &mut bytes)
            .map_err(|error| failed("read from file", error))?;
        Ok((bytes, size))
    }
}

/// A file that is written front to back. Without a permit it is synced and closed after each write,
/// since a fragment may have more files than the process may have open. It is synced because the
/// error of a delayed write may be lost while no descriptor is open.
#[derive(Debug)]
struct LocalSink {
    /// The file; `None` if it is closed between two writes.
    file: Option<File>,
    permit: Option<OpenFilePermit>,
    uri: Uri,
    is_synced: bool,
}

impl LocalSink {
    /// Returns the sink of a file that is open for writing, positioned at its end. Unless
    /// `is_synced`, its content is never synced.
    fn new(file: File, uri: &Uri, is_synced: bool) -> Result<Self> {
        let mut sink = Self {
            file: Some(file),
            permit: None,
            uri: uri.clone(),
            is_synced,
        };
        if !sink.may_stay_open() {
            sink.close_file()?;
        }
        Ok(sink)
    }

    fn failed(&self, action: &'static str, error: io::Error) -> Error {
        Error::storage(action, self.uri.as_str(), error)
    }

    /// Opens the file again if it is closed, to continue at its end.
    fn open(&mut self) -> Result<&File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let options = &mut OpenOptions::new();
                let opened = with_descriptor(|| options.append(true).open(self.uri.path()));
                opened.map_err(|error| self.failed("open file", error))?
            }
        };
        Ok(self.file.insert(file))
    }

    /// Returns whether the file may stay open between two writes.
    fn may_stay_open(&mut self) -> bool {
        if self.permit.is_none() {
            self.permit = OpenFilePermit::acquire();
        }
        self.permit.is_some()
    }

    fn close_file(&mut self) -> Result<()> {
        let closed = self.file.take().map_or(Ok(()), platform::close);
        closed.map_err(|error| self.failed("close file", error))
    }
}

impl FileSink for LocalSink {
    fn write_vectored(&mut self, mut parts: &mut [IoSlice<'_>]) -> Result<()> {
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match self.open()?.write_vectored(parts) {
                Ok(0) => return Err(self.failed("write to file", ErrorKind::WriteZero.into())),
                Ok(count) => IoSlice::advance_slices(&mut parts, count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed("write to file", error)),
            }
        }
        if self.may_stay_open() {
            return Ok(());
        }
        self.sync()
    }

    fn sync(&mut self) -> Result<()> {
        if self.is_synced {
            let synced = self.open()?.sync_data();
            synced.map_err(|error| self.failed("sync file", error))?;
        }
        if self.may_stay_open() {
            return Ok(());
        }
        self.close_file()
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.close_file()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;
    use std::process::Command;

    use super::*;

    /// Runs a claim on the local file system and an empty folder.
    fn on_local(claim: impl Fn(&Local, &Uri)) {
        let folder = tempfile::tempdir().expect("folder");
        let local = Local::new(&Config::new()).expect("a file system");
        let path = folder.path().to_str().expect("path");
        claim(&local, &Uri::parse(path).expect("uri"));
    }

    #[test]
    fn reads_of_a_fifo_are_errors_and_do_not_wait_for_a_writer() {
        on_local(|local, folder| {
            let fifo = folder.join("fifo");
            let made = Command::new("mkfifo").arg(fifo.path()).status();
            assert!(made.expect("mkfifo").success());
            let source = local.open(&fifo).expect("opens");
            assert!(source.size().is_err());
            assert!(source.read_at(0, &mut [0]).is_err());
            assert_eq!(local.list(&fifo, EntrySizes::Read).expect("lists"), []);
            local
                .each_name(&fifo, &mut |name| panic!("{name}"))
                .expect("lists");
            drop(local.try_lock(&fifo, LockMode::Shared));
            drop(local.sync(&fifo));
        });
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn only_what_the_parameter_says_is_synced() {
        // This file cannot be synced.
        let file = Uri::parse("file:///proc/self/status").expect("uri");
        for (extent, fails) in [("all", true), ("files", true), ("none", false)] {
            let mut config = Config::new();
            config.set("vfs.file.sync", extent).expect("parameter");
            let local = Local::new(&config).expect("a file system");
            assert_eq!(local.sync(&file).is_err(), fails, "{extent}");
            let round = local.sync_round(3, &|_| local.sync(&file));
            assert_eq!(round.is_err(), fails, "{extent}");
        }
        assert!(Config::new().set("vfs.file.sync", "some").is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_gets_its_name_in_the_folder_that_was_there_when_it_was_written() {
        on_local(|local, folder| {
            let has_unnamed = platform::create_unnamed(folder.path(), 0o600).expect("looks up");
            if has_unnamed.is_none() {
                println!("skipped: the file system has no files without a name");
                return;
            }
            let (old, moved) = (folder.join("old"), folder.join("moved"));
            for is_removed in [false, true] {
                local.create_dir(&old).expect("creates");
                let file = old.join("file");
                let staged = local.stage_file(folder, &file, b"bytes").expect("writes");
                let mut staged = staged.expect("staged");
                if is_removed {
                    local.remove_dir(&old).expect("removes");
                } else {
                    local.rename(&old, &moved).expect("moves");
                }
                local.create_dir(&old).expect("creates");
                assert_eq!(staged.publish().is_ok(), !is_removed);
                assert!(!local.is_file(&file).expect("looks up"));
                local.remove_dir(&old).expect("removes");
            }
            assert!(local.is_file(&moved.join("file")).expect("looks up"));
        });
    }

    #[test]
    fn slow_syncs_of_a_round_run_at_once() {
        on_local(|local, _| {
            // Each waits for all others, which would never end on fewer threads.
            let barrier = std::sync::Barrier::new(10);
            let wait = |_| {
                barrier.wait();
                Ok(())
            };
            local.last_sync.store(u64::MAX, Ordering::Relaxed);
            local.sync_round(10, &wait).expect("ends");
            let thread = std::thread::current().id();
            let here = |_| {
                assert_eq!(std::thread::current().id(), thread);
                Ok(())
            };
            local
                .sync_round(1, &here)
                .expect("one needs no other thread");
        });
    }

    #[test]
    fn missing_folders_are_created_for_paths_with_dots() {
        on_local(|local, folder| {
            for (name, file) in [("one/./file", "one/file"), ("two/../three", "three")] {
                local.touch(&folder.join(name)).expect("a file");
                assert!(Path::new(folder.join(file).path()).is_file(), "{name}");
            }
        });
    }

    #[test]
    fn a_missing_folder_and_a_file_are_listed_without_entries() {
        on_local(|local, folder| {
            let (missing, file) = (folder.join("missing"), folder.join("file"));
            std::fs::write(file.path(), "bytes").expect("a file");
            let listed = local.list_with_state(&missing).expect("lists");
            let state = local.folder_state(&missing).expect("looks up");
            assert_eq!(listed, (Vec::new(), state));
            assert_eq!(local.list_with_state(&file).expect("lists").0, []);
            let (entries, _) = local.list_with_state(folder).expect("lists");
            assert_eq!(
                entries,
                local.list(folder, EntrySizes::Skip).expect("lists")
            );
        });
    }

    #[test]
    fn links_that_lead_to_nothing_are_neither_files_nor_folders() {
        on_local(|local, folder| {
            for (name, target) in [("dangling", "missing"), ("loop", "loop")] {
                let link = folder.join(name);
                symlink(target, link.path()).expect("a link");
                assert!(!local.is_file(&link).expect("looks up"));
                assert!(!local.is_dir(&link).expect("looks up"));
                assert!(!local.is_same(&link, folder).expect("looks up"));
            }
            let sizes = local.list(folder, EntrySizes::Read).expect("lists");
            assert!(sizes.iter().all(|entry| entry.link && entry.size == 0));
            let long = folder.join(&"n".repeat(300));
            assert!(!local.is_file(&long).expect("looks up"));
        });
    }
}
