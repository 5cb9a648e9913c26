//! Timestamps of writes, in milliseconds since 1970-01-01 UTC, and ranges of them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970-01-01 UTC.
pub type Timestamp = u64;

/// A range of time with inclusive bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimeRange {
    /// The first millisecond.
    pub start: Timestamp,
    /// The last millisecond.
    pub end: Timestamp,
}

impl TimeRange {
    /// All timestamps.
    pub const ALL: Self = Self {
        start: 0,
        end: Timestamp::MAX,
    };

    /// Returns the range of one millisecond.
    pub(crate) const fn at(time: Timestamp) -> Self {
        Self {
            start: time,
            end: time,
        }
    }

    /// Returns whether `other` lies completely in this range.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the smallest range that contains this one and `other`.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns whether the ranges have a millisecond in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

fn since_1970() -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default()
}

/// Returns the current time.
pub fn now() -> Timestamp {
    since_1970().as_millis() as Timestamp
}

/// The last timestamp given to each array, indexed by a hash of the URI. Two arrays that share an
/// entry only make each other wait. The entries are atomic, since a forked child could inherit a
/// locked lock.
static LAST_TIMESTAMPS: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// Returns a timestamp that is unique per URI in this process, unless the clock stands still.
/// Blocks for up to 1 ms if the current millisecond is taken. Programs distinguish writes by their
/// timestamps, and a write to memory takes only 0.1 ms.
pub fn unique_timestamp(uri: &str) -> Timestamp {
    let mut hasher = DefaultHasher::new();
    uri.hash(&mut hasher);
    let last = &LAST_TIMESTAMPS[hasher.finish() as usize % LAST_TIMESTAMPS.len()];
    timestamp_after(last, since_1970)
}

fn timestamp_after(last: &AtomicU64, clock: impl Fn() -> Duration) -> Timestamp {
    /// If the clock was set back by more than this, the function does not wait for it to catch up.
    const MAX_WAIT: Timestamp = 2;
    /// A clock that does not change in this time stands still, as in tests with a fixed time.
    const STANDSTILL: Duration = Duration::from_millis(20);
    let (entered, entered_at) = (Instant::now(), clock().as_millis());
    loop {
        let now = clock();
        let stands_still = now.as_millis() == entered_at && entered.elapsed() > STANDSTILL;
        let current = now.as_millis() as Timestamp;
        let last_given = last.load(Ordering::Relaxed);
        if current <= last_given && last_given - current <= MAX_WAIT && !stands_still {
            let elapsed = u64::from(now.subsec_nanos() % 1_000_000);
            thread::sleep(Duration::from_nanos(1_000_000 - elapsed));
            continue;
        }
        let exchange =
            last.compare_exchange(last_given, current, Ordering::Relaxed, Ordering::Relaxed);
        if exchange.is_ok() {
            return current;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_of_one_uri_differ_and_ascend_in_each_thread() {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                thread::spawn(|| {
                    let timestamps: Vec<_> =
                        (0..10).map(|_| unique_timestamp("an array")).collect();
                    assert!(timestamps.is_sorted());
                    timestamps
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
    fn a_clock_set_back_far_causes_no_wait() {
        let started = now();
        let last = AtomicU64::new(started + 3_600_000);
        assert!(timestamp_after(&last, since_1970) < started + 60_000);
    }

    #[test]
    fn a_clock_that_stands_still_causes_no_endless_wait() {
        let last = AtomicU64::new(0);
        let clock = || Duration::from_millis(1000);
        let timestamps = [(); 2].map(|()| timestamp_after(&last, clock));
        assert_eq!(timestamps, [1000, 1000]);
    }
}
