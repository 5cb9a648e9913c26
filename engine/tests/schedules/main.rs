//! Operations on one array at the same time, in all orders of their storage calls.
//!
//! Each operation runs in a thread of its own, over storage in memory. A scheduler stops the
//! threads at every storage call and decides which of them makes the next one. For each combination
//! of operations the orders are explored exhaustively (see `explorer.rs`), or up to a bound and
//! then at random. Every read must see every cell that was committed before it began, each cell
//! once; every operation must succeed; and the array must be intact afterwards.
//!
//! - `TILEDB_RS_SCHEDULE_RUNS` is the maximum number of orders for each combination (default 40); 0
//!   explores all orders.
//! - `TILEDB_RS_SCHEDULE="states:write,vacuum_commits:0x12 1x3"` repeats one order, as a failure
//!   prints it; without an order the combination is explored.

#![expect(
    clippy::print_stdout,
    reason = "what was explored, and the calls of a repeated order, are printed"
)]

mod access;
mod explorer;
mod operations;
#[path = "../random/mod.rs"]
mod random;
mod scheduler;
#[path = "../setup/mod.rs"]
mod setup;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use explorer::{Explorer, RandomOrder, Replay, Schedule, Serial, permutations};
use operations::{Content, Expected, MODES, Operation, Outcome, maintenance};
use scheduler::{Chooser, Event, Scheduled, Scheduler};
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::vfs::Uri;
use tiledb_engine::internal::vfs::faulty::Faulty;

/// The orders that are run for each combination, unless [`RUNS`] says otherwise.
const USUAL_RUNS: usize = 40;
const RUNS: &str = "TILEDB_RS_SCHEDULE_RUNS";
const REPLAY: &str = "TILEDB_RS_SCHEDULE";

/// The circumstances of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    name: &'static str,
    /// Whether the storage reports the states of folders.
    has_folder_states: bool,
    /// Whether all operations start before the first storage call, so that they take their
    /// timestamps first.
    starts_at_once: bool,
    has_locks: bool,
}

const VARIANTS: [Variant; 3] = [
    Variant {
        name: "states",
        has_folder_states: true,
        starts_at_once: false,
        has_locks: true,
    },
    Variant {
        name: "no_states",
        has_folder_states: false,
        starts_at_once: true,
        has_locks: true,
    },
    Variant {
        name: "no_locks",
        has_folder_states: false,
        starts_at_once: false,
        has_locks: false,
    },
];

/// A finished operation of a run.
struct Ran {
    operation: Operation,
    outcome: std::result::Result<Result<Outcome>, String>,
    /// The number of calls made before the operation began and when it had ended.
    span: [usize; 2],
}

/// Runs operations in the order that `chooser` decides. Returns the order, and the error if one
/// occurred.
fn run(
    operations: &[Operation],
    variant: Variant,
    chooser: Box<dyn Chooser>,
) -> (Vec<Event>, std::result::Result<(), String>) {
    static FIRST: OnceLock<Faulty> = OnceLock::new();
    let storage = operations::copy(FIRST.get_or_init(operations::first_state));
    let scheduler = Scheduler::new(operations.len(), chooser);
    let start = Uri::parse("mem://").expect("uri");
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let threads: Vec<_> = operations
            .iter()
            .enumerate()
            .map(|(thread, operation)| {
                let scheduled = Scheduled {
                    storage: storage.clone(),
                    scheduler: scheduler.clone(),
                    thread,
                    has_folder_states: variant.has_folder_states,
                    has_locks: variant.has_locks,
                };
                let (scheduler, start) = (&scheduler, &start);
                scope.spawn(move || {
                    let begin = if variant.starts_at_once {
                        0
                    } else {
                        scheduler.turn(thread, access::Access::private("start", start))
                    };
                    let vfs = operations::file_system(Arc::new(scheduled));
                    let ran = catch_unwind(AssertUnwindSafe(|| operation.run(&vfs, thread)));
                    drop(vfs);
                    let end = scheduler.finish(thread);
                    Ran {
                        operation: *operation,
                        outcome: ran.map_err(|_| "panicked".to_owned()),
                        span: [begin, end],
                    }
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|ran| ran.expect("caught")).collect()
    });
    let trace = scheduler.take_trace();
    let checked = if trace.is_deadlocked {
        Err("no operation can go on".to_owned())
    } else {
        check(&ran).and_then(|()| check_afterwards(&storage, operations))
    };
    (trace.events, checked)
}

/// Checks that all operations succeeded, and that reads saw what was committed before they began.
fn check(ran: &[Ran]) -> std::result::Result<(), String> {
    for one in ran {
        let operation = one.operation;
        let outcome = match &one.outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => return Err(format!("{operation} failed: {error}")),
            Err(panic) => return Err(format!("{operation} {panic}")),
        };
        let Outcome::Read(seen) = outcome else {
            continue;
        };
        let others = ran.iter().filter(|other| !std::ptr::eq(*other, one));
        let (before, during): (Vec<&Ran>, Vec<&Ran>) =
            others.partition(|other| other.span[1] <= one.span[0]);
        let names = |list: Vec<&Ran>| -> Vec<Operation> {
            list.into_iter().map(|ran| ran.operation).collect()
        };
        let expected = Expected::new(&names(before), &names(during));
        expected
            .check(seen)
            .map_err(|why| format!("{operation}: {why}"))?;
    }
    Ok(())
}

/// Checks the array after all operations, and again after vacuum and consolidation in every mode.
fn check_afterwards(storage: &Faulty, operations: &[Operation]) -> std::result::Result<(), String> {
    let vfs = operations::unscheduled(storage);
    let expected = Expected::new(operations, &[]);
    let mut first: Option<Content> = None;
    let vacuums = (0..MODES.len()).map(Operation::Vacuum);
    let consolidations = (0..MODES.len()).map(Operation::Consolidate);
    let steps = vacuums.clone().chain(consolidations).chain(vacuums);
    for step in std::iter::once(Operation::Read).chain(steps) {
        let failed = |error| format!("{step} failed afterwards: {error}");
        step.run(&vfs, 0).map_err(failed)?;
        let seen = match Operation::Read.run(&vfs, 0).map_err(failed)? {
            Outcome::Read(seen) => seen,
            other => return Err(format!("{other:?} in a read without other operations")),
        };
        expected
            .check(&seen)
            .map_err(|why| format!("after {step}: {why}"))?;
        if first.get_or_insert_with(|| seen.clone()) != &seen {
            return Err(format!("{step} changed {first:?} to {seen:?}"));
        }
    }
    Ok(())
}

fn names(operations: &[Operation]) -> String {
    let names: Vec<_> = operations.iter().map(ToString::to_string).collect();
    names.join(",")
}

fn schedule(events: &[Event]) -> Schedule {
    Schedule(events.iter().map(|event| event.thread).collect())
}

/// Panics with the parameters that repeat a failing order.
fn fail(operations: &[Operation], variant: Variant, events: &[Event], why: &str) -> ! {
    panic!(
        "{why}\nrepeat it with {REPLAY}=\"{}:{}:{}\"",
        variant.name,
        names(operations),
        schedule(events)
    );
}

/// The orders of one combination that were run.
#[derive(Clone, Copy, Debug, Default)]
struct Explored {
    runs: usize,
    combinations: usize,
    exhausted: usize,
}

impl Explored {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.combinations += other.combinations;
        self.exhausted += other.exhausted;
    }
}

/// Explores the orders of a combination: the operations one after the other, then all orders up to
/// half of the bound; if more exist, the other half of the bound at random.
fn explore(operations: &[Operation], variant: Variant) -> Explored {
    // Storage without locks has more calls in each order.
    let bound = if variant.has_locks {
        runs()
    } else {
        runs().div_ceil(2)
    };
    let explorer = Explorer::default();
    let mut explored = Explored {
        combinations: 1,
        ..Explored::default()
    };
    let mut run = |chooser: Box<dyn Chooser>| {
        let (events, checked) = run(operations, variant, chooser);
        explored.runs += 1;
        if let Err(why) = checked {
            fail(operations, variant, &events, &why);
        }
        (events, explored.runs)
    };
    for order in permutations(operations.len()) {
        run(Box::new(Serial(order)));
    }
    loop {
        let (events, runs) = run(Box::new(explorer.clone()));
        if !explorer.advance(&events) {
            explored.exhausted = 1;
            return explored;
        }
        if runs >= bound.div_ceil(2) {
            break;
        }
    }
    for seed in 1.. {
        let (_, runs) = run(Box::new(RandomOrder::new(seed)));
        if runs >= bound {
            break;
        }
    }
    explored
}

/// Returns the maximum number of orders of a combination.
fn runs() -> usize {
    let set = std::env::var(RUNS).ok().and_then(|text| text.parse().ok());
    match set.unwrap_or(USUAL_RUNS) {
        0 => usize::MAX,
        runs => runs,
    }
}

/// Explores each combination in each variant, and prints what was explored.
fn explore_all(case: &str, combinations: impl IntoIterator<Item = Vec<Operation>>) {
    let mut total = Explored::default();
    for operations in combinations {
        let evolutions = operations
            .iter()
            .filter(|one| **one == Operation::Evolve)
            .count();
        for variant in VARIANTS {
            // Without locks the later of two evolutions counts.
            if !variant.has_locks && evolutions > 1 {
                continue;
            }
            let explored = explore(&operations, variant);
            if runs() > USUAL_RUNS {
                println!("{}: {explored:?}", names(&operations));
            }
            total.add(explored);
        }
    }
    println!("{case}: {total:?}");
    assert!(total.combinations > 0);
}

const CHANGES: [Operation; 4] = [
    Operation::Read,
    Operation::Write,
    Operation::Delete,
    Operation::PutMetadata,
];

/// Returns all pairs of maintenance operations, including each operation with itself.
fn pairs() -> Vec<[Operation; 2]> {
    let all = maintenance();
    let with_later = |(index, one): (usize, &Operation)| {
        let one = *one;
        all[index..]
            .iter()
            .map(move |other| [one, *other])
            .collect()
    };
    all.iter()
        .enumerate()
        .flat_map(|index| -> Vec<[Operation; 2]> { with_later(index) })
        .collect()
}

#[test]
fn reads_and_writes_are_safe_next_to_each_maintenance_operation() {
    let with = |change: Operation| maintenance().into_iter().map(move |one| vec![change, one]);
    explore_all("reads and writes", CHANGES.into_iter().flat_map(with));
}

#[test]
fn pairs_of_maintenance_operations_lose_and_restore_nothing() {
    explore_all("pairs", pairs().into_iter().map(|pair| pair.to_vec()));
}

#[test]
fn a_writer_and_a_reader_are_safe_next_to_pairs_of_maintenance_operations() {
    let with = |[one, other]: [Operation; 2]| vec![Operation::Write, Operation::Read, one, other];
    let cells = pairs().into_iter().map(with);
    let [consolidate, vacuum] = [Operation::Consolidate(3), Operation::Vacuum(3)];
    let metadata = vec![Operation::PutMetadata, Operation::Read, consolidate, vacuum];
    explore_all("a writer, a reader and pairs", cells.chain([metadata]));
}

#[test]
fn a_printed_order_can_be_repeated() {
    let operations = [Operation::Write, Operation::Read];
    let (events, checked) = run(&operations, VARIANTS[0], Box::new(RandomOrder::new(3)));
    assert_eq!(checked, Ok(()));
    let printed = schedule(&events).to_string();
    let replay = Replay::new(printed.parse().expect("schedule"));
    let (repeated, checked) = run(&operations, VARIANTS[0], Box::new(replay));
    assert_eq!(checked, Ok(()));
    assert_eq!(schedule(&repeated).to_string(), printed);
}

/// Repeats the order in [`REPLAY`], or explores its combination if it contains no order.
#[test]
fn repeats_an_order() {
    let Ok(order) = std::env::var(REPLAY) else {
        return;
    };
    let mut parts = order.split(':');
    let variant = parts.next().and_then(|name| {
        let mut variants = VARIANTS.into_iter();
        variants.find(|variant| variant.name == name)
    });
    let variant = variant.expect("the name of a variant");
    let names = parts.next().expect("operations");
    let operations: Vec<Operation> = names
        .split(',')
        .map(|name| name.parse().expect("operation"))
        .collect();
    let Some(schedule) = parts.next() else {
        println!("{names}: {:?}", explore(&operations, variant));
        return;
    };
    let replay = Replay::new(schedule.parse().expect("order"));
    let (events, checked) = run(&operations, variant, Box::new(replay));
    for event in &events {
        let Event { thread, access } = event;
        println!("{}: {} {}", operations[*thread], access.action, access.uri);
    }
    if let Err(why) = checked {
        fail(&operations, variant, &events, &why);
    }
}
