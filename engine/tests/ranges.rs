//! Overlapping ranges: united, so that cells are returned once, or separate, so that cells are
//! returned once per range.

mod setup;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, numbers};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

const CELLS: i32 = 100;

/// Creates cells at 0 to 99; each value is the coordinate.
fn line() -> TestArray {
    let test_array = TestArray::in_memory();
    let dimension = setup::dimension("d", Datatype::Int32, [0, CELLS - 1], 10);
    let attribute = Attribute::new("a", Datatype::Int32);
    test_array.create(&setup::schema(ArrayType::Sparse, [dimension], [attribute]));
    let columns = ["d", "a"].map(|name| Column::numbers(name, 0..CELLS));
    write(&mut test_array.query(QueryType::Write), &columns).expect("write");
    test_array
}

/// Returns a read of ranges. Overlapping ranges are united unless `separate` is set.
fn query(test_array: &TestArray, layout: Layout, ranges: &[(i32, i32)], separate: bool) -> Query {
    let mut query = test_array.query(QueryType::Read);
    query.set_layout(layout).expect("layout");
    let mut subarray = Subarray::new(query.request().schema());
    if separate {
        let parameter = ("sm.merge_overlapping_ranges_experimental", "false");
        let config = setup::config(&[parameter]);
        subarray.set_config(&config).expect("config");
    }
    for (low, high) in ranges {
        let added = subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    query.set_subarray(&subarray).expect("subarray");
    query
}

fn cells(query: &mut Query) -> tiledb_engine::Result<Vec<i32>> {
    let mut columns = [Column::with_capacity(CellType::fixed("a", 4), 500, 0)];
    let found = read(query, &mut columns)?;
    Ok(found[0].iter().flat_map(|cell| numbers(&cell.0)).collect())
}

#[test]
fn ranges_that_become_one_are_read_in_global_order() {
    let test_array = line();
    for (ranges, low, high) in [
        (&[(0, 99), (0, 99)][..], 0, 99),
        (&[(50, 99), (0, 60)], 0, 99),
        (&[(50, 99), (0, 49)], 0, 99),
        (&[(0, 10), (20, 30), (5, 25)], 0, 30),
        (&[(5, 5), (5, 5)], 5, 5),
    ] {
        let mut one = query(&test_array, Layout::GlobalOrder, ranges, false);
        let expected: Vec<i32> = (low..=high).collect();
        assert_eq!(cells(&mut one).expect("read"), expected, "{ranges:?}");
        let mut several = query(&test_array, Layout::GlobalOrder, ranges, true);
        let error = cells(&mut several).expect_err("several ranges");
        assert!(
            error.to_string().contains("one range per dimension"),
            "{error}"
        );
    }
    let mut separate = query(
        &test_array,
        Layout::GlobalOrder,
        &[(0, 10), (20, 30)],
        false,
    );
    assert!(cells(&mut separate).is_err());
}

#[test]
fn estimates_count_cells_for_each_range() {
    let test_array = line();
    let mut twice = query(&test_array, Layout::RowMajor, &[(0, 49), (20, 99)], false);
    let estimate = twice.estimate("a", false, false).expect("estimate");
    let delivered = cells(&mut twice).expect("read").len() as u64;
    assert_eq!(delivered, 50 + 80);
    assert_eq!(estimate.data, 4 * delivered);
}
