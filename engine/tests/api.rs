//! The public API: conversions, invalid arguments, and the promises of the crate documentation.

use std::fs;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::Path;
use std::sync::{Arc, Mutex};

use tiledb_engine::{
    Aggregate, AggregateOperator, Array, ArrayListing, ArrayType, Attribute, AzureOptions, Batches,
    CellBytes, Compressor, Condition, Context, DataOrder, Datatype, Entry, Error, FieldValues,
    Filter, FilterList, FragmentDetails, GcsOptions, Group, GroupChange, Layout, ReadQuery,
    Records, Result, S3Options, Scalar, Schema, SchemaBuilder, SchemaEvolution, Subarray,
    TypedValues, WriteQuery, field,
};

/// The number of names that the crate may export. The options of object stores, files and folders,
/// aggregates and dimension labels, a stream, a listing for several states, changes of groups and a
/// reader of decoded batches have fifteen of them.
const MAX_NAMES: usize = 81;

fn text<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Creates an array with a field of each kind and three cells.
fn sample(context: &Context) -> Array {
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int32, 0..=99, 10)
        .attribute("long", Datatype::Int64)
        .attribute("flag", Datatype::Bool)
        .attribute("text", Datatype::StringUtf8)
        .attribute("wide", Datatype::StringUtf16)
        .attribute("bytes", Datatype::Blob)
        .nullable_attribute("maybe", Datatype::Float32)
        .attribute("day", Datatype::DatetimeDay)
        .with_attribute(
            Attribute::of("pair", Datatype::Uint16)
                .with_values_per_cell(2)
                .expect("two values"),
        )
        .build()
        .expect("schema");
    Array::create(context, "mem://sample", &schema).expect("create");
    let mut array = Array::open(context, "mem://sample").expect("open");
    array
        .write()
        .column("d", [3, 1, 2])
        .column("long", [i64::MAX, -1, 0])
        .column("flag", [true, false, true])
        .column("text", ["three", "", "zwei ä"])
        .column("wide", ["𝄞", "b", ""])
        .column("bytes", [vec![0u8, 255], vec![], vec![7]])
        .column("maybe", [Some(0.5f32), None, Some(f32::NAN)])
        .column("day", ["2024-02-29", "1969-12-31", "1970-01-01"])
        .column("pair", [[1u16, 2], [3, 4], [5, 6]])
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    array
}

#[test]
fn values_of_all_kinds_are_read_as_they_were_written() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    let all = array.query().collect().expect("read");
    assert_eq!(all.values::<i32>("d").expect("d"), [1, 2, 3]);
    assert_eq!(all.values::<i64>("long").expect("long"), [-1, 0, i64::MAX]);
    assert_eq!(
        all.values::<bool>("flag").expect("flag"),
        [false, true, true]
    );
    let texts = all.values::<String>("text").expect("text");
    assert_eq!(texts, ["", "zwei ä", "three"]);
    assert_eq!(all.values::<String>("wide").expect("wide"), ["b", "", "𝄞"]);
    let bytes = all.values::<Vec<u8>>("bytes").expect("bytes");
    assert_eq!(bytes, [vec![], vec![7], vec![0, 255]]);
    let maybe = all.values::<Option<f32>>("maybe").expect("maybe");
    assert!(maybe[0].is_none() && maybe[1].is_some_and(f32::is_nan) && maybe[2] == Some(0.5));
    assert_eq!(all.values::<i64>("day").expect("day"), [-1, 0, 19_782]);
    let days = all.values::<String>("day").expect("day");
    assert_eq!(days, ["1969-12-31", "1970-01-01", "2024-02-29"]);
    let pairs = all.values::<Vec<u16>>("pair").expect("pair");
    assert_eq!(pairs, [[3, 4], [5, 6], [1, 2]]);
    assert_eq!(
        all.field("pair").expect("pair").text(0).as_deref(),
        Some("[3, 4]")
    );
    let dynamic = all.values::<Scalar>("long").expect("long");
    assert_eq!(dynamic[0], Scalar::Integer(-1));
}

#[test]
fn reads_as_another_type_are_errors() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    assert_eq!(
        text(array.read::<i32>("long")),
        "Field 'long' has datatype INT64; it cannot be read as i32"
    );
    assert_eq!(
        text(array.read::<f32>("maybe")),
        "Cell 0 of field 'maybe' is null; read it as Option<T>"
    );
    assert_eq!(
        text(array.read::<u8>("text")),
        "Field 'text' has datatype STRING_UTF8 with a variable number of values; it cannot \
         be read as u8"
    );
    assert_eq!(text(array.read::<i32>("none")), "There is no field 'none'");
    assert_eq!(
        text(array.query().fields(["d", "d"]).collect()),
        "Field 'd' is selected twice"
    );
    let none: [&str; 0] = [];
    assert_eq!(
        text(array.query().fields(none).collect()),
        "No fields are selected"
    );
}

#[test]
fn invalid_writes_are_errors_and_store_nothing() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    let cases = [
        (
            array.write().column("none", [1]),
            "There is no field 'none'",
        ),
        (
            array.write().column("d", [1i64 << 40]),
            "Cell 0 of field 'd': 1099511627776 is out of the range of INT32",
        ),
        (
            array.write().column("d", [Some(1), None]),
            "Cell 1 of field 'd': null is not a value of a field that is not nullable",
        ),
        (
            array.write().column("pair", [[1u16, 2, 3]]),
            "Cell 0 of field 'pair': a cell has 6 bytes instead of 4",
        ),
        (
            array.write().column("d", [1, 2]).column("long", [1]),
            "Field 'd' has 2 cells and field 'long' has 1",
        ),
        (array.write(), "There are no cells to write"),
    ];
    for (write, message) in cases {
        assert_eq!(text(write.submit()), message);
    }
    assert!(
        array.write().column("d", [1]).submit().is_err(),
        "missing fields"
    );
    assert_eq!(array.fragments().expect("fragments").len(), 1);
}

#[test]
fn invalid_ranges_and_schemas_are_errors() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    assert_eq!(
        text(array.query().range("x", 1..=2).collect()),
        "There is no dimension or dimension label 'x'"
    );
    assert_eq!(
        text(array.query().range("d", "a"..="b").collect()),
        "'a' is not a value of INT32, the datatype of 'd'"
    );
    assert!(
        array
            .query()
            .range("d", RangeInclusive::new(5, 1))
            .collect()
            .is_err()
    );
    let dense = || Schema::builder(ArrayType::Dense);
    assert!(dense().build().is_err());
    assert!(
        dense()
            .string_dimension("s")
            .attribute("a", Datatype::Int8)
            .build()
            .is_err()
    );
    let builder = dense().dimension("d", Datatype::Uint8, 0..=300, 1);
    assert_eq!(
        text(builder.build()),
        "300 is out of the range of UINT8, the datatype of 'd'"
    );
    assert!(
        dense()
            .dimension("d", Datatype::Int8, RangeInclusive::new(5, 1), 1)
            .build()
            .is_err()
    );
    assert!(Array::open(&context, "mem://nothing").is_err());
    assert!(Array::open(&context, "").is_err());
}

#[test]
fn conditions_from_text_select_cells() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    let count = |condition: &str| {
        let condition = Condition::parse(condition)?;
        array.query().condition(condition).count()
    };
    for (condition, cells) in [
        ("d > 1", 2),
        ("long = 9223372036854775807", 1),
        ("flag = TRUE AND NOT d = 3", 1),
        ("text IN ('three', 'x')", 1),
        ("text >= 'u'", 1),
        ("maybe IS NULL OR maybe < 1", 2),
        ("NOT (maybe < 1)", 0),
        ("day BETWEEN '1970-01-01' AND '2024-12-31'", 2),
        ("day NOT IN ('1970-01-01')", 2),
        ("__timestamps > 0", 3),
    ] {
        assert_eq!(count(condition).ok(), Some(cells), "{condition}");
    }
    let error = count("d > 1 AND day = 'x'").expect_err("not a day");
    assert_eq!(error.condition_position(), Some(17), "{error}");
    assert!(
        count("wide = 'b'").is_err(),
        "a datatype without comparisons"
    );
    let both = array
        .query()
        .condition(field("d").ge(2))
        .condition(field("d").le(2));
    assert_eq!(both.read::<i32>("d").expect("both conditions"), [2]);
}

#[test]
fn extremes_of_texts_of_a_fixed_length_have_all_characters() {
    let context = Context::new().expect("context");
    let code = Attribute::of("code", Datatype::StringAscii).with_values_per_cell(3);
    let code = code.expect("three characters").with_nulls();
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int32, 0..=9, 10)
        .with_attribute(code);
    let uri = "mem://codes";
    Array::create(&context, uri, &schema.build().expect("schema")).expect("create");
    let mut array = Array::open(&context, uri).expect("open");
    let cells = CellBytes {
        data: b"abdabcxyz",
        offsets: None,
        validity: Some(&[1, 1, 0]),
    };
    let write = array.write().column("d", [1, 2, 3]);
    write.column_bytes("code", cells).submit().expect("write");
    array.reopen().expect("reopen");
    let extremes = [Aggregate::min("code"), Aggregate::max("code")];
    let results = array.query().aggregate(&extremes).expect("extremes");
    let texts = results.iter().map(|result| result.text(0));
    let texts: Option<Vec<String>> = texts.collect();
    assert_eq!(texts, Some(vec!["abc".to_owned(), "abd".to_owned()]));
}

#[test]
fn aggregates_have_the_datatypes_of_their_results() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    let query = array.query().range("d", 1..=2);
    let results = query
        .aggregate(&[
            (AggregateOperator::Sum, "d"),
            (AggregateOperator::Min, "day"),
            (AggregateOperator::NullCount, "maybe"),
            (AggregateOperator::Count, ""),
        ])
        .expect("aggregates");
    assert_eq!(results[0].value::<i64>(0).ok(), Some(3));
    assert_eq!(
        results[1].value::<String>(0).ok().as_deref(),
        Some("1969-12-31")
    );
    assert_eq!(results[2].value::<u64>(0).ok(), Some(1));
    assert_eq!(results[3].value::<u64>(0).ok(), Some(2));
    let empty = array.query().point("d", 50);
    let sum = &empty
        .aggregate(&[(AggregateOperator::Sum, "maybe")])
        .expect("sum")[0];
    assert_eq!(
        (sum.value::<Option<f64>>(0).ok(), empty.count().ok()),
        (Some(None), Some(0))
    );
    assert!(
        query
            .aggregate(&[(AggregateOperator::Sum, "text")])
            .is_err()
    );
    let none: [Aggregate; 0] = [];
    assert!(query.aggregate(&none).expect("nothing").is_empty());
    let sum = query.aggregate(&[Aggregate::sum("d")]).expect("sum");
    assert_eq!(sum[0].value::<i64>(0).ok(), Some(3));
}

#[test]
fn batches_with_buffers_smaller_than_a_cell_grow() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Uint32, 0..=9, 1)
        .nullable_attribute("text", Datatype::StringAscii)
        .build()
        .expect("schema");
    Array::create(&context, "mem://long", &schema).expect("create");
    let mut array = Array::open(&context, "mem://long").expect("open");
    let long = "x".repeat(5000);
    let texts = [Some(long.as_str()), None, Some("")];
    let write = array.write().column("d", [0, 1, 2]).column("text", texts);
    write.submit().expect("write");
    array.reopen().expect("reopen");
    let batches = array.query().batch_bytes(1).batches().expect("batches");
    let batches: Vec<Records> = batches.collect::<Result<_>>().expect("read");
    let read: Vec<Option<String>> = batches
        .iter()
        .flat_map(|batch| batch.values("text").expect("texts"))
        .collect();
    assert_eq!(read, [Some(long), None, Some(String::new())]);
    assert_eq!(
        array.query().batch_bytes(0).collect().expect("read").len(),
        3
    );
}

#[test]
fn metadata_and_the_non_empty_domain_are_read_back() {
    let context = Context::new().expect("context");
    let mut array = sample(&context);
    array.put_metadata("numbers", &[1i32, 2][..]).expect("put");
    array.put_metadata("name", "ä").expect("put");
    assert_eq!(array.metadata().expect("before the reopen"), []);
    array.reopen().expect("reopen");
    let all = array.metadata().expect("metadata");
    // An array that is open without fragments has none; a listing has that of each time.
    let later = array.timestamp() + 1000;
    let empty = Array::open_at(&context, array.uri(), later..=later).expect("open");
    assert!(empty.fragments().expect("fragments").is_empty());
    assert_eq!(empty.metadata().expect("metadata"), []);
    let listing = ArrayListing::new(&context, array.uri()).expect("listing");
    let reads = context.read_num();
    let read = listing.metadata_at(..=array.timestamp()).expect("metadata");
    assert_eq!(read, all);
    assert!(context.read_num() > reads);
    let keys: Vec<&str> = all.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["name", "numbers"]);
    assert_eq!(all[0].1.text(), "ä");
    assert_eq!(all[1].1.numbers::<i32>(), Some(vec![1, 2]));
    assert_eq!(all[1].1.numbers::<i64>(), None);
    array.remove_metadata("name").expect("remove");
    array.reopen().expect("reopen");
    assert_eq!(array.metadata_value("name").expect("metadata"), None);
    let domain = array.non_empty_domain().expect("domain").expect("cells");
    assert_eq!(domain, [Scalar::Integer(1)..=Scalar::Integer(3)]);
    let fragment = &array.fragments().expect("fragments")[0];
    assert_eq!(fragment.non_empty_domain(), domain);
    assert_eq!(fragment.tile_bounds().expect("tiles"), [domain]);
    assert!(fragment.size().expect("size") > 0);
}

#[test]
fn changes_at_a_timestamp_are_hidden_from_earlier_readers() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int32, 0..=9, 4)
        .nullable_attribute("a", Datatype::Int16)
        .build()
        .expect("schema");
    let uri = "mem://changes";
    Array::create(&context, uri, &schema).expect("create");
    let array = Array::open(&context, uri).expect("open");
    // The creation has the present time; the changes are later.
    let start = array.timestamp() + 1000;
    let cells = array.write().at(start + 1).column("d", [1, 2, 3]);
    let cells = cells.column("a", [Some(1_i16), None, Some(3)]);
    cells.submit().expect("write");
    let below_two = Condition::parse("d < 2").expect("condition");
    array.delete_at(&below_two, start + 2).expect("delete");
    array.put_metadata_at("unit", "m", start + 3).expect("put");
    let attribute = Attribute::new("b", Datatype::Float64);
    let changes = SchemaEvolution::new().with_attribute(attribute);
    let changes = changes.expect("changes").at(start + 4);
    array.evolve(&changes).expect("evolve");

    let open_at = |time: u64| Array::open_at(&context, uri, ..=time).expect("open");
    let read = |time: u64| open_at(time).read::<i32>("d").expect("read");
    assert_eq!(read(start), [0_i32; 0]);
    assert_eq!(read(start + 1), [1, 2, 3]);
    let values = open_at(start + 1).read::<Option<i16>>("a");
    assert_eq!(values.expect("read"), [Some(1), None, Some(3)]);
    assert!(open_at(start + 1).read::<i16>("a").is_err());
    assert_eq!(read(start + 2), [2, 3]);
    let unit = |time: u64| open_at(time).metadata_value("unit").expect("metadata");
    assert_eq!(unit(start + 2), None);
    assert_eq!(unit(start + 3), Some("m".into()));
    array.remove_metadata_at("unit", start + 5).expect("remove");
    assert_eq!(unit(start + 4), Some("m".into()));
    assert_eq!(unit(start + 5), None);
    let attributes = |time: u64| {
        let schema = open_at(time).schema().expect("schema");
        schema.attributes().len()
    };
    assert_eq!(attributes(start + 3), 1);
    assert_eq!(attributes(start + 4), 2);
}

#[test]
fn sizes_of_fields_and_means_of_tiles_are_those_of_the_files() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("d", Datatype::Int32, 0..=9, 4)
        .attribute("a", Datatype::Int16)
        .nullable_attribute("b", Datatype::Float64)
        .build()
        .expect("schema");
    Array::create(&context, "mem://means", &schema).expect("create");
    let mut array = Array::open(&context, "mem://means").expect("open");
    let write = array.write().range("d", 2..=7);
    let write = write.column("a", [1_i16, 2, -3, -4, -5, -6]);
    let write = write.column("b", [Some(1.0), None, Some(0.5), None, Some(1.5), None]);
    write.submit().expect("write");
    array.reopen().expect("reopen");
    let fragment = &array.fragments().expect("fragments")[0];
    // The first tile has cells that were not written.
    assert_eq!(fragment.tile_means("a").expect("means"), [None, Some(-4.5)]);
    assert_eq!(fragment.tile_means("b").expect("means"), [None, Some(1.0)]);
    assert_eq!(fragment.tile_means("d").expect("means"), []);
    assert!(fragment.field_size("a") > 0 && fragment.field_size("b") > fragment.field_size("a"));
    assert_eq!((fragment.field_size("d"), fragment.field_size("x")), (0, 0));

    let array = sample(&context);
    let fragment = &array.fragments().expect("fragments")[0];
    let mean = (i64::MAX - 1) as f64 / 3.0;
    let means = fragment.tile_means("long").expect("means");
    assert!(
        means
            .iter()
            .all(|found| found.is_none_or(|found| found == mean))
    );
    assert_eq!(fragment.tile_means("text").expect("means"), []);
    assert!(fragment.field_size("d") > 0);
}

#[test]
fn threads_share_the_types() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<(
        Context,
        Array,
        Schema,
        SchemaBuilder,
        SchemaEvolution,
        Group,
    )>();
    fn is_sent<T: Send>() {}
    is_sent::<Batches>();
    is_shared::<(ReadQuery, WriteQuery, Records, FieldValues, Subarray)>();
    is_shared::<(Condition, Scalar, FragmentDetails, TypedValues, Error)>();
    let context = Context::new().expect("context");
    let array = sample(&context);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| array.read::<i32>("d").expect("read")))
            .collect();
        for thread in threads {
            assert_eq!(thread.join().expect("thread"), [1, 2, 3]);
        }
    });
}

#[test]
fn the_crate_exports_at_most_the_allowed_number_of_names() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let source = fs::read_to_string(source).expect("lib.rs");
    let mut names = 0;
    for exports in source.split("pub use ").skip(1) {
        let exports = exports.split(';').next().expect("a statement");
        let words = exports.split(|c: char| !c.is_alphanumeric() && c != '_');
        // Modules are in lower case, and so is the function `field`.
        names += words
            .filter(|word| word.starts_with(char::is_uppercase) || *word == "field")
            .count();
    }
    assert!((30..=MAX_NAMES).contains(&names), "{names} names");
    let modules = source.lines().filter(|line| line.starts_with("pub mod "));
    let hidden = source.matches("#[doc(hidden)]\npub mod ").count();
    assert_eq!(modules.count(), hidden, "all modules are hidden");
}

#[test]
fn columns_of_bytes_are_written_as_they_were_read() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    let schema = array.schema().expect("schema");
    let all = array.query().collect().expect("read");
    Array::create(&context, "mem://copy", &schema).expect("create");
    let mut copy = Array::open(&context, "mem://copy").expect("open");
    let mut write = copy.write();
    for field in all.fields() {
        let cells = CellBytes {
            data: field.data(),
            offsets: field.is_var().then_some(field.offsets()),
            validity: field.is_nullable().then_some(field.validity()),
        };
        write = write.column_bytes(field.name(), cells);
    }
    write.submit().expect("write");
    copy.reopen().expect("reopen");
    let copied = copy.query().collect().expect("read");
    for (field, copied) in all.fields().iter().zip(copied.fields()) {
        assert_eq!(field.data(), copied.data(), "{}", field.name());
        assert_eq!(field.offsets(), copied.offsets(), "{}", field.name());
        assert_eq!(field.validity(), copied.validity(), "{}", field.name());
    }
}

#[test]
fn bytes_that_do_not_fit_a_field_are_errors() {
    fn cells<'a>(
        data: &'a [u8],
        offsets: Option<&'a [u64]>,
        validity: Option<&'a [u8]>,
    ) -> CellBytes<'a> {
        CellBytes {
            data,
            offsets,
            validity,
        }
    }
    const UNSORTED: &str = "its offsets are not ascending positions of its data";
    let context = Context::new().expect("context");
    let array = sample(&context);
    let problem = |field: &str, cells| text(array.write().column_bytes(field, cells).submit());
    let cases = [
        (
            "d",
            cells(&[0; 5], None, None),
            "the last cell is incomplete",
        ),
        (
            "d",
            cells(&[0; 4], Some(&[0]), None),
            "cells of a fixed size have no offsets",
        ),
        ("d", cells(&[0; 4], None, Some(&[1])), "it is not nullable"),
        ("text", cells(b"ab", None, None), "its cells need offsets"),
        ("text", cells(b"ab", Some(&[1, 0]), None), UNSORTED),
        ("text", cells(b"ab", Some(&[0, 3]), None), UNSORTED),
        (
            "wide",
            cells(b"abcd", Some(&[0, 1]), None),
            "a cell ends within a value",
        ),
        (
            "maybe",
            cells(&[0; 8], None, Some(&[1])),
            "it has another number of cells than of validity bytes",
        ),
    ];
    for (field, cells, expected) in cases {
        let sentence = "The bytes of the cells of field";
        let expected = format!("{sentence} '{field}' do not fit it: {expected}");
        assert_eq!(problem(field, cells), expected);
    }
    assert_eq!(
        problem("none", CellBytes::default()),
        "There is no field 'none'"
    );
}

#[test]
fn dimension_labels_are_created_written_and_read() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=3, 2)
        .dimension("column", Datatype::Int32, 0..=2, 3)
        .label("row", "name", DataOrder::Increasing, Datatype::StringAscii)
        .label("column", "depth", DataOrder::Decreasing, Datatype::Float64)
        .attribute("a", Datatype::Int32)
        .filters(
            "depth",
            FilterList::of(Filter::compression(Compressor::Gzip)),
        )
        .build()
        .expect("schema");
    let labels: Vec<_> = schema.labels().collect();
    assert_eq!(labels, [("name", "row"), ("depth", "column")]);
    let depth = schema.label("depth").expect("depth");
    assert_eq!(depth.order, DataOrder::Decreasing);
    assert_eq!(schema.datatype("name"), Some(Datatype::StringAscii));
    Array::create(&context, "mem://labels", &schema).expect("create");
    let mut array = Array::open(&context, "mem://labels").expect("open");
    let write = array.write().range("row", 0..=3).range("column", 0..=2);
    write
        .column("a", 0..12)
        .column("name", ["ant", "bee", "cat", "dog"])
        .column("depth", [9.0, 4.0, 1.0])
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    let query = array
        .query()
        .fields(["a", "name", "depth"])
        .range("name", "b"..="cz")
        .range("depth", 0.0..=5.0);
    let records = query.collect().expect("read");
    assert_eq!(records.values::<i32>("a").expect("a"), [4, 5, 7, 8]);
    let names = records.values::<String>("name").expect("names");
    assert_eq!(names, ["bee", "cat"]);
    assert_eq!(records.values::<f64>("depth").expect("depth"), [4.0, 1.0]);
    // The values of a label alone.
    let names = array.read::<String>("name").expect("all names");
    assert_eq!(names, ["ant", "bee", "cat", "dog"]);
    let unknown = Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=3, 2)
        .label("line", "name", DataOrder::Increasing, Datatype::Int32)
        .attribute("a", Datatype::Int32)
        .build();
    assert_eq!(
        text(unknown),
        "There is no dimension or dimension label 'line'"
    );
    // Values in another order than the label states.
    let wrong = array.write().range("row", 0..=3).range("column", 0..=2);
    let wrong = wrong
        .column("a", 0..12)
        .column("depth", [1.0, 4.0, 9.0])
        .submit();
    assert!(wrong.is_err());
}

#[test]
fn typed_options_set_parameters_and_secrets_are_not_printed() {
    let context = Context::builder()
        .memory_budget(1 << 30)
        .threads(3)
        .encryption_key("0123456789abcdeF0123456789abcdeF")
        .s3(S3Options {
            region: Some("eu-west-1".into()),
            secret_access_key: Some("hush".into()),
            part_size: Some(6 << 20),
            virtual_addressing: Some(false),
            ..S3Options::default()
        })
        .azure(AzureOptions {
            account_key: Some("hush".into()),
            ..AzureOptions::default()
        })
        .gcs(GcsOptions {
            project_id: Some("p".into()),
            ..GcsOptions::default()
        })
        .set("sm.consolidation.step_max_frags", "7")
        .build()
        .expect("context");
    let value = |name: &str| context.config().get(name).expect("a parameter");
    for (name, expected) in [
        ("sm.mem.total_budget", "1073741824"),
        ("sm.compute_concurrency_level", "3"),
        ("sm.io_concurrency_level", "3"),
        ("vfs.s3.region", "eu-west-1"),
        ("vfs.s3.aws_secret_access_key", "hush"),
        ("vfs.s3.multipart_part_size", "6291456"),
        ("vfs.s3.use_virtual_addressing", "false"),
        ("vfs.azure.storage_account_key", "hush"),
        ("vfs.gcs.project_id", "p"),
        ("sm.consolidation.step_max_frags", "7"),
    ] {
        assert_eq!(value(name), expected, "{name}");
    }
    let options = S3Options {
        secret_access_key: Some("hush".into()),
        region: Some("eu".into()),
        ..S3Options::default()
    };
    let printed = format!("{options:?} {context:?}");
    assert!(
        !printed.contains("hush") && printed.contains("eu"),
        "{printed}"
    );
    assert!(!printed.contains("0123456789abcdeF"), "{printed}");
    let invalid = Context::builder().set("vfs.s3.scheme", "ftp").build();
    assert_ne!(text(invalid), "no error");
}

/// The form of offsets is a matter of programs in C; the rule for ranges applies to reads in Rust.
#[test]
fn reads_follow_the_configuration_of_their_context() {
    for rule in ["warn", "error"] {
        let builder = Context::builder().set("sm.read_range_oob", rule);
        let builder = builder.set("sm.var_offsets.bitsize", "32");
        let builder = builder.set("sm.var_offsets.mode", "elements");
        let context = builder.set("sm.var_offsets.extra_element", "true").build();
        let array = sample(&context.expect("context"));
        let wide = array.query().fields(["wide"]).collect().expect("cells");
        assert_eq!(
            wide.values::<String>("wide").expect("texts"),
            ["b", "", "𝄞"]
        );
        let beyond = || array.query().fields(["long"]).range("d", 2..=1000);
        for query in [beyond(), beyond().memory_budget(1 << 24)] {
            let found = query.collect();
            match rule {
                "warn" => assert_eq!(
                    found
                        .expect("cells")
                        .values::<i64>("long")
                        .expect("numbers"),
                    [0, i64::MAX]
                ),
                _ => {
                    let error = text(found);
                    assert!(error.contains("1000"), "{error}");
                }
            }
        }
    }
}

#[test]
fn files_are_read_and_written_by_uri() {
    let folder = tempfile::tempdir().expect("folder");
    let folder = folder.path().to_str().expect("a path");
    let context = Context::new().expect("context");
    let files = context.vfs();
    for root in [format!("file://{folder}/files"), "mem://files".to_owned()] {
        let uri = |name: &str| format!("{root}/{name}");
        files.create_folder(&uri("a")).expect("folder");
        let file = files.create(&uri("a/b")).expect("create");
        for part in [&b"one"[..], b"two"] {
            file.write(part).expect("write");
        }
        file.close().expect("close");
        assert_eq!(files.read(&uri("a/b")).expect("read"), b"onetwo");
        let file = files.open(&uri("a/b")).expect("open");
        let mut part = [0; 3];
        file.read(3, &mut part).expect("a part");
        assert_eq!(&part, b"two");
        assert!(file.read(4, &mut part).is_err(), "beyond the end");
        files.copy(&uri("a/b"), &uri("a/c")).expect("copy");
        let appended = files.append(&uri("a/c")).expect("append");
        appended.write(b"!").expect("write");
        appended.close().expect("close");
        assert_eq!(files.size(&uri("a/c")).expect("size"), 7);
        let mut seen = Vec::new();
        let visit = |uri: &str, entry: &Entry| {
            seen.push((uri.rsplit('/').next().map(str::to_owned), entry.size));
            ControlFlow::Continue(())
        };
        files.walk(&root, visit).expect("walk");
        let seen: Vec<_> = seen
            .iter()
            .map(|(name, size)| (name.as_deref().unwrap_or_default(), *size))
            .collect();
        assert_eq!(seen, [("a", 0), ("b", 6), ("c", 7)], "{root}");
        files.copy_folder(&uri("a"), &uri("d")).expect("copy");
        assert_eq!(files.folder_size(&uri("d")).expect("size"), 13);
        files.rename(&uri("d/b"), &uri("d/e")).expect("rename");
        files.remove(&uri("d/e")).expect("remove");
        for missing in [
            files.read(&uri("d/e")).map(drop),
            files.open(&uri("d/e")).map(drop),
            files.size(&uri("d/e")).map(drop),
            files.remove(&uri("d/e")),
        ] {
            assert!(missing.is_err_and(|error| error.is_not_found()), "{root}");
        }
        files.remove_folder(&root).expect("remove");
        assert!(!files.is_folder(&root).expect("look-up"));
        assert!(files.list(&root).expect("list").is_empty());
    }
    assert!(files.read("nothing://a").is_err());
}

#[test]
fn ranges_have_the_forms_of_the_language() {
    let context = Context::new().expect("context");
    let uri = "mem://ranges";
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("row", Datatype::Int8, -128..=111, 16)
        .dimension("real", Datatype::Float32, -1.0..=1.0, 0.5)
        .string_dimension("text")
        .build()
        .expect("schema");
    Array::create(&context, uri, &schema).expect("create");
    let mut array = Array::open(&context, uri).expect("open");
    array
        .write()
        .column("row", [-128, -1, 0, 111])
        .column("real", [-1.0f32, -0.0, 0.0, 0.5])
        .column("text", ["", "a", "b", "c"])
        .submit()
        .expect("write");
    array.reopen().expect("reopen");
    let rows = |query: ReadQuery| query.read::<i8>("row").map_err(|error| error.to_string());
    let query = || array.query();
    assert_eq!(rows(query().range("row", ..0)), Ok(vec![-128, -1]));
    assert_eq!(rows(query().range("row", -1..)), Ok(vec![-1, 0, 111]));
    assert_eq!(rows(query().range("row", -1..111)), Ok(vec![-1, 0]));
    assert_eq!(rows(query().range("row", ..=-1)), Ok(vec![-128, -1]));
    // Both zeros are equal.
    assert_eq!(rows(query().range("real", ..0.0)), Ok(vec![-128]));
    assert_eq!(rows(query().range("real", 0.0..)), Ok(vec![-1, 0, 111]));
    assert_eq!(rows(query().range("real", ..0.5)), Ok(vec![-128, -1, 0]));
    assert_eq!(rows(query().range("text", ..="a")), Ok(vec![-128, -1]));
    for range in ["b"..="c", "b"..="b"] {
        assert!(rows(query().range("text", range)).is_ok());
    }
    let problem = rows(query().range("text", "a"..)).expect_err("no upper bound");
    assert!(problem.contains("'text'"), "{problem}");
    assert!(rows(query().range("text", "a".."c")).is_err());
    let problem = rows(query().range("row", ..-128)).expect_err("nothing is less");
    assert!(problem.contains("has no value"), "{problem}");
}

#[test]
fn states_are_opened_from_one_listing() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int32, 0..=99, 10)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    Array::create(&context, "mem://listed", &schema).expect("create");
    let array = Array::open(&context, "mem://listed").expect("open");
    for time in 1..=3 {
        let write = array.write().at(time).column("d", [time as i32]);
        write.column("a", [0]).submit().expect("write");
    }
    let listing = ArrayListing::new(&context, "mem://listed").expect("listing");
    for (range, expected) in [(0..=u64::MAX, 3), (2..=3, 2), (0..=1, 1)] {
        let state = listing.open_at(range.clone()).expect("open");
        assert_eq!(state.query().count().expect("count"), expected, "{range:?}");
    }
    let folders = listing.entries("__fragments").expect("entries");
    assert_eq!(folders.len(), 3);
    array
        .put_metadata_at("key", "value", 2_u64)
        .expect("metadata");
    for (range, expected) in [(0..=1, 0), (0..=2, 1)] {
        let found = listing.metadata_at(range).expect("metadata");
        assert_eq!(found.len(), expected, "{found:?}");
    }
    assert!(listing.entries("missing").expect("entries").is_empty());
    // Only object stores are listed in advance.
    assert_eq!(listing.size(), None);
    let missing = ArrayListing::new(&context, "mem://missing").expect("listing");
    assert!(missing.open_at(..).is_err());
}

#[test]
fn some_fragments_of_an_open_array_are_read_as_if_the_others_had_not_been_written() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int32, 0..=99, 10)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    Array::create(&context, "mem://some", &schema).expect("create");
    let array = Array::open(&context, "mem://some").expect("open");
    // Each write replaces two cells of the one before it.
    for time in 1..=4 {
        let cells = (0..4).map(|cell| 2 * time + cell);
        let write = array.write().at(time as u64).column("d", cells);
        write.column("a", [time; 4]).submit().expect("write");
    }
    array
        .delete_at(&"d = 6".parse().expect("condition"), Some(5))
        .expect("delete");
    let array = Array::open(&context, "mem://some").expect("open");
    let cells = |array: &Array| {
        let cells = array
            .query()
            .layout(Layout::RowMajor)
            .collect()
            .expect("read");
        let column = |name| -> Vec<i32> {
            let values = cells.field(name).expect("a field");
            let texts = (0..values.len()).map(|cell| values.text(cell).expect("a value"));
            texts.map(|text| text.parse().expect("a number")).collect()
        };
        column("d").into_iter().zip(column("a")).collect::<Vec<_>>()
    };
    // The coordinates of all fragments are cached first.
    assert_eq!(cells(&array)[..3], [(2, 1), (3, 1), (4, 2)]);
    let some = array
        .with_fragments(|fragment| matches!(fragment.timestamps().start, 1 | 3))
        .expect("fragments");
    let expected = [(2, 1), (3, 1), (4, 1), (5, 1), (7, 3), (8, 3), (9, 3)];
    assert_eq!(cells(&some), expected);
    assert_eq!(some.fragments().expect("fragments").len(), 2);
    let domain = some.non_empty_domain().expect("domain").expect("cells");
    assert_eq!(domain, [Scalar::Integer(2)..=Scalar::Integer(9)]);
    assert_eq!(some.timestamp(), array.timestamp());
    let none = array.with_fragments(|_| false).expect("fragments");
    assert_eq!(none.query().count().expect("count"), 0);
    assert_eq!(array.fragments().expect("fragments").len(), 4);
}

#[test]
fn a_callback_cancels_what_an_operation_opens() {
    let context = Context::new().expect("context");
    let array = sample(&context);
    let names = Arc::new(Mutex::new(Vec::new()));
    let seen = names.clone();
    context.set_progress(move |progress| {
        seen.lock().expect("lock").push(progress.operation);
        ControlFlow::Break(())
    });
    // An open is no operation of its own.
    Array::open(&context, array.uri()).expect("open");
    assert!(names.lock().expect("lock").is_empty());
    let opened = context.operation("show", || {
        let opened = Array::open(&context, array.uri())?;
        opened.query().collect()
    });
    assert!(opened.is_err_and(|error| error.is_cancelled()));
    assert_eq!(*names.lock().expect("lock"), ["show"]);
    context.clear_progress();
    assert!(
        context
            .operation("show", || Array::open(&context, array.uri()))
            .is_ok()
    );
}

#[test]
fn separate_contexts_are_cancelled_apart() {
    let context = Context::new().expect("context");
    let schema = Schema::builder(ArrayType::Sparse)
        .dimension("d", Datatype::Int32, 0..=99, 10)
        .attribute("a", Datatype::Int32)
        .build()
        .expect("schema");
    Array::create(&context, "mem://apart", &schema).expect("create");
    let array = Array::open(&context, "mem://apart").expect("open");
    let separate = context.separate().expect("context");
    // The objects in memory are the same ones.
    let mut within = array.within(&separate);
    within.reopen().expect("reopen");
    separate.set_progress(|_| ControlFlow::Break(()));
    let write = |array: &Array, d: i32| array.write().column("d", [d]).column("a", [d]).submit();
    let cancelled = separate.operation("change", || write(&within, 1));
    assert!(cancelled.is_err_and(|error| error.is_cancelled()));
    context
        .operation("change", || write(&array, 2))
        .expect("write");
    separate.clear_progress();
    write(&within, 3).expect("write");
    let array = Array::open(&context, "mem://apart").expect("open");
    assert_eq!(array.read::<i32>("d").expect("cells"), [2, 3]);
}

#[test]
fn changes_of_a_group_become_visible_together() {
    let context = Context::new().expect("context");
    let schema = || {
        Schema::builder(ArrayType::Dense)
            .dimension("d", Datatype::Int32, 0..=9, 5)
            .attribute("a", Datatype::Int32)
    };
    Group::create(&context, "mem://changed").expect("create");
    for name in ["one", "two"] {
        let uri = format!("mem://changed/{name}");
        Array::create(&context, &uri, &schema().build().expect("schema")).expect("create");
    }
    let add = |path: &str, name: &str| GroupChange::AddRelative {
        path: path.into(),
        name: Some(name.into()),
    };
    let put = |key: &str, value: i32| GroupChange::PutMetadata {
        key: key.into(),
        value: value.into(),
    };
    let mut group = Group::open(&context, "mem://changed").expect("open");
    let first = [add("one", "x"), put("a", 1), put("b", 2)];
    group.apply(&first).expect("changes");
    assert!(group.members().expect("members").is_empty());
    group.reopen().expect("reopen");
    assert!(group.member("x").expect("x").uri.ends_with("/one"));
    // One of the changes is wrong.
    let wrong = [put("a", 5), add("one", "y"), add("two", "y")];
    assert!(group.apply(&wrong).is_err());
    group.reopen().expect("reopen");
    assert_eq!(group.metadata().expect("metadata").len(), 2);
    assert_eq!(group.members().expect("members").len(), 1);
    let second = [
        add("two", "x"),
        GroupChange::RemoveMetadata { key: "a".into() },
        put("b", 3),
        GroupChange::Add {
            uri: "mem://changed/one".into(),
            name: Some("z".into()),
        },
    ];
    group.apply(&second).expect("changes");
    group.reopen().expect("reopen");
    assert!(group.member("x").expect("x").uri.ends_with("/two"));
    assert_eq!(
        group.metadata().expect("metadata"),
        [("b".to_owned(), 3.into())]
    );
    let third = [GroupChange::Remove {
        name_or_uri: "z".into(),
    }];
    group.apply(&third).expect("changes");
    group.reopen().expect("reopen");
    assert_eq!(group.members().expect("members").len(), 1);
}

#[test]
fn arrays_grow_and_lose_fragments_by_name() {
    let context = Context::new().expect("context");
    let builder = || {
        Schema::builder(ArrayType::Dense)
            .dimension("d", Datatype::Uint64, 0_u64..=(1 << 40), 4)
            .attribute("a", Datatype::Int32)
    };
    let bounds = |low: i32, high: i32| [(Scalar::from(low), Scalar::from(high))];
    for wrong in [vec![], bounds(3, 2).to_vec(), vec![("x".into(), 2.into())]] {
        assert!(builder().current_domain(wrong).build().is_err());
    }
    let schema = builder()
        .current_domain(bounds(0, 2))
        .build()
        .expect("schema");
    Array::create(&context, "mem://growing", &schema).expect("create");
    let mut array = Array::open(&context, "mem://growing").expect("open");
    let write = |array: &Array, range: RangeInclusive<u64>| {
        let number = range.end() - range.start() + 1;
        let values = (0..number).map(|value| value as i32);
        array
            .write()
            .range("d", range)
            .column("a", values)
            .submit_fragments()
    };
    assert!(write(&array, 0..=3).is_err());
    let kept = write(&array, 0..=2).expect("write");
    assert_eq!(kept.len(), 1);
    let mut changes = SchemaEvolution::new();
    changes.expand_to(&schema, &bounds(0, 5)).expect("bounds");
    array.evolve(&changes).expect("evolve");
    array.reopen().expect("reopen");
    let removed = write(&array, 1..=5).expect("write");
    array.reopen().expect("reopen");
    assert_eq!(array.read::<i32>("a").expect("read"), [0, 0, 1, 2, 3, 4]);
    let names: Vec<&str> = removed.iter().map(String::as_str).collect();
    assert!(array.delete_named_fragments(&[names[0], "none"]).is_err());
    array.delete_named_fragments(&names).expect("delete");
    array.reopen().expect("reopen");
    assert_eq!(array.read::<i32>("a").expect("read")[..3], [0, 1, 2]);
    let left = array.fragments().expect("fragments");
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].uri(), kept[0]);
}
