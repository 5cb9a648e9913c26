//! An object store in memory for tests, whose requests fail on command.
//!
//! It counts requests, and those of them that change something. From the change that a test names
//! on they fail, as if the process was killed there. Another operation can run between two
//! requests. It is part of every build so that the tests of other crates can use it; nothing else
//! creates one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::ErrorKind;
use std::ops::{Bound, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::backend::Remote;
use super::store::{
    Directories, ListRequest, ListedObject, Location, ObjectInfo, ObjectStore, ObjectVersion, Page,
    PartRange, StoreResult, Upload, UploadRules, UploadedPart, Uploads,
};
use crate::context::Context;
use crate::http::exchange::BodyTarget;
use crate::http::failure::Failure;
use crate::platform::lock::Mutex;
use crate::types::{Timestamp, now};
use crate::vfs::{Backend, Scheme};

/// An object store that fails on command. Clones are the same store.
#[derive(Clone, Debug)]
pub struct FaultyStore {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    /// By bucket and key.
    objects: Mutex<BTreeMap<Name, Object>>,
    /// By bucket and key; `None` if folders are only prefixes of keys.
    directories: Option<Mutex<BTreeSet<Name>>>,
    /// The number of requests so far.
    requests: AtomicU64,
    /// The number of requests so far that change something.
    changes: AtomicU64,
    /// The number of objects that were stored so far.
    versions: AtomicU64,
    /// The numbers of the changes that fail.
    failing: Mutex<Range<u64>>,
    /// The effect of a change that fails.
    effect: Mutex<Effect>,
    /// An action that runs before the request with this number.
    meanwhile: Mutex<Option<(u64, Action)>>,
    limits: StoreLimits,
}

/// A bucket and a key.
type Name = (String, String);

/// The limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct StoreLimits {
    /// The number of objects that one request removes.
    pub deletions: usize,
    /// The number of entries of a page of a listing.
    pub page_entries: usize,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            deletions: 1000,
            page_entries: 1000,
        }
    }
}

/// The effect of a change that fails.
#[derive(Clone, Copy, Debug, Default)]
enum Effect {
    #[default]
    None,
    /// Requests with several deletions remove all objects but the first.
    Partial,
    /// All, and only the response is lost.
    Complete,
}

struct Action(Box<dyn FnOnce() + Send>);

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Action")
    }
}

#[derive(Clone, Debug)]
struct Object {
    bytes: Arc<[u8]>,
    modified: Timestamp,
    /// A number that no other object has had.
    version: u64,
}

impl Object {
    fn info(&self) -> ObjectInfo {
        ObjectInfo {
            size: self.bytes.len() as u64,
            modified: self.modified,
        }
    }

    fn version(&self) -> ObjectVersion {
        ObjectVersion {
            size: Some(self.bytes.len() as u64),
            tag: Some(self.version.to_string()),
        }
    }
}

impl FaultyStore {
    /// Returns an empty store whose folders are prefixes of keys.
    pub fn new(limits: StoreLimits) -> Self {
        Self::of_directories(limits, None)
    }

    /// Returns an empty store whose folders are entries, which remain until they are removed.
    pub fn with_directories(limits: StoreLimits) -> Self {
        Self::of_directories(limits, Some(Mutex::default()))
    }

    fn of_directories(limits: StoreLimits, directories: Option<Mutex<BTreeSet<Name>>>) -> Self {
        Self {
            state: Arc::new(State {
                objects: Mutex::default(),
                directories,
                requests: AtomicU64::new(0),
                changes: AtomicU64::new(0),
                versions: AtomicU64::new(0),
                failing: Mutex::default(),
                effect: Mutex::default(),
                meanwhile: Mutex::default(),
                limits,
            }),
        }
    }

    /// Returns a backend over the store, whatever the scheme of URIs is.
    pub fn backend(&self, context: &Arc<Context>) -> Arc<dyn Backend> {
        Arc::new(Remote::with_store(
            context,
            Scheme::S3,
            Arc::new(self.clone()),
        ))
    }

    /// The number of requests so far.
    pub fn requests(&self) -> u64 {
        self.state.requests.load(Ordering::SeqCst)
    }

    /// Runs an action, once, before the request of this number, counted from 0.
    pub fn meanwhile(&self, request: u64, action: impl FnOnce() + Send + 'static) {
        *self.state.meanwhile.lock() = Some((request, Action(Box::new(action))));
    }

    /// Removes the action of [`FaultyStore::meanwhile`]. Returns whether it had not run.
    pub fn clear_meanwhile(&self) -> bool {
        self.state.meanwhile.lock().take().is_some()
    }

    /// The number of requests so far that change something.
    pub fn changes(&self) -> u64 {
        self.state.changes.load(Ordering::SeqCst)
    }

    /// Fails all changes from the one of this number on, counted from 0.
    pub fn fail_from(&self, change: u64) {
        self.fail(change..u64::MAX, Effect::None);
    }

    /// Fails the change of this number, counted from 0.
    pub fn fail_once(&self, change: u64) {
        self.fail(change..change + 1, Effect::None);
    }

    /// Fails the change of this number, counted from 0. If it removes several objects, the first
    /// one stays.
    pub fn fail_partly(&self, change: u64) {
        self.fail(change..change + 1, Effect::Partial);
    }

    /// Makes the change of this number, counted from 0, and reports it as failed.
    pub fn lose_response(&self, change: u64) {
        self.fail(change..change + 1, Effect::Complete);
    }

    fn fail(&self, changes: Range<u64>, effect: Effect) {
        *self.state.failing.lock() = changes;
        *self.state.effect.lock() = effect;
    }

    /// Fails no more.
    pub fn heal(&self) {
        *self.state.failing.lock() = 0..0;
    }

    /// Makes all objects older by a number of milliseconds.
    pub fn age(&self, duration: u64) {
        for object in self.state.objects.lock().values_mut() {
            object.modified = object.modified.saturating_sub(duration);
        }
    }

    /// Counts a request, and runs what is to run before it.
    fn request(&self) {
        let number = self.state.requests.fetch_add(1, Ordering::SeqCst);
        let mut meanwhile = self.state.meanwhile.lock();
        let action = meanwhile.take_if(|(request, _)| *request == number);
        drop(meanwhile);
        if let Some((_, Action(action))) = action {
            action();
        }
    }

    /// Counts a change, and makes it unless it fails before.
    fn change<T>(&self, make: impl FnOnce() -> StoreResult<T>) -> StoreResult<T> {
        self.change_in_parts(|| {}, make)
    }

    /// Counts a change, and makes it, or a part of it with `begin`, unless it fails before.
    fn change_in_parts<T>(
        &self,
        begin: impl FnOnce(),
        make: impl FnOnce() -> StoreResult<T>,
    ) -> StoreResult<T> {
        self.request();
        let number = self.state.changes.fetch_add(1, Ordering::SeqCst);
        if !self.state.failing.lock().contains(&number) {
            return make();
        }
        let effect = *self.state.effect.lock();
        match effect {
            Effect::None => {}
            Effect::Partial => begin(),
            Effect::Complete => drop(make()?),
        }
        Err(Failure::new(
            ErrorKind::ConnectionReset,
            "the request failed",
        ))
    }

    fn find(&self, location: &Location) -> StoreResult<Object> {
        let objects = self.state.objects.lock();
        let object = objects.get(&name(location)).cloned();
        object.ok_or_else(|| Failure::new(ErrorKind::NotFound, "no such object"))
    }

    fn insert(&self, location: &Location, bytes: Arc<[u8]>) -> StoreResult<()> {
        self.insert_directories(location.bucket.as_str(), parent(&location.key))?;
        if self.has_directory(location) {
            return Err(Failure::new(ErrorKind::IsADirectory, "a directory"));
        }
        let modified = now();
        let version = self.state.versions.fetch_add(1, Ordering::SeqCst);
        let object = Object {
            bytes,
            modified,
            version,
        };
        self.state.objects.lock().insert(name(location), object);
        Ok(())
    }

    /// Returns whether a directory exists as an entry.
    fn has_directory(&self, location: &Location) -> bool {
        let directories = self.state.directories.as_ref();
        let key = location.key.trim_end_matches('/').to_owned();
        let name = (location.bucket.clone(), key);
        directories.is_some_and(|directories| directories.lock().contains(&name))
    }

    /// Creates a directory and its parents if folders are entries.
    fn insert_directories(&self, bucket: &str, key: Option<&str>) -> StoreResult<()> {
        let Some(directories) = &self.state.directories else {
            return Ok(());
        };
        let mut next = key;
        while let Some(key) = next {
            let name = (bucket.to_owned(), key.to_owned());
            if self.state.objects.lock().contains_key(&name) {
                return Err(Failure::new(ErrorKind::NotADirectory, "a file"));
            }
            directories.lock().insert(name);
            next = parent(key);
        }
        Ok(())
    }

    /// Removes a directory and those in it.
    fn remove_directories(&self, directory: &Location) {
        let prefix = directory.prefix();
        if let Some(directories) = &self.state.directories {
            directories.lock().retain(|(bucket, key)| {
                *bucket != directory.bucket || !format!("{key}/").starts_with(&prefix)
            });
        }
    }

    /// Returns the keys of a bucket that begin with a prefix. Those of directories have a slash at
    /// the end.
    fn keys_from(&self, bucket: &str, prefix: &str) -> BTreeMap<String, Option<ObjectInfo>> {
        let start = (bucket.to_owned(), prefix.to_owned());
        let is_listed = |(other, key): &Name| other == bucket && key.starts_with(prefix);
        let objects = self.state.objects.lock();
        let objects = objects.range(start..);
        let objects = objects.take_while(|(name, _)| is_listed(name));
        let mut keys: BTreeMap<String, Option<ObjectInfo>> = objects
            .map(|((_, key), object)| (key.clone(), Some(object.info())))
            .collect();
        if let Some(directories) = &self.state.directories {
            for (other, key) in directories.lock().iter() {
                let name = (other.clone(), format!("{key}/"));
                if is_listed(&name) && name.1 != prefix {
                    keys.insert(name.1, None);
                }
            }
        }
        keys
    }
}

fn name(location: &Location) -> Name {
    (location.bucket.clone(), location.key.clone())
}

/// Returns the key of the directory that contains a key; `None` for the bucket.
fn parent(key: &str) -> Option<&str> {
    key.rsplit_once('/').map(|(parent, _)| parent)
}

fn no_parts<T>() -> StoreResult<T> {
    let message = "the store has no uploads in parts";
    Err(Failure::new(ErrorKind::Unsupported, message))
}

impl ObjectStore for FaultyStore {
    fn read(
        &self,
        object: &Location,
        range: Range<u64>,
        to: BodyTarget<'_>,
    ) -> StoreResult<ObjectVersion> {
        self.request();
        let object = self.find(object)?;
        let bytes = &object.bytes;
        let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let Some(mut part) = bytes.get(index(range.start)..index(range.end)) else {
            return Err(Failure::new(ErrorKind::UnexpectedEof, "beyond the end"));
        };
        match to {
            BodyTarget::Fill(to) => to.copy_from_slice(part),
            BodyTarget::Steps(steps) => {
                steps.begin();
                while let Some(step) = steps.next() {
                    let (bytes, rest) = part.split_at(step.len());
                    step.copy_from_slice(bytes);
                    part = rest;
                }
            }
            BodyTarget::Collect | BodyTarget::Stream(_) => {}
        }
        Ok(object.version())
    }

    fn read_tail(&self, object: &Location, most: u64) -> StoreResult<(Vec<u8>, ObjectVersion)> {
        self.request();
        let object = self.find(object)?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let start = object.bytes.len().saturating_sub(most);
        Ok((object.bytes[start..].to_vec(), object.version()))
    }

    fn read_all(&self, object: &Location) -> StoreResult<Vec<u8>> {
        self.request();
        Ok(self.find(object)?.bytes.to_vec())
    }

    fn head(&self, object: &Location) -> StoreResult<ObjectInfo> {
        self.request();
        Ok(self.find(object)?.info())
    }

    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()> {
        self.change(|| self.insert(object, bytes.into()))
    }

    fn list(&self, request: ListRequest<'_>) -> StoreResult<Page> {
        self.request();
        let most = match request.most {
            0 => self.state.limits.page_entries,
            most => most.min(self.state.limits.page_entries),
        };
        let keys = self.keys_from(request.bucket, request.prefix);
        let start = match request.next {
            Some(last) => Bound::Excluded(last),
            None => Bound::Unbounded,
        };
        let mut page = Page::default();
        let mut last_key = None;
        for (key, info) in keys.range::<str, _>((start, Bound::Unbounded)) {
            let rest = &key[request.prefix.len()..];
            let folder = rest.split_once('/').filter(|_| request.by_folder);
            let folder = folder.map(|(folder, _)| format!("{}{folder}/", request.prefix));
            if (folder.is_some() && folder.as_ref() == page.prefixes.last())
                || (folder.is_none() && info.is_none())
            {
                last_key = Some(key);
                continue;
            }
            if page.objects.len() + page.prefixes.len() == most {
                page.next = last_key.cloned();
                break;
            }
            last_key = Some(key);
            match (folder, *info) {
                (Some(folder), _) => page.prefixes.push(folder),
                (None, Some(info)) => page.objects.push(ListedObject {
                    key: key.clone(),
                    info,
                }),
                (None, None) => {}
            }
        }
        Ok(page)
    }

    fn delete(&self, object: &Location) -> StoreResult<()> {
        self.change(|| {
            self.state.objects.lock().remove(&name(object));
            Ok(())
        })
    }

    fn max_deletions(&self) -> usize {
        self.state.limits.deletions
    }

    fn delete_batch(&self, bucket: &str, keys: &[String]) -> StoreResult<Vec<String>> {
        let remove = |keys: &[String]| {
            let mut objects = self.state.objects.lock();
            for key in keys {
                objects.remove(&(bucket.to_owned(), key.clone()));
            }
        };
        let begin = || remove(keys.get(1..).unwrap_or_default());
        self.change_in_parts(begin, || {
            remove(keys);
            Ok(Vec::new())
        })
    }

    fn copy(&self, from: &Location, to: &Location, _size: u64) -> StoreResult<()> {
        self.change(|| {
            let bytes = self.find(from)?.bytes;
            self.insert(to, bytes)
        })
    }

    fn create_bucket(&self, _bucket: &str) -> StoreResult<()> {
        self.change(|| Ok(()))
    }

    fn remove_bucket(&self, _bucket: &str) -> StoreResult<()> {
        self.change(|| Ok(()))
    }

    fn is_bucket(&self, _bucket: &str) -> StoreResult<bool> {
        Ok(true)
    }

    fn directories(&self, _bucket: &str) -> StoreResult<Option<&dyn Directories>> {
        let directories = self.state.directories.is_some();
        Ok(directories.then_some(self as &dyn Directories))
    }
}

impl Directories for FaultyStore {
    fn is_directory(&self, directory: &Location) -> StoreResult<bool> {
        self.request();
        Ok(self.has_directory(directory))
    }

    fn create_directory(&self, directory: &Location) -> StoreResult<()> {
        self.change(|| {
            self.insert_directories(&directory.bucket, Some(directory.key.trim_end_matches('/')))
        })
    }

    fn remove_directory(&self, directory: &Location, with_content: bool) -> StoreResult<bool> {
        self.change(|| {
            let keys = self.keys_from(&directory.bucket, &directory.prefix());
            let is_kept = !with_content && !keys.is_empty();
            if is_kept || !self.has_directory(directory) {
                return Ok(false);
            }
            let mut objects = self.state.objects.lock();
            for key in keys.keys() {
                objects.remove(&(directory.bucket.clone(), key.clone()));
            }
            drop(objects);
            self.remove_directories(directory);
            Ok(true)
        })
    }

    fn rename(&self, from: &Location, to: &Location, replaces: bool) -> StoreResult<bool> {
        self.change(|| {
            let has_target = self.has_directory(to) || self.find(to).is_ok();
            if has_target && !replaces {
                return Ok(false);
            }
            if let Ok(object) = self.find(from) {
                self.insert(to, object.bytes)?;
                self.state.objects.lock().remove(&name(from));
                return Ok(true);
            }
            if !self.has_directory(from) {
                return Err(Failure::new(ErrorKind::NotFound, "no such directory"));
            }
            self.insert_directories(&to.bucket, Some(to.key.trim_end_matches('/')))?;
            for (key, info) in self.keys_from(&from.bucket, &from.prefix()) {
                let moved = format!("{}{}", to.prefix(), &key[from.prefix().len()..]);
                match info {
                    Some(_) => {
                        let mut objects = self.state.objects.lock();
                        let object = objects.remove(&(from.bucket.clone(), key));
                        objects.extend(object.map(|object| ((to.bucket.clone(), moved), object)));
                    }
                    None => {
                        self.insert_directories(&to.bucket, Some(moved.trim_end_matches('/')))?
                    }
                }
            }
            self.remove_directories(from);
            Ok(true)
        })
    }
}

impl Uploads for FaultyStore {
    fn upload_rules(&self) -> UploadRules {
        UploadRules {
            part_size: None,
            max_parts: 1,
            max_single: u64::MAX,
            in_order: true,
        }
    }

    fn begin_upload(&self, _object: &Location) -> StoreResult<String> {
        no_parts()
    }

    fn put_part(
        &self,
        _object: &Location,
        _upload: &str,
        _part: PartRange,
        _bytes: &[u8],
    ) -> StoreResult<UploadedPart> {
        no_parts()
    }

    fn complete_upload(
        &self,
        _object: &Location,
        _upload: &str,
        _parts: &[UploadedPart],
        _size: u64,
    ) -> StoreResult<()> {
        no_parts()
    }

    fn abort_upload(&self, _object: &Location, _upload: &str) -> StoreResult<()> {
        no_parts()
    }

    fn uploads(&self, _bucket: &str, _prefix: &str) -> StoreResult<Vec<Upload>> {
        Ok(Vec::new())
    }
}
