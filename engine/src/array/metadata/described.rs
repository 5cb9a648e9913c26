//! Metadata files that describe the content of one fragment.
//!
//! Such a file has the name of the fragment, with its format version, which other metadata files do
//! not have. It is written before the fragment is committed and counts from the commit on: so both
//! become visible in one step.

use std::collections::HashSet;

use super::super::commits::{CommitScope, Commits};
use crate::error::Result;
use crate::format::names::FragmentName;
use crate::vfs::{FolderLock, Uri, Vfs};

/// Returns whether a metadata file counts if `newest` is the newest fragment that is visible. It
/// does not if it describes a fragment that is newer: that is not committed yet, or never will be.
pub fn describes_visible(file: &FragmentName, newest: Option<&FragmentName>) -> bool {
    if !file.is_versioned() {
        return true;
    }
    let Some(newest) = newest else {
        return false;
    };
    let (at, span) = (file.timestamps().end, newest.timestamps());
    // A consolidated fragment of the same time replaced the one that the file describes.
    let is_replaced = at == span.end && span.start < span.end;
    is_replaced || (at, file.as_str()) <= (span.end, newest.as_str())
}

/// Returns the newest of some fragments.
pub fn newest_fragment<'a>(
    names: impl IntoIterator<Item = &'a FragmentName>,
) -> Option<&'a FragmentName> {
    let names = names.into_iter();
    names.max_by_key(|name| (name.timestamps().end, name.as_str()))
}

/// Drops the metadata files of an array that describe fragments which are not committed. `lock` is
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

/// Drops the metadata files that describe fragments newer than those that are committed.
pub fn retain_described(files: &mut Vec<Uri>, committed: &HashSet<String>) {
    let names = committed.iter().map(|name| FragmentName::parse(name));
    let names: Vec<_> = names.flatten().collect();
    let newest = newest_fragment(&names);
    files.retain(|file| {
        FragmentName::parse(file.name()).is_none_or(|name| describes_visible(&name, newest))
    });
}
