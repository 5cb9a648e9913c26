//! Arrays that tests query, in memory.

use datafusion::prelude::{SessionConfig, SessionContext};
use tiledb_datafusion::{TableOptions, session};
use tiledb_engine::{
    Array, ArrayType, Attribute, Context, DataOrder, Datatype, Enumeration, Group, Schema,
    SchemaEvolution, field,
};

/// Returns a session with two partitions whose arrays are in the context.
pub(crate) fn new_session(context: &Context) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2);
    session(config, &TableOptions::new().context(context))
}

/// Returns a session of DataFusion alone, for the expected rows of a query. It has no predicates
/// with values of joins, whose columns DataFusion may mistake for others of the same name.
pub(crate) fn memory_session() -> SessionContext {
    let mut config = SessionConfig::new();
    let optimizer = &mut config.options_mut().optimizer;
    optimizer.enable_dynamic_filter_pushdown = false;
    optimizer.enable_join_dynamic_filter_pushdown = false;
    optimizer.enable_topk_dynamic_filter_pushdown = false;
    optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    SessionContext::new_with_config(config)
}

/// Returns a context with the arrays of the files of queries.
pub(crate) fn context() -> Context {
    let context = Context::new().expect("a context");
    cells(&context);
    grid(&context);
    names(&context);
    types(&context);
    times(&context);
    evolved(&context);
    lists(&context);
    labels(&context);
    dense_times(&context);
    Group::create(&context, "mem://group").expect("a group");
    context
}

fn create(context: &Context, uri: &str, schema: &Schema) -> Array {
    Array::create(context, uri, schema).expect("an array");
    Array::open(context, uri).expect("an array")
}

/// Sparse cells with nulls, NaN, zeros of both signs, an enumeration, replaced and deleted cells.
fn cells(context: &Context) {
    let color = Enumeration::of_texts("colors", false, ["red", "green", "blue"]);
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Int64, 0..=99, 10)
        .nullable_attribute("a", Datatype::Int32)
        .attribute("x", Datatype::Float64)
        .nullable_attribute("s", Datatype::StringUtf8)
        .enumeration(color.expect("texts"))
        .with_attribute(Attribute::of("color", Datatype::Uint8).with_enumeration("colors"))
        .attribute("flag", Datatype::Bool)
        .capacity(4)
        .build()
        .expect("a schema");
    let array = create(context, "mem://cells", &schema);
    let write = |ids: &[i64], a: &[Option<i32>], x: &[f64], s: &[Option<&str>], color: &[&str]| {
        let written = array
            .write()
            .column("id", ids.iter().copied())
            .column("a", a.iter().copied())
            .column("x", x.iter().copied())
            .column("s", s.iter().copied())
            .column("color", color.iter().copied())
            .column("flag", ids.iter().map(|id| id % 2 == 0))
            .submit();
        written.expect("a write");
    };
    write(
        &[1, 2, 3, 10, 11, 12, 20],
        &[Some(1), None, Some(3), Some(10), Some(11), None, Some(20)],
        &[1.5, -0.0, 0.0, f64::NAN, 2.5, -1.0, f64::INFINITY],
        &[
            Some("one"),
            Some("two"),
            None,
            Some("ten"),
            Some("it's"),
            Some(""),
            None,
        ],
        &["red", "green", "red", "blue", "red", "green", "red"],
    );
    write(
        &[3, 11, 30, 31],
        &[Some(33), Some(111), Some(30), Some(-1)],
        &[3.5, 4.5, 5.5, 6.5],
        &[Some("three"), Some("eleven"), Some("thirty"), Some("last")],
        &["blue", "blue", "red", "green"],
    );
    array.delete(&field("id").eq(31)).expect("a delete");
}

/// A dense array of which a box is written.
fn grid(context: &Context) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("y", Datatype::Int32, 1..=8, 3)
        .dimension("x", Datatype::Int32, 1..=6, 2)
        .attribute("v", Datatype::Int32)
        .build()
        .expect("a schema");
    let array = create(context, "mem://grid", &schema);
    let values = (0..24).map(|cell| 10 * (cell / 6 + 2) + cell % 6 + 1);
    let written = array
        .write()
        .range("y", 2..=5)
        .range("x", 1..=6)
        .column("v", values)
        .submit();
    written.expect("a write");
}

/// A dimension of texts, with duplicates.
fn names(context: &Context) {
    let schema = Schema::builder(ArrayType::Sparse)
        .string_dimension("name")
        .dimension("year", Datatype::Uint16, 1900..=2100, 10)
        .attribute("n", Datatype::Uint64)
        .allow_duplicates(true)
        .capacity(3)
        .build()
        .expect("a schema");
    let array = create(context, "mem://names", &schema);
    let written = array
        .write()
        .column("name", ["ann", "bob", "bob", "cid", "dan", "dana", "eve"])
        .column("year", [1990, 1990, 1990, 2000, 2010, 1950, 2020])
        .column("n", [1_u64, 2, 3, 4, 5, 6, u64::MAX])
        .submit();
    written.expect("a write");
}

/// A column of each type.
fn types(context: &Context) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Uint8, 0..=99, 10)
        .attribute("i8", Datatype::Int8)
        .attribute("u8", Datatype::Uint8)
        .attribute("i16", Datatype::Int16)
        .attribute("u16", Datatype::Uint16)
        .attribute("i32", Datatype::Int32)
        .attribute("u32", Datatype::Uint32)
        .attribute("i64", Datatype::Int64)
        .attribute("u64", Datatype::Uint64)
        .attribute("f32", Datatype::Float32)
        .attribute("f64", Datatype::Float64)
        .attribute("b", Datatype::Bool)
        .attribute("ascii", Datatype::StringAscii)
        .attribute("utf8", Datatype::StringUtf8)
        .attribute("utf16", Datatype::StringUtf16)
        .attribute("blob", Datatype::Blob)
        .attribute("day", Datatype::DatetimeDay)
        .attribute("week", Datatype::DatetimeWeek)
        .attribute("hour", Datatype::DatetimeHr)
        .attribute("sec", Datatype::DatetimeSec)
        .attribute("ms", Datatype::DatetimeMs)
        .attribute("us", Datatype::DatetimeUs)
        .attribute("ns", Datatype::DatetimeNs)
        .attribute("tmin", Datatype::TimeMin)
        .attribute("tus", Datatype::TimeUs)
        .attribute("year", Datatype::DatetimeYear)
        .build()
        .expect("a schema");
    let array = create(context, "mem://types", &schema);
    let written = array
        .write()
        .column("id", [1, 2])
        .column("i8", [i8::MIN, i8::MAX])
        .column("u8", [0, u8::MAX])
        .column("i16", [i16::MIN, i16::MAX])
        .column("u16", [0, u16::MAX])
        .column("i32", [i32::MIN, i32::MAX])
        .column("u32", [0, u32::MAX])
        .column("i64", [i64::MIN, i64::MAX])
        .column("u64", [0, u64::MAX])
        .column("f32", [-1.5_f32, 0.25])
        .column("f64", [-1e300, 1e-300])
        .column("b", [false, true])
        .column("ascii", ["a", "zz"])
        .column("utf8", ["ä", "𝄞"])
        .column("utf16", ["ä", "𝄞"])
        .column("blob", [vec![0_u8, 255], vec![]])
        .column("day", ["2024-02-29", "1969-12-31"])
        .column("week", [10_i64, -1])
        .column("hour", [1_i64, -1])
        .column("sec", ["2024-02-29T12:30:01", "1969-12-31T23:59:59"])
        .column("ms", ["2024-02-29T12:30:01.5", "1969-12-31T23:59:59.999"])
        .column(
            "us",
            ["2024-02-29T12:30:01.5", "1969-12-31T23:59:59.999999"],
        )
        .column(
            "ns",
            ["2024-02-29T12:30:01.5", "1969-12-31T23:59:59.999999999"],
        )
        .column("tmin", [90_i64, 0])
        .column("tus", [1_000_001_i64, 5])
        .column("year", [54_i64, -1])
        .submit();
    written.expect("a write");
}

/// A dimension of days.
fn times(context: &Context) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("day", Datatype::DatetimeDay, "2024-01-01"..="2024-12-31", 7)
        .attribute("n", Datatype::Int16)
        .capacity(10)
        .build()
        .expect("a schema");
    let array = create(context, "mem://times", &schema);
    let first = 19_723_i64;
    let written = array
        .write()
        .column("day", (0..366).map(|day| first + day))
        .column("n", (0..366).map(|day| day as i16))
        .submit();
    written.expect("a write");
}

/// Cells of which the first were written before attributes were added.
fn evolved(context: &Context) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Int64, 0..=99, 10)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("a schema");
    let array = create(context, "mem://evolved", &schema);
    let written = array
        .write()
        .column("id", [1_i64, 2])
        .column("a", [10, 20])
        .submit();
    written.expect("a write");
    let mut changes = SchemaEvolution::new();
    for attribute in [
        Attribute::of("later", Datatype::Int32),
        Attribute::of("maybe", Datatype::Int32).with_nulls(),
    ] {
        changes.add_attribute(attribute).expect("a change");
    }
    array.evolve(&changes).expect("a new schema");
    let array = Array::open(context, "mem://evolved").expect("an array");
    let written = array
        .write()
        .column("id", [3_i64, 4])
        .column("a", [30, 40])
        .column("later", [-10, 5])
        .column("maybe", [Some(7), None])
        .submit();
    written.expect("a write");
}

/// Columns of the types that `types` does not have: other units of times, bytes and texts of other
/// encodings, and cells of several values.
fn lists(context: &Context) {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("id", Datatype::Uint8, 0..=99, 10)
        .attribute("month", Datatype::DatetimeMonth)
        .attribute("ps", Datatype::DatetimePs)
        .attribute("fs", Datatype::DatetimeFs)
        .attribute("atto", Datatype::DatetimeAs)
        .attribute("thr", Datatype::TimeHr)
        .attribute("tsec", Datatype::TimeSec)
        .attribute("tms", Datatype::TimeMs)
        .attribute("tns", Datatype::TimeNs)
        .attribute("utf32", Datatype::StringUtf32)
        .attribute("wkb", Datatype::GeomWkb)
        .with_attribute(
            Attribute::of("pair", Datatype::Int16)
                .with_values_per_cell(2)
                .expect("a number of values"),
        )
        .with_attribute(Attribute::of("many", Datatype::Int32).with_any_number_of_values())
        .with_attribute(
            Attribute::of("code", Datatype::StringAscii)
                .with_values_per_cell(2)
                .expect("a number of values"),
        )
        .build()
        .expect("a schema");
    let array = create(context, "mem://lists", &schema);
    let written = array
        .write()
        .column("id", [1, 2])
        .column("month", [649_i64, -1])
        .column("ps", [1_i64, -1])
        .column("fs", [2_i64, -2])
        .column("atto", [3_i64, -3])
        .column("thr", [23_i64, 0])
        .column("tsec", [86_399_i64, 0])
        .column("tms", [1_i64, 0])
        .column("tns", [1_i64, 0])
        .column("utf32", ["ä", "𝄞"])
        .column("wkb", [vec![1_u8, 2], vec![]])
        .column("pair", [vec![1_i16, 2], vec![-1, -2]])
        .column("many", [vec![1_i32, 2, 3], vec![]])
        .column("code", ["no", "se"])
        .submit();
    written.expect("a write");
}

/// Dense arrays without cells: of weeks, of large numbers, and of hours of a day.
fn dense_times(context: &Context) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("week", Datatype::DatetimeWeek, -10..=99, 10)
        .attribute("v", Datatype::Int32)
        .build();
    create(context, "mem://weeks", &schema.expect("a schema"));
    let last = u64::MAX - 10;
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("id", Datatype::Uint64, last - 999..=last, 10)
        .attribute("v", Datatype::Int32)
        .build();
    create(context, "mem://large", &schema.expect("a schema"));
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("time", Datatype::TimeHr, 0..=23, 6)
        .attribute("v", Datatype::Int32)
        .build();
    create(context, "mem://hours", &schema.expect("a schema"));
}

/// A dense array with labels of both dimensions, one of texts and one that decreases.
fn labels(context: &Context) {
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 1..=4, 2)
        .dimension("column", Datatype::Int32, 0..=2, 2)
        .label("row", "name", DataOrder::Increasing, Datatype::StringAscii)
        .label("column", "depth", DataOrder::Decreasing, Datatype::Float64)
        .attribute("v", Datatype::Int64)
        .build()
        .expect("a schema");
    let array = create(context, "mem://labels", &schema);
    let written = array
        .write()
        .range("row", 1..=4)
        .range("column", 0..=2)
        .column("v", 0..12_i64)
        .column("name", ["ant", "bee", "cat", "dog"])
        .column("depth", [4.5, 2.5, 1.0])
        .submit();
    written.expect("a write");
}
