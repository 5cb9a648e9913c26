//! Nested operations: each operation is interrupted at each storage call, and in the middle of each
//! listing, while another operation runs. Every committed cell is visible exactly once, during and
//! after both, and no open fails. Afterwards the operations run with a storage failure after each
//! change. `docs/commit-protocol.md` states the rules.

mod array;
mod checks;
mod costs;
mod dense;
mod endless;
mod nested;
mod object_store;
#[path = "../setup/mod.rs"]
mod setup;

use std::sync::{Arc, Mutex};

use array::{Cells, Content, OPERATIONS, Operation};
use nested::Nested;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::{Cause, Result};
use tiledb_engine::internal::vfs::Vfs;

/// The timestamps with which the outer and the inner operation write.
const OUTER: u64 = 100;
const INNER: u64 = 101;

/// The initial array and its content.
struct Scenario {
    storage: Nested,
    array: Cells,
    content: Content,
}

/// Returns the storage of a test. Its context has one thread, so that the order of storage calls is
/// fixed.
fn storage() -> (Nested, Arc<Vfs>) {
    let storage = Nested::default();
    let config = setup::config(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
    ]);
    let context = Context::new(config).expect("context");
    let vfs = Vfs::with_backend(&context, Arc::new(storage.clone())).expect("vfs");
    (storage, vfs)
}

impl Scenario {
    fn new() -> Self {
        let (storage, vfs) = storage();
        let array = Cells::at(&vfs, "mem://scenario");
        array.create().expect("create");
        let content = array.read().expect("read");
        assert_eq!(content.cells.len(), 18);
        Self {
            storage,
            array,
            content,
        }
    }

    fn copy(&self) -> Cells {
        self.array.copy("mem://array").expect("copy")
    }
}

/// Returns whether an operation failed because the other one held the lock.
fn is_blocked<T>(result: &Result<T>) -> bool {
    let kind = result.as_ref().err().map(|error| error.cause());
    matches!(kind, Some(Cause::Storage { action: "lock", .. }))
}

/// The outcome of the inner operation, and of a read after it.
struct Inner {
    blocked: bool,
    seen: Result<Content>,
}

/// Runs `inner` inside call number `call` of `outer`. Returns `false` if `outer` makes fewer calls.
fn nested(scenario: &Scenario, outer: Operation, inner: Operation, call: u64) -> bool {
    let case = format!("{inner:?} at call {call} of {outer:?}");
    let array = scenario.copy();
    let outcome: Arc<Mutex<Option<Inner>>> = Arc::default();
    let (inside, result) = (array.clone(), outcome.clone());
    scenario.storage.run_at(call, move || {
        let done = inside.run(inner, INNER);
        let blocked = is_blocked(&done);
        let seen = match done {
            Err(error) if !blocked => Err(error),
            _ => inside.read(),
        };
        *result.lock().expect("outcome") = Some(Inner { blocked, seen });
    });
    let done = array.run(outer, OUTER);
    if !scenario.storage.has_run() {
        array.remove().expect("remove");
        return false;
    }
    let Inner { blocked, seen } = outcome.lock().expect("outcome").take().expect("it ran");
    let seen = seen.unwrap_or_else(|error| panic!("{case}: inner: {error}"));
    let before = &scenario.content;
    let with_inner = if blocked {
        before.clone()
    } else {
        before.after(inner, INNER)
    };
    // The deletion of a fragment does nothing if the fragment was consolidated.
    let inners = match inner {
        Operation::DeleteFragments => vec![with_inner, before.clone()],
        _ => vec![with_inner],
    };
    let is_shown = |content: &Content| seen == *content || seen == content.after(outer, OUTER);
    let with_inner = inners.into_iter().find(is_shown);
    let with_inner = with_inner.unwrap_or_else(|| panic!("{case}: inside: {seen:?} of {before:?}"));
    let after = match &done {
        Ok(Some(read)) => {
            assert!(
                *read == *before || *read == with_inner,
                "{case}: read {read:?}"
            );
            with_inner
        }
        Ok(None) => with_inner.after(outer, OUTER),
        // A read of an array that was opened before a vacuum.
        Err(error) if outer == Operation::Read && error.to_string().contains("vacuum") => {
            with_inner
        }
        Err(error) => panic!("{case}: outer: {error}"),
    };
    let afters = match outer {
        Operation::DeleteFragments => vec![after, seen],
        _ => vec![after],
    };
    let shown = array
        .read()
        .unwrap_or_else(|error| panic!("{case}: after both: {error}"));
    assert!(
        afters.contains(&shown),
        "{case}: after both: {shown:?} of {afters:?}"
    );
    check_maintenance(&array, &shown, &case);
    array.remove().expect("remove");
    true
}

/// Checks that no maintenance operation changes the visible content.
fn check_maintenance(array: &Cells, content: &Content, case: &str) {
    for operation in OPERATIONS {
        if matches!(operation, Operation::Consolidate(_) | Operation::Vacuum(_)) {
            let done = array.run(operation, 0).map(drop);
            done.unwrap_or_else(|error| panic!("{case}, then {operation:?}: {error}"));
        }
    }
    let shown = array
        .read()
        .unwrap_or_else(|error| panic!("{case}, maintained: {error}"));
    assert_eq!(shown, *content, "{case}, maintained");
}

/// Returns the distance between the calls at which an operation stops: 1 stops it at each call.
fn step() -> u64 {
    let given = std::env::var("TILEDB_RS_INTERLEAVING_STEP").ok();
    given.and_then(|step| step.parse().ok()).unwrap_or(8).max(1)
}

fn run_inside(outers: &[Operation]) {
    let scenario = Scenario::new();
    let mut cases = 0;
    for (index, outer) in outers.iter().enumerate() {
        for (inner_index, inner) in OPERATIONS.into_iter().enumerate() {
            // Each pair of operations starts at another call.
            let mut call = (index + inner_index) as u64 % step();
            while nested(&scenario, *outer, inner, call) {
                call += step();
                cases += 1;
            }
        }
    }
    assert!(cases > outers.len() * OPERATIONS.len());
}

#[test]
fn reads_and_writes_are_not_disturbed() {
    run_inside(&OPERATIONS[..4]);
}

#[test]
fn consolidation_is_not_disturbed() {
    run_inside(&OPERATIONS[4..9]);
}

#[test]
fn vacuum_is_not_disturbed() {
    run_inside(&OPERATIONS[9..]);
}

#[test]
fn a_read_contains_fragments_that_are_consolidated_and_removed_while_it_opens_the_array() {
    let scenario = Scenario::new();
    for call in 0.. {
        let (array, case) = (scenario.copy(), format!("call {call}"));
        // No fragment has a commit file of its own, whose absence would be noticed.
        for operation in [
            Operation::Consolidate("commits"),
            Operation::Vacuum("commits"),
        ] {
            array.run(operation, OUTER).expect("consolidates commits");
        }
        let inside = array.clone();
        scenario.storage.run_at(call, move || {
            for operation in [
                Operation::Consolidate("fragments"),
                Operation::Vacuum("fragments"),
            ] {
                let done = inside.run(operation, INNER);
                assert!(done.is_ok() || is_blocked(&done), "{operation:?}: {done:?}");
            }
        });
        let done = array.run(Operation::Read, OUTER);
        let is_over = !scenario.storage.has_run();
        match done {
            Ok(read) => assert_eq!(read.as_ref(), Some(&scenario.content), "{case}"),
            Err(error) => assert!(error.to_string().contains("vacuum"), "{case}: {error}"),
        }
        array.remove().expect("removes");
        if is_over {
            assert!(call > 10);
            return;
        }
    }
}

#[test]
fn storage_without_locks_works() {
    let scenario = Scenario::new();
    scenario.storage.drop_locks();
    for operation in OPERATIONS {
        let array = scenario.copy();
        let done = array.run(operation, OUTER).map(drop);
        done.unwrap_or_else(|error| panic!("{operation:?}: {error}"));
        let after = scenario.content.after(operation, OUTER);
        assert_eq!(array.read().expect("read"), after, "{operation:?}");
        check_maintenance(&array, &after, &format!("{operation:?}"));
        array.remove().expect("remove");
    }
}

/// Runs operations inside each call of `outer` without locks. Returns the number of calls.
fn without_locks(outer: Operation, inners: &[Operation]) -> u64 {
    let scenario = Scenario::new();
    scenario.storage.drop_locks();
    for call in 0.. {
        let array = scenario.copy();
        let (inside, inners) = (array.clone(), inners.to_vec());
        scenario.storage.run_at(call, move || {
            for inner in inners {
                let done = inside.run(inner, INNER);
                done.unwrap_or_else(|error| panic!("{inner:?} at {call}: {error}"));
            }
        });
        let done = array.run(outer, OUTER);
        let case = format!("{outer:?}, call {call}");
        done.unwrap_or_else(|error| panic!("{case}: {error}"));
        if !scenario.storage.has_run() {
            return call;
        }
        let missing = array.missing_fragments().expect("lists");
        assert!(missing.is_empty(), "{case}: {missing:?}");
        let expected = scenario.content.after(outer, OUTER);
        assert_eq!(array.read().expect("reads"), expected, "{case}");
        array.remove().expect("removes");
    }
    unreachable!("an operation makes finitely many calls")
}

#[test]
fn consolidated_commits_name_no_removed_fragments_without_locks() {
    let commits = Operation::Consolidate("commits");
    let fragments = [
        Operation::Consolidate("fragments"),
        Operation::Vacuum("fragments"),
    ];
    assert!(without_locks(commits, &fragments) > 10);
    assert!(without_locks(commits, &fragments[1..]) > 10);
    assert!(without_locks(fragments[1], &[commits]) > 10);
    assert!(without_locks(Operation::DeleteFragments, &[commits]) > 10);
}

/// Runs an operation of which the change with this number fails, alone or with all later ones.
/// Returns whether the operation succeeds.
fn failing(scenario: &Scenario, operation: Operation, change: u64, once: bool) -> bool {
    let case = format!("{operation:?}, change {change} fails, once: {once}");
    let files = scenario.storage.files();
    let array = scenario.copy();
    if once {
        files.fail_once(files.changes() + change)
    } else {
        files.fail_from(files.changes() + change)
    }
    let last = files.changes() + change;
    let done = array.run(operation, OUTER);
    let is_reached = files.changes() > last;
    files.heal();
    let after = scenario.content.after(operation, OUTER);
    let shown = array
        .read()
        .unwrap_or_else(|error| panic!("{case}: {error}"));
    match &done {
        Ok(_) => assert_eq!(shown, after, "{case}"),
        Err(_) => assert!(
            shown == scenario.content || shown == after,
            "{case}: {shown:?}"
        ),
    }
    check_maintenance(&array, &shown, &case);
    array.remove().expect("remove");
    is_reached
}

#[test]
fn an_operation_that_fails_after_any_change_can_be_repeated() {
    let scenario = Scenario::new();
    let mut cases = 0;
    for operation in OPERATIONS {
        for once in [false, true] {
            let changes = (0..).take_while(|change| failing(&scenario, operation, *change, once));
            cases += changes.count();
        }
    }
    assert!(cases > 150, "{cases}");
}
