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
use crate::vfs::{Entry, Uri, Vfs};

/// Returns the schema in the file `name`. On an object store, the files with the footers of
/// fragments in a time range are read at the same time, and are cached for the open that follows.
///
/// # Errors
///
/// If the schema cannot be read. The open reports errors of metadata files.
pub(super) fn load_schema(
    schemas: &Schemas,
    name: &str,
    timestamps: TimeRange,
) -> Result<Arc<ArraySchema>> {
    let (vfs, array) = (schemas.vfs(), schemas.array());
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

/// Returns the files with footers that an open reads, if the names in a listing show which these
/// are: consolidated ones, or else the metadata files of fragments of which each has a commit file
/// and is not replaced.
fn metadata_files(vfs: &Vfs, array: &Uri, timestamps: TimeRange) -> Result<Vec<Uri>> {
    let [commits, footers] =
        [folders::COMMITS, folders::FRAGMENT_META].map(|name| array.join(name));
    let is_listed = |folder: &Uri| vfs.folder_state(folder).map(|state| state.is_some());
    if !vfs.is_object_store(array) || !is_listed(&commits)? || !is_listed(&footers)? {
        return Ok(Vec::new());
    }
    let entries = vfs.list(&commits)?;
    let consolidated = vfs.list(&footers)?;
    if !consolidated.is_empty() {
        return Ok(consolidated_files(&footers, &consolidated));
    }
    if entries.len() > MAX_EARLY_FOOTERS {
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

/// Returns the files in the folder of consolidated footers that fit in the cache of ends of files.
fn consolidated_files(folder: &Uri, entries: &[Entry]) -> Vec<Uri> {
    let is_footers = |entry: &&Entry| {
        entry.name.ends_with(folders::CONSOLIDATED_META) && entry.size <= REMOTE_METADATA_TAIL_BYTES
    };
    let files = entries.iter().filter(is_footers).take(MAX_EARLY_FOOTERS);
    files.map(|entry| folder.join(&entry.name)).collect()
}

#[cfg(all(test, feature = "remote"))]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::context::Context;
    use crate::vfs::{FaultyStore, StoreLimits};

    #[test]
    fn consolidated_footers_replace_the_files_of_fragments() {
        let context = Context::new(Config::new()).expect("context");
        let store = FaultyStore::new(StoreLimits::default());
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let array = Uri::parse("s3://bucket/array").expect("uri");
        let fragment = format!("__1_1_{}_22", "a".repeat(32));
        let names = |vfs: &Arc<Vfs>| {
            let listed = vfs.snapshot(&array).expect("lists");
            let files = metadata_files(&listed, &array, TimeRange::ALL).expect("names");
            let files = files.iter().map(|file| {
                let name = file.as_str().strip_prefix(array.as_str());
                name.unwrap_or_default().to_owned()
            });
            files.collect::<Vec<_>>()
        };
        let write = |name: &str, size: usize| {
            vfs.write_all(&array.join(name), &vec![0; size])
                .expect("writes");
        };
        assert!(names(&vfs).is_empty());
        write(&format!("__commits/{fragment}.wrt"), 0);
        let file = format!("/__fragments/{fragment}/__fragment_metadata.tdb");
        assert_eq!(names(&vfs), [file]);
        let most = REMOTE_METADATA_TAIL_BYTES as usize;
        write("__fragment_meta/1.meta", most + 1);
        assert!(names(&vfs).is_empty(), "too large for the cache");
        write("__fragment_meta/2.meta", most);
        write("__fragment_meta/3.tmp", 1);
        assert_eq!(names(&vfs), ["/__fragment_meta/2.meta"]);
    }
}
