//! Tests of messages in JSON.

use capnp::message::{Builder, HeapAllocator};
use capnp::traits::Owned;
use capnp::{dynamic_struct, dynamic_value};

use super::number::number_text;
use super::{JsonStyle, decode, encode};
use crate::error::{Cause, Error, SerializationError};
use crate::serialization::messages_capnp::{
    array_schema, attribute, current_domain, domain_array, filter, filter_pipeline,
    float_scale_config, fragment_metadata, group_update, object_info_response,
};

fn json_of<T>(message: &Builder<HeapAllocator>, style: JsonStyle) -> String
where
    T: Owned,
    for<'a> T::Reader<'a>: Into<dynamic_value::Reader<'a>>,
{
    let root: dynamic_value::Reader<'_> = message
        .get_root_as_reader::<T::Reader<'_>>()
        .expect("a root")
        .into();
    let root: dynamic_struct::Reader<'_> = root.downcast();
    String::from_utf8(encode(root, style).expect("JSON")).expect("UTF-8")
}

fn read<T>(json: &[u8], style: JsonStyle, limit: u64) -> Result<Builder<HeapAllocator>, Error>
where
    T: Owned,
    for<'a> T::Builder<'a>: Into<dynamic_value::Builder<'a>>,
{
    let mut message = Builder::new_default();
    let root: dynamic_value::Builder<'_> = message.init_root::<T::Builder<'_>>().into();
    decode(json, root.downcast(), style, limit)?;
    Ok(message)
}

/// Returns the JSON of a message that was read from JSON.
fn again<T>(json: &str, style: JsonStyle) -> Result<String, Error>
where
    T: Owned,
    for<'a> T::Reader<'a>: Into<dynamic_value::Reader<'a>>,
    for<'a> T::Builder<'a>: Into<dynamic_value::Builder<'a>>,
{
    let message = read::<T>(json.as_bytes(), style, 1 << 20)?;
    Ok(json_of::<T>(&message, style))
}

#[test]
fn numbers_have_as_many_digits_as_they_need() {
    for (value, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (1.0 / 3.0, "0.33333333333333331"),
        (f64::from(0.1f32), "0.10000000149011612"),
        (4_294_967_295.0, "4294967295"),
        (1e20, "1e20"),
        (1e-7, "1e-07"),
        (f64::MAX, "1.7976931348623157e308"),
        (5e-324, "4.94065645841247e-324"),
    ] {
        assert_eq!(number_text(value), text);
    }
}

#[test]
fn values_of_each_type_are_read_as_written() {
    let lists = concat!(
        r#"{"int8":[-128,127],"uint8":[0,255],"int16":[-32768],"uint16":[65535],"#,
        r#""int32":[-2147483648],"uint32":[4294967295],"int64":["-9223372036854775808"],"#,
        r#""uint64":["18446744073709551615"],"float32":["NaN","Infinity",0.5],"#,
        r#""float64":["-Infinity",1e300]}"#
    );
    let read = again::<domain_array::Owned>(lists, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), lists);
    let lists = r#"{"tileOffsets":[["1"],[],["2","3"]],"tileMinBuffer":[[1],[]]}"#;
    let read = again::<fragment_metadata::Owned>(lists, JsonStyle::Plain).expect("sound");
    assert!(read.contains(&lists[1..lists.len() - 1]), "{read}");
    let bytes = r#"{"cellValNum":1,"name":"a\"\\\b\f\n\r\t\u0001/ä€","fillValue":[0,255]}"#;
    let read = again::<attribute::Owned>(bytes, JsonStyle::Plain).expect("sound");
    assert!(
        read.contains(r#""name":"a\"\\\b\f\n\r\t\u0001/ä€""#),
        "{read}"
    );
    assert!(read.contains(r#""fillValue":[0,255]"#), "{read}");
    let name = r#"{"objectType":"group"}"#;
    let read = again::<object_info_response::Owned>(name, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), name);
}

#[test]
fn fields_that_point_to_nothing_are_omitted() {
    let read = again::<filter_pipeline::Owned>("{}", JsonStyle::Plain);
    assert_eq!(read.expect("sound"), "{}");
    let json = r#"{"filters":null,"unknown":[1,{"a":2}]}"#;
    let read = again::<filter_pipeline::Owned>(json, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), "{}");
    let read = again::<filter_pipeline::Owned>(r#"{"filters":[]}"#, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), r#"{"filters":[]}"#);
}

#[test]
fn the_active_field_of_a_union_is_written() {
    let read = again::<filter::Owned>(r#"{"type":"RLE"}"#, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), r#"{"type":"RLE","data":{}}"#);
    let read = again::<filter::Owned>(r#"{"type":"RLE"}"#, JsonStyle::Annotated);
    assert_eq!(read.expect("sound"), r#"{"type":"RLE","data":{"text":""}}"#);
    let read = again::<filter::Owned>(r#"{"data":{"int32":-1}}"#, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), r#"{"data":{"int32":-1}}"#);
    let empty = r#"{"version":0,"emptyCurrentDomain":null}"#;
    let read = again::<current_domain::Owned>(empty, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), empty);
    let mut message = Builder::new_default();
    let mut domain = message.init_root::<current_domain::Builder<'_>>();
    domain.reborrow().init_nd_rectangle();
    domain.set_type("T");
    assert_eq!(
        json_of::<current_domain::Owned>(&message, JsonStyle::Plain),
        r#"{"version":0,"type":"T","ndRectangle":{}}"#
    );
}

#[test]
fn names_of_annotations_are_used_in_that_style_only() {
    let json = r#"{"group_changes":{"members_to_remove":["a"]}}"#;
    let read = again::<group_update::Owned>(json, JsonStyle::Annotated);
    assert_eq!(read.expect("sound"), json);
    let read = again::<group_update::Owned>(json, JsonStyle::Plain);
    assert_eq!(read.expect("sound"), "{}");
}

#[test]
fn integers_may_be_numbers_or_texts() {
    for (json, read) in [
        (
            r#"{"int64":[5,"+6","0x10",-7.0]}"#,
            r#"{"int64":["5","6","16","-7"]}"#,
        ),
        (
            r#"{"uint64":[18446744073709551615]}"#,
            r#"{"uint64":["18446744073709551615"]}"#,
        ),
        (r#"{"int8":["-3"]}"#, r#"{"int8":[-3]}"#),
        (
            r#"{"float64":[95.33333333333333]}"#,
            r#"{"float64":[95.333333333333329]}"#,
        ),
        (
            r#"{"float32":[null,"inf","1e1"]}"#,
            r#"{"float32":["NaN","Infinity",10]}"#,
        ),
    ] {
        let found = again::<domain_array::Owned>(json, JsonStyle::Plain);
        assert_eq!(found.expect("sound"), read);
    }
    for json in [
        r#"{"int8":[128]}"#,
        r#"{"uint8":[-1]}"#,
        r#"{"uint64":[18446744073709551616]}"#,
        r#"{"uint64":["-1"]}"#,
        r#"{"int64":["+-1"]}"#,
        r#"{"int64":[""]}"#,
        r#"{"int64":[0.5]}"#,
        r#"{"int64":[true]}"#,
        r#"{"int64":[null]}"#,
        r#"{"float64":[true]}"#,
        r#"{"float64":["x"]}"#,
        r#"{"int64":5}"#,
        r#"{"int64":{}}"#,
    ] {
        let error = again::<domain_array::Owned>(json, JsonStyle::Plain).expect_err(json);
        let kind = error.cause();
        assert!(
            matches!(
                kind,
                Cause::Serialization(SerializationError::JsonValue { .. })
            ),
            "{json}: {error}"
        );
    }
}

#[test]
fn texts_that_are_not_json_are_errors() {
    let text = r#"{"scale":0.5,"offset":1,"byteWidth":"8"}"#;
    assert!(again::<float_scale_config::Owned>(text, JsonStyle::Plain).is_ok());
    for end in 0..text.len() {
        let error = again::<float_scale_config::Owned>(&text[..end], JsonStyle::Plain);
        let error = error.expect_err("cut");
        let kind = error.cause();
        assert!(
            matches!(kind, Cause::Serialization(SerializationError::Json { .. })),
            "{error}"
        );
    }
    for text in ["[]", "5", "null", "\"a\""] {
        assert!(again::<float_scale_config::Owned>(text, JsonStyle::Plain).is_err());
    }
    // A null byte ends the text.
    let ended = again::<float_scale_config::Owned>("{}\0x", JsonStyle::Plain);
    assert!(ended.is_ok());
}

#[test]
fn deep_and_large_messages_are_errors() {
    let nested = |depth| {
        let (open, close) = (r#"{"dimensionLabels":[{"schema":"#, "}]}");
        format!("{}{{}}{}", open.repeat(depth), close.repeat(depth))
    };
    assert!(again::<array_schema::Owned>(&nested(15), JsonStyle::Plain).is_ok());
    assert!(again::<array_schema::Owned>(&nested(40), JsonStyle::Plain).is_err());
    assert!(again::<array_schema::Owned>(&nested(5000), JsonStyle::Plain).is_err());
    let elements = vec!["{}"; 1000].join(",");
    let json = format!(r#"{{"attributes":[{elements}]}}"#);
    let error = read::<array_schema::Owned>(json.as_bytes(), JsonStyle::Plain, 10_000);
    let error = error.err().expect("too large");
    assert!(matches!(
        error.cause(),
        Cause::Serialization(SerializationError::TraversalLimit { limit: 10_000 })
    ));
}
