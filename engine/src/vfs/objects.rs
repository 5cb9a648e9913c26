//! Operations on many files: recursive listings, sizes of folders, copies, and those that object
//! stores do with few requests, bulk removals and announced reads; and buckets.

use std::ops::{ControlFlow, Range};
use std::sync::{Arc, Weak};

use super::backend::Objects;
use super::listing::ListingScope;
use super::vfs::{ReadFile, Vfs, unsupported};
use super::{Entry, EntryKind, Uri};
use crate::error::{Error, Result, VfsError};
use crate::memory::tuning::COPY_BUFFER_BYTES;
use crate::platform::lock::Mutex;

/// Ranges of a file to be read.
#[derive(Debug)]
pub struct FileRanges {
    /// The file.
    pub file: Arc<ReadFile>,
    /// The ranges, in bytes from its start.
    pub ranges: Vec<Range<u64>>,
}

impl Vfs {
    /// Returns what only object stores can do; `None` if `uri` is on other storage.
    pub(super) fn objects(&self, uri: &Uri) -> Result<Option<&dyn Objects>> {
        Ok(self.backend(uri)?.objects())
    }

    /// Returns whether a URI is on an object store: folders exist as long as something is in them,
    /// files appear with one request, and there are neither renames nor locks.
    pub fn is_object_store(&self, uri: &Uri) -> bool {
        self.objects(uri).is_ok_and(|objects| objects.is_some())
    }

    /// Returns whether a URI is on an object store that stores folders as entries: they also exist
    /// without files in them, and are moved and removed with one request.
    pub fn has_directories(&self, uri: &Uri) -> Result<bool> {
        self.objects(uri)?
            .map_or(Ok(false), |objects| objects.has_directories(uri))
    }

    /// Returns the entries of a folder that may belong to an array or a group: on object stores
    /// those whose names begin with two underscores, with one request; elsewhere all.
    pub fn list_own(&self, uri: &Uri) -> Result<Vec<Entry>> {
        match self.objects(uri)? {
            Some(objects) => objects.list_own(uri),
            None => self.list(uri),
        }
    }

    /// Calls `take` with the rest of the URI of each file below a folder, sorted. For object stores
    /// only.
    pub fn for_each_below(
        &self,
        root: &Uri,
        scope: ListingScope,
        take: &mut dyn FnMut(&str),
    ) -> Result<()> {
        let objects = self.buckets("list", root)?;
        objects.walk(root, scope, &mut |rest, _| {
            take(rest);
            Ok(true)
        })
    }

    fn buckets(&self, action: &str, uri: &Uri) -> Result<&dyn Objects> {
        self.objects(uri)?.ok_or_else(|| unsupported(action))
    }

    /// Creates a bucket. An error on storage without buckets.
    pub fn create_bucket(&self, uri: &Uri) -> Result<()> {
        self.buckets("create_bucket", uri)?.create_bucket(uri)
    }

    /// Removes a bucket and everything in it. An error on storage without buckets.
    pub fn remove_bucket(&self, uri: &Uri) -> Result<()> {
        self.buckets("remove_bucket", uri)?.remove_bucket(uri)
    }

    /// Removes everything in a bucket. An error on storage without buckets.
    pub fn empty_bucket(&self, uri: &Uri) -> Result<()> {
        self.buckets("empty_bucket", uri)?.empty_bucket(uri)
    }

    /// Returns whether a bucket exists. An error on storage without buckets.
    pub fn is_bucket(&self, uri: &Uri) -> Result<bool> {
        self.buckets("is_bucket", uri)?.is_bucket(uri)
    }

    /// Returns whether a bucket is empty. An error on storage without buckets.
    pub fn is_empty_bucket(&self, uri: &Uri) -> Result<bool> {
        self.buckets("is_empty_bucket", uri)?.is_empty_bucket(uri)
    }

    /// Returns the URIs of the objects of uploads below a prefix that were begun and not completed.
    /// An error on other storage.
    pub fn uploads(&self, uri: &Uri) -> Result<Vec<String>> {
        self.buckets("uploads", uri)?.uploads(uri)
    }

    /// Aborts uploads below a prefix that were begun and not completed. Returns their number. An
    /// error on other storage.
    pub fn abort_uploads(&self, uri: &Uri) -> Result<u64> {
        self.buckets("abort_uploads", uri)?.abort_uploads(uri)
    }

    /// Runs `body` for each index below `count`: on threads that wait for requests if `uri` is on
    /// an object store, as many as requests may be in flight, else on threads for input and output.
    pub fn for_each(
        &self,
        uri: &Uri,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        match self.objects(uri)? {
            Some(objects) => self
                .context
                .for_each_request(objects.parallel()?, count, body),
            None => self.context.for_each_io(count, body),
        }
    }

    /// Returns `body` of each index below `count`, computed as by [`Vfs::for_each`].
    pub fn map<T: Send>(
        &self,
        uri: &Uri,
        count: usize,
        body: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
        self.for_each(uri, count, |index| {
            *results[index].lock() = Some(body(index)?);
            Ok(())
        })?;
        Ok(results.into_iter().filter_map(Mutex::into_inner).collect())
    }

    /// Removes files that may not exist: with few requests on object stores, one by one elsewhere.
    /// Returns whether one existed, if the storage reports that.
    pub fn remove_files_if_any(&self, uris: &[Uri]) -> Result<bool> {
        let Some(first) = uris.first() else {
            return Ok(false);
        };
        if let Some(objects) = self.objects(first)? {
            objects.remove_files(uris)?;
            return Ok(true);
        }
        let mut any = false;
        for uri in uris {
            any |= self.remove_file_if_any(uri)?;
        }
        Ok(any)
    }

    /// Removes files that may not exist in stages: those of one before those of the next, or all at
    /// once if one request to an object store can remove them.
    pub fn remove_stages_if_any(&self, stages: &[Vec<Uri>]) -> Result<()> {
        let first = stages.iter().flatten().next();
        match first.map(|first| self.objects(first)).transpose()? {
            Some(Some(objects)) => objects.remove_stages(stages),
            _ => stages
                .iter()
                .try_for_each(|stage| self.remove_files_if_any(stage).map(drop)),
        }
    }

    /// Begins to load ranges of files that are about to be read, with as few requests as possible,
    /// all at the same time. Does not wait for them: reads do. Does nothing on storage where a read
    /// sends no request.
    pub fn announce(&self, announced: &[FileRanges]) -> Result<()> {
        let mut to_load: Vec<(Weak<ReadFile>, Range<u64>)> = Vec::new();
        for request in announced {
            to_load.extend(
                request
                    .file
                    .announce(&request.ranges)
                    .into_iter()
                    .map(|range| (Arc::downgrade(&request.file), range)),
            );
        }
        let Some(first) = announced.first().filter(|_| !to_load.is_empty()) else {
            return Ok(());
        };
        let Some(objects) = self.objects(&first.file.uri)? else {
            return Ok(());
        };
        let (threads, count) = (objects.parallel()?, to_load.len());
        self.context.spawn_requests(threads, count, move |index| {
            // A file that was closed meanwhile is not needed any more.
            if let Some((file, range)) = to_load.get(index)
                && let Some(file) = file.upgrade()
            {
                file.load(range);
            }
        });
        Ok(())
    }
}

impl Vfs {
    /// Visits everything below a folder, sorted by name, each folder before its contents. Folders
    /// have the size 0. Symbolic links to folders are visited but not followed. A missing folder is
    /// an error.
    pub fn walk(
        &self,
        uri: &Uri,
        visit: &mut dyn FnMut(&Uri, &Entry) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        if let Some(objects) = self.objects(uri)? {
            return walk_objects(objects, uri, visit);
        }
        if !self.is_dir(uri)? {
            let kind = if self.is_file(uri)? {
                std::io::ErrorKind::NotADirectory
            } else {
                std::io::ErrorKind::NotFound
            };
            return Err(Error::storage("list directory", uri.as_str(), kind.into()));
        }
        self.walk_below(uri, visit).map(drop)
    }

    fn walk_below(
        &self,
        uri: &Uri,
        visit: &mut dyn FnMut(&Uri, &Entry) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        // An explicit stack: folders may nest to any depth.
        let mut open = vec![(uri.clone(), self.list_with_sizes(uri)?.into_iter())];
        while let Some((folder, entries)) = open.last_mut() {
            let Some(entry) = entries.next() else {
                open.pop();
                continue;
            };
            let entry_uri = folder.join(&entry.name);
            if visit(&entry_uri, &entry)? == ControlFlow::Break(()) {
                return Ok(ControlFlow::Break(()));
            }
            if entry.kind == EntryKind::Directory && !entry.link {
                let below = self.list_with_sizes(&entry_uri)?.into_iter();
                open.push((entry_uri, below));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the size of all files below a folder in bytes.
    pub fn dir_size(&self, uri: &Uri) -> Result<u64> {
        if !self.is_dir(uri)? {
            return Err(VfsError::NotAFolder {
                uri: uri.to_string(),
            }
            .into());
        }
        let mut sum = 0_u64;
        if let Some(objects) = self.objects(uri)? {
            objects.walk(uri, ListingScope::All, &mut |_, size| {
                sum = sum.saturating_add(size);
                Ok(true)
            })?;
            return Ok(sum);
        }
        self.walk_below(uri, &mut |_, entry| {
            sum = sum.saturating_add(entry.size);
            Ok(ControlFlow::Continue(()))
        })
        .map(|_| ())?;
        Ok(sum)
    }

    /// Copies a file within a storage backend or between two. An existing file is replaced. Copying
    /// a file to itself is an error.
    pub fn copy_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        let is_same_storage = from.scheme() == to.scheme();
        if let Some(objects) = self.objects(from)?.filter(|_| is_same_storage) {
            self.check_apart("copy file", from, to)?;
            return objects.copy_file(from, to);
        }
        let source = self.open(from)?;
        if !self.is_object_store(from) && self.is_dir(from)? {
            let kind = std::io::ErrorKind::IsADirectory;
            return Err(Error::storage("copy file", from.as_str(), kind.into()));
        }
        self.check_apart("copy file", from, to)?;
        let size = source.size()?;
        let mut target = self.create(to)?;
        let mut buffer =
            vec![0; COPY_BUFFER_BYTES.min(usize::try_from(size).unwrap_or(COPY_BUFFER_BYTES))];
        let mut offset = 0;
        while offset < size {
            let len = buffer
                .len()
                .min(usize::try_from(size - offset).unwrap_or(usize::MAX));
            let part = &mut buffer[..len];
            source.read_at(offset, part)?;
            target.write(part)?;
            offset += len as u64;
        }
        target.sync()?;
        target.close()
    }

    /// Moves a file within a storage backend and replaces an existing target.
    pub fn move_file(&self, from: &Uri, to: &Uri) -> Result<()> {
        let is_inside = to.as_str().starts_with(from.object_below("").as_str());
        let has_prefixes = self.is_object_store(from) && !self.has_directories(from)?;
        if has_prefixes && from.scheme() == to.scheme() && !is_inside {
            // Objects below a folder of the same name are not moved.
            match self.copy_file(from, to) {
                Err(error) if error.is_missing_file() => {}
                Err(error) => return Err(error),
                Ok(()) => return self.remove_file(from),
            }
        }
        self.rename("move_file", from, to)
    }

    /// Returns an error if both are the same file or folder: creating the target would empty the
    /// source.
    fn check_apart(&self, action: &'static str, from: &Uri, to: &Uri) -> Result<()> {
        let kind = std::io::ErrorKind::AlreadyExists;
        if self.is_same(from, to)? {
            Err(Error::storage(action, from.as_str(), kind.into()))
        } else {
            Ok(())
        }
    }

    /// Copies a file into a folder, or to a name in a folder that exists.
    fn copy_file_as_folder(&self, from: &Uri, to: &Uri) -> Result<()> {
        if self.is_dir(to)? {
            return self.copy_file(from, &to.join(from.name()));
        }
        if !self.is_object_store(to)
            && let Some(folder) = to.parent()
            && !self.is_dir(&folder)?
        {
            let missing = std::io::ErrorKind::NotFound.into();
            return Err(Error::storage("copy file to", to.as_str(), missing));
        }
        self.copy_file(from, to)
    }

    /// Copies a folder with its contents, or a file to a name or into a folder, as libtiledb does.
    /// Copying a folder to itself or over a file is an error, and so is copying a file to a name in
    /// a missing folder.
    pub fn copy_dir(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.check_apart("copy directory", from, to)?;
        let is_same_storage = from.scheme() == to.scheme();
        if let Some(objects) = self.objects(from)?.filter(|_| is_same_storage) {
            return objects.copy_dir(from, to);
        }
        if self.is_file(from)? {
            return self.copy_file_as_folder(from, to);
        }
        if self.is_file(to)? {
            let kind = std::io::ErrorKind::AlreadyExists;
            return Err(Error::storage(
                "copy directory to",
                to.as_str(),
                kind.into(),
            ));
        }
        let mut found = Vec::new();
        self.walk(from, &mut |uri, entry| {
            found.push((uri.clone(), entry.kind));
            Ok(ControlFlow::Continue(()))
        })?;
        let start = from.as_str().trim_end_matches('/').len();
        self.create_dir(to)?;
        for (uri, kind) in found {
            let target = to.join(uri.as_str().get(start..).unwrap_or_default());
            match kind {
                EntryKind::Directory => self.create_dir(&target)?,
                EntryKind::File => self.copy_file(&uri, &target)?,
            }
        }
        Ok(())
    }
}

/// Visits the files below a folder of an object store, sorted by key. Folders are not objects and
/// are not visited.
fn walk_objects(
    objects: &dyn Objects,
    root: &Uri,
    visit: &mut dyn FnMut(&Uri, &Entry) -> Result<ControlFlow<()>>,
) -> Result<()> {
    objects.walk(root, ListingScope::All, &mut |rest, size| {
        let uri = root.object_below(rest);
        let entry = Entry {
            name: uri.name().to_owned(),
            kind: EntryKind::File,
            size,
            link: false,
        };
        Ok(visit(&uri, &entry)? == ControlFlow::Continue(()))
    })
}
