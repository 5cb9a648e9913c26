//! Reads the latest schema of an array on an object store and the footers of its fragments at the
//! same time, instead of one after the other.

use std::sync::Arc;

use super::schemas::Schemas;
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::memory::tuning::{MAX_EARLY_FOOTERS, REMOTE_METADATA_TAIL_BYTES};
use crate::platform::lock::Mutex;
use crate::schema::ArraySchema;
use crate::types::TimeRange;
use crate::vfs::{Uri, Vfs};

/// Returns the schema in the file `name`. On an object store, the ends of the metadata files of
/// fragments in a time range are read at the same time, and are cached for the open that follows.
///
/// # Errors
///
/// If the schema cannot be read. The open reports errors of metadata files.
pub(super) fn load_schema(
    vfs: &Arc<Vfs>,
    array: &Uri,
    schemas: &Schemas,
    name: &str,
    timestamps: TimeRange,
) -> Result<Arc<ArraySchema>> {
    let files = metadata_files(vfs, array, timestamps)?;
    let schema = Mutex::new(None);
    vfs.for_each(array, 1 + files.len(), |index| {
        match index.checked_sub(1).and_then(|index| files.get(index)) {
            None => *schema.lock() = Some(schemas.get(Some(name))?),
            Some(file) => {
                let file = vfs.open(file);
                let _ = file.and_then(|file| file.read_tail(REMOTE_METADATA_TAIL_BYTES));
            }
        }
        Ok(())
    })?;
    match schema.into_inner() {
        Some(schema) => Ok(schema),
        None => schemas.get(Some(name)),
    }
}

/// Returns the metadata files that an open reads, if the names in a listing show which these are:
/// each fragment has a commit file and is not replaced, and footers are not consolidated.
fn metadata_files(vfs: &Vfs, array: &Uri, timestamps: TimeRange) -> Result<Vec<Uri>> {
    let [commits, footers] =
        [folders::COMMITS, folders::FRAGMENT_META].map(|name| array.join(name));
    let is_listed = |folder: &Uri| vfs.folder_state(folder).map(|state| state.is_some());
    if !vfs.is_object_store(array) || !is_listed(&commits)? || !is_listed(&footers)? {
        return Ok(Vec::new());
    }
    let entries = vfs.list(&commits)?;
    if entries.len() > MAX_EARLY_FOOTERS || !vfs.list(&footers)?.is_empty() {
        return Ok(Vec::new());
    }
    let names = entries
        .iter()
        .map(|entry| FragmentName::with_suffix(&entry.name, folders::WRITE));
    let Some(names) = names.collect::<Option<Vec<_>>>() else {
        return Ok(Vec::new());
    };
    let folder = array.join(folders::FRAGMENTS);
    let visible = names
        .iter()
        .filter(|name| timestamps.contains(name.timestamps()));
    let files = visible.map(|name| {
        folder
            .join(name.as_str())
            .join(folders::FRAGMENT_METADATA_FILE)
    });
    Ok(files.collect())
}
