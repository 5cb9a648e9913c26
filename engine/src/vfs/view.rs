//! Storage as an operation on an array or a group sees it: as it is now, or with the names that one
//! listing of an object store shows.

use std::sync::Arc;

use super::backend::FolderState;
use super::listing::{ListingScope, ObjectInfo, StorageListing};
use super::publish::Backoff;
use super::vfs::{ReadFile, Vfs, sort_by_name, was_removed};
use super::{Entry, EntryKind, Uri};
use crate::error::Result;
use crate::stats::Counter;
use crate::types::Timestamp;

/// Storage in which names are looked up. With a listing, names that the listing covers are looked
/// up there, without requests; all others are looked up in the storage. Everything else, and all
/// changes, are those of [`Self::vfs`], which is the storage as it is now.
#[derive(Clone, Debug)]
pub struct StorageView {
    /// The storage as it is now.
    pub vfs: Arc<Vfs>,
    listing: Option<Arc<StorageListing>>,
}

impl Vfs {
    /// Returns the storage as it is now, without a listing.
    pub fn view(self: &Arc<Self>) -> StorageView {
        StorageView {
            vfs: self.clone(),
            listing: None,
        }
    }

    /// Lists the files of an array or group on an object store, and returns the storage as the
    /// listing shows it. All other storage is returned as it is now.
    pub fn snapshot(self: &Arc<Self>, object: &Uri) -> Result<StorageView> {
        self.snapshot_of(object, ListingScope::Own)
    }

    /// Lists everything below a folder of an object store, and returns the storage as the listing
    /// shows it. All other storage is returned as it is now.
    pub fn snapshot_all(self: &Arc<Self>, root: &Uri) -> Result<StorageView> {
        self.snapshot_of(root, ListingScope::All)
    }

    fn snapshot_of(self: &Arc<Self>, root: &Uri, scope: ListingScope) -> Result<StorageView> {
        let Some(objects) = self.objects(root)? else {
            return Ok(self.view());
        };
        self.count(Counter::Ls, 1);
        Ok(StorageView {
            listing: Some(Arc::new(objects.listing(root, scope)?)),
            vfs: self.clone(),
        })
    }
}

impl StorageView {
    /// Returns the listing in which names are looked up, if there is one.
    pub fn listing(&self) -> Option<&StorageListing> {
        self.listing.as_deref()
    }

    /// Returns the object at a URI, `None` if none was listed; or `None` without a listing that
    /// covers the URI.
    fn object(&self, uri: &Uri) -> Option<Option<ObjectInfo>> {
        self.listing()?.object(uri)
    }

    /// Returns whether the listing is of a folder that contains a URI.
    fn has_listing_of(&self, uri: &Uri) -> bool {
        self.listing().is_some_and(|listing| listing.holds(uri))
    }

    /// Returns the entries of a folder in the listing, if it covers the folder, and counts the
    /// look-up.
    fn entries(&self, folder: &Uri) -> Option<Vec<Entry>> {
        let mut entries = self.listing()?.entries(folder)?;
        self.vfs.count(Counter::Ls, 1);
        sort_by_name(&mut entries);
        Some(entries)
    }

    /// Opens a file for reading.
    pub fn open(&self, uri: &Uri) -> Result<ReadFile> {
        match self.object(uri) {
            Some(Some(info)) => self.vfs.open_sized(uri, info.size),
            _ => self.vfs.open(uri),
        }
    }

    /// Returns whether a file exists.
    pub fn is_file(&self, uri: &Uri) -> Result<bool> {
        match self.object(uri) {
            Some(info) => {
                self.vfs.count(Counter::IsObject, 1);
                Ok(info.is_some())
            }
            None => self.vfs.is_file(uri),
        }
    }

    /// Returns whether a folder exists.
    pub fn is_dir(&self, uri: &Uri) -> Result<bool> {
        match self.listing().and_then(|listing| listing.is_dir(uri)) {
            Some(is_dir) => Ok(is_dir),
            None => self.vfs.is_dir(uri),
        }
    }

    /// Returns the entries of a folder, sorted by name; nothing for a missing folder.
    pub fn list(&self, uri: &Uri) -> Result<Vec<Entry>> {
        match self.entries(uri) {
            Some(entries) => Ok(entries),
            None => self.vfs.list(uri),
        }
    }

    /// Returns the entries of a folder that may belong to an array or a group, as
    /// [`Vfs::list_own`] does.
    pub fn list_own(&self, uri: &Uri) -> Result<Vec<Entry>> {
        if self.has_listing_of(uri) {
            self.list(uri)
        } else {
            self.vfs.list_own(uri)
        }
    }

    /// Calls `take` with the name of each entry of a folder, in any order; never for a missing
    /// folder. It takes less time than [`Self::list`].
    pub fn each_name(&self, uri: &Uri, mut take: impl FnMut(&str)) -> Result<()> {
        match self.entries(uri) {
            Some(entries) => {
                entries.iter().for_each(|entry| take(&entry.name));
                Ok(())
            }
            None => self.vfs.each_name(uri, take),
        }
    }

    /// Returns the entries of a folder, and its state if it was the same before and after it was
    /// listed. It takes less time than to look up the state separately.
    pub fn list_with_state(&self, uri: &Uri) -> Result<(Vec<Entry>, Option<FolderState>)> {
        match self.entries(uri) {
            Some(entries) => Ok((entries, self.folder_state(uri)?)),
            None => self.vfs.list_with_state(uri),
        }
    }

    /// Returns an identifier of the state of the entries of a folder, as [`Vfs::folder_state`]
    /// does.
    pub fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        match self.listing() {
            // A listing does not change.
            Some(listing) if listing.covers(uri) => Ok(Some(FolderState(0))),
            _ => self.vfs.folder_state(uri),
        }
    }

    /// Returns the time of the last change of a file in milliseconds since 1970.
    pub fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        match self.object(uri) {
            Some(Some(info)) => Ok(info.modified),
            _ => self.vfs.modified(uri),
        }
    }

    /// Returns the content of a file, which is read again for a short time while it is incomplete
    /// and may grow. The content may be incomplete all the same.
    pub fn read_complete(
        &self,
        file: &Uri,
        is_complete: impl Fn(&[u8]) -> bool,
    ) -> Result<Vec<u8>> {
        let context = &self.vfs.context;
        let epoch = context.cancel_epoch();
        let mut backoff = Backoff::GROWING;
        loop {
            let content = self.open(file)?.read_all()?;
            if is_complete(&content) || backoff.is_over() || !self.vfs.may_grow(file) {
                return Ok(content);
            }
            context.check_cancelled(epoch)?;
            backoff.pause(&self.vfs, file)?;
        }
    }

    /// Removes a folder if it exists. Returns whether it existed. Files that a process has open may
    /// be left until they are closed.
    pub fn remove_dir_if_any(&self, uri: &Uri) -> Result<bool> {
        let listing = self.listing().filter(|listing| !listing.is_of(uri));
        let listed = listing.and_then(|listing| listing.objects(uri));
        match (listed, self.vfs.objects(uri)?) {
            (Some(listed), Some(objects)) if !objects.has_directories(uri)? => {
                let folder = uri.as_str().trim_end_matches('/');
                let files: Vec<Uri> = listed
                    .into_iter()
                    .map(|(name, _)| Uri::parse(&format!("{folder}/{name}")))
                    .collect::<Result<_>>()?;
                was_removed(objects.remove_files(&files))
            }
            _ => self.vfs.remove_dir_if_any(uri),
        }
    }

    /// Removes folders that may not exist, with everything in them: with few requests on object
    /// stores.
    pub fn remove_dirs_if_any(&self, uris: &[Uri]) -> Result<()> {
        let vfs = &self.vfs;
        let Some(first) = uris.first().filter(|first| vfs.is_object_store(first)) else {
            return uris
                .iter()
                .try_for_each(|uri| self.remove_dir_if_any(uri).map(drop));
        };
        if vfs.has_directories(first)? {
            return vfs.for_each(first, uris.len(), |index| {
                self.remove_dir_if_any(&uris[index]).map(drop)
            });
        }
        let below = if self.has_listing_of(first) {
            // Looking names up in a listing sends no request.
            uris.iter()
                .map(|uri| self.files_below(uri))
                .collect::<Result<_>>()?
        } else {
            vfs.map(first, uris.len(), |index| self.files_below(&uris[index]))?
        };
        let files: Vec<Uri> = below.into_iter().flatten().collect();
        vfs.remove_files_if_any(&files).map(drop)
    }

    /// Returns the files in a folder and below it.
    fn files_below(&self, folder: &Uri) -> Result<Vec<Uri>> {
        let mut files = Vec::new();
        let mut open = vec![folder.clone()];
        while let Some(folder) = open.pop() {
            for entry in self.list(&folder)? {
                let uri = folder.join(&entry.name);
                match entry.kind {
                    EntryKind::Directory => open.push(uri),
                    EntryKind::File => files.push(uri),
                }
            }
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Config;
    use crate::context::Context;

    /// Reads a file, whose last change was some time ago, until it is complete. Returns the content
    /// and the number of reads, of which the third finds it complete.
    fn read_growing(age: Duration) -> (Vec<u8>, u32) {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let temporary = tempfile::tempdir().expect("folder");
        let path = temporary.path().join("file");
        std::fs::write(&path, "").expect("file");
        let file = std::fs::File::options().write(true).open(&path);
        let changed = std::time::SystemTime::now() - age;
        let set = file.and_then(|file| file.set_modified(changed));
        set.expect("sets the time");
        let uri = Uri::parse(path.to_str().expect("path")).expect("uri");
        let reads = std::cell::Cell::new(0);
        let content = vfs.view().read_complete(&uri, |content| {
            reads.set(reads.get() + 1);
            if reads.get() == 2 {
                std::fs::write(&path, "all").expect("written");
            }
            content == b"all"
        });
        (content.expect("content"), reads.get())
    }

    #[test]
    fn an_incomplete_file_is_read_again_if_it_was_changed_just_now() {
        assert_eq!(read_growing(Duration::ZERO), (b"all".to_vec(), 3));
        assert_eq!(read_growing(Duration::from_secs(10)), (Vec::new(), 1));
    }

    #[test]
    fn a_file_that_stays_incomplete_is_read_for_a_short_time() {
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let temporary = tempfile::tempdir().expect("folder");
        let path = temporary.path().join("file");
        std::fs::write(&path, "half").expect("file");
        let uri = Uri::parse(path.to_str().expect("path")).expect("uri");
        let reads = std::cell::Cell::new(0);
        let content = vfs.view().read_complete(&uri, |_| {
            reads.set(reads.get() + 1);
            false
        });
        assert_eq!(
            (content.expect("content"), reads.get()),
            (b"half".to_vec(), 7)
        );
    }
}
