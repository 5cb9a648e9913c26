//! All schemas of an array by name.

use std::sync::Arc;

use super::messages_capnp::{array_schema, map};
use super::schema;
use super::texts::{length, short, text};
use crate::error::Result;
use crate::schema::ArraySchema;

type SchemaMap = map::Owned<capnp::text::Owned, array_schema::Owned>;

/// Fills the message of schemas. `uri` is the URI of their array, which clients send.
pub(super) fn fill(
    to: <SchemaMap as capnp::traits::Owned>::Builder<'_>,
    schemas: &[Arc<ArraySchema>],
    uri: Option<&str>,
) -> Result<()> {
    let number = length("A list of schemas", schemas.len())?;
    let mut entries = to.init_entries(number);
    for (index, schema) in (0..).zip(schemas) {
        let mut entry = entries.reborrow().get(index);
        entry.set_key(short("The name of a schema", &schema.name)?)?;
        schema::fill(entry.init_value(), schema, uri)?;
    }
    Ok(())
}

/// Reads the message of schemas, which get the names of the map.
pub(super) fn parse(
    from: <SchemaMap as capnp::traits::Owned>::Reader<'_>,
) -> Result<Vec<ArraySchema>> {
    from.get_entries()?
        .iter()
        .map(|entry| {
            let name = text(entry.get_key())?.to_owned();
            let schema = schema::parse(entry.get_value()?)?;
            Ok(ArraySchema { name, ..schema })
        })
        .collect()
}
