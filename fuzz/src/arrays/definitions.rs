//! Small arrays that together have every kind of file, filter and cell. Data has no checksums, so
//! that damage reaches the decoders.

use std::sync::Arc;

use tiledb_engine::internal::array::{self, WithMetadata};
use tiledb_engine::internal::condition::{Combination, Condition, Operator};
use tiledb_engine::internal::filter::FilterType;
use tiledb_engine::internal::schema::{
    Attribute, Enumeration, EnumerationValues, SchemaDraft, SchemaEvolution, shared,
};
use tiledb_engine::internal::subarray::Subarray;
use tiledb_engine::internal::types::{ArrayType, DataOrder, Datatype, Layout, QueryType, VAR_NUM};

use super::setup::column::{CellType, Column, write};
use super::setup::{
    TestArray, attribute, bytes, dimension, filters, next_millisecond, schema, text, texts,
};

/// Functions that create an array and write to it.
pub(super) const WRITERS: [fn(&TestArray); 7] = [
    dense, sparse, strings, hilbert, deleted, labelled, everything,
];

const TEXTS: [&str; 6] = ["one", "", "two", "four", "!", "!!"];
const VALID: [u8; 6] = [1, 0, 1, 1, 0, 1];

fn nullable_texts() -> Column {
    let cells = TEXTS.into_iter().zip(VALID);
    Column::of(CellType::var("texts").nullable(), cells)
}

fn nullable(name: &str, kinds: &[FilterType]) -> Attribute {
    let mut attribute = text(name, kinds);
    attribute.set_nullable(true).expect("nullable");
    attribute
}

/// Two overlapping fragments of a dense array with two dimensions.
fn dense(to: &TestArray) {
    let dimensions = [
        dimension("r", Datatype::Int32, [1i32, 4], 2),
        dimension("c", Datatype::Int32, [-1i32, 2], 3),
    ];
    let numbers = [FilterType::DoubleDelta, FilterType::Zstd];
    let words = [FilterType::Bitshuffle, FilterType::Lz4];
    let attributes = [
        attribute("plain", Datatype::Int32, &[]),
        attribute("numbers", Datatype::Int64, &numbers),
        attribute("words", Datatype::Uint16, &words),
        nullable("texts", &[FilterType::Gzip]),
    ];
    let mut schema = schema(ArrayType::Dense, dimensions, attributes);
    schema.set_offsets_filters(filters(&[FilterType::Lz4]));
    schema.set_validity_filters(filters(&[FilterType::Rle]));
    to.create(&schema);
    for first in [1i32, 2] {
        next_millisecond();
        let mut query = to.query(QueryType::Write);
        let mut subarray = Subarray::new(query.request().schema());
        let rows = [first, first + 1].map(i32::to_le_bytes);
        let columns = [-1i32, 1].map(i32::to_le_bytes);
        subarray.add_range(0, &rows[0], &rows[1]).expect("range");
        subarray
            .add_range(1, &columns[0], &columns[1])
            .expect("range");
        query.set_subarray(&subarray).expect("subarray");
        let columns = [
            Column::numbers("plain", 0..6i32),
            Column::numbers("numbers", (0..6i64).map(|number| number * 1_000_003)),
            Column::numbers("words", 0..6u16),
            nullable_texts(),
        ];
        write(&mut query, &columns).expect("write");
    }
}

fn sparse_schema(kinds: [&[FilterType]; 3]) -> SchemaDraft {
    let mut dimensions = [dimension("d", Datatype::Int32, [1i32, 60], 4), texts("t")];
    for dimension in &mut dimensions {
        dimension.set_filters(filters(kinds[0])).expect("filters");
    }
    let plain = attribute("plain", Datatype::Int32, kinds[1]);
    let attributes = [plain, nullable("texts", kinds[2])];
    let mut schema = schema(ArrayType::Sparse, dimensions, attributes);
    schema.set_capacity(2).expect("capacity");
    schema
}

fn write_sparse(to: &TestArray, step: i32) {
    next_millisecond();
    let columns = [
        Column::numbers("d", (0..6).map(|number| 1 + number * step)),
        Column::texts("t", TEXTS),
        Column::numbers("plain", (0..6).map(|number| number * step)),
        nullable_texts(),
    ];
    write(&mut to.query(QueryType::Write), &columns).expect("write");
}

/// Two overlapping fragments of three tiles each.
fn sparse(to: &TestArray) {
    let numbers = [FilterType::BitWidthReduction, FilterType::Bzip2];
    let mut schema = sparse_schema([&[FilterType::Zstd], &numbers, &[]]);
    schema.set_offsets_filters(filters(&[FilterType::Delta, FilterType::Gzip]));
    to.create(&schema);
    for step in [3, 4] {
        write_sparse(to, step);
    }
}

/// Strings with filters that encode the offsets as well, and cells with equal coordinates.
fn strings(to: &TestArray) {
    let mut coordinates = texts("t");
    coordinates
        .set_filters(filters(&[FilterType::Rle]))
        .expect("filters");
    let attributes = [
        text("runs", &[FilterType::Rle, FilterType::Zstd]),
        text("words", &[FilterType::Dictionary]),
        nullable("texts", &[]),
    ];
    let mut schema = schema(ArrayType::Sparse, [coordinates], attributes);
    schema.set_capacity(4).expect("capacity");
    schema.set_allows_dups(true).expect("duplicates");
    to.create(&schema);
    for _ in 0..2 {
        next_millisecond();
        let mut columns = ["t", "runs", "words"]
            .map(|name| Column::texts(name, TEXTS))
            .into_iter()
            .collect::<Vec<_>>();
        columns.push(nullable_texts());
        write(&mut to.query(QueryType::Write), &columns).expect("write");
    }
}

/// Cells in Hilbert order with coordinates of floating point numbers.
fn hilbert(to: &TestArray) {
    let kinds = filters(&[FilterType::Byteshuffle, FilterType::Zstd]);
    let mut dimensions =
        ["x", "y"].map(|name| dimension(name, Datatype::Float64, [0f64, 1e3], 10.0));
    for dimension in &mut dimensions {
        dimension.set_filters(kinds.clone()).expect("filters");
    }
    let attributes = [attribute("a", Datatype::Float32, &[FilterType::Xor])];
    let mut schema = schema(ArrayType::Sparse, dimensions, attributes);
    schema.set_cell_order(Layout::Hilbert).expect("order");
    schema.set_capacity(3).expect("capacity");
    to.create(&schema);
    for first in [0, 5] {
        next_millisecond();
        let coordinates =
            |factor: i32| (0..8).map(move |cell| f64::from((first + cell * factor) % 97));
        let columns = [
            Column::numbers("x", coordinates(31)),
            Column::numbers("y", coordinates(57)),
            Column::numbers("a", (0..8u8).map(f32::from)),
        ];
        write(&mut to.query(QueryType::Write), &columns).expect("write");
    }
}

/// Deletes, consolidation with the times of deletes, consolidated commits, and a delete after them.
fn deleted(to: &TestArray) {
    to.create(&sparse_schema([&[], &[FilterType::Zstd], &[]]));
    for step in [3, 4] {
        write_sparse(to, step);
    }
    next_millisecond();
    let less = Condition::compare("plain", Operator::Le, Some(&3i32.to_le_bytes()));
    let two = Condition::compare("texts", Operator::Eq, Some(b"two"));
    let (less, two) = (less.expect("condition"), two.expect("condition"));
    let either = Arc::new(less).combine(&Arc::new(two), Combination::Or);
    to.delete(either.expect("condition"));
    for mode in ["fragments", "commits"] {
        next_millisecond();
        to.consolidate(mode);
        to.vacuum(mode);
    }
    write_sparse(to, 5);
    let set = Condition::is_one_of("plain", Operator::In, &bytes([16i32, 9]), &[0, 4]);
    next_millisecond();
    to.delete(set.expect("condition"));
}

/// Cells with two labels, of numbers and of texts.
fn labelled(to: &TestArray) {
    let plain = attribute("plain", Datatype::Int32, &[]);
    let index = dimension("d", Datatype::Int32, [1i32, 6], 4);
    let mut schema = schema(ArrayType::Dense, [index], [plain]);
    let labels = [
        ("numbers", Datatype::Int64),
        ("texts", Datatype::StringAscii),
    ];
    for (name, datatype) in labels {
        let added = schema.add_label(0, name, DataOrder::Increasing, datatype);
        added.expect("a label");
    }
    to.create(&schema);
    let mut query = to.query(QueryType::Write);
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

/// Enumerations, an evolved schema, metadata, and all consolidated files.
fn everything(to: &TestArray) {
    let starts: Vec<u8> = [0u64, 3].into_iter().flat_map(u64::to_le_bytes).collect();
    let values = EnumerationValues {
        data: Some(b"onetwo"),
        offsets: Some(&starts),
    };
    let words = Enumeration::new("words", Datatype::StringAscii, VAR_NUM, false, values);
    let dimensions = [dimension("d", Datatype::Int32, [1i32, 99], 10), texts("t")];
    let mut draft = schema(ArrayType::Sparse, dimensions, []);
    draft.set_capacity(2).expect("capacity");
    draft
        .add_enumeration(&Arc::new(words.expect("enumeration")))
        .expect("enumeration");
    let mut attribute = Attribute::new("a", Datatype::Int32);
    attribute.set_enumeration("words").expect("enumeration");
    draft.add_attribute(&shared(attribute)).expect("attribute");
    to.create(&draft);
    for first in [1, 2] {
        write_numbers(to, first, &["a"]);
        let array = to.open(QueryType::Write);
        let put = array.put_metadata(Some("key"), Datatype::Uint8, &[first as u8; 9]);
        put.expect("metadata");
        array.close().expect("close");
    }
    evolve(to);
    write_numbers(to, 4, &["a", "b"]);
    for mode in ["array_meta", "commits", "fragment_meta", "fragments"] {
        next_millisecond();
        to.consolidate(mode);
    }
    write_numbers(to, 5, &["a", "b"]);
    next_millisecond();
    to.consolidate("fragment_meta");
}

fn write_numbers(to: &TestArray, first: i32, attributes: &[&str]) {
    next_millisecond();
    let mut columns = vec![
        Column::numbers("d", (0..6).map(|index| first + index * 7)),
        Column::texts("t", ["a", "b", "c", "d", "e", "f"]),
    ];
    let values = |name: &&str| Column::numbers(name, (0..6).map(|index| index % 2));
    columns.extend(attributes.iter().map(values));
    write(&mut to.query(QueryType::Write), &columns).expect("write");
}

fn evolve(to: &TestArray) {
    next_millisecond();
    let array = to.open(QueryType::Read);
    let loaded = array.enumeration("words").expect("enumeration");
    let longer = loaded.extend(EnumerationValues {
        data: Some(b"three"),
        offsets: Some(&0u64.to_le_bytes()),
    });
    let mut evolution = SchemaEvolution::default();
    let longer = Arc::new(longer.expect("longer"));
    evolution.extend_enumeration(&longer).expect("extended");
    let added = Attribute::new("b", Datatype::Int32);
    evolution.add_attribute(added).expect("attribute");
    array::evolve(&to.vfs, &to.uri, &evolution).expect("evolve");
}
