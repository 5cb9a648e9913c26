//! The virtual file system of a context: selection of the backend by URI, common functionality, and
//! open files, which count what is read and written.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;

use super::backend::{Backend, EntrySizes, FileSink, FolderState, OpenFolder, OpenMode, Source};
use super::local::Local;
use super::log::OperationLog;
use super::memory::Memory;
#[cfg(feature = "remote")]
use super::remote::Remote;
use super::uri::{Scheme, Uri};
use super::{Entry, EntryKind};
use crate::context::Context;
use crate::error::{Error, Result, VfsError};
use crate::stats::{Counter, Part, Stats};

/// The virtual file system of a context. It owns an in-memory file system.
#[derive(Debug)]
pub struct Vfs {
    /// The context.
    pub context: Arc<Context>,
    stats: Stats,
    /// The log, if the configuration asks for any.
    log: Option<Arc<OperationLog>>,
    /// The backends by scheme; `None` for storage without which the library was built.
    backends: [Option<Arc<dyn Backend>>; Scheme::ALL.len()],
    /// A backend that tests use for all URIs.
    substitute: Option<Arc<dyn Backend>>,
}

impl Vfs {
    /// Creates the virtual file system of a context.
    pub fn new(context: &Arc<Context>) -> Result<Arc<Self>> {
        #[cfg(feature = "remote")]
        super::remote::check_parameters(&context.config)?;
        Self::assemble(context, None).map(Arc::new)
    }

    /// Creates a virtual file system that uses one backend for all URIs, for tests.
    pub fn with_backend(context: &Arc<Context>, backend: Arc<dyn Backend>) -> Result<Arc<Self>> {
        Self::assemble(context, Some(backend)).map(Arc::new)
    }

    fn assemble(context: &Arc<Context>, substitute: Option<Arc<dyn Backend>>) -> Result<Self> {
        let mut backends = [const { None }; Scheme::ALL.len()];
        for scheme in Scheme::ALL {
            backends[scheme as usize] = new_backend(context, scheme)?;
        }
        Ok(Self {
            stats: context.stats.part(Part::Vfs),
            log: OperationLog::new(&context.config, context.log)?,
            backends,
            substitute,
            context: context.clone(),
        })
    }

    /// Returns this file system, with its files in memory, for operations of another context.
    pub fn within(self: &Arc<Self>, context: &Arc<Context>) -> Result<Arc<Self>> {
        if Arc::ptr_eq(&self.context, context) {
            return Ok(self.clone());
        }
        let mut seen = Self::assemble(context, self.substitute.clone())?;
        let memory = Scheme::Memory as usize;
        seen.backends[memory] = self.backends[memory].clone();
        Ok(Arc::new(seen))
    }

    /// Returns whether a scheme is supported.
    pub fn supports(scheme: Scheme) -> bool {
        match scheme {
            Scheme::File | Scheme::Memory => true,
            Scheme::S3 => cfg!(feature = "s3"),
            Scheme::Azure => cfg!(feature = "azure"),
            Scheme::Gcs => cfg!(feature = "gcs"),
            Scheme::TileDb => cfg!(feature = "rest"),
        }
    }

    /// Returns the backend of a URI.
    pub(super) fn backend(&self, uri: &Uri) -> Result<&dyn Backend> {
        if let Some(substitute) = &self.substitute {
            return Ok(&**substitute);
        }
        let scheme = uri.scheme();
        let backend = self.backends[scheme as usize].as_deref();
        backend.ok_or_else(|| {
            Error::from(match scheme {
                Scheme::S3 => VfsError::NotBuilt { service: "S3" },
                Scheme::Azure => VfsError::NotBuilt { service: "Azure" },
                Scheme::Gcs => VfsError::NotBuilt { service: "GCS" },
                Scheme::File | Scheme::Memory | Scheme::TileDb => VfsError::NoRest,
            })
        })
    }

    /// Runs an operation of the backend of a URI, and logs it by its name in libtiledb.
    pub(super) fn run<'a, T>(
        &'a self,
        operation: &str,
        uri: &Uri,
        body: impl FnOnce(&'a dyn Backend) -> Result<T>,
    ) -> Result<T> {
        let backend = self.backend(uri)?;
        match &self.log {
            None => body(backend),
            Some(log) => log.time(operation, uri, || body(backend)),
        }
    }

    /// Opens a file for reading.
    pub fn open(&self, uri: &Uri) -> Result<ReadFile> {
        Ok(self.read_file(uri, self.backend(uri)?.open(uri)?))
    }

    /// Opens a file for reading that has this size, which object stores do not look up then.
    pub fn open_sized(&self, uri: &Uri, size: u64) -> Result<ReadFile> {
        let backend = self.backend(uri)?;
        let source = match backend.objects() {
            Some(objects) => objects.open_sized(uri, size)?,
            None => backend.open(uri)?,
        };
        Ok(self.read_file(uri, source))
    }

    fn read_file(&self, uri: &Uri, source: Box<dyn Source>) -> ReadFile {
        ReadFile {
            uri: uri.clone(),
            source,
            stats: self.stats.part(Part::Vfs),
            log: self.log.clone(),
        }
    }

    /// Creates a file for writing; an existing one is replaced.
    pub fn create(&self, uri: &Uri) -> Result<WriteFile> {
        self.open_for_writing(uri, OpenMode::Replace)
    }

    /// Opens a file for appending, and creates it if necessary.
    pub fn append(&self, uri: &Uri) -> Result<WriteFile> {
        self.open_for_writing(uri, OpenMode::Append)
    }

    fn open_for_writing(&self, uri: &Uri, opening: OpenMode) -> Result<WriteFile> {
        Ok(WriteFile {
            sink: self.backend(uri)?.create(uri, opening)?,
            written: 0,
            stats: self.stats.part(Part::Vfs),
            log: self.log.clone().map(|log| (log, uri.clone())),
        })
    }

    /// Returns the content of a file.
    pub fn read_all(&self, uri: &Uri) -> Result<Vec<u8>> {
        self.open(uri)?.read_all()
    }

    /// Writes and syncs a file. Journaling file systems make its name durable too; call
    /// [`Vfs::sync`] on the folder to be certain.
    pub fn write_all(&self, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut file = self.create(uri)?;
        file.write(bytes)?;
        file.sync()?;
        file.close()
    }

    pub(super) fn count(&self, counter: Counter, number: u64) {
        self.stats.add(counter, number);
    }

    /// Counts a read of a file.
    pub(super) fn count_read(&self, len: usize) {
        self.stats.add(Counter::ReadOps, 1);
        self.stats.add(Counter::ReadBytes, len as u64);
    }

    /// Counts a write of a whole file.
    pub(super) fn count_write(&self, len: usize) {
        self.stats.add(Counter::WriteOps, 1);
        self.stats.add(Counter::WriteBytes, len as u64);
    }

    /// Returns the size of a file in bytes.
    pub fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.stats.add(Counter::FileSizes, 1);
        self.run("file_size", uri, |backend| backend.file_size(uri))
    }

    /// Returns whether a file exists.
    pub fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.stats.add(Counter::IsObject, 1);
        self.run("is_file", uri, |backend| backend.is_file(uri))
    }

    /// Returns whether a folder exists.
    pub fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.run("is_dir", uri, |backend| backend.is_dir(uri))
    }

    /// Returns whether a file exists and the user may search its folder. libtiledb sees no files in
    /// other local folders.
    pub fn is_accessible_file(&self, uri: &Uri) -> Result<bool> {
        self.unless_denied(uri, self.is_file(uri), false)
    }

    /// Returns whether a folder exists and the user may search the one that contains it.
    pub fn is_accessible_dir(&self, uri: &Uri) -> Result<bool> {
        self.unless_denied(uri, self.is_dir(uri), false)
    }

    /// Returns the result of a look-up, or `denied` if permissions of a local folder prevent it.
    pub fn unless_denied<T>(&self, uri: &Uri, found: Result<T>, denied: T) -> Result<T> {
        match found {
            Err(error) if error.is_permission_denied() && !self.is_object_store(uri) => Ok(denied),
            found => found,
        }
    }

    /// Returns whether two URIs refer to the same file or folder.
    pub(super) fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        if one.scheme() == other.scheme() {
            self.backend(one)?.is_same(one, other)
        } else {
            Ok(false)
        }
    }

    /// Returns the entries of a folder, sorted by name, without sizes; nothing for a missing
    /// folder. It takes one system call per some hundred entries.
    pub fn list(&self, uri: &Uri) -> Result<Vec<Entry>> {
        self.list_sorted(uri, EntrySizes::Skip)
    }

    /// Returns the entries of a folder with the sizes of files, which takes a system call per file.
    pub fn list_with_sizes(&self, uri: &Uri) -> Result<Vec<Entry>> {
        self.list_sorted(uri, EntrySizes::Read)
    }

    /// Calls `take` with the name of each entry of a folder, in any order; never for a missing
    /// folder. It takes less time than [`Vfs::list`].
    pub fn each_name(&self, uri: &Uri, mut take: impl FnMut(&str)) -> Result<()> {
        self.stats.add(Counter::Ls, 1);
        self.run("ls", uri, |backend| backend.each_name(uri, &mut take))
    }

    /// Returns the entries of a folder, and its state if it was the same before and after it was
    /// listed. It takes less time than to look up the state separately.
    pub fn list_with_state(&self, uri: &Uri) -> Result<(Vec<Entry>, Option<FolderState>)> {
        self.stats.add(Counter::Ls, 1);
        let (mut entries, state) = self.run("ls", uri, |backend| backend.list_with_state(uri))?;
        sort_by_name(&mut entries);
        Ok((entries, state))
    }

    fn list_sorted(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        self.stats.add(Counter::Ls, 1);
        let mut entries = self.run("ls", uri, |backend| backend.list(uri, sizes))?;
        sort_by_name(&mut entries);
        Ok(entries)
    }

    /// Creates a folder and its missing parents. An existing folder is not an error.
    pub fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.run("create_dir", uri, |backend| backend.create_dir(uri))
    }

    /// Removes a file.
    pub fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.run("remove_file", uri, |backend| backend.remove_file(uri))
    }

    /// Removes a file if it exists. Returns whether it existed.
    pub fn remove_file_if_any(&self, uri: &Uri) -> Result<bool> {
        match self.remove_file(uri) {
            Ok(()) => Ok(true),
            Err(error) if error.is_missing_file() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes a folder with its contents.
    pub fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.run("remove_dir", uri, |backend| backend.remove_dir(uri))
    }

    /// Removes a folder if it exists. Returns whether it existed. Files that a process has open may
    /// be left until they are closed.
    pub fn remove_dir_if_any(&self, uri: &Uri) -> Result<bool> {
        was_removed(self.remove_dir(uri))
    }

    /// Creates an empty file if none exists. Its name is durable once the folder is synced.
    pub fn touch(&self, uri: &Uri) -> Result<()> {
        self.run("touch", uri, |backend| backend.touch(uri))
    }

    /// Moves a file or folder within a storage backend and replaces an existing target. `action` is
    /// the name of the operation in errors.
    pub fn rename(&self, action: &'static str, from: &Uri, to: &Uri) -> Result<()> {
        self.backend(from)?;
        self.backend(to)?;
        if from.scheme() != to.scheme() {
            return Err(unsupported(action));
        }
        self.run("move", from, |backend| backend.rename(from, to))
    }

    /// Makes a file, or the names in a folder, durable. Does nothing if neither exists.
    pub fn sync(&self, uri: &Uri) -> Result<()> {
        self.run("sync", uri, |backend| backend.sync(uri))
    }
}

/// Creates the backend of a scheme; `None` if the library was built without it.
fn new_backend(context: &Arc<Context>, scheme: Scheme) -> Result<Option<Arc<dyn Backend>>> {
    Ok(match scheme {
        Scheme::File => Some(Arc::new(Local::new(&context.config)?)),
        Scheme::Memory => Some(Arc::<Memory>::default()),
        // The files of a TileDB server have the protocol of S3.
        Scheme::TileDb if !cfg!(feature = "s3") => None,
        #[cfg(feature = "remote")]
        _ if Vfs::supports(scheme) => Some(Arc::new(Remote::new(context, scheme))),
        _ => None,
    })
}

/// Returns whether a folder existed that an operation removed. Files that a process has open may be
/// left until they are closed.
pub(super) fn was_removed(removed: Result<()>) -> Result<bool> {
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.is_in_use() => Ok(true),
        Err(error) if error.is_missing_file() => Ok(false),
        Err(error) => Err(error),
    }
}

pub(super) fn unsupported(action: &str) -> Error {
    Error::from(VfsError::UnsupportedAction {
        action: action.into(),
    })
}

/// A file open for reading, which several threads can use.
#[derive(Debug)]
pub struct ReadFile {
    /// The URI.
    pub uri: Uri,
    source: Box<dyn Source>,
    stats: Stats,
    log: Option<Arc<OperationLog>>,
}

impl ReadFile {
    /// Fills `to` with the bytes that start at `offset`. Returns an error if the file ends before.
    pub fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.count(to.len());
        self.logged(offset, to.len(), |source| source.read_at(offset, to))
    }

    /// Fills the buffers in order with the bytes that start at `offset`.
    pub fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        let len = to.iter().map(|part| part.len()).sum();
        self.count(len);
        self.logged(offset, len, |source| source.read_vectored_at(offset, to))
    }

    /// Returns the last bytes, at most `most`, and the size of the file.
    pub fn read_tail(&self, most: u64) -> Result<(Vec<u8>, u64)> {
        let (bytes, size) = match &self.log {
            None => self.source.read_tail(most),
            Some(log) => log.read_tail(&self.uri, || self.source.read_tail(most)),
        }
        .map_err(|error| error.with_uri(&self.uri))?;
        self.count(bytes.len());
        Ok((bytes, size))
    }

    /// Returns the content.
    pub fn read_all(&self) -> Result<Vec<u8>> {
        let bytes = match &self.log {
            None => self.source.read_all(),
            Some(log) => log.time("read", &self.uri, || self.source.read_all()),
        }
        .map_err(|error| error.with_uri(&self.uri))?;
        if let Some(log) = &self.log {
            log.log_read(&self.uri, 0, bytes.len() as u64);
        }
        self.count(bytes.len());
        Ok(bytes)
    }

    /// Records that ranges are about to be read. Returns the ranges to load; none on storage
    /// without requests.
    pub(super) fn announce(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        self.source.announce(ranges)
    }

    /// Loads a range that [`ReadFile::announce`] returned.
    pub(super) fn load(&self, range: &Range<u64>) {
        self.source.load(range);
    }

    /// Drops ranges that were loaded and not read.
    pub fn forget(&self) {
        self.source.forget();
    }

    /// Runs a read, and logs it if there is a log.
    fn logged<T>(&self, offset: u64, len: usize, read: impl FnOnce(&dyn Source) -> T) -> T {
        let Some(log) = &self.log else {
            return read(&*self.source);
        };
        log.log_read(&self.uri, offset, len as u64);
        log.time("read", &self.uri, || read(&*self.source))
    }

    fn count(&self, bytes: usize) {
        self.stats.add(Counter::ReadOps, 1);
        self.stats.add(Counter::ReadBytes, bytes as u64);
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> Result<u64> {
        self.source.size()
    }
}

/// A file that is written sequentially.
#[derive(Debug)]
pub struct WriteFile {
    sink: Box<dyn FileSink>,
    /// The number of bytes written.
    pub written: u64,
    stats: Stats,
    /// The log, if there is one, and the URI to log.
    log: Option<(Arc<OperationLog>, Uri)>,
}

impl WriteFile {
    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_vectored(&mut [IoSlice::new(bytes)])
    }

    /// Appends the buffers in order.
    pub fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let len: u64 = parts.iter().map(|part| part.len() as u64).sum();
        self.stats.add(Counter::WriteOps, 1);
        self.stats.add(Counter::WriteBytes, len);
        match &self.log {
            None => self.sink.write_vectored(parts)?,
            Some((log, uri)) => log.time("write", uri, || self.sink.write_vectored(parts))?,
        }
        self.written += len;
        Ok(())
    }

    /// Makes everything durable.
    pub fn sync(&mut self) -> Result<()> {
        match &self.log {
            None => self.sink.sync(),
            Some((log, uri)) => log.time("sync", uri, || self.sink.sync()),
        }
    }

    /// Closes the file. Reports errors of delayed writes.
    pub fn close(self) -> Result<()> {
        match self.log {
            None => self.sink.close(),
            Some((log, uri)) => log.time("close_file", &uri, || self.sink.close()),
        }
    }
}

/// A folder of which many files are read.
#[derive(Debug)]
pub struct Folder<'a> {
    vfs: &'a Vfs,
    /// The URI.
    pub uri: Uri,
    /// The open folder, on storage that has such.
    open: Option<Box<dyn OpenFolder>>,
}

impl Vfs {
    /// Opens a folder to read files below it. A missing folder is not an error: its files are.
    pub fn open_folder(&self, uri: &Uri) -> Result<Folder<'_>> {
        Ok(Folder {
            vfs: self,
            uri: uri.clone(),
            open: self.backend(uri)?.open_folder(uri),
        })
    }
}

impl Folder<'_> {
    /// Returns the last bytes, at most `most`, of the file with a relative path, and the size of
    /// the file.
    pub fn read_tail(&self, path: &str, most: u64) -> Result<(Vec<u8>, u64)> {
        let Some(open) = &self.open else {
            return self.vfs.open(&self.uri.join(path))?.read_tail(most);
        };
        let (bytes, size) = match &self.vfs.log {
            None => open.read_tail(path, most)?,
            Some(log) => log.read_tail(&self.uri.join(path), || open.read_tail(path, most))?,
        };
        self.vfs.count_read(bytes.len());
        Ok((bytes, size))
    }
}

/// Sorts entries by name. The names in a folder of an array are long and begin alike, so the bytes
/// after their common prefix are compared first, as a number.
pub(super) fn sort_by_name(entries: &mut Vec<Entry>) {
    if entries.is_sorted_by(|a, b| a.name <= b.name) {
        return;
    }
    let prefix = common_prefix_len(entries);
    let keys = entries.iter().enumerate();
    // Small elements are sorted faster. Most names differ in the bytes of the keys.
    let mut keys: Vec<(u64, u32)> = keys
        .map(|(index, entry)| (key(&entry.name, prefix), index as u32))
        .collect();
    let name = |index: u32| {
        entries
            .get(index as usize)
            .map(|entry: &Entry| entry.name.as_str())
    };
    keys.sort_unstable_by(|(a, i), (b, j)| a.cmp(b).then_with(|| name(*i).cmp(&name(*j))));
    let mut sorted = Vec::with_capacity(entries.len());
    for (_, index) in keys {
        let none = Entry {
            name: String::new(),
            kind: EntryKind::File,
            size: 0,
            link: false,
        };
        sorted.extend(
            entries
                .get_mut(index as usize)
                .map(|entry| std::mem::replace(entry, none)),
        );
    }
    *entries = sorted;
}

/// Returns the length of the longest prefix that all names have.
fn common_prefix_len(entries: &[Entry]) -> usize {
    let Some((first, others)) = entries.split_first() else {
        return 0;
    };
    let first = first.name.as_bytes();
    others.iter().fold(first.len(), |len, other| {
        first
            .iter()
            .take(len)
            .zip(other.name.as_bytes())
            .take_while(|(a, b)| a == b)
            .count()
    })
}

/// Returns the bytes of a name from `prefix` on, as many as fit into a number, the first one as the
/// highest byte.
fn key(name: &str, prefix: usize) -> u64 {
    let rest = name.as_bytes().get(prefix..).unwrap_or_default();
    if let Some(key) = rest.first_chunk() {
        return u64::from_le_bytes(*key).swap_bytes();
    }
    let mut key = [0; 8];
    key[..rest.len()].copy_from_slice(rest);
    u64::from_le_bytes(key).swap_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn entries_are_in_the_order_of_their_names(
            prefix in "[a-b]{0,20}",
            names in proptest::collection::vec("[\\x00a-c]{0,20}", 0..40),
        ) {
            let mut names: Vec<String> = names.iter().map(|name| prefix.clone() + name).collect();
            let entry = |name: &String| Entry {
                name: name.clone(),
                kind: EntryKind::Directory,
                size: name.len() as u64,
                link: false,
            };
            let mut entries: Vec<Entry> = names.iter().map(entry).collect();
            sort_by_name(&mut entries);
            names.sort();
            let expected: Vec<Entry> = names.iter().map(entry).collect();
            prop_assert_eq!(entries, expected);
        }
    }
}
