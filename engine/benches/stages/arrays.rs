//! Arrays: opening with many fragments on a local disk, many attributes, and metadata.

use divan::Bencher;
use divan::counter::ItemsCount;
use tempfile::TempDir;
use tiledb_engine::internal::array::{Array, WithMetadata};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use crate::data::{Buffers, in_memory, query, sparse_columns, sparse_schema, vfs, write_unordered};
use crate::setup::column::Column;
use crate::setup::{TestArray, dimension, next_millisecond, schema};

/// Creates an array with fragments of 100 cells on the local disk.
fn local_array(folder: &TempDir, fragments: u64) -> TestArray {
    let uri = format!("{}/array", folder.path().display());
    let array = TestArray::new(&vfs(), &uri);
    array.create(&sparse_schema(10_000, &[FilterType::Lz4]));
    for fragment in 0..fragments {
        write_unordered(
            &array,
            &sparse_columns(fragment * 100..fragment * 100 + 100),
        );
    }
    array
}

/// Lists the array and reads the schema and the footers of all fragments.
#[divan::bench(args = [1, 3, 8, 32, 256])]
fn open(bencher: Bencher<'_, '_>, fragments: u64) {
    let folder = tempfile::tempdir().expect("folder");
    let array = local_array(&folder, fragments);
    bencher
        .counter(ItemsCount::new(fragments))
        .bench_local(|| array.open(QueryType::Read));
}

/// Opens an array whose footers are in one file.
#[divan::bench(args = [32, 256])]
fn open_consolidated(bencher: Bencher<'_, '_>, fragments: u64) {
    let folder = tempfile::tempdir().expect("folder");
    let array = local_array(&folder, fragments);
    for mode in ["fragment_meta", "commits"] {
        array.consolidate(mode);
        array.vacuum(mode);
    }
    bencher
        .counter(ItemsCount::new(fragments))
        .bench_local(|| array.open(QueryType::Read));
}

/// Opens an array with a commit file for each fragment, whose footers are in one file.
#[divan::bench(args = [1024])]
fn open_consolidated_footers(bencher: Bencher<'_, '_>, fragments: u64) {
    let folder = tempfile::tempdir().expect("folder");
    let array = local_array(&folder, fragments);
    array.consolidate("fragment_meta");
    bencher
        .counter(ItemsCount::new(fragments))
        .bench_local(|| array.open(QueryType::Read));
}

/// Returns an array in memory whose fragments are single cells, with footers in one file.
fn single_cells(fragments: u64) -> TestArray {
    let array = in_memory();
    array.create(&sparse_schema(10_000, &[]));
    for fragment in 0..fragments {
        write_unordered(&array, &sparse_columns(fragment..fragment + 1));
    }
    array.consolidate("fragment_meta");
    array
}

/// Opens an array with many fragments and footers in one file, without the system calls.
#[divan::bench(args = [256, 4096])]
fn open_in_memory(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = single_cells(fragments);
    bencher
        .counter(ItemsCount::new(fragments))
        .bench_local(|| array.open(QueryType::Read));
}

/// Reads the cells of many fragments, whose tiles overlap, in global order.
#[divan::bench(args = [256, 4096])]
fn read_many_fragments(bencher: Bencher<'_, '_>, fragments: u64) {
    let array = single_cells(fragments).open(QueryType::Read);
    let mut buffers = Buffers::new(&["x", "a"], fragments);
    bencher
        .counter(ItemsCount::new(fragments))
        .bench_local(|| buffers.read(&mut query(&array, Layout::GlobalOrder)));
}

/// Opens an array and reads the R-trees and statistics of all fragments.
#[divan::bench(args = [32])]
fn load_fragment_metadata(bencher: Bencher<'_, '_>, fragments: u64) {
    let folder = tempfile::tempdir().expect("folder");
    let test_array = local_array(&folder, fragments);
    bencher.counter(ItemsCount::new(fragments)).bench_local(|| {
        let array = test_array.open(QueryType::Read);
        let snapshot = array.snapshot().expect("snapshot");
        for fragment in &snapshot.fragments {
            let tiles = fragment.find_tiles(|_| tiledb_engine::internal::types::Match::Some);
            tiles.expect("tiles");
        }
    });
}

fn attribute_name(index: usize) -> String {
    format!("attribute {index}")
}

/// Returns an array with many attributes, and one cell of each field.
fn wide_array(attributes: usize) -> (TestArray, Vec<Column>) {
    let array = in_memory();
    let x = dimension("x", Datatype::Int64, [0i64, 99], 10);
    let all = (0..attributes).map(|index| Attribute::new(&attribute_name(index), Datatype::Int32));
    array.create(&schema(ArrayType::Sparse, [x], all));
    let cells =
        (0..attributes).map(|index| Column::numbers(&attribute_name(index), [index as u32]));
    let columns = std::iter::once(Column::numbers("x", [7u64])).chain(cells);
    (array, columns.collect())
}

/// Writes one cell of an array with many attributes.
#[divan::bench(args = [500, 4000])]
fn write_attributes(bencher: Bencher<'_, '_>, attributes: usize) {
    bencher
        .counter(ItemsCount::new(attributes))
        .with_inputs(|| wide_array(attributes))
        .bench_local_refs(|(array, columns)| write_unordered(array, columns));
}

/// Reads one cell of an array with many attributes.
#[divan::bench(args = [500, 4000])]
fn read_attributes(bencher: Bencher<'_, '_>, attributes: usize) {
    let (test_array, columns) = wide_array(attributes);
    write_unordered(&test_array, &columns);
    let array = test_array.open(QueryType::Read);
    let names: Vec<String> = (0..attributes).map(attribute_name).collect();
    let names: Vec<&str> = names.iter().map(|name| &name[..]).collect();
    let mut buffers = Buffers::new(&names, 1);
    bencher
        .counter(ItemsCount::new(attributes))
        .bench_local(|| buffers.read(&mut query(&array, Layout::Unordered)));
}

const KEYS: u64 = 1000;

fn put_metadata(array: &Array) {
    for key in 0..KEYS {
        let name = format!("{:016x}", crate::data::mixed(key));
        let put = array.put_metadata(Some(&name), Datatype::Uint64, &key.to_le_bytes());
        put.expect("metadata");
    }
}

#[divan::bench]
fn write_metadata(bencher: Bencher<'_, '_>) {
    let array = in_memory();
    array.create(&sparse_schema(10_000, &[]));
    bencher.counter(ItemsCount::new(KEYS)).bench_local(|| {
        let array = array.open(QueryType::Write);
        put_metadata(&array);
        array.close().expect("close");
    });
}

/// Reads 1,000 keys from one file.
#[divan::bench]
fn read_metadata(bencher: Bencher<'_, '_>) {
    let array = in_memory();
    array.create(&sparse_schema(10_000, &[]));
    let writer = array.open(QueryType::Write);
    put_metadata(&writer);
    writer.close().expect("close");
    next_millisecond();
    bencher.counter(ItemsCount::new(KEYS)).bench_local(|| {
        let array = array.open(QueryType::Read);
        for index in 0..array.metadata_num().expect("number") {
            array.metadata_at(index, |item| item.num).expect("metadata");
        }
    });
}
