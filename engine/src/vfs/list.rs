//! Operations on many objects: recursive listings, sizes of folders, copies.

use super::backend::{Objects, SnapshotScope};
use super::vfs::Vfs;
use super::{Entry, EntryKind, Uri};
use crate::error::{Error, Result, VfsError};
use crate::memory::tuning::COPY_BUFFER_BYTES;

/// Whether a listing continues after an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Continue.
    Continue,
    /// Stop without an error.
    Stop,
}

impl Vfs {
    /// Visits everything below a folder, sorted by name, each folder before its contents. Folders
    /// have the size 0. Symbolic links to folders are visited but not followed. A missing folder is
    /// an error.
    pub fn walk(
        &self,
        uri: &Uri,
        visit: &mut dyn FnMut(&Uri, &Entry) -> Result<Next>,
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
        visit: &mut dyn FnMut(&Uri, &Entry) -> Result<Next>,
    ) -> Result<Next> {
        // An explicit stack: folders may nest to any depth.
        let mut open = vec![(uri.clone(), self.list_with_sizes(uri)?.into_iter())];
        while let Some((folder, entries)) = open.last_mut() {
            let Some(entry) = entries.next() else {
                open.pop();
                continue;
            };
            let entry_uri = folder.join(&entry.name);
            if visit(&entry_uri, &entry)? == Next::Stop {
                return Ok(Next::Stop);
            }
            if entry.kind == EntryKind::Directory && !entry.link {
                let below = self.list_with_sizes(&entry_uri)?.into_iter();
                open.push((entry_uri, below));
            }
        }
        Ok(Next::Continue)
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
            objects.walk(uri, SnapshotScope::All, &mut |_, size| {
                sum = sum.saturating_add(size);
                Ok(true)
            })?;
            return Ok(sum);
        }
        self.walk_below(uri, &mut |_, entry| {
            sum = sum.saturating_add(entry.size);
            Ok(Next::Continue)
        })?;
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
            Ok(Next::Continue)
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
    visit: &mut dyn FnMut(&Uri, &Entry) -> Result<Next>,
) -> Result<()> {
    objects.walk(root, SnapshotScope::All, &mut |rest, size| {
        let uri = root.join(rest);
        let entry = Entry {
            name: uri.name().to_owned(),
            kind: EntryKind::File,
            size,
            link: false,
        };
        Ok(visit(&uri, &entry)? == Next::Continue)
    })
}
