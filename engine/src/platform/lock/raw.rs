//! The lock itself: one word, and queues of waiting threads that all locks of a process share.
#![expect(unsafe_code, reason = "implements the unsafe traits of `lock_api`")]

use std::panic::resume_unwind;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::lock_api::{GuardNoSend, RawMutex, RawRwLock};

use super::blocking::{Condvar, StdMutex};
use super::process::{PerProcess, generation};
use super::{LockedBeforeFork, Mutex, MutexGuard};

/// The number of readers.
const READERS: u64 = (1 << 30) - 1;
/// The lock is held for writing.
const EXCLUSIVE: u64 = 1 << 30;
/// Threads may be waiting in the queue of the lock.
const WAITING: u64 = 1 << 31;
/// The position of the generation of the process that locked the lock.
const GENERATION: u32 = 32;
/// The number of attempts before a thread sleeps. Most locks are held for less than a microsecond.
const SPINS: u32 = 100;

/// A reader-writer lock in one word: 0 if it is free, otherwise the generation of the process in
/// which it was locked, and the bits above. The generation stays until the last holder has released
/// the lock.
#[derive(Debug)]
pub struct RawLock(AtomicU64);

/// The outcome of an attempt to lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Locked,
    /// A thread of this process holds it.
    Busy,
    /// A thread of the parent held it when this process was forked.
    Inherited,
}

/// A queue of waiting threads.
#[derive(Default)]
struct Queue {
    lock: StdMutex<()>,
    released: Condvar,
}

/// Locks share queues by their addresses; a thread that is woken for another lock waits again.
static QUEUES: PerProcess<[Queue; 16]> = PerProcess::new();

impl RawLock {
    fn try_shared(&self) -> Attempt {
        let current = generation();
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let inherited = word != 0 && generation_of(word) != current;
            // Waiting threads of the parent do not exist here.
            let waiting = word & WAITING != 0 && !inherited;
            if word & EXCLUSIVE != 0 && inherited {
                return Attempt::Inherited;
            }
            if word & EXCLUSIVE != 0 || waiting || word & READERS == READERS {
                return Attempt::Busy;
            }
            let next = if word == 0 {
                locked_by(current) + 1
            } else {
                word + 1
            };
            match self
                .0
                .compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return Attempt::Locked,
                Err(changed) => word = changed,
            }
        }
    }

    fn try_exclusive(&self) -> Attempt {
        let current = generation();
        let locked = locked_by(current) | EXCLUSIVE;
        match self
            .0
            .compare_exchange(0, locked, Ordering::Acquire, Ordering::Relaxed)
        {
            Ok(_) => Attempt::Locked,
            Err(word) if generation_of(word) != current => Attempt::Inherited,
            Err(_) => Attempt::Busy,
        }
    }

    /// Repeats an attempt until it succeeds. Unwinds if it never can.
    #[cold]
    fn wait(&self, attempt: impl Fn(&Self) -> Attempt) {
        if !self.repeat(attempt) {
            resume_unwind(Box::new(LockedBeforeFork));
        }
    }

    /// Repeats an attempt until it succeeds. Returns whether it can succeed.
    fn repeat(&self, attempt: impl Fn(&Self) -> Attempt) -> bool {
        for spin in 0.. {
            match attempt(self) {
                Attempt::Locked => return true,
                Attempt::Inherited => return false,
                Attempt::Busy if spin < SPINS => std::hint::spin_loop(),
                Attempt::Busy => self.sleep(),
            }
        }
        false
    }

    /// Locks for writing. Returns `false` if a thread of the parent holds the lock.
    fn lock_unless_inherited(&self) -> bool {
        self.try_exclusive() == Attempt::Locked || self.repeat(Self::try_exclusive)
    }

    fn queue(&self) -> &'static Queue {
        let queues = QUEUES.get();
        let address = ptr::from_ref(self).addr() / align_of::<Self>();
        &queues[address % queues.len()]
    }

    /// Sleeps until the lock is released; returns at once if it is free. The queue is locked from
    /// setting the bit to sleeping, and a thread that releases the lock locks the queue before it
    /// wakes others, so no wake-up is missed.
    fn sleep(&self) {
        let queue = self.queue();
        let guard = queue.lock.lock();
        let word = self.0.load(Ordering::Relaxed);
        if word == 0 {
            return;
        }
        let marked = word & WAITING != 0
            || self
                .0
                .compare_exchange(word, word | WAITING, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if marked {
            drop(queue.released.wait(guard));
        }
    }

    #[cold]
    fn wake(&self) {
        let queue = self.queue();
        drop(queue.lock.lock());
        queue.released.notify_all();
    }

    fn release_exclusive(&self) {
        if self.0.swap(0, Ordering::Release) & WAITING != 0 {
            self.wake();
        }
    }

    fn release_shared(&self) {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let next = if word & READERS == 1 { 0 } else { word - 1 };
            match self
                .0
                .compare_exchange_weak(word, next, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) if next == 0 && word & WAITING != 0 => return self.wake(),
                Ok(_) => return,
                Err(changed) => word = changed,
            }
        }
    }
}

/// Locks a mutex, or returns `None` in a forked child if a thread of the parent held it.
pub(crate) fn lock_unless_inherited<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    // SAFETY: the raw lock is not unlocked here.
    let is_locked = unsafe { mutex.raw() }.lock_unless_inherited();
    // SAFETY: the lock is held by this thread, and this is its only guard.
    is_locked.then(|| unsafe { mutex.make_guard_unchecked() })
}

fn generation_of(word: u64) -> u32 {
    (word >> GENERATION) as u32
}

fn locked_by(generation: u32) -> u64 {
    u64::from(generation) << GENERATION
}

// SAFETY: `try_exclusive` returns `Locked` only if the word was 0, that is, neither a writer nor a
// reader held the lock, and the word stays different from 0 until `release_exclusive`.
unsafe impl RawMutex for RawLock {
    const INIT: Self = Self(AtomicU64::new(0));
    type GuardMarker = GuardNoSend;

    fn lock(&self) {
        if self.try_exclusive() != Attempt::Locked {
            self.wait(Self::try_exclusive);
        }
    }

    fn try_lock(&self) -> bool {
        self.try_exclusive() == Attempt::Locked
    }

    unsafe fn unlock(&self) {
        self.release_exclusive();
    }
}

// SAFETY: a writer excludes others as described for `RawMutex`. `try_shared` returns `Locked` only
// if the word lacked `EXCLUSIVE` when it added a reader, and a writer needs the word to be 0.
unsafe impl RawRwLock for RawLock {
    const INIT: Self = Self(AtomicU64::new(0));
    type GuardMarker = GuardNoSend;

    fn lock_shared(&self) {
        if self.try_shared() != Attempt::Locked {
            self.wait(Self::try_shared);
        }
    }

    fn try_lock_shared(&self) -> bool {
        self.try_shared() == Attempt::Locked
    }

    unsafe fn unlock_shared(&self) {
        self.release_shared();
    }

    fn lock_exclusive(&self) {
        if self.try_exclusive() != Attempt::Locked {
            self.wait(Self::try_exclusive);
        }
    }

    fn try_lock_exclusive(&self) -> bool {
        self.try_exclusive() == Attempt::Locked
    }

    unsafe fn unlock_exclusive(&self) {
        self.release_exclusive();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::lock;
    use std::thread;

    #[test]
    fn writers_exclude_each_other() {
        let total = lock::Mutex::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20_000).for_each(|_| *total.lock() += 1));
            }
        });
        assert_eq!(total.into_inner(), 80_000);
    }

    #[test]
    fn readers_see_whole_changes_only() {
        let pair = lock::RwLock::new((0, 0));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        let mut pair = pair.write();
                        pair.0 += 1;
                        thread::yield_now();
                        pair.1 += 1;
                    }
                });
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        let pair = pair.read();
                        assert_eq!(pair.0, pair.1);
                    }
                });
            }
        });
        assert_eq!(pair.into_inner(), (20_000, 20_000));
    }

    #[test]
    fn readers_share_and_exclude_a_writer() {
        let lock = lock::RwLock::new(());
        let (one, other) = (lock.read(), lock.read());
        assert!(lock.try_write().is_none());
        drop(one);
        assert!(lock.try_write().is_none());
        drop(other);
        let writer = lock.try_write().expect("free");
        assert!(lock.try_read().is_none());
        drop(writer);
        assert!(lock.try_read().is_some());
    }

    #[test]
    fn a_lock_is_free_after_a_panic() {
        let lock = lock::Mutex::new(1);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = lock.lock();
            resume_unwind(Box::new(()));
        }));
        assert!(panicked.is_err());
        assert_eq!(*lock.lock(), 1);
    }

    /// Sets the generation of a lock to that of a parent process.
    fn inherit(lock: &RawLock) {
        let word = lock.0.load(Ordering::Relaxed);
        lock.0.store(word ^ (1 << 63), Ordering::Relaxed);
    }

    #[test]
    fn a_lock_held_for_writing_in_the_parent_cannot_be_taken() {
        let lock = RawLock(AtomicU64::new(0));
        assert_eq!(lock.try_exclusive(), Attempt::Locked);
        assert_eq!(lock.try_exclusive(), Attempt::Busy);
        inherit(&lock);
        assert_eq!(lock.try_exclusive(), Attempt::Inherited);
        assert_eq!(lock.try_shared(), Attempt::Inherited);
        let caught = std::panic::catch_unwind(|| lock.lock_shared());
        let payload = caught.expect_err("never free");
        assert!(payload.is::<LockedBeforeFork>());
    }

    #[test]
    fn lock_unless_inherited_returns_none_if_the_parent_holds_the_lock() {
        let mutex = lock::Mutex::new(1);
        *lock::lock_unless_inherited(&mutex).expect("free") += 1;
        assert_eq!(*mutex.lock(), 2, "released");
        let raw = RawLock(AtomicU64::new(0));
        assert!(raw.lock_unless_inherited());
        inherit(&raw);
        assert!(!raw.lock_unless_inherited());
    }

    #[test]
    fn a_lock_held_for_reading_in_the_parent_can_be_read() {
        let lock = RawLock(AtomicU64::new(0));
        assert_eq!(lock.try_shared(), Attempt::Locked);
        lock.0.fetch_or(WAITING, Ordering::Relaxed);
        assert_eq!(lock.try_shared(), Attempt::Busy, "a writer waits");
        inherit(&lock);
        assert_eq!(lock.try_shared(), Attempt::Locked);
        assert_eq!(lock.try_exclusive(), Attempt::Inherited);
        lock.release_shared();
        lock.release_shared();
        assert_eq!(lock.try_exclusive(), Attempt::Locked);
    }
}
