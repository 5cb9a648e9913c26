//! Tiles that statistics rule out are never fetched: the counters of the storage show it.
//!
//! A file of its own, since statistics are recorded for the whole process.

use std::sync::Arc;

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::condition::{Condition, Operator};
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::stats;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::vfs::{Uri, Vfs};

const TILES: usize = 20;
/// Cells of a tile, each of four bytes.
const PER_TILE: usize = 1000;
const CELLS: usize = TILES * PER_TILE;
const TILE_BYTES: u64 = 4 * PER_TILE as u64;

struct Stored {
    vfs: Arc<Vfs>,
    array: Arc<Array>,
    _folder: tempfile::TempDir,
}

fn bytes(values: impl Iterator<Item = i32>) -> Vec<u8> {
    values.flat_map(i32::to_le_bytes).collect()
}

/// The attributes "a", the number of the cell from 0 on, and "b", its opposite; neither has filters.
fn stored(kind: ArrayType) -> Stored {
    let folder = tempfile::tempdir().expect("folder");
    let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
    let path = folder.path().join("array");
    let uri = Uri::parse(path.to_str().expect("path")).expect("uri");
    let ends = bytes([1, CELLS as i32].into_iter());
    let extent = (PER_TILE as i32).to_le_bytes();
    let dimension = Dimension::new("x", Datatype::Int32, Some(&ends), Some(&extent));
    let domain = DomainDraft {
        dimensions: vec![shared(dimension.expect("dimension"))],
    };
    let mut draft = SchemaDraft::new(kind, None);
    draft.set_domain(&shared(domain)).expect("domain");
    draft.set_capacity(PER_TILE as u64).expect("capacity");
    for name in ["a", "b"] {
        let attribute = shared(Attribute::new(name, Datatype::Int32));
        draft.add_attribute(&attribute).expect("attribute");
    }
    array::create(&vfs, &uri, &draft.finish().expect("schema"), None).expect("made");
    let array = Arc::new(Array::new(&vfs, uri.as_str()).expect("array"));
    array.open(QueryType::Write).expect("open");
    let mut query = Query::new(&array, QueryType::Write).expect("query");
    let columns = [
        ("x", bytes(1..=CELLS as i32)),
        ("a", bytes(0..CELLS as i32)),
        ("b", bytes((0..CELLS as i32).map(|at| -at))),
    ];
    let given = match kind {
        ArrayType::Dense => {
            let mut all = Subarray::new(query.schema());
            all.set_all(&ends).expect("all");
            query.set_subarray(&all).expect("all");
            &columns[1..]
        }
        ArrayType::Sparse => &columns[..],
    };
    let cells: Vec<_> = given
        .iter()
        .map(|(name, data)| FieldCells {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        })
        .collect();
    query.write(&cells).expect("written");
    array.close().expect("closed");
    array.open(QueryType::Read).expect("open");
    Stored {
        vfs,
        array,
        _folder: folder,
    }
}

impl Stored {
    /// A counter of the storage.
    fn counter(&self, name: &str) -> u64 {
        let text = self.vfs.context().stats().dump();
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

    /// Reads "b" where "a" compares so with a value; answers the cells that are not fill values, and the bytes that were
    /// read from storage.
    fn read(&self, operator: Operator, value: i32) -> (Vec<i32>, u64) {
        let before = self.counter("read_byte_num");
        let mut query = Query::new(&self.array, QueryType::Read).expect("query");
        let condition = Condition::compare("a", operator, Some(&value.to_le_bytes()));
        query
            .set_condition(&Arc::new(condition.expect("condition")))
            .expect("set");
        query.set_layout(Layout::RowMajor).expect("layout");
        let mut all = Subarray::new(query.schema());
        all.set_all(&bytes([1, CELLS as i32].into_iter()))
            .expect("all");
        query.set_subarray(&all).expect("all");
        let mut data = vec![0; 4 * CELLS];
        let sizes = query
            .read(&mut [FieldBuffers {
                name: "b",
                data: Some(&mut data),
                offsets: None,
                validity: None,
            }])
            .expect("read");
        assert_eq!(query.status(), QueryStatus::Completed);
        let cells = data[..sizes[0].data as usize].chunks_exact(4);
        let cells = cells.map(|cell| i32::from_le_bytes(cell.try_into().expect("four")));
        let cells = cells.filter(|cell| *cell != i32::MIN).collect();
        (cells, self.counter("read_byte_num") - before)
    }
}

#[test]
fn tiles_that_statistics_rule_out_are_never_fetched() {
    stats::enable();
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let stored = stored(kind);
        // Metadata is read once, by the first that wants it.
        stored.read(Operator::Ge, 500);
        // Two whole tiles and the upper half of a third.
        let from = CELLS as i32 - 2500;
        let (cells, read) = stored.read(Operator::Ge, from);
        let expected: Vec<i32> = (from..CELLS as i32).map(|at| -at).collect();
        assert_eq!(cells, expected, "{kind:?}");
        // Of "b" three tiles, of "a" the one that is not decided as a whole; coordinates bring order to a sparse read.
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
