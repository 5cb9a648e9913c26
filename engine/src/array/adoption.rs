//! Pending replacement lists get their final names once the consolidated fragment is committed.

use super::commits::{CommitScope, Commits};
use super::replacement::replaced;
use crate::error::Result;
use crate::format::names::folders;
use crate::vfs::{FolderLock, LockMode, StorageView, Uri, Vfs};

/// Gives pending lists whose fragment is committed, or replaced in turn, their final names, under
/// the exclusive lock on the array; those of consolidations that ended before their commit are
/// removed. Returns without a change if maintenance is in progress in another process.
/// `includes_root` states whether the array's own folder may hold lists.
pub fn adopt_pending(view: &StorageView, array: &Uri, includes_root: bool) -> Result<()> {
    let commits = array.join(folders::COMMITS);
    let has_pending = |folder: &Uri| view.is_dir(&folder.join(folders::PENDING));
    let is_any_pending = has_pending(&commits)? || (includes_root && has_pending(array)?);
    if !is_any_pending {
        return Ok(());
    }
    match view.vfs.try_lock(array, LockMode::Exclusive)? {
        Some(lock) => adopt_pending_locked(view, array, &lock),
        None => Ok(()),
    }
}

/// Completes or removes pending lists like [`adopt_pending`], for a caller that holds the exclusive
/// lock.
pub fn adopt_pending_locked(view: &StorageView, array: &Uri, lock: &FolderLock) -> Result<()> {
    let vfs = &view.vfs;
    let commits = Commits::read(view, array, CommitScope::all(Some(lock)))?;
    let folders = commits.pending_folders();
    if folders.is_empty() {
        return Ok(());
    }
    let committed = commits.fragment_names(view)?;
    let lists = commits.lists(view, |_| true)?;
    let hidden = replaced(&lists, |list| list.counts(|name| committed.contains(name)));
    for list in lists.iter().filter(|list| list.is_pending) {
        let folder = list.uri.parent().and_then(|pending| pending.parent());
        let Some(folder) = folder else {
            continue;
        };
        if committed.contains(&list.name) || hidden.contains(&list.name) {
            match adopt(vfs, &list.uri, &folder.join(list.uri.name())) {
                // On storage without locks another process may have given it its name.
                Err(error) if error.is_missing_file() && !lock.is_held() => {}
                adopted => adopted?,
            }
        } else if lock.is_held() {
            // The consolidation that wrote the list has ended: it would hold the lock until its
            // commit.
            vfs.remove_file(&list.uri)?;
        }
    }
    // An open lists the folder as long as it exists.
    for folder in &folders {
        vfs.remove_empty_dir(folder)?;
    }
    Ok(())
}

/// Gives a pending list its final name.
pub fn adopt(vfs: &Vfs, pending: &Uri, list: &Uri) -> Result<()> {
    vfs.rename("move file", pending, list)?;
    vfs.sync_name(list)
}
