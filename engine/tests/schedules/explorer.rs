//! Explores the orders of storage calls of several threads.
//!
//! Two orders are equivalent if one becomes the other by exchanging neighbouring calls that do not
//! conflict. One order of each class is run, found by dynamic partial-order reduction with source
//! sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas: "Optimal dynamic partial order
//! reduction", 2014): after each run, for two conflicting calls that happened one after the other,
//! a run is added in which the other comes first.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::Access;
use crate::random::Random;
use crate::scheduler::{Chooser, Event};

/// An order of calls: the thread that makes each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule(pub(crate) Vec<usize>);

/// Written as thread and number of calls in a row: "0x12 1x3 0".
impl fmt::Display for Schedule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, run) in self.0.chunk_by(|one, other| one == other).enumerate() {
            let separator = if index > 0 { " " } else { "" };
            write!(out, "{separator}{}x{}", run[0], run.len())?;
        }
        Ok(())
    }
}

impl FromStr for Schedule {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut threads = Vec::new();
        for run in text.split_whitespace() {
            let (thread, calls) = run.split_once('x').unwrap_or((run, "1"));
            threads.extend(std::iter::repeat_n(
                thread.parse::<usize>()?,
                calls.parse()?,
            ));
        }
        Ok(Self(threads))
    }
}

/// A state between two calls.
#[derive(Clone, Debug)]
struct Node {
    enabled: Vec<usize>,
    chosen: usize,
    /// Threads to run from here.
    backtrack: BTreeSet<usize>,
    /// Threads whose runs from here are equivalent to runs that were made.
    sleep: BTreeSet<usize>,
}

#[derive(Default)]
struct Path {
    nodes: Vec<Node>,
    /// The nodes that this run repeats.
    repeated: usize,
    /// The next node of this run.
    next: usize,
    /// The sleep set of the next node.
    sleep: BTreeSet<usize>,
    /// Whether all threads that could run are asleep: the run is equivalent to an earlier one.
    is_redundant: bool,
    /// A repeated choice was not possible.
    has_diverged: bool,
}

/// Explores orders. Clones share their state.
#[derive(Clone, Default)]
pub(crate) struct Explorer(Arc<Mutex<Path>>);

impl Explorer {
    fn path(&self) -> std::sync::MutexGuard<'_, Path> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the last run was equivalent to an earlier one, so that nothing has to be
    /// checked.
    pub(crate) fn is_redundant(&self) -> bool {
        self.path().is_redundant
    }

    /// Prepares the next run, given the events of the last one. Returns `false` if all orders were
    /// explored.
    pub(crate) fn advance(&self, events: &[Event]) -> bool {
        let mut path = self.path();
        let length = path.next.min(path.nodes.len());
        path.nodes.truncate(length);
        path.add_backtracks(events);
        while let Some(node) = path.nodes.last_mut() {
            node.sleep.insert(node.chosen);
            let open = node.backtrack.difference(&node.sleep).next().copied();
            if let Some(thread) = open {
                node.chosen = thread;
                let sleep = path.nodes[0].sleep.clone();
                path.repeated = path.nodes.len();
                path.next = 0;
                path.sleep = sleep;
                path.is_redundant = false;
                return true;
            }
            path.nodes.pop();
        }
        false
    }
}

impl Chooser for Explorer {
    fn choose(&mut self, enabled: &[usize], pending: &[Option<Access>], last: usize) -> usize {
        self.path().choose(enabled, pending, last)
    }
}

impl Path {
    fn choose(&mut self, enabled: &[usize], pending: &[Option<Access>], last: usize) -> usize {
        let mut chosen = match self.nodes.get(self.next) {
            Some(node) if self.next < self.repeated => {
                self.sleep.clone_from(&node.sleep);
                node.chosen
            }
            _ => self.add_node(enabled, last),
        };
        if !enabled.contains(&chosen) {
            self.has_diverged = true;
            chosen = enabled[0];
        }
        self.next += 1;
        if let Some(access) = &pending[chosen] {
            self.sleep.retain(|thread| {
                let other = pending[*thread].as_ref();
                *thread != chosen && other.is_some_and(|other| !other.conflicts(access))
            });
        }
        chosen
    }

    fn add_node(&mut self, enabled: &[usize], last: usize) -> usize {
        let awake = |thread: &&usize| !self.sleep.contains(thread);
        // The running thread continues, which keeps the number of thread switches low.
        let current = enabled.iter().find(|thread| **thread == last);
        let chosen = current
            .filter(awake)
            .or_else(|| enabled.iter().find(awake))
            .copied();
        self.is_redundant |= chosen.is_none();
        let chosen = chosen.unwrap_or(enabled[0]);
        self.nodes.push(Node {
            enabled: enabled.to_vec(),
            chosen,
            backtrack: BTreeSet::from([chosen]),
            sleep: self.sleep.clone(),
        });
        chosen
    }

    /// Adds a run for each pair of conflicting calls that can happen in the other order.
    fn add_backtracks(&mut self, events: &[Event]) {
        let threads = events.iter().map(|event| event.thread + 1).max();
        let clocks = clocks(events, threads.unwrap_or(0));
        // Pairs before the first new call were handled after an earlier run.
        let first = self.repeated.saturating_sub(1);
        for (later, event) in events.iter().enumerate().skip(first) {
            for earlier in races(events, &clocks, later) {
                let Some(node) = self.nodes.get_mut(earlier) else {
                    continue;
                };
                let initials = initials(events, &clocks, earlier, later);
                let is_covered =
                    |thread| node.backtrack.contains(thread) || node.sleep.contains(thread);
                if initials.iter().any(is_covered) {
                    continue;
                }
                let possible = |thread: &&usize| node.enabled.contains(thread);
                let preferred = initials.get(&event.thread).filter(possible);
                match preferred.or_else(|| initials.iter().find(possible)) {
                    Some(thread) => drop(node.backtrack.insert(*thread)),
                    None => node.backtrack.extend(node.enabled.iter().copied()),
                }
            }
        }
    }
}

/// For each event, the number of events of each thread that happen before it or are it, in the
/// order that conflicts enforce.
type Clocks = Vec<Vec<usize>>;

fn clocks(events: &[Event], threads: usize) -> Clocks {
    let mut clocks: Clocks = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        let mut clock = vec![0; threads];
        for (earlier, other) in events[..index].iter().enumerate() {
            if other.thread == event.thread || other.access.conflicts(&event.access) {
                merge(&mut clock, &clocks[earlier]);
            }
        }
        clock[event.thread] += 1;
        clocks.push(clock);
    }
    clocks
}

fn merge(clock: &mut [usize], other: &[usize]) {
    for (time, other) in clock.iter_mut().zip(other) {
        *time = (*time).max(*other);
    }
}

/// Returns whether event `one` happens before event `other`, or is it.
fn happens_before(events: &[Event], clocks: &Clocks, one: usize, other: usize) -> bool {
    let thread = events[one].thread;
    clocks[one][thread] <= clocks[other][thread]
}

/// Returns the events of other threads that conflict with event `later`, without an event between
/// the two in the enforced order.
fn races(events: &[Event], clocks: &Clocks, later: usize) -> Vec<usize> {
    let event = &events[later];
    let mut found = Vec::new();
    let mut clock = vec![0; clocks[later].len()];
    for (index, other) in events[..later].iter().enumerate().rev() {
        if other.thread == event.thread {
            merge(&mut clock, &clocks[index]);
            // Events before the last call of the same thread are ordered by that call.
            continue;
        }
        if !other.access.conflicts(&event.access) {
            continue;
        }
        if clock[other.thread] < clocks[index][other.thread] {
            found.push(index);
        }
        merge(&mut clock, &clocks[index]);
    }
    found
}

/// Returns the threads that can begin a run in which event `later` comes before event `earlier`.
fn initials(events: &[Event], clocks: &Clocks, earlier: usize, later: usize) -> BTreeSet<usize> {
    let between =
        (earlier + 1..later).filter(|index| !happens_before(events, clocks, earlier, *index));
    let moved: Vec<usize> = between.chain([later]).collect();
    let is_first = |index: &&usize| {
        let before = moved.iter().take_while(|other| other < index);
        !before
            .into_iter()
            .any(|other| happens_before(events, clocks, *other, **index))
    };
    moved
        .iter()
        .filter(is_first)
        .map(|index| events[*index].thread)
        .collect()
}

/// Chooses threads at random. The probability that the running thread continues depends on the
/// seed.
pub(crate) struct RandomOrder {
    random: Random,
    /// The average number of calls before a thread is interrupted.
    interval: u64,
}

impl RandomOrder {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let interval = random.one_of(&[2, 5, 20, 60]);
        Self { random, interval }
    }
}

impl Chooser for RandomOrder {
    fn choose(&mut self, enabled: &[usize], _pending: &[Option<Access>], last: usize) -> usize {
        if enabled.contains(&last) && self.random.below(self.interval) != 0 {
            return last;
        }
        self.random.one_of(enabled)
    }
}

/// Runs the threads one after the other, unless one has to wait.
pub(crate) struct Serial(pub(crate) Vec<usize>);

impl Chooser for Serial {
    fn choose(&mut self, enabled: &[usize], _pending: &[Option<Access>], _last: usize) -> usize {
        let possible = |thread: &&usize| enabled.contains(thread);
        self.0.iter().find(possible).copied().unwrap_or(enabled[0])
    }
}

/// Returns all permutations of the numbers below `len`.
pub(crate) fn permutations(len: usize) -> Vec<Vec<usize>> {
    if len == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(len - 1);
    let inserted = |order: &Vec<usize>| -> Vec<Vec<usize>> {
        let index = |index: usize| {
            let mut longer = order.clone();
            longer.insert(index, len - 1);
            longer
        };
        (0..len).map(index).collect()
    };
    shorter.iter().flat_map(inserted).collect()
}

/// Repeats a schedule. After its end the running thread continues.
pub(crate) struct Replay {
    schedule: Schedule,
    next: usize,
}

impl Replay {
    pub(crate) fn new(schedule: Schedule) -> Self {
        Self { schedule, next: 0 }
    }
}

impl Chooser for Replay {
    fn choose(&mut self, enabled: &[usize], _pending: &[Option<Access>], last: usize) -> usize {
        let planned = self.schedule.0.get(self.next).copied();
        self.next += 1;
        let possible = |thread: &usize| enabled.contains(thread);
        planned
            .filter(possible)
            .or(Some(last).filter(possible))
            .unwrap_or(enabled[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_engine::internal::vfs::Uri;

    #[test]
    fn a_schedule_is_read_as_it_is_written() {
        let schedule = Schedule(vec![0, 0, 1, 0, 2, 2, 2]);
        assert_eq!(schedule.to_string(), "0x2 1x1 0x1 2x3");
        assert_eq!("0x2 1 0x1 2x3".parse(), Ok(schedule));
        assert!("0xa".parse::<Schedule>().is_err());
    }

    #[test]
    fn permutations_are_complete() {
        let all = permutations(4);
        assert_eq!(all.len(), 24);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 24);
    }

    /// The calls of each thread.
    type Program = Vec<Vec<Access>>;

    /// The conflicting pairs of an order, earlier call first: the same for equivalent orders.
    type Class = BTreeSet<[(usize, usize); 2]>;

    fn class_of(program: &Program, order: &[usize]) -> Class {
        let mut next = vec![0; program.len()];
        let mut calls = Vec::new();
        for thread in order {
            calls.push((*thread, next[*thread]));
            next[*thread] += 1;
        }
        let call = |(thread, index): (usize, usize)| &program[thread][index];
        let mut class = Class::new();
        for (index, later) in calls.iter().enumerate() {
            for earlier in &calls[..index] {
                if earlier.0 != later.0 && call(*earlier).conflicts(call(*later)) {
                    class.insert([*earlier, *later]);
                }
            }
        }
        class
    }

    /// Adds the classes of all orders that begin with `order`.
    fn all_classes(program: &Program, order: &mut Vec<usize>, classes: &mut BTreeSet<Class>) {
        let made = |thread: usize| order.iter().filter(|other| **other == thread).count();
        let threads = 0..program.len();
        let open: Vec<usize> = threads
            .filter(|index| made(*index) < program[*index].len())
            .collect();
        if open.is_empty() {
            classes.insert(class_of(program, order));
        }
        for thread in open {
            order.push(thread);
            all_classes(program, order, classes);
            order.pop();
        }
    }

    /// Runs the program in the orders of an explorer. Returns the classes and the number of runs
    /// that were not redundant.
    fn explored_classes(program: &Program) -> (BTreeSet<Class>, usize) {
        let mut explorer = Explorer::default();
        let (mut classes, mut runs) = (BTreeSet::new(), 0);
        loop {
            let mut next = vec![0; program.len()];
            let mut events = Vec::new();
            loop {
                let call = |index: usize| program[index].get(next[index]).cloned();
                let pending: Vec<_> = (0..program.len()).map(call).collect();
                let threads = 0..program.len();
                let enabled: Vec<usize> =
                    threads.filter(|index| pending[*index].is_some()).collect();
                if enabled.is_empty() {
                    break;
                }
                let last = events.last().map_or(0, |event: &Event| event.thread);
                let thread = explorer.choose(&enabled, &pending, last);
                let access = pending[thread].clone().expect("enabled");
                events.push(Event { thread, access });
                next[thread] += 1;
            }
            let order: Vec<usize> = events.iter().map(|event| event.thread).collect();
            classes.insert(class_of(program, &order));
            runs += usize::from(!explorer.is_redundant());
            if !explorer.advance(&events) {
                return (classes, runs);
            }
        }
    }

    fn random_call(random: &mut Random) -> Access {
        let file = format!("mem://folder{}/file{}", random.below(2), random.below(2));
        let uri = Uri::parse(&file).expect("uri");
        let folder = uri.parent().expect("folder");
        match random.below(5) {
            0 => Access::private("sync", &uri),
            1 => Access::reads("open", &uri),
            2 => Access::writes("create", &uri),
            3 => Access::lists("list", &folder),
            _ => Access::writes_tree("remove_dir", &folder),
        }
    }

    #[test]
    fn each_class_of_equivalent_orders_is_explored_once() {
        for seed in 1..200 {
            let mut random = Random(seed);
            let threads = 2 + random.below(2);
            let thread = |random: &mut Random| {
                let calls = 1 + random.below(3);
                (0..calls).map(|_| random_call(random)).collect()
            };
            let program: Program = (0..threads).map(|_| thread(&mut random)).collect();
            let mut all = BTreeSet::new();
            all_classes(&program, &mut Vec::new(), &mut all);
            let (explored, runs) = explored_classes(&program);
            assert_eq!(explored, all, "seed {seed}");
            assert_eq!(runs, all.len(), "seed {seed}");
        }
    }
}
