//! The storage calls of an open.

use std::collections::BTreeMap;

use tiledb_engine::array::Array;
use tiledb_engine::fragment::FragmentWriter;
use tiledb_engine::schema::Attribute;
use tiledb_engine::types::{ArrayType, Datatype, QueryType};

use crate::setup::{Place, dimension, schema};
use crate::storage;

const FRAGMENTS: u64 = 1000;

#[test]
fn an_open_lists_each_folder_once_between_two_states() {
    let (storage, vfs) = storage();
    let place = Place::new(&vfs, "mem://array");
    let rows = dimension("row", Datatype::Int32, [1, 4], 4);
    place.create(&schema(
        ArrayType::Dense,
        [rows],
        [Attribute::new("a", Datatype::Int8)],
    ));
    let schema = place.open(QueryType::Read).schema().expect("schema");
    for at in 1..=FRAGMENTS {
        let writer = FragmentWriter::create(&vfs, &place.uri, &schema, true, Some(at), None);
        writer.expect("writer").finish().expect("commit");
    }
    let array = Array::new(&vfs, place.uri.as_str()).expect("array");
    let calls = storage.count(|| array.open(QueryType::Read).expect("open"));
    println!("{calls:?}");
    // The states of the folders of commits and of metadata. One more file, and read, for the schema; a look for the
    // schema of old arrays.
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
