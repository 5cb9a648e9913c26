//! Operations on an object store: another operation runs before each request of one; and each
//! request of one fails, alone or with all after it.

use std::sync::mpsc;
use std::time::Duration;

use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Vfs};

use crate::array::{Cells, Content, OPERATIONS, Operation};
use crate::{INNER, OUTER, check_maintenance, setup, step};

/// The time within which an operation inside another one ends.
const WAIT: Duration = Duration::from_secs(60);
/// The age in milliseconds from which claims are those of killed processes.
const EXPIRED: u64 = 301_000;

/// The operations that make no claims and wait for none.
const WITHOUT_CLAIMS: [Operation; 4] = [
    Operation::Read,
    Operation::Write,
    Operation::Delete,
    Operation::PutMetadata,
];

/// The initial array and its content.
struct Scenario {
    store: FaultyStore,
    array: Cells,
    content: Content,
}

impl Scenario {
    fn new(store: FaultyStore) -> Self {
        let config = setup::config(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
        ]);
        let context = Context::new(config).expect("context");
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let array = Cells::at(&vfs, "s3://bucket/scenario");
        array.create().expect("creates");
        let content = array.read().expect("reads");
        Self {
            store,
            array,
            content,
        }
    }

    fn copy(&self) -> Cells {
        self.array.copy("s3://bucket/array").expect("copies")
    }
}

/// Returns whether an operation can run inside another one: neither waits for a claim of the other,
/// and no garbage is removed while something that has just been written is not committed.
fn may_run_inside(outer: Operation, inner: Operation) -> bool {
    match inner {
        Operation::Vacuum("garbage") => outer == Operation::Read,
        _ => WITHOUT_CLAIMS.contains(&outer) || WITHOUT_CLAIMS.contains(&inner),
    }
}

/// Returns the distance between the requests at which an operation stops. Operations have fewer
/// requests than calls of a local disk.
fn request_step() -> u64 {
    step().div_ceil(2)
}

/// Runs `inner` before the request with this number of `outer`. Returns `false` if `outer` sends
/// fewer requests.
fn nested(scenario: &Scenario, outer: Operation, inner: Operation, request: u64) -> bool {
    let case = format!("{inner:?} before request {request} of {outer:?}");
    let array = scenario.copy();
    let (sender, receiver) = mpsc::channel::<Result<Content>>();
    let inside = array.clone();
    let store = &scenario.store;
    store.meanwhile(store.requests() + request, move || {
        let read = inside.run(inner, INNER).and_then(|_| inside.read());
        // The test has failed if nothing receives it.
        let _ = sender.send(read);
    });
    let done = array.run(outer, OUTER);
    if store.clear_meanwhile() {
        array.remove().expect("removes");
        return false;
    }
    // Requests that read ahead may end after the operation.
    let seen = receiver.recv_timeout(WAIT).expect("it runs");
    let seen = seen.unwrap_or_else(|error| panic!("{case}: inside: {error}"));
    let before = &scenario.content;
    let with_inner = before.after(inner, INNER);
    let with_both = with_inner.after(outer, OUTER);
    assert!(
        seen == with_inner || seen == with_both,
        "{case}: inside: {seen:?}"
    );
    match done {
        Ok(Some(read)) => assert!(read == *before || read == with_inner, "{case}: {read:?}"),
        Ok(None) => {}
        // A read of an array that was opened before a vacuum or a deletion of fragments.
        Err(error) if outer == Operation::Read && error.to_string().contains("reopen") => {}
        Err(error) => panic!("{case}: {error}"),
    }
    let shown = array.read();
    let shown = shown.unwrap_or_else(|error| panic!("{case}: after both: {error}"));
    assert_eq!(shown, with_both, "{case}: after both");
    check_maintenance(&array, &shown, &case);
    array.remove().expect("removes");
    true
}

#[test]
fn operations_on_an_object_store_are_not_disturbed() {
    let pages_of = |page_entries| StoreLimits {
        page_entries,
        ..StoreLimits::default()
    };
    for store in [
        FaultyStore::new(pages_of(2)),
        FaultyStore::new(pages_of(1000)),
        FaultyStore::with_directories(pages_of(1000)),
    ] {
        let scenario = Scenario::new(store);
        let mut cases = 0;
        for (index, outer) in OPERATIONS.into_iter().enumerate() {
            for (inner_index, inner) in OPERATIONS.into_iter().enumerate() {
                if !may_run_inside(outer, inner) {
                    continue;
                }
                // Each pair of operations starts at another request.
                let mut request = (index + inner_index) as u64 % request_step();
                while nested(&scenario, outer, inner, request) {
                    request += request_step();
                    cases += 1;
                }
            }
        }
        assert!(cases > 100, "{cases}");
    }
}

/// Runs an operation of which the change with this number fails, alone or with all after it.
/// Returns whether it makes that change.
fn failing(scenario: &Scenario, operation: Operation, change: u64, once: bool) -> bool {
    let case = format!("{operation:?}, change {change} fails, once: {once}");
    let array = scenario.copy();
    let store = &scenario.store;
    let first = store.changes() + change;
    if once {
        store.fail_once(first);
    } else {
        store.fail_from(first);
    }
    let done = array.run(operation, OUTER);
    let is_reached = store.changes() > first;
    store.heal();
    store.age(EXPIRED);
    let after = scenario.content.after(operation, OUTER);
    let shown = array.read();
    let shown = shown.unwrap_or_else(|error| panic!("{case}: {error}"));
    assert!(
        shown == after || done.is_err() && shown == scenario.content,
        "{case}: {shown:?}"
    );
    check_maintenance(&array, &shown, &case);
    array.remove().expect("removes");
    is_reached
}

#[test]
fn an_operation_whose_requests_fail_on_an_object_store_can_be_repeated() {
    let removing = |deletions| StoreLimits {
        deletions,
        ..StoreLimits::default()
    };
    for (store, once) in [
        (FaultyStore::new(removing(1)), false),
        (FaultyStore::new(removing(1000)), false),
        (FaultyStore::new(removing(1)), true),
        (FaultyStore::new(removing(1000)), true),
        (FaultyStore::with_directories(removing(1)), false),
        (FaultyStore::with_directories(removing(1)), true),
    ] {
        let scenario = Scenario::new(store);
        let mut cases = 0;
        for operation in OPERATIONS {
            cases += (0..)
                .take_while(|change| failing(&scenario, operation, *change, once))
                .count();
        }
        assert!(cases > 30, "{cases}");
    }
}
