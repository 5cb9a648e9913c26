//! Cells that share coordinates: all kept, in an order that does not depend on how many the buffers hold; or one of them
//! hidden by the other, whatever becomes of the fragments that hold them.

mod setup;

use setup::Place;
use setup::column::{Column, Looks, read, write};
use tiledb_engine::maintenance;
use tiledb_engine::query::Query;
use tiledb_engine::schema::{Attribute, SchemaDraft};
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

/// One dimension, and an attribute of numbers.
fn schema(capacity: u64, allows_dups: bool) -> SchemaDraft {
    let dimension = setup::dimension("d", Datatype::Int32, [0i32, 9], 10);
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = setup::schema(ArrayType::Sparse, [dimension], [attribute]);
    schema.set_capacity(capacity).expect("capacity");
    schema.set_allows_dups(allows_dups).expect("duplicates");
    schema
}

/// Writes cells at places, with values from `first` on; at a time, or now.
fn write_cells(place: &Place, places: &[i32], first: i32, time: u64) {
    let array = place.open_within(QueryType::Write, 0, time);
    let mut query = Query::new(&array, QueryType::Write).expect("query");
    let columns = [
        Column::numbers("d", places.iter().copied()),
        Column::numbers("a", first..first + places.len() as i32),
    ];
    write(&mut query, &columns).expect("write");
}

/// The values up to a time, in the order of a layout, `room` at a time.
fn read_values(place: &Place, layout: Layout, room: usize, time: u64) -> Vec<i32> {
    let array = place.open_within(QueryType::Read, 0, time);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(layout).expect("layout");
    let mut found = Vec::new();
    while query.status() != QueryStatus::Completed {
        let mut columns = [Column::room(Looks::fixed("a", 4), room, 0)];
        let cells = read(&mut query, &mut columns).expect("read");
        found.extend(
            cells[0]
                .iter()
                .flat_map(|cell| setup::numbers::<i32>(&cell.0)),
        );
    }
    found
}

#[test]
fn equal_cells_come_in_one_order_whatever_the_buffers() {
    let place = Place::in_memory();
    place.create(&schema(2, true));
    write_cells(&place, &[5; 9], 0, u64::MAX);
    write_cells(&place, &[5; 3], 100, u64::MAX);
    // The newest fragment first, each as it was written.
    let expected: Vec<i32> = (100..103).chain(0..9).collect();
    for room in 1..14 {
        let found = read_values(&place, Layout::GlobalOrder, room, u64::MAX);
        assert_eq!(found, expected, "{room} at a time");
    }
    let whole = read_values(&place, Layout::RowMajor, 20, u64::MAX);
    for room in 1..14 {
        let found = read_values(&place, Layout::RowMajor, room, u64::MAX);
        assert_eq!(found, whole);
    }
}

#[test]
fn of_cells_of_one_moment_the_last_stays_however_they_are_merged() {
    let mut divided = 0;
    for most in (20..400).step_by(20) {
        let place = Place::in_memory();
        place.create(&schema(1, false));
        write_cells(&place, &[3, 5], 0, 10);
        write_cells(&place, &[5, 3], 10, 10);
        write_cells(&place, &[5, 7], 20, 10);
        write_cells(&place, &[3, 5, 9], 30, 20);
        let most = most.to_string();
        let config = setup::config(&[("sm.consolidation.max_fragment_size", &most)]);
        // One tile may be more than a fragment is to hold.
        let merged = maintenance::consolidate(&place.vfs, place.uri.as_str(), &config);
        let fragments = place.open(QueryType::Read).snapshot().expect("snapshot");
        divided += usize::from(merged.is_ok() && fragments.fragments.len() > 1);
        for layout in [Layout::GlobalOrder, Layout::RowMajor, Layout::Unordered] {
            let before = read_values(&place, layout, 10, 15);
            assert_eq!(before, [11, 20, 21], "{layout:?}, {most} bytes a fragment");
            let after = read_values(&place, layout, 10, 25);
            assert_eq!(
                after,
                [30, 31, 21, 32],
                "{layout:?}, {most} bytes a fragment"
            );
        }
    }
    assert!(divided > 2, "{divided} were divided");
}

#[test]
fn of_cells_of_one_moment_the_last_stays_in_an_order_that_is_not_that_of_storage() {
    let place = Place::in_memory();
    let dimensions = ["d", "e"].map(|name| setup::dimension(name, Datatype::Int32, [0i32, 9], 10));
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = setup::schema(ArrayType::Sparse, dimensions, [attribute]);
    schema.set_capacity(2).expect("capacity");
    place.create(&schema);
    // Merged, the first of two tiles ends with the newer cell of (5, 4), and the second, which has lesser columns, begins with
    // the older one.
    for (cells, first) in [([(5, 4), (7, 1)], 0), ([(1, 9), (5, 4)], 10)] {
        let array = place.open_within(QueryType::Write, 0, 10);
        let mut query = Query::new(&array, QueryType::Write).expect("query");
        let columns = [
            Column::numbers("d", cells.map(|cell: (i32, i32)| cell.0)),
            Column::numbers("e", cells.map(|cell| cell.1)),
            Column::numbers("a", [first, first + 1]),
        ];
        write(&mut query, &columns).expect("write");
    }
    for merged in [false, true] {
        if merged {
            place.consolidate("fragments");
        }
        let by_columns = read_values(&place, Layout::ColMajor, 10, 15);
        assert_eq!(by_columns, [1, 11, 10], "merged {merged}");
        let by_rows = read_values(&place, Layout::RowMajor, 10, 15);
        assert_eq!(by_rows, [10, 11, 1], "merged {merged}");
    }
}
