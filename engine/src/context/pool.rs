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

use crate::platform::lock::PerProcess;
use crate::platform::lock::blocking::{Condvar, StdMutex};

use crate::error::{Error, Result};
use crate::platform;

static POOL: PerProcess<Pool> = PerProcess::new();
/// The threads that wait for responses of servers. There are more of them than CPUs, and none
/// before the first request.
static REQUESTS: PerProcess<Pool> = PerProcess::new();

/// Runs `body` for each index below `count` on up to `threads` threads, the calling one included.
pub(super) fn for_each(
    threads: usize,
    count: usize,
    body: &(dyn Fn(usize) -> Result<()> + Sync),
) -> Result<()> {
    run(&POOL, threads, count, body)
}

/// Does the same on threads that wait for responses of servers.
pub(super) fn for_each_request(
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
    let finished = job.finish();
    match value {
        Ok(value) => {
            let value = value?;
            finished.map(|()| value)
        }
        Err(panic) => resume_unwind(panic),
    }
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
    /// Offers a job to `helpers` threads, and starts threads if there are too few idle ones.
    fn offer(&'static self, job: &Arc<Job>, helpers: usize) {
        let mut queue = self.queue.lock();
        queue
            .offers
            .extend(std::iter::repeat_n(job, helpers).cloned());
        while queue.threads < helpers {
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
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::atomic::AtomicU64;
    use std::time::{Duration, Instant};

    #[test]
    fn every_index_is_run_once() {
        for count in [0, 1, 2, 7, 1000] {
            let seen: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
            for_each(4, count, &|index| {
                seen[index].fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .expect("no errors");
            assert!(seen.iter().all(|seen| seen.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn multiple_threads_take_part() {
        let threads = StdMutex::new(HashSet::new());
        let start = Instant::now();
        for_each(3, 1_000_000, &|_| {
            threads.lock().insert(std::thread::current().id());
            while threads.lock().len() < 3 && start.elapsed() < Duration::from_secs(10) {
                std::thread::yield_now();
            }
            Ok(())
        })
        .expect("no errors");
        assert_eq!(threads.lock().len(), 3);
    }

    #[test]
    fn both_functions_of_a_join_run_and_errors_and_panics_return() {
        let caller = std::thread::current().id();
        for fails in [false, true] {
            let aside = AtomicUsize::new(0);
            let run_aside = || {
                aside.fetch_add(1, Ordering::Relaxed);
                if fails {
                    Err(Error::cancelled())
                } else {
                    Ok(())
                }
            };
            let here = || Ok(std::thread::current().id());
            assert_eq!(join(here, &run_aside).ok(), (!fails).then_some(caller));
            let failing = || Err::<(), _>(Error::cancelled());
            assert!(join(failing, &run_aside).is_err());
            let caught = catch_unwind(AssertUnwindSafe(|| {
                join(|| -> Result<()> { panic!("here") }, &run_aside)
            }));
            assert!(caught.is_err());
            assert_eq!(aside.into_inner(), 3, "fails: {fails}");
        }
        let caught = catch_unwind(|| join(|| Ok(()), &|| panic!("aside")));
        assert!(caught.is_err());
    }

    #[test]
    fn an_error_ends_the_loop() {
        let ran = AtomicUsize::new(0);
        let result = for_each(4, 1_000_000, &|index| {
            ran.fetch_add(1, Ordering::Relaxed);
            match index {
                10 => Err(Error::cancelled()),
                _ => Ok(()),
            }
        });
        assert!(result.expect_err("ten").is_cancelled());
        assert!(ran.load(Ordering::Relaxed) < 1_000_000);
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_stays_usable() {
        for _ in 0..3 {
            let caught = catch_unwind(|| {
                for_each(4, 100, &|index| {
                    assert!(index != 50, "fifty");
                    Ok(())
                })
            });
            assert!(caught.is_err());
        }
        for_each(4, 100, &|_| Ok(())).expect("no errors");
    }

    #[test]
    fn a_spawned_job_runs_every_index_and_drops_its_closure() {
        let (sender, receiver) = std::sync::mpsc::channel();
        spawn_requests(
            3,
            50,
            Arc::new(move |index| sender.send(index).map_err(|_| Error::cancelled())),
        );
        // The channel ends when the closure is dropped.
        let mut seen: Vec<usize> = receiver.into_iter().collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<_>>());
        spawn_requests(3, 0, Arc::new(|_| Ok(())));
    }

    #[test]
    fn loops_inside_loops_from_many_callers_do_not_deadlock() {
        let total = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for_each(4, 8, &|_| {
                        for_each(4, 8, &|_| {
                            for_each(4, 8, &|_| {
                                total.fetch_add(1, Ordering::Relaxed);
                                Ok(())
                            })
                        })
                    })
                    .expect("no errors");
                });
            }
        });
        assert_eq!(total.load(Ordering::Relaxed), 8 * 8 * 8 * 8);
    }

    /// Checks that a forked child can run loops while other threads of the parent keep the pool's
    /// locks busy.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_forked_child_has_a_pool_of_its_own() {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        for_each(3, 16, &|_| Ok(())).expect("no errors");
                    }
                });
            }
            let failed = (0..20).filter(|_| !child_computes()).count();
            done.store(true, Ordering::Relaxed);
            assert_eq!(failed, 0);
        });
    }

    #[cfg(target_os = "linux")]
    fn child_computes() -> bool {
        platform::in_child(|| {
            let sum = AtomicUsize::new(0);
            let ran = for_each(3, 100, &|index| {
                sum.fetch_add(index, Ordering::Relaxed);
                Ok(())
            });
            ran.is_ok() && sum.load(Ordering::Relaxed) == 4950
        })
    }
}
