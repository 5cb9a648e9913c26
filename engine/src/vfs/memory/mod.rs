//! Files in memory: "mem://folder/file". They live as long as the [`super::Vfs`] they belong to.
//!
//! One sorted map behind one lock. A key is the path with zeros between the names, so that
//! everything below a folder follows it at once. The content of a file has a lock of its own: an
//! open file stays readable when its name is removed.

use std::collections::{BTreeMap, HashMap};
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, OpenMode, Source,
};
use super::{Entry, EntryKind, Uri};
use crate::error::{Error, Result, VfsError, reserve, try_reserved};
use crate::platform::lock::{Mutex, RwLock};
use crate::types::{Timestamp, now};

/// The longest path, in bytes; that of local files.
const MAX_PATH_BYTES: usize = 4096;

type Nodes = BTreeMap<String, Node>;

#[derive(Clone, Debug)]
enum Node {
    File {
        bytes: Bytes,
        /// The time of creation in milliseconds since 1970.
        created: Timestamp,
    },
    Folder,
}

impl Node {
    fn file(bytes: Vec<u8>) -> Self {
        Self::File {
            bytes: Arc::new(RwLock::new(bytes)),
            created: now(),
        }
    }
}

/// A file system in memory.
#[derive(Debug, Default)]
pub(super) struct Memory {
    nodes: RwLock<Nodes>,
    /// The number of times that names were added, removed or changed in any folder.
    changes: AtomicU64,
    locks: Locks,
}

/// Returns the key of a URI; empty for the root.
fn key(action: &'static str, uri: &Uri) -> Result<String> {
    let path = uri.path();
    if path.len() > MAX_PATH_BYTES {
        return Err(refused(action, uri, ErrorKind::InvalidFilename));
    }
    Ok(path
        .split('/')
        .filter(|name| !name.is_empty())
        .collect::<Vec<_>>()
        .join("\0"))
}

/// Returns the key of the parent folder.
fn folder_of(key: &str) -> &str {
    key.rsplit_once('\0').map_or("", |(folder, _)| folder)
}

/// Returns whether one of two keys is inside the folder with the other one.
fn is_inside_other(one: &str, other: &str) -> bool {
    let is_inside = |key: &str, folder: &str| {
        key.strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('\0'))
    };
    is_inside(one, other) || is_inside(other, one)
}

fn is_folder(nodes: &Nodes, key: &str) -> bool {
    key.is_empty() || matches!(nodes.get(key), Some(Node::Folder))
}

/// Returns the range of keys below a folder.
fn keys_below(nodes: &Nodes, key: &str) -> Vec<String> {
    let start = format!("{key}\0");
    let below = nodes.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
    below
        .map(|(key, _)| key)
        .take_while(|key| key.starts_with(&start))
        .cloned()
        .collect()
}

impl Memory {
    /// Returns the bytes of a file.
    fn file(&self, action: &'static str, uri: &Uri) -> Result<Bytes> {
        let key = key(action, uri)?;
        let nodes = self.nodes.read();
        match nodes.get(&key) {
            Some(Node::File { bytes, .. }) => Ok(bytes.clone()),
            _ if is_folder(&nodes, &key) => Err(refused(action, uri, ErrorKind::IsADirectory)),
            _ => Err(refused(action, uri, ErrorKind::NotFound)),
        }
    }

    /// Returns the bytes of a file, which is created if necessary. The folder must exist.
    fn file_or_new(&self, uri: &Uri, opening: OpenMode) -> Result<Bytes> {
        let key = key("create file", uri)?;
        let mut nodes = self.nodes.write();
        if is_folder(&nodes, &key) {
            return Err(refused("create file", uri, ErrorKind::IsADirectory));
        }
        if !is_folder(&nodes, folder_of(&key)) {
            return Err(VfsError::MemoryNoParent.into());
        }
        if let (OpenMode::Append, Some(Node::File { bytes, .. })) = (opening, nodes.get(&key)) {
            return Ok(bytes.clone());
        }
        // Open handles of a replaced file keep its content.
        let node = Node::file(Vec::new());
        let Node::File { bytes, .. } = &node else {
            return Err(refused("create file", uri, ErrorKind::IsADirectory));
        };
        let bytes = bytes.clone();
        nodes.insert(key, node);
        self.count_change();
        Ok(bytes)
    }

    /// Replaces everything by these files, and folders for `None`, by their paths.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn replace_all(&self, tree: BTreeMap<String, Option<Vec<u8>>>) -> Result<()> {
        let mut replaced = Nodes::new();
        for (path, bytes) in tree {
            let uri = Uri::parse(&format!("mem:/{path}"))?;
            replaced.insert(
                key("restore", &uri)?,
                bytes.map_or(Node::Folder, Node::file),
            );
        }
        *self.nodes.write() = replaced;
        self.count_change();
        Ok(())
    }

    /// Counts a change of names. The caller holds the lock of the map.
    fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }
}

impl Backend for Memory {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        Ok(Box::new(MemorySource {
            bytes: self.file("open file", uri)?,
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        Ok(Box::new(MemorySink {
            bytes: self.file_or_new(uri, opening)?,
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        let bytes = self.file("get file size of", uri)?;
        let size = bytes.read().len();
        Ok(size as u64)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        let key = key("look up", uri)?;
        Ok(matches!(
            self.nodes.read().get(&key),
            Some(Node::File { .. })
        ))
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        Ok(is_folder(&self.nodes.read(), &key("look up", uri)?))
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        Ok(key("look up", one)? == key("look up", other)?)
    }

    fn list(&self, uri: &Uri, _sizes: EntrySizes) -> Result<Vec<Entry>> {
        let folder = key("list directory", uri)?;
        let nodes = self.nodes.read();
        let mut entries = Vec::new();
        if !is_folder(&nodes, &folder) {
            return Ok(entries);
        }
        let start = match folder.as_str() {
            "" => String::new(),
            folder => format!("{folder}\0"),
        };
        let mut from = Bound::Included(start.clone());
        while let Some((key, node)) = nodes.range((from, Bound::Unbounded)).next() {
            let Some(name) = key.strip_prefix(&start) else {
                break;
            };
            let (kind, size) = match node {
                Node::File { bytes, .. } => (EntryKind::File, bytes.read().len() as u64),
                Node::Folder => (EntryKind::Directory, 0),
            };
            entries.push(Entry {
                name: name.to_owned(),
                kind,
                size,
                link: false,
            });
            // The key after everything below this folder: the separator is less than any character.
            from = Bound::Included(format!("{key}\u{1}"));
        }
        Ok(entries)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        let key = key("create directory", uri)?;
        let mut nodes = self.nodes.write();
        for end in key
            .match_indices('\0')
            .map(|(separator, _)| separator)
            .chain([key.len()])
            .filter(|end| *end > 0)
        {
            let folder = &key[..end];
            match nodes.get(folder) {
                Some(Node::Folder) => {}
                None => {
                    nodes.insert(folder.to_owned(), Node::Folder);
                    self.count_change();
                }
                Some(Node::File { .. }) => {
                    return Err(VfsError::MemoryFileExists {
                        path: uri.path().to_string(),
                    }
                    .into());
                }
            }
        }
        Ok(())
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let key = key("delete file", uri)?;
        let mut nodes = self.nodes.write();
        if is_folder(&nodes, &key) {
            return Err(VfsError::MemoryWrongType.into());
        }
        self.count_change();
        nodes
            .remove(&key)
            .map(drop)
            .ok_or_else(|| refused("delete file", uri, ErrorKind::NotFound))
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let key = key("delete directory", uri)?;
        let mut nodes = self.nodes.write();
        match nodes.get(&key) {
            Some(Node::Folder) => {}
            Some(Node::File { .. }) => {
                return Err(VfsError::MemoryWrongType.into());
            }
            None if key.is_empty() => {
                return Err(VfsError::MemoryRoot.into());
            }
            None => return Err(refused("delete directory", uri, ErrorKind::NotFound)),
        }
        self.count_change();
        for below in keys_below(&nodes, &key) {
            nodes.remove(&below);
        }
        nodes.remove(&key);
        Ok(())
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.file_or_new(uri, OpenMode::Append).map(drop)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (old, new) = (key("move", from)?, key("move", to)?);
        let mut nodes = self.nodes.write();
        let is_allowed = !old.is_empty() && !new.is_empty() && !is_inside_other(&old, &new);
        if !is_allowed || !is_folder(&nodes, folder_of(&new)) {
            return Err(refused("move", to, ErrorKind::InvalidInput));
        }
        if !nodes.contains_key(&old) {
            return Err(refused("move", from, ErrorKind::NotFound));
        }
        if old == new {
            return Ok(());
        }
        self.count_change();
        rename(&mut nodes, &old, &new);
        Ok(())
    }

    fn sync(&self, _uri: &Uri) -> Result<()> {
        Ok(())
    }

    fn publish_file(&self, _staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        let key = key("create file", uri)?;
        let mut nodes = self.nodes.write();
        if is_folder(&nodes, &key) {
            return Err(refused("create file", uri, ErrorKind::IsADirectory));
        }
        if !is_folder(&nodes, folder_of(&key)) {
            return Err(refused("create file", uri, ErrorKind::NotFound));
        }
        let mut content = try_reserved("a file in memory", bytes.len())?;
        content.extend_from_slice(bytes);
        nodes.insert(key, Node::file(content));
        self.count_change();
        Ok(())
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        let (old, new) = (key("move", from)?, key("move", to)?);
        let mut nodes = self.nodes.write();
        if !matches!(nodes.get(&old), Some(Node::Folder)) {
            return Err(refused("move", from, ErrorKind::NotFound));
        }
        if is_inside_other(&old, &new) {
            return Err(refused("move", to, ErrorKind::InvalidInput));
        }
        let is_taken = matches!(nodes.get(&new), Some(Node::File { .. }))
            || !keys_below(&nodes, &new).is_empty();
        if is_taken {
            return Ok(false);
        }
        if !is_folder(&nodes, folder_of(&new)) {
            return Err(refused("move", to, ErrorKind::NotFound));
        }
        self.count_change();
        rename(&mut nodes, &old, &new);
        Ok(true)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        let key = key("create directory", uri)?;
        let mut nodes = self.nodes.write();
        if is_folder(&nodes, &key) || nodes.contains_key(&key) {
            return Ok(false);
        }
        if !is_folder(&nodes, folder_of(&key)) {
            return Err(refused("create directory", uri, ErrorKind::NotFound));
        }
        nodes.insert(key, Node::Folder);
        self.count_change();
        Ok(true)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        let key = key("delete directory", uri)?;
        let mut nodes = self.nodes.write();
        if !matches!(nodes.get(&key), Some(Node::Folder)) {
            return Err(refused("delete directory", uri, ErrorKind::NotFound));
        }
        let is_empty = keys_below(&nodes, &key).is_empty();
        if is_empty {
            nodes.remove(&key);
            self.count_change();
        }
        Ok(is_empty)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        let key = key("get time of", uri)?;
        match self.nodes.read().get(&key) {
            Some(Node::File { created, .. }) => Ok(*created),
            _ => Err(refused("get time of", uri, ErrorKind::NotFound)),
        }
    }

    fn folder_state(&self, _uri: &Uri) -> Result<Option<FolderState>> {
        let changes = self.changes.load(Ordering::Acquire);
        Ok(Some(FolderState(u128::from(changes))))
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        let key = key("lock", uri)?;
        if !is_folder(&self.nodes.read(), &key) {
            return Err(refused("lock", uri, ErrorKind::NotFound));
        }
        Ok(self.locks.attempt(key, mode))
    }
}

/// Moves a file, or a folder and everything below it, to another key, and replaces an existing
/// target.
fn rename(nodes: &mut Nodes, old: &str, new: &str) {
    for replaced in keys_below(nodes, new) {
        nodes.remove(&replaced);
    }
    for moved in keys_below(nodes, old).into_iter().chain([old.to_owned()]) {
        if let Some(node) = nodes.remove(&moved) {
            nodes.insert(format!("{new}{}", &moved[old.len()..]), node);
        }
    }
}

/// The bytes of a file.
pub(super) type Bytes = Arc<RwLock<Vec<u8>>>;

/// Returns the error of an operation on a file.
pub(super) fn refused(action: &'static str, uri: &Uri, kind: ErrorKind) -> Error {
    Error::storage(action, uri.as_str(), kind.into())
}

#[derive(Debug)]
pub(super) struct MemorySource {
    pub(super) bytes: Bytes,
    pub(super) uri: Uri,
}

impl Source for MemorySource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let bytes = self.bytes.read();
        let found = usize::try_from(offset)
            .ok()
            .and_then(|start| bytes.get(start..start.checked_add(to.len())?));
        match found {
            Some(found) => to.copy_from_slice(found),
            None => {
                return Err(refused(
                    "read from file",
                    &self.uri,
                    ErrorKind::UnexpectedEof,
                ));
            }
        }
        Ok(())
    }

    fn read_vectored_at(&self, mut offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        for part in to {
            self.read_at(offset, part)?;
            offset = offset.saturating_add(part.len() as u64);
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        Ok(self.bytes.read().len() as u64)
    }
}

#[derive(Debug)]
pub(super) struct MemorySink {
    pub(super) bytes: Bytes,
}

impl FileSink for MemorySink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut bytes = self.bytes.write();
        let len = parts.iter().map(|part| part.len()).sum();
        reserve("a file in memory", &mut bytes, len)?;
        for part in parts {
            bytes.extend_from_slice(part);
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

/// The locks that are held: the number of shared ones of a folder, or an exclusive one.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks(Arc<Mutex<HashMap<String, Held>>>);

#[derive(Clone, Copy, Debug)]
enum Held {
    Shared(u64),
    Exclusive,
}

/// A lock on the folder with a key.
#[derive(Debug)]
struct MemoryLock {
    locks: Locks,
    key: String,
}

impl Locks {
    /// Attempts to lock the folder with a key.
    pub(super) fn attempt(&self, key: String, mode: LockMode) -> LockAttempt {
        let mut table = self.0.lock();
        let next = match (table.get(&key), mode) {
            (None, LockMode::Exclusive) => Held::Exclusive,
            (None, LockMode::Shared) => Held::Shared(1),
            (Some(Held::Shared(others)), LockMode::Shared) => Held::Shared(others + 1),
            (Some(_), _) => return LockAttempt::Busy,
        };
        table.insert(key.clone(), next);
        let locks = self.clone();
        LockAttempt::Locked(Box::new(MemoryLock { locks, key }))
    }
}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        let mut table = self.locks.0.lock();
        match table.get_mut(&self.key) {
            Some(Held::Shared(others)) if *others > 1 => *others -= 1,
            _ => drop(table.remove(&self.key)),
        }
    }
}
