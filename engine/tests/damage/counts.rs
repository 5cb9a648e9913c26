//! Cell counts in a schema or footer that disagree with the stored tiles.

use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::internal::array;
use tiledb_engine::internal::condition::{Condition, Operator};
use tiledb_engine::internal::format::schema as format;
use tiledb_engine::internal::schema::{ArraySchema, Attribute, SchemaEvolution};
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::{ArrayType, Datatype, Layout, QueryType};

use super::setup::column::{CellType, Column, read, write};
use super::setup::{TestArray, attribute, dimension, schema};
use super::{Files, survive};

/// Writes two tiles of a sparse array and then stores another capacity in the schema.
fn write_with_capacity(test_array: &TestArray, capacity: u64) {
    let dimensions = [dimension("d", Datatype::Int32, [1i32, 60], 4)];
    let mut draft = schema(
        ArrayType::Sparse,
        dimensions,
        [attribute("a", Datatype::Int32, &[])],
    );
    draft.set_capacity(4).expect("capacity");
    test_array.create(&draft);
    let columns = [Column::numbers("d", 1..7i32), Column::numbers("a", 1..7i32)];
    write(&mut test_array.query(QueryType::Write), &columns).expect("write");
    let folder = test_array.uri.join("__schema");
    for entry in test_array.vfs.list(&folder).expect("schemas") {
        let file = folder.join(&entry.name);
        let Ok(record) = generic::read(&test_array.vfs.view(), &file, None) else {
            continue;
        };
        let stored = format::read(&record, &entry.name).expect("a schema");
        let stored = ArraySchema { capacity, ..stored };
        let record = format::write(&stored);
        generic::write(&test_array.vfs, &file, &record, None).expect("a schema");
    }
}

/// Reads the cells whose field `field` is below 3, which the statistics of no tile decide.
fn read_below_3(test_array: &TestArray, field: &str) -> Result<()> {
    let mut query = test_array.query(QueryType::Read);
    query.set_layout(Layout::RowMajor)?;
    let below = Condition::compare(field, Operator::Lt, Some(&3i32.to_le_bytes()))?;
    query.set_condition(&Arc::new(below))?;
    let mut buffers = [Column::with_capacity(CellType::fixed(field, 4), 6, 0)];
    read(&mut query, &mut buffers).map(drop)
}

#[test]
fn a_capacity_beyond_the_stored_cells_is_an_error() {
    for capacity in [5, 1 << 28, u64::from(u32::MAX), u64::MAX] {
        let files = Files::new();
        write_with_capacity(&files.test_array, capacity);
        let outcome = survive(
            || format!("capacity {capacity}"),
            || read_below_3(&files.test_array, "a"),
        );
        assert!(outcome.is_err(), "capacity {capacity}");
    }
}

#[test]
fn a_capacity_beyond_the_stored_cells_is_an_error_of_conditions_on_later_attributes() {
    for capacity in [5, 1 << 28, u64::from(u32::MAX)] {
        let files = Files::new();
        let test_array = &files.test_array;
        write_with_capacity(test_array, capacity);
        let mut evolution = SchemaEvolution::default();
        let attribute = Attribute::new("b", Datatype::Int32);
        evolution.add_attribute(attribute).expect("attribute");
        array::evolve(&test_array.vfs, &test_array.uri, &evolution).expect("evolved");
        let outcome = survive(
            || format!("capacity {capacity}"),
            || read_below_3(test_array, "b"),
        );
        assert!(outcome.is_err(), "capacity {capacity}");
    }
}
