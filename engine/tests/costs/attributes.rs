//! The cost of an attribute of a wide array.

use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use super::setup::column::{CellType, Column, read, write};
use super::setup::{self, TestArray};
use super::{least_until, run_alone};

/// The numbers of attributes of the arrays.
const ATTRIBUTES: [usize; 2] = [500, 4000];

fn name(index: usize) -> String {
    format!("attribute {index}")
}

/// Returns an array with attributes, and one cell of each field.
fn new_wide(attributes: usize) -> (TestArray, Vec<Column>) {
    let test_array = TestArray::in_memory();
    let x = setup::dimension("x", Datatype::Int64, [0i64, 99], 10);
    let all = (0..attributes).map(|index| Attribute::new(&name(index), Datatype::Int32));
    test_array.create(&setup::schema(ArrayType::Sparse, [x], all));
    let mut columns = vec![Column::numbers("x", [7u64])];
    let cells = (0..attributes).map(|index| Column::numbers(&name(index), [index as u32]));
    columns.extend(cells);
    (test_array, columns)
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
    let _alone = run_alone();
    let wide = ATTRIBUTES.map(new_wide);
    wide.iter()
        .for_each(|(test_array, columns)| write_cell(test_array, columns));
    let queries = wide
        .each_ref()
        .map(|(test_array, _)| unordered(test_array, QueryType::Read));
    let operations: [(&str, &dyn Fn(usize)); 3] = [
        ("write", &|index| {
            // Each write is to an array of its own, so that fragments do not add up.
            let (test_array, columns) = new_wide(ATTRIBUTES[index]);
            write_cell(&test_array, &columns);
        }),
        ("read", &|index| {
            let mut query = unordered(&wide[index].0, QueryType::Read);
            let cells = (0..ATTRIBUTES[index]).map(|index| {
                let cell_type = CellType::fixed(&name(index), 4);
                Column::with_capacity(cell_type, 1, 4)
            });
            let mut columns: Vec<Column> = cells.collect();
            let cells = read(&mut query, &mut columns).expect("read");
            assert!(cells.iter().all(|cells| cells.len() == 1));
        }),
        ("estimate", &|index| {
            for attribute in 0..ATTRIBUTES[index] {
                let sizes = queries[index].estimate(&name(attribute), false, false);
                assert!(sizes.expect("estimate").data >= 4);
            }
        }),
    ];
    // 8 times as many attributes: comparing all names in each search took 17 to 33 times as long.
    let number = ATTRIBUTES[1] as f64 / ATTRIBUTES[0] as f64;
    for (name, operation) in operations {
        let holds = |[few, many]: &[f64; 2]| *many < 1.5 * number * few;
        let costs = least_until(|index, _| operation(index), holds);
        let [few, many] = [0, 1].map(|index| costs[index] * 1e6 / ATTRIBUTES[index] as f64);
        println!("{name}: {few:.2} us an attribute of few, {many:.2} us of many");
        assert!(holds(&costs), "{name}: {few} and {many} us");
    }
}
