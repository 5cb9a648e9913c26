//! A temporary folder in the root of an object under construction, which gets its final name when
//! its content is complete.

use crate::error::Result;
use crate::vfs::{FolderLock, LockMode, Uri, Vfs, temporary_name};

/// The number of attempts to create the folders if another process removes them before they are
/// locked.
const ATTEMPTS: usize = 10;

/// A temporary folder in the root of an object. It is locked, so that no other process removes it
/// as garbage. Dropping it removes the folder, unless it was published, and the root, unless it is
/// kept, if this creation made it and it is otherwise empty.
#[derive(Debug)]
pub(super) struct Staging<'a> {
    vfs: &'a Vfs,
    root: &'a Uri,
    folder: Uri,
    removes_root: bool,
    is_published: bool,
    lock: Option<FolderLock>,
}

impl<'a> Staging<'a> {
    /// Creates the folder, and the root if it is missing.
    pub(super) fn begin(vfs: &'a Vfs, root: &'a Uri) -> Result<Self> {
        let mut staging = Self {
            vfs,
            root,
            folder: root.join(&temporary_name()),
            removes_root: false,
            is_published: false,
            lock: None,
        };
        let mut attempt = 0;
        staging.lock = loop {
            attempt += 1;
            staging.removes_root |= vfs.create_dir_unsynced(root)?;
            let created = vfs.create_new_dir(&staging.folder);
            let locked = created.and_then(|_| vfs.try_lock(&staging.folder, LockMode::Exclusive));
            match locked {
                Err(error) if error.is_missing_file() && attempt < ATTEMPTS => {}
                locked => break locked?,
            }
        };
        Ok(staging)
    }

    /// Returns the temporary folder.
    pub(super) fn folder(&self) -> &Uri {
        &self.folder
    }

    /// Renames the folder to `to` in one step, durably. Returns `false`, and renames nothing, if
    /// something other than an empty folder exists there.
    pub(super) fn publish(&mut self, to: &Uri) -> Result<bool> {
        self.is_published = self.vfs.publish_dir(&self.folder, to)?;
        Ok(self.is_published)
    }

    /// Keeps the root: an object was published in it.
    pub(super) fn keep_root(&mut self) {
        self.removes_root = false;
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        // A folder that cannot be removed stays: readers ignore it, and vacuum removes it.
        if !self.is_published && !self.vfs.remove_empty_dir(&self.folder).unwrap_or(false) {
            let _ = self.vfs.remove_dir_if_any(&self.folder);
        }
        if self.removes_root {
            let _ = self.vfs.remove_empty_dir(self.root);
        }
    }
}
