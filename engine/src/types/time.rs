//! Times of writes: milliseconds since 1970-01-01, and ranges of them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC.
pub type Timestamp = u64;

/// A span of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeRange {
    /// The first millisecond.
    pub start: Timestamp,
    /// The last millisecond.
    pub end: Timestamp,
}

impl TimeRange {
    /// Everything.
    pub const ALL: Self = Self {
        start: 0,
        end: Timestamp::MAX,
    };

    /// Whether `other` lies wholly in this range.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two have a millisecond in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

fn since_1970() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

/// The time now.
pub fn now() -> Timestamp {
    since_1970().as_millis() as Timestamp
}

/// The last moments that were given out. Places share one by chance: then one of them waits in vain. No lock is held, which
/// a forked child might find held for ever.
static LAST: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// The time now, once for each place: who comes again in the same millisecond waits for the next one. Programs tell writes
/// apart by their times, and a write to memory takes a tenth of a millisecond.
pub fn moment_of(place: &str) -> Timestamp {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    moment_after(&LAST[hasher.finish() as usize % LAST.len()])
}

fn moment_after(last: &AtomicU64) -> Timestamp {
    /// A clock that was set back by more is not waited for.
    const MOST_BEHIND: Timestamp = 2;
    loop {
        let since = since_1970();
        let at = since.as_millis() as Timestamp;
        let before = last.load(Ordering::Relaxed);
        if at <= before && before - at <= MOST_BEHIND {
            let into = u64::from(since.subsec_nanos() % 1_000_000);
            thread::sleep(Duration::from_nanos(1_000_000 - into));
            continue;
        }
        let exchange = last.compare_exchange(before, at, Ordering::Relaxed, Ordering::Relaxed);
        if exchange.is_ok() {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_one_place_differ_and_ascend_in_each_thread() {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                thread::spawn(|| {
                    let moments: Vec<_> = (0..10).map(|_| moment_of("an array")).collect();
                    assert!(moments.is_sorted());
                    moments
                })
            })
            .collect();
        let mut all: Vec<_> = threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("thread"))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30);
    }

    #[test]
    fn a_clock_that_was_set_back_far_is_not_waited_for() {
        let started = now();
        let last = AtomicU64::new(started + 3_600_000);
        assert!(moment_after(&last) < started + 60_000);
    }
}
