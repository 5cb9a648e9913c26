//! Numbers of cells that a schema or a footer states and the stored tiles do not have.

use std::sync::Arc;

use tiledb_engine::Result;
use tiledb_engine::condition::{Condition, Operator};
use tiledb_engine::format::schema as format;
use tiledb_engine::schema::ArraySchema;
use tiledb_engine::tile::generic;
use tiledb_engine::types::{ArrayType, Datatype, Layout, QueryType};

use super::setup::column::{Column, Looks, read, write};
use super::setup::{Place, attribute, dimension, schema};
use super::{Files, survive};

/// Writes two tiles of a sparse array and then states another capacity in the schema.
fn write_with_capacity(place: &Place, capacity: u64) {
    let dimensions = [dimension("d", Datatype::Int32, [1i32, 60], 4)];
    let mut draft = schema(
        ArrayType::Sparse,
        dimensions,
        [attribute("a", Datatype::Int32, &[])],
    );
    draft.set_capacity(4).expect("capacity");
    place.create(&draft);
    let columns = [Column::numbers("d", 1..7i32), Column::numbers("a", 1..7i32)];
    write(&mut place.query(QueryType::Write), &columns).expect("write");
    let folder = place.uri.join("__schema");
    for entry in place.vfs.list(&folder).expect("schemas") {
        let file = folder.join(&entry.name);
        let Ok(record) = generic::read(&place.vfs, &file, None) else {
            continue;
        };
        let stored = format::read(&record, &entry.name).expect("a schema");
        let stored = ArraySchema { capacity, ..stored };
        let record = format::write(&stored);
        generic::write(&place.vfs, &file, &record, None).expect("a schema");
    }
}

#[test]
fn a_capacity_beyond_the_stored_cells_is_an_error() {
    for capacity in [5, 1 << 28, u64::from(u32::MAX), u64::MAX] {
        let files = Files::new();
        write_with_capacity(&files.place, capacity);
        let outcome = survive(
            || format!("capacity {capacity}"),
            || -> Result<_> {
                let mut query = files.place.query(QueryType::Read);
                query.set_layout(Layout::RowMajor)?;
                let below = Condition::compare("a", Operator::Lt, Some(&3i32.to_le_bytes()))?;
                query.set_condition(&Arc::new(below))?;
                read(&mut query, &mut [Column::room(Looks::fixed("a", 4), 6, 0)])
            },
        );
        assert!(outcome.is_err(), "capacity {capacity}");
    }
}
