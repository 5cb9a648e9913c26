//! Sparse reads: scan, filter, merge and gather.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::aggregate::{Aggregate, AggregateOperator};
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{Layout, QueryType};

use crate::data::{Buffers, SIDE, mixed, query, scattered, select, sparse};

/// The number of cells of an array.
const CELLS: u64 = 1 << 18;
const CAPACITY: u64 = 10_000;

/// Finds the tiles of a box in an array of 2,600 tiles, without reading them.
#[divan::bench]
fn scan(bencher: Bencher<'_, '_>) {
    let array = sparse(1, CELLS, 100).open(QueryType::Read);
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let low = scattered(number).map(|low| low % (SIDE - SIDE / 16));
        let mut query = query(&array, Layout::Unordered);
        select(&mut query, low.map(|low| (low, low + SIDE / 16)));
        query.initialize_and_describe(&["a"]).expect("a plan")
    });
}

/// Counts the cells that a query selects: their values are not gathered.
fn count(query: &mut Query) -> u64 {
    let added = query.add_aggregate("count", &Aggregate::COUNT);
    added.expect("aggregate");
    let mut to = [0; 8];
    query
        .read(&mut [FieldBuffers::fixed("count", &mut to)])
        .expect("read");
    u64::from_le_bytes(to)
}

/// Filters the cells by many ranges of one dimension.
#[divan::bench(args = [1, 10, 100, 1000, 10_000])]
fn filter_by_ranges(bencher: Bencher<'_, '_>, ranges: u64) {
    let array = sparse(1, CELLS, CAPACITY).open(QueryType::Read);
    let step = SIDE / ranges;
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        let mut query = query(&array, Layout::Unordered);
        let mut subarray = Subarray::new(query.request().schema());
        for range in 0..ranges {
            let (low, high) = (range * step, range * step + step / 2);
            let added = subarray.add_range(1, &low.to_le_bytes(), &high.to_le_bytes());
            added.expect("a range");
        }
        query.set_subarray(&subarray).expect("subarray");
        count(&mut query)
    });
}

/// Filters the cells by many points of one dimension.
#[divan::bench(args = [1000, 100_000])]
fn filter_by_points(bencher: Bencher<'_, '_>, points: u64) {
    let array = sparse(1, CELLS, CAPACITY).open(QueryType::Read);
    let points: Vec<u8> = (0..points)
        .flat_map(|point| (mixed(point) >> 44).to_le_bytes())
        .collect();
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        let mut query = query(&array, Layout::Unordered);
        let mut subarray = Subarray::new(query.request().schema());
        subarray.add_points(1, &points).expect("points");
        query.set_subarray(&subarray).expect("subarray");
        count(&mut query)
    });
}

#[divan::bench]
fn filter_by_condition(bencher: Bencher<'_, '_>) {
    let array = sparse(1, CELLS, CAPACITY).open(QueryType::Read);
    let condition = Condition::compare("a", Operator::Lt, Some(&500u32.to_le_bytes()));
    let condition = Arc::new(condition.expect("condition"));
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        let mut query = query(&array, Layout::Unordered);
        query.set_condition(&condition).expect("condition");
        count(&mut query)
    });
}

fn read(bencher: Bencher<'_, '_>, array: &Arc<Array>, layout: Layout, names: &[&'static str]) {
    let mut buffers = Buffers::new(names, CELLS);
    bencher
        .counter(ItemsCount::new(CELLS))
        .bench_local(|| buffers.read(&mut query(array, layout)));
}

/// Merges overlapping fragments; no values are gathered but coordinates.
#[divan::bench(args = [2, 4, 5, 8, 16])]
fn merge_in_global_order(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = sparse(fragments, CELLS / fragments, CAPACITY).open(QueryType::Read);
    read(bencher, &array, Layout::GlobalOrder, &["x"]);
}

#[divan::bench(args = [1, 4, 16])]
fn merge_in_row_major_order(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = sparse(fragments, CELLS / fragments, CAPACITY).open(QueryType::Read);
    read(bencher, &array, Layout::RowMajor, &["x"]);
}

/// Gathers tiles as they are stored, after the duplicates of overlapping fragments are removed.
#[divan::bench(args = [1, 4])]
fn gather_numbers(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = sparse(fragments, CELLS / fragments, CAPACITY).open(QueryType::Read);
    read(bencher, &array, Layout::Unordered, &["a"]);
}

#[divan::bench(args = [1, 4])]
fn gather_texts(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = sparse(fragments, CELLS / fragments, CAPACITY).open(QueryType::Read);
    read(bencher, &array, Layout::Unordered, &["s"]);
}

/// Gathers numbers and texts of cells that alternate between tiles.
#[divan::bench]
fn gather_scattered(bencher: Bencher<'_, '_>) {
    let array = sparse(4, CELLS / 4, CAPACITY).open(QueryType::Read);
    read(bencher, &array, Layout::RowMajor, &["a", "s"]);
}

/// Small boxes, each in a few tiles whose coordinates are cached.
#[divan::bench]
fn read_small_boxes(bencher: Bencher<'_, '_>) {
    let array = sparse(1, CELLS, 1000).open(QueryType::Read);
    let mut buffers = Buffers::new(&["x", "y", "a"], 1 << 14);
    bencher.counter(ItemsCount::new(32u64)).bench_local(|| {
        for number in 0..32 {
            let low = scattered(number).map(|low| low % (SIDE - SIDE / 64));
            let mut query = query(&array, Layout::Unordered);
            select(&mut query, low.map(|low| (low, low + SIDE / 64)));
            buffers.read(&mut query);
        }
    });
}

/// Aggregates all cells of many tiles.
#[divan::bench(args = [1, 4])]
fn aggregate(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = sparse(fragments, CELLS / fragments, CAPACITY).open(QueryType::Read);
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        let mut query = query(&array, Layout::Unordered);
        // A box that contains most cells, so that the statistics of tiles do not suffice.
        select(&mut query, [(1, SIDE - 2); 2]);
        let sum = query
            .make_aggregate(AggregateOperator::Sum, "a")
            .expect("sum");
        query.add_aggregate("sum", &sum).expect("aggregate");
        let mut to = [0; 8];
        let mut buffers = [FieldBuffers::fixed("sum", &mut to)];
        query.read(&mut buffers).expect("read");
    });
}
