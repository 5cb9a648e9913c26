//! The lock that excludes other maintenance.

use crate::array::adopt_pending_locked;
use crate::error::Result;
use crate::vfs::{FolderLock, LockMode, Uri, Vfs};

/// Returns a lock that excludes other maintenance, after completing consolidations that ended after
/// their commit.
pub(super) fn lock_for_maintenance(vfs: &Vfs, array: &Uri) -> Result<FolderLock> {
    let lock = vfs.lock(array, LockMode::Exclusive)?;
    adopt_pending_locked(vfs, array, &lock)?;
    Ok(lock)
}
