//! Metadata files that describe the content of one fragment.
//!
//! Such a file has the name of the fragment including its format version, which names of other
//! metadata files do not contain. It is written before the fragment is committed and counts from
//! the commit on, so that both become visible atomically.

use std::collections::HashSet;

use super::super::commits::{CommitScope, Commits};
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::vfs::{FolderLock, Uri, Vfs};

/// Returns whether a metadata file counts if `newest` is the newest visible fragment. It does not
/// if it describes a newer fragment, which is not committed yet or never will be.
pub fn describes_visible(file: &FragmentName, newest: Option<&FragmentName>) -> bool {
    if !file.is_versioned() {
        return true;
    }
    let Some(newest) = newest else {
        return false;
    };
    let (timestamp, span) = (file.timestamps().end, newest.timestamps());
    // A consolidated fragment with the same end has replaced the described fragment.
    let is_replaced = timestamp == span.end && span.start < span.end;
    is_replaced || (timestamp, file.as_str()) <= (span.end, newest.as_str())
}

/// Returns the newest of the fragments.
pub fn newest_fragment<'a>(
    names: impl IntoIterator<Item = &'a FragmentName>,
) -> Option<&'a FragmentName> {
    let names = names.into_iter();
    names.max_by_key(|name| (name.timestamps().end, name.as_str()))
}

/// Removes metadata files of an array from the list that describe uncommitted fragments. `lock` is
/// a lock on the array that the caller holds.
pub fn retain_committed(
    vfs: &Vfs,
    array: &Uri,
    files: &mut Vec<Uri>,
    lock: &FolderLock,
) -> Result<()> {
    let name = |file: &Uri| FragmentName::with_suffix(file.name(), "");
    if !files
        .iter()
        .filter_map(name)
        .any(|name| name.is_versioned())
    {
        return Ok(());
    }
    let commits = Commits::read(vfs, array, CommitScope::all(Some(lock)))?;
    let committed = commits.fragment_names(vfs)?;
    retain_described(files, &committed);
    Ok(())
}

/// Removes metadata files from the list that describe fragments newer than the committed ones.
pub fn retain_described(files: &mut Vec<Uri>, committed: &HashSet<String>) {
    let names = committed.iter().map(|name| FragmentName::parse(name));
    let names: Vec<_> = names.flatten().collect();
    let newest = newest_fragment(&names);
    files.retain(|file| {
        FragmentName::parse(file.name()).is_none_or(|name| describes_visible(&name, newest))
    });
}
