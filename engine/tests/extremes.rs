//! Arguments at their extremes: capacities that no memory holds, dense arrays with more cells than numbers count, and sparse
//! cells that come more often than memory holds.

mod setup;

use setup::Place;
use setup::column::{Column, Looks, read, write};
use tiledb_engine::aggregate::AggregateOperator;
use tiledb_engine::buffers::FieldBuffers;
use tiledb_engine::condition::{Condition, Operator as Compared};
use tiledb_engine::error::ErrorKind;
use tiledb_engine::query::Query;
use tiledb_engine::schema::Attribute;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType, Value};

/// The coordinates of a dimension of a vast array, from 0 on; two of them have more cells than numbers count.
const SIDE: u64 = 1 << 40;

#[test]
fn any_capacity_holds_a_few_cells() {
    for capacity in [1 << 32, 1 << 60, 1 << 61, u64::MAX] {
        for layout in [Layout::Unordered, Layout::GlobalOrder] {
            let place = Place::in_memory();
            let dimension = setup::dimension("d", Datatype::Int64, [0i64, 99], 10);
            let attribute = Attribute::new("a", Datatype::Int64);
            let mut schema = setup::schema(ArrayType::Sparse, [dimension], [attribute]);
            schema.set_capacity(capacity).expect("capacity");
            place.create(&schema);
            let mut query = place.query(QueryType::Write);
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
            let mut cells = [Column::room(Looks::fixed("a", 8), 9, 0)];
            let found = read(&mut place.query(QueryType::Read), &mut cells).expect("read");
            let found: Vec<i64> = found[0].iter().map(|cell| i64::read(&cell.0)).collect();
            let expected: &[i64] = match layout {
                Layout::Unordered => &[1, 2, 3],
                _ => &[1, 2, 3, 50, 51, 52],
            };
            assert_eq!(found, expected, "{capacity} {layout:?}");
        }
    }
}

/// A dense array of numbers of one byte, in tiles of `extent` coordinates each way. It has no cells yet.
fn vast(dims: usize, extent: u64) -> Place {
    let place = Place::in_memory();
    let dimensions = (0..dims).map(|at| {
        let name = format!("d{at}");
        setup::dimension(&name, Datatype::Uint64, [0, SIDE - 1], extent)
    });
    let attribute = Attribute::new("a", Datatype::Uint8);
    let dimensions: Vec<_> = dimensions.collect();
    place.create(&setup::schema(ArrayType::Dense, dimensions, [attribute]));
    place
}

/// A query of a range of each dimension.
fn query(place: &Place, query_type: QueryType, ranges: &[(u64, u64)]) -> Query {
    let mut query = place.query(query_type);
    let mut subarray = Subarray::new(query.schema());
    for (dim, (low, high)) in (0..).zip(ranges) {
        let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    query.set_subarray(&subarray).expect("subarray");
    query
}

fn fill(place: &Place, ranges: &[(u64, u64)], numbers: std::ops::Range<u8>) {
    let column = [Column::numbers("a", numbers)];
    write(&mut query(place, QueryType::Write, ranges), &column).expect("write");
}

#[test]
fn a_result_that_no_number_counts_begins_as_any_other() {
    const ROOM: usize = (1 << 25) + 100;
    let place = vast(2, 1024);
    fill(&place, &[(0, 1), (0, 9)], 0..20);
    let rows: Vec<u8> = (0..10).collect();
    let columns = [0, 10];
    for (layout, first) in [
        (Layout::RowMajor, &rows[..]),
        (Layout::ColMajor, &columns[..]),
    ] {
        let mut query = query(&place, QueryType::Read, &[(0, SIDE - 1), (0, SIDE - 1)]);
        query.set_layout(layout).expect("layout");
        let mut data = vec![7; ROOM];
        let sizes = query.read(&mut [FieldBuffers::fixed("a", &mut data)]);
        assert_eq!(query.status(), QueryStatus::Incomplete);
        let delivered = sizes.expect("read")[0].data as usize;
        // All but a part of the last tile.
        assert!(delivered > ROOM - 1024, "{delivered}");
        let (head, rest) = data[..delivered].split_at(first.len());
        assert_eq!(head, first, "{layout:?}");
        assert!(rest.iter().all(|cell| *cell == u8::MAX), "{layout:?}");
    }
}

#[test]
fn aggregates_look_at_no_tile_that_nobody_wrote() {
    for dims in [1, 2] {
        let place = vast(dims, 16);
        let middle = SIDE / 2 + 100;
        let written = [(middle, middle), (middle, middle + 9)];
        fill(&place, &written[2 - dims..], 1..11);
        let whole = vec![(0, SIDE - 1); dims];
        let mut query = query(&place, QueryType::Read, &whole);
        let condition = Condition::compare("a", Compared::Gt, Some(&[3]));
        let condition = std::sync::Arc::new(condition.expect("condition"));
        query.set_condition(&condition).expect("condition");
        let sum = query
            .make_aggregate(AggregateOperator::Sum, "a")
            .expect("sum");
        query.add_aggregate("sum", &sum).expect("sum");
        let mut answer = [Column::room(Looks::fixed("sum", 8), 1, 0)];
        let found = read(&mut query, &mut answer).expect("read");
        assert_eq!(u64::read(&found[0][0].0), 49, "{dims} dimensions");
    }
}

#[test]
fn cells_that_ranges_ask_for_too_often_are_an_error() {
    const TIMES: usize = 1 << 20;
    let place = Place::in_memory();
    let dimensions = ["d", "e"].map(|name| setup::dimension(name, Datatype::Int32, [0i32, 9], 10));
    let attribute = Attribute::new("a", Datatype::Int32);
    place.create(&setup::schema(ArrayType::Sparse, dimensions, [attribute]));
    for _ in 0..2 {
        let columns = ["d", "e", "a"].map(|name| Column::numbers(name, 0..2i32));
        write(&mut place.query(QueryType::Write), &columns).expect("write");
        let mut query = place.query(QueryType::Read);
        query.set_layout(Layout::RowMajor).expect("layout");
        let mut subarray = Subarray::new(query.schema());
        let points = vec![1i32.to_le_bytes(); TIMES].concat();
        for dim in 0..2 {
            subarray.add_points(dim, &points).expect("points");
        }
        query.set_subarray(&subarray).expect("subarray");
        let mut room = [Column::room(Looks::fixed("a", 4), 10, 0)];
        let error = read(&mut query, &mut room).expect_err("too many");
        assert!(
            matches!(error.kind(), ErrorKind::OutOfMemory { .. }),
            "{error}"
        );
    }
}
