//! Dense reads: planning, selecting, copying and aggregating. The tiles are compressed with LZ4.

use std::sync::Arc;

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::aggregate::AggregateOperator;
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use crate::data::{
    Buffers, DENSE_SIDE, dense, dense_columns, dense_schema, query, select, vfs, write_dense,
};
use crate::setup::{self, TestArray};

const LAYOUTS: [Layout; 3] = [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder];
const EXTENTS: [i64; 2] = [32, 256];

/// Plans a read of all tiles, without copying a cell.
#[divan::bench(args = EXTENTS)]
fn plan(bencher: Bencher<'_, '_>, extent: i64) {
    let array = dense(extent).open(QueryType::Read);
    bencher.bench_local(|| {
        let mut query = query(&array, Layout::RowMajor);
        select(&mut query, [(0, DENSE_SIDE - 1); 2]);
        query.initialize_and_describe(&["a"]).expect("a plan")
    });
}

fn copy(bencher: Bencher<'_, '_>, name: &'static str, layout: Layout, extent: i64) {
    let array = dense(extent).open(QueryType::Read);
    let mut buffers = Buffers::new(&[name], DENSE_SIDE * DENSE_SIDE);
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .bench_local(|| {
            let mut query = query(&array, layout);
            select(&mut query, [(0, DENSE_SIDE - 1); 2]);
            buffers.read(&mut query)
        });
}

/// Tiles of 32 x 32 cells.
#[divan::bench(args = LAYOUTS)]
fn copy_small_tiles(bencher: Bencher<'_, '_>, layout: Layout) {
    copy(bencher, "a", layout, 32);
}

/// Tiles of 256 x 256 cells.
#[divan::bench(args = LAYOUTS)]
fn copy_large_tiles(bencher: Bencher<'_, '_>, layout: Layout) {
    copy(bencher, "a", layout, 256);
}

#[divan::bench(args = LAYOUTS)]
fn copy_texts(bencher: Bencher<'_, '_>, layout: Layout) {
    copy(bencher, "s", layout, 256);
}

/// Small boxes in large tiles, of which a part is decoded or read: without the cache of chunks.
#[divan::bench]
fn copy_small_boxes(bencher: Bencher<'_, '_>) {
    let array = dense(256).open(QueryType::Read);
    let mut buffers = Buffers::new(&["a"], 64);
    let uncached = setup::config(&[("sm.mem.chunk_cache_size", "0")]);
    bencher.counter(ItemsCount::new(64u64)).bench_local(|| {
        for number in 0..64 {
            let low = number * 15;
            let mut query = query(&array, Layout::RowMajor);
            query.set_config(&uncached).expect("parameter");
            select(&mut query, [(low, low + 7); 2]);
            buffers.read(&mut query);
        }
    });
}

/// Small boxes of an array that stays open: their chunks are decoded once.
#[divan::bench]
fn copy_cached_boxes(bencher: Bencher<'_, '_>) {
    copy_cached(bencher, 64, |number| {
        let low = number * 15;
        [(low, low + 7); 2]
    });
}

/// Narrow columns of an array that stays open. They cross all chunks of a column of tiles.
#[divan::bench(args = [1, 8, 64])]
fn copy_cached_columns(bencher: Bencher<'_, '_>, width: u64) {
    copy_cached(bencher, width * DENSE_SIDE, |number| {
        let low = number * 15 % (DENSE_SIDE - width);
        [(0, DENSE_SIDE - 1), (low, low + width - 1)]
    });
}

/// Columns of an array whose tiles are rows, one after the other: a loop over its chunks. The cache
/// can hold 120, 90 or 50 percent of them.
#[divan::bench(args = [120, 90, 50])]
fn copy_looped_rows(bencher: Bencher<'_, '_>, percent: u64) {
    // A row and its entry in the cache.
    let size = DENSE_SIDE * (4 * DENSE_SIDE + 1500) * percent / 100;
    let vfs = setup::vfs(&[("sm.mem.chunk_cache_size", &size.to_string())]);
    let test_array = TestArray::new(&vfs, "mem://array");
    let ends = [0i64, DENSE_SIDE as i64 - 1];
    let dimensions = [("r", 1), ("c", DENSE_SIDE as i64)]
        .map(|(name, extent)| setup::dimension(name, Datatype::Int64, ends, extent));
    let attributes = [setup::attribute("a", Datatype::Int32, &[FilterType::Zstd])];
    test_array.create(&setup::schema(ArrayType::Dense, dimensions, attributes));
    write_dense(&test_array, &dense_columns()[..1]);
    let array = test_array.open(QueryType::Read);
    let mut buffers = Buffers::new(&["a"], DENSE_SIDE);
    let mut column = 0;
    bencher
        .counter(ItemsCount::new(DENSE_SIDE))
        .bench_local(|| {
            column = (column + 1) % DENSE_SIDE;
            let mut query = query(&array, Layout::RowMajor);
            select(&mut query, [(0, DENSE_SIDE - 1), (column, column)]);
            buffers.read(&mut query);
        });
}

/// Narrow columns of tiles without filters in files: parts of 64 to 1,024 bytes with gaps.
#[divan::bench(args = [16, 64, 96, 128, 192, 256])]
fn copy_plain_columns(bencher: Bencher<'_, '_>, width: u64) {
    let folder = tempfile::tempdir().expect("folder");
    let uri = format!("{}/array", folder.path().display());
    let test_array = TestArray::new(&vfs(), &uri);
    test_array.create(&dense_schema(512, &[]));
    write_dense(&test_array, &dense_columns());
    let array = test_array.open(QueryType::Read);
    let mut buffers = Buffers::new(&["a"], width * DENSE_SIDE);
    bencher
        .counter(ItemsCount::new(8 * width * DENSE_SIDE))
        .bench_local(|| {
            for number in 0..8 {
                let low = number * 90;
                let mut query = query(&array, Layout::RowMajor);
                select(&mut query, [(0, DENSE_SIDE - 1), (low, low + width - 1)]);
                buffers.read(&mut query);
            }
        });
}

/// Slabs of rows, as programs read that stream an array. They contain some chunks completely.
#[divan::bench]
fn copy_slabs(bencher: Bencher<'_, '_>) {
    const ROWS: u64 = 200;
    copy_cached(bencher, ROWS * DENSE_SIDE, |number| {
        let low = number * ROWS % (DENSE_SIDE - ROWS);
        [(low, low + ROWS - 1), (0, DENSE_SIDE - 1)]
    });
}

/// Reads boxes of `cells` cells of an open array.
fn copy_cached(
    bencher: Bencher<'_, '_>,
    cells: u64,
    box_of: impl Fn(u64) -> [(u64, u64); 2] + Sync,
) {
    let array = dense(256).open(QueryType::Read);
    let mut buffers = Buffers::new(&["a"], cells);
    bencher
        .counter(ItemsCount::new(64 * cells))
        .bench_local(|| {
            for number in 0..64 {
                let mut query = query(&array, Layout::RowMajor);
                select(&mut query, box_of(number));
                buffers.read(&mut query);
            }
        });
}

/// Cells that do not satisfy a condition get fill values. Half of them satisfy it.
#[divan::bench(args = EXTENTS)]
fn select_by_condition(bencher: Bencher<'_, '_>, extent: i64) {
    let array = dense(extent).open(QueryType::Read);
    let mut buffers = Buffers::new(&["a"], DENSE_SIDE * DENSE_SIDE);
    let condition = Condition::compare("a", Operator::Lt, Some(&500u32.to_le_bytes()));
    let condition = Arc::new(condition.expect("condition"));
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .bench_local(|| {
            let mut query = query(&array, Layout::RowMajor);
            select(&mut query, [(0, DENSE_SIDE - 1); 2]);
            query.set_condition(&condition).expect("condition");
            buffers.read(&mut query)
        });
}

/// Sums all cells but the first row, so that the statistics do not suffice for some tiles.
#[divan::bench(args = EXTENTS)]
fn aggregate(bencher: Bencher<'_, '_>, extent: i64) {
    let array = dense(extent).open(QueryType::Read);
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * (DENSE_SIDE - 1)))
        .bench_local(|| {
            let mut query = query(&array, Layout::RowMajor);
            select(&mut query, [(1, DENSE_SIDE - 1), (0, DENSE_SIDE - 1)]);
            let sum = query.make_aggregate(AggregateOperator::Sum, "a");
            query
                .add_aggregate("sum", &sum.expect("sum"))
                .expect("aggregate");
            let mut to = [0; 8];
            query
                .read(&mut [FieldBuffers::fixed("sum", &mut to)])
                .expect("read");
        });
}
