//! Interrupted writes: a full disk, a loss of power, a killed process. Later opens see the complete
//! write or nothing of it, earlier writes are intact, and later writes succeed.

mod concurrent_writes;
mod consolidation;
mod deletes;
mod killed;
mod labels;
mod marks;
#[path = "../random/mod.rs"]
mod random;
#[path = "../setup/mod.rs"]
mod setup;

use std::sync::Arc;

use marks::{Kind, Marks, WriteMode};
use tiledb_engine::internal::array;
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::vfs::faulty::{Faulty, Loss};
use tiledb_engine::internal::vfs::{Uri, Vfs};

const WAYS: [(Kind, WriteMode); 4] = [
    (Kind::Dense, WriteMode::Rows),
    (Kind::Dense, WriteMode::TileByTile),
    (Kind::Sparse, WriteMode::Rows),
    (Kind::Sparse, WriteMode::TileByTile),
];

fn storage(kind: Kind) -> (Faulty, Marks) {
    let backend = Faulty::new();
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::with_backend(&context, Arc::new(backend.clone())).expect("vfs");
    let uri = Uri::parse("mem://array").expect("uri");
    (backend, Marks::new(&vfs, &uri, kind))
}

/// Runs an operation on storage that optionally fails after a number of changes; unsynced changes
/// are lost then. Returns the number of changes and the operation's result.
fn fail_after<T>(
    backend: &Faulty,
    changes: Option<u64>,
    act: impl FnOnce() -> Result<T>,
) -> (u64, Result<T>) {
    let before = backend.changes();
    if let Some(changes) = changes {
        backend.fail_from(before + changes);
    }
    let done = act();
    let made = backend.changes() - before;
    if changes.is_some() {
        backend.lose_power(Loss::Everything).expect("loses");
        backend.heal();
    }
    (made, done)
}

/// Returns the number of storage changes of a second write.
fn changes_of_a_write(kind: Kind, mode: WriteMode) -> u64 {
    let (backend, marks) = storage(kind);
    marks.create().expect("create");
    marks.write(1, mode).expect("write");
    let (made, written) = fail_after(&backend, None, || marks.write(2, mode));
    written.expect("write");
    made
}

#[test]
fn a_write_that_fails_at_any_change_is_complete_or_invisible() {
    for (kind, mode) in WAYS {
        let changes = changes_of_a_write(kind, mode);
        assert!(changes > 5, "{changes}");
        let mut seen = [0; 2];
        for failing in 0..changes {
            let (backend, marks) = storage(kind);
            marks.create().expect("create");
            marks.write(1, mode).expect("write");
            let (_, written) = fail_after(&backend, Some(failing), || marks.write(2, mode));
            let mark = marks.read();
            assert!(mark == 1 || mark == 2, "change {failing}: {mark}");
            assert!(
                written.is_err() || mark == 2,
                "change {failing}: reported as written but lost"
            );
            seen[mark as usize - 1] += 1;
            marks.write(3, mode).expect("a later write");
            assert_eq!(marks.read(), 3, "change {failing}");
        }
        assert!(seen[0] > 0, "no write was lost: nothing was tested");
    }
}

#[test]
fn a_finished_write_survives_a_loss_of_power() {
    for (kind, mode) in WAYS {
        let (backend, marks) = storage(kind);
        marks.create().expect("create");
        marks.write(7, mode).expect("write");
        backend.lose_power(Loss::Everything).expect("loses");
        assert_eq!(marks.read(), 7);
    }
}

#[test]
fn a_creation_that_fails_at_any_change_can_be_repeated() {
    let kind = Kind::Sparse;
    let (backend, marks) = storage(kind);
    let (changes, created) = fail_after(&backend, None, || marks.create());
    created.expect("create");
    for failing in 0..changes {
        let (backend, marks) = storage(kind);
        let (_, created) = fail_after(&backend, Some(failing), || marks.create());
        let exists = array::exists(&marks.vfs().view(), marks.uri()).expect("looks");
        assert!(exists || created.is_err(), "change {failing}");
        if !exists {
            marks.create().expect("create");
        }
        marks.write(1, WriteMode::Rows).expect("write");
        assert_eq!(marks.read(), 1, "change {failing}");
    }
}
