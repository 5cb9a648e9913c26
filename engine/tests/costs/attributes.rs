//! The cost of an attribute or a dimension of a wide array.

use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use super::setup::column::{CellType, Column, read, write};
use super::setup::{self, TestArray};
use super::{least_until, run_alone};

/// The numbers of fields of the arrays.
const FIELDS: [usize; 2] = [500, 4000];

fn name(index: usize) -> String {
    format!("field {index}")
}

/// Returns an array with fields of four bytes, and one cell of each: a dimension and attributes, or
/// only dimensions.
fn new_wide(fields: usize, is_of_dimensions: bool) -> (TestArray, Vec<Column>) {
    let test_array = TestArray::in_memory();
    let dimension_num = if is_of_dimensions { fields } else { 1 };
    let dimensions = (0..dimension_num)
        .map(|index| setup::dimension(&name(index), Datatype::Int32, [0i32, 99_999], 10));
    let attributes =
        (dimension_num..fields).map(|index| Attribute::new(&name(index), Datatype::Int32));
    test_array.create(&setup::schema(ArrayType::Sparse, dimensions, attributes));
    let columns = (0..fields).map(|index| Column::numbers(&name(index), [index as u32]));
    (test_array, columns.collect())
}

fn unordered(test_array: &TestArray, query_type: QueryType) -> Query {
    let mut query = test_array.query(query_type);
    query.set_layout(Layout::Unordered).expect("layout");
    query
}

fn write_cell(test_array: &TestArray, columns: &[Column]) {
    let mut query = unordered(test_array, QueryType::Write);
    write(&mut query, columns).expect("write");
    query.finalize().expect("finalize");
}

#[test]
fn the_cost_of_an_attribute_does_not_grow_with_their_number() {
    check_costs(false);
}

#[test]
fn the_cost_of_a_dimension_does_not_grow_with_their_number() {
    check_costs(true);
}

/// Checks that the operations on an array of many fields cost as much for a field as those on one
/// of few.
fn check_costs(are_dimensions: bool) {
    let _alone = run_alone();
    let wide = FIELDS.map(|fields| new_wide(fields, are_dimensions));
    wide.iter()
        .for_each(|(test_array, columns)| write_cell(test_array, columns));
    let queries = wide
        .each_ref()
        .map(|(test_array, _)| unordered(test_array, QueryType::Read));
    let one_field = |index: usize| {
        let mut query = unordered(&wide[index].0, QueryType::Read);
        let mut columns = [Column::with_capacity(CellType::fixed(&name(0), 4), 1, 4)];
        let cells = read(&mut query, &mut columns).expect("read");
        assert_eq!(cells[0].len(), 1);
    };
    let operations: [(&str, &dyn Fn(usize)); 4] = [
        ("write", &|index| {
            // Each write is to an array of its own, so that fragments do not add up.
            let (test_array, columns) = new_wide(FIELDS[index], are_dimensions);
            write_cell(&test_array, &columns);
        }),
        ("read", &|index| {
            let mut query = unordered(&wide[index].0, QueryType::Read);
            let cells = (0..FIELDS[index]).map(|index| {
                let cell_type = CellType::fixed(&name(index), 4);
                Column::with_capacity(cell_type, 1, 4)
            });
            let mut columns: Vec<Column> = cells.collect();
            let cells = read(&mut query, &mut columns).expect("read");
            assert!(cells.iter().all(|cells| cells.len() == 1));
        }),
        ("read one", &one_field),
        ("estimate", &|index| {
            // The estimate of a sparse read plans all dimensions.
            let number = if are_dimensions { 1 } else { FIELDS[index] };
            for field in 0..number {
                let sizes = queries[index].estimate(&name(field), false, false);
                assert!(sizes.expect("estimate").data >= 4);
            }
        }),
    ];
    // 8 times as many attributes: comparing all names in each search took 17 to 33 times as long.
    let number = FIELDS[1] as f64 / FIELDS[0] as f64;
    for (name, operation) in operations {
        let holds = |[few, many]: &[f64; 2]| *many < 1.5 * number * few;
        let costs = least_until(|index, _| operation(index), holds);
        let [few, many] = [0, 1].map(|index| costs[index] * 1e6 / FIELDS[index] as f64);
        assert!(holds(&costs), "{name}: {few} and {many} us");
    }
}
