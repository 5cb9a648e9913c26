//! Tiles that statistics exclude are never fetched, and those whose cells alternate are not fetched
//! for a few cells each, as the counters of the storage show.
//!
//! A test binary of its own, because statistics are recorded for the whole process.

mod setup;

use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, bytes, dimension, numbers, schema};
use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::stats;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

const TILES: usize = 20;
/// The number of cells per tile, of four bytes each.
const PER_TILE: usize = 1000;
const CELLS: usize = TILES * PER_TILE;
const TILE_BYTES: u64 = 4 * PER_TILE as u64;

struct Stored {
    test_array: TestArray,
    array: Arc<Array>,
    _folder: tempfile::TempDir,
}

/// Returns a subarray of all cells.
fn all(query: &Query) -> Subarray {
    let mut all = Subarray::new(query.request().schema());
    all.set_all(&bytes([1, CELLS as i32])).expect("all");
    all
}

/// Creates an array with the attributes "a", the number of the cell, and "b", its negation, without
/// filters.
fn stored(kind: ArrayType) -> Stored {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("array");
    let test_array = TestArray::new(&setup::vfs(&[]), path.to_str().expect("path"));
    let ends = [1, CELLS as i32];
    let mut schema = schema(
        kind,
        [dimension("x", Datatype::Int32, ends, PER_TILE as i32)],
        ["a", "b"].map(|name| Attribute::new(name, Datatype::Int32)),
    );
    schema.set_capacity(PER_TILE as u64).expect("capacity");
    test_array.create(&schema);
    let mut query = test_array.query(QueryType::Write);
    let columns = [
        Column::numbers("x", 1..=CELLS as i32),
        Column::numbers("a", 0..CELLS as i32),
        Column::numbers("b", (0..CELLS as i32).map(|index| -index)),
    ];
    let given = match kind {
        ArrayType::Dense => {
            let all = all(&query);
            query.set_subarray(&all).expect("all");
            &columns[1..]
        }
        ArrayType::Sparse => &columns[..],
    };
    write(&mut query, given).expect("written");
    Stored {
        array: test_array.open(QueryType::Read),
        test_array,
        _folder: folder,
    }
}

/// Creates an array with fragments of one tile whose cells alternate. "a" is the negative
/// coordinate, and the attributes `texts` have its text.
fn create_alternating(
    test_array: &TestArray,
    [fragments, fragment_cells]: [i32; 2],
    texts: &[Attribute],
    dups: bool,
    text_of: impl Fn(i32) -> String,
) {
    let ends = [0, fragments * fragment_cells - 1];
    let numbers = Attribute::new("a", Datatype::Int32);
    let mut schema = schema(
        ArrayType::Sparse,
        [dimension("x", Datatype::Int32, ends, ends[1] + 1)],
        [numbers].into_iter().chain(texts.iter().cloned()),
    );
    schema
        .set_capacity(fragment_cells as u64)
        .expect("capacity");
    schema.set_allows_dups(dups).expect("duplicates");
    test_array.create(&schema);
    for fragment in 0..fragments {
        let cells = || (0..fragment_cells).map(|cell| fragments * cell + fragment);
        let texts = texts
            .iter()
            .map(|attribute| Column::texts(&attribute.name, cells().map(&text_of)));
        let numbers = [
            Column::numbers("x", cells()),
            Column::numbers("a", cells().map(|x| -x)),
        ];
        let columns: Vec<Column> = numbers.into_iter().chain(texts).collect();
        write(&mut test_array.query(QueryType::Write), &columns).expect("written");
    }
}

/// Returns a counter of the context of an array.
fn counter(test_array: &TestArray, name: &str) -> u64 {
    let text = test_array.vfs.context.stats.dump();
    let Some((_, value)) = text.split_once(&format!("\"Context.{name}\":")) else {
        return 0;
    };
    let digits = value.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit());
    digits[..end.unwrap_or(digits.len())]
        .parse()
        .expect("a number")
}

impl Stored {
    /// Returns the number of bytes that were read from storage.
    fn read_bytes(&self) -> u64 {
        counter(&self.test_array, "VFS.read_byte_num")
    }

    /// Reads "b" where "a" satisfies a comparison. Returns the cells that are not fill values, and
    /// the number of bytes read from storage.
    fn read(&self, operator: Operator, value: i32) -> (Vec<i32>, u64) {
        let before = self.read_bytes();
        let mut query = Query::new(&self.array, QueryType::Read).expect("query");
        let condition = Condition::compare("a", operator, Some(&value.to_le_bytes()));
        query
            .set_condition(&Arc::new(condition.expect("condition")))
            .expect("set");
        query.set_layout(Layout::RowMajor).expect("layout");
        let all = all(&query);
        query.set_subarray(&all).expect("all");
        let mut columns = [Column::with_capacity(CellType::fixed("b", 4), CELLS, 0)];
        let cells = read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let cells = cells[0].iter().flat_map(|cell| numbers::<i32>(&cell.0));
        let cells = cells.filter(|cell| *cell != i32::MIN).collect();
        (cells, self.read_bytes() - before)
    }
}

#[test]
fn tiles_that_statistics_exclude_are_never_fetched() {
    stats::enable();
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = stored(kind);
        // The first read loads the metadata.
        stored.read(Operator::Ge, 500);
        // Two complete tiles and the upper half of a third.
        let from = CELLS as i32 - 2500;
        let (cells, read) = stored.read(Operator::Ge, from);
        let expected: Vec<i32> = (from..CELLS as i32).map(|index| -index).collect();
        assert_eq!(cells, expected, "{kind:?}");
        // Three tiles of "b", the partially selected tile of "a", and for sparse arrays the
        // coordinates.
        let most = match kind {
            ArrayType::Dense => 4,
            ArrayType::Sparse => 7,
        };
        let framing = most * 64;
        assert!(
            (4 * TILE_BYTES..=most * TILE_BYTES + framing).contains(&read),
            "{kind:?}: {read} bytes"
        );
        for (operator, value) in [
            (Operator::Gt, CELLS as i32),
            (Operator::Lt, 0),
            (Operator::Eq, -7),
        ] {
            let (cells, read) = stored.read(operator, value);
            assert!(cells.is_empty(), "{kind:?} {operator:?}");
            assert_eq!(read, 0, "{kind:?} {operator:?}");
        }
    }
}

#[test]
fn tiles_that_do_not_fit_together_are_not_fetched_for_each_cell() {
    const FRAGMENTS: i32 = 4;
    const FRAGMENT_CELLS: i32 = 20_000;
    const TEXT_LEN: usize = 20;
    stats::enable();
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("array");
    // An eighth of it holds the texts of two tiles, or the offsets of all.
    let vfs = setup::vfs(&[("sm.mem.total_budget", "10000000")]);
    let test_array = TestArray::new(&vfs, path.to_str().expect("path"));
    let text_of = |x: i32| format!("{x:0TEXT_LEN$}");
    let texts = [setup::text("s", &[])];
    create_alternating(
        &test_array,
        [FRAGMENTS, FRAGMENT_CELLS],
        &texts,
        false,
        text_of,
    );
    let bytes_of_all = (FRAGMENTS * FRAGMENT_CELLS) as u64 * (4 + 4 + 8 + TEXT_LEN as u64);
    let array = test_array.open(QueryType::Read);
    for layout in [Layout::GlobalOrder, Layout::RowMajor, Layout::Unordered] {
        let before = counter(&test_array, "VFS.read_byte_num");
        let mut query = Query::new(&array, QueryType::Read).expect("query");
        query.set_layout(layout).expect("layout");
        let cells = (FRAGMENTS * FRAGMENT_CELLS) as usize;
        let mut columns = [
            Column::with_capacity(CellType::fixed("a", 4), cells, 0),
            Column::with_capacity(CellType::var("s"), cells, cells * TEXT_LEN),
        ];
        let found = read(&mut query, &mut columns).expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        assert_eq!(found[0].len(), cells);
        for (x, (number, text)) in (0..).zip(found[0].iter().zip(&found[1])) {
            assert_eq!(numbers::<i32>(&number.0), [-x]);
            assert_eq!(text.0, text_of(x).into_bytes());
        }
        let read = counter(&test_array, "VFS.read_byte_num") - before;
        assert!(read < 8 * bytes_of_all, "{layout:?}: {read} bytes");
    }
}

#[test]
fn texts_of_many_fragments_are_decoded_a_few_times_with_a_small_budget() {
    const FRAGMENTS: i32 = 40;
    const FRAGMENT_CELLS: i32 = 2500;
    const CELLS: usize = (FRAGMENTS * FRAGMENT_CELLS) as usize;
    const TEXT_LEN: usize = 40;
    stats::enable();
    let text_of = |x: i32| format!("{:0TEXT_LEN$}", x / (10 * FRAGMENTS));
    for filters in [&[][..], &[FilterType::Rle], &[FilterType::Dictionary]] {
        for dups in [false, true] {
            let folder = tempfile::tempdir().expect("folder");
            let path = folder.path().join("array");
            let path = path.to_str().expect("path");
            let large = TestArray::new(&setup::vfs(&[]), path);
            let texts = ["s", "t"].map(|name| setup::text(name, filters));
            create_alternating(&large, [FRAGMENTS, FRAGMENT_CELLS], &texts, dups, text_of);
            // An eighth of it holds less than the offsets of all tiles.
            let small = setup::vfs(&[("sm.mem.total_budget", "10000000")]);
            let small = TestArray::new(&small, path);
            // The buffers hold all cells, or the texts of a part.
            for parts in [1, 7] {
                let read_bytes = |test_array: &TestArray| {
                    let array = test_array.open(QueryType::Read);
                    let before = counter(test_array, "VFS.read_byte_num");
                    let mut query = Query::new(&array, QueryType::Read).expect("query");
                    query.set_layout(Layout::GlobalOrder).expect("layout");
                    let mut x = 0;
                    loop {
                        let texts = |name| {
                            let len = CELLS * TEXT_LEN / parts;
                            Column::with_capacity(CellType::var(name), CELLS, len)
                        };
                        let numbers_of = Column::with_capacity(CellType::fixed("a", 4), CELLS, 0);
                        let mut columns = [numbers_of, texts("s"), texts("t")];
                        let found = read(&mut query, &mut columns).unwrap_or_else(|error| {
                            panic!("{filters:?} {dups} {parts} {x}: {error}")
                        });
                        for (cell, number) in found[0].iter().enumerate() {
                            assert_eq!(numbers::<i32>(&number.0), [-x]);
                            for texts in &found[1..] {
                                assert_eq!(texts[cell].0, text_of(x).into_bytes());
                            }
                            x += 1;
                        }
                        if query.status() == QueryStatus::Completed {
                            break;
                        }
                    }
                    assert_eq!(x as usize, CELLS);
                    counter(test_array, "VFS.read_byte_num") - before
                };
                let (least, read) = (read_bytes(&large), read_bytes(&small));
                let most = 5 + parts as u64;
                assert!(
                    read < most * least,
                    "{filters:?} {dups}: {read} of {least} bytes"
                );
            }
        }
    }
}

#[test]
fn aggregates_of_many_fragments_use_the_statistics_of_fragments_unless_they_overlap() {
    const FRAGMENTS: i32 = 100;
    const TILE: i32 = 10;
    stats::enable();
    let test_array = TestArray::in_memory();
    let ends = [1, FRAGMENTS * TILE];
    let dimension = dimension("x", Datatype::Int32, ends, TILE);
    let attribute = Attribute::new("a", Datatype::Int32);
    test_array.create(&schema(ArrayType::Dense, [dimension], [attribute]));
    let write_tile = |tile: i32, value: i32| {
        let mut query = test_array.query(QueryType::Write);
        let mut subarray = Subarray::new(query.request().schema());
        let ends = [tile * TILE + 1, (tile + 1) * TILE];
        subarray.set_all(&bytes(ends)).expect("range");
        query.set_subarray(&subarray).expect("subarray");
        let cells = Column::numbers("a", vec![value; TILE as usize]);
        write(&mut query, &[cells]).expect("written");
    };
    let sum = || {
        let mut query = test_array.query(QueryType::Read);
        let mut all = Subarray::new(query.request().schema());
        all.set_all(&bytes(ends)).expect("all");
        query.set_subarray(&all).expect("subarray");
        let sum = query.make_aggregate(AggregateOperator::Sum, "a");
        query.add_aggregate("sum", &sum.expect("sum")).expect("sum");
        let mut result = [Column::with_capacity(CellType::fixed("sum", 8), 1, 0)];
        let found = read(&mut query, &mut result).expect("read");
        numbers::<i64>(&found[0][0].0)[0]
    };
    let tile_bytes = || counter(&test_array, "read_tile_sum_size");
    (0..FRAGMENTS).for_each(|tile| write_tile(tile, tile));
    let expected = i64::from(TILE * FRAGMENTS * (FRAGMENTS - 1) / 2);
    assert_eq!(sum(), expected);
    assert_eq!(tile_bytes(), 0);
    write_tile(7, 107);
    assert_eq!(sum(), expected + i64::from(100 * TILE));
    assert!(tile_bytes() > 0);
}
