//! Extreme arguments: capacities that exceed memory, dense arrays with more cells than 64 bits can
//! count, and overlapping ranges that repeat sparse cells too often to fit into memory.

mod setup;

use setup::TestArray;
use setup::column::{CellType, Column, read, write};
use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::condition::{Condition, Operator as Compared};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, Value};

/// The number of coordinates of a dimension. Two dimensions have more cells than 64 bits can count.
const SIDE: u64 = 1 << 40;

#[test]
fn a_few_cells_can_be_written_with_any_capacity() {
    for capacity in [1 << 32, 1 << 60, 1 << 61, u64::MAX] {
        for layout in [Layout::Unordered, Layout::GlobalOrder] {
            let test_array = TestArray::in_memory();
            let dimension = setup::dimension("d", Datatype::Int64, [0i64, 99], 10);
            let attribute = Attribute::new("a", Datatype::Int64);
            let mut schema = setup::schema(ArrayType::Sparse, [dimension], [attribute]);
            schema.set_capacity(capacity).expect("capacity");
            test_array.create(&schema);
            let mut query = test_array.query(QueryType::Write);
            query.set_layout(layout).expect("layout");
            for first in [1i64, 50] {
                if first > 1 && layout == Layout::Unordered {
                    break;
                }
                let columns = [
                    Column::numbers("d", first..first + 3),
                    Column::numbers("a", first..first + 3),
                ];
                write(&mut query, &columns).expect("write");
            }
            query.finalize().expect("finalize");
            let mut cells = [Column::with_capacity(CellType::fixed("a", 8), 9, 0)];
            let found = read(&mut test_array.query(QueryType::Read), &mut cells).expect("read");
            let found: Vec<i64> = found[0].iter().map(|cell| i64::read(&cell.0)).collect();
            let expected: &[i64] = match layout {
                Layout::Unordered => &[1, 2, 3],
                _ => &[1, 2, 3, 50, 51, 52],
            };
            assert_eq!(found, expected, "{capacity} {layout:?}");
        }
    }
}

/// Creates an empty dense array of one-byte numbers with `extent` coordinates per tile and
/// dimension.
fn vast(dims: usize, extent: u64) -> TestArray {
    let test_array = TestArray::in_memory();
    let dimensions = (0..dims).map(|index| {
        let name = format!("d{index}");
        setup::dimension(&name, Datatype::Uint64, [0, SIDE - 1], extent)
    });
    let attribute = Attribute::new("a", Datatype::Uint8);
    let dimensions: Vec<_> = dimensions.collect();
    test_array.create(&setup::schema(ArrayType::Dense, dimensions, [attribute]));
    test_array
}

/// Returns a query of a range of each dimension.
fn query(test_array: &TestArray, query_type: QueryType, ranges: &[(u64, u64)]) -> Query {
    let mut query = test_array.query(query_type);
    let mut subarray = Subarray::new(query.request().schema());
    for (dim, (low, high)) in (0..).zip(ranges) {
        let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    query.set_subarray(&subarray).expect("subarray");
    query
}

fn fill(test_array: &TestArray, ranges: &[(u64, u64)], numbers: std::ops::Range<u8>) {
    let column = [Column::numbers("a", numbers)];
    write(&mut query(test_array, QueryType::Write, ranges), &column).expect("write");
}

#[test]
fn a_result_of_more_cells_than_64_bits_count_can_be_begun() {
    const CAPACITY: usize = (1 << 25) + 100;
    let test_array = vast(2, 1024);
    fill(&test_array, &[(0, 1), (0, 9)], 0..20);
    let rows: Vec<u8> = (0..10).collect();
    let columns = [0, 10];
    for (layout, first) in [
        (Layout::RowMajor, &rows[..]),
        (Layout::ColMajor, &columns[..]),
    ] {
        let mut query = query(
            &test_array,
            QueryType::Read,
            &[(0, SIDE - 1), (0, SIDE - 1)],
        );
        query.set_layout(layout).expect("layout");
        let mut data = vec![7; CAPACITY];
        let sizes = query.read(&mut [FieldBuffers::fixed("a", &mut data)]);
        assert_eq!(query.status(), QueryStatus::Incomplete);
        let delivered = sizes.expect("read")[0].data as usize;
        // All but a part of the last tile.
        assert!(delivered > CAPACITY - 1024, "{delivered}");
        let (head, rest) = data[..delivered].split_at(first.len());
        assert_eq!(head, first, "{layout:?}");
        assert!(rest.iter().all(|cell| *cell == u8::MAX), "{layout:?}");
    }
}

#[test]
fn aggregates_and_explanations_do_not_visit_empty_tiles() {
    for dims in [1, 2] {
        let test_array = vast(dims, 16);
        let middle = SIDE / 2 + 100;
        let written = [(middle, middle), (middle, middle + 9)];
        fill(&test_array, &written[2 - dims..], 1..11);
        setup::next_millisecond();
        let corner = [(0, 0), (0, 9)];
        fill(&test_array, &corner[2 - dims..], 100..110);
        let whole = vec![(0, SIDE - 1); dims];
        let mut query = query(&test_array, QueryType::Read, &whole);
        let condition = Condition::compare("a", Compared::Gt, Some(&[3]));
        let condition = std::sync::Arc::new(condition.expect("condition"));
        query.set_condition(&condition).expect("condition");
        let sum = query
            .make_aggregate(AggregateOperator::Sum, "a")
            .expect("sum");
        query.add_aggregate("sum", &sum).expect("sum");
        let explanation = query.explain(&[]).expect("explanation");
        assert_eq!(explanation.survey.read_tiles, 2, "{dims} dimensions");
        let mut answer = [Column::with_capacity(CellType::fixed("sum", 8), 1, 0)];
        let found = read(&mut query, &mut answer).expect("read");
        assert_eq!(u64::read(&found[0][0].0), 49 + 1045, "{dims} dimensions");
    }
}

#[test]
fn cells_that_ranges_repeat_more_often_than_memory_holds_are_delivered_in_parts() {
    const TIMES: usize = 1 << 20;
    let test_array = TestArray::in_memory();
    let dimensions = ["d", "e"].map(|name| setup::dimension(name, Datatype::Int32, [0i32, 9], 10));
    let attribute = Attribute::new("a", Datatype::Int32);
    test_array.create(&setup::schema(ArrayType::Sparse, dimensions, [attribute]));
    for _ in 0..2 {
        let columns = ["d", "e", "a"].map(|name| Column::numbers(name, 0..2i32));
        write(&mut test_array.query(QueryType::Write), &columns).expect("write");
        let mut query = test_array.query(QueryType::Read);
        query.set_layout(Layout::RowMajor).expect("layout");
        let mut subarray = Subarray::new(query.request().schema());
        let points = vec![1i32.to_le_bytes(); TIMES].concat();
        for dim in 0..2 {
            subarray.add_points(dim, &points).expect("points");
        }
        query.set_subarray(&subarray).expect("subarray");
        let mut capacity = [Column::with_capacity(CellType::fixed("a", 4), 10, 0)];
        for _ in 0..3 {
            let cells = read(&mut query, &mut capacity).expect("a part");
            assert_eq!(query.status(), QueryStatus::Incomplete);
            let expected = (1i32.to_le_bytes().to_vec(), 1);
            assert_eq!(cells[0], vec![expected; 10]);
        }
    }
}
