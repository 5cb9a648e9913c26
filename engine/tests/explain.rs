//! Explanations of reads: numbers that are known in advance, and what happened.
//!
//! A test binary of its own, because statistics are recorded for the whole process.

mod setup;

use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, attribute, bytes, dimension};
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

const TILES: i32 = 20;
const PER_TILE: i32 = 1000;
const CELLS: i32 = TILES * PER_TILE;
const KINDS: [ArrayType; 2] = [ArrayType::Dense, ArrayType::Sparse];

/// Returns a subarray of a range.
fn range(query: &Query, low: i32, high: i32) -> Subarray {
    let mut subarray = Subarray::new(query.request().schema());
    subarray.set_all(&bytes([low, high])).expect("a range");
    subarray
}

/// Writes the cells `low..=high`, whose attribute "a" is the coordinate.
fn write_cells(test_array: &TestArray, kind: ArrayType, low: i32, high: i32) {
    let mut query = test_array.query(QueryType::Write);
    let mut columns = vec![Column::numbers("a", low..=high)];
    if kind == ArrayType::Sparse {
        columns.push(Column::numbers("x", low..=high));
    } else {
        let part = range(&query, low, high);
        query.set_subarray(&part).expect("subarray");
    }
    write(&mut query, &columns).expect("write");
    setup::next_millisecond();
}

fn array(kind: ArrayType) -> TestArray {
    let test_array = TestArray::in_memory();
    let line = dimension("x", Datatype::Int32, [1, CELLS], PER_TILE);
    let number = attribute("a", Datatype::Int32, &[]);
    let mut schema = setup::schema(kind, [line], [number]);
    schema.set_capacity(PER_TILE as u64).expect("capacity");
    test_array.create(&schema);
    write_cells(&test_array, kind, 1, CELLS);
    test_array
}

fn query(test_array: &TestArray, low: i32, high: i32, from: Option<i32>) -> Query {
    let mut query = test_array.query(QueryType::Read);
    query.set_layout(Layout::RowMajor).expect("layout");
    query
        .set_subarray(&range(&query, low, high))
        .expect("subarray");
    if let Some(value) = from {
        let condition = Condition::compare("a", Operator::Ge, Some(&value.to_le_bytes()));
        let condition = Arc::new(condition.expect("condition"));
        query.set_condition(&condition).expect("condition");
    }
    query
}

/// Reads all cells of "a", `capacity` at a time.
fn read_all(query: &mut Query, capacity: usize) {
    let mut columns = [Column::with_capacity(CellType::fixed("a", 4), capacity, 0)];
    while query.status() != QueryStatus::Completed {
        read(query, &mut columns).expect("read");
    }
}

#[test]
fn ranges_and_statistics_exclude_tiles() {
    for kind in KINDS {
        let test_array = array(kind);
        // Tiles 3 to 10, of which the condition excludes the first four.
        let query = query(&test_array, 2001, 10_000, Some(6001));
        let explanation = query.explain(&["a"]).expect("explanation");
        let survey = explanation.survey;
        assert_eq!((survey.fragments, survey.tiles), (1, 20), "{kind:?}");
        assert_eq!(survey.tiles_outside, 12, "{kind:?}");
        assert_eq!(survey.tiles_excluded, 4, "{kind:?}");
        assert_eq!((survey.read_tiles, survey.cut_tiles), (4, 0), "{kind:?}");
        assert_eq!(survey.read_cells, 4000, "{kind:?}");
        assert!(survey.stored_bytes >= 16_000, "{kind:?}");
        assert_eq!(survey.decoded_bytes, 16_000, "{kind:?}");
        assert_eq!(explanation.outcome, None);
        assert_eq!(explanation.condition_fields, ["a"]);
        assert_eq!(query.status(), QueryStatus::Uninitialized);
    }
}

#[test]
fn outcomes_have_the_numbers_of_the_submits() {
    for kind in KINDS {
        let test_array = array(kind);
        let mut query = query(&test_array, 1501, 9500, None);
        read_all(&mut query, 500);
        let explanation = query.explain(&[]).expect("explanation");
        let outcome = explanation.outcome.as_ref().expect("an outcome");
        assert!(outcome.is_complete);
        assert_eq!((outcome.submits, outcome.cells), (16, 8000), "{kind:?}");
        assert_eq!(outcome.returned_bytes, 32_000, "{kind:?}");
        assert!(outcome.decoded_bytes >= 32_000, "{kind:?}");
        assert!(
            outcome.requests > 0 && outcome.stored_bytes >= 32_000,
            "{kind:?}"
        );
        assert!(!outcome.times.is_empty(), "{kind:?}");
        assert_eq!(explanation.survey.cut_tiles, 2, "{kind:?}");
        let hints = explanation.hints.join("\n");
        assert!(hints.contains("filled 16 times"), "{kind:?}: {hints}");
        let text = explanation.to_string();
        assert!(text.contains("8,000 cells in 16 submits"), "{text}");
        let json: serde_json::Value = serde_json::from_str(&explanation.to_json()).expect("JSON");
        assert_eq!(json["outcome"]["cells"], 8000);
        assert_eq!(json["plan"]["tiles_cut_by_ranges"], 2);
    }
}

#[test]
fn newer_fragments_hide_tiles_of_dense_arrays() {
    let test_array = array(ArrayType::Dense);
    write_cells(&test_array, ArrayType::Dense, 1001, 3000);
    let explanation = query(&test_array, 1, CELLS, None).explain(&["a"]);
    let survey = explanation.expect("explanation").survey;
    assert_eq!((survey.fragments, survey.read_fragments), (2, 2));
    assert_eq!(
        (survey.tiles, survey.tiles_hidden, survey.read_tiles),
        (22, 2, 20)
    );
}

#[test]
fn hints_have_numbers() {
    let test_array = array(ArrayType::Sparse);
    for part in 0..12 {
        write_cells(&test_array, ArrayType::Sparse, 1 + part, 100 + part);
    }
    let explanation = query(&test_array, 1, CELLS, None).explain(&["a"]);
    let hints = explanation.expect("explanation").hints.join("\n");
    assert!(hints.contains("13 fragments overlap"), "{hints}");
    // Every tile may contain cells that satisfy the condition.
    let explanation = query(&test_array, 1, 3000, Some(2)).explain(&["a"]);
    let hints = explanation.expect("explanation").hints.join("\n");
    assert!(
        hints.contains("the condition on `a` pruned none of"),
        "{hints}"
    );
}

#[test]
fn tiles_without_selected_cells_are_counted() {
    let test_array = TestArray::in_memory();
    let line = dimension("x", Datatype::Int32, [1, CELLS], PER_TILE);
    let number = attribute("a", Datatype::Int32, &[]);
    let mut schema = setup::schema(ArrayType::Sparse, [line], [number]);
    schema.set_capacity(4).expect("capacity");
    test_array.create(&schema);
    let mut written = test_array.query(QueryType::Write);
    let columns = [
        Column::numbers("x", 1..=40),
        // The minima and maxima of all tiles contain 5.
        Column::numbers("a", (0..40).map(|cell| if cell % 2 == 0 { 0 } else { 10 })),
    ];
    write(&mut written, &columns).expect("write");
    let mut query = test_array.query(QueryType::Read);
    query.set_layout(Layout::Unordered).expect("layout");
    let condition = Condition::compare("a", Operator::Eq, Some(&5i32.to_le_bytes()));
    let condition = Arc::new(condition.expect("condition"));
    query.set_condition(&condition).expect("condition");
    read_all(&mut query, 40);
    let explanation = query.explain(&[]).expect("explanation");
    assert_eq!(explanation.survey.read_tiles, 10);
    let outcome = explanation.outcome.expect("an outcome");
    assert_eq!((outcome.tiles_without_results, outcome.cells), (10, 0));
}

#[test]
fn explanations_of_writes_are_errors() {
    let test_array = array(ArrayType::Sparse);
    assert!(test_array.query(QueryType::Write).explain(&[]).is_err());
}
