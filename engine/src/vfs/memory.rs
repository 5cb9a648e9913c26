//! Files in memory: "mem://folder/file". They live as long as the [`super::Vfs`] they belong to.
//!
//! One sorted map behind one lock. A key is the path with zeros between the names, so that everything below a folder
//! follows it at once. The bytes of a file have a lock of their own: an open file stays readable whatever becomes of its
//! name.

use std::collections::BTreeMap;
use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::ops::Bound;
use std::sync::Arc;

use parking_lot::RwLock;

use super::backend::{Backend, Opening, Sink, Source};
use super::{Entry, EntryKind, Uri};
use crate::error::{Error, Result};

/// The longest path, in bytes; that of local files.
const MAX_PATH_BYTES: usize = 4096;

type Bytes = Arc<RwLock<Vec<u8>>>;
type Nodes = BTreeMap<String, Node>;

#[derive(Clone, Debug)]
enum Node {
    File(Bytes),
    Folder,
}

/// A file system in memory.
#[derive(Debug, Default)]
pub(super) struct Memory {
    nodes: RwLock<Nodes>,
}

/// The key of a URI; empty for the root.
fn key(action: &'static str, uri: &Uri) -> Result<String> {
    let path = uri.path();
    if path.len() > MAX_PATH_BYTES {
        return Err(refused(action, uri, ErrorKind::InvalidFilename));
    }
    let names = path.split('/').filter(|name| !name.is_empty());
    Ok(names.collect::<Vec<_>>().join("\0"))
}

/// The key of the folder that a key is in.
fn folder_of(key: &str) -> &str {
    key.rsplit_once('\0').map_or("", |(folder, _)| folder)
}

fn is_folder(nodes: &Nodes, key: &str) -> bool {
    key.is_empty() || matches!(nodes.get(key), Some(Node::Folder))
}

/// The keys below a folder.
fn keys_below(nodes: &Nodes, key: &str) -> Vec<String> {
    let start = format!("{key}\0");
    let below = nodes.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
    below
        .map(|(key, _)| key)
        .take_while(|key| key.starts_with(&start))
        .cloned()
        .collect()
}

fn refused(action: &'static str, uri: &Uri, kind: ErrorKind) -> Error {
    Error::storage(action, uri.as_str(), kind.into())
}

impl Memory {
    /// The bytes of a file.
    fn file(&self, action: &'static str, uri: &Uri) -> Result<Bytes> {
        let key = key(action, uri)?;
        let nodes = self.nodes.read();
        match nodes.get(&key) {
            Some(Node::File(bytes)) => Ok(bytes.clone()),
            _ if is_folder(&nodes, &key) => Err(refused(action, uri, ErrorKind::IsADirectory)),
            _ => Err(refused(action, uri, ErrorKind::NotFound)),
        }
    }

    /// The bytes of a file, made where there is none; the folder must be there.
    fn file_or_new(&self, uri: &Uri, opening: Opening) -> Result<Bytes> {
        let key = key("create file", uri)?;
        let mut nodes = self.nodes.write();
        if is_folder(&nodes, &key) {
            return Err(refused("create file", uri, ErrorKind::IsADirectory));
        }
        if !is_folder(&nodes, folder_of(&key)) {
            return Err(Error::usage(
                "MemFS",
                "Failed to create file, the parent directory doesn't exist.",
            ));
        }
        if let (Opening::Append, Some(Node::File(bytes))) = (opening, nodes.get(&key)) {
            return Ok(bytes.clone());
        }
        // Who has a replaced file open keeps it.
        let bytes = Bytes::default();
        nodes.insert(key, Node::File(bytes.clone()));
        Ok(bytes)
    }
}

impl Backend for Memory {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        Ok(Box::new(MemorySource {
            bytes: self.file("open file", uri)?,
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: Opening) -> Result<Box<dyn Sink>> {
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
        Ok(matches!(self.nodes.read().get(&key), Some(Node::File(_))))
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        Ok(is_folder(&self.nodes.read(), &key("look up", uri)?))
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        Ok(key("look up", one)? == key("look up", other)?)
    }

    fn list(&self, uri: &Uri, _sizes: bool) -> Result<Vec<Entry>> {
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
                Node::File(bytes) => (EntryKind::File, bytes.read().len() as u64),
                Node::Folder => (EntryKind::Directory, 0),
            };
            entries.push(Entry {
                name: name.to_owned(),
                kind,
                size,
                link: false,
            });
            // Behind all that is below this one: there the separator follows, which is less than any character.
            from = Bound::Included(format!("{key}\u{1}"));
        }
        Ok(entries)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        let key = key("create directory", uri)?;
        let mut nodes = self.nodes.write();
        let ends = key.match_indices('\0').map(|(at, _)| at);
        for end in ends.chain([key.len()]).filter(|end| *end > 0) {
            let folder = &key[..end];
            match nodes.get(folder) {
                Some(Node::Folder) => {}
                None => {
                    nodes.insert(folder.to_owned(), Node::Folder);
                }
                Some(Node::File(_)) => {
                    return Err(Error::usage(
                        "MemFS",
                        format!(
                            "Cannot create directory, a file with that name exists already: {}",
                            uri.path()
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let key = key("delete file", uri)?;
        let mut nodes = self.nodes.write();
        if is_folder(&nodes, &key) {
            return Err(Error::usage("MemFS", "Remove failed, wrong file type"));
        }
        let removed = nodes.remove(&key).map(drop);
        removed.ok_or_else(|| refused("delete file", uri, ErrorKind::NotFound))
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let key = key("delete directory", uri)?;
        let mut nodes = self.nodes.write();
        match nodes.get(&key) {
            Some(Node::Folder) => {}
            Some(Node::File(_)) => {
                return Err(Error::usage("MemFS", "Remove failed, wrong file type"));
            }
            None if key.is_empty() => {
                return Err(Error::usage("MemFS", "Cannot remove the root directory"));
            }
            None => return Err(refused("delete directory", uri, ErrorKind::NotFound)),
        }
        for below in keys_below(&nodes, &key) {
            nodes.remove(&below);
        }
        nodes.remove(&key);
        Ok(())
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.file_or_new(uri, Opening::Append).map(drop)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        let (old, new) = (key("move", from)?, key("move", to)?);
        let mut nodes = self.nodes.write();
        let inside = new.starts_with(&format!("{old}\0"));
        if old.is_empty() || new.is_empty() || inside || !is_folder(&nodes, folder_of(&new)) {
            return Err(refused("move", to, ErrorKind::InvalidInput));
        }
        if !nodes.contains_key(&old) {
            return Err(refused("move", from, ErrorKind::NotFound));
        }
        if old == new {
            return Ok(());
        }
        for gone in keys_below(&nodes, &new) {
            nodes.remove(&gone);
        }
        for moved in keys_below(&nodes, &old).into_iter().chain([old.clone()]) {
            if let Some(node) = nodes.remove(&moved) {
                nodes.insert(format!("{new}{}", &moved[old.len()..]), node);
            }
        }
        Ok(())
    }

    fn sync(&self, _uri: &Uri) -> Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
struct MemorySource {
    bytes: Bytes,
    uri: Uri,
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
struct MemorySink {
    bytes: Bytes,
}

impl Sink for MemorySink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut bytes = self.bytes.write();
        let len = parts.iter().map(|part| part.len()).sum();
        bytes.try_reserve(len).map_err(|_| Error::OutOfMemory {
            what: "a file in memory",
            bytes: len as u64,
        })?;
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
