//! Cells with equal coordinates. With duplicates, all are returned, in an order that does not
//! depend on the buffers. Without, the newer cell hides the older one, however their fragments are
//! consolidated.

mod random;
mod setup;

use std::collections::{BTreeMap, BTreeSet};

use random::{Random, for_each_seed};
use setup::TestArray;
use setup::column::{CellType, Column, read, write};
use tiledb_engine::internal::maintenance;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{Attribute, SchemaDraft};
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::{Array, Context, MaintenanceMode, Schema};

/// Returns a schema with one dimension and an attribute of numbers.
fn schema(capacity: u64, allows_dups: bool) -> SchemaDraft {
    let dimension = setup::dimension("d", Datatype::Int32, [0i32, 9], 10);
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = setup::schema(ArrayType::Sparse, [dimension], [attribute]);
    schema.set_capacity(capacity).expect("capacity");
    schema.set_allows_dups(allows_dups).expect("duplicates");
    schema
}

/// Writes cells with values from `first` on, at a timestamp or at the current time.
fn write_cells(test_array: &TestArray, places: &[i32], first: i32, time: u64) {
    let array = test_array.open_within(QueryType::Write, 0, time);
    let mut query = Query::new(&array, QueryType::Write).expect("query");
    let columns = [
        Column::numbers("d", places.iter().copied()),
        Column::numbers("a", first..first + places.len() as i32),
    ];
    write(&mut query, &columns).expect("write");
}

/// Reads the values up to a timestamp in a layout, in batches of `capacity` cells.
fn read_values(test_array: &TestArray, layout: Layout, capacity: usize, time: u64) -> Vec<i32> {
    let array = test_array.open_within(QueryType::Read, 0, time);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    query.set_layout(layout).expect("layout");
    let mut found = Vec::new();
    while query.status() != QueryStatus::Completed {
        let mut columns = [Column::with_capacity(CellType::fixed("a", 4), capacity, 0)];
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
fn the_order_of_equal_cells_does_not_depend_on_the_buffers() {
    let test_array = TestArray::in_memory();
    test_array.create(&schema(2, true));
    write_cells(&test_array, &[5; 9], 0, u64::MAX);
    write_cells(&test_array, &[5; 3], 100, u64::MAX);
    // The newest fragment first, each in the order in which it was written.
    let expected: Vec<i32> = (100..103).chain(0..9).collect();
    for capacity in 1..14 {
        let found = read_values(&test_array, Layout::GlobalOrder, capacity, u64::MAX);
        assert_eq!(found, expected, "{capacity} at a time");
    }
    let whole = read_values(&test_array, Layout::RowMajor, 20, u64::MAX);
    for capacity in 1..14 {
        let found = read_values(&test_array, Layout::RowMajor, capacity, u64::MAX);
        assert_eq!(found, whole);
    }
}

#[test]
fn consolidation_keeps_the_last_of_equal_cells_with_one_timestamp() {
    let mut divided = 0;
    for most in (20..400).step_by(20) {
        let test_array = TestArray::in_memory();
        test_array.create(&schema(1, false));
        write_cells(&test_array, &[3, 5], 0, 10);
        write_cells(&test_array, &[5, 3], 10, 10);
        write_cells(&test_array, &[5, 7], 20, 10);
        write_cells(&test_array, &[3, 5, 9], 30, 20);
        let most = most.to_string();
        let config = setup::config(&[("sm.consolidation.max_fragment_size", &most)]);
        // A single tile may be larger than the fragment size.
        let merged = maintenance::consolidate(&test_array.vfs, test_array.uri.as_str(), &config);
        let fragments = test_array
            .open(QueryType::Read)
            .snapshot()
            .expect("snapshot");
        divided += usize::from(merged.is_ok() && fragments.fragments.len() > 1);
        for layout in [Layout::GlobalOrder, Layout::RowMajor, Layout::Unordered] {
            let before = read_values(&test_array, layout, 10, 15);
            assert_eq!(before, [11, 20, 21], "{layout:?}, {most} bytes a fragment");
            let after = read_values(&test_array, layout, 10, 25);
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
fn the_last_of_equal_cells_with_one_timestamp_is_kept_in_other_layouts() {
    let test_array = TestArray::in_memory();
    let dimensions = ["d", "e"].map(|name| setup::dimension(name, Datatype::Int32, [0i32, 9], 10));
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = setup::schema(ArrayType::Sparse, dimensions, [attribute]);
    schema.set_capacity(2).expect("capacity");
    test_array.create(&schema);
    // After consolidation, the first of two tiles ends with the newer cell of (5, 4), and the
    // second tile, whose columns are lower, begins with the older one.
    for (cells, first) in [([(5, 4), (7, 1)], 0), ([(1, 9), (5, 4)], 10)] {
        let array = test_array.open_within(QueryType::Write, 0, 10);
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
            test_array.consolidate("fragments");
        }
        let by_columns = read_values(&test_array, Layout::ColMajor, 10, 15);
        assert_eq!(by_columns, [1, 11, 10], "merged {merged}");
        let by_rows = read_values(&test_array, Layout::RowMajor, 10, 15);
        assert_eq!(by_rows, [10, 11, 1], "merged {merged}");
    }
}

#[test]
fn zeros_of_both_signs_are_different_cells() {
    let test_array = TestArray::in_memory();
    let dimension = setup::dimension("d", Datatype::Float64, [-10f64, 10.0], 5.0);
    let attribute = Attribute::new("a", Datatype::Int32);
    test_array.create(&setup::schema(ArrayType::Sparse, [dimension], [attribute]));
    for (first, coordinates) in [(0, &[-0.0, 0.0][..]), (7, &[0.0][..])] {
        let array = test_array.open_within(QueryType::Write, 0, u64::MAX);
        let mut query = Query::new(&array, QueryType::Write).expect("query");
        let columns = [
            Column::numbers("d", coordinates.iter().copied()),
            Column::numbers("a", first..first + coordinates.len() as i32),
        ];
        write(&mut query, &columns).expect("write");
    }
    for layout in [Layout::GlobalOrder, Layout::RowMajor, Layout::Unordered] {
        let mut found = read_values(&test_array, layout, 10, u64::MAX);
        found.sort_unstable();
        assert_eq!(found, [0, 7], "{layout:?}");
    }
}

/// Texts by bytes and by signed characters are in different orders. The bounds of tiles are in the
/// order of bytes, and their cells in the other one.
#[test]
fn newer_cells_hide_older_ones_with_texts_outside_of_ascii() {
    let context = Context::new().expect("context");
    for_each_seed(400, |seed| {
        let uri = format!("mem://texts{seed}");
        let (fragments, capacity) = random_texts(seed);
        let schema = Schema::builder(ArrayType::Sparse)
            .string_dimension("k")
            .attribute("a", Datatype::Int32)
            .capacity(capacity)
            .build();
        Array::create(&context, &uri, &schema.expect("a schema")).expect("create");
        let mut array = Array::open(&context, &uri).expect("open");
        let mut expected = BTreeMap::new();
        for (texts, time) in fragments.iter().zip(1..) {
            let numbers = (0..texts.len()).map(|cell| time as i32 * 100 + cell as i32);
            expected.extend(texts.iter().cloned().zip(numbers.clone()));
            let write = array.write().column("k", texts.iter().map(String::as_str));
            write.column("a", numbers).at(time).submit().expect("write");
        }
        for mode in [None, Some(MaintenanceMode::Fragments)] {
            if let Some(mode) = mode {
                array.consolidate(mode).expect("consolidate");
            }
            array.reopen().expect("reopen");
            for layout in [Layout::GlobalOrder, Layout::Unordered, Layout::RowMajor] {
                let query = array.query().fields(["k", "a"]).layout(layout);
                let mut found = Vec::new();
                for batch in query.clone().batch_bytes(64).batches().expect("batches") {
                    let batch = batch.expect("a batch");
                    let [texts, numbers] = batch.fields() else {
                        panic!("two fields");
                    };
                    found.extend((0..texts.len()).map(|cell| {
                        let text = String::from_utf8(texts.bytes(cell).to_vec());
                        let number = numbers.bytes(cell).try_into().expect("four bytes");
                        (text.expect("UTF-8"), i32::from_le_bytes(number))
                    }));
                }
                found.sort();
                let expected: Vec<_> = expected.clone().into_iter().collect();
                assert_eq!(found, expected, "{layout:?} of {fragments:?}");
                let count = query.count().expect("a count");
                assert_eq!(count, expected.len() as u64, "{layout:?} of {fragments:?}");
            }
        }
    });
}

/// Returns the texts of fragments, and the capacity of tiles.
fn random_texts(seed: u64) -> (Vec<Vec<String>>, u64) {
    const PARTS: [&str; 7] = ["", "a", "b", "\u{7f}", "\u{80}", "é", "ÿ"];
    let chosen: &[&[&str]] = match seed {
        1 => &[&["b", "bé", "éb"], &["b"]],
        // The bounds of the first fragment are in ASCII.
        2 => &[&["aa", "aé", "b"], &["aé"], &["a"]],
        _ => &[],
    };
    if !chosen.is_empty() {
        let texts = |texts: &&[&str]| texts.iter().map(ToString::to_string).collect();
        return (chosen.iter().map(texts).collect(), 3);
    }
    let mut random = Random(seed);
    let mut fragments = vec![Vec::new(); 2 + random.below(3) as usize];
    for fragment in &mut fragments {
        let mut texts = BTreeSet::new();
        for _ in 0..=random.below(7) {
            let parts = [(); 3].map(|()| random.one_of(&PARTS));
            texts.insert(parts.concat());
        }
        fragment.extend(texts);
    }
    (fragments, 1 + seed % 4)
}
