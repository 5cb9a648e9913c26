//! The standard library's locks without poisoning: a panic ends a call with an error, and data
//! protected by these locks is consistent at every point. Only for locks that a forked child does
//! not inherit (see the rule in [`super`]).

use std::sync::{self, PoisonError};
use std::time::Duration;

/// A guard of a [`StdMutex`].
pub(crate) type StdMutexGuard<'a, T> = sync::MutexGuard<'a, T>;

/// A lock around a value.
#[derive(Debug, Default)]
pub(crate) struct StdMutex<T>(sync::Mutex<T>);

impl<T> StdMutex<T> {
    /// Creates an unlocked mutex.
    pub(crate) const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// Waits until no other thread holds the lock, and takes it.
    pub(crate) fn lock(&self) -> StdMutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A condition variable.
#[derive(Debug, Default)]
pub(crate) struct Condvar(sync::Condvar);

impl Condvar {
    /// Creates a condition variable.
    pub(crate) const fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// Releases the lock until the calling thread is notified. It may also wake without a
    /// notification, so callers check the condition again.
    pub(crate) fn wait<'a, T>(&self, guard: StdMutexGuard<'a, T>) -> StdMutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases the lock until the calling thread is notified or `time` has passed. It may also
    /// wake earlier, so callers check the condition and the time again.
    pub(crate) fn wait_for<'a, T>(
        &self,
        guard: StdMutexGuard<'a, T>,
        time: Duration,
    ) -> StdMutexGuard<'a, T> {
        let waited = self.0.wait_timeout(guard, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Wakes one waiting thread.
    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Wakes all waiting threads.
    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
