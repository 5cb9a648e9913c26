//! The lock that excludes other maintenance.

use crate::array::adopt_pending_locked;
use crate::error::Result;
use crate::vfs::{FolderLock, LockMode, StorageView, Uri};

/// Returns a lock that excludes other maintenance, after completing consolidations that ended after
/// their commit.
pub(super) fn lock_for_maintenance(view: &StorageView, array: &Uri) -> Result<FolderLock> {
    let lock = view.vfs().lock(array, LockMode::Exclusive)?;
    adopt_pending_locked(view, array, &lock)?;
    Ok(lock)
}
