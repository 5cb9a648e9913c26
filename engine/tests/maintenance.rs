//! Consolidation, vacuum and opens: what each removes, what it leaves, and what an open reports. The rules are those of
//! `docs/commit-protocol.md`.

mod setup;

use std::sync::Arc;

use setup::column::{Column, Looks, read, write};
use setup::{Place, config, dimension, numbers, schema};
use tiledb_engine::Error;
use tiledb_engine::array::{self, Array, WithMetadata};
use tiledb_engine::condition::{Condition, Operator};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::maintenance;
use tiledb_engine::query::Query;
use tiledb_engine::schema::Attribute;
use tiledb_engine::types::{ArrayType, DataOrder, Datatype, Layout, QueryType, TimeRange};
use tiledb_engine::vfs::faulty::Faulty;
use tiledb_engine::vfs::{EntryKind, Next, Uri, Vfs, temporary_name};

const MODES: [&str; 4] = ["fragments", "commits", "fragment_meta", "array_meta"];

/// A sparse array of numbers, the numbers 0 to 9 at the places 0 to 9 in its first fragment.
fn numbered(place: &Place) {
    let at = dimension("place", Datatype::Int32, [0, 99], 10);
    let mut draft = schema(
        ArrayType::Sparse,
        [at],
        [Attribute::new("number", Datatype::Int32)],
    );
    draft.set_allows_dups(true).expect("duplicates");
    draft.set_capacity(2).expect("capacity");
    place.create(&draft);
    write_cells(place, 0..10);
}

fn write_cells(place: &Place, cells: std::ops::Range<i32>) {
    setup::next_millisecond();
    let mut query = place.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    write(&mut query, &columns(cells)).expect("write");
}

fn columns(cells: std::ops::Range<i32>) -> [Column; 2] {
    [
        Column::numbers("place", cells.clone()),
        Column::numbers("number", cells),
    ]
}

fn put(place: &Place, key: &str) {
    setup::next_millisecond();
    let array = place.open(QueryType::Write);
    let put = array.put_metadata(Some(key), Datatype::Int32, &7i32.to_le_bytes());
    put.expect("put");
    array.close().expect("close");
}

fn read_open(array: &Arc<Array>) -> Result<Vec<i32>, Error> {
    let mut query = Query::new(array, QueryType::Read)?;
    query.set_layout(Layout::GlobalOrder)?;
    let mut room = [Column::room(Looks::fixed("number", 4), 1000, 0)];
    let cells = read(&mut query, &mut room)?;
    Ok(cells[0]
        .iter()
        .flat_map(|cell| numbers::<i32>(&cell.0))
        .collect())
}

fn cells(place: &Place) -> Vec<i32> {
    setup::next_millisecond();
    read_open(&place.open(QueryType::Read)).expect("read")
}

fn maintain_with(place: &Place, parameters: &[(&str, &str)]) -> Result<(), Error> {
    maintenance::vacuum(&place.vfs, place.uri.as_str(), &config(parameters))
}

/// The paths of everything in an array, without the temporary order of folders.
fn everything(place: &Place) -> Vec<String> {
    let mut found = Vec::new();
    let walked = place.vfs.walk(&place.uri, &mut |uri, _| {
        found.push(uri.as_str().to_owned());
        Ok(Next::Continue)
    });
    walked.expect("walk");
    found
}

fn count(place: &Place, folder: &str) -> usize {
    place.vfs.list(&place.uri.join(folder)).expect("list").len()
}

/// An array with something to vacuum in each mode, and the numbers in it.
fn consolidated(place: &Place) -> i32 {
    numbered(place);
    write_cells(place, 10..20);
    put(place, "a");
    put(place, "b");
    place.consolidate("array_meta");
    place.consolidate("fragments");
    write_cells(place, 20..30);
    place.consolidate("fragment_meta");
    write_cells(place, 30..40);
    place.consolidate("fragment_meta");
    place.consolidate("commits");
    40
}

fn local() -> (tempfile::TempDir, Place) {
    let folder = tempfile::tempdir().expect("folder");
    let uri = folder.path().join("array");
    let place = Place::new(&setup::vfs(&[]), uri.to_str().expect("path"));
    (folder, place)
}

#[test]
fn vacuum_keeps_what_was_replaced_recently() {
    let (_folder, place) = local();
    let number = consolidated(&place);
    for mode in MODES {
        let before = everything(&place);
        let young = [
            ("sm.vacuum.mode", mode),
            ("sm.vacuum.min_age_ms", "3600000"),
        ];
        maintain_with(&place, &young).expect("vacuum");
        assert_eq!(everything(&place), before, "{mode}");
        place.vacuum(mode);
        assert!(everything(&place).len() < before.len(), "{mode}");
        assert_eq!(cells(&place), (0..number).collect::<Vec<_>>(), "{mode}");
    }
}

#[test]
fn what_is_done_already_succeeds() {
    let place = Place::in_memory();
    let number = consolidated(&place);
    for _ in 0..3 {
        for mode in MODES {
            place.consolidate(mode);
            place.vacuum(mode);
        }
        place.vacuum("garbage");
    }
    assert_eq!(cells(&place), (0..number).collect::<Vec<_>>());
    assert_eq!(count(&place, "__fragments"), 1);
    assert_eq!(count(&place, "__commits"), 1);
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
fn a_read_after_a_vacuum_says_that_the_array_must_be_reopened() {
    let (_folder, place) = local();
    numbered(&place);
    write_cells(&place, 10..20);
    setup::next_millisecond();
    let (before, used) = (place.open(QueryType::Read), place.open(QueryType::Read));
    assert_eq!(read_open(&used).expect("read").len(), 20);
    place.consolidate("fragments");
    place.vacuum("fragments");
    let error = read_open(&before).expect_err("removed").to_string();
    assert!(
        error.contains("vacuum") && error.contains("reopen the array"),
        "{error}"
    );
    // Files that stay open can be read.
    assert_eq!(read_open(&used).expect("read").len(), 20);
    before.reopen().expect("reopen");
    assert_eq!(read_open(&before).expect("read").len(), 20);
}

#[test]
fn a_delete_is_found_in_a_consolidated_file_after_a_vacuum() {
    let place = Place::in_memory();
    numbered(&place);
    setup::next_millisecond();
    let five = 5i32.to_le_bytes();
    place.delete(Condition::compare("number", Operator::Lt, Some(&five)).expect("condition"));
    setup::next_millisecond();
    let before = place.open(QueryType::Read);
    place.consolidate("commits");
    place.vacuum("commits");
    assert_eq!(count(&place, "__commits"), 1);
    assert_eq!(read_open(&before).expect("read"), [5, 6, 7, 8, 9]);
}

#[test]
fn a_missing_file_is_an_error_that_names_it() {
    let place = Place::in_memory();
    numbered(&place);
    let folder = place.uri.join("__fragments");
    let fragment = &place.vfs.list(&folder).expect("list")[0].name;
    let file = folder.join(fragment).join("__fragment_metadata.tdb");
    place.vfs.remove_file(&file).expect("remove");
    let array = Array::new(&place.vfs, place.uri.as_str()).expect("array");
    let error = array
        .open(QueryType::Read)
        .expect_err("missing")
        .to_string();
    assert!(error.contains(file.as_str()), "{error}");
}

#[test]
fn fragments_of_consolidated_commits_without_a_folder_count_as_removed() {
    for footers in [false, true] {
        let place = Place::in_memory();
        numbered(&place);
        write_cells(&place, 10..20);
        if footers {
            place.consolidate("fragment_meta");
        }
        place.consolidate("commits");
        let folder = place.uri.join("__fragments");
        let oldest = &place.vfs.list(&folder).expect("list")[0].name;
        place.vfs.remove_dir(&folder.join(oldest)).expect("remove");
        // The commit of its own shows that it should be there.
        let array = Array::new(&place.vfs, place.uri.as_str()).expect("array");
        assert_eq!(array.open(QueryType::Read).is_ok(), footers);
        place.vacuum("commits");
        assert_eq!(cells(&place), (10..20).collect::<Vec<_>>());
        write_cells(&place, 20..30);
        for mode in MODES {
            place.consolidate(mode);
            place.vacuum(mode);
            assert_eq!(cells(&place), (10..30).collect::<Vec<_>>(), "{mode}");
        }
    }
}

#[test]
fn missing_folders_are_as_good_as_empty_ones() {
    let place = Place::in_memory();
    numbered(&place);
    for folder in [
        "__fragments",
        "__commits",
        "__meta",
        "__fragment_meta",
        "__labels",
    ] {
        place
            .vfs
            .remove_dir_if_any(&place.uri.join(folder))
            .expect("remove");
    }
    assert_eq!(cells(&place), [0; 0]);
    for mode in MODES.into_iter().chain(["garbage"]) {
        place.vacuum(mode);
    }
    MODES.iter().for_each(|mode| place.consolidate(mode));
    assert_eq!(consolidated_again(&place), 20);
}

/// Writes into an array and runs all modes; the number of cells.
fn consolidated_again(place: &Place) -> usize {
    write_cells(place, 0..10);
    write_cells(place, 10..20);
    put(place, "a");
    for mode in MODES {
        place.consolidate(mode);
        place.vacuum(mode);
    }
    cells(place).len()
}

/// An array on storage that fails on command.
fn faulty() -> (Faulty, Place) {
    let backend = Faulty::new();
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::with_backend(&context, Arc::new(backend.clone())).expect("vfs");
    (backend, Place::new(&vfs, "mem://array"))
}

/// An operation that completes a consolidation.
type Completion = fn(&Place);

/// Whether the list of a consolidation is pending.
fn is_pending(place: &Place) -> bool {
    let entries = place.vfs.list(&place.uri.join("__commits")).expect("list");
    let mut folders = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory);
    folders.any(|folder| folder.name == "__pending")
}

#[test]
fn a_consolidation_that_took_effect_succeeds_and_the_next_operation_completes_it() {
    let complete: [(&str, Completion); 3] = [
        ("an open for writing", |place| {
            drop(place.open(QueryType::Write))
        }),
        ("consolidation", |place| place.consolidate("commits")),
        ("vacuum", |place| place.vacuum("commits")),
    ];
    for (name, operation) in complete {
        let (mut pending, mut failed) = (0, 0);
        for changes in 0.. {
            let (backend, place) = faulty();
            numbered(&place);
            write_cells(&place, 10..20);
            backend.fail_from(backend.changes() + changes);
            let done = maintenance::consolidate(&place.vfs, place.uri.as_str(), &Config::new());
            backend.heal();
            assert_eq!(cells(&place).len(), 20, "{name}, {changes} changes");
            let was_pending = is_pending(&place);
            operation(&place);
            assert!(!is_pending(&place), "{name}, {changes} changes");
            assert_eq!(cells(&place).len(), 20, "{name}, {changes} changes");
            place.vacuum("fragments");
            assert_eq!(cells(&place).len(), 20, "{name}, {changes} changes");
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

/// Leaves in an array what killed processes leave; the names.
fn leave_garbage(place: &Place) -> Vec<Uri> {
    let uuid = "00000000000000000000000000000000";
    let files = [
        format!("__fragments/__1_1_{uuid}_22/a0.tdb"),
        format!("__commits/__1_2_{uuid}_22.vac"),
        temporary_name(),
        format!("{}/__schema/file", temporary_name()),
        "__labels/other/__schema/file".to_owned(),
    ];
    let files = files.map(|file| place.uri.join(&file));
    for file in &files {
        place
            .vfs
            .ensure_dir(&file.parent().expect("folder"))
            .expect("folder");
        place.vfs.write_all(file, b"left").expect("write");
    }
    // More than vacuum locks at the same time.
    let empty = (2..102).map(|at| format!("__fragments/__{at}_{at}_{uuid}_22"));
    let empty: Vec<Uri> = empty.map(|name| place.uri.join(&name)).collect();
    for folder in &empty {
        place.vfs.create_dir(folder).expect("folder");
    }
    files.into_iter().chain(empty).collect()
}

#[test]
fn vacuum_of_garbage_removes_what_killed_processes_left() {
    let (_folder, place) = local();
    let at = dimension("place", Datatype::Int32, [0, 99], 10);
    let mut draft = schema(
        ArrayType::Sparse,
        [at],
        [Attribute::new("number", Datatype::Int32)],
    );
    let label = draft.add_label(0, "label", DataOrder::Increasing, Datatype::Int32);
    label.expect("label");
    place.create(&draft);
    write_cells(&place, 0..10);
    write_cells(&place, 10..20);
    place.consolidate("fragments");
    let before = everything(&place);
    let garbage = leave_garbage(&place);
    let with_garbage = everything(&place);
    place.vacuum("garbage");
    assert_eq!(everything(&place), with_garbage, "younger than a day");
    let now = [
        ("sm.vacuum.mode", "garbage"),
        ("sm.vacuum.garbage_min_age_ms", "0"),
    ];
    maintain_with(&place, &now).expect("vacuum");
    for uri in &garbage {
        let exists =
            place.vfs.is_file(uri).expect("looks") || place.vfs.is_dir(uri).expect("looks");
        assert!(!exists, "{uri}");
    }
    // Replaced fragments and labels that a schema names are not garbage.
    assert_eq!(everything(&place), before);
    assert_eq!(cells(&place).len(), 20);
}

#[test]
fn every_vacuum_removes_temporary_names() {
    let place = Place::in_memory();
    numbered(&place);
    for mode in MODES {
        let file = place.uri.join(&temporary_name());
        place.vfs.write_all(&file, b"left").expect("write");
        place.vacuum(mode);
        assert!(place.vfs.is_file(&file).expect("looks"), "{mode}");
        let now = [
            ("sm.vacuum.mode", mode),
            ("sm.vacuum.garbage_min_age_ms", "0"),
        ];
        maintain_with(&place, &now).expect("vacuum");
        assert!(!place.vfs.is_file(&file).expect("looks"), "{mode}");
    }
}

#[test]
fn vacuum_of_garbage_spares_running_writers() {
    let now = [
        ("sm.vacuum.mode", "garbage"),
        ("sm.vacuum.garbage_min_age_ms", "0"),
    ];
    let (_folder, on_disk) = local();
    for place in [Place::in_memory(), on_disk] {
        numbered(&place);
        // Large enough that parts are on storage before the end.
        for most in ["18446744073709551615", "700"] {
            let array = place.open(QueryType::Write);
            let mut query = Query::new(&array, QueryType::Write).expect("query");
            let limit = config(&[("sm.consolidation.max_fragment_size", most)]);
            query.set_config(&limit).expect("config");
            query.set_layout(Layout::GlobalOrder).expect("layout");
            for part in 1..8 {
                let columns = columns(part * 10..part * 10 + 10);
                write(&mut query, &columns).expect("write");
                maintain_with(&place, &now).expect("vacuum");
            }
            query.finalize().expect("finalize");
            maintain_with(&place, &now).expect("vacuum");
        }
        let mut expected: Vec<i32> = (0..10).chain(10..80).chain(10..80).collect();
        expected.sort_unstable();
        let mut shown = cells(&place);
        shown.sort_unstable();
        assert_eq!(shown, expected);
    }
}

#[test]
fn deleted_fragments_take_what_they_replaced_with_them() {
    let place = Place::in_memory();
    numbered(&place);
    write_cells(&place, 10..20);
    place.consolidate("fragments");
    place.consolidate("commits");
    write_cells(&place, 20..30);
    let all = TimeRange::ALL;
    let fragments = array::stored_fragments(&place.vfs, &place.uri, &Config::new(), all);
    let fragments = fragments.expect("fragments").fragments;
    let uris = [fragments[0].uri().as_str()];
    let deleted =
        maintenance::delete_named_fragments(&place.vfs, &place.uri, &uris, &Config::new());
    deleted.expect("deleted");
    assert_eq!(cells(&place), (20..30).collect::<Vec<_>>());
    let again = maintenance::delete_named_fragments(&place.vfs, &place.uri, &uris, &Config::new());
    assert!(again.is_err(), "it does not exist");
    assert_eq!(count(&place, "__fragments"), 1);
}
