//! Label ranges select cells by the label values that a read returns.

mod setup;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, attribute, dimension, filters, numbers};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::schema::SchemaDraft;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, DataOrder, Datatype, QueryType, Range};

const CELLS: i64 = 8;

/// Returns the schema of a dense array of CELLS numbers, with the labels "l" of its dimension.
fn schema_with_label() -> SchemaDraft {
    let index = dimension("d", Datatype::Int64, [0, CELLS - 1], 2);
    let number = attribute("a", Datatype::Int64, &[]);
    let mut schema = setup::schema(ArrayType::Dense, [index], [number]);
    let added = schema.add_label(0, "l", DataOrder::Increasing, Datatype::Float64);
    added.expect("a label");
    schema
}

#[test]
fn ranges_select_label_values_as_decoded_by_a_lossy_filter() {
    let test_array = TestArray::in_memory();
    let mut schema = schema_with_label();
    let rounding = filters(&[FilterType::ScaleFloat]);
    schema.set_label_filters("l", rounding).expect("filters");
    test_array.create(&schema);
    let subarray_of =
        |query: &tiledb_engine::internal::query::Query| Subarray::new(query.request().schema());
    let mut query = test_array.query(QueryType::Write);
    let mut all = subarray_of(&query);
    all.set_all(&setup::bytes([0, CELLS - 1])).expect("all");
    query.set_subarray(&all).expect("subarray");
    // A read returns these as whole numbers.
    let columns = [
        Column::numbers("a", 0..CELLS),
        Column::numbers("l", (0..CELLS).map(|position| position as f64 + 0.4)),
    ];
    write(&mut query, &columns).expect("write");
    for low in 0..CELLS {
        for high in low..CELLS {
            let mut query = test_array.query(QueryType::Read);
            let mut range = subarray_of(&query);
            let ends = [low, high].map(|end| (end as f64).to_le_bytes());
            let added = range.add_label_range("l", &ends[0], &ends[1]);
            added.expect("a range");
            query.set_subarray(&range).expect("subarray");
            let mut columns =
                ["a", "l"].map(|name| Column::with_capacity(CellType::fixed(name, 8), 8, 0));
            let found = read(&mut query, &mut columns).expect("read");
            let cells: Vec<i64> = found[0].iter().flat_map(|cell| numbers(&cell.0)).collect();
            let expected: Vec<i64> = (low..=high).collect();
            assert_eq!(cells, expected, "{low} to {high}");
            let labels: Vec<f64> = found[1].iter().flat_map(|cell| numbers(&cell.0)).collect();
            assert!(
                labels
                    .into_iter()
                    .eq(expected.iter().map(|position| *position as f64))
            );
        }
    }
}

#[test]
fn ranges_select_infinite_and_extreme_label_values_in_any_tile() {
    let increasing = [
        f64::NEG_INFINITY,
        f64::MIN,
        -1.0,
        0.0,
        1.0,
        2.0,
        f64::MAX,
        f64::INFINITY,
    ];
    for order in [DataOrder::Increasing, DataOrder::Decreasing] {
        for extent in [1, 2, 8] {
            let index = dimension("d", Datatype::Int64, [0, CELLS - 1], extent);
            let number = attribute("a", Datatype::Int64, &[]);
            let mut schema = setup::schema(ArrayType::Dense, [index], [number]);
            let added = schema.add_label(0, "l", order, Datatype::Float64);
            added.expect("a label");
            let test_array = TestArray::in_memory();
            test_array.create(&schema);
            let mut values = increasing;
            if order == DataOrder::Decreasing {
                values.reverse();
            }
            let mut query = test_array.query(QueryType::Write);
            let mut all = Subarray::new(query.request().schema());
            all.set_all(&setup::bytes([0, CELLS - 1])).expect("all");
            query.set_subarray(&all).expect("subarray");
            let columns = [Column::numbers("a", 0..CELLS), Column::numbers("l", values)];
            write(&mut query, &columns).expect("write");
            for first in 0..increasing.len() {
                for last in first..increasing.len() {
                    let (low, high) = (increasing[first], increasing[last]);
                    let mut query = test_array.query(QueryType::Read);
                    let mut range = Subarray::new(query.request().schema());
                    let added = range.add_label_range("l", &low.to_le_bytes(), &high.to_le_bytes());
                    added.expect("a range");
                    query.set_subarray(&range).expect("subarray");
                    let mut columns = [Column::with_capacity(CellType::fixed("a", 8), 8, 0)];
                    let found = read(&mut query, &mut columns).expect("read");
                    let cells: Vec<i64> =
                        found[0].iter().flat_map(|cell| numbers(&cell.0)).collect();
                    let expected: Vec<i64> = (0..CELLS)
                        .filter(|index| (low..=high).contains(&values[*index as usize]))
                        .collect();
                    assert_eq!(
                        cells, expected,
                        "{low} to {high}, extent {extent}, {order:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn label_ranges_that_are_added_after_a_conversion_are_converted() {
    let test_array = TestArray::in_memory();
    test_array.create(&schema_with_label());
    let query = test_array.query(QueryType::Read);
    let mut subarray = Subarray::new(query.request().schema());
    let value = 1f64.to_le_bytes();
    let added = subarray.add_label_range("l", &value, &value);
    added.expect("a range");
    let index = 3i64.to_le_bytes();
    let converted = subarray.resolve_label(0, &[Range::fixed(&index, &index)]);
    converted.expect("an index");
    assert!(!subarray.awaits_labels());
    let value = 5f64.to_le_bytes();
    let added = subarray.add_label_range("l", &value, &value);
    added.expect("another range");
    assert!(subarray.awaits_labels());
}
