//! Locks that survive `fork`, and the differences between operating systems: permissions, reads at
//! offsets, syncing and closing, paths, forks and signals. Each operating system has a file with
//! the same functions; no other module contains code for one system.

pub mod lock;

use std::fmt::Debug;

use lock::OnceValue;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::*;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::*;

/// The type of an entry of a folder, as its listing shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryType {
    /// A file with content.
    File,
    /// A folder.
    Folder,
    /// A link, a device, or one that the listing does not show.
    Other,
}

/// The outcome of an attempt to lock a folder.
#[derive(Debug)]
pub enum LockAttempt<L = Box<dyn Debug + Send + Sync>> {
    /// The lock is held until the value is dropped.
    Locked(L),
    /// Another process or thread holds a conflicting lock.
    Busy,
    /// The storage has no such locks.
    Unsupported,
}

/// Returns the number of CPUs available to this process according to its affinity and cgroup.
/// Cached, since determining it reads several files.
pub fn hardware_threads() -> usize {
    static COUNT: OnceValue<usize> = OnceValue::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
