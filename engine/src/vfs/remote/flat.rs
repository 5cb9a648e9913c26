//! A recursive listing of a folder with as few requests as possible, and a backend that looks up
//! names in it.
//!
//! A page of a listing shows the keys at one instant. If the first page is incomplete, the other
//! pages are requested unless listing single folders is expected to be cheaper. Names that no page
//! covers are requested from the service.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use super::store::{ListedObject, ObjectInfo};
use crate::error::Result;
use crate::types::Timestamp;
use crate::vfs::backend::{
    Backend, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, Objects, OpenMode,
    SnapshotScope, Source,
};
use crate::vfs::{Entry, EntryKind, Uri};

/// The objects below a folder from one or several pages.
#[derive(Debug, Default)]
pub(super) struct Flat {
    /// The objects by the part of the key after the prefix of the folder.
    pub(super) objects: BTreeMap<String, ObjectInfo>,
    /// The last key that the listing covers; `None` if it covers all.
    pub(super) covered: Option<String>,
}

impl Flat {
    pub(super) fn add(&mut self, prefix: &str, objects: Vec<ListedObject>) {
        for object in objects {
            if let Some(rest) = object.key.strip_prefix(prefix)
                && !rest.is_empty()
            {
                self.objects.insert(rest.to_owned(), object.info);
            }
        }
    }

    /// Returns whether the listing contains all names with a prefix.
    fn covers(&self, prefix: &str) -> bool {
        match &self.covered {
            None => true,
            Some(last) => prefix < last.as_str() && !last.starts_with(prefix),
        }
    }

    /// Returns whether the listing covers a name.
    fn covers_name(&self, name: &str) -> bool {
        self.covered.as_deref().is_none_or(|last| name <= last)
    }

    fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, ObjectInfo)> {
        let range = self
            .objects
            .range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        let below = range.take_while(move |(name, _)| name.starts_with(prefix));
        below.map(|(name, info)| (name.as_str(), *info))
    }

    /// Returns the entries of a folder. Its prefix ends with a slash unless it is empty.
    fn entries(&self, prefix: &str) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for (name, info) in self.below(prefix) {
            let rest = name.get(prefix.len()..).unwrap_or_default();
            let (name, kind, size) = match rest.split_once('/') {
                Some((folder, _)) => (folder, EntryKind::Directory, 0),
                None => (rest, EntryKind::File, info.size),
            };
            let is_known = entries
                .last()
                .is_some_and(|last| last.name == name && last.kind == kind);
            if !name.is_empty() && !is_known {
                entries.push(Entry {
                    name: name.to_owned(),
                    kind,
                    size,
                    link: false,
                });
            }
        }
        entries
    }
}

/// A backend that looks up names below a folder in a listing, and forwards other operations.
#[derive(Debug)]
pub(super) struct ListingBackend {
    pub(super) backend: Arc<dyn Backend>,
    /// The URI of the folder, with a slash at the end.
    pub(super) root: String,
    pub(super) scope: SnapshotScope,
    pub(super) flat: Flat,
}

impl ListingBackend {
    /// Returns the part of a URI after the folder; `None` for the folder itself and other URIs.
    fn name<'a>(&self, uri: &'a Uri) -> Option<&'a str> {
        let rest = uri.as_str().strip_prefix(&self.root)?.trim_end_matches('/');
        let is_listed = rest.starts_with(self.scope.names());
        (!rest.is_empty() && is_listed).then_some(rest)
    }

    /// Returns the prefix of the names in a folder if the listing contains all of them.
    fn folder(&self, uri: &Uri) -> Option<String> {
        let prefix = match self.name(uri) {
            Some(name) => format!("{name}/"),
            None if uri.as_str().trim_end_matches('/') == self.root.trim_end_matches('/') => {
                String::new()
            }
            None => return None,
        };
        // The root is not listed as a whole if a part is missing.
        let is_covered = if prefix.is_empty() {
            self.flat.covered.is_none()
        } else {
            self.flat.covers(&prefix)
        };
        is_covered.then_some(prefix)
    }

    fn info(&self, uri: &Uri) -> Option<Option<ObjectInfo>> {
        let name = self.name(uri)?;
        self.flat
            .covers_name(name)
            .then(|| self.flat.objects.get(name).copied())
    }
}

impl Backend for ListingBackend {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        match (self.info(uri), self.backend.objects()) {
            (Some(Some(info)), Some(objects)) => objects.open_sized(uri, info.size),
            _ => self.backend.open(uri),
        }
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        self.backend.create(uri, opening)
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        match self.info(uri) {
            Some(Some(info)) => Ok(info.size),
            _ => self.backend.file_size(uri),
        }
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        match self.info(uri) {
            Some(info) => Ok(info.is_some()),
            None => self.backend.is_file(uri),
        }
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        match self.folder(uri) {
            Some(prefix) => Ok(self.flat.below(&prefix).next().is_some()),
            None => self.backend.is_dir(uri),
        }
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.backend.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        match self.folder(uri) {
            Some(prefix) => Ok(self.flat.entries(&prefix)),
            None => self.backend.list(uri, sizes),
        }
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.backend.create_dir(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.backend.remove_file(uri)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        match (self.folder(uri), self.backend.objects()) {
            (Some(prefix), Some(objects))
                if !prefix.is_empty() && !objects.has_directories(uri)? =>
            {
                let names = self.flat.below(&prefix);
                let uris = names.map(|(name, _)| Uri::parse(&format!("{}{name}", self.root)));
                objects.remove_files(&uris.collect::<Result<Vec<_>>>()?)
            }
            _ => self.backend.remove_dir(uri),
        }
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.backend.touch(uri)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.backend.rename(from, to)
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.backend.sync(uri)
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.backend.publish_file(staging, uri, bytes)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.backend.publish_dir(from, to)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.backend.create_new_dir(uri)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.backend.remove_empty_dir(uri)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        match self.info(uri) {
            Some(Some(info)) => Ok(info.modified),
            _ => self.backend.modified(uri),
        }
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        // A listing does not change.
        match self.folder(uri) {
            Some(_) => Ok(Some(FolderState::new(0))),
            None => self.backend.folder_state(uri),
        }
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        self.backend.try_lock(uri, mode)
    }

    fn pause(&self, duration: Duration) {
        self.backend.pause(duration);
    }

    fn objects(&self) -> Option<&dyn Objects> {
        self.backend.objects()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(names: &[&str], covered: Option<&str>) -> Flat {
        let mut flat = Flat {
            covered: covered.map(str::to_owned),
            ..Flat::default()
        };
        let listed = names.iter().map(|name| ListedObject {
            key: format!("a/{name}"),
            info: ObjectInfo::default(),
        });
        flat.add("a/", listed.collect());
        flat
    }

    fn names(entries: &[Entry]) -> Vec<&str> {
        entries.iter().map(|entry| entry.name.as_str()).collect()
    }

    #[test]
    fn folders_have_the_entries_below_them() {
        let flat = flat(&["", "b/c", "b/d/e", "b/d/f", "g"], None);
        assert_eq!(names(&flat.entries("")), ["b", "g"]);
        assert_eq!(names(&flat.entries("b/")), ["c", "d"]);
        assert!(flat.entries("h/").is_empty() && flat.covers("h/"));
    }

    #[test]
    fn folders_that_are_partly_listed_are_not_covered() {
        let flat = flat(&["b/c", "d/e"], Some("d/e"));
        assert!(flat.covers("b/") && flat.covers("a/") && !flat.covers("d/") && !flat.covers("e/"));
        assert!(flat.covers_name("d/e") && !flat.covers_name("d/f"));
    }
}
