//! Removes what killed processes left: temporary names, fragment folders without a commit,
//! replacement lists that never took effect, and label folders that no schema names.
//!
//! No reader at any timestamp sees any of it. Files that are too young, or that a running writer
//! has locked, are kept.

use std::collections::HashSet;
use std::sync::Arc;

use super::age::MinAge;
use super::lock::lock_for_maintenance;
use crate::array::{self, CommitScope, Commits, replaced, retain_described};
use crate::config::Config;
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::memory::tuning::REMOVAL_BATCH_FRAGMENTS;
use crate::types::TimeRange;
use crate::vfs::{Entry, EntryKind, FolderLock, LockMode, Uri, Vfs, is_temporary};

/// Removes the temporary names in the folder of an array or group that killed processes left.
pub(super) fn remove_temporaries(vfs: &Vfs, object: &Uri, config: &Config) -> Result<()> {
    let age = MinAge::of_garbage(config)?;
    let entries = vfs.list(object)?.into_iter();
    for entry in entries.filter(|entry| is_temporary(&entry.name)) {
        remove_entry(vfs, object, &entry, age)?;
    }
    Ok(())
}

fn remove_entry(vfs: &Vfs, folder: &Uri, entry: &Entry, age: MinAge) -> Result<()> {
    let uri = folder.join(&entry.name);
    match entry.kind {
        EntryKind::File if age.has_passed(vfs, &uri)? => vfs.remove_file_if_any(&uri)?,
        EntryKind::Directory if age.has_passed_below(vfs, &uri)? => remove_unlocked(vfs, &uri)?,
        _ => false,
    };
    Ok(())
}

/// Removes a folder unless a running creation has locked it.
fn remove_unlocked(vfs: &Vfs, folder: &Uri) -> Result<bool> {
    match vfs.try_lock(folder, LockMode::Exclusive) {
        Ok(Some(_lock)) => vfs.remove_dir_if_any(folder),
        Ok(None) => Ok(false),
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes what killed processes left in an array and in the arrays of its dimension labels.
pub(super) fn remove_garbage(vfs: &Arc<Vfs>, array: &Uri, config: &Config) -> Result<()> {
    let age = MinAge::of_garbage(config)?;
    let lock = lock_for_maintenance(vfs, array)?;
    remove_uncommitted(vfs, array, &lock, age)?;
    let labels = remove_labels(vfs, array, config, age)?;
    remove_temporaries(vfs, array, config)?;
    for label in labels.iter().filter(|label| *label != array) {
        if vfs.is_dir(label)? {
            let lock = lock_for_maintenance(vfs, label)?;
            remove_uncommitted(vfs, label, &lock, age)?;
            remove_temporaries(vfs, label, config)?;
        }
    }
    Ok(())
}

/// Removes fragments without a commit, and files that refer to such fragments.
fn remove_uncommitted(vfs: &Vfs, array: &Uri, lock: &FolderLock, age: MinAge) -> Result<()> {
    let commits = Commits::read(vfs, array, CommitScope::all(Some(lock)))?;
    let committed = commits.fragment_names(vfs)?;
    remove_lists(vfs, &commits, &committed, age)?;
    let found = uncommitted(vfs, &commits, &committed)?;
    remove_fragments(vfs, array, &found, lock, age)?;
    remove_descriptions(vfs, array, &committed, age)
}

/// Removes the replacement lists that have no effect.
fn remove_lists(
    vfs: &Vfs,
    commits: &Commits,
    committed: &HashSet<String>,
    age: MinAge,
) -> Result<()> {
    let lists = commits.lists(vfs, |_| true)?;
    let hidden = replaced(&lists, |name| committed.contains(name));
    for list in &lists {
        let counts = committed.contains(&list.name) || hidden.contains(&list.name);
        if !counts && age.has_passed(vfs, &list.uri)? {
            vfs.remove_file_if_any(&list.uri)?;
        }
    }
    Ok(())
}

/// A fragment that was not committed when the commits were read.
struct Uncommitted {
    name: FragmentName,
    uri: Uri,
}

/// Removes the folders of uncommitted fragments that no writer uses.
fn remove_fragments(
    vfs: &Vfs,
    array: &Uri,
    found: &[Uncommitted],
    lock: &FolderLock,
    age: MinAge,
) -> Result<()> {
    let in_use = timestamps_in_use(vfs, found)?;
    for batch in found.chunks(REMOVAL_BATCH_FRAGMENTS) {
        let batch = batch
            .iter()
            .filter(|fragment| !in_use.contains(&fragment.name.timestamps()));
        let locked = lock_unused(vfs, batch)?;
        if locked.is_empty() {
            continue;
        }
        // A writer may have created, committed and released a fragment since the commits were read.
        // No writer commits what is locked now.
        let commits = Commits::read(vfs, array, CommitScope::all(Some(lock)))?;
        let committed = commits.fragment_names(vfs)?;
        for (fragment, _lock) in &locked {
            let is_committed = committed.contains(fragment.name.as_str());
            if !is_committed && age.has_passed_below(vfs, &fragment.uri)? {
                vfs.remove_dir_if_any(&fragment.uri)?;
            }
        }
    }
    Ok(())
}

/// Returns the folders of fragments without a commit.
fn uncommitted(
    vfs: &Vfs,
    commits: &Commits,
    committed: &HashSet<String>,
) -> Result<Vec<Uncommitted>> {
    let mut found = Vec::new();
    let fragments = commits.array.join(folders::FRAGMENTS);
    let entries = vfs.list(&fragments)?;
    for (folder, entries) in [(&fragments, &entries), (&commits.array, &commits.root)] {
        for entry in entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Directory)
        {
            let Some(name) = FragmentName::with_suffix(&entry.name, "") else {
                continue;
            };
            // Before format 5 no file commits a fragment.
            if name.version() >= v::OK_FILES && !committed.contains(name.as_str()) {
                let uri = folder.join(&entry.name);
                found.push(Uncommitted { name, uri });
            }
        }
    }
    Ok(found)
}

/// Returns the timestamps of the fragments that running writers work on. A writer locks the first
/// of the fragments that it commits together until they are committed; all have the same
/// timestamps.
fn timestamps_in_use(vfs: &Vfs, fragments: &[Uncommitted]) -> Result<Vec<TimeRange>> {
    let mut in_use = Vec::new();
    for fragment in fragments {
        match vfs.try_lock(&fragment.uri, LockMode::Exclusive) {
            Ok(Some(_lock)) => {}
            Ok(None) => in_use.push(fragment.name.timestamps()),
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(in_use)
}

/// Locks those fragments that no writer has locked. On storage without locks all are returned.
fn lock_unused<'a>(
    vfs: &Vfs,
    fragments: impl Iterator<Item = &'a Uncommitted>,
) -> Result<Vec<(&'a Uncommitted, FolderLock)>> {
    let mut unused = Vec::new();
    for fragment in fragments {
        match vfs.try_lock(&fragment.uri, LockMode::Exclusive) {
            Ok(Some(lock)) => unused.push((fragment, lock)),
            Ok(None) => {}
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(unused)
}

/// Removes the metadata files that describe fragments which are neither committed nor being
/// written.
fn remove_descriptions(
    vfs: &Vfs,
    array: &Uri,
    committed: &HashSet<String>,
    age: MinAge,
) -> Result<()> {
    let folder = array.join(folders::METADATA);
    let names = vfs.list(&folder)?.into_iter().map(|entry| entry.name);
    let names = names.filter(|name| FragmentName::with_suffix(name, "").is_some());
    let mut files: Vec<Uri> = names.map(|name| folder.join(&name)).collect();
    let mut counting = files.clone();
    retain_described(&mut counting, committed);
    files.retain(|file| !counting.contains(file));
    for file in files {
        let fragment = array.join(folders::FRAGMENTS).join(file.name());
        if !vfs.is_dir(&fragment)? && age.has_passed(vfs, &file)? {
            vfs.remove_file_if_any(&file)?;
        }
    }
    Ok(())
}

/// Removes the folders of dimension labels that no schema of the array names; returns the others.
fn remove_labels(
    vfs: &Arc<Vfs>,
    array: &Uri,
    config: &Config,
    age: MinAge,
) -> Result<HashSet<Uri>> {
    let folder = array.join(folders::LABELS);
    let entries = vfs.list(&folder)?;
    if entries.is_empty() {
        return Ok(HashSet::new());
    }
    let named: HashSet<Uri> = array::label_folders(vfs, array, config)?
        .into_iter()
        .collect();
    for entry in &entries {
        if !named.contains(&folder.join(&entry.name)) {
            remove_entry(vfs, &folder, entry, age)?;
        }
    }
    Ok(named)
}
