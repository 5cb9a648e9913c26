//! A dense matrix: write blocks, read a slice, and see the fill values of cells without data.

use std::io::{self, Write};

use tiledb_engine::{Array, ArrayType, Context, Datatype, Filter, FilterList, Result, Schema};
use tiledb_engine::{Attribute, Compressor};

/// Runs the example and prints its results to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<()> {
    let context = Context::new()?;
    let uri = "mem://matrix";
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 1..=4, 2)
        .dimension("column", Datatype::Int32, 1..=4, 2)
        .with_attribute(Attribute::of("value", Datatype::Int32).with_fill_value(-1)?)
        .filters(
            "value",
            FilterList::of(Filter::compression(Compressor::Zstd)),
        )
        .build()?;
    Array::create(&context, uri, &schema)?;

    let mut array = Array::open(&context, uri)?;
    array
        .write()
        .range("row", 1..=2)
        .range("column", 1..=3)
        .column("value", [11, 12, 13, 21, 22, 23])
        .submit()?;
    // Of cells that are written twice, the later write is read.
    array
        .write()
        .range("row", 2..=3)
        .range("column", 2..=2)
        .column("value", [220, 320])
        .submit()?;
    array.reopen()?;

    let values = array.read::<i32>("value")?;
    for row in values.chunks_exact(4) {
        line(out, format_args!("{row:?}"))?;
    }
    let slice = array.query().range("row", 2..=3).range("column", 1..=2);
    line(
        out,
        format_args!("slice: {:?}", slice.read::<i32>("value")?),
    )?;
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
