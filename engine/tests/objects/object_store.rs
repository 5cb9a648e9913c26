//! Operations on an object store of whose requests one fails, alone or with all after it, as if the
//! process was killed, or takes effect without a response.

use std::sync::Arc;

use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::object::object_type;
use tiledb_engine::internal::types::ObjectType;
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Vfs};

use crate::operations::{self, OPERATIONS, Operation, remove_array, uri};
use crate::{context, describe};

/// An object store on which an operation was prepared.
struct Setup {
    store: FaultyStore,
    vfs: Arc<Vfs>,
}

impl Setup {
    fn of(context: &Arc<Context>, operation: &Operation, kind: Kind) -> Self {
        let store = kind.new_store();
        let vfs = Vfs::with_backend(context, store.backend(context)).expect("vfs");
        (operation.prepare)(&vfs).expect("prepares");
        Self { store, vfs }
    }

    fn look(&self) -> String {
        describe::all(&self.vfs)
    }
}

/// How a change fails.
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// With all after it.
    From,
    /// Alone.
    Once,
    /// It takes effect, and only its response is lost.
    LostResponse,
    /// Of several objects that it removes, one stays.
    Partly,
}

/// Runs an operation of which each change fails, alone or with all after it. Passes what it left,
/// with the content before and after a complete one, to `check`.
fn fail_each(operation: &Operation, kind: Kind, check: impl Fn(&Setup, [&str; 2], &str)) {
    let context = context();
    let complete = Setup::of(&context, operation, kind);
    let old = complete.look();
    let before = complete.store.changes();
    (operation.act)(&complete.vfs).expect(operation.name);
    let changes = complete.store.changes() - before;
    let new = complete.look();
    assert_ne!(old, new, "{}", operation.name);
    let modes = [Mode::From, Mode::Once, Mode::LostResponse, Mode::Partly];
    for (change, mode) in (0..changes).flat_map(|change| modes.map(|mode| (change, mode))) {
        let setup = Setup::of(&context, operation, kind);
        let failing = setup.store.changes() + change;
        match mode {
            Mode::From => setup.store.fail_from(failing),
            Mode::Once => setup.store.fail_once(failing),
            Mode::LostResponse => setup.store.lose_response(failing),
            Mode::Partly => setup.store.fail_partly(failing),
        }
        let done = (operation.act)(&setup.vfs);
        setup.store.heal();
        let case = format!(
            "{}, {kind:?}, change {change} fails, {mode:?}, \
             {done:?}",
            operation.name
        );
        assert!(done.is_err() || setup.look() == new, "{case}");
        check(&setup, [&old, &new], &case);
    }
}

/// The kind of an object store.
#[derive(Clone, Copy, Debug)]
struct Kind {
    limits: StoreLimits,
    /// Whether folders are entries, as in Azure Data Lake Storage.
    has_directories: bool,
}

impl Kind {
    fn new_store(self) -> FaultyStore {
        if self.has_directories {
            FaultyStore::with_directories(self.limits)
        } else {
            FaultyStore::new(self.limits)
        }
    }
}

/// Returns the kinds of object stores.
fn kinds() -> impl Iterator<Item = Kind> {
    let limits = [(1, 1), (4, 3), (1000, 1000)];
    let limits = limits.map(|(deletions, page_entries)| StoreLimits {
        deletions,
        page_entries,
    });
    let with = |has_directories| {
        limits.into_iter().map(move |limits| Kind {
            limits,
            has_directories,
        })
    };
    with(false).chain(with(true))
}

fn moves(operation: &Operation) -> bool {
    operation.name.starts_with("move an array")
}

#[test]
fn failures_on_an_object_store_leave_the_old_or_the_new_state() {
    for operation in OPERATIONS.iter().filter(|operation| !moves(operation)) {
        for kind in kinds() {
            fail_each(operation, kind, |setup, [old, new], case| {
                let seen = setup.look();
                let repeated: Result<()> = match operation.kind {
                    operations::Kind::Atomic if seen == new => Ok(()),
                    operations::Kind::Atomic => {
                        assert_eq!(seen, old, "{case}");
                        (operation.act)(&setup.vfs)
                    }
                    // Arrays may be empty or removed, but every open succeeds.
                    operations::Kind::Removal => (operation.act)(&setup.vfs).or(Ok(())),
                };
                repeated.expect(case);
                assert_eq!(setup.look(), new, "{case}: after repeating it");
            });
        }
    }
}

#[test]
fn a_repeated_removal_of_a_group_keeps_former_members() {
    let operation = &operations::DELETE_WITHOUT_FORMER_MEMBER;
    for kind in kinds() {
        fail_each(operation, kind, |setup, [_, new], case| {
            let _ = (operation.act)(&setup.vfs);
            assert_eq!(setup.look(), new, "{case}: after repeating it");
        });
    }
}

#[test]
fn a_failed_move_on_an_object_store_leaves_the_complete_array_at_one_name() {
    for operation in OPERATIONS.iter().filter(|operation| moves(operation)) {
        for kind in kinds() {
            fail_each(operation, kind, |setup, [old, new], case| {
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
