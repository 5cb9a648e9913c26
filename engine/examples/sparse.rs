//! A sparse array of events: strings, nullable values, conditions, aggregates and deletes.

use std::io::{self, Write};

use tiledb_engine::{AggregateOperator, Array, ArrayType, Condition, Context, Datatype};
use tiledb_engine::{Result, Schema, field};

/// Runs the example and prints its results to `out`.
pub(crate) fn run(out: &mut impl Write) -> Result<()> {
    let context = Context::new()?;
    let uri = "mem://events";
    let (first, last) = ("2024-01-01T00:00:00", "2024-12-31T23:59:59");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("time", Datatype::DatetimeSec, first..=last, 86_400)
        .string_dimension("sensor")
        .attribute("level", Datatype::Float32)
        .nullable_attribute("note", Datatype::StringUtf8)
        .build()?;
    Array::create(&context, uri, &schema)?;

    let mut array = Array::open(&context, uri)?;
    array
        .write()
        .column(
            "time",
            ["2024-03-01T08:00", "2024-03-01T09:00", "2024-05-09T12:30"],
        )
        .column("sensor", ["north", "south", "north"])
        .column("level", [0.5, 2.25, 3.0])
        .column("note", [None, Some("cleaned"), None])
        .submit()?;
    array.reopen()?;

    let high = field("level").gt(1.0) & field("sensor").is_in(["north", "south"]);
    let records = array.query().condition(high).collect()?;
    for cell in 0..records.len() {
        let fields = records.fields().iter();
        let texts = fields.map(|field| field.text(cell).unwrap_or_else(|| "null".to_owned()));
        line(
            out,
            format_args!("{}", texts.collect::<Vec<_>>().join(" | ")),
        )?;
    }

    let aggregates = [
        (AggregateOperator::Mean, "level"),
        (AggregateOperator::Max, "level"),
        (AggregateOperator::NullCount, "note"),
    ];
    for result in array.query().aggregate(&aggregates)? {
        line(out, format_args!("{:?}", result.scalar(0)))?;
    }

    array.delete(&Condition::parse(
        "time < '2024-03-31T00:00' AND level <= 2.25",
    )?)?;
    array.reopen()?;
    line(out, format_args!("left: {}", array.query().count()?))?;

    // Errors about the text of a condition have a position.
    if let Err(error) = Condition::parse("level > high") {
        line(out, format_args!("{error}"))?;
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
