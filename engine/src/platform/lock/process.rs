//! The number of forks behind a process, and values that a forked child does not inherit.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

use crate::platform;

static GENERATION: AtomicU32 = AtomicU32::new(0);
static HANDLER: AtomicBool = AtomicBool::new(false);

extern "C" fn count_fork() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Returns a number that differs between a process and its forked children.
pub(super) fn generation() -> u32 {
    // Threads that race both register the handler, and a fork counts twice. Waiting for each other would be worse: a child
    // that is forked meanwhile would wait for ever.
    if !HANDLER.load(Ordering::Acquire) {
        platform::on_fork(count_fork);
        HANDLER.store(true, Ordering::Release);
    }
    GENERATION.load(Ordering::Relaxed)
}

/// A value that is created on first use and lives as long as the process. A forked child creates its own; the inherited one
/// is never looked at, so its locks may be in any state.
pub(crate) struct PerProcess<T>(AtomicPtr<Owned<T>>);

struct Owned<T> {
    generation: u32,
    value: T,
}

impl<T: Default + Send + Sync + 'static> PerProcess<T> {
    /// Creates it without a value.
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// Returns the value of this process.
    pub(crate) fn get(&self) -> &'static T {
        let generation = generation();
        let mut current = self.0.load(Ordering::Acquire);
        loop {
            // SAFETY: null, or from `Box::into_raw` below; never freed once it was stored.
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
                    // SAFETY: created above and not stored, so no other thread has it.
                    drop(unsafe { Box::from_raw(new) });
                    current = other;
                }
            }
        }
    }
}
