//! Locks and lazily set values that a forked child can inherit.
//!
//! A child made by `fork` has one thread. Locks that other threads of the parent held at that
//! moment stay locked in the child, and nothing releases them. The rule for every lock of the
//! library:
//!
//! - **Objects that callers share between threads** (handles, open arrays, groups, contexts) use
//!   [`Mutex`] and [`RwLock`]. They record the process in which they were locked. A child that
//!   needs a lock which a thread of its parent holds unwinds with [`LockedBeforeFork`]; the C layer
//!   reports it as an error. It never waits for such a lock.
//! - **Caches** of objects use `lock_unless_inherited`: in a child that inherited a locked cache
//!   it is treated as an empty one.
//! - **Pools of idle memory** use lock-free queues that belong to one process (`PerProcess`), since
//!   a thread of the parent may have been about to change a queue.
//! - **`parking_lot` locks** are used only with `try_lock`, where a value may be skipped. Their
//!   blocking methods are not used, since `parking_lot` keeps waiting threads in a table of the
//!   process, whose own locks a child may inherit.
//! - **Values that are computed once** use [`OnceValue`], which never blocks: threads that race
//!   both compute it.
//! - **The thread pool and the queues of waiting threads** use the standard library's locks in
//!   `blocking`. They belong to one process (`PerProcess`): a child starts with new ones.

pub(crate) mod blocking;
mod once;
mod process;
mod raw;

pub use once::OnceValue;
pub(crate) use process::PerProcess;
#[cfg(feature = "remote")]
pub(crate) use process::generation as process_generation;
pub use raw::RawLock;
pub(crate) use raw::lock_unless_inherited;

use parking_lot::lock_api;

/// A mutual exclusion lock that a forked child can inherit.
///
/// # Panics
///
/// `lock` unwinds with [`LockedBeforeFork`] in a forked child if a thread of the parent held the
/// lock.
pub type Mutex<T> = lock_api::Mutex<RawLock, T>;
/// A guard of a [`Mutex`].
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawLock, T>;
/// A guard of a part of what a [`Mutex`] protects.
pub type MappedMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawLock, T>;
/// A reader-writer lock that a forked child can inherit. A thread that waits for writing has
/// precedence over new readers, so a thread must not lock it for reading twice.
///
/// # Panics
///
/// `read` and `write` unwind with [`LockedBeforeFork`] in a forked child if a thread of the parent
/// held the lock for writing; `write` also if one held it for reading.
pub type RwLock<T> = lock_api::RwLock<RawLock, T>;
/// A guard of a [`RwLock`] for reading.
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawLock, T>;
/// A guard of a part of what a [`RwLock`] protects, for reading.
pub type MappedRwLockReadGuard<'a, T> = lock_api::MappedRwLockReadGuard<'a, RawLock, T>;

/// The panic payload of a thread in a forked child that needs a lock held by a thread of its
/// parent. The protected data may be half changed and can never be used in the child.
#[derive(Clone, Copy, Debug)]
pub struct LockedBeforeFork;

impl std::fmt::Display for LockedBeforeFork {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(
            "The object was in use by another thread when this process was forked, and cannot be used here",
        )
    }
}
