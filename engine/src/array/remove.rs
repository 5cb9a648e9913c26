//! Removes an array: what belongs to it, and its folder when nothing else is left in it.

use std::sync::Arc;

use super::Array;
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::types::QueryType;
use crate::vfs::{EntryKind, Uri, Vfs};

/// Removes the array at `uri`. An error where there is none, or where its key is wrong. Files of others in its folder stay,
/// and the folder with them.
pub fn remove(vfs: &Arc<Vfs>, uri: &str) -> Result<()> {
    let array = Array::new(vfs, uri)?;
    array.open(QueryType::ModifyExclusive)?;
    let root = array.uri();
    // Commits go first: what is left when this stops half-way is no fragment any more.
    for folder in [
        folders::COMMITS,
        folders::FRAGMENTS,
        folders::METADATA,
        folders::FRAGMENT_META,
        folders::LABELS,
    ] {
        remove_dir(vfs, &root.join(folder))?;
    }
    remove_old_layout(vfs, root)?;
    remove_dir(vfs, &root.join(folders::SCHEMAS))?;
    if vfs.list(root)?.is_empty() {
        remove_dir(vfs, root)?;
    }
    array.close()
}

/// Removes what formats before 12 keep in the array's own folder.
fn remove_old_layout(vfs: &Vfs, root: &Uri) -> Result<()> {
    let entries = vfs.list(root)?;
    let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    let ours = |name: &str| {
        let suffixes = [folders::OK, folders::VACUUM, folders::CONSOLIDATED_META];
        let suffixed = suffixes.iter().any(|suffix| name.ends_with(suffix));
        name == folders::ROOT_SCHEMA || (suffixed && FragmentName::parse(name).is_some())
    };
    for file in files.filter(|entry| ours(&entry.name)) {
        vfs.remove_file(&root.join(&file.name))?;
    }
    let dirs = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory);
    for dir in dirs.filter(|entry| FragmentName::parse(&entry.name).is_some()) {
        remove_dir(vfs, &root.join(&dir.name))?;
    }
    Ok(())
}

fn remove_dir(vfs: &Vfs, uri: &Uri) -> Result<()> {
    match vfs.is_dir(uri)? {
        true => vfs.remove_dir(uri),
        false => Ok(()),
    }
}
