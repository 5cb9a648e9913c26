//! `evolve`: adds and drops attributes.

use serde_json::json;
use tiledb_engine::{Attribute, Context, SchemaEvolution};

use crate::args::Time;
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::selection::{open, parse_datatype};

/// Changes the schema of an array.
pub(super) fn evolve(
    context: &Context,
    uri: &str,
    add: &[String],
    drop: &[String],
    output: &mut Output,
) -> Result<()> {
    let array = open(context, uri, Time { at: None })?;
    let schema = array.schema()?;
    if add.is_empty() && drop.is_empty() {
        return Err(
            Problem::usage("no change is given").hint("use --add NAME:DATATYPE or --drop NAME")
        );
    }
    let mut changes = SchemaEvolution::new();
    for text in add {
        let parts = text.split_once(':').filter(|(name, _)| !name.is_empty());
        let (name, datatype) = parts.ok_or_else(|| {
            Problem::usage(format!("'{text}' is not an attribute"))
                .hint("write --add NAME:DATATYPE, such as --add note:STRING_UTF8?")
        })?;
        if schema.datatype(name).is_some() {
            return Err(Problem::usage(format!("there is a field '{name}' already")));
        }
        let nullable = datatype.ends_with('?');
        let datatype = parse_datatype(datatype.trim_end_matches('?'))?;
        let attribute = Attribute::of(name, datatype);
        changes.add_attribute(if nullable {
            attribute.with_nulls()
        } else {
            attribute
        })?;
    }
    for (index, name) in drop.iter().enumerate() {
        if drop[..index].contains(name) {
            return Err(Problem::usage(format!(
                "attribute '{name}' is dropped twice"
            )));
        }
        if schema.attribute(name).is_none() {
            return Err(Problem::usage(format!("there is no attribute '{name}'")));
        }
        changes.drop_attribute(name);
    }
    array.evolve(&changes)?;
    let json = json!({"added": add, "dropped": drop});
    output.print(&json, || {
        format!(
            "added {} and dropped {} attributes\n",
            add.len(),
            drop.len()
        )
    })
}
