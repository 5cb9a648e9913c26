//! Creates groups.

use std::sync::Arc;

use crate::error::{Error, GroupError, Result};
use crate::format::names::folders;
use crate::object::object_type;
use crate::types::ObjectType;
use crate::vfs::{FolderLock, LockMode, Uri, Vfs};

/// The number of attempts to create the root if another process removes it before it is locked.
const ATTEMPTS: usize = 10;

/// Creates an empty group at `uri`. The folder of details makes it a group and is created in one
/// step; the group is durable when the call returns.
///
/// # Errors
///
/// If a group or an array exists there, `uri` is not a URI, or storage fails. What this call
/// created is removed then.
pub fn create(vfs: &Arc<Vfs>, uri: &str) -> Result<()> {
    let uri =
        Uri::parse(uri).map_err(|_| Error::from(GroupError::BadNewUri { uri: uri.into() }))?;
    check_is_free(vfs, &uri)?;
    let mut creation = Creation {
        vfs,
        root: &uri,
        created: Vec::new(),
        is_marked: false,
        done: false,
    };
    let _lock = creation.lock_root()?;
    if !vfs.is_object_store(&uri) {
        check_is_free(vfs, &uri)?;
    }
    creation.publish()
}

fn check_is_free(vfs: &Arc<Vfs>, uri: &Uri) -> Result<()> {
    match object_type(&vfs.view(), uri)? {
        ObjectType::Invalid => Ok(()),
        ObjectType::Group => Err(already_exists(uri)),
        ObjectType::Array => Err(GroupError::IsArray {
            uri: uri.to_string(),
        }
        .into()),
    }
}

fn already_exists(uri: &Uri) -> Error {
    Error::from(GroupError::Exists {
        uri: uri.to_string(),
    })
}

/// The folders that a creation made so far. Dropping it unfinished removes them.
#[derive(Debug)]
struct Creation<'a> {
    vfs: &'a Vfs,
    root: &'a Uri,
    created: Vec<Uri>,
    /// Whether the marker file was made.
    is_marked: bool,
    done: bool,
}

impl Creation<'_> {
    /// Locks the root, which is created if it is missing.
    fn lock_root(&mut self) -> Result<FolderLock> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            if self.vfs.create_dir_unsynced(self.root)? {
                self.created.push(self.root.clone());
            }
            match self.vfs.lock(self.root, LockMode::Exclusive) {
                Err(error) if error.is_missing_file() && attempt < ATTEMPTS => {}
                lock => return lock,
            }
        }
    }

    fn publish(mut self) -> Result<()> {
        let (vfs, root) = (self.vfs, self.root);
        for name in [folders::METADATA, folders::GROUP_DETAILS] {
            let folder = root.join(name);
            if vfs.create_new_dir(&folder)? {
                self.created.push(folder);
            } else if name == folders::GROUP_DETAILS {
                return Err(already_exists(root));
            }
        }
        let marker = root.join(folders::GROUP_FILE);
        if vfs.is_object_store(root) {
            // No folder exists there without a file.
            vfs.publish_file(root, &marker, &[])?;
        } else {
            // Releases before 2.8 find a group by this file.
            vfs.touch(&marker)?;
        }
        self.is_marked = true;
        // The name of the root, too, also if it existed: the process that created it may have been
        // killed before this.
        let folders: Vec<Uri> = root.parent().into_iter().chain([root.clone()]).collect();
        vfs.sync_all(&folders)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Creation<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        // The first error is reported.
        if self.is_marked {
            let _ = self
                .vfs
                .remove_file_if_any(&self.root.join(folders::GROUP_FILE));
        }
        for folder in self.created.iter().rev() {
            let _ = self.vfs.remove_empty_dir(folder);
        }
    }
}
