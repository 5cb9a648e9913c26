//! The statistics of a query in messages: counters, and timers as a sum in seconds with a counter
//! of its parts, by the names of libtiledb.

use std::collections::HashMap;
use std::time::Duration;

use super::names::{Counter, Part, Timer};
use super::table::Table;

/// The suffix of the total of a timer.
const SUM: &str = ".sum";
/// The suffix of the number of parts of a timer, which is a counter.
const PARTS: &str = ".timer_count";

/// The statistics of a query by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SentStats {
    /// The counters.
    pub counters: Vec<(String, u64)>,
    /// The timers, in seconds.
    pub timers: Vec<(String, f64)>,
}

impl SentStats {
    /// Returns what was recorded in a table.
    pub(super) fn of(part: Part, table: &Table) -> Self {
        let prefix = part.name();
        let counters = table
            .counters()
            .map(|(counter, sum)| (format!("{prefix}{}", counter.name()), sum));
        let mut sent = Self {
            counters: counters.collect(),
            timers: Vec::new(),
        };
        for (timer, total, parts) in table.timers() {
            let name = format!("{prefix}{}", timer.name());
            sent.timers
                .push((format!("{name}{SUM}"), total.as_secs_f64()));
            sent.counters.push((format!("{name}{PARTS}"), parts));
        }
        sent
    }

    /// Sets the counters and timers of a table that this has. Other names, which only libtiledb
    /// records, are ignored.
    pub(super) fn set(&self, part: Part, table: &Table) {
        let without_prefix = |name: &str| name.strip_prefix(part.name()).map(str::to_owned);
        let counters: HashMap<String, u64> = self
            .counters
            .iter()
            .filter_map(|(name, sum)| Some((without_prefix(name)?, *sum)))
            .collect();
        for counter in Counter::VALUES {
            if let Some(sum) = counters.get(counter.name()) {
                table.set(counter, *sum);
            }
        }
        let timers: HashMap<String, f64> = self
            .timers
            .iter()
            .filter_map(|(name, seconds)| Some((without_prefix(name)?, *seconds)))
            .collect();
        for timer in Timer::VALUES {
            let name = timer.name();
            let seconds = timers.get(&format!("{name}{SUM}"));
            let total = seconds.and_then(|seconds| Duration::try_from_secs_f64(*seconds).ok());
            if let Some(total) = total {
                let parts = counters.get(&format!("{name}{PARTS}"));
                table.set_time(timer, total, parts.copied().unwrap_or(1).max(1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::add_shared;
    use super::*;

    #[test]
    fn received_statistics_replace_those_with_the_same_names() {
        let table = Table::default();
        table.add(Counter::Loops, 3, add_shared);
        table.add(Counter::Results, 9, add_shared);
        table.add_time(Timer::Work, Duration::from_millis(1500), 2, add_shared);
        let mut sent = SentStats::of(Part::Reader, &table);
        assert_eq!(
            sent.timers,
            [("Context.Query.Reader.dowork.sum".to_owned(), 1.5)]
        );
        assert!(
            sent.counters
                .contains(&("Context.Query.Reader.loop_num".to_owned(), 3))
        );
        let unknown = [
            ("Context.Query.Reader.unknown".to_owned(), 1),
            ("loop_num".to_owned(), 8),
        ];
        sent.counters.extend(unknown);
        sent.timers
            .push(("Context.Query.Reader.init_state.sum".to_owned(), f64::NAN));
        let other = Table::default();
        other.add(Counter::Loops, 100, add_shared);
        other.add(Counter::TilesRead, 7, add_shared);
        sent.set(Part::Reader, &other);
        assert_eq!(
            (other.count(Counter::Loops), other.count(Counter::Results)),
            (3, 9)
        );
        assert_eq!(other.count(Counter::TilesRead), 7);
        let timers: Vec<_> = other.timers().collect();
        assert_eq!(timers.len(), 1);
        assert_eq!((timers[0].1, timers[0].2), (Duration::from_millis(1500), 2));
        sent.set(Part::Writer, &other);
        assert_eq!(other.count(Counter::Loops), 3);
    }
}
