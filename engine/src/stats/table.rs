//! The counters and timers of one component.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::names::{Counter, Timer};

/// The counters and timers of one component. Zero means that nothing was recorded.
#[derive(Debug)]
pub(super) struct Table {
    counters: [AtomicU64; Counter::VALUES.len()],
    timers: [TimerSum; Timer::VALUES.len()],
}

#[derive(Debug, Default)]
struct TimerSum {
    nanoseconds: AtomicU64,
    count: AtomicU64,
}

/// A function that adds to a sum.
pub(super) type AddFunction = fn(&AtomicU64, u64);

/// Adds to a sum that several threads may change at the same time.
pub(super) fn add_shared(sum: &AtomicU64, more: u64) {
    sum.fetch_add(more, Ordering::Relaxed);
}

/// Adds to a sum that one thread at a time changes, which is cheaper.
pub(super) fn add_exclusive(sum: &AtomicU64, more: u64) {
    sum.store(
        sum.load(Ordering::Relaxed).wrapping_add(more),
        Ordering::Relaxed,
    );
}

impl Default for Table {
    fn default() -> Self {
        Self {
            counters: std::array::from_fn(|_| AtomicU64::new(0)),
            timers: std::array::from_fn(|_| TimerSum::default()),
        }
    }
}

impl Table {
    pub(super) fn add(&self, counter: Counter, count: u64, adding: AddFunction) {
        adding(&self.counters[counter as usize], count);
    }

    /// Adds a time that was measured in `count` parts.
    pub(super) fn add_time(&self, timer: Timer, took: Duration, count: u64, adding: AddFunction) {
        let timing = &self.timers[timer as usize];
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        adding(&timing.nanoseconds, nanoseconds);
        adding(&timing.count, count);
    }

    /// Sets a counter.
    pub(super) fn set(&self, counter: Counter, count: u64) {
        self.counters[counter as usize].store(count, Ordering::Relaxed);
    }

    /// Sets the total of a timer and the number of its parts.
    pub(super) fn set_time(&self, timer: Timer, total: Duration, count: u64) {
        let timing = &self.timers[timer as usize];
        let nanoseconds = u64::try_from(total.as_nanos()).unwrap_or(u64::MAX);
        timing.nanoseconds.store(nanoseconds, Ordering::Relaxed);
        timing.count.store(count, Ordering::Relaxed);
    }

    pub(super) fn reset(&self) {
        let timers = self
            .timers
            .iter()
            .flat_map(|timing| [&timing.nanoseconds, &timing.count]);
        for number in self.counters.iter().chain(timers) {
            number.store(0, Ordering::Relaxed);
        }
    }

    /// Returns a counter.
    pub(super) fn count(&self, counter: Counter) -> u64 {
        self.counters[counter as usize].load(Ordering::Relaxed)
    }

    /// Returns the total of a timer.
    pub(super) fn total(&self, timer: Timer) -> Duration {
        let timing = &self.timers[timer as usize];
        Duration::from_nanos(timing.nanoseconds.load(Ordering::Relaxed))
    }

    /// Returns the counters that were recorded.
    pub(super) fn counters(&self) -> impl Iterator<Item = (Counter, u64)> {
        Counter::VALUES
            .into_iter()
            .zip(&self.counters)
            .map(|(counter, sum)| (counter, sum.load(Ordering::Relaxed)))
            .filter(|(_, sum)| *sum > 0)
    }

    /// Returns the timers that were recorded, each with its total and the number of parts.
    pub(super) fn timers(&self) -> impl Iterator<Item = (Timer, Duration, u64)> {
        Timer::VALUES
            .into_iter()
            .zip(&self.timers)
            .map(|(timer, timing)| {
                let total = Duration::from_nanos(timing.nanoseconds.load(Ordering::Relaxed));
                (timer, total, timing.count.load(Ordering::Relaxed))
            })
            .filter(|(_, _, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_counter_and_timer_has_its_own_sum() {
        let table = Table::default();
        for (index, counter) in Counter::VALUES.into_iter().enumerate() {
            table.add(counter, index as u64, add_shared);
            table.add(counter, 1, add_exclusive);
        }
        for (index, timer) in Timer::VALUES.into_iter().enumerate() {
            table.add_time(timer, Duration::from_secs(index as u64), 1, add_shared);
        }
        let counted: Vec<u64> = table.counters().map(|(_, sum)| sum).collect();
        assert_eq!(
            counted,
            (1..=Counter::VALUES.len() as u64).collect::<Vec<u64>>()
        );
        let timed: Vec<_> = table
            .timers()
            .map(|(_, total, _)| total.as_secs())
            .collect();
        assert_eq!(timed, (0..Timer::VALUES.len() as u64).collect::<Vec<u64>>());
        table.reset();
        assert_eq!(table.counters().count() + table.timers().count(), 0);
    }
}
