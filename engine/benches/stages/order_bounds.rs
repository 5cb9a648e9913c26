//! Reads and consolidation of ten sparse fragments, in format version 22, whose tiles have MBRs,
//! and 23, whose tiles also have their first and last cells.

use std::collections::HashMap;
use std::fmt;

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::types::{Layout, QueryType};

use crate::data::{Buffers, query, scattered, sparse_columns, sparse_schema, write_unordered};
use crate::setup::{self, TestArray, next_millisecond};

const FRAGMENTS: usize = 10;
const CELLS: u64 = 1 << 18;
const CAPACITY: u64 = 1000;

/// The order of the cells of one fragment and those of the next one.
#[derive(Clone, Copy)]
enum Interleaving {
    /// Each fragment ends before the next one.
    Never,
    /// The second half of each fragment alternates with cells of the next one.
    Half,
    /// Each cell belongs to another fragment than the cell before.
    Always,
}

#[derive(Clone, Copy)]
struct Case {
    cell_order: Layout,
    interleaving: Interleaving,
    version: &'static str,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = match self.cell_order {
            Layout::Hilbert => "Hilbert",
            _ => "row-major",
        };
        let interleaving = match self.interleaving {
            Interleaving::Never => "never",
            Interleaving::Half => "half",
            Interleaving::Always => "always",
        };
        write!(f, "{order}, {interleaving}, {}", self.version)
    }
}

fn cases() -> impl Iterator<Item = Case> {
    use Interleaving::{Always, Half, Never};
    [Layout::RowMajor, Layout::Hilbert]
        .into_iter()
        .flat_map(|cell_order| {
            [Never, Half, Always]
                .into_iter()
                .flat_map(move |interleaving| {
                    ["22", "23"].map(move |version| Case {
                        cell_order,
                        interleaving,
                        version,
                    })
                })
        })
}

/// Creates an array in memory for one thread.
fn created(case: Case) -> TestArray {
    let vfs = setup::vfs(&[
        ("sm.compute_concurrency_level", "1"),
        ("sm.io_concurrency_level", "1"),
        ("tiledb_rs.format_version", case.version),
    ]);
    let array = TestArray::new(&vfs, "mem://array");
    let mut schema = sparse_schema(CAPACITY, &[FilterType::Lz4]);
    schema.set_cell_order(case.cell_order).expect("order");
    array.create(&schema);
    array
}

/// Returns the numbers of all cells in the stored order.
fn stored_order(case: Case) -> Vec<u64> {
    let array = created(case);
    write_unordered(&array, &sparse_columns(0..CELLS));
    let by_cell: HashMap<[u64; 2], u64> = (0..CELLS)
        .map(|number| (scattered(number), number))
        .collect();
    let mut buffers = Buffers::new(&["x", "y"], CELLS);
    buffers.read(&mut query(
        &array.open(QueryType::Read),
        Layout::GlobalOrder,
    ));
    let [x, y] = ["x", "y"].map(|name| setup::numbers::<u64>(buffers.data(name)));
    x.into_iter()
        .zip(y)
        .map(|(x, y)| by_cell[&[x, y]])
        .collect()
}

/// Creates an array of ten fragments.
fn fragments(case: Case) -> TestArray {
    let numbers = stored_order(case);
    let block = numbers.len() / FRAGMENTS;
    let mut cells = vec![Vec::new(); FRAGMENTS];
    for (rank, number) in numbers.into_iter().enumerate() {
        let own = (rank / block).min(FRAGMENTS - 1);
        let is_second_half = rank % block >= block / 2;
        let fragment = match case.interleaving {
            Interleaving::Never => own,
            Interleaving::Half if is_second_half => (own + rank % 2) % FRAGMENTS,
            Interleaving::Half => own,
            Interleaving::Always => rank % FRAGMENTS,
        };
        cells[fragment].push(number);
    }
    let array = created(case);
    for numbers in cells {
        next_millisecond();
        write_unordered(&array, &sparse_columns(numbers));
    }
    array
}

fn read(bencher: Bencher<'_, '_>, case: Case, layout: Layout, names: &[&str]) {
    let array = fragments(case).open(QueryType::Read);
    let mut buffers = Buffers::new(names, CELLS);
    bencher
        .counter(ItemsCount::new(CELLS))
        .bench_local(|| buffers.read(&mut query(&array, layout)));
}

#[divan::bench(args = cases())]
fn read_in_global_order(bencher: Bencher<'_, '_>, case: Case) {
    read(bencher, case, Layout::GlobalOrder, &["x", "y", "a"]);
}

/// Reads no coordinates, which then are only loaded to compare them.
#[divan::bench(args = cases())]
fn read_attribute_in_global_order(bencher: Bencher<'_, '_>, case: Case) {
    read(bencher, case, Layout::GlobalOrder, &["a"]);
}

#[divan::bench(args = cases())]
fn read_in_row_major_order(bencher: Bencher<'_, '_>, case: Case) {
    read(bencher, case, Layout::RowMajor, &["x", "y", "a"]);
}

#[divan::bench(args = cases(), sample_count = 10, max_time = 10)]
fn consolidate(bencher: Bencher<'_, '_>, case: Case) {
    bencher
        .counter(ItemsCount::new(CELLS))
        .with_inputs(|| fragments(case))
        .bench_local_values(|array| array.consolidate("fragments"));
}
