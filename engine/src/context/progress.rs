//! The operation that a thread runs, and its progress: a callback that a context calls on this
//! thread, and cancellation by its return value.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::platform::lock::Mutex;

/// The least time between two calls of a callback.
pub(super) const INTERVAL: Duration = Duration::from_millis(100);

/// The progress of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The name of the operation, such as "read".
    pub operation: &'static str,
    /// The number of units that are done.
    pub done: u64,
    /// The number of all units; 0 while it is unknown.
    pub total: u64,
    /// The unit, such as "cells".
    pub unit: &'static str,
}

/// A function that receives the progress of operations. `Break` cancels the operation.
pub type ProgressCallback = dyn Fn(&Progress) -> ControlFlow<()> + Send + Sync;

/// The callback of a context.
pub(super) struct ProgressSetting {
    callback: Mutex<Option<(Arc<ProgressCallback>, Duration)>>,
    /// Whether there is one, so that operations without one need no lock.
    is_set: AtomicBool,
}

impl Default for ProgressSetting {
    fn default() -> Self {
        Self {
            callback: Mutex::new(None),
            is_set: AtomicBool::new(false),
        }
    }
}

impl fmt::Debug for ProgressSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProgressSetting")
            .field(&self.is_set)
            .finish()
    }
}

/// The operation of a thread whose progress is reported.
struct OperationOfThread {
    callback: Arc<ProgressCallback>,
    progress: Progress,
    /// The least time between two calls.
    interval: Duration,
    /// The time of the last call.
    last: Option<Instant>,
    /// Whether the callback is running: operations that it starts are not reported.
    is_calling: bool,
    /// The number of nested operations, which do not change the progress.
    nested: u32,
    /// Whether the callback has cancelled the operation.
    is_cancelled: Arc<AtomicBool>,
}

thread_local! {
    static RUNNING: RefCell<Option<OperationOfThread>> = const { RefCell::new(None) };
    /// Whether the callback has cancelled the operation of another thread that this thread helps.
    static HELPED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// An operation whose progress is reported until the value is dropped. It cannot be sent to other
/// threads.
#[derive(Debug)]
pub struct ProgressScope {
    level: Level,
    _thread: PhantomData<*const ()>,
}

/// The relation of a tracked operation to the reported one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// No operation is reported.
    None,
    /// It is the reported one.
    Outer,
    /// It is a part of the reported one.
    Nested,
}

impl Drop for ProgressScope {
    fn drop(&mut self) {
        if self.level == Level::None {
            return;
        }
        RUNNING.with_borrow_mut(|running| match (running.as_mut(), self.level) {
            (Some(running), Level::Nested) => running.nested = running.nested.saturating_sub(1),
            _ => *running = None,
        });
    }
}

impl ProgressSetting {
    /// Sets the callback and the least time between two calls.
    pub(super) fn set(&self, callback: Option<Arc<ProgressCallback>>, interval: Duration) {
        let is_set = callback.is_some();
        *self.callback.lock() = callback.map(|callback| (callback, interval));
        self.is_set.store(is_set, Ordering::Release);
    }

    /// See [`super::Context::track`].
    pub(super) fn track(&self, operation: &'static str, unit: &'static str) -> ProgressScope {
        let tracking = |level| ProgressScope {
            level,
            _thread: PhantomData,
        };
        if !self.is_set.load(Ordering::Acquire) {
            return tracking(Level::None);
        }
        let Some((callback, interval)) = self.callback.lock().clone() else {
            return tracking(Level::None);
        };
        let begun = OperationOfThread {
            callback,
            progress: Progress {
                operation,
                done: 0,
                total: 0,
                unit,
            },
            interval,
            last: None,
            is_calling: false,
            nested: 0,
            is_cancelled: Arc::default(),
        };
        tracking(RUNNING.with_borrow_mut(|running| match running {
            Some(running) => {
                running.nested += 1;
                Level::Nested
            }
            None => {
                *running = Some(begun);
                Level::Outer
            }
        }))
    }
}

/// See [`super::Context::progress`].
pub(super) fn advance(unit: &'static str, change: impl FnOnce(&mut Progress)) -> Result<()> {
    RUNNING.with_borrow_mut(|running| {
        let running = running.as_mut().filter(|running| {
            running.progress.unit == unit && running.nested == 0 && !running.is_calling
        });
        if let Some(running) = running {
            change(&mut running.progress);
        }
    });
    tick()
}

/// Returns whether the progress of an operation of this thread is reported.
pub(super) fn is_tracked() -> bool {
    RUNNING.with_borrow(|running| running.as_ref().is_some_and(|running| !running.is_calling))
}

/// Returns whether the callback cancels the operation of this thread, or the one that it helps, now
/// or later; `None` without an operation that is reported or can be cancelled.
pub(super) fn cancellation() -> Option<Arc<AtomicBool>> {
    if !is_cancellable() {
        return None;
    }
    let own = RUNNING.with_borrow(|running| Some(running.as_ref()?.is_cancelled.clone()));
    own.or_else(|| HELPED.with_borrow(Clone::clone))
}

/// Runs `body` on any thread as a part of the operation that `is_cancelled` belongs to.
pub(super) fn helping<T>(is_cancelled: &Arc<AtomicBool>, body: impl FnOnce() -> T) -> T {
    struct Reset(Option<Arc<AtomicBool>>);
    impl Drop for Reset {
        fn drop(&mut self) {
            HELPED.set(self.0.take());
        }
    }
    let _reset = Reset(HELPED.replace(Some(is_cancelled.clone())));
    body()
}

/// Returns whether the operation of this thread may be cancelled.
fn is_cancellable() -> bool {
    OPERATION.get().is_none_or(|(_, epoch)| epoch != NEVER)
}

/// Calls the callback of the operation of this thread, unless it was called a short time ago.
///
/// # Errors
/// If the callback cancels the operation. Steps that must complete together are not cancelled.
pub(super) fn tick() -> Result<()> {
    let due = RUNNING.with_borrow_mut(|running| {
        let running = running.as_mut().filter(|running| !running.is_calling)?;
        let now = Instant::now();
        if running
            .last
            .is_some_and(|last| now - last < running.interval)
        {
            return None;
        }
        running.last = Some(now);
        running.is_calling = true;
        Some((running.callback.clone(), running.progress))
    });
    let Some((callback, progress)) = due else {
        return Ok(());
    };
    let _calling = CallGuard;
    let answer = callback(&progress);
    if answer.is_break() && is_cancellable() {
        if let Some(is_cancelled) = cancellation() {
            is_cancelled.store(true, Ordering::Relaxed);
        }
        return Err(Error::cancelled());
    }
    Ok(())
}

/// Marks that the callback is running until the value is dropped.
struct CallGuard;

impl Drop for CallGuard {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(|running| {
            if let Some(running) = running {
                running.is_calling = false;
            }
        });
    }
}

/// The epoch of operations that cannot be cancelled.
pub(super) const NEVER: u64 = u64::MAX;

thread_local! {
    /// The current operation of this thread: the address of its context, and the number of
    /// cancellations when the operation began.
    pub(super) static OPERATION: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}

#[cfg(test)]
mod tests {
    use super::super::Context;
    use super::*;
    use crate::config::Config;

    type Calls = Arc<Mutex<Vec<Progress>>>;

    /// Returns a context with a callback, and its calls.
    fn context(answer: ControlFlow<()>, interval: Duration) -> (Arc<Context>, Calls) {
        let context = Context::new(Config::new()).expect("context");
        let calls = Calls::default();
        let seen = calls.clone();
        let callback = Arc::new(move |progress: &Progress| {
            seen.lock().push(*progress);
            answer
        });
        context.progress.set(Some(callback), interval);
        (context, calls)
    }

    fn add_one(context: &Context, unit: &'static str) {
        let done = context.progress(unit, |progress| progress.done += 1);
        done.expect("continues");
    }

    #[test]
    fn callbacks_are_called_at_most_ten_times_per_second() {
        let (context, calls) = context(ControlFlow::Continue(()), INTERVAL);
        let begun = Instant::now();
        let tracking = context.track("outer", "cells");
        for _ in 0..1000 {
            add_one(&context, "cells");
            add_one(&context, "tiles");
        }
        drop(tracking);
        add_one(&context, "cells");
        let calls = calls.lock();
        let first = Progress {
            operation: "outer",
            done: 1,
            total: 0,
            unit: "cells",
        };
        assert_eq!(calls[0], first);
        let most = begun.elapsed().as_millis() / INTERVAL.as_millis() + 1;
        assert!(calls.len() as u128 <= most, "{} calls", calls.len());
    }

    #[test]
    fn nested_operations_do_not_change_the_progress() {
        let (context, calls) = context(ControlFlow::Continue(()), Duration::ZERO);
        let _outer = context.track("outer", "cells");
        add_one(&context, "cells");
        let inner = context.track("inner", "cells");
        add_one(&context, "cells");
        drop(inner);
        add_one(&context, "cells");
        let done: Vec<u64> = calls.lock().iter().map(|progress| progress.done).collect();
        assert_eq!(done, [1, 1, 2]);
        assert!(calls.lock().iter().all(|call| call.operation == "outer"));
    }

    #[test]
    fn break_cancels_loops_but_not_steps_that_complete_together() {
        // Longer than the test takes on any machine: one call per operation.
        let interval = Duration::from_secs(3600);
        let (context, calls) = context(ControlFlow::Break(()), interval);
        let tracking = context.track("loop", "cells");
        let ran = context.for_each(100, |_| Ok(()));
        assert!(ran.is_err_and(|error| error.is_cancelled()));
        drop(tracking);
        context.for_each(100, |_| Ok(())).expect("not tracked");
        assert_eq!(calls.lock().len(), 1);
        let _tracking = context.track("loop", "cells");
        let _end = context.uncancellable();
        context.for_each(100, |_| Ok(())).expect("completes");
        assert_eq!(calls.lock().len(), 2);
    }

    #[test]
    fn operations_of_the_callback_are_not_reported() {
        let context = Context::new(Config::new()).expect("context");
        let weak = Arc::downgrade(&context);
        let calls = Arc::new(Mutex::new(0));
        let seen = calls.clone();
        context.set_progress(Some(Arc::new(move |_| {
            *seen.lock() += 1;
            if let Some(context) = weak.upgrade() {
                let _nested = context.track("nested", "cells");
                context.for_each(10, |_| Ok(())).expect("runs");
            }
            ControlFlow::Continue(())
        })));
        let _tracking = context.track("outer", "cells");
        tick().expect("continues");
        assert_eq!(*calls.lock(), 1);
        assert!(is_tracked());
    }
}
