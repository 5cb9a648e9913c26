//! Loops on several threads, their errors and panics.

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
fn helpers_begin_when_the_caller_says_so() {
    let (begun, receiver) = std::sync::mpsc::channel();
    let body = |index: usize| begun.send(index).map_err(|_| Error::cancelled());
    let here = |begin: &dyn Fn(usize)| {
        assert!(receiver.try_recv().is_err(), "no thread has begun");
        begin(1);
        Ok(receiver.recv().expect("a helper runs"))
    };
    let first = with_request_helpers(3, &body, here).expect("no errors");
    assert_eq!(first, 0);
    // The calling thread ran those that the helper had not begun.
    let mut rest: Vec<usize> = receiver.try_iter().collect();
    rest.sort_unstable();
    assert_eq!(rest, [1, 2]);
    let failing = |_: &dyn Fn(usize)| Err::<(), _>(Error::cancelled());
    assert!(with_request_helpers(3, &body, failing).is_err());
    assert!(receiver.try_recv().is_err(), "nothing runs after a failure");
    let failing_body = |_| Err(Error::cancelled());
    assert!(with_request_helpers(3, &failing_body, |_| Ok(())).is_err());
    let panicking = || with_request_helpers(3, &body, |_| -> Result<()> { panic!("here") });
    assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
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
