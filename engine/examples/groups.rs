//! Groups, metadata, enumerations, and a schema that changes.

use std::io::{self, Write};

use tiledb_engine::{Array, ArrayType, Attribute, Context, Datatype, Enumeration, Group};
use tiledb_engine::{Result, Schema, SchemaEvolution, field};

/// Runs the example and prints its results to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<()> {
    let context = Context::new()?;
    Group::create(&context, "mem://shop")?;
    let uri = "mem://shop/orders";
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("order", Datatype::Uint32, 1..=9999, 100)
        .enumeration(Enumeration::of_texts("states", false, ["open", "paid"])?)
        .with_attribute(Attribute::of("state", Datatype::Uint8).with_enumeration("states"))
        .build()?;
    Array::create(&context, uri, &schema)?;

    let mut group = Group::open(&context, "mem://shop")?;
    group.add_relative("orders", Some("orders"))?;
    group.put_metadata("owner", "Ada")?;
    group.reopen()?;
    for member in group.members()? {
        line(out, format_args!("{:?} {:?}", member.kind, member.name))?;
    }
    if let Some(owner) = group.metadata_value("owner")? {
        line(out, format_args!("owner: {}", owner.text()))?;
    }

    // Values of an enumeration are written, read and compared by name.
    let mut array = Array::open(&context, uri)?;
    let write = array.write().column("order", [1, 2, 3]);
    write.column("state", ["open", "paid", "open"]).submit()?;
    array.reopen()?;
    line(out, format_args!("{:?}", array.read::<String>("state")?))?;
    let open = array.query().condition(field("state").eq("open"));
    line(out, format_args!("{:?}", open.read::<u32>("order")?))?;

    // Cells that were written before have the fill value in a new attribute.
    let mut changes = SchemaEvolution::new();
    let states = array.enumeration("states")?.with_texts(["sent"])?;
    changes.extend_enumeration(&states.into())?;
    changes.add_attribute(Attribute::of("total", Datatype::Float64).with_fill_value(0.0)?)?;
    array.evolve(&changes)?;
    array.reopen()?;
    let write = array.write().column("order", [4]).column("state", ["sent"]);
    write.column("total", [12.5]).submit()?;
    array.reopen()?;
    line(out, format_args!("{:?}", array.read::<String>("state")?))?;
    line(out, format_args!("{:?}", array.read::<f64>("total")?))?;
    for (uri, kind) in context.all_objects("mem://shop")? {
        line(out, format_args!("{kind:?} {uri}"))?;
    }
    Ok(())
}

/// Prints a line.
fn line(out: &mut impl Write, text: std::fmt::Arguments<'_>) -> Result<()> {
    writeln!(out, "{text}").map_err(|error| tiledb_engine::Error::storage("write", "stdout", error))
}

#[allow(dead_code, reason = "the test calls run")]
fn main() -> Result<()> {
    run(&mut io::stdout())
}
