//! Creating an array: the schema folder is written under a temporary name, then the other folders
//! are created, and finally the schema folder is published from a temporary folder
//! ([`StagingFolder`]).

use std::collections::HashSet;
use std::sync::Arc;

use super::folder_tree::{FOLDERS, write_schema, write_schema_files};
use super::labels::{self, LabelFolders};
use super::schemas::{Schemas, exists};
use super::{enumerations, key};
use crate::error::{ArrayError, Error, Result};
use crate::format::names::folders;
use crate::format::version::FormatVersion;
use crate::schema::ArraySchema;
use crate::types::EncryptionKey;
use crate::vfs::{FolderLock, LockMode, StorageView, Uri, Vfs, temporary_name};

/// The number of attempts to create folders if another process moves or removes them before they
/// are locked.
const ATTEMPTS: usize = 10;

/// Creates an array. `key` encrypts it; without one, the key in the context's configuration does.
/// The array appears atomically and is durable when the call returns.
///
/// # Errors
///
/// Returns an error if an array or a group exists at `uri`, which is not changed then; folders
/// without a schema, which a killed process may leave, are not an array. Also if storage fails;
/// nothing created by the call is left then.
pub fn create(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let view = vfs.snapshot(uri)?;
    check_is_free(&view, uri)?;
    let key = match key {
        Some(key) => Some(key.clone()),
        None => key::of_config(&vfs.context.config)?,
    };
    enumerations::check_sizes(&schema.enumerations, &vfs.context.config)?;
    let configured = FormatVersion::of_config(&vfs.context.config)?;
    let version = configured.0.max(schema.version);
    schema.check_enumerations(&schema.enumerations)?;
    let mut schema = ArraySchema {
        version,
        enumerations: enumerations::named(&schema.enumerations),
        ..schema.clone()
    };
    schema.labels.update(|labels| {
        // The arrays of the labels have the version of the array.
        for schema in labels.iter_mut().filter_map(|label| label.schema.as_mut()) {
            Arc::make_mut(schema).version = version;
        }
    });
    if vfs.is_object_store(uri) {
        return create_objects(&view, uri, &mut schema, key.as_ref());
    }
    let mut attempt = 1;
    loop {
        match create_folders(vfs, uri, schema.clone(), key.as_ref()) {
            // The folder of another object that was at the URI was moved, with what was in it.
            Err(error) if error.is_missing_file() && attempt < ATTEMPTS => attempt += 1,
            created => return created,
        }
    }
}

/// Creates an array on storage with renames.
fn create_folders(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    mut schema: ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let mut staging = StagingFolder::begin(vfs, uri)?;
    let labels = LabelFolders::write(vfs, staging.folder(), &schema.labels, key)?;
    // Until the function returns, no other process creates or removes the array, or removes the
    // labels as garbage.
    let _lock = vfs.lock(uri, LockMode::Exclusive)?;
    check_is_free(&vfs.view(), uri)?;
    let mut creation = Creation::new(vfs, uri);
    creation.publish(&mut staging, labels, &mut schema, key)?;
    staging.keep_root();
    creation.remove_unnamed_labels(&schema);
    Ok(())
}

/// Creates an array on an object store. `view` shows the names at `uri`. Nothing is renamed
/// there: the arrays of labels and the enumerations are written under their final names, and the
/// schema, which makes it an array, last.
fn create_objects(
    view: &StorageView,
    uri: &Uri,
    schema: &mut ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let mut made = Vec::new();
    let created = schema
        .labels
        .update(|list| labels::write_objects(view, uri, list, key, &mut made))
        .and_then(|()| write_schema(&view.vfs, &uri.join(folders::SCHEMAS), schema, key).map(drop));
    created.inspect_err(|_| {
        // A failed request may have stored the schema, which names the labels then.
        if exists(&view.vfs.view(), uri).unwrap_or(true) {
            return;
        }
        // The first error is the one to report. Readers ignore labels that no schema names.
        for label in &made {
            let _ = view.vfs.remove_dir(label);
        }
    })
}

/// Returns an error if an array or a group exists, or if that is unknown since the schemas of the
/// array cannot be read.
pub fn check_is_free(view: &StorageView, uri: &Uri) -> Result<()> {
    let text = || uri.to_string();
    if is_array(view, uri)? {
        return Err(ArrayError::Exists { uri: text() }.into());
    }
    if view.is_file(&uri.join(folders::GROUP_FILE))? {
        return Err(ArrayError::IsGroup { uri: text() }.into());
    }
    Ok(())
}

fn is_array(view: &StorageView, uri: &Uri) -> Result<bool> {
    if !exists(view, uri)? {
        return Ok(false);
    }
    match Schemas::list(view, uri, None) {
        Ok(_) => Ok(true),
        Err(error) if error.is_usage() => Ok(false),
        Err(error) => Err(error),
    }
}

/// The files and folders that a creation has published so far. Dropping it before the end removes
/// them.
#[derive(Debug)]
struct Creation<'a> {
    vfs: &'a Arc<Vfs>,
    root: &'a Uri,
    folders: Vec<Uri>,
    labels: Vec<Uri>,
    /// The schema file, once its name is known. If it exists, the array does.
    schema: Option<Uri>,
    published: bool,
}

impl<'a> Creation<'a> {
    fn new(vfs: &'a Arc<Vfs>, root: &'a Uri) -> Self {
        Self {
            vfs,
            root,
            folders: Vec::new(),
            labels: Vec::new(),
            schema: None,
            published: false,
        }
    }

    /// Publishes everything under its final name, the schema folder last. The schema contains the
    /// final names of the label folders.
    fn publish(
        &mut self,
        staging: &mut StagingFolder<'_>,
        labels: LabelFolders,
        schema: &mut ArraySchema,
        key: Option<&EncryptionKey>,
    ) -> Result<()> {
        let (vfs, root) = (self.vfs, self.root);
        for name in FOLDERS {
            let folder = root.join(name);
            if vfs.create_new_dir(&folder)? {
                self.folders.push(folder);
            }
        }
        // The label folders must become durable before the schema that names them.
        let claimed = &mut self.labels;
        let mut unsynced = schema
            .labels
            .update(|list| labels.publish(vfs, root, list, claimed))?;
        if !self.labels.is_empty() {
            unsynced.push(root.clone());
        }
        // The name of the root is synced also if it existed: the process that created it may not
        // have come to this.
        unsynced.extend(root.parent());
        let name = write_schema_files(vfs, staging.folder(), schema, key, &unsynced)?;
        let folder = root.join(folders::SCHEMAS);
        self.schema = Some(folder.join(&name));
        self.published = staging.publish(&folder)?;
        if !self.published && vfs.is_dir(&folder)? {
            // It contains no schema, as was checked under the lock: it was left by an incomplete
            // creation.
            let replaced = root.join(&temporary_name());
            vfs.rename("move", &folder, &replaced)?;
            let published = staging.publish(&folder);
            // If it remains, vacuum removes it. The first error is reported.
            let _ = vfs.remove_dir_if_any(&replaced);
            self.published = published?;
        }
        if !self.published {
            let kind = std::io::ErrorKind::AlreadyExists;
            return Err(Error::storage("move", folder.as_str(), kind.into()));
        }
        Ok(())
    }

    /// Removes label folders that the schema does not name. The creation has succeeded, so failures
    /// are not reported.
    fn remove_unnamed_labels(&self, schema: &ArraySchema) {
        let folder = self.root.join(folders::LABELS);
        if self.folders.contains(&folder) && schema.labels.is_empty() {
            return;
        }
        let named: HashSet<Uri> = schema
            .labels
            .iter()
            .filter(|label| label.uri_is_relative)
            .map(|label| self.root.join(&label.uri))
            .collect();
        for entry in self.vfs.list(&folder).unwrap_or_default() {
            let uri = folder.join(&entry.name);
            if !named.contains(&uri) {
                let _ = self.vfs.remove_dir(&uri);
            }
        }
    }
}

impl Drop for Creation<'_> {
    fn drop(&mut self) {
        let is_published = |file| self.vfs.is_file(file).unwrap_or(true);
        if self.published || self.schema.as_ref().is_some_and(is_published) {
            return;
        }
        // Only the first error is reported. A later creation tolerates what cannot be removed.
        for label in &self.labels {
            let _ = self.vfs.remove_dir(label);
        }
        for folder in self.folders.iter().rev() {
            let _ = self.vfs.remove_empty_dir(folder);
        }
    }
}

/// A temporary folder in the root of an object. It is locked, so that no other process removes it
/// as garbage. Dropping it removes the folder, unless it was published, and the root, unless it is
/// kept, if this creation made it and it is otherwise empty.
#[derive(Debug)]
pub(super) struct StagingFolder<'a> {
    vfs: &'a Vfs,
    root: &'a Uri,
    folder: Uri,
    removes_root: bool,
    is_published: bool,
    lock: Option<FolderLock>,
}

impl<'a> StagingFolder<'a> {
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

impl Drop for StagingFolder<'_> {
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
