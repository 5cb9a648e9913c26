//! Shared memory in which writers publish what they have begun and what they have committed.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) const WRITERS: usize = 3;

/// The kinds of changes that writers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// Cells, which are written in the order of their columns.
    Cells,
    /// Rewrites of the same cell.
    Rewrites,
    /// Changes of metadata, and of the members of the group.
    Changes,
}

/// The progress of a writer: changes begun and changes committed.
#[derive(Debug, Default)]
#[repr(C)]
struct Progress {
    begun: AtomicU64,
    committed: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(C)]
struct Shared {
    stop: AtomicBool,
    /// The number of arrivals of processes at barriers.
    arrivals: AtomicU64,
    writers: [[Progress; 3]; WRITERS],
}

/// The counters of all writers at one time.
pub(crate) type Counts = [[u64; 3]; WRITERS];

/// The log, mapped from a file. It stays mapped until the process ends.
pub(crate) struct Log {
    shared: &'static Shared,
}

impl Log {
    /// Opens the log in a folder, and creates it if it does not exist.
    pub(crate) fn open(folder: &Path) -> Self {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(folder.join("log")).expect("the log");
        let size = size_of::<Shared>();
        file.set_len(size as u64).expect("the size of the log");
        // SAFETY: a new mapping of a file of that size, which is never unmapped. All its bytes are
        // valid atomics, and the file begins with zeros.
        let shared = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let descriptor = file.as_raw_fd();
            let pointer = libc::mmap(
                std::ptr::null_mut(),
                size,
                access,
                libc::MAP_SHARED,
                descriptor,
                0,
            );
            assert_ne!(pointer, libc::MAP_FAILED, "the log is not mapped");
            &*pointer.cast::<Shared>()
        };
        Self { shared }
    }

    pub(crate) fn stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.shared.stop.load(Ordering::SeqCst)
    }

    /// Waits until this many processes have reached the barrier with that number; barriers are
    /// numbered from 0 on.
    pub(crate) fn wait_for(&self, processes: u64, barrier: u64) {
        self.shared.arrivals.fetch_add(1, Ordering::SeqCst);
        while self.shared.arrivals.load(Ordering::SeqCst) < processes * (barrier + 1) {
            std::thread::yield_now();
        }
    }

    /// Announces that changes up to number `to` may become visible from now on.
    pub(crate) fn begin(&self, writer: usize, counter: Counter, to: u64) {
        let progress = &self.shared.writers[writer][counter as usize];
        // A killed writer may have written more than the one that takes its place.
        progress.begun.fetch_max(to, Ordering::SeqCst);
    }

    /// Announces that changes up to number `to` are visible from now on.
    pub(crate) fn commit(&self, writer: usize, counter: Counter, to: u64) {
        let progress = &self.shared.writers[writer][counter as usize];
        progress.committed.store(to, Ordering::SeqCst);
    }

    pub(crate) fn committed(&self) -> Counts {
        self.counts(|progress| &progress.committed)
    }

    pub(crate) fn begun(&self) -> Counts {
        self.counts(|progress| &progress.begun)
    }

    fn counts(&self, which: impl Fn(&Progress) -> &AtomicU64) -> Counts {
        let count = |progress: &Progress| which(progress).load(Ordering::SeqCst);
        std::array::from_fn(|writer| self.shared.writers[writer].each_ref().map(count))
    }
}
