//! Checks that are interrupted at each storage call while another operation runs: nothing is
//! damaged, so no error is found.

use std::sync::mpsc;

use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Vfs};

use crate::array::{Cells, Content, OPERATIONS, Operation};
use crate::{INNER, Scenario, is_blocked, setup, step};

/// Checks an array. `begin` receives an action that runs `inner` during the check, and `has_run`
/// returns whether it was run, which is the result. Removes the array.
fn check_around(
    array: &Cells,
    case: &str,
    inner: Operation,
    begin: impl FnOnce(Box<dyn FnOnce() + Send>),
    has_run: impl FnOnce() -> bool,
) -> bool {
    let (sender, receiver) = mpsc::channel::<Result<Option<Content>>>();
    let inside = array.clone();
    begin(Box::new(move || {
        // The test has failed if nothing receives it.
        let _ = sender.send(inside.run(inner, INNER));
    }));
    let damage = array.damage();
    let has_run = has_run();
    if has_run {
        let done = receiver.recv().expect("it runs");
        if !is_blocked(&done) {
            done.unwrap_or_else(|error| panic!("{case}: inside: {error}"));
        }
        let damage = damage.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(damage, [], "{case}");
    }
    array.remove().expect("removes");
    has_run
}

#[test]
fn a_check_finds_no_error_while_another_operation_runs() {
    let scenario = Scenario::new();
    let mut cases = 0;
    for (index, inner) in OPERATIONS.into_iter().enumerate() {
        let mut call = index as u64 % step();
        let mut reaches = true;
        while reaches {
            let storage = &scenario.storage;
            reaches = check_around(
                &scenario.copy(),
                &format!("{inner:?} at call {call} of a check"),
                inner,
                |action| storage.run_at(call, action),
                || storage.has_run(),
            );
            cases += u64::from(reaches);
            call += step();
        }
    }
    assert!(cases > 50, "{cases}");
}

#[test]
fn a_check_of_an_object_store_finds_no_error_while_another_operation_runs() {
    let store = FaultyStore::new(StoreLimits::default());
    let config = setup::config(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
    ]);
    let context = Context::new(config).expect("context");
    let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
    let original = Cells::at(&vfs, "s3://bucket/scenario");
    original.create().expect("creates");
    let mut cases = 0;
    for inner in OPERATIONS {
        let mut request = 0;
        let mut reaches = true;
        while reaches {
            reaches = check_around(
                &original.copy("s3://bucket/array").expect("copies"),
                &format!("{inner:?} before request {request} of a check"),
                inner,
                |action| store.meanwhile(store.requests() + request, action),
                || !store.clear_meanwhile(),
            );
            cases += u64::from(reaches);
            request += 1 + step() / 20;
        }
    }
    assert!(cases > 50, "{cases}");
}
