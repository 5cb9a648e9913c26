//! What the operations of one context share: configuration, limits, cancellation, counters.
//!
//! The threads are the process's (`pool.rs`); a context says how many of them may work for it.

mod memory;
mod pool;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::platform::lock::Mutex;

use crate::config::{Config, hardware_threads};
use crate::error::{Error, Result};
use crate::stats::{Format, Level, Log, Stats};

pub use memory::{MemoryBudget, Reservation};

thread_local! {
    /// What this thread does: the place of its context, and the cancellations there were when that began.
    static OPERATION: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}

/// The epoch of what cannot be cancelled.
const NEVER: u64 = u64::MAX;

/// Something that a caller asked for, while it lasts; it stays with its thread.
#[derive(Debug)]
pub struct Operation<'a> {
    before: Option<(usize, u64)>,
    _context: PhantomData<(&'a Context, *const ())>,
}

impl Drop for Operation<'_> {
    fn drop(&mut self) {
        OPERATION.set(self.before);
    }
}

/// How many threads a context may ask for, for each hardware thread there is.
const THREADS_PER_CPU: u64 = 256;

const COMPUTE_LEVEL: &str = "sm.compute_concurrency_level";
const IO_LEVEL: &str = "sm.io_concurrency_level";

/// A context. Making one costs microseconds and starts no thread.
#[derive(Debug)]
pub struct Context {
    config: Config,
    stats: Stats,
    log: Log,
    /// As configured: none is an error, but not before there is something to do.
    compute_threads: usize,
    io_threads: usize,
    cancellations: AtomicU64,
    tags: Mutex<BTreeMap<String, String>>,
}

impl Context {
    /// A context with this configuration. It keeps the environment variables of this moment.
    pub fn new(config: Config) -> Result<Arc<Self>> {
        let config = config.frozen();
        config.check_profile()?;
        Ok(Arc::new(Self {
            stats: Stats::root(),
            log: log(&config)?,
            compute_threads: threads(&config, COMPUTE_LEVEL)?,
            io_threads: threads(&config, IO_LEVEL)?,
            config,
            cancellations: AtomicU64::new(0),
            tags: Mutex::default(),
        }))
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The counters and timers.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Where log lines go.
    pub fn log(&self) -> Log {
        self.log
    }

    /// How many threads may compute at once for this context, the caller's included.
    pub fn compute_threads(&self) -> usize {
        self.compute_threads.max(1)
    }

    /// How many threads may read or write at once for this context, the caller's included.
    pub fn io_threads(&self) -> usize {
        self.io_threads.max(1)
    }

    /// Errors where no thread may compute.
    pub fn check_compute_threads(&self) -> Result<()> {
        check_threads(self.compute_threads, "[TileDB::Array] Error", COMPUTE_LEVEL)
    }

    /// Errors where no thread may read or write.
    pub fn check_io_threads(&self) -> Result<()> {
        check_threads(self.io_threads, "[TileDB::ThreadPool] Error", IO_LEVEL)
    }

    /// Runs `body` for each index below `count`, on up to [`Context::compute_threads`] threads of the process's pool; the
    /// calling thread helps. The first error ends it, and so does somebody who cancels: no index begins after that. With a
    /// count of 1, or a limit of 1, it is a plain loop.
    pub fn for_each(&self, count: usize, body: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
        let since = self.cancel_epoch();
        pool::for_each(self.compute_threads(), count, &|at| {
            self.check_cancelled(since)?;
            body(at)
        })
    }

    /// The same on up to [`Context::io_threads`] threads, for what waits for storage rather than computes.
    pub fn for_each_io(
        &self,
        count: usize,
        body: impl Fn(usize) -> Result<()> + Sync,
    ) -> Result<()> {
        let since = self.cancel_epoch();
        pool::for_each(self.io_threads(), count, &|at| {
            self.check_cancelled(since)?;
            body(at)
        })
    }

    /// Begins what a caller asked for. Until the answer is dropped, whoever cancels ends everything that this thread does
    /// for the context, also what begins later: it is one thing. Within another operation it is a part of that.
    pub fn operation(&self) -> Operation<'_> {
        let before = OPERATION.get();
        let own = std::ptr::from_ref(self).addr();
        if before.is_none_or(|(context, _)| context != own) {
            OPERATION.set(Some((own, self.cancellations())));
        }
        Operation {
            before,
            _context: PhantomData,
        }
    }

    /// Lets what this thread does for the context go on to its end whoever cancels, until the answer is dropped: what makes
    /// things visible that belong together.
    pub fn to_the_end(&self) -> Operation<'_> {
        let own = std::ptr::from_ref(self).addr();
        Operation {
            before: OPERATION.replace(Some((own, NEVER))),
            _context: PhantomData,
        }
    }

    fn cancellations(&self) -> u64 {
        self.cancellations.load(Ordering::Relaxed)
    }

    /// Cancels what runs now; what begins later does not notice.
    pub fn cancel(&self) {
        self.cancellations.fetch_add(1, Ordering::Relaxed);
    }

    /// An error when somebody cancelled the tasks since `since` (a value of [`Context::cancel_epoch`]).
    pub fn check_cancelled(&self, since: u64) -> Result<()> {
        match since == NEVER || self.cancellations() == since {
            true => Ok(()),
            false => Err(Error::cancelled()),
        }
    }

    /// Counts the cancellations so far; those before the beginning of the operation of this thread, where there is one.
    pub fn cancel_epoch(&self) -> u64 {
        match OPERATION.get() {
            Some((context, since)) if context == std::ptr::from_ref(self).addr() => since,
            _ => self.cancellations(),
        }
    }

    /// Sets a tag that goes with requests to a server.
    pub fn set_tag(&self, key: &str, value: &str) {
        self.tags.lock().insert(key.to_owned(), value.to_owned());
    }

    /// The tags.
    pub fn tags(&self) -> BTreeMap<String, String> {
        self.tags.lock().clone()
    }
}

/// A limit of threads.
fn threads(config: &Config, key: &'static str) -> Result<usize> {
    let level = config.u64(key)?;
    let cpus = hardware_threads() as u64;
    match usize::try_from(level) {
        Ok(threads) if level < cpus.saturating_mul(THREADS_PER_CPU) => Ok(threads),
        _ => Err(Error::usage(
            "ThreadPool",
            format!(
                "Error initializing thread pool of concurrency level {level}; Requested size too large"
            ),
        )),
    }
}

fn check_threads(threads: usize, origin: &'static str, key: &str) -> Result<()> {
    match threads {
        0 => {
            let message = format!("Invalid task future; '{key}' is 0");
            Err(Error::usage(origin, message))
        }
        _ => Ok(()),
    }
}

fn log(config: &Config) -> Result<Log> {
    let number = config.u32("config.logging_level")?;
    let level = Level::new(number).ok_or_else(|| {
        Error::usage(
            "Context",
            format!("Cannot set logger level; Unsupported level:{number}set in configuration"),
        )
    })?;
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
    fn absurd_concurrency_is_refused() {
        for key in [COMPUTE_LEVEL, IO_LEVEL] {
            let error = context(key, "999999999").expect_err("absurd").to_string();
            assert_eq!(
                error,
                "ThreadPool: Error initializing thread pool of concurrency level 999999999; Requested size too large"
            );
            assert!(context(key, "200").is_ok());
        }
    }

    #[test]
    fn no_threads_are_an_error_when_there_is_something_to_do() {
        let none = context(COMPUTE_LEVEL, "0").expect("allowed");
        assert_eq!(none.compute_threads(), 1);
        assert!(none.check_io_threads().is_ok());
        let error = none.check_compute_threads().expect_err("none");
        assert_eq!(
            error.to_string(),
            "[TileDB::Array] Error: Invalid task future; 'sm.compute_concurrency_level' is 0"
        );
        let none = context(IO_LEVEL, "0").expect("allowed");
        assert!(none.check_compute_threads().is_ok());
        assert!(none.check_io_threads().is_err());
    }

    #[test]
    fn unknown_log_levels_are_refused() {
        assert!(context("config.logging_level", "5").is_ok());
        let error = context("config.logging_level", "9").expect_err("unknown");
        assert!(
            error
                .to_string()
                .starts_with("Context: Cannot set logger level")
        );
    }

    #[test]
    fn cancelling_ends_what_runs_and_not_what_comes() {
        let context = Context::new(Config::new()).expect("context");
        let before = context.cancel_epoch();
        assert!(context.check_cancelled(before).is_ok());
        context.cancel();
        assert!(
            context
                .check_cancelled(before)
                .is_err_and(|error| error.is_cancelled())
        );
        assert!(context.check_cancelled(context.cancel_epoch()).is_ok());
    }

    #[test]
    fn an_operation_ends_whatever_of_it_begins_after_cancelling() {
        let context = Context::new(Config::new()).expect("context");
        let other = Context::new(Config::new()).expect("context");
        let operation = context.operation();
        let since = context.cancel_epoch();
        context.cancel();
        let part = context.operation();
        assert_eq!(context.cancel_epoch(), since);
        drop(part);
        let ran = context.for_each(3, |_| Ok(()));
        assert!(ran.is_err_and(|error| error.is_cancelled()));
        other.for_each(3, |_| Ok(())).expect("nobody cancelled it");
        let end = context.to_the_end();
        context
            .for_each(3, |_| Ok(()))
            .expect("it is brought to its end");
        drop(end);
        assert_eq!(context.cancel_epoch(), since);
        drop(operation);
        context.for_each(3, |_| Ok(())).expect("it began later");
    }

    #[test]
    fn no_index_begins_after_cancelling() {
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
            // The others may have been about to begin.
            assert!(begun.into_inner() < 1000, "{threads} threads");
            assert!(context.for_each(10, |_| Ok(())).is_ok());
        }
    }
}
