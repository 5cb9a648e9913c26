//! Tiles: decoding the tiles of a field, and the generic tiles of records.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::format::version::FormatVersion;
use tiledb_engine::internal::fragment::FieldTiles;
use tiledb_engine::internal::geometry::PackedColumn;
use tiledb_engine::internal::tile::{Cells, generic};
use tiledb_engine::internal::types::{Datatype, QueryType};

use crate::data::{DENSE_SIDE, dense_columns, dense_schema, in_memory, mixed, write_dense};
use crate::setup::bytes;

/// The extent of a tile in both dimensions.
const EXTENT: u64 = 128;
const KINDS: [FilterType; 3] = [FilterType::None, FilterType::Lz4, FilterType::Zstd];

/// Decodes all tiles of a field of a fragment.
fn decode_field(bencher: Bencher<'_, '_>, name: &str, kind: FilterType) {
    let test_array = in_memory();
    test_array.create(&dense_schema(EXTENT as i64, &[kind]));
    write_dense(&test_array, &dense_columns());
    let array = test_array.open(QueryType::Read);
    let snapshot = array.snapshot().expect("snapshot");
    let fragment = &snapshot.fragments[0];
    let field = snapshot.schema.stored_field(name).expect("a field");
    let tiles = FieldTiles::open(fragment, &field).expect("tiles");
    let tiles = tiles.expect("the fragment has the field");
    let mut cells = Cells::default();
    bencher
        .counter(ItemsCount::new(DENSE_SIDE * DENSE_SIDE))
        .bench_local(|| {
            for tile in 0..fragment.tile_num {
                let cell_num = (EXTENT * EXTENT) as usize;
                let decoded = tiles.cells(tile, cell_num, &mut cells);
                decoded.expect("decoded");
            }
        });
}

#[divan::bench(args = KINDS)]
fn decode_numbers(bencher: Bencher<'_, '_>, kind: FilterType) {
    decode_field(bencher, "a", kind);
}

#[divan::bench(args = KINDS)]
fn decode_texts(bencher: Bencher<'_, '_>, kind: FilterType) {
    decode_field(bencher, "s", kind);
}

/// A record of the size of the metadata of a small fragment, and of a large one.
#[divan::bench(args = [1 << 10, 1 << 16])]
fn encode_record(bencher: Bencher<'_, '_>, len: u64) {
    let record = bytes((0..len / 8).map(|index| mixed(index) >> 48));
    let mut to = Vec::new();
    bencher.counter(BytesCount::new(len)).bench_local(|| {
        to.clear();
        generic::encode(&record, FormatVersion::WRITTEN, None, &mut to).expect("encoded");
    });
}

#[divan::bench(args = [1 << 10, 1 << 16])]
fn decode_record(bencher: Bencher<'_, '_>, len: u64) {
    let record = bytes((0..len / 8).map(|index| mixed(index) >> 48));
    let mut stored = Vec::new();
    generic::encode(&record, FormatVersion::WRITTEN, None, &mut stored).expect("encoded");
    bencher
        .counter(BytesCount::new(len))
        .bench_local(|| generic::decode(&stored, None).expect("decoded"));
}

/// Packs the coordinates of a tile, which ranges are compared with.
#[divan::bench]
fn pack_coordinates(bencher: Bencher<'_, '_>) {
    let data = bytes((0..10_000u64).map(|index| mixed(index) >> 48));
    let physical = Datatype::Uint64.physical();
    bencher
        .counter(ItemsCount::new(10_000u64))
        .bench_local(|| PackedColumn::new(physical, &data).expect("packed"));
}
