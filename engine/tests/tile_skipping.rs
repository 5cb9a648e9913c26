//! Tiles that statistics exclude are never fetched, as the counters of the storage show.
//!
//! A test binary of its own, because statistics are recorded for the whole process.

mod setup;

use std::sync::Arc;

use setup::column::{CellType, Column, read, write};
use setup::{TestArray, bytes, dimension, numbers, schema};
use tiledb_engine::array::Array;
use tiledb_engine::condition::{Condition, Operator};
use tiledb_engine::query::Query;
use tiledb_engine::schema::Attribute;
use tiledb_engine::stats;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

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
    let mut all = Subarray::new(query.schema());
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

impl Stored {
    /// Returns a counter of the storage.
    fn counter(&self, name: &str) -> u64 {
        let text = self.test_array.vfs.context().stats().dump();
        let name = format!("\"Context.VFS.{name}\":");
        let Some((_, value)) = text.split_once(&name) else {
            return 0;
        };
        let digits = value.trim_start();
        let end = digits.find(|c: char| !c.is_ascii_digit());
        digits[..end.unwrap_or(digits.len())]
            .parse()
            .expect("a number")
    }

    /// Reads "b" where "a" satisfies a comparison. Returns the cells that are not fill values, and
    /// the number of bytes read from storage.
    fn read(&self, operator: Operator, value: i32) -> (Vec<i32>, u64) {
        let before = self.counter("read_byte_num");
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
        (cells, self.counter("read_byte_num") - before)
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
