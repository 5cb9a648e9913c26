//! A result that is larger than the buffers, read in batches of bounded size.

use std::io::{self, Write};

use tiledb_engine::{Array, ArrayType, Context, Datatype, Layout, Result, Schema, Subarray};

/// Runs the example and prints its results to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<()> {
    let context = Context::new()?;
    let uri = "mem://numbers";
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Int64, 0..=999_999, 10_000)
        .attribute("square", Datatype::Int64)
        .attribute("text", Datatype::StringUtf8)
        .capacity(1000)
        .build()?;
    Array::create(&context, uri, &schema)?;

    let ids: Vec<i64> = (0..10_000).collect();
    let mut array = Array::open(&context, uri)?;
    array
        .write()
        .column("id", &ids)
        .column("square", ids.iter().map(|id| id * id))
        .column("text", ids.iter().map(|id| format!("number {id}")))
        .submit()?;
    array.reopen()?;

    let ranges = Subarray::new()
        .range("id", 0..=2499)
        .range("id", 9000..=9999);
    let query = array.query().subarray(ranges).layout(Layout::RowMajor);
    let (mut cells, mut batches, mut sum) = (0, 0, 0);
    for batch in query.batch_bytes(64 << 10).batches()? {
        let batch = batch?;
        batches += 1;
        cells += batch.len();
        sum += batch.values::<i64>("square")?.iter().sum::<i64>();
    }
    line(
        out,
        format_args!("{cells} cells, several batches: {}", batches > 1),
    )?;
    line(out, format_args!("sum of squares: {sum}"))?;
    let last = array.query().point("id", 9999).read::<String>("text")?;
    line(out, format_args!("{last:?}"))?;
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
