//! A counter of forks, and values that a forked child does not inherit.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use crate::platform;

static GENERATION: AtomicU32 = AtomicU32::new(0);
static HANDLER: AtomicBool = AtomicBool::new(false);

extern "C" fn count_fork() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Returns a number that differs between a process and its forked children.
pub(super) fn generation() -> u32 {
    // Two threads that race may both register the handler, which then counts a fork twice. Blocking
    // would be worse: a child forked meanwhile would block forever.
    if !HANDLER.load(Ordering::Acquire) {
        platform::on_fork(count_fork);
        HANDLER.store(true, Ordering::Release);
    }
    GENERATION.load(Ordering::Relaxed)
}

/// A value that is created on first use and lives as long as the process. A forked child creates
/// its own and ignores the inherited one, whose locks may be in any state.
pub(crate) struct PerProcess<T>(AtomicPtr<Owned<T>>);

struct Owned<T> {
    generation: u32,
    value: T,
}

impl<T: Default + Send + Sync + 'static> PerProcess<T> {
    /// Creates an empty cell.
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Returns the value of this process, creating it if necessary.
    pub(crate) fn get(&self) -> &'static T {
        let generation = generation();
        let mut current = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: null or from `Box::into_raw` below; a stored pointer is never freed.
            if let Some(owned) = unsafe { current.as_ref() }
                && owned.generation == generation
            {
                return &owned.value;
            }
            let value = T::default();
            let new = Box::into_raw(Box::new(Owned { generation, value }));
            match self
                .0
                .compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire)
            {
                Ok(_) => current = new,
                Err(other) => {
                    // SAFETY: created above and not stored, so no other thread can access it.
                    drop(unsafe { Box::from_raw(new) });
                    current = other;
                }
            }
        }
    }
}
