//! The state that the operations of one context share: configuration, limits, cancellation,
//! counters.
//!
//! The threads belong to the process (`pool.rs`); a context limits how many of them work for it.

mod pool;
mod progress;
mod sized_loops;

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::config::{Config, Release};
use crate::error::{ConfigError, ContextError, Error, Result};
use crate::platform::hardware_threads;
use crate::platform::lock::{Mutex, OnceValue};
use crate::stats::{Format, Level, Log, Stats};

use self::progress::{NEVER, OPERATION, ProgressSetting};

pub(crate) use self::pool::for_each_request as for_each_waiting;
pub use self::progress::{Progress, ProgressCallback, ProgressScope};

/// A running operation, such as a submit. It ends when the value is dropped, and cannot be sent to
/// other threads.
#[derive(Debug)]
pub struct Operation<'a> {
    outer: Option<(usize, u64)>,
    _context: PhantomData<(&'a Context, *const ())>,
}

impl Drop for Operation<'_> {
    fn drop(&mut self) {
        OPERATION.set(self.outer);
    }
}

/// The maximum of the concurrency parameters, per hardware thread.
const THREADS_PER_CPU: u64 = 256;

const COMPUTE_LEVEL: &str = "sm.compute_concurrency_level";
const IO_LEVEL: &str = "sm.io_concurrency_level";

/// A context. Creating one takes microseconds and starts no thread.
#[derive(Debug)]
pub struct Context {
    /// The configuration.
    pub config: Config,
    /// The configuration with starts of cells as offsets, once it is needed.
    starts_config: OnceValue<Config>,
    /// The counters and timers.
    pub stats: Stats,
    /// The log level and format.
    pub log: Log,
    /// As configured. Zero is allowed and becomes an error when threads are needed.
    compute_threads: usize,
    io_threads: usize,
    cancellations: AtomicU64,
    tags: Mutex<BTreeMap<String, String>>,
    progress: ProgressSetting,
    /// What is known of the TileDB server.
    pub server: ServerState,
}

/// Properties of the TileDB server of the configuration.
#[derive(Debug, Default)]
pub struct ServerState {
    /// Whether the server has namespaces instead of workspaces, once it was asked.
    pub legacy: OnceValue<bool>,
    /// The addresses of other servers to which this one redirected requests, by object.
    pub redirections: Mutex<BTreeMap<String, String>>,
}

impl Context {
    /// Creates a context with this configuration and a copy of the current environment variables.
    pub fn new(config: Config) -> Result<Arc<Self>> {
        let config = config.frozen();
        if Release::configured().is_none() {
            let variable = Release::VARIABLE;
            return Err(ConfigError::UnknownRelease { variable }.into());
        }
        config.check_profile()?;
        Ok(Arc::new(Self {
            stats: Stats::root(),
            log: log(&config)?,
            compute_threads: threads(&config, COMPUTE_LEVEL)?,
            io_threads: threads(&config, IO_LEVEL)?,
            config,
            starts_config: OnceValue::default(),
            cancellations: AtomicU64::new(0),
            tags: Mutex::default(),
            progress: ProgressSetting::default(),
            server: ServerState::default(),
        }))
    }

    /// Returns the configuration with offsets that are the starts of cells: in bytes, of 64 bits,
    /// without one after the last cell.
    pub fn config_with_starts(&self) -> &Config {
        let starts_config = &self.starts_config;
        starts_config.get_or_init(|| self.config.with_cell_starts())
    }

    /// Returns the maximum number of threads that compute at once for this context, including the
    /// caller's.
    pub fn compute_threads(&self) -> usize {
        self.compute_threads.max(1)
    }

    /// Returns the maximum number of threads that read or write at once for this context, including
    /// the caller's.
    pub fn io_threads(&self) -> usize {
        self.io_threads.max(1)
    }

    /// Returns an error if the configured number of computing threads is zero.
    pub fn check_compute_threads(&self) -> Result<()> {
        match self.compute_threads {
            0 => Err(ContextError::NoComputeThreads {
                parameter: COMPUTE_LEVEL,
            }
            .into()),
            _ => Ok(()),
        }
    }

    /// Returns an error if the configured number of I/O threads is zero.
    pub fn check_io_threads(&self) -> Result<()> {
        match self.io_threads {
            0 => Err(ContextError::NoIoThreads {
                parameter: IO_LEVEL,
            }
            .into()),
            _ => Ok(()),
        }
    }

    /// Runs `body` for each index below `count`, on up to [`Context::compute_threads`] threads of
    /// the process's pool, including the calling thread. After the first error or a cancellation no
    /// further index is started. With a count or a limit of 1 it is a plain loop.
    pub fn for_each(&self, count: usize, body: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        pool::for_each(self.compute_threads(), count, &self.checked(body)?)
    }

    /// Runs `here` on the calling thread and `aside` at the same time, if the context may use more
    /// than one thread and one is idle; otherwise one after the other. Both run completely unless
    /// they fail.
    ///
    /// # Errors
    ///
    /// The error of `here` or, without one, of `aside`.
    pub fn join<T>(
        &self,
        here: impl FnOnce() -> Result<T>,
        aside: impl Fn() -> Result<()> + Sync,
    ) -> Result<T> {
        if self.compute_threads() == 1 {
            let value = here()?;
            return aside().map(|()| value);
        }
        pool::join(here, &aside)
    }

    /// Calls `body` for each index below `count` like [`Context::for_each`], and returns its values
    /// in the order of the indexes.
    pub fn map<T: Send + Sync>(
        &self,
        count: usize,
        body: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        if count == 1 || self.compute_threads() == 1 {
            let (epoch, is_tracked) = self.begin_loop()?;
            return (0..count)
                .map(|index| {
                    self.check_continues(epoch, is_tracked)?;
                    body(index)
                })
                .collect();
        }
        let values: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
        self.for_each(count, |index| {
            let _ = values[index].set(body(index)?);
            Ok(())
        })?;
        // After success every index has a value.
        Ok(values
            .into_iter()
            .filter_map(OnceLock::into_inner)
            .collect())
    }

    /// Runs `body` like [`Context::for_each`], but on up to [`Context::io_threads`] threads, for
    /// work that mostly waits for storage.
    pub fn for_each_io(
        &self,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        pool::for_each(self.io_threads(), count, &self.checked(body)?)
    }

    /// Runs `body` for each index below `count` on up to `threads` threads that wait for responses
    /// of servers; the calling thread helps. The first error ends it, and so does a cancellation.
    pub fn for_each_request(
        &self,
        threads: usize,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        pool::for_each_request(threads, count, &self.checked(body)?)
    }

    /// Runs `here` on the calling thread, then `body` for each index below `count`. When `here`
    /// calls its argument, up to that many threads that wait for responses begin with `body`.
    pub fn with_request_helpers<T>(
        &self,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
        here: impl FnOnce(&dyn Fn(usize)) -> Result<T>,
    ) -> Result<T> {
        pool::with_request_helpers(count, &self.checked(body)?, here)
    }

    /// Begins to run `body` for each index below `count` on up to `threads` threads that wait for
    /// responses of servers, and does not wait for them. Some indexes are skipped if the operation
    /// of this thread is cancelled, also by its progress callback, or if the system has no more
    /// threads.
    pub fn spawn_requests(
        self: &Arc<Self>,
        threads: usize,
        count: usize,
        body: impl Fn(usize) + Send + Sync + 'static,
    ) {
        let (context, epoch) = (self.clone(), self.cancel_epoch());
        let is_cancelled = progress::cancellation();
        pool::spawn_requests(
            threads,
            count,
            Arc::new(move |index| {
                context.check_cancelled(epoch)?;
                if is_cancelled
                    .as_ref()
                    .is_some_and(|is_cancelled| is_cancelled.load(Ordering::Relaxed))
                {
                    return Err(Error::cancelled());
                }
                body(index);
                Ok(())
            }),
        );
    }

    /// Begins an operation. Until the returned value is dropped, a cancellation ends everything
    /// that this thread does for the context, including parts that begin after the cancellation. A
    /// nested operation is part of the outer one.
    pub fn operation(&self) -> Operation<'_> {
        let outer = OPERATION.get();
        let address = std::ptr::from_ref(self).addr();
        if outer.is_none_or(|(context, _)| context != address) {
            OPERATION.set(Some((address, self.cancellations())));
        }
        Operation {
            outer,
            _context: PhantomData,
        }
    }

    /// Begins an operation that cannot be cancelled, for steps that must complete together. It ends
    /// when the returned value is dropped.
    pub fn uncancellable(&self) -> Operation<'_> {
        let address = std::ptr::from_ref(self).addr();
        Operation {
            outer: OPERATION.replace(Some((address, NEVER))),
            _context: PhantomData,
        }
    }

    fn cancellations(&self) -> u64 {
        self.cancellations.load(Ordering::Relaxed)
    }

    /// Cancels all running operations. Operations started later are not affected.
    pub fn cancel(&self) {
        self.cancellations.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns an error if operations were cancelled after `epoch`, a value of
    /// [`Context::cancel_epoch`].
    pub fn check_cancelled(&self, epoch: u64) -> Result<()> {
        if epoch == NEVER || self.cancellations() == epoch {
            Ok(())
        } else {
            Err(Error::cancelled())
        }
    }

    /// Returns the number of cancellations so far, and whether the progress of the operation of
    /// this thread is reported. Reports it, because other threads may run all of the loop.
    fn begin_loop(&self) -> Result<(u64, bool)> {
        let is_tracked = progress::is_tracked();
        if is_tracked {
            progress::tick()?;
        }
        Ok((self.cancel_epoch(), is_tracked))
    }

    /// Begins a loop. Returns `body` with a check before each call.
    pub fn checked(
        &self,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<impl Fn(usize) -> Result<()> + Sync> {
        let (epoch, is_tracked) = self.begin_loop()?;
        let is_cancelled = progress::cancellation();
        Ok(move |index| {
            self.check_continues(epoch, is_tracked)?;
            match &is_cancelled {
                None => body(index),
                Some(is_cancelled) if is_cancelled.load(Ordering::Relaxed) => {
                    Err(Error::cancelled())
                }
                Some(is_cancelled) => progress::helping(is_cancelled, || body(index)),
            }
        })
    }

    /// Checks that operations were not cancelled after `epoch`, and calls the callback of the
    /// operation of this thread if its progress is reported.
    fn check_continues(&self, epoch: u64, is_tracked: bool) -> Result<()> {
        self.check_cancelled(epoch)?;
        if is_tracked { progress::tick() } else { Ok(()) }
    }

    /// Returns the number of cancellations so far; within an operation of this thread, the number
    /// when the operation began.
    pub fn cancel_epoch(&self) -> u64 {
        match OPERATION.get() {
            Some((context, epoch)) if context == std::ptr::from_ref(self).addr() => epoch,
            _ => self.cancellations(),
        }
    }

    /// Sets the function that receives the progress of operations that begin later, or none.
    pub fn set_progress(&self, callback: Option<Arc<ProgressCallback>>) {
        self.progress.set(callback, progress::INTERVAL);
    }

    /// Sets the function that receives each change of the progress of operations, for tests.
    pub fn set_every_progress(&self, callback: Arc<ProgressCallback>) {
        self.progress.set(Some(callback), Duration::ZERO);
    }

    /// Reports the progress of an operation of this thread until the returned value is dropped, if
    /// a callback is set. A nested operation is part of the outer one: it does not change the
    /// progress.
    pub fn track(&self, operation: &'static str, unit: &'static str) -> ProgressScope {
        self.progress.track(operation, unit)
    }

    /// Returns whether the progress of an operation of this thread is reported.
    pub fn is_tracked(&self) -> bool {
        progress::is_tracked()
    }

    /// Returns a function that returns whether the callback has cancelled the operation of this
    /// thread, or the one that it helps. It does not call the callback.
    pub fn callback_cancellation(&self) -> impl Fn() -> bool + Clone + use<> {
        let is_cancelled = progress::cancellation();
        move || {
            let is_cancelled = is_cancelled.as_ref();
            is_cancelled.is_some_and(|is_cancelled| is_cancelled.load(Ordering::Relaxed))
        }
    }

    /// Calls the callback of the operation of this thread, if there is one and its time has come.
    ///
    /// # Errors
    /// If the callback cancels the operation.
    pub fn report_progress(&self) -> Result<()> {
        progress::tick()
    }

    /// Changes the progress of the operation of this thread, if it is reported with this unit, and
    /// reports it. Nested operations change nothing.
    ///
    /// # Errors
    /// If the callback cancels the operation.
    pub fn progress(&self, unit: &'static str, change: impl FnOnce(&mut Progress)) -> Result<()> {
        progress::advance(unit, change)
    }

    /// Sets a tag that is sent with requests to a server.
    pub fn set_tag(&self, key: &str, value: &str) {
        self.tags.lock().insert(key.to_owned(), value.to_owned());
    }

    /// Returns the tags.
    pub fn tags(&self) -> BTreeMap<String, String> {
        self.tags.lock().clone()
    }
}

/// Reads a concurrency parameter.
fn threads(config: &Config, key: &'static str) -> Result<usize> {
    let level = config.u64(key)?;
    let cpus = hardware_threads() as u64;
    match usize::try_from(level) {
        Ok(threads) if level < cpus.saturating_mul(THREADS_PER_CPU) => Ok(threads),
        _ => Err(ContextError::TooManyThreads { level }.into()),
    }
}

fn log(config: &Config) -> Result<Log> {
    let number = config.u32("config.logging_level")?;
    let level = Level::new(number)
        .ok_or_else(|| Error::from(ContextError::BadLogLevel { level: number }))?;
    let format = match &*config.required("config.logging_format")? {
        "JSON" => Format::Json,
        _ => Format::Default,
    };
    Ok(Log { level, format })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(key: &str, value: &str) -> Result<Arc<Context>> {
        let mut config = Config::new();
        config.set(key, value).expect("set");
        Context::new(config)
    }

    #[test]
    fn excessive_concurrency_is_an_error() {
        for key in [COMPUTE_LEVEL, IO_LEVEL] {
            let error = context(key, "999999999").expect_err("absurd").to_string();
            assert_eq!(
                error,
                "A concurrency level of 999999999 threads is too large"
            );
            assert!(context(key, "200").is_ok());
        }
    }

    #[test]
    fn zero_threads_are_an_error_when_threads_are_needed() {
        let none = context(COMPUTE_LEVEL, "0").expect("allowed");
        assert_eq!(none.compute_threads(), 1);
        assert!(none.check_io_threads().is_ok());
        let error = none.check_compute_threads().expect_err("none");
        assert_eq!(
            error.to_string(),
            "No thread can work, because 'sm.compute_concurrency_level' is 0"
        );
        let none = context(IO_LEVEL, "0").expect("allowed");
        assert!(none.check_compute_threads().is_ok());
        assert!(none.check_io_threads().is_err());
    }

    #[test]
    fn unknown_log_levels_are_errors() {
        assert!(context("config.logging_level", "5").is_ok());
        let error = context("config.logging_level", "9").expect_err("unknown");
        assert!(error.to_string().starts_with("9 is not a level of logging"));
    }

    #[test]
    fn cancel_ends_running_operations_but_not_later_ones() {
        let context = Context::new(Config::new()).expect("context");
        let outer = context.cancel_epoch();
        assert!(context.check_cancelled(outer).is_ok());
        context.cancel();
        assert!(
            context
                .check_cancelled(outer)
                .is_err_and(|error| error.is_cancelled())
        );
        assert!(context.check_cancelled(context.cancel_epoch()).is_ok());
    }

    #[test]
    fn requests_that_an_operation_began_end_when_its_callback_cancels_it() {
        use std::sync::atomic::AtomicUsize;
        use std::time::Duration;

        const COUNT: usize = 200;
        let context = Context::new(Config::new()).expect("context");
        context.set_every_progress(Arc::new(|_| std::ops::ControlFlow::Break(())));
        let operation = context.track("read", "cells");
        let started = Arc::<AtomicUsize>::default();
        let counted = started.clone();
        context.spawn_requests(1, COUNT, move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(5));
        });
        assert!(context.for_each(3, |_| Ok(())).is_err());
        drop(operation);
        std::thread::sleep(Duration::from_millis(20));
        let before = started.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(started.load(Ordering::Relaxed), before);
        assert!(before < COUNT);
    }

    #[test]
    fn a_cancelled_operation_starts_nothing_more() {
        let context = Context::new(Config::new()).expect("context");
        let other = Context::new(Config::new()).expect("context");
        let operation = context.operation();
        let epoch = context.cancel_epoch();
        context.cancel();
        let part = context.operation();
        assert_eq!(context.cancel_epoch(), epoch);
        drop(part);
        let ran = context.for_each(3, |_| Ok(()));
        assert!(ran.is_err_and(|error| error.is_cancelled()));
        other.for_each(3, |_| Ok(())).expect("not cancelled");
        let end = context.uncancellable();
        context
            .for_each(3, |_| Ok(()))
            .expect("cannot be cancelled");
        drop(end);
        assert_eq!(context.cancel_epoch(), epoch);
        drop(operation);
        context
            .for_each(3, |_| Ok(()))
            .expect("started after the cancellation");
    }

    #[test]
    fn no_index_is_started_after_cancelling() {
        for threads in ["1", "4"] {
            let context = context("sm.compute_concurrency_level", threads).expect("context");
            let begun = AtomicU64::new(0);
            let ended = context.for_each(100_000, |_| {
                if begun.fetch_add(1, Ordering::SeqCst) == 5 {
                    context.cancel();
                }
                Ok(())
            });
            assert!(
                ended.is_err_and(|error| error.is_cancelled()),
                "{threads} threads"
            );
            // The other threads may have been about to begin.
            assert!(begun.into_inner() < 1000, "{threads} threads");
            assert!(context.for_each(10, |_| Ok(())).is_ok());
        }
    }
}
