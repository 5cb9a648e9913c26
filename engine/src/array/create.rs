//! Creates an array: everything under a temporary name, then its folders, and the folder of schemas
//! as the last step.

use std::sync::Arc;

use super::labels::LabelFolders;
use super::schemas::Schemas;
use super::staging::Staging;
use super::{enumerations, key};
use crate::error::{Error, ErrorKind, Result};
use crate::format::names::{folders, unversioned_name};
use crate::format::schema;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::EncryptionKey;
use crate::vfs::{LockMode, Uri, Vfs};

/// The folders of an array, but for that of the schemas, which makes a folder an array.
const FOLDERS: [&str; 5] = [
    folders::COMMITS,
    folders::FRAGMENTS,
    folders::METADATA,
    folders::FRAGMENT_META,
    folders::LABELS,
];

/// Creates an array. `key` encrypts it; without one, the key of the storage's configuration does.
/// The array appears in one step and is durable when the call returns.
///
/// # Errors
///
/// If an array exists at `uri`, which is not changed then; folders without a schema, as a killed
/// process leaves them, are none. If storage fails; then nothing is left but what was there before.
pub fn create(
    vfs: &Arc<Vfs>,
    uri: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    check_is_free(vfs, uri)?;
    let key = match key {
        Some(key) => Some(key.clone()),
        None => key::of_config(vfs.context().config())?,
    };
    enumerations::check_sizes(&schema.enumerations, vfs.context().config())?;
    let mut schema = ArraySchema {
        enumerations: enumerations::named(&schema.enumerations),
        ..schema.clone()
    };
    let mut staging = Staging::begin(vfs, uri)?;
    let labels = LabelFolders::write(vfs, staging.folder(), &schema.labels, key.as_ref())?;
    // Until the end no other process creates or removes the array, or takes the labels for remains
    // of a killed one.
    let _lock = vfs.lock(uri, LockMode::Exclusive)?;
    check_is_free(vfs, uri)?;
    let mut steps = Steps::new(vfs, uri);
    steps.publish(staging.folder(), labels, &mut schema, key.as_ref())?;
    staging.keep_root();
    steps.end(&schema);
    Ok(())
}

/// Errors if an array exists, or may exist since its schemas cannot be read.
fn check_is_free(vfs: &Arc<Vfs>, uri: &Uri) -> Result<()> {
    match is_array(vfs, uri)? {
        false => Ok(()),
        true => {
            let message = format!("Cannot create array; Array '{uri}' already exists");
            Err(Error::usage("Array", message))
        }
    }
}

fn is_array(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    if !Schemas::exist(vfs, uri)? {
        return Ok(false);
    }
    match Schemas::list(vfs, uri, None) {
        Ok(_) => Ok(true),
        Err(error) => match error.kind() {
            ErrorKind::Usage { .. } => Ok(false),
            _ => Err(error),
        },
    }
}

/// What a creation made in the root so far. Dropping it unfinished removes that.
#[derive(Debug)]
struct Steps<'a> {
    vfs: &'a Arc<Vfs>,
    root: &'a Uri,
    folders: Vec<Uri>,
    labels: Vec<Uri>,
    /// The file of the schema, once its name is known. If it exists, the array does.
    schema: Option<Uri>,
    published: bool,
}

impl<'a> Steps<'a> {
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

    /// Gives everything its name, the folder of schemas last. The schema names the folders of the
    /// labels as they are.
    fn publish(
        &mut self,
        staging: &Uri,
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
        labels.publish(vfs, root, &mut schema.labels, &mut self.labels)?;
        if !self.labels.is_empty() {
            // Their folders must not be lost if the array is not.
            vfs.sync(root)?;
        }
        let name = write_schema(vfs, staging, schema, key)?;
        let folder = root.join(folders::SCHEMAS);
        self.schema = Some(folder.join(&name));
        let staged = staging.join(folders::SCHEMAS);
        let mut published = vfs.publish_dir(&staged, &folder)?;
        if !published && vfs.is_dir(&folder)? {
            // It holds no schema, as was checked under the lock: remains of a creation by another
            // version.
            vfs.rename("move", &folder, &staging.join("replaced"))?;
            published = vfs.publish_dir(&staged, &folder)?;
        }
        self.published = published;
        if !published {
            let kind = std::io::ErrorKind::AlreadyExists;
            return Err(Error::storage("move", folder.as_str(), kind.into()));
        }
        Ok(())
    }

    /// Removes label folders that the schema does not name. The creation took effect: failures are
    /// not reported.
    fn end(&self, schema: &ArraySchema) {
        let folder = self.root.join(folders::LABELS);
        let named = |place: &Uri| {
            let mut labels = schema.labels.iter().filter(|label| label.uri_is_relative);
            labels.any(|label| self.root.join(&label.uri) == *place)
        };
        for entry in self.vfs.list(&folder).unwrap_or_default() {
            let place = folder.join(&entry.name);
            if !named(&place) {
                let _ = self.vfs.remove_dir(&place);
            }
        }
    }
}

impl Drop for Steps<'_> {
    fn drop(&mut self) {
        let is_published = |file| self.vfs.is_file(file).unwrap_or(true);
        if self.published || self.schema.as_ref().is_some_and(is_published) {
            return;
        }
        // The first error is the one to report. A later creation tolerates what stays.
        for label in &self.labels {
            let _ = self.vfs.remove_dir(label);
        }
        for folder in self.folders.iter().rev() {
            let _ = self.vfs.remove_empty_dir(folder);
        }
    }
}

/// Writes the folder of schemas of a new array into `folder`: enumerations and one schema, all
/// durable. Returns the name of the schema's file.
pub(super) fn write_schema(
    vfs: &Vfs,
    folder: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<String> {
    let schemas = folder.join(folders::SCHEMAS);
    for new in [&schemas, &schemas.join(folders::ENUMERATIONS)] {
        vfs.create_new_dir(new)?;
    }
    enumerations::write_all(vfs, folder, key, &schema.enumerations)?;
    let name = unversioned_name(schema.timestamps);
    let file = schemas.join(&name);
    generic::publish(vfs, folder, &file, &schema::write(schema), key)?;
    Ok(name)
}

/// Writes a whole array into a new folder that no other process knows: all its files and folders
/// are durable, its own name is not.
pub(super) fn write_hidden(
    vfs: &Vfs,
    folder: &Uri,
    schema: &ArraySchema,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    vfs.create_new_dir(folder)?;
    for name in FOLDERS {
        vfs.create_new_dir(&folder.join(name))?;
    }
    write_schema(vfs, folder, schema, key)?;
    vfs.sync(folder)
}

/// Creates the folders that an array of an old version lacks, durably.
pub(super) fn ensure_folders(vfs: &Vfs, uri: &Uri) -> Result<()> {
    let schemas = uri.join(folders::SCHEMAS);
    let mut created = false;
    for name in FOLDERS {
        created |= vfs.create_new_dir(&uri.join(name))?;
    }
    created |= vfs.create_new_dir(&schemas)?;
    if created {
        vfs.sync(uri)?;
    }
    vfs.ensure_dir(&schemas.join(folders::ENUMERATIONS))
}
