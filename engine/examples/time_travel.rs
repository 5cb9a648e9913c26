//! Writes at several times, reads of earlier states, and consolidation.

use std::io::{self, Write};

use tiledb_engine::{Array, ArrayType, Context, Datatype, MaintenanceMode, Result, Schema};

/// Runs the example and prints its results to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<()> {
    let context = Context::new()?;
    let uri = "mem://prices";
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("item", Datatype::Uint32, 0..=999, 100)
        .attribute("price", Datatype::Float64)
        .build()?;
    Array::create(&context, uri, &schema)?;

    let mut array = Array::open(&context, uri)?;
    for (timestamp, price) in [(1000, 9.5), (2000, 11.0), (3000, 10.25)] {
        let write = array.write().at(timestamp);
        write
            .column("item", [7])
            .column("price", [price])
            .submit()?;
    }
    for timestamp in [500, 1000, 2999, 3000] {
        let then = Array::open_at(&context, uri, ..=timestamp)?;
        let prices = then.read::<f64>("price")?;
        line(out, format_args!("at {timestamp}: {prices:?}"))?;
    }

    array.reopen()?;
    for fragment in array.fragments()? {
        let (time, cells) = (fragment.timestamps(), fragment.cell_num());
        line(
            out,
            format_args!("{} to {}: {cells} cell", time.start, time.end),
        )?;
    }
    array.consolidate(MaintenanceMode::Fragments)?;
    array.vacuum(MaintenanceMode::Fragments)?;
    array.reopen()?;
    line(out, format_args!("fragments: {}", array.fragments()?.len()))?;
    // The consolidated fragment keeps the time of each cell.
    let then = Array::open_at(&context, uri, ..=1500)?;
    line(
        out,
        format_args!("at 1500: {:?}", then.read::<f64>("price")?),
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
