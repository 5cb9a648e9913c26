//! An object store in memory for tests, whose requests fail on command.
//!
//! It counts requests, and those of them that change something. From the change that a test names
//! on they fail, as if the process was killed there. Another operation can run between two
//! requests. It is part of every build so that the tests of other crates can use it; nothing else
//! creates one.

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::ops::{Bound, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::backend::Remote;
use super::store::{
    ListRequest, ListedObject, Location, ObjectInfo, ObjectStore, ObjectVersion, Page, PartRange,
    StoreResult, Upload, UploadRules, UploadedPart, Uploads,
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
    objects: Mutex<BTreeMap<(String, String), Object>>,
    /// The number of requests so far.
    requests: AtomicU64,
    /// The number of requests so far that change something.
    changes: AtomicU64,
    /// The number of objects that were stored so far.
    versions: AtomicU64,
    /// The numbers of the changes that fail.
    failing: Mutex<Range<u64>>,
    /// An action that runs before the request with this number.
    meanwhile: Mutex<Option<(u64, Action)>>,
    limits: StoreLimits,
}

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
    fn version(&self) -> ObjectVersion {
        ObjectVersion {
            size: Some(self.bytes.len() as u64),
            tag: Some(self.version.to_string()),
        }
    }
}

impl FaultyStore {
    /// Returns an empty store.
    pub fn new(limits: StoreLimits) -> Self {
        Self {
            state: Arc::new(State {
                objects: Mutex::default(),
                requests: AtomicU64::new(0),
                changes: AtomicU64::new(0),
                versions: AtomicU64::new(0),
                failing: Mutex::default(),
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
        *self.state.failing.lock() = change..u64::MAX;
    }

    /// Fails the change of this number, counted from 0.
    pub fn fail_once(&self, change: u64) {
        *self.state.failing.lock() = change..change + 1;
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

    /// Counts a change, and fails it if that is due.
    fn change(&self) -> StoreResult<()> {
        self.request();
        let number = self.state.changes.fetch_add(1, Ordering::SeqCst);
        if !self.state.failing.lock().contains(&number) {
            return Ok(());
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

    fn insert(&self, location: &Location, bytes: Arc<[u8]>) {
        let modified = now();
        let version = self.state.versions.fetch_add(1, Ordering::SeqCst);
        let object = Object {
            bytes,
            modified,
            version,
        };
        self.state.objects.lock().insert(name(location), object);
    }
}

fn name(location: &Location) -> (String, String) {
    (location.bucket.clone(), location.key.clone())
}

fn no_parts<T>() -> StoreResult<T> {
    let message = "the store has no uploads in parts";
    Err(Failure::new(ErrorKind::Unsupported, message))
}

impl ObjectStore for FaultyStore {
    fn parallel(&self) -> usize {
        1
    }

    fn spare(&self) -> usize {
        0
    }

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
        let object = self.find(object)?;
        Ok(ObjectInfo {
            size: object.bytes.len() as u64,
            modified: object.modified,
        })
    }

    fn put(&self, object: &Location, bytes: &[u8]) -> StoreResult<()> {
        self.change()?;
        self.insert(object, bytes.into());
        Ok(())
    }

    fn list(&self, request: ListRequest<'_>) -> StoreResult<Page> {
        self.request();
        let most = match request.most {
            0 => self.state.limits.page_entries,
            most => most.min(self.state.limits.page_entries),
        };
        let name = |key: &str| (request.bucket.to_owned(), key.to_owned());
        let start = match request.next {
            Some(last) => Bound::Excluded(name(last)),
            None => Bound::Included(name(request.prefix)),
        };
        let objects = self.state.objects.lock();
        let following = objects.range((start, Bound::Unbounded));
        let listed = following.take_while(|((bucket, key), _)| {
            bucket == request.bucket && key.starts_with(request.prefix)
        });
        let mut page = Page::default();
        let mut last_key = None;
        for ((_, key), object) in listed {
            let rest = &key[request.prefix.len()..];
            let folder = rest.split_once('/').filter(|_| request.by_folder);
            let folder = folder.map(|(folder, _)| format!("{}{folder}/", request.prefix));
            if folder.is_some() && folder.as_ref() == page.prefixes.last() {
                last_key = Some(key);
                continue;
            }
            if page.objects.len() + page.prefixes.len() == most {
                page.next = last_key.cloned();
                break;
            }
            last_key = Some(key);
            match folder {
                Some(folder) => page.prefixes.push(folder),
                None => page.objects.push(ListedObject {
                    key: key.clone(),
                    info: ObjectInfo {
                        size: object.bytes.len() as u64,
                        modified: object.modified,
                    },
                }),
            }
        }
        Ok(page)
    }

    fn delete(&self, object: &Location) -> StoreResult<()> {
        self.change()?;
        self.state.objects.lock().remove(&name(object));
        Ok(())
    }

    fn delete_limit(&self) -> usize {
        self.state.limits.deletions
    }

    fn delete_many(&self, bucket: &str, keys: &[String]) -> StoreResult<()> {
        self.change()?;
        let mut objects = self.state.objects.lock();
        for key in keys {
            objects.remove(&(bucket.to_owned(), key.clone()));
        }
        Ok(())
    }

    fn copy(&self, from: &Location, to: &Location, _size: u64) -> StoreResult<()> {
        self.change()?;
        let bytes = self.find(from)?.bytes;
        self.insert(to, bytes);
        Ok(())
    }

    fn create_bucket(&self, _bucket: &str) -> StoreResult<()> {
        self.change()
    }

    fn remove_bucket(&self, _bucket: &str) -> StoreResult<()> {
        self.change()
    }

    fn is_bucket(&self, _bucket: &str) -> StoreResult<bool> {
        Ok(true)
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
