//! Counters and timers, and their JSON text; log lines.
//!
//! Nothing is recorded, and recording costs one load, until somebody enables statistics for the process. Then a [`Stats`]
//! keeps what one object did (a context, its storage, a query); objects form a tree, and a child hands what it recorded to
//! its parent when it goes. The process's report has one entry for each context that recorded something.

mod log;
mod report;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::lock::Mutex;

pub use log::{Format, Level, Log};

static ENABLED: AtomicBool = AtomicBool::new(false);

/// The roots that have recorded something.
static ROOTS: Mutex<Vec<Weak<Node>>> = Mutex::new(Vec::new());

/// Starts recording, everywhere in the process.
pub fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
}

/// Stops recording; what was recorded stays.
pub fn disable() {
    ENABLED.store(false, Ordering::Relaxed);
}

/// Whether statistics are recorded.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Forgets what was recorded, everywhere in the process.
pub fn reset() {
    for root in roots() {
        root.reset();
    }
}

/// The statistics of all contexts alive, as a JSON array.
pub fn dump() -> String {
    let roots = roots();
    let reports = roots.iter().map(report::of);
    report::array(reports.filter(|report| !report.is_empty()))
}

fn roots() -> Vec<Arc<Node>> {
    let mut roots = ROOTS.lock();
    roots.retain(|root| root.strong_count() > 0);
    roots.iter().filter_map(Weak::upgrade).collect()
}

/// What one name has recorded.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    total: Duration,
    count: u64,
}

#[derive(Debug, Default)]
struct Recorded {
    counters: HashMap<String, u64>,
    timers: HashMap<String, Timing>,
}

impl Recorded {
    fn add(&mut self, counter: &str, count: u64) {
        match self.counters.get_mut(counter) {
            Some(sum) => *sum = sum.saturating_add(count),
            None => {
                self.counters.insert(counter.to_owned(), count);
            }
        }
    }

    fn time(&mut self, timer: &str, total: Duration, count: u64) {
        let timing = self.timers.entry(timer.to_owned()).or_default();
        timing.total += total;
        timing.count += count;
    }
}

#[derive(Debug)]
struct Node {
    name: &'static str,
    parent: Option<Arc<Node>>,
    recorded: Mutex<Recorded>,
    /// The children alive.
    children: Mutex<Vec<Weak<Node>>>,
    /// Whether the parent, or the list of roots, knows this node: only once there is something to know.
    known: AtomicBool,
}

impl Node {
    fn record(self: &Arc<Self>, change: impl FnOnce(&mut Recorded)) {
        self.make_known();
        change(&mut self.recorded.lock());
    }

    fn make_known(self: &Arc<Self>) {
        if self.known.load(Ordering::Relaxed) || self.known.swap(true, Ordering::Relaxed) {
            return;
        }
        let list = match &self.parent {
            Some(parent) => {
                parent.make_known();
                &parent.children
            }
            None => &ROOTS,
        };
        let mut list = list.lock();
        list.retain(|node| node.strong_count() > 0);
        list.push(Arc::downgrade(self));
    }

    fn reset(&self) {
        *self.recorded.lock() = Recorded::default();
        for child in self.children() {
            child.reset();
        }
    }

    fn children(&self) -> Vec<Arc<Self>> {
        self.children
            .lock()
            .iter()
            .filter_map(Weak::upgrade)
            .collect()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let Some(parent) = &self.parent else { return };
        let mine = std::mem::take(self.recorded.get_mut());
        if mine.counters.is_empty() && mine.timers.is_empty() {
            return;
        }
        let mut theirs = parent.recorded.lock();
        for (name, count) in mine.counters {
            theirs.add(&format!("{}.{name}", self.name), count);
        }
        for (name, timing) in mine.timers {
            theirs.time(&format!("{}.{name}", self.name), timing.total, timing.count);
        }
    }
}

/// The statistics of one object. Cheap to make, to clone and, while statistics are disabled, to use.
#[derive(Clone, Debug)]
pub struct Stats(Arc<Node>);

impl Stats {
    /// Statistics that the process's report shows as an entry of their own.
    pub fn root(name: &'static str) -> Self {
        Self::new(name, None)
    }

    /// Statistics of a part of this object. Its names begin with the names of those above it.
    #[must_use]
    pub fn child(&self, name: &'static str) -> Self {
        Self::new(name, Some(self.0.clone()))
    }

    fn new(name: &'static str, parent: Option<Arc<Node>>) -> Self {
        Self(Arc::new(Node {
            name,
            parent,
            recorded: Mutex::default(),
            children: Mutex::default(),
            known: AtomicBool::new(false),
        }))
    }

    /// Adds to a counter.
    pub fn add(&self, counter: &'static str, count: u64) {
        if count > 0 && is_enabled() {
            self.0.record(|recorded| recorded.add(counter, count));
        }
    }

    /// Times until the answer is dropped.
    pub fn timer(&self, name: &'static str) -> Timer<'_> {
        Timer {
            stats: self,
            name,
            start: is_enabled().then(Instant::now),
        }
    }

    /// The statistics of this object and its parts as a JSON object; empty where nothing was recorded.
    pub fn dump(&self) -> String {
        report::object(&report::of(&self.0), 0)
    }
}

/// Measures the time from its making to its drop.
#[derive(Debug)]
#[must_use = "it measures as long as it lives"]
pub struct Timer<'a> {
    stats: &'a Stats,
    name: &'static str,
    start: Option<Instant>,
}

impl Drop for Timer<'_> {
    fn drop(&mut self) {
        if let Some(start) = self.start {
            let took = start.elapsed();
            let node = &self.stats.0;
            node.record(|recorded| recorded.time(self.name, took, 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Statistics are the process's: tests that switch them take turns.
    static TURN: Mutex<()> = Mutex::new(());

    fn parsed(text: &str) -> serde_json::Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn nothing_is_recorded_while_disabled() {
        let _turn = TURN.lock();
        disable();
        let stats = Stats::root("Context");
        stats.add("reads", 1);
        drop(stats.timer("read"));
        assert_eq!(stats.dump(), "");
    }

    #[test]
    fn counters_and_timers_are_told_with_the_names_above_them() {
        let _turn = TURN.lock();
        enable();
        let stats = Stats::root("Context");
        let part = stats.child("VFS");
        part.add("reads", 1);
        part.add("reads", 2);
        drop(part.timer("read"));
        let report = parsed(&stats.dump());
        assert_eq!(report["counters"]["Context.VFS.reads"], 3);
        assert!(report["timers"]["Context.VFS.read.sum"].is_number());
        assert!(report["timers"]["Context.VFS.read.avg"].is_number());
        assert_eq!(parsed(&part.dump())["counters"]["Context.VFS.reads"], 3);
        disable();
    }

    #[test]
    fn what_a_part_recorded_outlives_it() {
        let _turn = TURN.lock();
        enable();
        let stats = Stats::root("Context");
        for _ in 0..2 {
            stats.child("Query").child("Reader").add("loops", 5);
        }
        assert_eq!(
            parsed(&stats.dump())["counters"]["Context.Query.Reader.loops"],
            10
        );
        disable();
    }

    #[test]
    fn the_report_of_the_process_has_those_alive_that_recorded() {
        let _turn = TURN.lock();
        enable();
        let (stats, silent) = (Stats::root("Alive"), Stats::root("Silent"));
        Stats::root("Gone").add("reads", 1);
        stats.add("reads", 1);
        let all = dump();
        assert!(all.starts_with("[\n") && all.ends_with("\n]\n"), "{all}");
        parsed(&all);
        assert!(
            all.contains("Alive.reads") && !all.contains("Gone"),
            "{all}"
        );
        reset();
        assert!(!dump().contains("Alive"));
        drop(silent);
        disable();
    }
}
