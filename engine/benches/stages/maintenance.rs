//! Consolidation.

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::types::{Layout, QueryType};

use crate::data::{DENSE_SIDE, dense_schema, in_memory, select, sparse};
use crate::setup::column::{Column, write};
use crate::setup::next_millisecond;

/// Consolidates four overlapping sparse fragments of 32,768 cells.
#[divan::bench]
fn consolidate_sparse(bencher: Bencher<'_, '_>) {
    const CELLS: u64 = 1 << 15;
    bencher
        .counter(ItemsCount::new(4 * CELLS))
        .with_inputs(|| sparse(4, CELLS, 10_000))
        .bench_local_values(|array| array.consolidate("fragments"));
}

/// Consolidates four dense fragments, each of a quarter of the rows.
#[divan::bench]
fn consolidate_dense(bencher: Bencher<'_, '_>) {
    const ROWS: u64 = DENSE_SIDE / 4;
    let columns: [Column; 2] = {
        let numbers = 0..ROWS * DENSE_SIDE;
        [
            Column::numbers("a", numbers.clone().map(|number| number as u32)),
            Column::texts("s", numbers.map(crate::data::text_of)),
        ]
    };
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .with_inputs(|| {
            let array = in_memory();
            array.create(&dense_schema(256, &[FilterType::Lz4]));
            for part in 0..4 {
                next_millisecond();
                let mut query = array.query(QueryType::Write);
                query.set_layout(Layout::RowMajor).expect("layout");
                let rows = (part * ROWS, part * ROWS + ROWS - 1);
                select(&mut query, [rows, (0, DENSE_SIDE - 1)]);
                write(&mut query, &columns).expect("write");
            }
            array
        })
        .bench_local_values(|array| array.consolidate("fragments"));
}

/// Consolidates the commits of 64 fragments.
#[divan::bench]
fn consolidate_commits(bencher: Bencher<'_, '_>) {
    bencher
        .counter(ItemsCount::new(64u64))
        .with_inputs(|| sparse(64, 10, 10_000))
        .bench_local_values(|array| array.consolidate("commits"));
}
