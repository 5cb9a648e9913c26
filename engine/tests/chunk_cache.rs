//! The cache of decoded chunks of dense arrays: reads with and without it return the same cells,
//! after changes of the array and with encryption, and it keeps its maximum size.

mod random;
mod setup;

use std::sync::Arc;

use random::{Random, for_each_seed};
use setup::column::{Cell, CellType, Column, read, write};
use setup::{
    TestArray, attribute, config, dimension, filters, next_millisecond, schema, text, vfs,
};
use tiledb_engine::internal::array::{self, Array};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::schema::{Attribute, SchemaEvolution};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, Datatype, EncryptionKey, Layout, QueryType};

/// The parameter that sets the maximum size of the cache in bytes.
const SIZE: &str = "sm.mem.chunk_cache_size";
/// The rows and columns of the arrays. A tile has several chunks of 64 KiB.
const SIDE: u64 = 300;
const EXTENT: i64 = 220;

type Box2 = [(u64, u64); 2];

const WHOLE: Box2 = [(0, SIDE - 1); 2];

/// The number in a cell that a write with this number has written.
fn number(write: u64, cell: u64) -> u32 {
    (cell * 7 + write * 1_000_003) as u32
}

fn text_of(number: u32) -> Vec<u8> {
    vec![number as u8; (number % 5) as usize]
}

/// The filters of the arrays.
const FILTERS: [FilterType; 2] = [FilterType::Byteshuffle, FilterType::Lz4];

/// Creates an array with a number, a nullable number and a text.
fn create(
    kinds: &[FilterType],
    parameters: &[(&str, &str)],
    key: Option<&EncryptionKey>,
) -> TestArray {
    let ends = [0, SIDE as i64 - 1];
    let dimensions = ["r", "c"].map(|name| dimension(name, Datatype::Int64, ends, EXTENT));
    let mut nullable = attribute("n", Datatype::Int32, kinds);
    nullable.set_nullable(true).expect("nullable");
    let attributes = [
        attribute("a", Datatype::Int32, kinds),
        nullable,
        text("s", kinds),
    ];
    let mut schema = schema(ArrayType::Dense, dimensions, attributes);
    schema.set_offsets_filters(filters(kinds));
    schema.set_validity_filters(filters(kinds));
    let test_array = TestArray::new(&vfs(parameters), "mem://array");
    let schema = schema.finish().expect("schema");
    array::create(&test_array.vfs, &test_array.uri, &schema, key).expect("create");
    test_array
}

fn select(query: &mut Query, ranges: Box2) {
    let mut subarray = Subarray::new(query.request().schema());
    for (dim, (low, high)) in (0u32..).zip(ranges) {
        let added = subarray.add_range(dim, &low.to_le_bytes(), &high.to_le_bytes());
        added.expect("a range");
    }
    query.set_subarray(&subarray).expect("subarray");
}

fn cells_of([rows, columns]: Box2) -> impl Iterator<Item = u64> {
    (rows.0..=rows.1).flat_map(move |row| (columns.0..=columns.1).map(move |c| row * SIDE + c))
}

/// Writes the cells of a box.
fn put(test_array: &TestArray, write_number: u64, cells: Box2) {
    next_millisecond();
    let mut query = test_array.query(QueryType::Write);
    query.set_layout(Layout::RowMajor).expect("layout");
    select(&mut query, cells);
    let numbers: Vec<u32> = cells_of(cells)
        .map(|cell| number(write_number, cell))
        .collect();
    let nullable = CellType::fixed("n", 4).nullable();
    let columns = [
        Column::numbers("a", numbers.iter().copied()),
        Column::of(
            nullable,
            numbers.iter().map(|n| (n.to_le_bytes(), (n % 3 > 0) as u8)),
        ),
        Column::texts("s", numbers.iter().map(|number| text_of(*number))),
    ];
    write(&mut query, &columns).expect("write");
}

/// Reads a box of an open array with a maximum size of the cache.
fn get(array: &Arc<Array>, ranges: Box2, layout: Layout, size: &str) -> Vec<Vec<Cell>> {
    let mut query = Query::new(array, QueryType::Read).expect("query");
    query
        .set_config(&config(&[(SIZE, size)]))
        .expect("parameter");
    query.set_layout(layout).expect("layout");
    select(&mut query, ranges);
    let cells = cells_of(ranges).count();
    let mut columns = [
        Column::with_capacity(CellType::fixed("a", 4), cells, 0),
        Column::with_capacity(CellType::fixed("n", 4).nullable(), cells, 0),
        Column::with_capacity(CellType::var("s"), cells, 5 * cells),
    ];
    read(&mut query, &mut columns).expect("read")
}

fn expected(writes: &[(u64, Box2)], ranges: Box2) -> Vec<Vec<Cell>> {
    let newest = |cell: u64| {
        let inside = |(_, [rows, columns]): &&(u64, Box2)| {
            (rows.0..=rows.1).contains(&(cell / SIDE))
                && (columns.0..=columns.1).contains(&(cell % SIDE))
        };
        let found = writes
            .iter()
            .rfind(inside)
            .expect("the whole array is written");
        number(found.0, cell)
    };
    let numbers: Vec<u32> = cells_of(ranges).map(newest).collect();
    let cell = |n: &u32, valid| (n.to_le_bytes().to_vec(), valid);
    vec![
        numbers.iter().map(|n| cell(n, 1)).collect(),
        numbers.iter().map(|n| cell(n, (n % 3 > 0) as u8)).collect(),
        numbers.iter().map(|n| (text_of(*n), 1)).collect(),
    ]
}

fn a_box(random: &mut Random) -> Box2 {
    match random.below(4) {
        0 => [random.range_below(SIDE), (0, SIDE - 1)],
        1 => [(0, SIDE - 1), random.range_below(SIDE)],
        2 => [(); 2].map(|()| {
            let first = random.below(SIDE - 8);
            (first, first + random.below(8))
        }),
        _ => [(); 2].map(|()| random.range_below(SIDE)),
    }
}

#[test]
fn reads_with_a_cache_of_any_size_return_the_written_cells() {
    for_each_seed(4, |seed| {
        let mut random = Random(seed);
        let kinds: &[FilterType] = if seed % 2 == 0 { &[] } else { &FILTERS };
        let test_array = create(kinds, &[], None);
        let mut writes = vec![(0, WHOLE)];
        writes.extend((1..3).map(|number| (number, a_box(&mut random))));
        for (number, cells) in &writes {
            put(&test_array, *number, *cells);
        }
        let array = test_array.open(QueryType::Read);
        for _ in 0..12 {
            let ranges = a_box(&mut random);
            let expected = expected(&writes, ranges);
            // In a buffer of a quarter of the third size one chunk fits.
            for size in ["67108864", "0", "300000", "67108864"] {
                let found = get(&array, ranges, Layout::RowMajor, size);
                assert!(found == expected, "seed {seed}, {ranges:?}, {size} bytes");
            }
            let uncached = get(&array, ranges, Layout::ColMajor, "0");
            assert!(get(&array, ranges, Layout::ColMajor, "67108864") == uncached);
        }
        let cached = array.snapshot().expect("open").chunk_cache.size();
        // Of unfiltered chunks, only those that narrow reads used twice.
        let least = if kinds.is_empty() { 1 } else { 100_000 };
        assert!(cached > least, "{cached}");
    });
}

#[test]
fn reads_after_reopening_and_evolution_return_the_new_cells() {
    let test_array = create(&FILTERS, &[], None);
    put(&test_array, 0, WHOLE);
    let array = test_array.open(QueryType::Read);
    let ranges = [(200, 240), (3, 90)];
    let read = || get(&array, ranges, Layout::RowMajor, "67108864");
    let old = expected(&[(0, WHOLE)], ranges);
    assert!(read() == old && read() == old);
    let newer = [(210, 230), (0, 50)];
    put(&test_array, 1, newer);
    assert!(read() == old, "until it is reopened");
    array.reopen().expect("reopened");
    let new = expected(&[(0, WHOLE), (1, newer)], ranges);
    assert!(read() == new && read() == new);
    // The slots of the fields differ between the fragments afterwards.
    next_millisecond();
    let mut evolution = SchemaEvolution::default();
    evolution.drop_attribute("a");
    array::evolve(&test_array.vfs, &test_array.uri, &evolution).expect("evolve");
    next_millisecond();
    let mut evolution = SchemaEvolution::default();
    let added = evolution.add_attribute(Attribute::new("a", Datatype::Int32));
    added.expect("attribute");
    array::evolve(&test_array.vfs, &test_array.uri, &evolution).expect("evolve");
    put(&test_array, 2, WHOLE);
    array.reopen().expect("reopened");
    let last = expected(&[(2, WHOLE)], ranges);
    assert!(read() == last && read() == last);
}

#[test]
fn reads_of_an_encrypted_array_return_the_written_cells() {
    let text = "0123456789abcdeF0123456789abcdeF";
    let key = EncryptionKey::new(text.as_bytes()).expect("a key");
    let parameters = [
        ("sm.encryption_key", text),
        ("sm.encryption_type", "AES_256_GCM"),
    ];
    let test_array = create(&FILTERS, &parameters, Some(&key));
    put(&test_array, 0, WHOLE);
    let array = test_array.open(QueryType::Read);
    for ranges in [[(5, 9), (0, 299)], [(7, 100), (90, 91)]] {
        let expected = expected(&[(0, WHOLE)], ranges);
        for _ in 0..2 {
            assert!(get(&array, ranges, Layout::RowMajor, "67108864") == expected);
        }
    }
    assert!(array.snapshot().expect("open").chunk_cache.size() > 0);
}

#[test]
fn the_cache_keeps_its_maximum_size_and_a_part_of_the_budget() {
    let test_array = create(&FILTERS, &[], None);
    put(&test_array, 0, WHOLE);
    let array = test_array.open(QueryType::Read);
    let size = || array.snapshot().expect("open").chunk_cache.size();
    let ranges = [(0, 280), (10, 40)];
    get(&array, ranges, Layout::RowMajor, "0");
    assert_eq!(size(), 0, "disabled");
    get(&array, ranges, Layout::RowMajor, "67108864");
    let full = size();
    assert!(full > 400_000, "{full}");
    // A read with less memory evicts what other reads have cached.
    get(&array, [(0, 1), (0, 1)], Layout::RowMajor, "300000");
    assert!(size() <= 300_000, "{}", size());
    get(&array, ranges, Layout::RowMajor, "67108864");
    assert_eq!(size(), full);
    let mut query = Query::new(&array, QueryType::Read).expect("query");
    let budget = config(&[("sm.mem.total_budget", "1000000")]);
    query.set_config(&budget).expect("parameter");
    select(&mut query, [(0, 1), (0, 1)]);
    let mut columns = [Column::with_capacity(CellType::fixed("a", 4), 4, 0)];
    read(&mut query, &mut columns).expect("read");
    assert!(size() <= 250_000, "{}", size());
}

#[test]
fn chunks_that_a_read_copies_completely_are_not_cached() {
    let test_array = create(&FILTERS, &[], None);
    put(&test_array, 0, WHOLE);
    let array = test_array.open(QueryType::Read);
    // Of the numbers of the tile, two chunks and a part of the third.
    let ranges = [(0, 199), (0, EXTENT as u64 - 1)];
    let rows_of_numbers = || {
        let mut query = Query::new(&array, QueryType::Read).expect("query");
        select(&mut query, ranges);
        let cells = cells_of(ranges).count();
        let mut columns = [Column::with_capacity(CellType::fixed("a", 4), cells, 0)];
        read(&mut query, &mut columns).expect("read")
    };
    let all = expected(&[(0, WHOLE)], ranges);
    for _ in 0..2 {
        assert!(rows_of_numbers() == all[..1]);
        let size = array.snapshot().expect("open").chunk_cache.size();
        assert!((40_000..100_000).contains(&size), "{size}");
    }
}

#[test]
fn unfiltered_chunks_are_cached_when_narrow_parts_are_read_again() {
    let test_array = create(&[], &[], None);
    put(&test_array, 0, WHOLE);
    let array = test_array.open(QueryType::Read);
    let cached_after = |columns: (u64, u64)| {
        let ranges = [(0, 199), columns];
        let mut query = Query::new(&array, QueryType::Read).expect("query");
        select(&mut query, ranges);
        let cells = cells_of(ranges).count();
        let mut columns = [Column::with_capacity(CellType::fixed("a", 4), cells, 0)];
        let found = read(&mut query, &mut columns).expect("read");
        assert!(found == expected(&[(0, WHOLE)], ranges)[..1]);
        array.snapshot().expect("open").chunk_cache.size()
    };
    // The numbers of the first 200 rows of the tile are in three chunks.
    let chunks = 3 * 65_536;
    assert!(cached_after((10, 40)) < 10_000, "nothing was read before");
    let cached = cached_after((50, 60));
    assert!(
        (chunks - 65_536..chunks + 10_000).contains(&cached),
        "{cached}"
    );
    assert_eq!(cached_after((5, 30)), cached);
    // More than half of each row.
    cached_after((0, 150));
    assert_eq!(cached_after((0, 150)), cached);
}
