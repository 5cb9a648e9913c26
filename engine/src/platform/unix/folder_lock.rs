//! Advisory locks on folders, owned by an open file description (`flock`).
//!
//! The kernel releases such a lock when the last process that has the description open exits, for
//! whatever reason. A forked child inherits descriptions; a fork handler closes the child's copies,
//! so that a lock never outlives the process that acquired it.

use std::io;
use std::os::unix::fs::MetadataExt;

use super::syscalls::{UninheritedFile, flock};

/// A lock on a folder, released on drop.
#[derive(Debug)]
pub(crate) struct DescriptorLock {
    folder: UninheritedFile,
}

/// The outcome of an attempt to lock a folder.
#[derive(Debug)]
pub(crate) enum DescriptorLockAttempt {
    /// The lock is held until the value is dropped.
    Locked(DescriptorLock),
    /// Another process or thread holds a conflicting lock.
    Busy,
    /// The file system has no such locks.
    Unsupported,
}

/// Attempts to lock a folder without waiting. A missing folder is an error of kind `NotFound`.
pub(crate) fn try_lock_folder(path: &str, exclusive: bool) -> io::Result<DescriptorLockAttempt> {
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
            Some(libc::EWOULDBLOCK) => Ok(DescriptorLockAttempt::Busy),
            Some(libc::EINVAL | libc::EBADF | libc::ENOLCK | libc::ENOSYS | libc::EOPNOTSUPP) => {
                Ok(DescriptorLockAttempt::Unsupported)
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
        Ok(DescriptorLockAttempt::Locked(lock))
    } else {
        Ok(DescriptorLockAttempt::Busy)
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
