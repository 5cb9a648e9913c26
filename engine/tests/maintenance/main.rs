//! Consolidation, vacuum and opens: what each removes, what it leaves, and what an open reports.
//! The rules are those of `docs/commit-protocol.md`.

mod garbage;
mod positions;
#[path = "../setup/mod.rs"]
mod setup;

use std::ops::ControlFlow;
use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, config, dimension, numbers, schema};
use tiledb_engine::Error;
use tiledb_engine::internal::array::{self, Array, WithMetadata};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType, TimeRange};
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{EntryKind, Vfs};

const MODES: [&str; 4] = ["fragments", "commits", "fragment_meta", "array_meta"];

/// Creates a sparse array whose first fragment has the numbers 0 to 9 at the coordinates 0 to 9.
fn numbered(test_array: &TestArray) {
    let domain = dimension("coordinate", Datatype::Int32, [0, 99], 10);
    let mut draft = schema(
        ArrayType::Sparse,
        [domain],
        [Attribute::new("number", Datatype::Int32)],
    );
    draft.set_allows_dups(true).expect("duplicates");
    draft.set_capacity(2).expect("capacity");
    test_array.create(&draft);
    write_cells(test_array, 0..10);
}

fn write_cells(test_array: &TestArray, cells: std::ops::Range<i32>) {
    setup::next_millisecond();
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    write(&mut query, &columns(cells)).expect("write");
}

fn columns(cells: std::ops::Range<i32>) -> [Column; 2] {
    [
        Column::numbers("coordinate", cells.clone()),
        Column::numbers("number", cells),
    ]
}

fn put(test_array: &TestArray, key: &str) {
    setup::next_millisecond();
    let array = test_array.open(QueryType::Write);
    let put = array.put_metadata(Some(key), Datatype::Int32, &7i32.to_le_bytes());
    put.expect("put");
    array.close().expect("close");
}

fn read_open(array: &Arc<Array>) -> Result<Vec<i32>, Error> {
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::GlobalOrder)?;
    let mut capacity = [Column::with_capacity(CellType::fixed("number", 4), 1000, 0)];
    let cells = read(&mut query, &mut capacity)?;
    Ok(cells[0]
        .iter()
        .flat_map(|cell| numbers::<i32>(&cell.0))
        .collect())
}

fn cells(test_array: &TestArray) -> Vec<i32> {
    setup::next_millisecond();
    read_open(&test_array.open(QueryType::Read)).expect("read")
}

fn maintain_with(test_array: &TestArray, parameters: &[(&str, &str)]) -> Result<(), Error> {
    maintenance::vacuum(
        &test_array.vfs,
        test_array.uri.as_str(),
        &config(parameters),
    )
}

/// Returns the paths of everything in an array. The order of folders is not significant.
fn everything(test_array: &TestArray) -> Vec<String> {
    let mut found = Vec::new();
    let walked = test_array.vfs.walk(&test_array.uri, &mut |uri, _| {
        found.push(uri.as_str().to_owned());
        Ok(ControlFlow::Continue(()))
    });
    walked.expect("walk");
    found
}

fn count(test_array: &TestArray, folder: &str) -> usize {
    test_array
        .vfs
        .list(&test_array.uri.join(folder))
        .expect("list")
        .len()
}

/// Creates an array that needs vacuum in each mode. Returns the next number to write.
fn consolidated(test_array: &TestArray) -> i32 {
    numbered(test_array);
    write_cells(test_array, 10..20);
    put(test_array, "a");
    put(test_array, "b");
    test_array.consolidate("array_meta");
    test_array.consolidate("fragments");
    write_cells(test_array, 20..30);
    test_array.consolidate("fragment_meta");
    write_cells(test_array, 30..40);
    test_array.consolidate("fragment_meta");
    test_array.consolidate("commits");
    40
}

fn local() -> (tempfile::TempDir, TestArray) {
    let folder = tempfile::tempdir().expect("folder");
    let uri = folder.path().join("array");
    let test_array = TestArray::new(&setup::vfs(&[]), uri.to_str().expect("path"));
    (folder, test_array)
}

#[test]
fn vacuum_keeps_what_was_replaced_recently() {
    let (_folder, test_array) = local();
    let number = consolidated(&test_array);
    for mode in MODES {
        let before = everything(&test_array);
        let young = [
            ("sm.vacuum.mode", mode),
            ("sm.vacuum.min_age_ms", "3600000"),
        ];
        maintain_with(&test_array, &young).expect("vacuum");
        assert_eq!(everything(&test_array), before, "{mode}");
        test_array.vacuum(mode);
        assert!(everything(&test_array).len() < before.len(), "{mode}");
        assert_eq!(
            cells(&test_array),
            (0..number).collect::<Vec<_>>(),
            "{mode}"
        );
    }
}

#[test]
fn completed_maintenance_succeeds_again() {
    let test_array = TestArray::in_memory();
    let number = consolidated(&test_array);
    for _ in 0..3 {
        for mode in MODES {
            test_array.consolidate(mode);
            test_array.vacuum(mode);
        }
        test_array.vacuum("garbage");
    }
    assert_eq!(cells(&test_array), (0..number).collect::<Vec<_>>());
    assert_eq!(count(&test_array, "__fragments"), 1);
    assert_eq!(count(&test_array, "__commits"), 1);
}

#[test]
fn parameters_of_vacuum_are_checked_and_not_listed() {
    let mut config = Config::new();
    for name in ["sm.vacuum.min_age_ms", "sm.vacuum.garbage_min_age_ms"] {
        assert!(config.get(name).is_some(), "{name}");
        assert!(config.set(name, "soon").is_err(), "{name}");
        let listed = config.with_prefix("sm.vacuum.").into_iter();
        assert!(listed.map(|(name, _)| name).eq(["mode"]));
    }
    config.set("sm.vacuum.min_age_ms", "5").expect("set");
    assert_eq!(config.get("sm.vacuum.min_age_ms").as_deref(), Some("5"));
}

#[test]
fn reads_of_vacuumed_fragments_fail_with_a_request_to_reopen() {
    let (_folder, test_array) = local();
    numbered(&test_array);
    write_cells(&test_array, 10..20);
    setup::next_millisecond();
    let (before, used) = (
        test_array.open(QueryType::Read),
        test_array.open(QueryType::Read),
    );
    assert_eq!(read_open(&used).expect("read").len(), 20);
    test_array.consolidate("fragments");
    test_array.vacuum("fragments");
    let error = read_open(&before).expect_err("removed").to_string();
    assert!(
        error.contains("vacuum") && error.contains("reopen the array"),
        "{error}"
    );
    // Fragments whose files are open can be read.
    assert_eq!(read_open(&used).expect("read").len(), 20);
    before.reopen().expect("reopen");
    assert_eq!(read_open(&before).expect("read").len(), 20);
}

#[test]
fn a_delete_is_found_in_a_consolidated_file_after_a_vacuum() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    setup::next_millisecond();
    let five = 5i32.to_le_bytes();
    test_array.delete(Condition::compare("number", Operator::Lt, Some(&five)).expect("condition"));
    setup::next_millisecond();
    let before = test_array.open(QueryType::Read);
    test_array.consolidate("commits");
    test_array.vacuum("commits");
    assert_eq!(count(&test_array, "__commits"), 1);
    assert_eq!(read_open(&before).expect("read"), [5, 6, 7, 8, 9]);
}

#[test]
fn fragments_that_a_deleted_one_replaced_stay_hidden() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    write_cells(&test_array, 10..20);
    test_array.consolidate("fragments");
    // libtiledb deletes the commit and the folder of a fragment.
    let vfs = &test_array.vfs;
    let commits = test_array.uri.join("__commits");
    let entries = vfs.list(&commits).expect("list").into_iter();
    let mut names = entries.filter_map(|entry| Some(entry.name.strip_suffix(".vac")?.to_owned()));
    let consolidated = names.next().expect("consolidated");
    let commit = commits.join(&format!("{consolidated}.wrt"));
    vfs.remove_file(&commit).expect("removed");
    let folder = test_array.uri.join("__fragments");
    vfs.remove_dir(&folder.join(&consolidated))
        .expect("removed");
    assert_eq!(cells(&test_array), [0; 0]);
    write_cells(&test_array, 20..22);
    assert_eq!(cells(&test_array), [20, 21]);
    test_array.vacuum("fragments");
    assert_eq!(count(&test_array, "__fragments"), 1);
    assert_eq!(count(&test_array, "__commits"), 1);
    assert_eq!(cells(&test_array), [20, 21]);
}

#[test]
fn consolidation_of_commits_does_not_copy_a_cut_delete() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    setup::next_millisecond();
    let five = 5i32.to_le_bytes();
    test_array.delete(Condition::compare("number", Operator::Lt, Some(&five)).expect("condition"));
    let folder = test_array.uri.join("__commits");
    let entries = test_array.vfs.list(&folder).expect("list").into_iter();
    let mut names = entries.map(|entry| entry.name);
    let delete = folder.join(&names.find(|name| name.ends_with(".del")).expect("delete"));
    let whole = test_array.vfs.read_all(&delete).expect("read");
    for len in [0, 20, whole.len() - 1] {
        let cut = test_array.vfs.write_all(&delete, &whole[..len]);
        cut.expect("written");
        let config = config(&[("sm.consolidation.mode", "commits")]);
        let uri = test_array.uri.as_str();
        let error = maintenance::consolidate(&test_array.vfs, uri, &config).expect_err("cut");
        assert!(error.to_string().contains(delete.as_str()), "{error}");
    }
    let restored = test_array.vfs.write_all(&delete, &whole);
    restored.expect("written");
    test_array.consolidate("commits");
    test_array.vacuum("commits");
    assert_eq!(cells(&test_array), [5, 6, 7, 8, 9]);
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    let folder = test_array.uri.join("__fragments");
    let fragment = &test_array.vfs.list(&folder).expect("list")[0].name;
    let file = folder.join(fragment).join("__fragment_metadata.tdb");
    test_array.vfs.remove_file(&file).expect("remove");
    let array = Array::new(&test_array.vfs, test_array.uri.as_str()).expect("array");
    let error = array
        .open(QueryType::Read)
        .expect_err("missing")
        .to_string();
    assert!(error.contains(file.as_str()), "{error}");
}

#[test]
fn fragments_of_consolidated_commits_without_a_folder_count_as_removed() {
    for footers in [false, true] {
        let test_array = TestArray::in_memory();
        numbered(&test_array);
        write_cells(&test_array, 10..20);
        if footers {
            test_array.consolidate("fragment_meta");
        }
        test_array.consolidate("commits");
        let folder = test_array.uri.join("__fragments");
        let oldest = &test_array.vfs.list(&folder).expect("list")[0].name;
        test_array
            .vfs
            .remove_dir(&folder.join(oldest))
            .expect("remove");
        // A commit file of its own shows that the fragment should exist.
        let array = Array::new(&test_array.vfs, test_array.uri.as_str()).expect("array");
        assert_eq!(array.open(QueryType::Read).is_ok(), footers);
        test_array.vacuum("commits");
        assert_eq!(cells(&test_array), (10..20).collect::<Vec<_>>());
        write_cells(&test_array, 20..30);
        for mode in MODES {
            test_array.consolidate(mode);
            test_array.vacuum(mode);
            assert_eq!(cells(&test_array), (10..30).collect::<Vec<_>>(), "{mode}");
        }
    }
}

#[test]
fn consolidated_commits_leave_out_replaced_fragments() {
    let (_folder, test_array) = local();
    numbered(&test_array);
    write_cells(&test_array, 10..20);
    test_array.consolidate("fragments");
    test_array.consolidate("commits");
    test_array.vacuum("commits");
    let commits = || -> Vec<String> {
        let folder = test_array.uri.join("__commits");
        let entries = test_array.vfs.list(&folder).expect("list").into_iter();
        entries.map(|entry| entry.name).collect()
    };
    let with = |suffix: &str| {
        let names = commits().into_iter();
        names.filter(|name| name.ends_with(suffix)).count()
    };
    // The replaced fragments, which a vacuum of libtiledb may be removing.
    assert_eq!((with(".wrt"), with(".con")), (2, 1));
    assert_eq!(cells(&test_array), (0..20).collect::<Vec<_>>());
    test_array.vacuum("fragments");
    assert_eq!((with(".wrt"), with(".con"), with(".ign")), (0, 1, 0));
    assert_eq!(cells(&test_array), (0..20).collect::<Vec<_>>());
}

#[test]
fn missing_folders_are_treated_as_empty() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    for folder in [
        "__fragments",
        "__commits",
        "__meta",
        "__fragment_meta",
        "__labels",
    ] {
        test_array
            .vfs
            .remove_dir_if_any(&test_array.uri.join(folder))
            .expect("remove");
    }
    assert_eq!(cells(&test_array), [0; 0]);
    for mode in MODES.into_iter().chain(["garbage"]) {
        test_array.vacuum(mode);
    }
    MODES.iter().for_each(|mode| test_array.consolidate(mode));
    assert_eq!(consolidated_again(&test_array), 20);
}

/// Writes and runs all modes. Returns the number of cells.
fn consolidated_again(test_array: &TestArray) -> usize {
    write_cells(test_array, 0..10);
    write_cells(test_array, 10..20);
    put(test_array, "a");
    for mode in MODES {
        test_array.consolidate(mode);
        test_array.vacuum(mode);
    }
    cells(test_array).len()
}

/// Returns an array on storage that fails on command.
fn faulty() -> (Faulty, TestArray) {
    let backend = Faulty::new();
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::with_backend(&context, Arc::new(backend.clone())).expect("vfs");
    (backend, TestArray::new(&vfs, "mem://array"))
}

/// An operation that completes a consolidation.
type Completion = fn(&TestArray);

/// Returns whether the list of a consolidation is pending.
fn is_pending(test_array: &TestArray) -> bool {
    let entries = test_array
        .vfs
        .list(&test_array.uri.join("__commits"))
        .expect("list");
    let mut folders = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory);
    folders.any(|folder| folder.name == "__pending")
}

#[test]
fn a_consolidation_that_took_effect_succeeds_and_the_next_operation_completes_it() {
    let complete: [(&str, Completion); 3] = [
        ("an open for writing", |test_array| {
            drop(test_array.open(QueryType::Write))
        }),
        ("consolidation", |test_array| {
            test_array.consolidate("commits")
        }),
        ("vacuum", |test_array| test_array.vacuum("commits")),
    ];
    for (name, operation) in complete {
        let (mut pending, mut failed) = (0, 0);
        for changes in 0.. {
            let (backend, test_array) = faulty();
            numbered(&test_array);
            write_cells(&test_array, 10..20);
            backend.fail_from(backend.changes() + changes);
            let done =
                maintenance::consolidate(&test_array.vfs, test_array.uri.as_str(), &Config::new());
            backend.heal();
            assert_eq!(cells(&test_array).len(), 20, "{name}, {changes} changes");
            let was_pending = is_pending(&test_array);
            operation(&test_array);
            assert!(!is_pending(&test_array), "{name}, {changes} changes");
            assert_eq!(cells(&test_array).len(), 20, "{name}, {changes} changes");
            test_array.vacuum("fragments");
            assert_eq!(cells(&test_array).len(), 20, "{name}, {changes} changes");
            match done {
                Err(_) => failed += 1,
                Ok(()) if was_pending => pending += 1,
                Ok(()) => break,
            }
        }
        assert!(
            pending > 0 && failed > 0,
            "{name}: {pending} pending, {failed} failed"
        );
    }
}

#[test]
fn deleting_a_fragment_deletes_those_it_replaced() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    write_cells(&test_array, 10..20);
    test_array.consolidate("fragments");
    test_array.consolidate("commits");
    write_cells(&test_array, 20..30);
    let all = TimeRange::ALL;
    let view = test_array.vfs.view();
    let fragments = array::stored_fragments(&view, &test_array.uri, &Config::new(), all);
    let fragments = fragments.expect("fragments").fragments;
    let uris = [fragments[0].uri().as_str()];
    let deleted = maintenance::delete_named_fragments(
        &test_array.vfs,
        &test_array.uri,
        &uris,
        &Config::new(),
    );
    deleted.expect("deleted");
    assert_eq!(cells(&test_array), (20..30).collect::<Vec<_>>());
    let again = maintenance::delete_named_fragments(
        &test_array.vfs,
        &test_array.uri,
        &uris,
        &Config::new(),
    );
    assert!(again.is_err(), "it does not exist");
    assert_eq!(count(&test_array, "__fragments"), 1);
}
