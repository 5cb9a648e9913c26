//! Aggregates of cells in memory.

use divan::Bencher;
use divan::counter::ItemsCount;
use tiledb_engine::internal::aggregate::{AccumulatedParts, Accumulator, AggregatedField};
use tiledb_engine::internal::tile::CellsRef;
use tiledb_engine::internal::types::{CellType, Datatype};

use crate::data::mixed;
use crate::setup::bytes;

/// The number of cells.
const CELLS: u64 = 1 << 16;
const SUM: AccumulatedParts = AccumulatedParts {
    sum: true,
    min_max: false,
};
const MIN_AND_MAX: AccumulatedParts = AccumulatedParts {
    sum: false,
    min_max: true,
};

/// Accumulates all cells, or half of them.
fn accumulate(bencher: Bencher<'_, '_>, datatype: Datatype, parts: AccumulatedParts, half: bool) {
    let data = match datatype {
        Datatype::Float64 => bytes((0..CELLS).map(|index| (mixed(index) >> 40) as f64)),
        _ => bytes((0..CELLS).map(|index| (mixed(index) >> 40) as i32)),
    };
    let field = AggregatedField {
        name: "a".to_owned(),
        cells: CellType::single(datatype),
    };
    let cells = CellsRef {
        data: &data,
        starts: None,
        validity: None,
    };
    let selected: Vec<u8> = (0..CELLS).map(|cell| (mixed(cell) >> 63) as u8).collect();
    let selected = half.then_some(&selected[..]);
    bencher.counter(ItemsCount::new(CELLS)).bench_local(|| {
        let mut accumulator = Accumulator::new(&field, parts);
        accumulator.add(&cells, CELLS as usize, selected);
        accumulator
    });
}

#[divan::bench(args = [Datatype::Int32, Datatype::Float64])]
fn sum(bencher: Bencher<'_, '_>, datatype: Datatype) {
    accumulate(bencher, datatype, SUM, false);
}

#[divan::bench(args = [Datatype::Int32, Datatype::Float64])]
fn sum_of_selected(bencher: Bencher<'_, '_>, datatype: Datatype) {
    accumulate(bencher, datatype, SUM, true);
}

#[divan::bench(args = [Datatype::Int32, Datatype::Float64])]
fn min_and_max(bencher: Bencher<'_, '_>, datatype: Datatype) {
    accumulate(bencher, datatype, MIN_AND_MAX, false);
}

#[divan::bench(args = [Datatype::Int32, Datatype::Float64])]
fn min_and_max_of_selected(bencher: Bencher<'_, '_>, datatype: Datatype) {
    accumulate(bencher, datatype, MIN_AND_MAX, true);
}
