//! The limits of a worker: address space, time, privileges.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The bytes of address space of a worker.
const MEMORY: u64 = 512 << 20;
/// The processor time that an operation may take.
const PROCESSOR_TIME: Duration = Duration::from_secs(10);
/// The time after which an operation that does not compute counts as blocked.
const BLOCKED: Duration = Duration::from_secs(180);

/// The number of operations started so far.
static OPERATIONS: AtomicU64 = AtomicU64::new(0);

/// Starts the time of an operation.
pub(super) fn start_operation() {
    OPERATIONS.fetch_add(1, Ordering::Relaxed);
}

/// Becomes a user without privileges: a defect must not remove files of the machine.
pub(super) fn give_up_privileges() {
    const NOBODY: u32 = 65534;
    // SAFETY: these calls change the credentials of this process and take no pointers but an empty
    // list.
    unsafe {
        if libc::geteuid() == 0 {
            assert_eq!(libc::setgroups(0, std::ptr::null()), 0);
            assert_eq!(libc::setresgid(NOBODY, NOBODY, NOBODY), 0);
            assert_eq!(libc::setresuid(NOBODY, NOBODY, NOBODY), 0);
        }
    }
}

/// Limits the address space, unless AddressSanitizer needs it: its own options limit memory then.
pub(super) fn limit_memory() {
    if std::env::var_os("ASAN_OPTIONS").is_some() {
        return;
    }
    let limit = libc::rlimit {
        rlim_cur: MEMORY,
        rlim_max: MEMORY,
    };
    // SAFETY: the structure lives during the call.
    let limited = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(limited, 0, "the address space cannot be limited");
}

/// Ends the process if an operation takes too long. Processor time is measured, so that the result
/// does not depend on other programs.
pub(super) fn watch_operations() {
    std::thread::spawn(|| {
        let (mut operation, mut started, mut used) = (0, Instant::now(), processor_time());
        loop {
            std::thread::sleep(Duration::from_millis(250));
            let current = OPERATIONS.load(Ordering::Relaxed);
            if current != operation {
                (operation, started, used) = (current, Instant::now(), processor_time());
            } else if processor_time() - used > PROCESSOR_TIME || started.elapsed() > BLOCKED {
                // SAFETY: ends the process.
                unsafe { libc::_exit(super::HANGS) };
            }
        }
    });
}

fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure lives during the call.
    let read = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(read, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
