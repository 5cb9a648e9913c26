//! Operations on an object store of whose requests one fails, alone or with all after it, as if the
//! process was killed.

use std::sync::Arc;

use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::object::object_type;
use tiledb_engine::internal::types::ObjectType;
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Vfs};

use crate::operations::{Kind, OPERATIONS, Operation, remove_array, uri};
use crate::{context, describe};

/// An object store on which an operation was prepared.
struct Setup {
    store: FaultyStore,
    vfs: Arc<Vfs>,
}

impl Setup {
    fn of(context: &Arc<Context>, operation: &Operation, limits: StoreLimits) -> Self {
        let store = FaultyStore::new(limits);
        let vfs = Vfs::with_backend(context, store.backend(context)).expect("vfs");
        (operation.prepare)(&vfs).expect("prepares");
        Self { store, vfs }
    }

    fn look(&self) -> String {
        describe::all(&self.vfs)
    }
}

/// Runs an operation of which each change fails, alone or with all after it. Passes what it left,
/// with the content before and after a complete one, to `check`.
fn fail_each(operation: &Operation, limits: StoreLimits, check: impl Fn(&Setup, [&str; 2], &str)) {
    let context = context();
    let complete = Setup::of(&context, operation, limits);
    let old = complete.look();
    let before = complete.store.changes();
    (operation.act)(&complete.vfs).expect(operation.name);
    let changes = complete.store.changes() - before;
    let new = complete.look();
    assert_ne!(old, new, "{}", operation.name);
    for (change, once) in (0..changes).flat_map(|change| [(change, false), (change, true)]) {
        let setup = Setup::of(&context, operation, limits);
        let failing = setup.store.changes() + change;
        if once {
            setup.store.fail_once(failing);
        } else {
            setup.store.fail_from(failing);
        }
        let done = (operation.act)(&setup.vfs);
        setup.store.heal();
        let case = format!(
            "{}, {limits:?}, change {change} fails, once: {once}, \
             {done:?}",
            operation.name
        );
        assert!(done.is_err() || setup.look() == new, "{case}");
        check(&setup, [&old, &new], &case);
    }
}

const LIMITS: [StoreLimits; 3] = [
    StoreLimits {
        deletions: 1,
        page_entries: 1,
    },
    StoreLimits {
        deletions: 4,
        page_entries: 3,
    },
    StoreLimits {
        deletions: 1000,
        page_entries: 1000,
    },
];

fn moves(operation: &Operation) -> bool {
    operation.name.starts_with("move an array")
}

#[test]
fn failures_on_an_object_store_leave_the_old_or_the_new_state() {
    for operation in OPERATIONS.iter().filter(|operation| !moves(operation)) {
        for limits in LIMITS {
            fail_each(operation, limits, |setup, [old, new], case| {
                let seen = setup.look();
                let repeated: Result<()> = match operation.kind {
                    Kind::Atomic if seen == new => Ok(()),
                    Kind::Atomic => {
                        assert_eq!(seen, old, "{case}");
                        (operation.act)(&setup.vfs)
                    }
                    // Arrays may be empty or removed, but every open succeeds.
                    Kind::Removal => (operation.act)(&setup.vfs).or(Ok(())),
                };
                repeated.expect(case);
                assert_eq!(setup.look(), new, "{case}: after repeating it");
            });
        }
    }
}

#[test]
fn a_failed_move_on_an_object_store_leaves_the_complete_array_at_one_name() {
    for operation in OPERATIONS.iter().filter(|operation| moves(operation)) {
        for limits in LIMITS {
            fail_each(operation, limits, |setup, [old, new], case| {
                let seen = setup.look();
                let target = object_type(&setup.vfs.view(), &uri("new/array")).expect("looks up");
                if target == ObjectType::Invalid {
                    assert_eq!(seen, old, "{case}");
                    (operation.act)(&setup.vfs).expect(case);
                } else if seen != new {
                    // The array is at both names. At the old one it may be empty.
                    let mut lines = new.lines();
                    assert!(lines.all(|line| seen.contains(line)), "{case}: {seen}");
                    remove_array(&setup.vfs).expect(case);
                }
                assert_eq!(setup.look(), new, "{case}: after completing it");
            });
        }
    }
}
