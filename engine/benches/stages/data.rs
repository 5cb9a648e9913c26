//! Cells and arrays that several benchmarks use.

use std::sync::Arc;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::SchemaDraft;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};
use tiledb_engine::internal::vfs::Vfs;

use crate::setup::column::{Column, write};
use crate::setup::{self, TestArray, attribute, dimension, next_millisecond, text};

/// The number of coordinates of each dimension of the sparse arrays.
pub(crate) const SIDE: u64 = 1 << 20;
/// The rows and columns of the dense arrays.
pub(crate) const DENSE_SIDE: u64 = 1024;

/// Returns a storage in memory that is used by one thread.
pub(crate) fn vfs() -> Arc<Vfs> {
    setup::vfs(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
    ])
}

/// Returns an array URI in a new storage in memory.
pub(crate) fn in_memory() -> TestArray {
    TestArray::new(&vfs(), "mem://array")
}

/// Returns a number without visible order, distinct for distinct indexes.
pub(crate) fn mixed(index: u64) -> u64 {
    (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns scattered coordinates that are distinct for distinct numbers.
pub(crate) fn scattered(number: u64) -> [u64; 2] {
    let bits = mixed(number) >> 24;
    [bits >> 20, bits % SIDE]
}

/// Returns the text of a cell: 3 to 10 characters.
pub(crate) fn text_of(number: u64) -> String {
    let bits = mixed(number) >> 40;
    let len = 3 + (bits % 8) as usize;
    format!("{bits:010}")[..len].to_owned()
}

/// Returns the schema of the sparse arrays: two dimensions, a number and a text.
pub(crate) fn sparse_schema(capacity: u64, kinds: &[FilterType]) -> SchemaDraft {
    let ends = [0i64, SIDE as i64 - 1];
    let dimensions = ["x", "y"].map(|name| {
        let mut dimension = dimension(name, Datatype::Int64, ends, SIDE as i64 / 16);
        dimension
            .set_filters(setup::filters(kinds))
            .expect("filters");
        dimension
    });
    let attributes = [attribute("a", Datatype::Int32, kinds), text("s", kinds)];
    let mut schema = setup::schema(ArrayType::Sparse, dimensions, attributes);
    schema.set_capacity(capacity).expect("capacity");
    schema.set_offsets_filters(setup::filters(kinds));
    schema
}

/// Returns the columns of sparse cells with these numbers.
pub(crate) fn sparse_columns(
    numbers: impl IntoIterator<Item = u64, IntoIter: Clone>,
) -> [Column; 4] {
    let numbers = numbers.into_iter();
    let coordinates = |dim: usize| numbers.clone().map(move |number| scattered(number)[dim]);
    [
        Column::numbers("x", coordinates(0)),
        Column::numbers("y", coordinates(1)),
        Column::numbers("a", numbers.clone().map(|number| (number % 1000) as u32)),
        Column::texts("s", numbers.clone().map(text_of)),
    ]
}

/// Writes cells in one submit.
pub(crate) fn write_unordered(to: &TestArray, columns: &[Column]) {
    let mut query = to.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    write(&mut query, columns).expect("write");
    query.finalize().expect("finalize");
}

/// Creates a sparse array of `fragments` fragments of `cells` scattered cells each.
pub(crate) fn sparse(fragments: u64, cells: u64, capacity: u64) -> TestArray {
    let array = in_memory();
    array.create(&sparse_schema(capacity, &[FilterType::Lz4]));
    for fragment in 0..fragments {
        next_millisecond();
        let first = fragment * cells;
        write_unordered(&array, &sparse_columns(first..first + cells));
    }
    array
}

/// Returns the schema of the dense arrays: two dimensions, a number and a text.
pub(crate) fn dense_schema(extent: i64, kinds: &[FilterType]) -> SchemaDraft {
    let ends = [0i64, DENSE_SIDE as i64 - 1];
    let dimensions = ["r", "c"].map(|name| dimension(name, Datatype::Int64, ends, extent));
    let attributes = [attribute("a", Datatype::Int32, kinds), text("s", kinds)];
    let mut schema = setup::schema(ArrayType::Dense, dimensions, attributes);
    schema.set_offsets_filters(setup::filters(kinds));
    schema
}

/// Returns the columns of all cells of the dense arrays.
pub(crate) fn dense_columns() -> [Column; 2] {
    let numbers = 0..DENSE_SIDE * DENSE_SIDE;
    [
        Column::numbers("a", numbers.clone().map(|number| (number % 1000) as u32)),
        Column::texts("s", numbers.map(text_of)),
    ]
}

/// Sets the ranges of a query, one per dimension.
pub(crate) fn select(query: &mut Query, ranges: [(u64, u64); 2]) {
    let mut subarray = Subarray::new(query.request().schema());
    for (dim, (low, high)) in (0u32..).zip(ranges) {
        let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    query.set_subarray(&subarray).expect("subarray");
}

/// Writes all cells of a dense array in one submit.
pub(crate) fn write_dense(to: &TestArray, columns: &[Column]) {
    let mut query = to.query(QueryType::Write);
    query.set_layout(Layout::RowMajor).expect("layout");
    select(&mut query, [(0, DENSE_SIDE - 1); 2]);
    write(&mut query, columns).expect("write");
}

/// Creates a dense array of one fragment with square tiles.
pub(crate) fn dense(extent: i64) -> TestArray {
    let array = in_memory();
    array.create(&dense_schema(extent, &[FilterType::Lz4]));
    write_dense(&array, &dense_columns());
    array
}

/// The buffers of a read that are used again.
pub(crate) struct Buffers(Vec<(String, Vec<u8>, Vec<u8>)>);

impl Buffers {
    /// Allocates buffers for `cells` cells of fields of the arrays above.
    pub(crate) fn new(names: &[&str], cells: u64) -> Self {
        let buffers = names.iter().map(|name| {
            let (size, offset) = match *name {
                "s" => (10, 8),
                "x" | "y" => (8, 0),
                _ => (4, 0),
            };
            let cells = cells as usize;
            (
                (*name).to_owned(),
                vec![1; size * cells],
                vec![1; offset * cells],
            )
        });
        Self(buffers.collect())
    }

    /// Returns the data of a field.
    pub(crate) fn data(&self, name: &str) -> &[u8] {
        let mut fields = self.0.iter();
        let field = fields.find(|(field, ..)| field == name);
        &field.expect("a field").1
    }

    /// Reads everything that a query selects and returns the number of submits.
    pub(crate) fn read(&mut self, query: &mut Query) -> usize {
        let mut submits = 0;
        loop {
            let fields = self.0.iter_mut().map(|(name, data, offsets)| FieldBuffers {
                offsets: (!offsets.is_empty()).then_some(&mut offsets[..]),
                ..FieldBuffers::fixed(name, data)
            });
            let mut fields: Vec<_> = fields.collect();
            query.read(&mut fields).expect("read");
            submits += 1;
            if query.status() == QueryStatus::Completed {
                return submits;
            }
        }
    }
}

/// Creates a query of an open array.
pub(crate) fn query(array: &Arc<Array>, layout: Layout) -> Query {
    let mut query = Query::new(array, QueryType::Read).expect("query");
    query.set_layout(layout).expect("layout");
    query
}
