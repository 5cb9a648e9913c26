//! A dense fragment with an earlier timestamp that is written during the consolidation of later
//! fragments.

use std::sync::{Arc, Mutex};

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_engine::internal::vfs::LockMode;

use crate::setup::column::{CellType, Column, read, write};
use crate::setup::{TestArray, config, dimension, numbers, schema};
use crate::storage;

/// The cells if the older fragment is written before the consolidation, and if it is written after
/// it.
const WRITTEN_FIRST: [i32; 8] = [30, 30, 30, 30, 40, 40, 20, 20];
const MERGED_FIRST: [i32; 8] = [30, 30, 20, 20, 20, 20, 20, 20];

/// Writes a value into the cells from `first` to `last`.
fn write_cells(test_array: &TestArray, timestamp: u64, [first, last]: [i32; 2]) -> Result<()> {
    let array = Array::new(&test_array.vfs, test_array.uri.as_str())?;
    array.set_open_timestamp_end(timestamp);
    array.open(QueryType::Write)?;
    let mut query = Query::new(&Arc::new(array), QueryType::Write)?;
    query.set_layout(Layout::RowMajor)?;
    let mut subarray = Subarray::new(query.request().schema());
    subarray.add_range(0, &first.to_le_bytes(), &last.to_le_bytes())?;
    query.set_subarray(&subarray)?;
    write(
        &mut query,
        &[Column::numbers(
            "number",
            (first..=last).map(|_| timestamp as i32),
        )],
    )
}

fn cells(test_array: &TestArray) -> Vec<i32> {
    let array = test_array.open_within(QueryType::Read, 0, 1000);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(Layout::RowMajor).expect("layout");
    let mut subarray = Subarray::new(query.request().schema());
    let added = subarray.add_range(0, &1i32.to_le_bytes(), &8i32.to_le_bytes());
    added.expect("range");
    query.set_subarray(&subarray).expect("subarray");
    let mut capacity = [Column::with_capacity(CellType::fixed("number", 4), 8, 0)];
    let read = read(&mut query, &mut capacity).expect("read");
    read[0]
        .iter()
        .flat_map(|cell| numbers::<i32>(&cell.0))
        .collect()
}

#[test]
fn an_older_fragment_that_appears_during_consolidation_changes_no_cell() {
    let (storage, vfs) = storage();
    let mut merged_anew = 0;
    for call in 0.. {
        let test_array = TestArray::new(&vfs, "mem://array");
        let rows = dimension("row", Datatype::Int32, [1, 8], 4);
        let number = Attribute::new("number", Datatype::Int32);
        test_array.create(&schema(ArrayType::Dense, [rows], [number]));
        for (index, ends) in [(10, [1, 8]), (30, [1, 4]), (40, [5, 6])] {
            write_cells(&test_array, index, ends).expect("write");
        }
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (inside, seen) = (test_array.clone(), shown.clone());
        storage.run_at(call, move || {
            // Writers do not wait for maintenance. A commit after the last check of the
            // consolidation counts as written after it.
            let lock = inside.vfs.try_lock(&inside.uri, LockMode::Exclusive);
            write_cells(&inside, 20, [3, 8]).expect("write");
            if lock.is_ok() {
                *seen.lock().expect("cells") = cells(&inside);
            }
        });
        let done = maintenance::consolidate(&vfs, test_array.uri.as_str(), &config(&[]));
        let has_run = storage.has_run();
        done.unwrap_or_else(|error| panic!("call {call}: {error}"));
        if !has_run {
            break;
        }
        let shown = shown.lock().expect("cells").clone();
        let after = cells(&test_array);
        if !shown.is_empty() {
            assert_eq!(after, shown, "call {call}")
        } else {
            assert!(
                after == MERGED_FIRST || after == WRITTEN_FIRST,
                "call {call}: {after:?}"
            )
        }
        merged_anew += u64::from(shown == WRITTEN_FIRST);
        vfs.remove_dir(&test_array.uri).expect("remove");
    }
    assert!(merged_anew > 0);
}
