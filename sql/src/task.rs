//! Statements as tasks of a runtime. The calling thread waits for them and can abandon them.

use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use datafusion::error::{DataFusionError, Result};
use tiledb_engine::Context;
use tokio::runtime::Handle;

use crate::table::blocking;

/// The time between two checks while a thread waits.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

tokio::task_local! {
    /// Whether the thread that waited for this task has abandoned it.
    static IS_ABANDONED: Arc<AtomicBool>;
}

/// Runs a future as a task of a runtime, waits for it, and calls `check` ten times per second on
/// the calling thread, which must not be one of the runtime.
///
/// If `check` breaks, the task is abandoned: this function returns, and the task is dropped as soon
/// as its current step returns. Steps of some operators of DataFusion compute for minutes. Until
/// the drop, the task and its tables keep their memory. Arrays that it would create or change stay
/// as they are, unless it has begun to commit the change.
pub fn run_task<T: Send + 'static, B>(
    runtime: &Handle,
    future: impl Future<Output = Result<T>> + Send + 'static,
    check: impl FnMut() -> ControlFlow<B>,
) -> ControlFlow<B, Result<T>> {
    let is_abandoned = Arc::new(AtomicBool::new(false));
    let mut task = runtime.spawn(IS_ABANDONED.scope(is_abandoned.clone(), future));
    match wait(&mut task, check) {
        ControlFlow::Continue(Ok(result)) => ControlFlow::Continue(result),
        ControlFlow::Continue(Err(error)) => ControlFlow::Continue(Err(
            DataFusionError::Execution(format!("the task of a statement failed: {error}")),
        )),
        ControlFlow::Break(value) => {
            is_abandoned.store(true, Ordering::Relaxed);
            task.abort();
            ControlFlow::Break(value)
        }
    }
}

/// Waits for a future and calls `check` ten times per second, until it breaks. The future is polled
/// on the calling thread, also outside of a runtime: it should be that of a channel or a task, such
/// as the stream of `spawn_buffered`, because `check` is not called while a poll computes.
pub fn wait<T, B>(
    future: impl Future<Output = T>,
    mut check: impl FnMut() -> ControlFlow<B>,
) -> ControlFlow<B, T> {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(ThreadWaker(std::thread::current())));
    let mut context = std::task::Context::from_waker(&waker);
    let mut checked = Instant::now();
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return ControlFlow::Continue(value);
        }
        // The timer of a runtime stands still while all of its threads compute.
        std::thread::park_timeout(CHECK_INTERVAL.saturating_sub(checked.elapsed()));
        if checked.elapsed() >= CHECK_INTERVAL {
            check()?;
            checked = Instant::now();
        }
    }
}

/// Wakes a thread that waits.
struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// A change of an array by a statement. Its operations fail soon after the statement is abandoned.
#[derive(Debug)]
pub(crate) struct Change {
    context: Context,
    is_abandoned: Arc<AtomicBool>,
}

impl Change {
    fn new(context: &Context, is_abandoned: Arc<AtomicBool>) -> Result<Self> {
        // Other statements in the context continue.
        let context = context.separate();
        let context = context.map_err(|error| DataFusionError::External(Box::new(error)))?;
        let observed = is_abandoned.clone();
        context.set_progress(move |_| {
            if observed.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        Ok(Self {
            context,
            is_abandoned,
        })
    }

    /// Begins a change by the current task.
    pub(crate) fn of_task(context: &Context) -> Result<Self> {
        let is_abandoned = IS_ABANDONED.try_with(Arc::clone);
        Self::new(context, is_abandoned.unwrap_or_default())
    }

    /// Returns the context for the operations of the change.
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }

    /// Returns an error if the statement is abandoned.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_abandoned.load(Ordering::Relaxed) {
            let text = "the statement was abandoned".to_owned();
            return Err(DataFusionError::Execution(text));
        }
        Ok(())
    }

    /// Runs operations of the change, unless the statement is abandoned.
    pub(crate) fn run<T>(&self, body: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check()?;
        self.context.operation("change", body)
    }
}

/// Runs a function that changes an array on a thread for blocking calls. Dropping the returned
/// future abandons the change.
pub(crate) async fn blocking_change<T: Send + 'static>(
    context: Context,
    function: impl FnOnce(&Change) -> Result<T> + Send + 'static,
) -> Result<T> {
    let guard = AbandonOnDrop(Arc::default());
    let is_abandoned = guard.0.clone();
    let done = blocking(move || function(&Change::new(&context, is_abandoned)?)).await;
    drop(guard);
    done
}

/// Abandons a change when it is dropped.
struct AbandonOnDrop(Arc<AtomicBool>);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
