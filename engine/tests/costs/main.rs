//! Growth of costs: a box query costs as much as the tiles it touches, independent of the size of
//! the array; ranges and metadata keys cost their logarithm; fragments that do not overlap cost
//! nothing extra, and each of many fragments or attributes as much as each of few. Each test prints
//! the measured CPU time. In release builds, absolute bounds are checked as well for sorting,
//! conditions and metadata.
#![cfg(target_os = "linux")]

mod attributes;
mod loops;
#[path = "../setup/mod.rs"]
mod setup;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use setup::column::{Column, write};
use setup::{TestArray, next_millisecond};
use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::buffers::FieldBuffers;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{Attribute, SchemaDraft};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryStatus, QueryType};

/// The number of coordinates of each dimension.
const SIDE: u64 = 1 << 20;

/// Returns the CPU time of this process in seconds.
fn cpu() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid output parameter.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    assert_eq!(code, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Ensures that one test runs at a time, because CPU time is counted for the whole process.
fn run_alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the minimum times of `N` bodies, which are measured in turns until `holds` accepts the
/// times or after `ROUNDS` rounds: other processes make rounds slower, none faster.
fn least_until<const N: usize>(
    mut body: impl FnMut(usize, usize),
    holds: impl Fn(&[f64; N]) -> bool,
) -> [f64; N] {
    const ROUNDS: usize = 40;
    let mut times = [f64::MAX; N];
    for round in 0..ROUNDS {
        for (index, least) in times.iter_mut().enumerate() {
            let start = cpu();
            body(index, round);
            *least = least.min(cpu() - start);
        }
        if round > 0 && holds(&times) {
            break;
        }
    }
    times
}

/// Returns the minimum time of several rounds.
fn least(rounds: usize, mut body: impl FnMut(usize)) -> f64 {
    let times = (0..rounds).map(|round| {
        let start = cpu();
        body(round);
        cpu() - start
    });
    times.fold(f64::MAX, f64::min)
}

/// Returns a schema with two dimensions and a number per cell.
fn schema(capacity: u64) -> SchemaDraft {
    let ends = [0i64, SIDE as i64 - 1];
    let dimensions =
        ["x", "y"].map(|name| setup::dimension(name, Datatype::Int64, ends, SIDE as i64 / 64));
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = setup::schema(ArrayType::Sparse, dimensions, [attribute]);
    schema.set_capacity(capacity).expect("capacity");
    schema
}

fn points(capacity: u64) -> TestArray {
    let test_array = TestArray::in_memory();
    test_array.create(&schema(capacity));
    test_array
}

/// Returns scattered coordinates that are distinct for distinct numbers.
fn scattered(number: u64) -> (u64, u64) {
    let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    (mixed >> 20, mixed % SIDE)
}

fn write_points(test_array: &TestArray, cells: impl Iterator<Item = (u64, u64)>) {
    let cells: Vec<(u64, u64)> = cells.collect();
    let columns = [
        Column::numbers("x", cells.iter().map(|cell| cell.0)),
        Column::numbers("y", cells.iter().map(|cell| cell.1)),
        Column::numbers("a", 0..cells.len() as u32),
    ];
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::Unordered).expect("layout");
    write(&mut query, &columns).expect("write");
    query.finalize().expect("finalize");
}

/// Reads ranges of both dimensions. Returns the number of cells.
fn read(array: &Arc<Array>, ranges: [&[(u64, u64)]; 2], layout: Layout, capacity: usize) -> usize {
    let mut query = Query::new(array, QueryType::Read).expect("query");
    query.set_layout(layout).expect("layout");
    let mut subarray = Subarray::new(query.request().schema());
    for (dim, ranges) in (0u32..).zip(ranges) {
        for (low, high) in ranges {
            let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
            added.expect("a range");
        }
    }
    query.set_subarray(&subarray).expect("subarray");
    let mut data = [
        vec![0; 8 * capacity],
        vec![0; 8 * capacity],
        vec![0; 4 * capacity],
    ];
    let names = ["x", "y", "a"].into_iter().zip(&mut data);
    let fields = names.map(|(name, data)| FieldBuffers::fixed(name, data));
    let sizes = query.read(&mut fields.collect::<Vec<_>>()).expect("read");
    assert_eq!(query.status(), QueryStatus::Completed);
    sizes.first().map_or(0, |sizes| sizes.data as usize / 8)
}

#[test]
fn a_box_costs_by_the_tiles_it_touches() {
    let _alone = run_alone();
    const CAPACITY: u64 = 100;
    const BOXES: u64 = 40;
    const TILES: [u64; 4] = [10, 100, 1000, 10_000];
    let test_arrays = TILES.map(|tiles| {
        let points = points(CAPACITY);
        write_points(&points, (0..tiles * CAPACITY).map(scattered));
        points
    });
    let arrays = test_arrays
        .each_ref()
        .map(|points| points.open(QueryType::Read));
    let mut found = TILES.map(|_| 0);
    let boxes = |index: usize, round: usize| {
        // The box contains about as many cells for each position and size of the array.
        let cells = TILES[index] * CAPACITY;
        let side = (SIDE as f64 * (500.0 / cells as f64).sqrt()) as u64;
        found[index] = 0;
        for number in 0..BOXES {
            let low = scattered(round as u64 * BOXES + number);
            let low = [low.0 % (SIDE - side), low.1 % (SIDE - side)];
            let [x, y] = low.map(|low| [(low, low + side)]);
            found[index] += read(&arrays[index], [&x, &y], Layout::Unordered, 4000);
        }
    };
    let holds = |costs: &[f64; 4]| costs[3] < 4.0 * costs[1];
    let costs = least_until(boxes, holds);
    for ((tiles, cost), found) in TILES.into_iter().zip(costs).zip(found) {
        println!(
            "{tiles} tiles: {:.1} us a box of {} cells",
            cost * 1e6 / BOXES as f64,
            found / BOXES as usize
        );
        assert!(found > 0);
    }
    assert!(holds(&costs), "{costs:?}");
}

#[test]
fn ranges_cost_their_logarithm() {
    let _alone = run_alone();
    const CELLS: u64 = 200_000;
    const NUMBERS: [u64; 5] = [10, 100, 1000, 10_000, 100_000];
    let points = points(10_000);
    write_points(&points, (0..CELLS).map(scattered));
    let array = points.open(QueryType::Read);
    let ranges = NUMBERS.map(|number| -> Vec<(u64, u64)> {
        let step = SIDE / number;
        (0..number)
            .map(|index| (index * step, index * step))
            .collect()
    });
    let mut found = NUMBERS.map(|_| 0);
    let body = |index: usize, _| {
        let ranges = [&ranges[index][..], &[]];
        found[index] = read(&array, ranges, Layout::Unordered, CELLS as usize);
    };
    // Ten times as many ranges may take 20 times as long.
    let holds = |costs: &[f64; 5]| costs[4] < 20.0 * costs[3] && costs[4] < 400.0 * costs[0];
    let costs = least_until(body, holds);
    for ((number, cost), found) in NUMBERS.into_iter().zip(costs).zip(found) {
        println!(
            "{number} ranges: {:.2} ms, {:.0} ns each, {found} cells",
            cost * 1e3,
            cost * 1e9 / number as f64
        );
    }
    assert!(holds(&costs), "{costs:?}");
}

#[test]
fn fragments_that_do_not_overlap_are_read_as_one() {
    let _alone = run_alone();
    const FRAGMENTS: u64 = 100;
    const CELLS: u64 = 5000;
    let [many, one] = [(); 2].map(|()| points(1000));
    for band in 0..FRAGMENTS {
        // The fragments are bands of one column of tiles each, so that rows of tiles span
        // fragments.
        let cells = (0..CELLS).map(|cell| {
            let (x, y) = scattered(band * CELLS + cell);
            let (row, column) = (band / 64, band % 64);
            (row * (SIDE / 64) + x / 64, column * (SIDE / 64) + y / 64)
        });
        let mut cells: Vec<(u64, u64)> = cells.collect();
        cells.sort_unstable();
        cells.dedup();
        for points in [&many, &one] {
            write_points(points, cells.iter().copied());
        }
    }
    one.consolidate("fragments");
    one.vacuum("fragments");
    let arrays = [many, one].map(|points| points.open(QueryType::Read));
    for layout in [Layout::GlobalOrder, Layout::Unordered] {
        let mut found = [0; 2];
        let body = |index: usize, _| {
            let capacity = (FRAGMENTS * CELLS) as usize;
            found[index] = read(&arrays[index], [&[], &[]], layout, capacity);
        };
        let holds = |[many, one]: &[f64; 2]| *many < 1.3 * one;
        let costs = least_until(body, holds);
        let [many, one] = costs;
        assert_eq!(found[0], found[1]);
        println!(
            "{layout:?}: {FRAGMENTS} fragments {:.2} ms, one {:.2} ms: {:.2}",
            many * 1e3,
            one * 1e3,
            many / one
        );
        assert!(holds(&costs), "{layout:?}: {many} and {one} seconds");
    }
}

/// The number of cells in each row of [`rows`].
const ROW_CELLS: u64 = 4;

/// Returns an array whose fragments are one row each, with consolidated footers.
fn rows(kind: ArrayType, fragments: u64) -> TestArray {
    let test_array = TestArray::in_memory();
    let x = setup::dimension("x", Datatype::Int64, [0i64, 99_999], 1);
    let columns = [0i64, ROW_CELLS as i64 - 1];
    let y = setup::dimension("y", Datatype::Int64, columns, ROW_CELLS as i64);
    let attribute = Attribute::new("a", Datatype::Int32);
    test_array.create(&setup::schema(kind, [x, y], [attribute]));
    for row in 0..fragments {
        let mut query = test_array.query(QueryType::Write);
        let cells = Column::numbers("a", 0..ROW_CELLS as u32);
        if kind == ArrayType::Dense {
            query.set_layout(Layout::RowMajor).expect("layout");
            let mut subarray = Subarray::new(query.request().schema());
            for (dim, [low, high]) in [(0, [row, row]), (1, [0, ROW_CELLS - 1])] {
                let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
                added.expect("a range");
            }
            query.set_subarray(&subarray).expect("subarray");
            write(&mut query, &[cells]).expect("write");
        } else {
            query.set_layout(Layout::Unordered).expect("layout");
            let x = Column::numbers("x", std::iter::repeat_n(row, ROW_CELLS as usize));
            let y = Column::numbers("y", 0..ROW_CELLS);
            write(&mut query, &[x, y, cells]).expect("write");
        }
        query.finalize().expect("finalize");
    }
    test_array.consolidate("fragment_meta");
    test_array
}

#[test]
fn the_cost_of_a_fragment_does_not_grow_with_their_number() {
    let _alone = run_alone();
    const FRAGMENTS: [u64; 2] = [250, 5000];
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let test_arrays = FRAGMENTS.map(|fragments| rows(kind, fragments));
        let arrays = test_arrays
            .each_ref()
            .map(|rows| rows.open(QueryType::Read));
        let operations: [(&str, &dyn Fn(usize)); 3] = [
            ("open", &|index| {
                drop(test_arrays[index].open(QueryType::Read))
            }),
            ("read", &|index| {
                let last = FRAGMENTS[index] - 1;
                let ranges: [&[(u64, u64)]; 2] = [&[(0, last)], &[(0, ROW_CELLS - 1)]];
                let layout = match kind {
                    ArrayType::Dense => Layout::RowMajor,
                    ArrayType::Sparse => Layout::Unordered,
                };
                let cells = FRAGMENTS[index] * ROW_CELLS;
                let found = read(&arrays[index], ranges, layout, cells as usize);
                assert_eq!(found as u64, cells);
            }),
            ("consolidate footers", &|index| {
                test_arrays[index].consolidate("fragment_meta");
                test_arrays[index].vacuum("fragment_meta");
            }),
        ];
        for (name, operation) in operations {
            let number = (FRAGMENTS[1] / FRAGMENTS[0]) as f64;
            // The logarithm of the number, and the size of the processor's caches, add a little.
            let holds = |[few, many]: &[f64; 2]| *many < 2.0 * number * few;
            let costs = least_until(|index, _| operation(index), holds);
            let [few, many] = [0, 1].map(|index| costs[index] * 1e6 / FRAGMENTS[index] as f64);
            println!("{kind:?}, {name}: {few:.2} us a fragment of few, {many:.2} us of many");
            assert!(holds(&costs), "{kind:?}, {name}: {few} and {many} us");
        }
    }
}

/// Writes `number` metadata keys in random order and reads them in key order, with one open each.
fn metadata(number: u64) {
    let test_array = points(100);
    let key = |index: u64| format!("{:016x}", index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let array = test_array.open(QueryType::Write);
    for index in 0..number {
        let put = array.put_metadata(Some(&key(index)), Datatype::Uint64, &index.to_le_bytes());
        put.expect("metadata");
    }
    array.close().expect("close");
    next_millisecond();
    let array = test_array.open(QueryType::Read);
    assert_eq!(array.metadata_num().expect("number"), number);
    let mut before = String::new();
    for index in 0..number {
        let read = array.metadata_at(index, |item| (item.key().to_owned(), item.words[0]));
        let (found, word) = read.expect("metadata");
        assert!(before < found, "{before} and {found}");
        assert_eq!(found, key(word));
        before = found;
    }
}

#[test]
fn metadata_costs_its_logarithm() {
    let _alone = run_alone();
    const KEYS: [u64; 2] = [2500, 40_000];
    // 16 times as many keys take 22 times as long if each costs its logarithm, 256 times if each
    // costs the number of keys. The bound is between the two: the processor's caches contain the
    // small set only.
    let holds = |[few, many]: &[f64; 2]| *many < 64.0 * few;
    let costs = least_until(|index, _| metadata(KEYS[index]), holds);
    let [few, many] = costs;
    println!(
        "{} keys {:.1} ms, {} keys {:.1} ms: {:.2}",
        KEYS[0],
        few * 1e3,
        KEYS[1],
        many * 1e3,
        many / few
    );
    assert!(holds(&costs), "{many} and {few} seconds");
    if !cfg!(debug_assertions) {
        assert!(many < 1.0, "{many} seconds");
    }
}
