//! A counter of forks, and values that a forked child does not inherit.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use once_cell::race::OnceBox;

use crate::platform;

static GENERATION: AtomicU32 = AtomicU32::new(0);
static HANDLER: AtomicBool = AtomicBool::new(false);

extern "C" fn count_fork() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Returns a number that differs between a process and its forked children.
pub(crate) fn generation() -> u32 {
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
pub(crate) struct PerProcess<T>(OnceBox<ProcessValue<T>>);

/// The value of a process, and of the first of its forked children that needed one.
struct ProcessValue<T> {
    generation: u32,
    value: T,
    child: PerProcess<T>,
}

impl<T: Default + Send + Sync + 'static> PerProcess<T> {
    /// Creates an empty cell.
    pub(crate) const fn new() -> Self {
        Self(OnceBox::new())
    }

    /// Returns the value of this process, creating it if necessary.
    pub(crate) fn get(&'static self) -> &'static T {
        let generation = generation();
        let create = || {
            Box::new(ProcessValue {
                generation,
                value: T::default(),
                child: Self::new(),
            })
        };
        let mut owned = self.0.get_or_init(create);
        while owned.generation != generation {
            owned = owned.child.0.get_or_init(create);
        }
        &owned.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_generation_has_its_own_value() {
        static VALUE: PerProcess<AtomicU32> = PerProcess::new();
        let value = VALUE.get();
        assert!(std::ptr::eq(value, VALUE.get()));
        let owned = VALUE.0.get().expect("created");
        assert!(owned.child.0.get().is_none(), "one process, one value");
        let inherited: &'static PerProcess<AtomicU32> = Box::leak(Box::new(PerProcess(
            OnceBox::with_value(Box::new(ProcessValue {
                generation: generation().wrapping_sub(1),
                value: AtomicU32::new(3),
                child: PerProcess::new(),
            })),
        )));
        let fresh = inherited.get();
        assert_eq!(fresh.load(Ordering::Relaxed), 0, "not the parent's value");
        assert!(std::ptr::eq(fresh, inherited.get()));
    }
}
