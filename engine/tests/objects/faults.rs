//! Single operations during which a storage change fails, the process is killed, or power is lost.

use std::sync::Arc;

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::vfs::Vfs;
use tiledb_engine::internal::vfs::faulty::{Faulty, Loss};

use crate::operations::{Kind, OPERATIONS, Operation, array, put_metadata, uri, write_2};
use crate::{Setup, context, describe};

/// The content before and after an operation, and the number of its changes and syncs.
struct Expected {
    old: String,
    new: String,
    tree: Vec<String>,
    changes: u64,
    syncs: u64,
    rounds: u64,
}

impl Expected {
    fn of(operation: &Operation) -> Self {
        let world = Setup::of(&context(), operation);
        let old = world.look();
        let backend = &world.backend;
        let before = (backend.changes(), backend.syncs(), backend.rounds());
        world.act(operation).expect(operation.name);
        let expected = Self {
            old,
            changes: world.backend.changes() - before.0,
            syncs: world.backend.syncs() - before.1,
            rounds: world.backend.rounds() - before.2,
            new: world.look(),
            tree: describe::tree(&world.vfs),
        };
        assert_ne!(expected.old, expected.new, "{}", operation.name);
        expected
    }

    /// Checks what a failed operation left, and that it succeeds when it is repeated.
    fn check_left(&self, operation: &Operation, world: &Setup, case: &str) {
        let name = operation.name;
        let seen = world.look();
        match operation.kind {
            Kind::Atomic => {
                assert!(
                    seen == self.old || seen == self.new,
                    "{name}, {case}: {seen}"
                );
                if seen != self.new {
                    world
                        .act(operation)
                        .unwrap_or_else(|error| panic!("{name}, {case}: {error}"));
                }
            }
            Kind::Removal => {
                // Arrays may be empty or removed, but every open succeeds.
                let repeated = world.act(operation);
                let tree = describe::tree(&world.vfs);
                assert_eq!(tree, self.tree, "{name}, {case}: {repeated:?}");
            }
        }
        assert_eq!(world.look(), self.new, "{name}, {case}: after repeating it");
    }
}

#[test]
fn operations_sync_in_as_few_rounds_as_they_need() {
    let found: Vec<_> = OPERATIONS.iter().map(Expected::of).collect();
    for (operation, found) in OPERATIONS.iter().zip(&found) {
        println!(
            "{}: {} changes, {} rounds, {} syncs",
            operation.name, found.changes, found.rounds, found.syncs
        );
    }
    for (operation, found) in OPERATIONS.iter().zip(found) {
        assert_eq!(
            (found.rounds, found.syncs),
            operation.syncs,
            "{}",
            operation.name
        );
    }
}

#[test]
fn a_single_failure_leaves_the_old_or_the_new_state() {
    let context = context();
    for operation in &OPERATIONS {
        let expected = Expected::of(operation);
        for change in 0..expected.changes {
            let case = format!("change {change} fails");
            let world = Setup::of(&context, operation);
            world.backend.fail_once(world.backend.changes() + change);
            let done = world.act(operation);
            world.backend.heal();
            match (&done, operation.kind) {
                (Ok(()), _) => assert_eq!(world.look(), expected.new, "{} {case}", operation.name),
                (Err(_), Kind::Atomic) => {
                    assert_eq!(world.look(), expected.old, "{} {case}", operation.name);
                }
                (Err(_), Kind::Removal) => {}
            }
            expected.check_left(operation, &world, &case);
        }
    }
}

#[test]
fn an_interruption_leaves_the_old_or_the_new_state() {
    let context = context();
    for operation in &OPERATIONS {
        let expected = Expected::of(operation);
        for change in 0..expected.changes {
            let world = Setup::of(&context, operation);
            world.backend.fail_from(world.backend.changes() + change);
            let done = world.act(operation);
            world.backend.heal();
            let case = format!("killed at change {change}, {done:?}");
            assert!(
                done.is_err() || world.look() == expected.new,
                "{} {case}",
                operation.name
            );
            expected.check_left(operation, &world, &case);
        }
    }
}

#[test]
fn a_loss_of_power_leaves_the_old_or_the_new_state() {
    let context = context();
    for operation in &OPERATIONS {
        let expected = Expected::of(operation);
        for change in 0..=expected.changes {
            for loss in losses(&context, operation, change) {
                let world = Setup::of(&context, operation);
                world.backend.fail_from(world.backend.changes() + change);
                let done = world.act(operation);
                world.backend.heal();
                world.backend.lose_power(loss).expect("loses");
                let case = format!("power lost at change {change}, {loss:?}, {done:?}");
                if done.is_ok() {
                    assert_eq!(world.look(), expected.new, "{} {case}", operation.name);
                }
                expected.check_left(operation, &world, &case);
            }
        }
    }
}

/// Returns the possible losses if power fails at a change.
fn losses(
    context: &Arc<tiledb_engine::internal::context::Context>,
    operation: &Operation,
    change: u64,
) -> Vec<Loss> {
    let world = Setup::of(context, operation);
    world.backend.fail_from(world.backend.changes() + change);
    let _ = world.act(operation);
    let single = (0..world.backend.undurable()).map(Loss::One);
    single.chain([Loss::Everything, Loss::Contents]).collect()
}

#[test]
fn a_group_whose_marker_cannot_be_made_is_not_created() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("group");
    let uri = path.to_str().expect("a path");
    // A folder has the name of the file by which earlier releases find a group.
    std::fs::create_dir_all(path.join("__tiledb_group.tdb")).expect("a folder");
    let context = tiledb_engine::Context::new().expect("context");
    tiledb_engine::Group::create(&context, uri).expect_err("no marker");
    tiledb_engine::Group::open(&context, uri).expect_err("no group");
    let left: Vec<_> = std::fs::read_dir(&path).expect("folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    std::fs::remove_dir_all(path.join("__tiledb_group.tdb")).expect("removed");
    tiledb_engine::Group::create(&context, uri).expect("created");
    assert!(path.join("__tiledb_group.tdb").is_file());
}

/// Runs consolidation or vacuum of the array, with this mode.
fn maintain(vfs: &Arc<Vfs>, action: &str, mode: &str) -> Result<()> {
    let mut config = Config::new();
    config.set(&format!("sm.{action}.mode"), mode)?;
    let array = uri("array");
    match action {
        "consolidation" => maintenance::consolidate(vfs, array.as_str(), &config),
        _ => maintenance::vacuum(vfs, array.as_str(), &config),
    }
}

#[test]
fn maintenance_syncs_in_as_few_rounds_as_it_needs() {
    let backend = Faulty::new();
    let vfs = Vfs::with_backend(&context(), Arc::new(backend.clone())).expect("vfs");
    array(&vfs).expect("an array with a fragment and metadata");
    for _ in 0..3 {
        write_2(&vfs).expect("writes");
        put_metadata(&vfs).expect("metadata");
    }
    let steps = [
        ("consolidation", "commits", (2, 2)),
        ("vacuum", "commits", (0, 0)),
        ("consolidation", "fragment_meta", (2, 2)),
        ("consolidation", "array_meta", (4, 4)),
        ("vacuum", "array_meta", (1, 1)),
        ("consolidation", "fragments", (7, 9)),
        // Consolidated commits are revoked by a file, content and name.
        ("vacuum", "fragments", (2, 2)),
    ];
    let mut found = Vec::new();
    for (action, mode, _) in steps {
        let before = (backend.rounds(), backend.syncs());
        maintain(&vfs, action, mode).expect(mode);
        let after = (backend.rounds(), backend.syncs());
        found.push((action, mode, (after.0 - before.0, after.1 - before.1)));
    }
    assert_eq!(found, steps);
}
