//! All files of small arrays: a dense one, a sparse one, one with deletes, one with dimension labels, and one of encoded texts.

use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::array::Array;
use tiledb_engine::condition::{Combination, Condition, Operator};
use tiledb_engine::filter::FilterType;
use tiledb_engine::query::Query;
use tiledb_engine::subarray::Subarray;
use tiledb_engine::types::{ArrayType, DataOrder, Datatype, Layout, QueryType};

use super::Files;
use super::setup::column::{Cell, Column, Looks, read, write};
use super::setup::{Place, attribute, bytes, dimension, filters, schema, text, texts};

const CHECKED: [FilterType; 2] = [FilterType::Zstd, FilterType::ChecksumSha256];
const TEXTS: [&str; 6] = ["one", "", "two", "four", "!", "!!"];
const VALID: [u8; 6] = [1, 0, 1, 1, 0, 1];

/// The cells of each field; first come those that nothing vouches for.
type Answer = Vec<Vec<Cell>>;

fn nullable_texts() -> Column {
    Column::of(Looks::var("texts").nullable(), TEXTS.into_iter().zip(VALID))
}

fn write_dense(place: &Place) {
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
    place.create(&schema);
    let columns = [
        Column::numbers("plain", 0..6i32),
        Column::numbers("numbers", (0..6i64).map(|number| number * 1_000_003)),
        nullable_texts(),
    ];
    write(&mut place.query(QueryType::Write), &columns).expect("write");
}

/// A query of the array in row-major order.
fn query(place: &Place) -> Result<Query> {
    let array = Array::new(&place.vfs, place.uri.as_str())?;
    array.open(QueryType::Read)?;
    array.non_empty_domain()?;
    let mut query = Query::new(&Arc::new(array), QueryType::Read)?;
    query.set_layout(Layout::RowMajor)?;
    Ok(query)
}

/// The cells of a range of the first dimension.
fn read_range(place: &Place, ends: [i32; 2], columns: &mut [Column]) -> Result<Answer> {
    let mut query = query(place)?;
    let mut subarray = Subarray::new(query.schema());
    let [low, high] = ends.map(i32::to_le_bytes);
    subarray.add_range(0, &low, &high)?;
    query.set_subarray(&subarray)?;
    read(&mut query, columns)
}

fn read_dense(place: &Place) -> Result<Answer> {
    let mut columns = [
        Column::room(Looks::fixed("plain", 4), 6, 0),
        Column::room(Looks::fixed("numbers", 8), 6, 0),
        Column::room(Looks::var("texts").nullable(), 6, 13),
    ];
    read_range(place, [1, 6], &mut columns)
}

/// Two fragments that overlap, of three tiles each: a number and a text for a place, numbers and texts at it.
fn write_sparse(place: &Place) {
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
    place.create(&schema);
    for step in [3i32, 4] {
        let columns = [
            Column::numbers("d", (0..6).map(|number| 1 + number * step)),
            Column::texts("t", TEXTS),
            Column::numbers("plain", (0..6).map(|number| number * step)),
            nullable_texts(),
        ];
        write(&mut place.query(QueryType::Write), &columns).expect("write");
    }
}

fn read_sparse(place: &Place) -> Result<Answer> {
    let mut columns = [
        Column::room(Looks::fixed("plain", 4), 12, 0),
        Column::room(Looks::fixed("d", 4), 12, 0),
        Column::room(Looks::var("t"), 12, 144),
        Column::room(Looks::var("texts").nullable(), 12, 144),
    ];
    read_range(place, [2, 60], &mut columns)
}

/// The same merged, with notes of what was deleted, its commits in one file; and a delete after that, of what was there.
fn write_deleted(place: &Place) {
    write_sparse(place);
    let less = Condition::compare("plain", Operator::Le, Some(&3i32.to_le_bytes()));
    let two = Condition::compare("texts", Operator::Eq, Some(b"two"));
    let (less, two) = (less.expect("condition"), two.expect("condition"));
    let either = Arc::new(less).combine(&Arc::new(two), Combination::Or);
    place.delete(either.expect("condition"));
    for mode in ["fragments", "commits"] {
        place.consolidate(mode);
        place.vacuum(mode);
    }
    let set = Condition::is_one_of("plain", Operator::In, &bytes([16i32, 9]), &[0, 4]);
    place.delete(set.expect("condition"));
}

/// Cells with two labels: numbers and texts, with checksums.
fn write_labelled(place: &Place) {
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
    place.create(&schema);
    let mut query = place.query(QueryType::Write);
    let mut subarray = Subarray::new(query.schema());
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

/// What lies in a range of the number label: cells, texts and numbers.
fn read_labelled(place: &Place) -> Result<Answer> {
    let mut query = query(place)?;
    let mut subarray = Subarray::new(query.schema());
    let ends = [0i64, 35].map(i64::to_le_bytes);
    subarray.add_label_range("numbers", &ends[0], &ends[1])?;
    query.set_subarray(&subarray)?;
    let mut columns = [
        Column::room(Looks::fixed("plain", 4), 6, 0),
        Column::room(Looks::var("texts"), 6, 12),
        Column::room(Looks::fixed("numbers", 8), 6, 0),
    ];
    read(&mut query, &mut columns)
}

/// Cells of nothing but texts, whose filters hold the offsets.
fn write_texts(place: &Place) {
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
    place.create(&schema);
    let columns = ["t", "runs", "words"].map(|name| Column::texts(name, TEXTS));
    write(&mut place.query(QueryType::Write), &columns).expect("write");
}

fn read_texts(place: &Place) -> Result<Answer> {
    let mut columns = ["t", "runs", "words"].map(|name| Column::room(Looks::var(name), 6, 20));
    read(&mut query(place)?, &mut columns)
}

/// Damages the files of an array that `picks` picks. Where only `vouched` fields are looked at, from one on, in the files of
/// the paths that it tells, checksums say that they are right.
fn damage(
    what: &str,
    write: fn(&Place),
    read: fn(&Place) -> Result<Answer>,
    picks: fn(&str) -> bool,
    vouched: impl Fn(&str) -> Option<usize>,
) {
    let files = Files::new();
    write(&files.place);
    let whole = read(&files.place).expect("the array as written");
    let found = files.damage(
        what,
        picks,
        || read(&files.place),
        |told, found| {
            if let Some(first) = vouched(told) {
                assert_eq!(found[first..], whole[first..], "{told}");
            }
        },
    );
    assert!(found > 5, "{found} files");
    let again = read(&files.place).expect("the array repaired");
    assert_eq!(again, whole);
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[test]
fn damage_of_dense_arrays_is_an_error_or_does_no_harm() {
    let vouched = |path: &str| last(path).starts_with('a').then_some(1);
    damage("a dense array", write_dense, read_dense, |_| true, vouched);
}

#[test]
fn damage_of_sparse_arrays_is_an_error_or_does_no_harm() {
    let vouched = |path: &str| last(path).starts_with(['a', 'd']).then_some(1);
    damage(
        "a sparse array",
        write_sparse,
        read_sparse,
        |_| true,
        vouched,
    );
}

#[test]
fn damage_of_deletes_is_an_error_or_does_no_harm() {
    // Nothing vouches for when a cell was written or deleted. Fields and schema are as above.
    let new = |path: &str| {
        let name = last(path);
        name.contains('.') && !["a0", "a1", "d0", "d1"].contains(&&name[..2])
    };
    damage("deletes", write_deleted, read_sparse, new, |_| None);
}

#[test]
fn damage_of_labels_is_an_error_or_does_no_harm() {
    // The values of the first label are what its checksums say. Nothing vouches for the offsets of texts.
    let vouched =
        |path: &str| (path.starts_with("__labels/l0/") && last(path).starts_with('a')).then_some(2);
    let new = |path: &str| path.starts_with("__labels") || path.starts_with("__schema");
    damage("labels", write_labelled, read_labelled, new, vouched);
}

#[test]
fn damage_of_encoded_texts_is_an_error_or_does_no_harm() {
    let vouched = |path: &str| last(path).starts_with('a').then_some(1);
    damage("texts", write_texts, read_texts, |_| true, vouched);
}

/// Damages the records of an array that has these cells.
fn damage_records(what: &str, write: fn(&Place), read: fn(&Place) -> Result<Answer>) {
    let files = Files::new();
    write(&files.place);
    let whole = read(&files.place).expect("the array as written");
    files.uncompress();
    let records = |path: &str| path.contains("__schema/") || path.contains("__fragment_metadata");
    files.damage(what, records, || read(&files.place), |_, _| {});
    assert_eq!(read(&files.place).expect("the array repaired"), whole);
}

#[test]
fn damage_of_the_records_of_dense_arrays_is_an_error_or_does_no_harm() {
    damage_records("records of a dense array", write_dense, read_dense);
}

#[test]
fn damage_of_the_records_of_sparse_arrays_is_an_error_or_does_no_harm() {
    damage_records("records of a sparse array", write_sparse, read_sparse);
}

#[test]
fn damage_of_the_records_of_encoded_texts_is_an_error_or_does_no_harm() {
    damage_records("records of texts", write_texts, read_texts);
}

#[test]
fn damage_of_the_records_of_deletes_is_an_error_or_does_no_harm() {
    damage_records("records of deletes", write_deleted, read_sparse);
}

#[test]
fn damage_of_the_records_of_labels_is_an_error_or_does_no_harm() {
    damage_records("records of labels", write_labelled, read_labelled);
}
