//! Writes: ordering, cutting into tiles, statistics, filters, and the files of a fragment. The
//! array is created again for each measurement; that is not measured.

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use crate::data::{
    DENSE_SIDE, dense_columns, dense_schema, in_memory, mixed, sparse_columns, sparse_schema,
    write_dense, write_unordered,
};
use crate::setup::column::{CellType, Column, write};
use crate::setup::{TestArray, attribute, dimension, filters, schema};

/// The number of cells.
const CELLS: u64 = 1 << 17;

/// Returns a new array with the schema of the sparse arrays.
fn sparse_array(order: Layout) -> TestArray {
    let array = in_memory();
    let mut schema = sparse_schema(10_000, &[FilterType::Lz4]);
    schema.set_cell_order(order).expect("order");
    array.create(&schema);
    array
}

#[divan::bench(args = [Layout::RowMajor, Layout::Hilbert])]
fn unordered(bencher: Bencher<'_, '_>, order: Layout) {
    let columns = sparse_columns(0..CELLS);
    bencher
        .counter(ItemsCount::new(CELLS))
        .with_inputs(|| sparse_array(order))
        .bench_local_values(|array| write_unordered(&array, &columns));
}

/// Columns of cells in the global order of the sparse arrays, in one column of tiles.
fn ordered_columns() -> [Column; 4] {
    [
        Column::numbers("x", 0..CELLS),
        Column::numbers("y", (0..CELLS).map(|cell| mixed(cell) >> 60)),
        Column::numbers("a", 0..CELLS as u32),
        Column::texts("s", (0..CELLS).map(crate::data::text_of)),
    ]
}

/// Checks the order and writes, in one submit.
#[divan::bench]
fn global_order(bencher: Bencher<'_, '_>) {
    let columns = ordered_columns();
    bencher
        .counter(ItemsCount::new(CELLS))
        .with_inputs(|| sparse_array(Layout::RowMajor))
        .bench_local_values(|array| {
            let mut query = array.query(QueryType::Write);
            query.set_layout(Layout::GlobalOrder).expect("layout");
            write(&mut query, &columns).expect("write");
            query.finalize().expect("finalize");
        });
}

/// Cuts a box of row-major cells into tiles of several sizes.
#[divan::bench(args = [32, 256])]
fn dense_box(bencher: Bencher<'_, '_>, extent: i64) {
    let columns = dense_columns();
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .with_inputs(|| {
            let array = in_memory();
            array.create(&dense_schema(extent, &[FilterType::Lz4]));
            array
        })
        .bench_local_values(|array| write_dense(&array, &columns));
}

/// Rows of the caller's buffer that are written without being gathered: tiles of complete rows
/// without filters.
#[divan::bench]
fn dense_box_without_filters(bencher: Bencher<'_, '_>) {
    let columns = dense_columns();
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .with_inputs(|| {
            let array = in_memory();
            array.create(&dense_schema(256, &[]));
            array
        })
        .bench_local_values(|array| write_dense(&array, &columns));
}

/// Real numbers without filters: mostly their statistics.
#[divan::bench(args = [Datatype::Float32, Datatype::Float64])]
fn dense_reals(bencher: Bencher<'_, '_>, datatype: Datatype) {
    let reals = (0..DENSE_SIDE * DENSE_SIDE).map(|number| 20.0 + (number % 1000) as f64 / 100.0);
    let column = match datatype {
        Datatype::Float64 => Column::numbers("a", reals),
        _ => Column::numbers("a", reals.map(|real| real as f32)),
    };
    let columns = [column];
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .with_inputs(|| {
            let array = in_memory();
            let ends = [0i64, DENSE_SIDE as i64 - 1];
            let dimensions = ["r", "c"].map(|name| dimension(name, Datatype::Int64, ends, 256));
            let reals = attribute("a", datatype, &[]);
            array.create(&schema(ArrayType::Dense, dimensions, [reals]));
            array
        })
        .bench_local_values(|array| write_dense(&array, &columns));
}

/// Numbers of which some are null, at random positions: statistics of the valid ones, and the runs
/// of the validity vector.
#[divan::bench]
fn dense_nullable_numbers(bencher: Bencher<'_, '_>) {
    let numbers = 0..DENSE_SIDE * DENSE_SIDE;
    let cells = numbers.map(|number| {
        let valid = u8::from(!mixed(number).is_multiple_of(10));
        (((number % 1000) as u32).to_le_bytes(), valid)
    });
    let columns = [Column::of(CellType::fixed("a", 4).nullable(), cells)];
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .with_inputs(|| {
            let array = in_memory();
            let ends = [0i64, DENSE_SIDE as i64 - 1];
            let dimensions = ["r", "c"].map(|name| dimension(name, Datatype::Int64, ends, 256));
            let mut nullable = attribute("a", Datatype::Int32, &[]);
            nullable.set_nullable(true).expect("nullable");
            let mut schema = schema(ArrayType::Dense, dimensions, [nullable]);
            schema.set_validity_filters(filters(&[FilterType::Rle]));
            array.create(&schema);
            array
        })
        .bench_local_values(|array| write_dense(&array, &columns));
}
