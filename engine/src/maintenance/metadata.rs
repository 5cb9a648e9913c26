//! Consolidation and vacuum of metadata, of arrays and of groups.
//!
//! The merged file comes first, then the list that hides the others. Until the list exists, readers
//! apply both, which has the same result. All of it happens under the exclusive lock.

use std::collections::HashSet;

use super::age::MinAge;
use super::garbage::remove_temporaries;
use crate::array::{
    MetadataFolder, MetadataRecords, inner_first, replaced, retain_committed, write_metadata_file,
};
use crate::config::Config;
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::format::version::FormatVersion;
use crate::fragment::OpenedObject;
use crate::types::{EncryptionKey, TimeRange};
use crate::vfs::{LockMode, StorageView, Uri};

/// The form in which a list names the metadata files that were merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergedNames {
    /// URIs, which readers of groups and of arrays up to format 18 require.
    Uris,
    /// Paths relative to the array's folder.
    Paths,
}

/// Merges the metadata files of the array or group at `object` in a time range into one, whose
/// timestamps span theirs. Does nothing if there is only one. `version` is that of the object's
/// records.
pub fn consolidate_metadata(
    view: &StorageView,
    object: &Uri,
    timestamps: TimeRange,
    form: MergedNames,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let vfs = &view.vfs;
    let lock = vfs.lock(object, LockMode::Exclusive)?;
    let folder = MetadataFolder::read(view, object, Some(&lock))?;
    // Files that a file with a wider span replaced already must not take effect again.
    let current: HashSet<Uri> = folder.visible(TimeRange::ALL).into_iter().collect();
    let mut files = folder.visible(timestamps);
    files.retain(|file| current.contains(file));
    retain_committed(view, object, &mut files, &lock)?;
    let span = files
        .iter()
        .filter_map(|file| FragmentName::parse(file.name()))
        .map(|name| name.timestamps())
        .reduce(TimeRange::union);
    let (Some(span), true) = (span, files.len() > 1) else {
        return Ok(());
    };
    // A deletion is needed only for files that are kept. Without a lock another process may have
    // kept some.
    let all_merged = lock.is_held() && current.len() == files.len();
    let records = MetadataRecords::load(view, &files, key)?;
    let entries = records
        .merged()?
        .into_iter()
        .filter(|entry| entry.value.is_some() || !all_merged);
    let opened = OpenedObject::unchecked(object);
    let written = write_metadata_file(vfs, opened, span, entries, version, key)?;
    let mut names = String::new();
    for file in &files {
        match form {
            MergedNames::Uris => names.push_str(file.as_str()),
            MergedNames::Paths => {
                names.push('/');
                names.push_str(folders::METADATA);
                names.push('/');
                names.push_str(file.name());
            }
        }
        names.push('\n');
    }
    let list = format!("{}{}", written.name(), folders::VACUUM);
    let list = object.join(folders::METADATA).join(&list);
    vfs.publish_file(object, &list, names.as_bytes())
}

/// Removes the metadata files of the array or group at `object` that were merged, and then the
/// lists of them.
pub fn vacuum_metadata(view: &StorageView, object: &Uri, config: &Config) -> Result<()> {
    let age = MinAge::of_replaced(config)?;
    let vfs = &view.vfs;
    let lock = vfs.lock(object, LockMode::Exclusive)?;
    let folder = MetadataFolder::read(view, object, Some(&lock))?;
    let lists = inner_first(folder.lists.to_vec());
    let hidden = replaced(&lists, |list| folder.has(&list.name));
    let mut staying: HashSet<&str> = HashSet::new();
    let (mut done, mut removed) = (Vec::new(), false);
    for list in &lists {
        let mut others = list.replaced.iter().filter(|name| **name != list.name);
        let counts = folder.has(&list.name) || hidden.contains(&list.name);
        let stays = if counts {
            // The list of a file that this one replaces may depend on it.
            others.any(|name| staying.contains(name.as_str()))
                || !age.has_passed(view, &list.uri)?
        } else {
            others.any(|name| folder.has(name))
        };
        if stays {
            staying.insert(&list.name);
            continue;
        }
        for name in list.replaced.iter().filter(|name| **name != list.name) {
            if folder.has(name) {
                removed |= vfs.remove_file_if_any(&object.join(folders::METADATA).join(name))?;
            }
        }
        done.push(&list.uri);
    }
    if removed {
        vfs.sync(&object.join(folders::METADATA))?;
    }
    for list in done {
        vfs.remove_file_if_any(list)?;
    }
    remove_temporaries(view, object, config)
}
