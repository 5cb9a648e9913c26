//! Keys of cells, Hilbert values, sorting, and the search of R-trees.

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::geometry::{
    Bounds, CellOrder, Coordinates, KeyedCells, Keys, sort_by_bits,
};
use tiledb_engine::internal::schema::ArraySchema;
use tiledb_engine::internal::types::Match;
use tiledb_engine::internal::types::{Layout, QueryType};

use crate::data::{SIDE, mixed, scattered, sparse, sparse_schema};
use crate::setup::{bytes, config};

/// The number of cells.
const CELLS: u64 = 1 << 18;
const ORDERS: [Layout; 2] = [Layout::RowMajor, Layout::Hilbert];

fn schema(order: Layout) -> ArraySchema {
    let mut schema = sparse_schema(10_000, &[FilterType::Lz4]);
    schema.set_cell_order(order).expect("order");
    schema.finish().expect("schema")
}

fn coordinates(cells: u64) -> [Vec<u8>; 2] {
    [0, 1].map(|dim: usize| bytes((0..cells).map(|cell| scattered(cell)[dim])))
}

/// Computes the keys of the global order; of Hilbert order they are Hilbert values.
#[divan::bench(args = ORDERS)]
fn keys(bencher: Bencher<'_, '_>, layout: Layout) {
    let schema = schema(layout);
    let order = CellOrder::global(&schema, Bounds::Domain).expect("order");
    let data = coordinates(CELLS);
    let columns = data.each_ref().map(|data| Coordinates::fixed(data));
    let mut keys = Keys::default();
    bencher
        .counter(ItemsCount::new(CELLS))
        .bench_local(|| order.make_keys(&columns, &mut keys).expect("keys"));
}

/// Sorts cells by their keys.
#[divan::bench(args = [1 << 10, 1 << 14, 1 << 18, 1 << 20])]
fn sort_cells(bencher: Bencher<'_, '_>, cells: u64) {
    sort_with_threads(bencher, cells, "1");
}

/// Sorts cells with two threads, on both sides of the number above which they share the work. Needs
/// two idle processors.
#[divan::bench(args = [1 << 15, 1 << 16, 1 << 17, 1 << 20])]
fn sort_cells_with_two_threads(bencher: Bencher<'_, '_>, cells: u64) {
    sort_with_threads(bencher, cells, "2");
}

fn sort_with_threads(bencher: Bencher<'_, '_>, cells: u64, threads: &str) {
    let schema = schema(Layout::RowMajor);
    let order = CellOrder::global(&schema, Bounds::Domain).expect("order");
    let data = coordinates(cells);
    let columns = data.each_ref().map(|data| Coordinates::fixed(data));
    let config = config(&[("sm.compute_concurrency_level", threads)]);
    let context = Context::new(config).expect("context");
    let mut keys = Keys::default();
    order.make_keys(&columns, &mut keys).expect("keys");
    let cells_and_keys = KeyedCells {
        keys: &keys,
        columns: &columns,
    };
    bencher
        .counter(ItemsCount::new(cells))
        .bench_local(|| order.sort(&context, cells_and_keys).expect("sorted"));
}

/// Sorts numbers by 32 of their bits.
#[divan::bench(args = [64, 128, 256, 512, 4096, 1 << 14, 1 << 16, 1 << 18])]
fn sort_numbers(bencher: Bencher<'_, '_>, number: u64) {
    let numbers: Vec<u64> = (0..number).map(mixed).collect();
    bencher
        .counter(ItemsCount::new(number))
        .with_inputs(|| numbers.clone())
        .bench_local_values(|mut numbers| {
            sort_by_bits(&mut numbers, 32, 64).expect("sorted");
            numbers
        });
}

/// Finds the tiles of a box in an R-tree of 2,600 tiles.
#[divan::bench]
fn search_rtree(bencher: Bencher<'_, '_>) {
    let array = sparse(1, CELLS, 100).open(QueryType::Read);
    let snapshot = array.snapshot().expect("snapshot");
    let fragment = &snapshot.fragments[0];
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    let (low, high) = (SIDE / 2, SIDE / 2 + SIDE / 16);
    bencher.bench_local(|| {
        let found = fragment.find_tiles(|mbr| {
            let mut overlap = Match::All;
            for range in mbr {
                let (start, end) = (number(range.start()), number(range.end()));
                if end < low || high < start {
                    return Match::None;
                }
                if start < low || high < end {
                    overlap = Match::Some;
                }
            }
            overlap
        });
        found.expect("found")
    });
}
