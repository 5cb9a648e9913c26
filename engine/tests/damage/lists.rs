//! Records with lists of a million small values, which compressed files of a few kilobytes can
//! have: memory for a list that cannot be allocated is an error, and does not end the process.

use tiledb_engine::internal::bytes::{Cursor, Sink};
use tiledb_engine::internal::error::{Error, ErrorKind};
use tiledb_engine::internal::format::commits::read_condition;
use tiledb_engine::internal::format::enumeration;
use tiledb_engine::internal::format::filter_list;
use tiledb_engine::internal::format::fragment::{
    RTree, TileValues, read_consolidated, read_numbers, read_processed_conditions,
};
use tiledb_engine::internal::format::group::read_group;
use tiledb_engine::internal::format::metadata::read_metadata;
use tiledb_engine::internal::format::schema as schema_format;
use tiledb_engine::internal::format::version::FormatVersion;
use tiledb_engine::internal::schema::ArraySchema;
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::{ArrayType, Datatype};

use super::setup::{attribute, dimension, schema};
use super::{Files, LEFT, MOST};

/// The number of values of a list.
const VALUES: usize = 1 << 20;
/// The largest allocation in bytes that succeeds.
const LIMIT: usize = 1 << 20;

/// Returns a record: `head`, and then `value` [`VALUES`] times.
fn record(head: impl FnOnce(&mut Sink), value: &[u8]) -> Vec<u8> {
    let mut to = Sink::new();
    head(&mut to);
    let mut record = to.into_bytes();
    record.extend(value.iter().copied().cycle().take(value.len() * VALUES));
    record
}

/// Reads a record while large allocations fail.
fn refuse<T>(case: &str, read: impl FnOnce() -> Result<T, Error>) {
    MOST.set(LIMIT);
    let read = read().map(drop);
    MOST.set(usize::MAX);
    let error = read.expect_err(case);
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{case}: {error}");
}

/// Reads a record with memory for a part of its content, from none to enough.
fn refuse_any_part<T>(case: &str, read: impl Fn() -> Result<T, Error>) {
    let mut refused = 0;
    for left in (0..).map(|step| step * (16 << 10)) {
        LEFT.set(left);
        let read = read().map(drop);
        LEFT.set(usize::MAX);
        let Err(error) = read else {
            break;
        };
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{case}: {error}");
        refused += 1;
    }
    assert!(refused > 10, "{case}: {refused}");
}

#[test]
fn texts_and_conditions_that_cannot_all_be_allocated_are_errors() {
    const NUMBER: usize = 2000;
    let mut members = Sink::new();
    members.u32(2);
    members.u64(NUMBER as u64);
    for number in 0..NUMBER {
        members.u32(2);
        members.u8(2);
        members.flag(false);
        members.text(&format!("mem://array-{number:020}"));
        members.flag(true);
        members.text(&format!("{number:0100}"));
        members.flag(false);
    }
    refuse_any_part("group", || {
        read_group(&mut Cursor::new("group", members.as_slice()))
    });
    let mut condition = Sink::new();
    condition.u8(0);
    condition.u8(0);
    condition.u64(NUMBER as u64);
    for number in 0..NUMBER {
        condition.u8(1);
        condition.u8(3);
        condition.text_u32(&format!("{number:050}"));
        condition.u64(8);
        condition.u64(number as u64);
    }
    refuse_any_part("condition", || read_condition(condition.as_slice()));
}

/// Returns a stored schema with one dimension of bytes and its record.
fn stored_schema() -> (ArraySchema, Vec<u8>) {
    let files = Files::new();
    let test_array = &files.test_array;
    let dimensions = [dimension("d", Datatype::Uint8, [0u8, 200], 4)];
    let attributes = [attribute("a", Datatype::Int32, &[])];
    test_array.create(&schema(ArrayType::Sparse, dimensions, attributes));
    let folder = test_array.uri.join("__schema");
    let (entry, record) = test_array
        .vfs
        .list(&folder)
        .expect("schemas")
        .into_iter()
        .find_map(|entry| {
            let file = folder.join(&entry.name);
            let record = generic::read(&test_array.vfs.view(), &file, None).ok()?;
            Some((entry, record))
        })
        .expect("a schema");
    let schema = schema_format::read(&record, &entry.name).expect("a schema");
    (schema, record)
}

#[test]
fn lists_of_objects_that_cannot_be_allocated_are_errors() {
    let number = VALUES as u64;
    let members = record(
        |to| {
            to.u32(2);
            to.u64(number);
        },
        // Version, type, relative, length of the URI, named.
        &[1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    refuse("group", || read_group(&mut Cursor::new("group", &members)));
    // The length of the key, deleted.
    let entries = record(|_| {}, &[0, 0, 0, 0, 1]);
    refuse("metadata", || {
        read_metadata(&mut Cursor::new("metadata", &entries))
    });
    // The lengths of the name and of the offset.
    let footers = record(|to| to.u32(VALUES as u32), &[0; 16]);
    refuse("consolidated metadata", || read_consolidated(&footers));
    let names = record(|to| to.u64(number), &[0; 8]);
    refuse("processed conditions", || {
        read_processed_conditions(&mut Cursor::new("conditions", &names))
    });
    // A comparison, the operator, the lengths of field and value.
    let comparison = [&[1u8, 3][..], &[0; 12]].concat();
    let condition = record(
        |to| {
            to.u8(0);
            to.u8(0);
            to.u64(number);
        },
        &comparison,
    );
    refuse("condition", || read_condition(&condition));
}

#[test]
fn lists_of_schemas_that_cannot_be_allocated_are_errors() {
    // The filter without options.
    let filters = record(
        |to| {
            to.u32(65536);
            to.u32(VALUES as u32);
        },
        &[0; 5],
    );
    refuse("filters", || {
        let from = &mut Cursor::new("filter list", &filters);
        filter_list::read(from, FormatVersion::WRITTEN)
    });
    let values = record(
        |to| {
            to.u32(0);
            to.text_u32("e");
            to.text_u32("file");
            to.u8(Datatype::StringUtf8.code());
            to.u32(u32::MAX);
            to.flag(false);
            to.u64(0);
            to.u64(8 * VALUES as u64);
        },
        &[0; 8],
    );
    refuse("enumeration", || enumeration::read(&values));

    // The first filter list of a schema, that of coordinates, replaced by a long one.
    let (schema, stored) = stored_schema();
    let start = 4 + 1 + 1 + 1 + 1 + 8;
    let mut from = Cursor::new("filter list", &stored[start..]);
    filter_list::read(&mut from, FormatVersion::WRITTEN).expect("a filter list");
    let end = start + from.position();
    let long = [&stored[..start], &filters, &stored[end..]].concat();
    refuse("schema", || schema_format::read(&long, &schema.name));
}

#[test]
fn lists_of_fragments_that_cannot_be_allocated_are_errors() {
    let (schema, _) = stored_schema();
    let read_tree = |record: &[u8]| {
        RTree::read(
            &mut Cursor::new("R-tree", record),
            FormatVersion::WRITTEN,
            &schema,
        )
    };
    let leaves = record(
        |to| {
            to.u32(10);
            to.u32(1);
            to.u64(VALUES as u64);
        },
        &[1, 2],
    );
    refuse("MBRs", || read_tree(&leaves));
    let levels = record(
        |to| {
            to.u32(10);
            to.u32(VALUES as u32);
        },
        &[0; 8],
    );
    refuse("levels", || read_tree(&levels));
    let numbers = record(|to| to.u64(VALUES as u64), &[0; 8]);
    refuse("numbers", || {
        read_numbers(&mut Cursor::new("numbers", &numbers), "numbers")
    });
    let minima = record(
        |to| {
            to.u64(8 * VALUES as u64);
            to.u64(0);
        },
        &[0; 8],
    );
    refuse("minima", || {
        TileValues::read(&mut Cursor::new("minima", &minima), None)
    });
}
