//! Schemas, filters, values and conditions in JSON.

use serde_json::{from_str, json, to_string};
use tiledb_engine::{
    Array, ArrayType, Attribute, Compression, Compressor, Condition, Context, DataOrder, Datatype,
    Enumeration, Filter, FilterList, FilterType, Layout, Scalar, Schema, field,
};

fn schema() -> Schema {
    let colours = Enumeration::of_texts("colours", true, ["red", "green"]).expect("enumeration");
    Schema::builder(ArrayType::Dense)
        .dimension("row", Datatype::Int32, 0..=9, 5)
        .dimension("column", Datatype::Int32, -5..=5, 3)
        .label("row", "depth", DataOrder::Increasing, Datatype::Float64)
        .enumeration(colours)
        .with_attribute(Attribute::of("colour", Datatype::Uint8).with_enumeration("colours"))
        .nullable_attribute("note", Datatype::StringUtf8)
        .with_attribute(
            Attribute::of("height", Datatype::Float32)
                .with_fill_value(-1.0)
                .expect("a fill value"),
        )
        .filters(
            "height",
            FilterList::of(Filter::compression_at(Compressor::Zstd, 7)),
        )
        .tile_order(Layout::ColMajor)
        .build()
        .expect("schema")
}

#[test]
fn a_schema_is_restored_from_json_and_creates_an_array() {
    let schema = schema();
    let text = to_string(&schema).expect("json");
    let restored: Schema = from_str(&text).expect("schema");
    assert_eq!(restored.to_string(), schema.to_string());
    assert_eq!(to_string(&restored).expect("json"), text);
    let context = Context::new().expect("context");
    Array::create(&context, "mem://restored", &restored).expect("create");
    let array = Array::open(&context, "mem://restored").expect("open");
    let stored = array.schema().expect("schema");
    assert_eq!(
        stored.label("depth").expect("label").datatype,
        Datatype::Float64
    );
    let colours = array.enumeration("colours").expect("enumeration");
    assert_eq!(colours.len(), 2);
    // Now that its enumeration is loaded, the schema of the array can be stored too.
    let again: Schema = from_str(&to_string(&stored).expect("json")).expect("schema");
    assert_eq!(again.attributes().len(), 3);
}

#[test]
fn a_schema_without_the_values_of_its_enumerations_is_an_error() {
    let context = Context::new().expect("context");
    Array::create(&context, "mem://a", &schema()).expect("create");
    let array = Array::open(&context, "mem://a").expect("open");
    let error = to_string(&array.schema().expect("schema")).expect_err("not loaded");
    assert!(error.to_string().contains("'colours'"), "{error}");
}

#[test]
fn damaged_schemas_are_errors() {
    let text = to_string(&schema()).expect("json");
    for (from, to) in [
        ("\"INT32\"", "\"INT33\""),
        ("\"dense\"", "\"sparse\""),
        ("\"row\"", "\"column\""),
        ("\"FLOAT64\"", "\"STRING_UTF8\""),
    ] {
        assert!(text.contains(from), "{from}: {text}");
        let damaged = text.replace(from, to);
        assert!(from_str::<Schema>(&damaged).is_err(), "{from} to {to}");
    }
    for end in (0..text.len()).step_by(7) {
        assert!(from_str::<Schema>(&text[..end]).is_err(), "{end}");
    }
    assert!(from_str::<Schema>("{}").is_err());
    assert!(from_str::<Schema>("[1]").is_err());
}

#[test]
fn names_filters_and_values_are_restored() {
    for datatype in Datatype::ALL {
        let text = to_string(&datatype).expect("json");
        assert_eq!(text, format!("\"{datatype}\""));
        assert_eq!(from_str::<Datatype>(&text).expect("datatype"), datatype);
        assert_eq!(datatype.name().parse::<Datatype>().expect("name"), datatype);
    }
    let error = from_str::<Datatype>("\"INT7\"").expect_err("unknown");
    assert!(error.to_string().contains("'INT7'"), "{error}");
    let filters = FilterList {
        filters: vec![
            Filter::Compression(Compression {
                compressor: Compressor::Delta,
                level: -1,
                reinterpret: Datatype::Int32,
            }),
            Filter::new(FilterType::ScaleFloat).expect("a filter"),
            Filter::new(FilterType::BitWidthReduction).expect("a filter"),
            Filter::new(FilterType::Webp).expect("a filter"),
            Filter::Bitshuffle,
        ],
        ..FilterList::default()
    };
    let text = to_string(&filters).expect("json");
    assert_eq!(from_str::<FilterList>(&text).expect("filters"), filters);
    for scalar in [
        Scalar::Bool(true),
        Scalar::Integer(i128::from(u64::MAX)),
        Scalar::Integer(i64::MIN.into()),
        Scalar::Real(0.1),
        Scalar::Real(3.0),
        Scalar::Real(f64::NEG_INFINITY),
        Scalar::Text("it's \"ä\"".into()),
        Scalar::Bytes(vec![0, 255]),
    ] {
        let text = to_string(&scalar).expect("json");
        assert_eq!(from_str::<Scalar>(&text).expect("scalar"), scalar, "{text}");
    }
    let nan = to_string(&Scalar::Real(f64::NAN)).expect("json");
    let Scalar::Real(nan) = from_str::<Scalar>(&nan).expect("scalar") else {
        panic!("a number");
    };
    assert!(nan.is_nan());
    assert!(from_str::<Scalar>("{\"Real\":\"much\"}").is_err());
}

#[test]
fn a_condition_is_its_text() {
    let condition = field("a").gt(20.0) & field("full name").is_in(["it's", "b"]);
    let text = serde_json::to_value(&condition).expect("json");
    assert_eq!(text, json!("a > 20.0 AND \"full name\" IN ('it''s', 'b')"));
    let restored: Condition = serde_json::from_value(text).expect("condition");
    assert_eq!(restored.to_string(), condition.to_string());
    assert!(from_str::<Condition>("\"a >\"").is_err());
}
