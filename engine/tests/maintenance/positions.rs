//! Consolidation changes the position of cells among fragments, but not which of them are read.

use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use super::setup::column::{CellType, Column, read, write};
use super::setup::{TestArray, attribute, config, dimension, numbers, schema};

/// Coordinates of an array.
const SIDE: i32 = 12;

fn created(kind: ArrayType) -> TestArray {
    let test_array = TestArray::in_memory();
    let domain = dimension("d", Datatype::Int32, [0, SIDE - 1], SIDE);
    let number = attribute("a", Datatype::Int32, &[]);
    test_array.create(&schema(kind, [domain], [number]));
    test_array
}

/// Writes a number to the coordinates from `low` to `high` at a timestamp.
fn write_at(test_array: &TestArray, timestamp: u64, (low, high): (i32, i32), number: i32) {
    let array = test_array.open_within(QueryType::Write, 0, timestamp);
    let mut query = Query::new(&array, QueryType::Write).expect("query");
    let mut columns = Vec::new();
    if query.request().schema().is_dense() {
        let mut subarray = Subarray::new(query.request().schema());
        let added = subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("range");
        query.set_subarray(&subarray).expect("subarray");
    } else {
        query.set_layout(Layout::Unordered).expect("layout");
        columns.push(Column::numbers("d", low..=high));
    }
    columns.push(Column::numbers("a", (low..=high).map(|_| number)));
    write(&mut query, &columns).expect("write");
    query.finalize().expect("finalize");
}

/// Returns the numbers of all cells until a timestamp, in the order of coordinates.
fn numbers_until(test_array: &TestArray, timestamp: u64) -> Vec<i32> {
    let array = test_array.open_within(QueryType::Read, 0, timestamp);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(Layout::RowMajor).expect("layout");
    let mut subarray = Subarray::new(query.request().schema());
    let added = subarray.add_range(0, &0i32.to_le_bytes(), &(SIDE - 1).to_le_bytes());
    added.expect("range");
    query.set_subarray(&subarray).expect("subarray");
    let mut columns = [Column::with_capacity(CellType::fixed("a", 4), 100, 0)];
    let cells = read(&mut query, &mut columns).expect("read");
    let cells = cells[0].iter();
    cells.flat_map(|cell| numbers::<i32>(&cell.0)).collect()
}

/// Returns the names of the visible fragments, oldest first.
fn names(test_array: &TestArray) -> Vec<String> {
    let array = test_array.open_within(QueryType::Read, 0, 1000);
    let fragments = array.snapshot().expect("open").fragments.clone();
    let names = fragments.iter().map(|fragment| fragment.name().as_str());
    names.map(str::to_owned).collect()
}

fn consolidate(test_array: &TestArray, parameters: &[(&str, &str)]) {
    let done = maintenance::consolidate(
        &test_array.vfs,
        test_array.uri.as_str(),
        &config(parameters),
    );
    done.expect("consolidated");
}

#[test]
fn a_time_range_is_not_consolidated_over_a_fragment_partly_in_it() {
    let test_array = created(ArrayType::Dense);
    write_at(&test_array, 5, (0, SIDE - 1), 5);
    write_at(&test_array, 30, (0, SIDE - 1), 30);
    consolidate(&test_array, &[]);
    write_at(&test_array, 10, (0, 0), 10);
    write_at(&test_array, 20, (SIDE - 1, SIDE - 1), 20);
    let before = numbers_until(&test_array, 100);
    assert_eq!(before[..2], [10, 30]);
    for end in ["20", "29"] {
        consolidate(&test_array, &[("sm.consolidation.timestamp_end", end)]);
        assert_eq!(numbers_until(&test_array, 100), before);
    }
    consolidate(&test_array, &[]);
    assert_eq!(numbers_until(&test_array, 100), before);
    assert_eq!(names(&test_array).len(), 1);
}

#[test]
fn sparse_cells_with_equal_timestamps_keep_their_order() {
    let test_array = created(ArrayType::Sparse);
    write_at(&test_array, 10, (0, 3), 1);
    write_at(&test_array, 20, (2, 6), 2);
    write_at(&test_array, 20, (4, 8), 3);
    let before = numbers_until(&test_array, 100);
    assert_eq!(before, [1, 1, 2, 2, 3, 3, 3, 3, 3]);
    let all = names(&test_array);
    let chosen = [all[0].as_str(), all[2].as_str()];
    let (vfs, uri) = (&test_array.vfs, test_array.uri.as_str());
    let refused = maintenance::consolidate_fragments(vfs, uri, &chosen, &config(&[]));
    let message = refused.expect_err("another one is between").to_string();
    assert!(message.contains(&all[1]), "{message}");
    assert_eq!(numbers_until(&test_array, 100), before);
    // The consolidated fragment would be after the one between, which has its start.
    let other = created(ArrayType::Sparse);
    write_at(&other, 10, (0, 3), 1);
    write_at(&other, 10, (2, 6), 2);
    write_at(&other, 20, (8, 9), 3);
    let all_of_other = names(&other);
    let chosen = [all_of_other[0].as_str(), all_of_other[2].as_str()];
    let refused =
        maintenance::consolidate_fragments(&other.vfs, other.uri.as_str(), &chosen, &config(&[]));
    refused.expect_err("another one is between");
    // Without a fragment between, and with different timestamps.
    write_at(&test_array, 30, (8, 9), 4);
    let all = names(&test_array);
    let chosen = [all[0].as_str(), all[1].as_str(), all[3].as_str()];
    maintenance::consolidate_fragments(vfs, uri, &chosen, &config(&[])).expect("consolidated");
    assert_eq!(
        numbers_until(&test_array, 100),
        [1, 1, 2, 2, 3, 3, 3, 3, 4, 4]
    );
}

#[test]
fn purged_cells_do_not_reveal_older_ones() {
    let test_array = created(ArrayType::Sparse);
    write_at(&test_array, 10, (1, 3), 5);
    write_at(&test_array, 20, (1, 2), 7);
    write_at(&test_array, 30, (4, 4), 1);
    let condition = Condition::compare("a", Operator::Eq, Some(&7i32.to_le_bytes()));
    let array = test_array.open_within(QueryType::Delete, 0, 40);
    let mut query = Query::new(&array, QueryType::Delete).expect("query");
    let condition = std::sync::Arc::new(condition.expect("condition"));
    query.set_condition(&condition).expect("condition");
    query.delete().expect("delete");
    assert_eq!(numbers_until(&test_array, 100), [5, 1]);
    let all = names(&test_array);
    let purge = config(&[("sm.consolidation.purge_deleted_cells", "true")]);
    let chosen = [all[1].as_str(), all[2].as_str()];
    let (vfs, uri) = (&test_array.vfs, test_array.uri.as_str());
    maintenance::consolidate_fragments(vfs, uri, &chosen, &purge).expect("consolidated");
    assert_eq!(numbers_until(&test_array, 100), [5, 1]);
    consolidate(
        &test_array,
        &[
            ("sm.consolidation.purge_deleted_cells", "true"),
            ("sm.consolidation.timestamp_start", "15"),
        ],
    );
    assert_eq!(numbers_until(&test_array, 100), [5, 1]);
    test_array.vacuum("fragments");
    assert_eq!(numbers_until(&test_array, 100), [5, 1]);
    consolidate(
        &test_array,
        &[("sm.consolidation.purge_deleted_cells", "true")],
    );
    assert_eq!(numbers_until(&test_array, 100), [5, 1]);
}
