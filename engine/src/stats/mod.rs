//! Statistics: counters, timers and their JSON text; log lines.
//!
//! Contexts and their components record from the beginning, unless the process disabled it;
//! recording is an addition in a table that has a slot for each name. A query has a table of its
//! own in addition to that of its context. The report of the process has one entry for each context
//! that recorded something.

mod log;
mod message;
mod meter;
mod names;
mod report;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::platform::lock::Mutex;

pub use log::{Format, Level, Log};
pub use message::SentStats;
pub use meter::{MeterNames, ReadWatch, TileCost, TileMeter};
pub use names::{Counter, Part, Timer};
use report::Report;
use table::{AddFunction, Table};

/// The value of [`is_enabled`]. Recording does not depend on it: it is on from the beginning.
static ENABLED: AtomicBool = AtomicBool::new(false);

static RECORDING: AtomicBool = AtomicBool::new(true);

/// The number of resets. Queries compare it with the number that they have seen, because queries
/// are not listed anywhere.
static RESETS: AtomicU64 = AtomicU64::new(0);

/// The contexts that have recorded something.
static ROOTS: Mutex<Roots> = Mutex::new(Roots {
    list: Vec::new(),
    sweep_at: 0,
});

/// Starts recording in the whole process, if it was disabled.
pub fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
    RECORDING.store(true, Ordering::Relaxed);
}

/// Stops recording in the whole process. What was recorded stays.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
    RECORDING.store(false, Ordering::Relaxed);
}

/// Returns whether [`enable`] was called, and [`disable`] was not called since.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

fn is_recording() -> bool {
    RECORDING.load(Ordering::Relaxed)
}

/// Sets all counters and timers of the process to zero.
pub fn reset() {
    RESETS.fetch_add(1, Ordering::Relaxed);
    for root in roots() {
        root.tables().for_each(|(_, table)| table.reset());
    }
}

/// Returns the statistics of all contexts that exist, as a JSON array.
pub fn dump() -> String {
    let roots = roots();
    report::array(
        roots
            .iter()
            .map(|root| root.report())
            .filter(|report| !report.is_empty()),
    )
}

fn roots() -> Vec<Arc<Root>> {
    let roots = ROOTS.lock();
    roots.list.iter().filter_map(Weak::upgrade).collect()
}

/// A list of contexts.
#[derive(Debug)]
struct Roots {
    list: Vec<Weak<Root>>,
    /// The length at which freed contexts are removed from the list: twice the length after the
    /// last removal, so that the cost per context is constant.
    sweep_at: usize,
}

impl Roots {
    fn push(&mut self, root: Weak<Root>) {
        const FEW: usize = 16;
        if self.list.len() >= self.sweep_at {
            self.list.retain(|root| root.strong_count() > 0);
            self.sweep_at = self.list.len() * 2 + FEW;
        }
        self.list.push(root);
    }
}

/// The statistics of a context and its components.
#[derive(Debug, Default)]
struct Root {
    /// One table per component. They are not created on demand: after `fork` a child would wait for
    /// a table that a thread of the parent was creating.
    tables: [Table; Part::VALUES.len()],
    /// Whether it is in the list of contexts; it is added by the first record.
    listed: AtomicBool,
}

impl Root {
    /// Returns the table of a component, to record in.
    fn table(self: &Arc<Self>, part: Part) -> &Table {
        if !self.listed.load(Ordering::Relaxed) {
            self.add_to_list();
        }
        &self.tables[part as usize]
    }

    /// Returns the tables of all components.
    fn tables(&self) -> impl Iterator<Item = (Part, &Table)> {
        Part::VALUES.into_iter().zip(&self.tables)
    }

    #[cold]
    fn add_to_list(self: &Arc<Self>) {
        // If the list is locked, the next record tries again. After `fork` the lock may be held by
        // a thread that does not exist in the child.
        let Some(mut roots) = ROOTS.try_lock() else {
            return;
        };
        if !self.listed.swap(true, Ordering::Relaxed) {
            roots.push(Arc::downgrade(self));
        }
    }

    fn report(&self) -> Report {
        let mut report = Report::default();
        for (part, table) in self.tables() {
            report.take(part, table);
        }
        report
    }
}

/// The statistics of one query. One thread at a time records in it.
#[derive(Debug)]
struct QueryTable {
    table: Table,
    /// The number of resets when the table was last cleared.
    resets: AtomicU64,
}

impl QueryTable {
    fn new() -> Self {
        Self {
            table: Table::default(),
            resets: AtomicU64::new(RESETS.load(Ordering::Relaxed)),
        }
    }

    fn table(&self) -> &Table {
        let resets = RESETS.load(Ordering::Relaxed);
        if self.resets.load(Ordering::Relaxed) != resets {
            self.resets.store(resets, Ordering::Relaxed);
            self.table.reset();
        }
        &self.table
    }
}

/// The statistics of one component of a context, or of one query. Cheap to create and to use.
#[derive(Debug)]
pub struct Stats {
    root: Arc<Root>,
    part: Part,
    /// The table of the query, if these are the statistics of one.
    query: Option<Box<QueryTable>>,
}

impl Stats {
    /// Creates the statistics of a context, which are one entry in the report of the process.
    pub fn root() -> Self {
        Self {
            root: Arc::default(),
            part: Part::Context,
            query: None,
        }
    }

    /// Returns the statistics of a component of the same context.
    #[must_use]
    pub fn part(&self, part: Part) -> Self {
        Self {
            root: self.root.clone(),
            part,
            query: None,
        }
    }

    /// Returns statistics of a component that also keep what is recorded through them alone, for a
    /// query.
    #[must_use]
    pub fn single(&self, part: Part) -> Self {
        Self {
            query: Some(Box::new(QueryTable::new())),
            ..self.part(part)
        }
    }

    /// Adds to a counter.
    pub fn add(&self, counter: Counter, count: u64) {
        if count > 0 && is_recording() {
            self.record(|table, adding| table.add(counter, count, adding));
        }
    }

    /// Adds a time that was measured elsewhere, in `count` parts.
    pub fn add_time(&self, timer: Timer, took: Duration, count: u64) {
        if count > 0 && is_recording() {
            self.record(|table, adding| table.add_time(timer, took, count, adding));
        }
    }

    /// Measures the time until the returned value is dropped.
    pub fn timer(&self, timer: Timer) -> Timing<'_> {
        self.timer_since(timer, Moment::now())
    }

    /// Measures the time from an earlier moment until the returned value is dropped.
    pub fn timer_since(&self, timer: Timer, begun: Moment) -> Timing<'_> {
        Timing {
            stats: self,
            timer,
            begun,
        }
    }

    /// Records the time since a moment and returns the current moment, from which the next time can
    /// be measured: reading the clock is the largest cost of statistics in a small query.
    pub fn time(&self, timer: Timer, begun: Moment) -> Moment {
        let now = Moment::now();
        if let (Some(begun), Some(now)) = (begun.0, now.0) {
            let took = now.duration_since(begun);
            self.record(|table, adding| table.add_time(timer, took, 1, adding));
        }
        now
    }

    fn record(&self, change: impl Fn(&Table, AddFunction)) {
        change(self.root.table(self.part), table::add_shared);
        if let Some(query_stats) = &self.query {
            change(query_stats.table(), table::add_exclusive);
        }
    }

    /// Returns a counter of the query or the component.
    pub fn count(&self, counter: Counter) -> u64 {
        match &self.query {
            Some(query_stats) => query_stats.table().count(counter),
            None => self.count_of_part(self.part, counter),
        }
    }

    /// Returns a counter of a component of the same context.
    pub fn count_of_part(&self, part: Part, counter: Counter) -> u64 {
        self.root.tables[part as usize].count(counter)
    }

    /// Returns the total of a timer of the query or the component.
    pub fn total(&self, timer: Timer) -> Duration {
        match &self.query {
            Some(query_stats) => query_stats.table().total(timer),
            None => self.root.tables[self.part as usize].total(timer),
        }
    }

    /// Returns the statistics of a query as messages contain them.
    pub fn sent(&self) -> SentStats {
        let query_stats = self.query.as_ref();
        query_stats.map_or_else(SentStats::default, |query_stats| {
            SentStats::of(self.part, query_stats.table())
        })
    }

    /// Sets the counters and timers of a query that a message contains. Those of its context do not
    /// change.
    pub fn receive(&self, received: &SentStats) {
        if let Some(query_stats) = self.query.as_ref().filter(|_| is_recording()) {
            received.set(self.part, query_stats.table());
        }
    }

    /// Returns the statistics of a query, or of the whole context, as a JSON object; an empty
    /// string if nothing was recorded.
    pub fn dump(&self) -> String {
        let report = match &self.query {
            Some(query_stats) => {
                let mut report = Report::default();
                report.take(self.part, query_stats.table());
                report
            }
            None => self.root.report(),
        };
        report::object(&report, 0)
    }
}

/// A moment, if statistics are recorded.
#[derive(Clone, Copy, Debug)]
pub struct Moment(Option<Instant>);

impl Moment {
    /// Returns the current moment.
    pub fn now() -> Self {
        Self(is_recording().then(Instant::now))
    }

    /// Returns the time since the moment; `None` if statistics were not recorded then.
    pub fn elapsed(self) -> Option<Duration> {
        self.0.map(|begun| begun.elapsed())
    }
}

/// Measures the time from a moment until it is dropped.
#[derive(Debug)]
#[must_use = "it measures until it is dropped"]
pub struct Timing<'a> {
    stats: &'a Stats,
    timer: Timer,
    begun: Moment,
}

impl Drop for Timing<'_> {
    fn drop(&mut self) {
        self.stats.time(self.timer, self.begun);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Serialises the tests that enable, disable, reset or dump the statistics of the process.
    static SERIAL: Mutex<()> = Mutex::new(());

    fn parsed(text: &str) -> serde_json::Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn nothing_is_recorded_while_disabled() {
        let _serial = SERIAL.lock();
        let stats = Stats::root();
        let query = stats.single(Part::Reader);
        disable();
        assert!(!is_enabled());
        query.add(Counter::Loops, 1);
        drop(query.timer(Timer::Work));
        assert_eq!((stats.dump(), query.dump()), Default::default());
        enable();
        assert!(is_enabled());
        query.add(Counter::Loops, 1);
        assert_eq!(stats.dump(), query.dump());
        assert!(!stats.dump().is_empty());
    }

    #[test]
    fn names_have_the_prefix_of_their_component() {
        let _serial = SERIAL.lock();
        let stats = Stats::root();
        let part = stats.part(Part::Vfs);
        part.add(Counter::ReadOps, 1);
        part.add(Counter::ReadOps, 2);
        part.add(Counter::ReadBytes, 0);
        drop(stats.timer(Timer::OpenRead));
        let report = parsed(&stats.dump());
        let counters = report["counters"].as_object().expect("an object");
        assert_eq!(counters.len(), 1);
        assert_eq!(counters["Context.VFS.read_ops_num"], 3);
        let timers = report["timers"].as_object().expect("an object");
        assert_eq!(timers.len(), 2);
        assert!(timers["Context.array_open_READ.sum"].is_number());
        assert!(timers["Context.array_open_READ.avg"].is_number());
    }

    #[test]
    fn a_query_has_its_own_counts_and_its_context_the_sums() {
        let _serial = SERIAL.lock();
        let stats = Stats::root();
        let loops = |stats: &Stats| {
            parsed(&stats.dump())["counters"]["Context.Query.Reader.loop_num"].as_u64()
        };
        stats.single(Part::Reader).add(Counter::Loops, 5);
        let query = stats.single(Part::Reader);
        query.add(Counter::Loops, 7);
        assert_eq!(loops(&query), Some(7));
        assert_eq!(loops(&stats), Some(12));
        reset();
        assert_eq!((query.dump(), stats.dump()), Default::default());
        query.add(Counter::Loops, 1);
        assert_eq!((loops(&query), loops(&stats)), (Some(1), Some(1)));
    }

    #[test]
    fn the_report_has_the_existing_contexts_that_recorded() {
        let _serial = SERIAL.lock();
        let (alive, silent) = (Stats::root(), Stats::root());
        let objects = || parsed(&dump()).as_array().expect("an array").len();
        // Other tests record at the same time, so that the list may be locked.
        while !alive.root.listed.load(Ordering::Relaxed) {
            alive.add(Counter::Ls, 1);
        }
        alive.part(Part::Vfs).add(Counter::ReadBytes, 7_654_321_012);
        let gone = Stats::root();
        gone.part(Part::Vfs).add(Counter::ReadBytes, 7_654_321_013);
        drop(gone);
        let all = dump();
        assert!(all.starts_with("[\n") && all.ends_with("\n]\n"), "{all}");
        assert!(objects() > 0);
        assert!(
            all.contains("7654321012") && !all.contains("7654321013"),
            "{all}"
        );
        assert!(!silent.root.listed.load(Ordering::Relaxed));
        reset();
        assert!(!dump().contains("7654321012"));
    }

    #[test]
    fn freed_contexts_are_removed_from_the_list() {
        let mut roots = Roots {
            list: Vec::new(),
            sweep_at: 0,
        };
        let alive: Vec<Arc<Root>> = (0..100).map(|_| Arc::default()).collect();
        for index in 0..10_000 {
            roots.push(Arc::downgrade(&Arc::default()));
            if let Some(root) = alive.get(index) {
                roots.push(Arc::downgrade(root));
            }
        }
        let kept = roots.list.iter().filter_map(Weak::upgrade).count();
        assert_eq!(kept, 100);
        assert!(roots.list.len() < 300, "{}", roots.list.len());
    }
}
