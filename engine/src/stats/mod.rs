//! Counters and timers, and their JSON text; log lines.
//!
//! What a context and its parts do is recorded from the beginning, unless somebody disables it for the process: recording
//! is an addition in a table that has a place for every name. A query has a table of its own beside that of its context,
//! which tells of that query alone. The process's report has one entry for each context that recorded something.

mod log;
mod names;
mod report;
mod table;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use crate::platform::lock::Mutex;

pub use log::{Format, Level, Log};
pub use names::{Counter, Part, Timer};
use report::Report;
use table::{Adding, Table};

/// What [`is_enabled`] tells: that somebody asked for it. It is recorded without being asked for, too.
static ENABLED: AtomicBool = AtomicBool::new(false);

static RECORDING: AtomicBool = AtomicBool::new(true);

/// How often everything was forgotten; nobody knows all queries, which look here.
static RESETS: AtomicU64 = AtomicU64::new(0);

/// The roots that have recorded something.
static ROOTS: Mutex<Roots> = Mutex::new(Roots {
    list: Vec::new(),
    sweep_at: 0,
});

/// Starts recording, everywhere in the process, if that was disabled.
pub fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
    RECORDING.store(true, Ordering::Relaxed);
}

/// Stops recording; what was recorded stays.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
    RECORDING.store(false, Ordering::Relaxed);
}

/// Whether somebody enabled it, and nobody disabled it since.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

fn is_recording() -> bool {
    RECORDING.load(Ordering::Relaxed)
}

/// Forgets what was recorded, everywhere in the process.
pub fn reset() {
    RESETS.fetch_add(1, Ordering::Relaxed);
    for root in roots() {
        root.tables().for_each(|(_, table)| table.reset());
    }
}

/// The statistics of all contexts alive, as a JSON array.
pub fn dump() -> String {
    let roots = roots();
    let reports = roots.iter().map(|root| root.report());
    report::array(reports.filter(|report| !report.is_empty()))
}

fn roots() -> Vec<Arc<Root>> {
    let roots = ROOTS.lock();
    roots.list.iter().filter_map(Weak::upgrade).collect()
}

#[derive(Debug)]
struct Roots {
    list: Vec<Weak<Root>>,
    /// How long the list gets before those that are gone are taken out: twice as long as it was then, so that a context
    /// costs the same however many there are.
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

/// What a context and its parts recorded.
#[derive(Debug, Default)]
struct Root {
    /// All made at once: a forked child must not wait for one that another thread was about to make.
    tables: [Table; Part::ALL.len()],
    /// Whether the list of roots has it: only once there is something to tell.
    known: AtomicBool,
}

impl Root {
    /// The table of a part, to record in.
    fn table(self: &Arc<Self>, part: Part) -> &Table {
        if !self.known.load(Ordering::Relaxed) {
            self.make_known();
        }
        &self.tables[part as usize]
    }

    /// The tables of all parts.
    fn tables(&self) -> impl Iterator<Item = (Part, &Table)> {
        Part::ALL.into_iter().zip(&self.tables)
    }

    #[cold]
    fn make_known(self: &Arc<Self>) {
        // Whoever finds the list locked comes again when there is more to record. The lock that a forked child inherited
        // may stay locked for ever.
        let Some(mut roots) = ROOTS.try_lock() else {
            return;
        };
        if !self.known.swap(true, Ordering::Relaxed) {
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

/// What one query recorded. One thread at a time works for a query, at least where it records.
#[derive(Debug)]
struct Own {
    table: Table,
    /// The resets that the table has seen.
    resets: AtomicU64,
}

impl Own {
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

/// Where one part of a context records, or one query. Cheap to make and to use.
#[derive(Debug)]
pub struct Stats {
    root: Arc<Root>,
    part: Part,
    own: Option<Box<Own>>,
}

impl Stats {
    /// Statistics of a context, which the process's report shows as an entry of their own.
    pub fn root() -> Self {
        Self {
            root: Arc::default(),
            part: Part::Context,
            own: None,
        }
    }

    /// Those of a part of the same context.
    #[must_use]
    pub fn part(&self, part: Part) -> Self {
        Self {
            root: self.root.clone(),
            part,
            own: None,
        }
    }

    /// The same, which can tell beside that what this one did alone.
    #[must_use]
    pub fn single(&self, part: Part) -> Self {
        Self {
            own: Some(Box::new(Own::new())),
            ..self.part(part)
        }
    }

    /// Adds to a counter.
    pub fn add(&self, counter: Counter, count: u64) {
        if count > 0 && is_recording() {
            self.record(|table, adding| table.add(counter, count, adding));
        }
    }

    /// Times until the answer is dropped.
    pub fn timer(&self, timer: Timer) -> Timing<'_> {
        self.timer_since(timer, Moment::now())
    }

    /// The same from an earlier moment.
    pub fn timer_since(&self, timer: Timer, since: Moment) -> Timing<'_> {
        Timing {
            stats: self,
            timer,
            since,
        }
    }

    /// Records how long it was since a moment, and answers the present one, for what comes next: on a small query, reading
    /// the clock is what statistics cost.
    pub fn time(&self, timer: Timer, since: Moment) -> Moment {
        let now = Moment::now();
        if let (Some(since), Some(now)) = (since.0, now.0) {
            let took = now.duration_since(since);
            self.record(|table, adding| table.time(timer, took, adding));
        }
        now
    }

    fn record(&self, change: impl Fn(&Table, Adding)) {
        change(self.root.table(self.part), table::together);
        if let Some(own) = &self.own {
            change(own.table(), table::in_turn);
        }
    }

    /// What this one recorded if it is a single one, else all that its context did, as a JSON object; empty where nothing
    /// was recorded.
    pub fn dump(&self) -> String {
        let report = match &self.own {
            Some(own) => {
                let mut report = Report::default();
                report.take(self.part, own.table());
                report
            }
            None => self.root.report(),
        };
        report::object(&report, 0)
    }
}

/// When something began, if that is recorded.
#[derive(Clone, Copy, Debug)]
pub struct Moment(Option<Instant>);

impl Moment {
    /// The present one.
    pub fn now() -> Self {
        Self(is_recording().then(Instant::now))
    }
}

/// Measures the time from a moment to its drop.
#[derive(Debug)]
#[must_use = "it measures as long as it lives"]
pub struct Timing<'a> {
    stats: &'a Stats,
    timer: Timer,
    since: Moment,
}

impl Drop for Timing<'_> {
    fn drop(&mut self) {
        self.stats.time(self.timer, self.since);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statistics are the process's: tests that switch them, or tell of all, take turns.
    static TURN: Mutex<()> = Mutex::new(());

    fn parsed(text: &str) -> serde_json::Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn nothing_is_recorded_while_disabled() {
        let _turn = TURN.lock();
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
    fn counters_and_timers_are_told_with_the_names_of_their_part() {
        let _turn = TURN.lock();
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
    fn a_query_tells_of_itself_and_its_context_of_all() {
        let _turn = TURN.lock();
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
    fn the_report_of_the_process_has_those_alive_that_recorded() {
        let _turn = TURN.lock();
        let (alive, silent) = (Stats::root(), Stats::root());
        let objects = || parsed(&dump()).as_array().expect("an array").len();
        // Other tests record, too.
        while !alive.root.known.load(Ordering::Relaxed) {
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
        assert!(!silent.root.known.load(Ordering::Relaxed));
        reset();
        assert!(!dump().contains("7654321012"));
    }

    #[test]
    fn roots_that_are_gone_are_taken_off_the_list() {
        let mut roots = Roots {
            list: Vec::new(),
            sweep_at: 0,
        };
        let alive: Vec<Arc<Root>> = (0..100).map(|_| Arc::default()).collect();
        for at in 0..10_000 {
            roots.push(Arc::downgrade(&Arc::default()));
            if let Some(root) = alive.get(at) {
                roots.push(Arc::downgrade(root));
            }
        }
        let kept = roots.list.iter().filter_map(Weak::upgrade).count();
        assert_eq!(kept, 100);
        assert!(roots.list.len() < 300, "{}", roots.list.len());
    }
}
