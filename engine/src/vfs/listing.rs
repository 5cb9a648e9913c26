//! Listings of everything below a folder of an object store at one instant.
//!
//! A page of a listing shows the keys at one instant. If the first page is incomplete, the other
//! pages are requested unless listing single folders is expected to be cheaper. Names that no page
//! covers are requested from the service.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::{Entry, EntryKind, Uri};
use crate::types::Timestamp;

/// The scope of a listing of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingScope {
    /// The files of the array or group itself, whose names all begin with two underscores.
    Own,
    /// Everything.
    All,
}

impl ListingScope {
    /// Returns the prefix of the listed names.
    pub fn names(self) -> &'static str {
        match self {
            Self::Own => "__",
            Self::All => "",
        }
    }
}

/// The size and time of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectInfo {
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change in milliseconds since 1970.
    pub modified: Timestamp,
}

/// The objects below a folder at one instant, from one or several pages of a listing.
#[derive(Debug)]
pub struct StorageListing {
    /// The URI of the folder, with a slash at the end.
    root: String,
    scope: ListingScope,
    /// The objects by the part of the key after the prefix of the folder.
    objects: BTreeMap<String, ObjectInfo>,
    /// The last key that the listing covers; `None` if it covers all.
    covered: Option<String>,
}

impl StorageListing {
    /// Returns a listing of the folder `root` that has no objects yet.
    pub fn new(root: &Uri, scope: ListingScope) -> Self {
        Self {
            root: format!("{}/", root.as_str().trim_end_matches('/')),
            scope,
            objects: BTreeMap::new(),
            covered: None,
        }
    }

    /// Adds an object by the part of its key after the prefix of the folder.
    pub fn add(&mut self, name: &str, info: ObjectInfo) {
        if !name.is_empty() {
            self.objects.insert(name.to_owned(), info);
        }
    }

    /// Sets the last name that the listing covers; `None` if it covers all.
    pub fn set_covered(&mut self, last: Option<&str>) {
        self.covered = last.map(str::to_owned);
    }

    /// Returns the last name that the listing covers; `None` if it covers all.
    pub fn covered(&self) -> Option<&str> {
        self.covered.as_deref()
    }

    /// Returns the parts of the keys after the prefix of the folder, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.objects.keys().map(String::as_str)
    }

    /// Returns whether a URI is that of the folder or below it.
    pub fn holds(&self, uri: &Uri) -> bool {
        self.is_of(uri) || uri.as_str().starts_with(&self.root)
    }

    /// Returns whether a URI is that of the folder.
    pub fn is_of(&self, uri: &Uri) -> bool {
        uri.as_str().trim_end_matches('/') == self.root.trim_end_matches('/')
    }

    /// Returns the object at a URI, `None` if none was listed; or `None` if the listing does not
    /// cover the URI.
    pub fn object(&self, uri: &Uri) -> Option<Option<ObjectInfo>> {
        let name = self.name(uri)?;
        let is_covered = self.covered().is_none_or(|last| name <= last);
        is_covered.then(|| self.objects.get(name).copied())
    }

    /// Returns the entries of a folder; `None` if the listing does not cover it.
    pub fn entries(&self, folder: &Uri) -> Option<Vec<Entry>> {
        let prefix = self.prefix(folder)?;
        let mut entries: Vec<Entry> = Vec::new();
        for (rest, info) in self.below(&prefix) {
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
        Some(entries)
    }

    /// Returns the objects below a folder by their names relative to it, sorted; `None` if the
    /// listing does not cover the folder.
    pub fn objects(&self, folder: &Uri) -> Option<Vec<(&str, ObjectInfo)>> {
        let prefix = self.prefix(folder)?;
        Some(self.below(&prefix).collect())
    }

    /// Returns whether a folder exists; `None` if the listing does not cover it.
    pub fn is_dir(&self, folder: &Uri) -> Option<bool> {
        let prefix = self.prefix(folder)?;
        Some(self.below(&prefix).next().is_some())
    }

    /// Returns whether the listing covers a folder.
    pub fn covers(&self, folder: &Uri) -> bool {
        self.prefix(folder).is_some()
    }

    /// Returns the part of a URI after the folder; `None` for the folder itself and other URIs.
    fn name<'a>(&self, uri: &'a Uri) -> Option<&'a str> {
        let rest = uri.as_str().strip_prefix(&self.root)?.trim_end_matches('/');
        let is_listed = rest.starts_with(self.scope.names());
        (!rest.is_empty() && is_listed).then_some(rest)
    }

    /// Returns the prefix of the names in a folder if the listing contains all of them.
    fn prefix(&self, folder: &Uri) -> Option<String> {
        let (prefix, is_covered) = match self.name(folder) {
            Some(name) => {
                let prefix = format!("{name}/");
                let is_covered = self
                    .covered()
                    .is_none_or(|last| *prefix < *last && !last.starts_with(&prefix));
                (prefix, is_covered)
            }
            // The root is not listed as a whole if a part is missing.
            None if self.is_of(folder) => (String::new(), self.covered.is_none()),
            None => return None,
        };
        is_covered.then_some(prefix)
    }

    /// Returns the objects whose names begin with a prefix, by the rest of the name, sorted.
    fn below(&self, prefix: &str) -> impl Iterator<Item = (&str, ObjectInfo)> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let range = self.objects.range::<str, _>(from);
        range.map_while(move |(name, info)| Some((name.strip_prefix(prefix)?, *info)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(path: &str) -> Uri {
        Uri::parse(&format!("s3://bucket/a{path}")).expect("a URI")
    }

    fn listing(names: &[&str], covered: Option<&str>) -> StorageListing {
        let mut listing = StorageListing::new(&uri(""), ListingScope::All);
        for name in names {
            listing.add(name, ObjectInfo::default());
        }
        listing.set_covered(covered);
        listing
    }

    fn names(listing: &StorageListing, folder: &str) -> Option<Vec<String>> {
        let entries = listing.entries(&uri(folder))?;
        Some(entries.into_iter().map(|entry| entry.name).collect())
    }

    #[test]
    fn folders_have_the_entries_below_them() {
        let listing = listing(&["", "b/c", "b/d/e", "b/d/f", "g"], None);
        assert_eq!(names(&listing, "").expect("listed"), ["b", "g"]);
        assert_eq!(names(&listing, "/b").expect("listed"), ["c", "d"]);
        assert!(names(&listing, "/h").expect("listed").is_empty());
        assert_eq!(listing.is_dir(&uri("/b/d")), Some(true));
        assert_eq!(listing.is_dir(&uri("/g")), Some(false));
    }

    #[test]
    fn folders_that_are_partly_listed_are_not_covered() {
        let listing = listing(&["b/c", "d/e"], Some("d/e"));
        assert!(listing.covers(&uri("/b")) && listing.covers(&uri("/a")));
        for folder in ["", "/d", "/e"] {
            assert!(!listing.covers(&uri(folder)), "{folder}");
        }
        assert!(listing.object(&uri("/d/e")).is_some());
        assert!(listing.object(&uri("/d/f")).is_none());
    }

    #[test]
    fn only_uris_below_the_folder_are_looked_up() {
        let listing = listing(&["b"], None);
        assert!(listing.holds(&uri("")) && listing.holds(&uri("/")) && listing.holds(&uri("/b")));
        assert!(!listing.holds(&uri("b")) && listing.object(&uri("b")).is_none());
        assert_eq!(
            listing.object(&uri("/b")),
            Some(Some(ObjectInfo::default()))
        );
        assert_eq!(listing.object(&uri("/c")), Some(None));
    }
}
