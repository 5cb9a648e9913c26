//! Files that change an array which was opened earlier, such as commits: they appear in that array
//! only.
//!
//! Between the open and the change another process may move or remove the array, and create another
//! one at its URI. The file of the schema shows whether the array is still there, because its name
//! is never used again. It is looked up before the change, when the folder in which the file will
//! appear is open, so that the file never appears in another array; and after the change, because
//! the array may be removed in between. A removal retires what appears in the array until its
//! schemas are gone.

use crate::error::{ArrayError, Error, Result};
use crate::format::names::folders;
use crate::format::version::FormatVersion;
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{LockMode, Uri, Vfs};

/// An array or group that was opened before it is changed.
#[derive(Clone, Copy, Debug)]
pub struct OpenedObject<'a> {
    /// The folder.
    pub uri: &'a Uri,
    /// The file name of the schema of an array. If it is empty, as for groups, the object is not
    /// looked up.
    pub schema_name: &'a str,
}

impl<'a> OpenedObject<'a> {
    /// Returns an object that is not looked up, because the caller holds a lock on it or it is a
    /// group.
    pub fn unchecked(uri: &'a Uri) -> Self {
        let schema_name = "";
        Self { uri, schema_name }
    }

    fn schema(&self) -> Uri {
        match self.schema_name {
            folders::ROOT_SCHEMA => self.uri.join(folders::ROOT_SCHEMA),
            name => self.uri.join(folders::SCHEMAS).join(name),
        }
    }

    fn gone(&self) -> Error {
        let uri = self.uri.to_string();
        ArrayError::Gone { uri }.into()
    }

    /// Removes the folders that a writer created after the array was moved or removed, if they are
    /// empty. Does nothing if the array exists or another process changes its folder.
    pub fn remove_empty_folders(&self, vfs: &Vfs) {
        // Failures are not reported: the change has failed already, and an empty folder hides
        // nothing.
        if self.schema_name.is_empty()
            || vfs.is_object_store(self.uri)
            || !matches!(vfs.is_file(&self.schema()), Ok(false))
        {
            return;
        }
        let Ok(Some(_lock)) = vfs.try_lock(self.uri, LockMode::Exclusive) else {
            return;
        };
        if [folders::SCHEMAS, folders::GROUP_DETAILS]
            .iter()
            .map(|name| self.uri.join(name))
            .any(|marker| vfs.is_dir(&marker).unwrap_or(true))
        {
            return;
        }
        for name in [folders::COMMITS, folders::FRAGMENTS, folders::METADATA] {
            let _ = vfs.remove_empty_dir(&self.uri.join(name));
        }
        let _ = vfs.remove_empty_dir(self.uri);
    }
}

/// Publishes a file that changes an open array or group, durably and in one step.
///
/// # Errors
///
/// If the array was moved or removed after it was opened, or storage fails. The file does not exist
/// then, unless it cannot be removed.
pub fn publish_change(vfs: &Vfs, opened: OpenedObject<'_>, file: &Uri, bytes: &[u8]) -> Result<()> {
    if opened.schema_name.is_empty() || vfs.is_object_store(opened.uri) {
        return vfs.publish_file(opened.uri, file, bytes);
    }
    let schema = opened.schema();
    let check = || match vfs.is_file(&schema) {
        Ok(false) => Err(opened.gone()),
        found => found.map(drop),
    };
    let _lock = match file.parent() {
        // A removal makes this folder disappear before the schemas, under the exclusive lock.
        Some(folder) if !vfs.is_dir(&folder)? => {
            let lock = match vfs.lock(opened.uri, LockMode::Shared) {
                Err(error) if error.is_missing_file() => return Err(opened.gone()),
                lock => lock?,
            };
            // The folder is created in the array only.
            check()?;
            Some(lock)
        }
        _ => None,
    };
    if let Err(error) = vfs.publish_file_if(opened.uri, file, bytes, &check) {
        // The folder of a file that is complete under another name was removed or moved.
        let is_gone = error.is_missing_file() && matches!(vfs.is_file(&schema), Ok(false));
        return Err(if is_gone { opened.gone() } else { error });
    }
    // If the look-up fails, the change has taken effect as far as is known.
    if vfs.is_file(&schema).unwrap_or(true) {
        return Ok(());
    }
    // The error of the array is reported.
    let _ = vfs.remove_file_if_any(file);
    Err(opened.gone())
}

/// Publishes a file that consists of one generic tile, as [`publish_change`] does.
///
/// # Errors
///
/// As for [`publish_change`]. Folders that the change created are removed if they are empty.
pub fn publish_record(
    vfs: &Vfs,
    opened: OpenedObject<'_>,
    file: &Uri,
    record: &[u8],
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let mut bytes = Vec::new();
    generic::encode(record, version, key, &mut bytes)?;
    publish_change(vfs, opened, file, &bytes).inspect_err(|_| opened.remove_empty_folders(vfs))
}
