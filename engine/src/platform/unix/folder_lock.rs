//! Advisory locks on folders, owned by an open file description (`flock`).
//!
//! The kernel releases such a lock when the last process that has the description open exits, for
//! whatever reason. A forked child inherits descriptions; a fork handler closes the child's copies,
//! so that a lock never outlives the process that acquired it.

use std::io;
use std::os::unix::fs::MetadataExt;

use super::syscalls::{UninheritedFile, flock};
use crate::platform::LockAttempt;

/// A lock on a folder, released on drop.
#[derive(Debug)]
pub(crate) struct DescriptorLock {
    folder: UninheritedFile,
}

/// Attempts to lock a folder without waiting. A missing folder is an error of kind `NotFound`.
pub(crate) fn try_lock_folder(
    path: &str,
    exclusive: bool,
) -> io::Result<LockAttempt<DescriptorLock>> {
    let folder = super::open_at_once(path)?;
    if let Err(error) = flock(
        &folder,
        if exclusive {
            libc::LOCK_EX
        } else {
            libc::LOCK_SH
        },
    ) {
        return match error.raw_os_error() {
            Some(libc::EWOULDBLOCK) => Ok(LockAttempt::Busy),
            Some(libc::EINVAL | libc::EBADF | libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP) => {
                Ok(LockAttempt::Unsupported)
            }
            _ => Err(error),
        };
    }
    let lock = DescriptorLock {
        folder: UninheritedFile::new(folder),
    };
    // The folder may have been removed, or replaced by another, between opening and locking it.
    let (locked, current) = (lock.folder.file().metadata()?, std::fs::metadata(path)?);
    if (locked.dev(), locked.ino()) == (current.dev(), current.ino()) {
        Ok(LockAttempt::Locked(lock))
    } else {
        Ok(LockAttempt::Busy)
    }
}

impl Drop for DescriptorLock {
    fn drop(&mut self) {
        self.folder.forget();
        // Unlocked explicitly: a child that was forked meanwhile may still have the description
        // open.
        let _ = flock(self.folder.file(), libc::LOCK_UN);
    }
}
