//! The storage calls of an open.

use std::collections::BTreeMap;

use tiledb_engine::internal::array::Array;
use tiledb_engine::internal::fragment::FragmentWriter;
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{ArrayType, Datatype, QueryType};

use crate::setup::{TestArray, dimension, schema};
use crate::storage;

const FRAGMENTS: u64 = 1000;

#[test]
fn an_open_lists_each_folder_once_between_two_states() {
    let (storage, vfs) = storage();
    let test_array = TestArray::new(&vfs, "mem://array");
    let rows = dimension("row", Datatype::Int32, [1, 4], 4);
    test_array.create(&schema(
        ArrayType::Dense,
        [rows],
        [Attribute::new("a", Datatype::Int8)],
    ));
    let schema = test_array.open(QueryType::Read).schema().expect("schema");
    for index in 1..=FRAGMENTS {
        let writer =
            FragmentWriter::create(&vfs, &test_array.uri, &schema, true, Some(index), None);
        writer.expect("writer").finish().expect("commit");
    }
    let array = Array::new(&vfs, test_array.uri.as_str()).expect("array");
    let calls = storage.count(|| array.open(QueryType::Read).expect("open"));
    println!("{calls:?}");
    // The states of the folders of commits and metadata; the size and content of the schema file;
    // a check for the schema file of old formats.
    let expected = [
        ("folder_state", 4),
        ("is_file", 1),
        ("list", 4),
        ("open", FRAGMENTS + 1),
        ("read", FRAGMENTS + 1),
    ];
    assert_eq!(calls, BTreeMap::from(expected));
    array.close().expect("close");
    let calls = storage.count(|| array.open(QueryType::Write).expect("open"));
    let expected = [("is_dir", 1), ("list", 1), ("open", 1), ("read", 1)];
    assert_eq!(calls, BTreeMap::from(expected));
}
