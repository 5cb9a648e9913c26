//! Vacuum of what killed processes left.

use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, DataOrder, Datatype, Layout, QueryType};
use tiledb_engine::internal::vfs::{FaultyStore, StoreLimits, Uri, Vfs, temporary_name};

use super::setup::column::write;
use super::setup::{TestArray, config, dimension, schema};
use super::{MODES, cells, columns, everything, local, maintain_with, numbered, write_cells};

/// Creates what killed processes leave in an array. Returns the URIs.
fn leave_garbage(test_array: &TestArray) -> Vec<Uri> {
    let uuid = "00000000000000000000000000000000";
    let files = [
        format!("__fragments/__1_1_{uuid}_22/a0.tdb"),
        temporary_name(),
        format!("{}/__schema/file", temporary_name()),
        "__labels/other/__schema/file".to_owned(),
    ];
    let files = files.map(|file| test_array.uri.join(&file));
    for file in &files {
        test_array
            .vfs
            .ensure_dir(&file.parent().expect("folder"))
            .expect("folder");
        test_array.vfs.write_all(file, b"left").expect("write");
    }
    // More than vacuum locks at the same time.
    let empty = (2..102).map(|index| format!("__fragments/__{index}_{index}_{uuid}_22"));
    let empty: Vec<Uri> = empty.map(|name| test_array.uri.join(&name)).collect();
    for folder in &empty {
        test_array.vfs.create_dir(folder).expect("folder");
    }
    files.into_iter().chain(empty).collect()
}

#[test]
fn vacuum_of_garbage_removes_what_killed_processes_left() {
    let (_folder, test_array) = local();
    let domain = dimension("coordinate", Datatype::Int32, [0, 99], 10);
    let mut draft = schema(
        ArrayType::Sparse,
        [domain],
        [Attribute::new("number", Datatype::Int32)],
    );
    let label = draft.add_label(0, "label", DataOrder::Increasing, Datatype::Int32);
    label.expect("label");
    test_array.create(&draft);
    write_cells(&test_array, 0..10);
    write_cells(&test_array, 10..20);
    test_array.consolidate("fragments");
    let before = everything(&test_array);
    let garbage = leave_garbage(&test_array);
    let with_garbage = everything(&test_array);
    test_array.vacuum("garbage");
    assert_eq!(everything(&test_array), with_garbage, "newer than a day");
    let now = [
        ("sm.vacuum.mode", "garbage"),
        ("sm.vacuum.garbage_min_age_ms", "0"),
    ];
    maintain_with(&test_array, &now).expect("vacuum");
    for uri in &garbage {
        let exists = test_array.vfs.is_file(uri).expect("looks")
            || test_array.vfs.is_dir(uri).expect("looks");
        assert!(!exists, "{uri}");
    }
    // Replaced fragments, and labels that a schema names, are not garbage.
    assert_eq!(everything(&test_array), before);
    assert_eq!(cells(&test_array).len(), 20);
}

#[test]
fn every_vacuum_removes_temporary_names() {
    let test_array = TestArray::in_memory();
    numbered(&test_array);
    for mode in MODES {
        let file = test_array.uri.join(&temporary_name());
        test_array.vfs.write_all(&file, b"left").expect("write");
        test_array.vacuum(mode);
        assert!(test_array.vfs.is_file(&file).expect("looks"), "{mode}");
        let now = [
            ("sm.vacuum.mode", mode),
            ("sm.vacuum.garbage_min_age_ms", "0"),
        ];
        maintain_with(&test_array, &now).expect("vacuum");
        assert!(!test_array.vfs.is_file(&file).expect("looks"), "{mode}");
    }
}

#[test]
fn vacuum_of_garbage_keeps_fragments_of_running_writers() {
    let now = [
        ("sm.vacuum.mode", "garbage"),
        ("sm.vacuum.garbage_min_age_ms", "0"),
    ];
    let (_folder, on_disk) = local();
    for test_array in [TestArray::in_memory(), on_disk] {
        numbered(&test_array);
        // The second size makes the writer store parts before the end.
        for most in ["18446744073709551615", "700"] {
            let array = test_array.open(QueryType::Write);
            let mut query = Query::new(&array, QueryType::Write).expect("query");
            let limit = config(&[("sm.consolidation.max_fragment_size", most)]);
            query.set_config(&limit).expect("config");
            query.set_layout(Layout::GlobalOrder).expect("layout");
            for part in 1..8 {
                let columns = columns(part * 10..part * 10 + 10);
                write(&mut query, &columns).expect("write");
                maintain_with(&test_array, &now).expect("vacuum");
            }
            query.finalize().expect("finalize");
            maintain_with(&test_array, &now).expect("vacuum");
        }
        let mut expected: Vec<i32> = (0..10).chain(10..80).chain(10..80).collect();
        expected.sort_unstable();
        let mut shown = cells(&test_array);
        shown.sort_unstable();
        assert_eq!(shown, expected);
    }
}

#[test]
fn a_fragment_that_is_committed_after_the_listing_is_not_garbage() {
    let one_thread = [
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
    ];
    let context = Context::new(config(&one_thread)).expect("context");
    for store in [
        FaultyStore::new(StoreLimits::default()),
        FaultyStore::with_directories(StoreLimits::default()),
    ] {
        let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
        let test_array = TestArray::new(&vfs, "s3://bucket/array");
        numbered(&test_array);
        write_cells(&test_array, 10..20);
        let folder = test_array.uri.join("__commits");
        let commits = vfs.list(&folder).expect("lists");
        let commit = folder.join(&commits.last().expect("a commit").name);
        vfs.remove_file(&commit).expect("removes");
        // After the first request, which lists the array.
        store.meanwhile(store.requests() + 1, move || {
            vfs.touch(&commit).expect("commits");
        });
        let now = [
            ("sm.vacuum.mode", "garbage"),
            ("sm.vacuum.garbage_min_age_ms", "0"),
        ];
        maintain_with(&test_array, &now).expect("vacuum");
        assert!(!store.clear_meanwhile());
        assert_eq!(cells(&test_array).len(), 20);
    }
}
