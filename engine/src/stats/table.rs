//! Places for all counters and timers of one part, so that recording is an addition and nothing else.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::names::{Counter, Timer};

/// The counters and timers of one part. Zero is what was never recorded.
#[derive(Debug, Default)]
pub(super) struct Table {
    counters: [AtomicU64; Counter::ALL.len()],
    timers: [Timing; Timer::ALL.len()],
}

#[derive(Debug, Default)]
struct Timing {
    nanoseconds: AtomicU64,
    count: AtomicU64,
}

/// How a number is added to another.
pub(super) type Adding = fn(&AtomicU64, u64);

/// For tables that several threads record in.
pub(super) fn together(sum: &AtomicU64, more: u64) {
    sum.fetch_add(more, Ordering::Relaxed);
}

/// For tables that one thread at a time records in, which costs less.
pub(super) fn in_turn(sum: &AtomicU64, more: u64) {
    let sum_of_both = sum.load(Ordering::Relaxed).wrapping_add(more);
    sum.store(sum_of_both, Ordering::Relaxed);
}

impl Table {
    pub(super) fn add(&self, counter: Counter, count: u64, adding: Adding) {
        adding(&self.counters[counter as usize], count);
    }

    pub(super) fn time(&self, timer: Timer, took: Duration, adding: Adding) {
        let timing = &self.timers[timer as usize];
        adding(&timing.nanoseconds, took.as_nanos() as u64);
        adding(&timing.count, 1);
    }

    pub(super) fn reset(&self) {
        let timers = self.timers.iter();
        let timers = timers.flat_map(|timing| [&timing.nanoseconds, &timing.count]);
        for number in self.counters.iter().chain(timers) {
            number.store(0, Ordering::Relaxed);
        }
    }

    /// What was counted.
    pub(super) fn counters(&self) -> impl Iterator<Item = (Counter, u64)> {
        let counters = Counter::ALL.into_iter().zip(&self.counters);
        let counters = counters.map(|(counter, sum)| (counter, sum.load(Ordering::Relaxed)));
        counters.filter(|(_, sum)| *sum > 0)
    }

    /// What was timed: how long together, and how many times.
    pub(super) fn timers(&self) -> impl Iterator<Item = (Timer, Duration, u64)> {
        let timers = Timer::ALL.into_iter().zip(&self.timers);
        let timers = timers.map(|(timer, timing)| {
            let total = Duration::from_nanos(timing.nanoseconds.load(Ordering::Relaxed));
            (timer, total, timing.count.load(Ordering::Relaxed))
        });
        timers.filter(|(_, _, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_have_a_place_and_it_is_their_own() {
        let table = Table::default();
        for (at, counter) in Counter::ALL.into_iter().enumerate() {
            table.add(counter, at as u64, together);
            table.add(counter, 1, in_turn);
        }
        for (at, timer) in Timer::ALL.into_iter().enumerate() {
            table.time(timer, Duration::from_secs(at as u64), together);
        }
        let counted: Vec<u64> = table.counters().map(|(_, sum)| sum).collect();
        assert_eq!(counted, (1..=17).collect::<Vec<u64>>());
        let timed: Vec<_> = table
            .timers()
            .map(|(_, total, _)| total.as_secs())
            .collect();
        assert_eq!(timed, (0..7).collect::<Vec<u64>>());
        table.reset();
        assert_eq!(table.counters().count() + table.timers().count(), 0);
    }
}
