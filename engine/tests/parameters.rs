//! Configuration parameters have the effects that their documentation states.

mod setup;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, attribute, config, dimension, numbers, schema, text, vfs};
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::inspect::FragmentInfo;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

const CELLS: [i32; 4] = [10, 20, 30, 40];

/// Creates a sparse array with an MD5 checksum on its attribute and one fragment of [`CELLS`].
fn checked_array(folder: &Path) -> TestArray {
    let test_array = TestArray::new(&vfs(&[]), folder.join("array").to_str().expect("path"));
    let key = dimension("key", Datatype::Int32, [1, 100], 100);
    let value = attribute("value", Datatype::Int32, &[FilterType::ChecksumMd5]);
    test_array.create(&schema(ArrayType::Sparse, [key], [value]));
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    let columns = [
        Column::numbers("key", [1, 2, 3, 4]),
        Column::numbers("value", CELLS),
    ];
    write(&mut query, &columns).expect("write");
    query.finalize().expect("finalize");
    test_array
}

/// Creates a sparse array with one fragment whose R-tree is larger than what an open reads of its
/// metadata.
fn array_of_many_tiles(folder: &Path) -> TestArray {
    let test_array = TestArray::new(&vfs(&[]), folder.join("array").to_str().expect("path"));
    let key = dimension("key", Datatype::Int32, [1, 100_000], 100_000);
    let value = attribute("value", Datatype::Int32, &[]);
    let mut draft = schema(ArrayType::Sparse, [key], [value]);
    draft.set_capacity(1).expect("capacity");
    test_array.create(&draft);
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    // Random keys, which do not compress well.
    let keys = || (0..20_000u64).map(|key| (key * 2_654_435_761 % 99_991) as i32 + 1);
    let columns = [
        Column::numbers("key", keys()),
        Column::numbers("value", keys()),
    ];
    write(&mut query, &columns).expect("write");
    query.finalize().expect("finalize");
    test_array
}

/// Returns the folder of the only fragment of an array.
fn fragment_folder(folder: &Path) -> PathBuf {
    let fragments = fs::read_dir(folder.join("array/__fragments")).expect("folder");
    let mut fragments = fragments.map(|entry| entry.expect("entry").path());
    fragments.next().expect("a fragment")
}

fn read_values(test_array: &TestArray) -> Result<Vec<i32>> {
    let array = test_array.open(QueryType::Read);
    let mut query = Query::new(&array, QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    let mut columns = [Column::with_capacity(CellType::fixed("value", 4), 10, 0)];
    let cells = read(&mut query, &mut columns)?;
    let values = cells[0].iter().flat_map(|cell| numbers(&cell.0));
    Ok(values.collect())
}

#[test]
fn checksums_are_compared_unless_skip_checksum_validation_is_set() {
    let folder = tempfile::tempdir().expect("folder");
    let test_array = checked_array(folder.path());
    let file = fragment_folder(folder.path()).join("a0.tdb");
    let mut bytes = fs::read(&file).expect("file");
    let stored: Vec<u8> = CELLS.iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let index = bytes.windows(stored.len()).position(|part| part == stored);
    bytes[index.expect("the cells are stored as they are")] = 11;
    fs::write(&file, bytes).expect("file");

    let error = read_values(&test_array).expect_err("the checksum is wrong");
    assert!(error.to_string().contains("md5 filter: digest"), "{error}");
    let skipping = vfs(&[("sm.skip_checksum_validation", "true")]);
    let skipping = TestArray::new(&skipping, test_array.uri.as_str());
    assert_eq!(read_values(&skipping).expect("read"), [11, 20, 30, 40]);
}

#[test]
fn preload_mbrs_loads_the_rtrees_with_the_fragment_info() {
    for preloads in [false, true] {
        let folder = tempfile::tempdir().expect("folder");
        let test_array = array_of_many_tiles(folder.path());
        let info =
            FragmentInfo::new(&test_array.vfs, test_array.uri.as_str()).expect("fragment info");
        let preload = [("sm.fragment_info.preload_mbrs", "true")];
        let parameters = if preloads { &preload[..] } else { &[] };
        info.set_config(&config(parameters)).expect("config");
        info.load().expect("load");
        fs::remove_dir_all(fragment_folder(folder.path())).expect("removed");
        assert_eq!(info.mbr_num(0).is_ok(), preloads);
    }
}

#[test]
fn no_thread_for_storage_is_an_error_when_fragments_are_opened() {
    let folder = tempfile::tempdir().expect("folder");
    let test_array = checked_array(folder.path());
    let none = vfs(&[("sm.io_concurrency_level", "0")]);
    let array = Arc::new(
        tiledb_engine::internal::array::Array::new(&none, test_array.uri.as_str()).expect("array"),
    );
    array.open(QueryType::Read).expect("open");
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(Layout::RowMajor).expect("layout");
    let mut columns = [Column::with_capacity(CellType::fixed("value", 4), 10, 0)];
    let error = read(&mut query, &mut columns).expect_err("no threads");
    assert!(
        error.to_string().contains("'sm.io_concurrency_level' is 0"),
        "{error}"
    );
}

/// Creates a sparse array with duplicates, two cells per tile and fragments of 100, 1,000, 5,000
/// and 10,000 cells.
fn array_of_small_tiles(folder: &Path) -> TestArray {
    let test_array = TestArray::new(&vfs(&[]), folder.join("array").to_str().expect("path"));
    let key = dimension("key", Datatype::Int32, [1, 20_000], 20_000);
    let fields = [attribute("value", Datatype::Int32, &[]), text("text", &[])];
    let mut draft = schema(ArrayType::Sparse, [key], fields);
    draft.set_capacity(2).expect("capacity");
    draft.set_allows_dups(true).expect("duplicates");
    test_array.create(&draft);
    let mut first = 1;
    for cells in [100, 1_000, 5_000, 10_000] {
        let keys = || first..first + cells;
        let mut query = test_array.query(QueryType::Write);
        query.set_layout(Layout::Unordered).expect("layout");
        let columns = [
            Column::numbers("key", keys()),
            Column::numbers("value", keys()),
            Column::texts("text", keys().map(|key| key.to_string())),
        ];
        write(&mut query, &columns).expect("write");
        query.finalize().expect("finalize");
        first += cells;
    }
    test_array
}

#[test]
fn tile_offsets_are_loaded_in_parts_if_partial_tile_offsets_loading_is_set() {
    let folder = tempfile::tempdir().expect("folder");
    array_of_small_tiles(folder.path());
    let budget = [
        ("sm.mem.total_budget", "3300000"),
        (
            "sm.mem.reader.sparse_unordered_with_dups.ratio_array_data",
            "0.002",
        ),
    ];
    let read_all = |partial: &str| {
        let parameters = [&budget[..], &[("sm.partial_tile_offsets_loading", partial)]].concat();
        let path = folder.path().join("array");
        let test_array = TestArray::new(&vfs(&parameters), path.to_str().expect("path"));
        let array = test_array.open(QueryType::Read);
        let mut query = Query::new(&array, QueryType::Read)?;
        query.set_layout(Layout::Unordered)?;
        let mut columns = [
            Column::with_capacity(CellType::fixed("value", 4), 20_000, 0),
            Column::with_capacity(CellType::var("text"), 20_000, 200_000),
        ];
        read(&mut query, &mut columns)
    };
    let error = read_all("false").expect_err("the offsets take more than the budget");
    let error = error.to_string();
    assert!(
        error.contains("for tile offsets") && error.contains("budget of 6600 bytes"),
        "{error}"
    );
    let cells = read_all("true").expect("read");
    let values: Vec<i32> = cells[0].iter().flat_map(|cell| numbers(&cell.0)).collect();
    assert_eq!(values, (1..=16_100).collect::<Vec<i32>>());
    let texts = cells[1].iter().map(|cell| String::from_utf8_lossy(&cell.0));
    assert!(texts.eq((1..=16_100).map(|key| key.to_string())));
}
