//! A backend over an object store.
//!
//! Folders are prefixes of keys: they exist while an object is below them, and creating or removing
//! an empty one has no effect. A rename is a copy and a removal. Locks are not supported. If the
//! service stores directories as entries, folders are those, and a rename is one request.

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::sink::RemoteSink;
use super::source::{RemoteSource, TailCache};
use super::store::{
    Directories, ListRequest, Location, ObjectStore, Page, PageTokens, StoreResult, exists,
    first_entries, refuse_inside,
};
use crate::context::Context;
use crate::error::{Error, Result, VfsError};
use crate::http::failure::Failure;
use crate::platform::lock::OnceValue;
use crate::types::Timestamp;
use crate::vfs::backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, Objects, OpenMode, Source,
};
use crate::vfs::{Entry, EntryKind, Scheme, Uri};

/// The objects that a listing of a folder returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListDepth {
    /// Those directly in the folder, and the folders in it.
    Folder,
    /// Everything below the folder.
    All,
}

/// The backend of one service.
pub(in crate::vfs) struct Remote {
    pub(super) context: Arc<Context>,
    pub(super) scheme: Scheme,
    store: OnceValue<Arc<dyn ObjectStore>>,
    tails: Arc<TailCache>,
    /// Whether the service has no requests with several deletions.
    lacks_batches: AtomicBool,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("scheme", &self.scheme)
            .finish()
    }
}

impl Remote {
    pub(in crate::vfs) fn new(context: &Arc<Context>, scheme: Scheme) -> Self {
        Self {
            context: context.clone(),
            scheme,
            store: OnceValue::new(),
            tails: Arc::default(),
            lacks_batches: AtomicBool::new(false),
        }
    }

    /// Returns a backend over a store.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn with_store(
        context: &Arc<Context>,
        scheme: Scheme,
        store: Arc<dyn ObjectStore>,
    ) -> Self {
        Self {
            store: OnceValue::from(store),
            ..Self::new(context, scheme)
        }
    }

    /// Returns the client of the service, created when it is first needed.
    pub(super) fn store(&self) -> Result<&Arc<dyn ObjectStore>> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let store: Arc<dyn ObjectStore> = match self.scheme {
            #[cfg(feature = "s3")]
            Scheme::S3 => Arc::new(super::s3::S3::new(&self.context)?),
            #[cfg(all(feature = "rest", feature = "s3"))]
            Scheme::TileDb => Arc::new(super::s3::S3::of_server(&self.context)?),
            #[cfg(feature = "azure")]
            Scheme::Azure => Arc::new(super::azure::Azure::new(&self.context)?),
            #[cfg(feature = "gcs")]
            Scheme::Gcs => Arc::new(super::gcs::Gcs::new(&self.context)?),
            _ => {
                return Err(VfsError::NotAnObjectStore.into());
            }
        };
        Ok(self.store.get_or_init(|| store))
    }

    /// The bucket and the key of a URI.
    pub(super) fn locate(&self, uri: &Uri) -> Result<Location> {
        let rest = uri.as_str().split_once("://").map_or("", |(_, rest)| rest);
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(VfsError::NoBucket {
                uri: uri.to_string(),
            }
            .into());
        }
        Ok(Location::new(bucket, key))
    }

    /// The location of an object, which needs a key.
    pub(super) fn locate_object(&self, action: &'static str, uri: &Uri) -> Result<Location> {
        let location = self.locate(uri)?;
        if location.key.is_empty() || location.key.ends_with('/') {
            Err(Error::storage(
                action,
                uri.as_str(),
                ErrorKind::IsADirectory.into(),
            ))
        } else {
            Ok(location)
        }
    }

    pub(super) fn source(&self, uri: &Uri, size: Option<u64>) -> Result<Box<dyn Source>> {
        let object = self.locate_object("open file", uri)?;
        let store = self.store()?.clone();
        let (context, tails) = (self.context.clone(), self.tails.clone());
        Ok(Box::new(RemoteSource::new(
            context,
            store,
            tails,
            uri.clone(),
            object,
            size,
        )))
    }

    /// Calls `take` with the pages of a listing of a folder. It returns whether to continue.
    pub(super) fn pages(
        &self,
        action: &'static str,
        uri: &Uri,
        depth: ListDepth,
        take: impl FnMut(Page) -> Result<bool>,
    ) -> Result<()> {
        self.pages_of(action, uri, "", depth, take)
    }

    /// Calls `take` with the pages of a listing of the names in a folder that start with `names`.
    pub(super) fn pages_of(
        &self,
        action: &'static str,
        uri: &Uri,
        names: &str,
        depth: ListDepth,
        mut take: impl FnMut(Page) -> Result<bool>,
    ) -> Result<()> {
        let store = self.store()?;
        let folder = self.locate(uri)?;
        let prefix = format!("{}{names}", folder.prefix());
        let mut next: Option<String> = None;
        let mut tokens = PageTokens::default();
        loop {
            let page = store
                .list(ListRequest {
                    bucket: &folder.bucket,
                    prefix: &prefix,
                    by_folder: depth == ListDepth::Folder,
                    most: 0,
                    next: next.as_deref(),
                })
                .map_err(|failure| failure.into_error(action, uri.as_str()))?;
            next = page.next.clone();
            let is_empty = page.is_empty();
            let continues = take(page)?;
            let Some(token) = next.as_deref().filter(|_| continues) else {
                return Ok(());
            };
            let advanced = tokens.advance(token, is_empty);
            advanced.map_err(|failure| failure.into_error(action, uri.as_str()))?;
        }
    }

    /// Returns the maximum number of objects that one request removes.
    pub(super) fn delete_limit(&self) -> Result<usize> {
        if self.lacks_batches.load(Ordering::Relaxed) {
            return Ok(1);
        }
        Ok(self.store()?.max_deletions().max(1))
    }

    /// Removes objects, with one request if the service supports that.
    fn delete_group(
        &self,
        store: &dyn ObjectStore,
        bucket: &str,
        keys: &[String],
    ) -> StoreResult<()> {
        let delete_each = |keys: &[String]| {
            keys.iter()
                .try_for_each(|key| store.delete(&Location::new(bucket, key)))
        };
        if keys.len() <= 1 || self.lacks_batches.load(Ordering::Relaxed) {
            return delete_each(keys);
        }
        match store.delete_batch(bucket, keys) {
            Ok(left) => delete_each(&left),
            Err(failure)
                if matches!(failure.status, 400 | 404 | 405 | 501)
                    && !failure.is_missing_bucket() =>
            {
                delete_each(keys)?;
                // Single deletions work, so the service does not support batches.
                self.lacks_batches.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }

    /// Removes objects, with as few requests as the service permits.
    pub(super) fn delete_keys(
        &self,
        action: &'static str,
        bucket: &str,
        keys: &[String],
    ) -> Result<()> {
        let store = self.store()?;
        let groups: Vec<&[String]> = keys.chunks(self.delete_limit()?).collect();
        self.context
            .for_each_request(store.parallel(), groups.len(), |index| {
                let deleted = self.delete_group(&**store, bucket, groups[index]);
                deleted.map_err(|failure| {
                    let key = groups[index].first().map_or("", String::as_str);
                    let uri = format!("{}://{bucket}/{key}", self.scheme.service());
                    failure.into_error(action, &uri)
                })
            })
    }

    /// Removes everything below a folder, page by page of its listing.
    pub(super) fn delete_below(&self, action: &'static str, uri: &Uri) -> Result<()> {
        let bucket = self.locate(uri)?.bucket;
        self.pages(action, uri, ListDepth::All, |page| {
            let keys: Vec<String> = page.objects.into_iter().map(|object| object.key).collect();
            self.delete_keys(action, &bucket, &keys)?;
            Ok(true)
        })
    }
}

/// The entries of a page of a listing by folder.
pub(super) fn entries(prefix: &str, page: Page) -> Vec<Entry> {
    let folders = page
        .prefixes
        .into_iter()
        .map(|folder| (folder, EntryKind::Directory, 0));
    folders
        .chain(
            page.objects
                .into_iter()
                .map(|object| (object.key, EntryKind::File, object.info.size)),
        )
        .filter_map(|(key, kind, size)| {
            let name = key.strip_prefix(prefix)?.trim_end_matches('/');
            (!name.is_empty()).then(|| Entry {
                name: name.to_owned(),
                kind,
                size,
                link: false,
            })
        })
        .collect()
}

impl Backend for Remote {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        self.source(uri, None)
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        if opening == OpenMode::Append {
            return Err(VfsError::AppendToStore.into());
        }
        let object = self.locate_object("create file", uri)?;
        let store = self.store()?.clone();
        Ok(Box::new(RemoteSink::new(
            self.context.clone(),
            store,
            uri.clone(),
            object,
        )))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        let object = self.locate_object("get file size of", uri)?;
        let info = self.store()?.head(&object);
        Ok(info
            .map_err(|failure| failure.into_error("get file size of", uri.as_str()))?
            .size)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        let object = self.locate(uri)?;
        if object.key.is_empty() || object.key.ends_with('/') {
            return Ok(false);
        }
        let found = exists(self.store()?.head(&object));
        found.map_err(|failure| failure.into_error("look up", uri.as_str()))
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        let folder = self.locate(uri)?;
        let store = self.store()?;
        let prefix = folder.prefix();
        if prefix.is_empty() {
            let found = store.is_bucket(&folder.bucket);
            return found.map_err(|failure| failure.into_error("look up", uri.as_str()));
        }
        let request = ListRequest {
            bucket: &folder.bucket,
            prefix: &prefix,
            by_folder: false,
            most: 1,
            next: None,
        };
        let failed = |failure: Failure| failure.into_error("look up", uri.as_str());
        let page = match store.list(request) {
            Err(failure) if failure.is_not_found() => return Ok(false),
            page => page.map_err(failed)?,
        };
        if !page.is_empty() {
            return Ok(true);
        }
        if let Some(directories) = self.directories("look up", uri, &folder)? {
            return directories.is_directory(&folder).map_err(failed);
        }
        let Some(next) = page.next.as_deref() else {
            return Ok(false);
        };
        let rest = ListRequest {
            next: Some(next),
            ..request
        };
        let page = first_entries(&**store, rest).map_err(failed)?;
        Ok(!page.is_empty())
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        let key = |uri: &Uri| uri.as_str().trim_end_matches('/').to_owned();
        Ok(key(one) == key(other))
    }

    fn list(&self, uri: &Uri, _sizes: EntrySizes) -> Result<Vec<Entry>> {
        let prefix = self.locate(uri)?.prefix();
        let mut found = Vec::new();
        self.pages("list directory", uri, ListDepth::Folder, |page| {
            found.extend(entries(&prefix, page));
            Ok(true)
        })?;
        Ok(found)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        let folder = self.locate(uri)?;
        match self.directories("create directory", uri, &folder)? {
            Some(directories) => directories
                .create_directory(&folder)
                .map_err(|failure| failure.into_error("create directory", uri.as_str())),
            None => Ok(()),
        }
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let object = self.locate_object("delete file", uri)?;
        let removed = self.store()?.delete(&object);
        removed.map_err(|failure| failure.into_error("delete file", uri.as_str()))
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.remove_folder("delete directory", uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        let object = self.locate_object("create file", uri)?;
        if self.is_file(uri)? {
            return Ok(());
        }
        let stored = self.store()?.put(&object, &[]);
        stored.map_err(|failure| failure.into_error("create file", uri.as_str()))
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        let folder = self.locate(from)?;
        if let Some(directories) = self.directories("move", from, &folder)? {
            let target = self.locate(to)?;
            refuse_inside("move", from, &folder, &target)?;
            let moved = directories.rename(&folder, &target, true);
            return moved
                .map(drop)
                .map_err(|failure| failure.into_error("move", from.as_str()));
        }
        let copied = self.copy_folder("move", from, to)?;
        if !copied.is_empty() {
            return self.delete_copied("move", &folder, copied);
        }
        self.copy_file(from, to)?;
        self.remove_file(from)
    }

    fn sync(&self, _uri: &Uri) -> Result<()> {
        Ok(())
    }

    fn publish_file(&self, _staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let mut sink = self.create(uri, OpenMode::Replace)?;
        sink.write_vectored(&mut [std::io::IoSlice::new(bytes)])?;
        sink.close()
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        if let Some(directories) = self.directories("move", from, &self.locate(from)?)? {
            return self.publish_directory(directories, from, to);
        }
        if self.is_dir(to)? && !self.remove_interrupted_copy(to)? {
            return Ok(false);
        }
        self.rename(from, to)?;
        Ok(true)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.locate(uri).map(|_| true)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        let folder = self.locate(uri)?;
        match self.directories("delete directory", uri, &folder)? {
            Some(directories) => directories
                .remove_directory(&folder, false)
                .map_err(|failure| failure.into_error("delete directory", uri.as_str())),
            None => Ok(false),
        }
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        let object = self.locate_object("get time of", uri)?;
        let info = self.store()?.head(&object);
        Ok(info
            .map_err(|failure| failure.into_error("get time of", uri.as_str()))?
            .modified)
    }

    fn folder_state(&self, _uri: &Uri) -> Result<Option<FolderState>> {
        Ok(None)
    }

    fn try_lock(&self, _uri: &Uri, _mode: LockMode) -> Result<LockAttempt> {
        Ok(LockAttempt::Unsupported)
    }

    fn objects(&self) -> Option<&dyn Objects> {
        Some(self)
    }
}

impl Remote {
    /// Returns the operations on directories, if the service has any and `folder`, the location of
    /// `uri`, is not a whole bucket.
    pub(super) fn directories(
        &self,
        action: &'static str,
        uri: &Uri,
        folder: &Location,
    ) -> Result<Option<&dyn Directories>> {
        if folder.prefix().is_empty() {
            return Ok(None);
        }
        let found = self.store()?.directories(&folder.bucket);
        found.map_err(|failure| failure.into_error(action, uri.as_str()))
    }

    /// Removes everything below a folder, and the folder if it is an entry.
    pub(super) fn remove_folder(&self, action: &'static str, uri: &Uri) -> Result<()> {
        let folder = self.locate(uri)?;
        if let Some(directories) = self.directories(action, uri, &folder)? {
            let removed = directories.remove_directory(&folder, true);
            return removed
                .map(drop)
                .map_err(|failure| failure.into_error(action, uri.as_str()));
        }
        self.delete_below(action, uri)?;
        if !folder.prefix().is_empty() {
            return Ok(());
        }
        // Only directories are left in the bucket.
        let mut left = Vec::new();
        let has_directories = self.store()?.directories(&folder.bucket);
        let failed = |failure: Failure| failure.into_error(action, uri.as_str());
        let Some(directories) = has_directories.map_err(failed)? else {
            return Ok(());
        };
        self.pages(action, uri, ListDepth::Folder, |page| {
            left.extend(page.prefixes);
            Ok(true)
        })?;
        for directory in left {
            let directory = folder.with_key(directory);
            let removed = directories.remove_directory(&directory, true);
            removed.map_err(failed)?;
        }
        Ok(())
    }

    /// Renames a directory to a name at which nothing or an empty directory exists. Returns `false`
    /// if something else exists there.
    pub(super) fn publish_directory(
        &self,
        directories: &dyn Directories,
        from: &Uri,
        to: &Uri,
    ) -> Result<bool> {
        let (source, target) = (self.locate(from)?, self.locate(to)?);
        // A bucket is not a directory that a move could replace.
        if target.prefix().is_empty() {
            return Ok(false);
        }
        let published = directories
            .remove_directory(&target, false)
            .and_then(|_| directories.rename(&source, &target, false));
        published.map_err(|failure| failure.into_error("move", from.as_str()))
    }
}
