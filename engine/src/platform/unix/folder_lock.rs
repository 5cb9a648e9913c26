//! Advisory locks on folders, owned by an open file description (`flock`).
//!
//! The kernel releases such a lock when the last process that has the description open exits, for
//! whatever reason. A forked child inherits descriptions; a fork handler closes the child's copies,
//! so that a lock never outlives the process that acquired it.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The number of locks of one process that the fork handler tracks. Additional locks work, but a
/// child keeps them until it exits.
const MAX_TRACKED: usize = 64;
/// The value of an unused slot.
const UNUSED: RawFd = -1;

static TRACKED: [AtomicI32; MAX_TRACKED] = [const { AtomicI32::new(UNUSED) }; MAX_TRACKED];

/// A lock on a folder, released on drop.
#[derive(Debug)]
pub(crate) struct DescriptorLock {
    folder: File,
    slot: Option<&'static AtomicI32>,
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
    let folder = File::open(path)?;
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
        slot: track(folder.as_raw_fd()),
        folder,
    };
    // The folder may have been removed, or replaced by another, between opening and locking it.
    let (locked, current) = (lock.folder.metadata()?, std::fs::metadata(path)?);
    if (locked.dev(), locked.ino()) == (current.dev(), current.ino()) {
        Ok(DescriptorLockAttempt::Locked(lock))
    } else {
        Ok(DescriptorLockAttempt::Busy)
    }
}

#[expect(
    unsafe_code,
    reason = "the standard library's file locks refuse folders on some systems"
)]
fn flock(folder: &File, operation: libc::c_int) -> io::Result<()> {
    loop {
        // SAFETY: the descriptor is open for as long as `folder` is borrowed.
        if unsafe { libc::flock(folder.as_raw_fd(), operation | libc::LOCK_NB) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

impl Drop for DescriptorLock {
    fn drop(&mut self) {
        // The slot is cleared first: a child must not close the number once it may be reused.
        if let Some(slot) = self.slot {
            slot.store(UNUSED, Ordering::SeqCst);
        }
        // Unlocked explicitly: a child that was forked meanwhile may still have the description
        // open.
        let _ = flock(&self.folder, libc::LOCK_UN);
    }
}

/// Registers a descriptor with the fork handler. Returns `None` if all slots are in use.
fn track(descriptor: RawFd) -> Option<&'static AtomicI32> {
    static HANDLER: AtomicBool = AtomicBool::new(false);
    // Threads that race register the handler twice, which is harmless.
    if !HANDLER.load(Ordering::Acquire) {
        super::on_fork(close_in_child);
        HANDLER.store(true, Ordering::Release);
    }
    TRACKED.iter().find(|slot| {
        slot.compare_exchange(UNUSED, descriptor, Ordering::SeqCst, Ordering::SeqCst)
            .is_ok()
    })
}

/// Closes a forked child's copies of the descriptors of locked folders. It uses only atomic
/// operations and `close`, since only async-signal-safe functions may be called there.
#[expect(
    unsafe_code,
    reason = "the standard library cannot close a bare descriptor"
)]
extern "C" fn close_in_child() {
    for slot in &TRACKED {
        let descriptor = slot.swap(UNUSED, Ordering::SeqCst);
        if descriptor != UNUSED {
            // SAFETY: the descriptor is open, and nothing in this process uses it: locks are held
            // only inside calls of this library, none of which forks, so the thread that owns it
            // does not exist in the child.
            unsafe { libc::close(descriptor) };
        }
    }
}
