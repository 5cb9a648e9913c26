//! Removes arrays and groups in an order that can be interrupted at any point and repeated.
//!
//! Each entry of the root is first renamed to a temporary name: the commits first, so that the
//! array becomes empty in one step, and the metadata, then, once that is durable, the content and
//! what marks the folder as an object. Only then are the temporary names deleted, which is slow and
//! needs no lock. An interrupted removal leaves an object, or a root with temporary names and
//! possibly content without commits, which the next call deletes.

use std::sync::Arc;

use super::object_type;
use crate::array::{self, Array};
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::types::ObjectType;
use crate::vfs::{
    Entry, EntryKind, ListingScope, LockMode, Uri, Vfs, is_temporary, temporary_name,
};

/// The entries of a root to remove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The entries that belong to the object. Other entries, and then the root, are kept.
    Own,
    /// Everything in the root.
    Everything,
}

/// The stages of a removal, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Commits, and what an object that is created at the same URI would contain otherwise.
    Commits,
    Content,
    /// A file that marks an object in addition to its folder, which some objects have.
    MarkerFile,
    MarkerFolder,
}

/// Removes the array at `uri`, and its folder unless other files are in it. Completes a removal
/// that was interrupted.
///
/// # Errors
///
/// If the array does not exist, the key is wrong, or storage fails. Repeating the call completes an
/// interrupted removal.
pub fn remove_array(vfs: &Arc<Vfs>, uri: &str) -> Result<()> {
    let array = Array::new(vfs, uri)?;
    let has_key = array::key::of_config(&vfs.context.config)?.is_some();
    if vfs.is_object_store(&array.uri) && !has_key {
        return if remove_objects(vfs, &array.uri, Extent::Own)? {
            Ok(())
        } else {
            Err(array::as_failed_open(array::array_not_found()))
        };
    }
    match array.open(array::exclusive_type()) {
        Ok(()) => {
            remove_object(vfs, &array.uri, Extent::Own)?;
            array.close()
        }
        Err(error) => {
            let is_removed = error.is_missing_file()
                && object_type(&vfs.view(), &array.uri)? == ObjectType::Invalid;
            // Another process removed it or was interrupted.
            if complete_removal(vfs, &array.uri)? || is_removed {
                Ok(())
            } else {
                Err(error)
            }
        }
    }
}

/// Removes the object at `root`; does nothing if another process has removed it. The object is
/// durably gone when the call returns. A loss of power may leave an empty root, or temporary names
/// in it, until the folder above it is synced.
pub fn remove_object(vfs: &Arc<Vfs>, root: &Uri, extent: Extent) -> Result<()> {
    if vfs.is_object_store(root) {
        return remove_objects(vfs, root, extent).map(drop);
    }
    let lock = match vfs.lock(root, LockMode::Exclusive) {
        Err(error) if error.is_missing_file() => return Ok(()),
        lock => lock?,
    };
    if object_type(&vfs.view(), root)? != ObjectType::Invalid {
        retire(vfs, root, extent)?;
        if lock.is_held() {
            // A writer may have created folders again until the marker was gone. No other process
            // creates an object here before the lock is released.
            retire(vfs, root, extent)?;
        }
    }
    drop(lock);
    delete_temporary(vfs, root)
}

/// Returns whether `root` is what an interrupted removal leaves: temporary names or an empty
/// folder.
pub fn has_remains(vfs: &Arc<Vfs>, root: &Uri) -> Result<bool> {
    if !vfs.is_dir(root)? || object_type(&vfs.view(), root)? != ObjectType::Invalid {
        return Ok(false);
    }
    let entries = vfs.list(root)?;
    Ok(entries.is_empty() || entries.iter().any(|entry| is_temporary(&entry.name)))
}

/// Deletes what an interrupted removal left at `root`. Returns `false` if it left nothing. After a
/// loss of power this includes content whose commits and marker are gone.
pub fn complete_removal(vfs: &Arc<Vfs>, root: &Uri) -> Result<bool> {
    if vfs.is_object_store(root) {
        return match object_type(&vfs.view(), root)? {
            ObjectType::Invalid => remove_objects(vfs, root, Extent::Own),
            _ => Ok(false),
        };
    }
    let has_remains = has_remains(vfs, root)?;
    if has_remains {
        vfs.if_unlocked(root, || retire_remains(vfs, root))?;
        delete_temporary(vfs, root)?;
    }
    Ok(has_remains)
}

/// Renames content without a marker, which an interrupted removal or creation leaves beside
/// temporary names. Content with commits or metadata is kept, because neither leaves that.
fn retire_remains(vfs: &Arc<Vfs>, root: &Uri) -> Result<()> {
    if object_type(&vfs.view(), root)? != ObjectType::Invalid {
        return Ok(());
    }
    let entries = vfs.list(root)?;
    if !entries.iter().any(|entry| is_temporary(&entry.name)) {
        return Ok(());
    }
    for entry in entries
        .iter()
        .filter(|entry| stage(entry) == Some(Stage::Commits))
    {
        let is_file = entry.kind == EntryKind::File;
        if is_file || !vfs.list(&root.join(&entry.name))?.is_empty() {
            return Ok(());
        }
    }
    for (_, entry) in staged(&entries, Extent::Own) {
        let from = root.join(&entry.name);
        vfs.rename("move", &from, &root.join(&temporary_name()))?;
    }
    Ok(())
}

/// Removes the objects of an array or group on an object store: the commits, the content, then what
/// marks it. The call can be repeated, also if only content is left. Returns `false` if there is
/// nothing of an array or group.
fn remove_objects(vfs: &Arc<Vfs>, root: &Uri, extent: Extent) -> Result<bool> {
    if vfs.has_directories(root)? {
        return remove_entries(vfs, root, extent);
    }
    let (mut commits, mut content) = (Vec::new(), Vec::new());
    let (mut nested_markers, mut markers) = (Vec::new(), Vec::new());
    let mut has_own = false;
    let scope = match extent {
        Extent::Own => ListingScope::Own,
        Extent::Everything => ListingScope::All,
    };
    vfs.for_each_below(root, scope, &mut |rest| {
        let uri = root.object_below(rest);
        let own_stage = top_stage(rest);
        has_own |= own_stage.is_some();
        match own_stage {
            Some(Stage::Commits) => commits.push(uri),
            Some(Stage::Content) => content.push(uri),
            Some(Stage::MarkerFile | Stage::MarkerFolder) => markers.push(uri),
            None if extent == Extent::Own => {}
            None => match nested_stage(rest) {
                Stage::Commits => commits.push(uri),
                Stage::Content => content.push(uri),
                Stage::MarkerFile | Stage::MarkerFolder => nested_markers.push(uri),
            },
        }
    })?;
    if !has_own {
        return Ok(false);
    }
    // A request may remove some of its objects only, and a commit without its content is damage.
    vfs.remove_files_if_any(&commits)?;
    match extent {
        // Content without a marker is not an object, and is found when the call is repeated.
        Extent::Own => vfs.remove_stages_if_any(&[content, markers])?,
        Extent::Everything => {
            vfs.remove_stages_if_any(&[content, nested_markers])?;
            vfs.remove_files_if_any(&markers)?;
        }
    }
    Ok(true)
}

/// Returns the stage in which an object, given by its name below the root, is removed.
fn top_stage(rest: &str) -> Option<Stage> {
    let (name, kind) = match rest.split_once('/') {
        Some((folder, _)) => (folder, EntryKind::Directory),
        None => (rest, EntryKind::File),
    };
    stage(&Entry {
        name: name.to_owned(),
        kind,
        size: 0,
        link: false,
    })
}

/// Returns the stage in which an object in a member of a group, or another object below its root,
/// is removed.
fn nested_stage(rest: &str) -> Stage {
    let mut starts = rest.match_indices('/');
    let stage = starts.find_map(|(slash, _)| top_stage(&rest[slash + 1..]));
    stage.unwrap_or(Stage::Content)
}

/// Removes an array or group on an object store with directories: its entries in stages, then the
/// root unless other entries are in it. The call can be repeated. Returns `false` if there is
/// nothing of an array or group.
fn remove_entries(vfs: &Arc<Vfs>, root: &Uri, extent: Extent) -> Result<bool> {
    let entries = vfs.list(root)?;
    if entries.iter().all(|entry| stage(entry).is_none()) {
        return Ok(false);
    }
    for (_, entry) in staged(&entries, extent) {
        let uri = root.join(&entry.name);
        match entry.kind {
            EntryKind::File => drop(vfs.remove_file_if_any(&uri)?),
            EntryKind::Directory => drop(vfs.remove_dir_if_any(&uri)?),
        }
    }
    vfs.remove_empty_dir(root)?;
    Ok(true)
}

/// Returns the entries to remove, sorted by their stage.
fn staged(entries: &[Entry], extent: Extent) -> Vec<(Stage, &Entry)> {
    let mut staged: Vec<_> = entries
        .iter()
        .filter_map(|entry| {
            let stage = stage(entry).or((extent == Extent::Everything).then_some(Stage::Commits));
            stage.map(|stage| (stage, entry))
        })
        .collect();
    staged.sort_by_key(|(stage, _)| *stage);
    staged
}

/// Renames the entries of a root to temporary names in stages. The first is durable before the next
/// ones: a commit without its fragment would make the array unreadable, and one without a marker
/// would become a part of an array that is created later.
fn retire(vfs: &Arc<Vfs>, root: &Uri, extent: Extent) -> Result<()> {
    let entries = vfs.list(root)?;
    let mut staged = staged(&entries, extent);
    staged.retain(|(_, entry)| !is_temporary(&entry.name));
    let is_first = |stage: Stage| stage == Stage::Commits;
    for round in staged.chunk_by(|(a, _), (b, _)| is_first(*a) == is_first(*b)) {
        for (_, entry) in round {
            let from = root.join(&entry.name);
            match vfs.rename("move", &from, &root.join(&temporary_name())) {
                // A failed writer removes what it wrote.
                Err(error) if error.is_missing_file() => {}
                moved => moved?,
            }
        }
        vfs.sync(root)?;
    }
    Ok(())
}

/// Returns the stage in which an entry of an object is removed, or `None` for other files.
fn stage(entry: &Entry) -> Option<Stage> {
    let name = entry.name.as_str();
    match name {
        folders::COMMITS | folders::METADATA => return Some(Stage::Commits),
        folders::FRAGMENTS | folders::FRAGMENT_META | folders::LABELS => {
            return Some(Stage::Content);
        }
        folders::ROOT_SCHEMA | folders::GROUP_FILE => return Some(Stage::MarkerFile),
        folders::SCHEMAS | folders::GROUP_DETAILS => return Some(Stage::MarkerFolder),
        _ => {}
    }
    // Formats before 12 keep fragments and their commits in the root.
    let fragment = FragmentName::parse(name)?;
    if entry.kind == EntryKind::Directory {
        let is_commit = fragment.version() < v::OK_FILES;
        return Some(if is_commit {
            Stage::Commits
        } else {
            Stage::Content
        });
    }
    if name.ends_with(folders::OK) {
        return Some(Stage::Commits);
    }
    let suffixes = [folders::VACUUM, folders::CONSOLIDATED_META];
    let is_content = suffixes.iter().any(|suffix| name.ends_with(suffix));
    is_content.then_some(Stage::Content)
}

/// Deletes temporary names in a root, except those that a running creation holds, and the root if
/// nothing else is in it.
fn delete_temporary(vfs: &Arc<Vfs>, root: &Uri) -> Result<()> {
    for entry in vfs
        .list(root)?
        .iter()
        .filter(|entry| is_temporary(&entry.name))
    {
        let uri = root.join(&entry.name);
        match entry.kind {
            EntryKind::File => drop(vfs.remove_file_if_any(&uri)?),
            EntryKind::Directory => {
                vfs.if_unlocked(&uri, || vfs.remove_dir_if_any(&uri))?;
            }
        }
    }
    // An object may be under construction in the root, which is empty at first.
    vfs.if_unlocked(root, || vfs.remove_empty_dir(root))
        .map(drop)
}
