//! Damages all files of small arrays: dense, sparse, with deletes, with dimension labels, and with
//! encoded strings.

use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::condition::{Combination, Condition, Operator};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::query::Query;
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, DataOrder, Datatype, Layout, QueryType};

use super::Files;
use super::setup::column::{Cell, CellType, Column, read, write};
use super::setup::{TestArray, attribute, bytes, dimension, filters, schema, text, texts};

const CHECKED: [FilterType; 2] = [FilterType::Zstd, FilterType::ChecksumSha256];
const TEXTS: [&str; 6] = ["one", "", "two", "four", "!", "!!"];
const VALID: [u8; 6] = [1, 0, 1, 1, 0, 1];

/// The cells of each field. Fields without checksums come first.
type ReadResult = Vec<Vec<Cell>>;

fn nullable_texts() -> Column {
    Column::of(
        CellType::var("texts").nullable(),
        TEXTS.into_iter().zip(VALID),
    )
}

fn write_dense(test_array: &TestArray) {
    let mut texts = text("texts", &[FilterType::Gzip, FilterType::ChecksumMd5]);
    texts.set_nullable(true).expect("nullable");
    let mut schema = schema(
        ArrayType::Dense,
        [dimension("d", Datatype::Int32, [1i32, 6], 4)],
        [
            attribute("plain", Datatype::Int32, &[]),
            attribute("numbers", Datatype::Int64, &CHECKED),
            texts,
        ],
    );
    schema.set_offsets_filters(filters(&CHECKED));
    schema.set_validity_filters(filters(&CHECKED));
    test_array.create(&schema);
    let columns = [
        Column::numbers("plain", 0..6i32),
        Column::numbers("numbers", (0..6i64).map(|number| number * 1_000_003)),
        nullable_texts(),
    ];
    write(&mut test_array.query(QueryType::Write), &columns).expect("write");
}

/// Returns a query of the array in row-major order.
fn query(test_array: &TestArray) -> Result<Query> {
    let array = Array::new(&test_array.vfs, test_array.uri.as_str())?;
    array.open(QueryType::Read)?;
    array.non_empty_domain()?;
    let mut query = Query::new(&Arc::new(array), QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    Ok(query)
}

/// Reads the cells of a range of the first dimension.
fn read_range(
    test_array: &TestArray,
    ends: [i32; 2],
    columns: &mut [Column],
) -> Result<ReadResult> {
    let mut query = query(test_array)?;
    let mut subarray = Subarray::new(query.request().schema());
    let [low, high] = ends.map(i32::to_le_bytes);
    subarray.add_range(0, &low, &high)?;
    query.set_subarray(&subarray)?;
    read(&mut query, columns)
}

fn read_dense(test_array: &TestArray) -> Result<ReadResult> {
    let mut columns = [
        Column::with_capacity(CellType::fixed("plain", 4), 6, 0),
        Column::with_capacity(CellType::fixed("numbers", 8), 6, 0),
        Column::with_capacity(CellType::var("texts").nullable(), 6, 13),
    ];
    read_range(test_array, [1, 6], &mut columns)
}

/// Writes two overlapping fragments of three tiles each.
fn write_sparse(test_array: &TestArray) {
    let mut nullable = text("texts", &CHECKED);
    nullable.set_nullable(true).expect("nullable");
    let mut dimensions = [dimension("d", Datatype::Int32, [1i32, 60], 4), texts("t")];
    for dimension in &mut dimensions {
        dimension.set_filters(filters(&CHECKED)).expect("filters");
    }
    let plain = attribute("plain", Datatype::Int32, &[]);
    let mut schema = schema(ArrayType::Sparse, dimensions, [plain, nullable]);
    schema.set_capacity(2).expect("capacity");
    schema.set_offsets_filters(filters(&CHECKED));
    schema.set_validity_filters(filters(&CHECKED));
    test_array.create(&schema);
    for step in [3i32, 4] {
        let columns = [
            Column::numbers("d", (0..6).map(|number| 1 + number * step)),
            Column::texts("t", TEXTS),
            Column::numbers("plain", (0..6).map(|number| number * step)),
            nullable_texts(),
        ];
        write(&mut test_array.query(QueryType::Write), &columns).expect("write");
    }
}

fn read_sparse(test_array: &TestArray) -> Result<ReadResult> {
    let mut columns = [
        Column::with_capacity(CellType::fixed("plain", 4), 12, 0),
        Column::with_capacity(CellType::fixed("d", 4), 12, 0),
        Column::with_capacity(CellType::var("t"), 12, 144),
        Column::with_capacity(CellType::var("texts").nullable(), 12, 144),
    ];
    read_range(test_array, [2, 60], &mut columns)
}

/// Writes the sparse array, deletes cells, consolidates with delete metadata, consolidates the
/// commits, and deletes again.
fn write_deleted(test_array: &TestArray) {
    write_sparse(test_array);
    let less = Condition::compare("plain", Operator::Le, Some(&3i32.to_le_bytes()));
    let two = Condition::compare("texts", Operator::Eq, Some(b"two"));
    let (less, two) = (less.expect("condition"), two.expect("condition"));
    let either = Arc::new(less).combine(&Arc::new(two), Combination::Or);
    test_array.delete(either.expect("condition"));
    for mode in ["fragments", "commits"] {
        test_array.consolidate(mode);
        test_array.vacuum(mode);
    }
    let set = Condition::is_one_of("plain", Operator::In, &bytes([16i32, 9]), &[0, 4]);
    test_array.delete(set.expect("condition"));
}

/// Writes cells with two labels, of numbers and of texts, with checksums.
fn write_labelled(test_array: &TestArray) {
    let plain = attribute("plain", Datatype::Int32, &[]);
    let index = dimension("d", Datatype::Int32, [1i32, 6], 4);
    let mut schema = schema(ArrayType::Dense, [index], [plain]);
    for (name, datatype) in [
        ("numbers", Datatype::Int64),
        ("texts", Datatype::StringAscii),
    ] {
        let added = schema.add_label(0, name, DataOrder::Increasing, datatype);
        added.expect("a label");
        let checked = filters(&CHECKED);
        schema.set_label_filters(name, checked).expect("filters");
    }
    test_array.create(&schema);
    let mut query = test_array.query(QueryType::Write);
    let mut subarray = Subarray::new(query.request().schema());
    let (first, last) = (1i32.to_le_bytes(), 6i32.to_le_bytes());
    subarray.add_range(0, &first, &last).expect("a range");
    query.set_subarray(&subarray).expect("subarray");
    let columns = [
        Column::numbers("plain", 0..6i32),
        Column::texts("texts", ["a", "bb", "c", "ddd", "ee", "fff"]),
        Column::numbers("numbers", (0..6i64).map(|number| number * 7)),
    ];
    write(&mut query, &columns).expect("write");
}

/// Reads a range of the number label: cells, texts and numbers.
fn read_labelled(test_array: &TestArray) -> Result<ReadResult> {
    let mut query = query(test_array)?;
    let mut subarray = Subarray::new(query.request().schema());
    let ends = [0i64, 35].map(i64::to_le_bytes);
    subarray.add_label_range("numbers", &ends[0], &ends[1])?;
    query.set_subarray(&subarray)?;
    let mut columns = [
        Column::with_capacity(CellType::fixed("plain", 4), 6, 0),
        Column::with_capacity(CellType::var("texts"), 6, 12),
        Column::with_capacity(CellType::fixed("numbers", 8), 6, 0),
    ];
    read(&mut query, &mut columns)
}

/// Writes strings with filters that encode the offsets as well.
fn write_texts(test_array: &TestArray) {
    let encoded = |name, kind| text(name, &[kind, FilterType::ChecksumSha256]);
    let mut coordinates = texts("t");
    coordinates
        .set_filters(filters(&[FilterType::Rle]))
        .expect("filters");
    let attributes = [
        encoded("runs", FilterType::Rle),
        encoded("words", FilterType::Dictionary),
    ];
    let mut schema = schema(ArrayType::Sparse, [coordinates], attributes);
    schema.set_capacity(4).expect("capacity");
    test_array.create(&schema);
    let columns = ["t", "runs", "words"].map(|name| Column::texts(name, TEXTS));
    write(&mut test_array.query(QueryType::Write), &columns).expect("write");
}

fn read_texts(test_array: &TestArray) -> Result<ReadResult> {
    let mut columns =
        ["t", "runs", "words"].map(|name| Column::with_capacity(CellType::var(name), 6, 20));
    read(&mut query(test_array)?, &mut columns)
}

/// Damages the selected files of an array. In files that `is_checksummed` selects, a read that
/// succeeds must return the original values of the fields from `first` on, because they have
/// checksums.
fn damage(
    case: &str,
    write: fn(&TestArray),
    read: fn(&TestArray) -> Result<ReadResult>,
    selects: fn(&str) -> bool,
    is_checksummed: impl Fn(&str) -> Option<usize>,
) {
    let files = Files::new();
    write(&files.test_array);
    let whole = read(&files.test_array).expect("the array as written");
    let found = files.damage(
        case,
        selects,
        || read(&files.test_array),
        |description, found| {
            if let Some(first) = is_checksummed(description) {
                assert_eq!(found[first..], whole[first..], "{description}");
            }
        },
    );
    assert!(found > 5, "{found} files");
    let again = read(&files.test_array).expect("the array repaired");
    assert_eq!(again, whole);
}

/// Returns the last part of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[test]
fn damaged_dense_arrays_fail_or_return_checksummed_values() {
    let is_checksummed = |path: &str| last(path).starts_with('a').then_some(1);
    damage(
        "a dense array",
        write_dense,
        read_dense,
        |_| true,
        is_checksummed,
    );
}

#[test]
fn damaged_sparse_arrays_fail_or_return_checksummed_values() {
    let is_checksummed = |path: &str| last(path).starts_with(['a', 'd']).then_some(1);
    damage(
        "a sparse array",
        write_sparse,
        read_sparse,
        |_| true,
        is_checksummed,
    );
}

#[test]
fn damaged_deletes_fail_or_return_checksummed_values() {
    // The timestamps of cells and deletes have no checksums. Fields and schema are as above.
    let new = |path: &str| {
        let name = last(path);
        name.contains('.') && !["a0", "a1", "d0", "d1"].contains(&&name[..2])
    };
    damage("deletes", write_deleted, read_sparse, new, |_| None);
}

#[test]
fn damaged_labels_fail_or_return_checksummed_values() {
    // The values of the first label have checksums; the offsets of texts do not.
    let is_checksummed =
        |path: &str| (path.starts_with("__labels/l0/") && last(path).starts_with('a')).then_some(2);
    let new = |path: &str| path.starts_with("__labels") || path.starts_with("__schema");
    damage("labels", write_labelled, read_labelled, new, is_checksummed);
}

#[test]
fn damaged_encoded_strings_never_panic() {
    let is_checksummed = |path: &str| last(path).starts_with('a').then_some(1);
    damage("texts", write_texts, read_texts, |_| true, is_checksummed);
}

/// Damages the uncompressed records of an array with these cells.
fn damage_records(case: &str, write: fn(&TestArray), read: fn(&TestArray) -> Result<ReadResult>) {
    let files = Files::new();
    write(&files.test_array);
    let whole = read(&files.test_array).expect("the array as written");
    files.uncompress();
    let records = |path: &str| path.contains("__schema/") || path.contains("__fragment_metadata");
    files.damage(case, records, || read(&files.test_array), |_, _| {});
    assert_eq!(read(&files.test_array).expect("the array repaired"), whole);
}

#[test]
fn damaged_records_of_dense_arrays_never_panic() {
    damage_records("records of a dense array", write_dense, read_dense);
}

#[test]
fn damaged_records_of_sparse_arrays_never_panic() {
    damage_records("records of a sparse array", write_sparse, read_sparse);
}

#[test]
fn damaged_records_of_encoded_strings_never_panic() {
    damage_records("records of texts", write_texts, read_texts);
}

#[test]
fn damaged_records_of_deletes_never_panic() {
    damage_records("records of deletes", write_deleted, read_sparse);
}

#[test]
fn damaged_records_of_labels_never_panic() {
    damage_records("records of labels", write_labelled, read_labelled);
}
