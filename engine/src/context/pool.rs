//! The thread pool of the process, shared by all contexts and started by the first loop that uses
//! more than one thread.
//!
//! A loop over indices is a [`Job`] on which any number of threads may work. The calling thread
//! offers the job to the pool, works on it until no index is left, withdraws offers that no thread
//! has accepted, and waits for the threads that have. A loop therefore progresses even if the pool
//! is busy, and nested loops cannot deadlock: a thread waits only for running threads.
//!
//! A child process created by `fork` has none of the threads and may have inherited the pool's
//! locks in any state. It ignores the inherited pool and starts its own when needed.

#![expect(
    unsafe_code,
    reason = "a job borrows its caller's closure across threads"
)]

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::error::{Error, Result};
use crate::platform;
use crate::platform::lock::PerProcess;
use crate::platform::lock::blocking::{Condvar, StdMutex};

static POOL: PerProcess<Pool> = PerProcess::new();
/// The threads that wait for responses of servers or for disks. There are more of them than CPUs,
/// and none before the first request or slow sync.
static REQUESTS: PerProcess<Pool> = PerProcess::new();

/// Runs `body` for each index below `count` on up to `threads` threads, the calling one included.
pub(super) fn for_each(
    threads: usize,
    count: usize,
    body: &(dyn Fn(usize) -> Result<()> + Sync),
) -> Result<()> {
    run(&POOL, threads, count, body)
}

/// Does the same on threads that wait for responses of servers or for disks.
pub(crate) fn for_each_request(
    threads: usize,
    count: usize,
    body: &(dyn Fn(usize) -> Result<()> + Sync),
) -> Result<()> {
    run(&REQUESTS, threads, count, body)
}

/// A closure that belongs to its job.
type OwnedBody = Arc<dyn Fn(usize) -> Result<()> + Send + Sync>;

/// Begins to run `body` for each index below `count` on up to `threads` threads that wait for
/// responses of servers. Returns immediately. The first error ends the job and is dropped.
pub(super) fn spawn_requests(threads: usize, count: usize, body: OwnedBody) {
    let helpers = threads.min(count);
    if helpers > 0 {
        REQUESTS.get().offer(&Job::owning(count, body), helpers);
    }
}

fn run(
    pool: &'static PerProcess<Pool>,
    threads: usize,
    count: usize,
    body: &(dyn Fn(usize) -> Result<()> + Sync),
) -> Result<()> {
    let helpers = threads.min(count).saturating_sub(1);
    if helpers == 0 {
        return (0..count).try_for_each(body);
    }
    let job = Job::new(count, body);
    let pool = pool.get();
    pool.offer(&job, helpers);
    job.work();
    pool.withdraw(&job);
    job.finish()
}

/// Runs `here` on the calling thread, then `body` for each index below `count`. When `here` calls
/// its argument, up to that many threads that wait for responses of servers begin with `body`. If
/// `here` fails, indexes that no thread has begun are not run.
pub(super) fn with_request_helpers<T>(
    count: usize,
    body: &(dyn Fn(usize) -> Result<()> + Sync),
    here: impl FnOnce(&dyn Fn(usize)) -> Result<T>,
) -> Result<T> {
    let job = Job::new(count, body);
    let pool = REQUESTS.get();
    let begin = |helpers: usize| pool.offer_beside_others(&job, helpers);
    let value = catch_unwind(AssertUnwindSafe(|| here(&begin)));
    if matches!(value, Ok(Ok(_))) {
        job.work();
    } else {
        job.stopped.store(true, Ordering::Relaxed);
    }
    pool.withdraw(&job);
    first_problem(value, job.finish())
}

/// Returns the value of a function and the result of the job that ran meanwhile.
fn first_problem<T>(value: std::thread::Result<Result<T>>, finished: Result<()>) -> Result<T> {
    match value {
        Ok(value) => {
            let value = value?;
            finished.map(|()| value)
        }
        Err(panic) => resume_unwind(panic),
    }
}

/// Runs `here` on the calling thread, and `aside` at the same time on a thread of the pool. If no
/// thread of the pool is idle, the calling thread runs `aside` afterwards. If `here` ends first,
/// the calling thread helps with loops, such as those of `aside`.
pub(super) fn join<T>(
    here: impl FnOnce() -> Result<T>,
    aside: &(dyn Fn() -> Result<()> + Sync),
) -> Result<T> {
    let pool = POOL.get();
    let has_ended = AtomicBool::new(false);
    let body = |_| {
        let _ended = EndOfJob {
            pool,
            has_ended: &has_ended,
        };
        aside()
    };
    let job = Job::new(1, &body);
    pool.offer(&job, 1);
    let value = catch_unwind(AssertUnwindSafe(here));
    job.work();
    pool.withdraw(&job);
    pool.help_until(&has_ended);
    first_problem(value, job.finish())
}

/// Wakes the thread that waits in [`Pool::help_until`] when it is dropped.
struct EndOfJob<'a> {
    pool: &'static Pool,
    has_ended: &'a AtomicBool,
}

impl Drop for EndOfJob<'_> {
    fn drop(&mut self) {
        let queue = self.pool.queue.lock();
        self.has_ended.store(true, Ordering::Relaxed);
        drop(queue);
        self.pool.offered.notify_all();
    }
}

#[derive(Default)]
struct Pool {
    queue: StdMutex<Queue>,
    offered: Condvar,
}

#[derive(Default)]
struct Queue {
    offers: VecDeque<Arc<Job>>,
    threads: usize,
    idle: usize,
}

impl Pool {
    /// Offers a job to `helpers` threads, and starts threads if there are fewer.
    fn offer(&'static self, job: &Arc<Job>, helpers: usize) {
        self.offer_with(job, helpers, |_| helpers);
    }

    /// Offers a job to `helpers` threads, and starts threads if too few are idle.
    fn offer_beside_others(&'static self, job: &Arc<Job>, helpers: usize) {
        self.offer_with(job, helpers, |queue| {
            queue.offers.len() + queue.threads.saturating_sub(queue.idle)
        });
    }

    /// Offers a job to `helpers` threads. `threads` returns the number of threads needed.
    fn offer_with(
        &'static self,
        job: &Arc<Job>,
        helpers: usize,
        threads: impl FnOnce(&Queue) -> usize,
    ) {
        let mut queue = self.queue.lock();
        queue
            .offers
            .extend(std::iter::repeat_n(job, helpers).cloned());
        let threads = threads(&queue);
        while queue.threads < threads {
            let name = format!("tiledb-{}", queue.threads);
            let thread = std::thread::Builder::new().name(name);
            if thread.spawn(|| self.serve()).is_err() {
                break; // the system has no more threads; the caller does the work
            }
            queue.threads += 1;
        }
        let wake = queue.idle.min(helpers);
        drop(queue);
        for _ in 0..wake {
            self.offered.notify_one();
        }
    }

    /// Withdraws the offers of a job that no thread has accepted.
    fn withdraw(&self, job: &Arc<Job>) {
        if Arc::strong_count(job) > 1 {
            let mut queue = self.queue.lock();
            queue.offers.retain(|offer| !Arc::ptr_eq(offer, job));
        }
    }

    /// The main loop of a pool thread.
    fn serve(&self) {
        platform::block_signals();
        self.help_until(&AtomicBool::new(false));
    }

    /// Works on offered jobs, and waits for further ones, until `has_ended` is set. The queue must
    /// be locked when it is set.
    fn help_until(&self, has_ended: &AtomicBool) {
        let mut queue = self.queue.lock();
        while !has_ended.load(Ordering::Relaxed) {
            match queue.offers.pop_front() {
                Some(job) => {
                    drop(queue);
                    job.help();
                    drop(job);
                    queue = self.queue.lock();
                }
                None => {
                    queue.idle += 1;
                    queue = self.offered.wait(queue);
                    queue.idle -= 1;
                }
            }
        }
    }
}

/// A loop over indices on which multiple threads work.
struct Job {
    /// The caller's closure, valid until `finish` returns (see `help`), or that of `owned`.
    body: *const (dyn Fn(usize) -> Result<()> + Sync),
    /// The closure of a job that has no caller.
    _owned: Option<OwnedBody>,
    count: usize,
    next: AtomicUsize,
    /// No further index may be started, because of an error or a panic.
    stopped: AtomicBool,
    state: StdMutex<State>,
    finished: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of pool threads that work on the job.
    helpers: usize,
    /// The caller waits in `finish`; no more threads may join.
    closed: bool,
    error: Option<Error>,
    panic: Option<Box<dyn Any + Send>>,
}

// SAFETY: the closure may be called from multiple threads (`Sync`), and is called only while it is
// valid (see `help`).
unsafe impl Send for Job {}
// SAFETY: as for `Send`; all other fields are atomic or protected by the lock.
unsafe impl Sync for Job {}

impl Job {
    fn new(count: usize, body: &(dyn Fn(usize) -> Result<()> + Sync)) -> Arc<Self> {
        let body: *const (dyn Fn(usize) -> Result<()> + Sync + '_) = body;
        // SAFETY: only the lifetime changes; `help` and `finish` ensure that the pointer is not
        // used after the closure is gone.
        let body = unsafe {
            std::mem::transmute::<
                *const (dyn Fn(usize) -> Result<()> + Sync + '_),
                *const (dyn Fn(usize) -> Result<()> + Sync + 'static),
            >(body)
        };
        Arc::new(Self::with_body(body, None, count))
    }

    /// Creates a job that owns its closure. No thread waits for its end.
    fn owning(count: usize, body: OwnedBody) -> Arc<Self> {
        let pointer: *const (dyn Fn(usize) -> Result<()> + Send + Sync) = Arc::as_ptr(&body);
        Arc::new(Self::with_body(pointer, Some(body), count))
    }

    fn with_body(
        body: *const (dyn Fn(usize) -> Result<()> + Sync),
        owned: Option<OwnedBody>,
        count: usize,
    ) -> Self {
        Self {
            body,
            _owned: owned,
            count,
            next: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            state: StdMutex::default(),
            finished: Condvar::new(),
        }
    }

    /// Joins the job as a pool thread.
    fn help(&self) {
        {
            let mut state = self.state.lock();
            if state.closed {
                return;
            }
            state.helpers += 1; // from here on `finish` waits for this thread, so the closure stays valid
        }
        self.work();
        let mut state = self.state.lock();
        state.helpers -= 1;
        if state.helpers == 0 {
            self.finished.notify_one();
        }
    }

    /// Runs the closure for the next index until all have run. Keeps the first error or panic.
    fn work(&self) {
        // SAFETY: the closure is valid, since the job owns it, the caller is in `for_each`, or
        // `finish` waits for this thread.
        let body = unsafe { &*self.body };
        while !self.stopped.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.count {
                return;
            }
            let problem = match catch_unwind(AssertUnwindSafe(|| body(index))) {
                Ok(Ok(())) => continue,
                problem => problem,
            };
            self.stopped.store(true, Ordering::Relaxed);
            let mut state = self.state.lock();
            match problem {
                Ok(error) => state.error = state.error.take().or(error.err()),
                Err(panic) => state.panic = state.panic.take().or(Some(panic)),
            }
        }
    }

    /// Waits until no thread works on the job. Returns the first error; resumes the first panic.
    fn finish(&self) -> Result<()> {
        let mut state = self.state.lock();
        state.closed = true;
        while state.helpers > 0 {
            state = self.finished.wait(state);
        }
        if let Some(panic) = state.panic.take() {
            drop(state);
            resume_unwind(panic);
        }
        state.error.take().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests;
