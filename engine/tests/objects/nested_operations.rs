//! Two concurrent operations: the second runs completely inside each storage call of the first.

use std::sync::{Arc, Mutex};

use tiledb_engine::internal::error::{Error, Result};
use tiledb_engine::internal::object;
use tiledb_engine::internal::vfs::Vfs;

use crate::operations::{self, Kind, Operation};
use crate::{Setup, context};

type Action = fn(&Arc<Vfs>) -> Result<()>;

/// The results of two operations.
struct Outcome {
    first: Result<()>,
    second: Result<()>,
    seen: String,
}

/// Runs `second` inside each call of `first` and passes both results to `check`.
fn at_each_call(prepare: Action, first: Action, second: Action, check: impl Fn(&Setup, Outcome)) {
    let context = context();
    let operation = Operation {
        name: "",
        kind: Kind::Atomic,
        prepare,
        act: first,
        syncs: (0, 0),
    };
    let mut call = 0;
    loop {
        let world = Setup::of(&context, &operation);
        let result = Arc::new(Mutex::new(None));
        let action = {
            let (vfs, result) = (world.vfs.clone(), result.clone());
            move || *result.lock().expect("result") = Some(second(&vfs))
        };
        world
            .backend
            .meanwhile(world.backend.calls() + call, action);
        let first = world.act(&operation);
        let Some(second) = result.lock().expect("result").take() else {
            assert!(call > 5, "nothing was tested");
            return;
        };
        let seen = world.look();
        check(
            &world,
            Outcome {
                first,
                second,
                seen,
            },
        );
        call += 1;
    }
}

/// Returns whether an operation failed because the other one held the lock.
fn is_blocked(result: &Result<()>) -> bool {
    result
        .as_ref()
        .is_err_and(|error| error.to_string().contains("held the lock"))
}

fn text(error: &Error) -> String {
    error.to_string()
}

#[test]
fn one_of_two_concurrent_array_creations_succeeds() {
    let creations: [Action; 3] = [
        operations::create_array,
        operations::create_labelled,
        operations::create_labelled_otherwise,
    ];
    for first in creations {
        for second in creations {
            at_each_call(
                |vfs| vfs.ensure_dir(&operations::uri("")),
                first,
                second,
                |world, found| {
                    let succeeded = [&found.first, &found.second].map(|result| result.is_ok());
                    assert_eq!(
                        succeeded.iter().filter(|ok| **ok).count(),
                        1,
                        "{}",
                        found.seen
                    );
                    for error in [found.first, found.second]
                        .iter()
                        .filter_map(|result| result.as_ref().err())
                    {
                        let error = text(error);
                        assert!(
                            error.contains("exists already") || error.contains("held the lock"),
                            "{error}"
                        );
                    }
                    let labels = world
                        .vfs
                        .list(&operations::uri("array/__labels"))
                        .expect("lists");
                    let named = found.seen.matches(" label ").count();
                    assert_eq!(
                        labels.len(),
                        named,
                        "labels of the failed creation are left"
                    );
                    operations::write_2(&world.vfs).expect("writes");
                },
            );
        }
    }
}

#[test]
fn one_of_two_concurrent_group_creations_succeeds() {
    at_each_call(
        |vfs| vfs.ensure_dir(&operations::uri("")),
        operations::create_group,
        operations::create_group,
        |world, found| {
            assert!(found.first.is_ok() != found.second.is_ok());
            operations::add_member(&world.vfs).expect("changes");
        },
    );
}

#[test]
fn two_removals_of_one_object_remove_it() {
    for (first, second) in [
        (
            operations::remove_array as Action,
            operations::remove_array as Action,
        ),
        (operations::remove_array, operations::remove_object),
        (operations::remove_object, operations::remove_array),
        (operations::remove_object, operations::remove_object),
    ] {
        at_each_call(operations::array, first, second, |_, found| {
            assert!(found.first.is_ok() || found.second.is_ok());
            let missing = |error: &Error| {
                let text = text(error);
                text.contains("does not exist") || text.contains("neither an array nor a group")
            };
            assert!(
                found.first.as_ref().err().is_none_or(missing),
                "{:?}",
                found.first
            );
            assert!(found.second.as_ref().err().is_none_or(missing) || is_blocked(&found.second));
            assert_eq!(found.seen, "");
        });
    }
}

#[test]
fn a_removal_and_a_creation_leave_an_array_or_none() {
    let complete = "array mem://top/array [\"a\"]";
    for (prepare, first, second) in [
        (
            operations::array as Action,
            operations::remove_array as Action,
            operations::create_array as Action,
        ),
        (
            operations::array,
            operations::remove_object,
            operations::create_labelled,
        ),
    ] {
        at_each_call(prepare, first, second, |world, found| {
            assert!(
                found.seen.is_empty() || found.seen.starts_with(complete),
                "{}",
                found.seen
            );
            assert_eq!(
                !found.seen.is_empty(),
                found.second.is_ok(),
                "{:?}",
                found.second
            );
            if found.second.is_err() {
                operations::create_array(&world.vfs).expect("creates");
            }
            operations::write_2(&world.vfs).expect("writes");
        });
    }
    let nothing = |vfs: &Arc<Vfs>| vfs.ensure_dir(&operations::uri(""));
    at_each_call(
        nothing,
        operations::create_labelled,
        operations::remove_array,
        |_, found| {
            let is_complete = found.seen.starts_with(complete);
            assert!(found.seen.is_empty() || is_complete, "{}", found.seen);
            assert_eq!(found.first.is_ok(), is_complete || found.second.is_ok());
        },
    );
}

/// Returns whether an operation that changes an array found that it is no longer there.
fn is_gone(error: &Error) -> bool {
    let text = text(error);
    text.contains("was moved or removed") || text.contains("does not exist")
}

/// The changes of an array that is opened before.
const CHANGES: [Action; 3] = [
    operations::write_2,
    operations::put_metadata,
    operations::import_bytes,
];

#[test]
fn a_change_of_an_array_that_is_replaced_does_not_damage_the_new_one() {
    fn replace(vfs: &Arc<Vfs>) -> Result<()> {
        operations::remove_array(vfs)?;
        operations::create_array(vfs)
    }
    for change in &CHANGES[..2] {
        at_each_call(operations::array, *change, replace, |world, found| {
            if let Err(error) = &found.first {
                assert!(is_gone(error), "{error}");
            }
            found.second.expect("replaces");
            operations::write_2(&world.vfs).expect("writes");
            assert_eq!(world.look().matches("array mem:").count(), 1);
        });
    }
    fn replace_store(vfs: &Arc<Vfs>) -> Result<()> {
        object::remove(vfs, operations::uri("store").as_str())?;
        operations::create_store(vfs)
    }
    at_each_call(
        operations::store,
        CHANGES[2],
        replace_store,
        |world, found| {
            if let Err(error) = &found.first {
                assert!(is_gone(error), "{error}");
            }
            found.second.expect("replaces");
            operations::import_bytes(&world.vfs).expect("imports");
        },
    );
}

#[test]
fn a_change_of_an_array_that_is_removed_leaves_nothing() {
    for change in &CHANGES[..2] {
        at_each_call(
            operations::array,
            *change,
            operations::remove_array,
            |world, found| {
                if let Err(error) = &found.first {
                    assert!(is_gone(error), "{error}");
                }
                found.second.expect("removes");
                let root = operations::uri("array");
                assert!(!world.vfs.is_dir(&root).expect("looks up"));
            },
        );
        at_each_call(
            operations::array,
            operations::remove_array,
            *change,
            |world, found| {
                found.first.expect("removes");
                // It waits for a removal that has begun.
                if let Err(error) = &found.second {
                    assert!(is_gone(error) || is_blocked(&found.second), "{error}");
                }
                let root = operations::uri("array");
                assert!(!world.vfs.is_dir(&root).expect("looks up"));
            },
        );
    }
}

#[test]
fn a_write_of_an_array_that_is_moved_takes_effect_or_fails() {
    let old = "array mem://top/new/array [\"a\"] other=[1] [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]";
    let new = old.replace(
        "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
        "[2, 2, 2, 2, 2, 2, 2, 2, 2, 2]",
    );
    at_each_call(
        operations::array,
        operations::write_2,
        operations::move_array,
        |world, found| {
            found.second.expect("moves");
            let seen = found.seen.trim_end();
            match &found.first {
                Ok(()) => assert_eq!(seen, new),
                Err(error) => {
                    assert!(is_gone(error), "{error}");
                    assert!(seen == old || seen == new, "{seen}");
                }
            }
            let root = operations::uri("array");
            assert!(!world.vfs.is_dir(&root).expect("looks up"));
        },
    );
}

#[test]
fn concurrent_evolutions_both_take_effect() {
    for (first, second) in [
        (
            operations::evolve as Action,
            operations::evolve_otherwise as Action,
        ),
        (operations::evolve_otherwise, operations::evolve),
    ] {
        at_each_call(operations::array, first, second, |world, found| {
            found.first.expect("evolves");
            if found.second.is_err() {
                assert!(is_blocked(&found.second), "{:?}", found.second);
                second(&world.vfs).expect("evolves");
            }
            for attribute in ["\"a\"", "\"b\"", "\"c\""] {
                assert!(world.look().contains(attribute), "{}", world.look());
            }
        });
    }
}

#[test]
fn concurrent_changes_of_a_group_both_take_effect() {
    for (first, second) in [
        (
            operations::add_member as Action,
            operations::remove_member as Action,
        ),
        (operations::remove_member, operations::add_member),
    ] {
        at_each_call(operations::group, first, second, |world, found| {
            found.first.expect("changes");
            if found.second.is_err() {
                assert!(is_blocked(&found.second), "{:?}", found.second);
                second(&world.vfs).expect("changes");
            }
            let seen = world.look();
            assert!(
                seen.contains("Some(\"n\")") && !seen.contains("Some(\"i\")"),
                "{seen}"
            );
        });
    }
}

#[test]
fn two_imports_leave_one_of_the_files() {
    let other = |vfs: &Arc<Vfs>| {
        tiledb_engine::internal::filestore::import_bytes(
            vfs,
            &operations::uri("store"),
            &[3; 2048],
            tiledb_engine::internal::types::MimeType::Pdf,
        )
    };
    at_each_call(
        operations::store,
        operations::import_bytes,
        other,
        |_, found| {
            found.first.expect("imports");
            found.second.expect("imports");
            let files = ["1024 times 2", "2048 times 3"];
            assert!(
                files.iter().any(|file| found.seen.contains(file)),
                "{}",
                found.seen
            );
        },
    );
}

#[test]
fn a_reader_sees_the_old_or_the_new_file_at_each_call_of_an_import() {
    let read = |vfs: &Arc<Vfs>| {
        let seen = crate::describe::all(vfs);
        let files = ["1500 times 1", "1024 times 2"];
        assert!(files.iter().any(|file| seen.contains(file)), "{seen}");
        Ok(())
    };
    at_each_call(
        operations::store,
        operations::import_bytes,
        read,
        |_, found| found.second.expect("reads"),
    );
    at_each_call(
        operations::store,
        read,
        operations::import_bytes,
        |_, found| found.second.expect("imports"),
    );
}

#[test]
fn a_reader_sees_one_file_while_metadata_of_the_next_is_merged() {
    let import_and_merge = |vfs: &Arc<Vfs>| {
        operations::import_bytes(vfs)?;
        let config = crate::setup::config(&[
            ("sm.consolidation.mode", "array_meta"),
            ("sm.vacuum.mode", "array_meta"),
        ]);
        let store = operations::uri("store");
        tiledb_engine::internal::maintenance::consolidate(vfs, store.as_str(), &config)?;
        tiledb_engine::internal::maintenance::vacuum(vfs, store.as_str(), &config)
    };
    let size = |vfs: &Arc<Vfs>| {
        let seen = crate::describe::all(vfs);
        let files = ["1500 times 1", "1024 times 2"];
        assert!(files.iter().any(|file| seen.contains(file)), "{seen}");
        Ok(())
    };
    at_each_call(operations::store, size, import_and_merge, |_, found| {
        found.second.expect("imports and merges");
    });
}

#[test]
fn merging_metadata_during_an_import_leaves_the_old_file() {
    let merge = |vfs: &Arc<Vfs>| {
        let config = crate::setup::config(&[("sm.consolidation.mode", "array_meta")]);
        tiledb_engine::internal::maintenance::consolidate(
            vfs,
            operations::uri("store").as_str(),
            &config,
        )?;
        let seen = crate::describe::all(vfs);
        let files = ["1500 times 1", "1024 times 2"];
        assert!(files.iter().any(|file| seen.contains(file)), "{seen}");
        Ok(())
    };
    let two_files = |vfs: &Arc<Vfs>| {
        operations::store(vfs)?;
        let [first, second] = [[4; 2000], [1; 2000]];
        let store = operations::uri("store");
        let kind = tiledb_engine::internal::types::MimeType::Pdf;
        tiledb_engine::internal::filestore::import_bytes(vfs, &store, &first, kind)?;
        tiledb_engine::internal::filestore::import_bytes(vfs, &store, &second[..1500], kind)
    };
    at_each_call(two_files, operations::import_bytes, merge, |_, found| {
        found.first.expect("imports");
        found.second.expect("merges");
        assert!(found.seen.contains("1024 times 2"), "{}", found.seen);
    });
}
