//! Tests of parsing and resolving conditions.

use std::sync::Arc;

use super::{Condition, field, parse};
use crate::error::{Cause, Error, Result};
use crate::schema::{
    ArraySchema, Attribute, Dimension, DomainDraft, Enumeration, EnumerationValues, SchemaDraft,
    shared,
};
use crate::types::condition::{Comparison, Condition as ByteCondition, Operand};
use crate::types::{ArrayType, Datatype, VAR_NUM};

/// Returns a sparse schema with a field of each kind.
fn schema() -> ArraySchema {
    let dimension = Dimension::new("d", Datatype::Int32, Some(&[0, 0, 0, 0, 99, 0, 0, 0]), None);
    let dimensions = vec![shared(dimension.expect("dimension"))];
    let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
    draft
        .set_domain(&shared(DomainDraft { dimensions }))
        .expect("domain");
    draft.add_enumeration(&colours()).expect("enumeration");
    let mut colour = Attribute::new("colour", Datatype::Uint8);
    colour.set_enumeration("colours").expect("enumeration");
    let mut name = Attribute::new("full name", Datatype::StringUtf8);
    name.set_cell_val_num(VAR_NUM).expect("variable");
    let mut code = Attribute::new("code", Datatype::StringAscii);
    code.set_cell_val_num(2).expect("fixed");
    let mut note = Attribute::new("note", Datatype::Float64);
    note.set_nullable(true).expect("nullable");
    let attributes = [
        Attribute::new("a", Datatype::Int16),
        Attribute::new("flag", Datatype::Bool),
        Attribute::new("day", Datatype::DatetimeDay),
        Attribute::new("clock", Datatype::TimeSec),
        Attribute::new("single", Datatype::Float32),
        colour,
        name,
        code,
        note,
    ];
    for attribute in attributes {
        draft.add_attribute(&shared(attribute)).expect("attribute");
    }
    draft.finish().expect("schema")
}

fn colours() -> Arc<Enumeration> {
    let offsets: Vec<u8> = [0u64, 3].into_iter().flat_map(u64::to_le_bytes).collect();
    let values = EnumerationValues {
        data: Some(b"redblue"),
        offsets: Some(&offsets),
    };
    let colours = Enumeration::new("colours", Datatype::StringAscii, VAR_NUM, false, values);
    Arc::new(colours.expect("enumeration"))
}

fn resolve(condition: &Condition) -> Result<ByteCondition> {
    condition.resolve(&schema(), |_| Ok(colours()))
}

/// Returns a condition in prefix notation.
fn describe(condition: &ByteCondition) -> String {
    match condition {
        ByteCondition::Leaf(Comparison {
            field,
            operator,
            operand,
            ..
        }) => {
            let operand = match operand {
                Operand::Null => "null".to_owned(),
                Operand::Value(value) => format!("{value:?}"),
                Operand::Set { data, offsets } => format!("{data:?}@{offsets:?}"),
            };
            format!("{} {} {operand}", field, operator.name())
        }
        ByteCondition::Combined(combination, parts) => {
            let parts: Vec<_> = parts.iter().map(|part| describe(part)).collect();
            format!("{combination:?}({})", parts.join("; "))
        }
    }
}

fn resolved(text: &str) -> String {
    let condition = parse(text).and_then(|condition| resolve(&condition));
    describe(&condition.expect(text))
}

#[test]
fn texts_are_resolved_to_bytes_of_the_datatype() {
    let cases = [
        ("a > 3", "a GT [3, 0]"),
        ("3 < a", "a GT [3, 0]"),
        ("a >= -0x1f", "a GE [225, 255]"),
        ("d == 7", "d EQ [7, 0, 0, 0]"),
        ("flag = TRUE", "flag EQ [1]"),
        ("flag <> 0", "flag NE [0]"),
        ("day = '1970-01-03'", "day EQ [2, 0, 0, 0, 0, 0, 0, 0]"),
        ("clock < '00:01'", "clock LT [60, 0, 0, 0, 0, 0, 0, 0]"),
        ("single = 1.5e0", "single EQ [0, 0, 192, 63]"),
        ("single = -inf", "single EQ [0, 0, 128, 255]"),
        ("note IS NULL", "note EQ null"),
        ("note IS NOT NULL", "note NE null"),
        (
            "\"full name\" = 'it''s'",
            "full name EQ [105, 116, 39, 115]",
        ),
        ("\"full name\" = X'00fF'", "full name EQ [0, 255]"),
        ("colour = 'red'", "colour EQ [114, 101, 100]"),
        ("a IN (1, 2)", "a IN [1, 0, 2, 0]@[0, 2]"),
        ("a NOT IN (1)", "a NOT_IN [1, 0]@[0]"),
        (
            "single IN (-0.0)",
            "single IN [0, 0, 0, 128, 0, 0, 0, 0]@[0, 4]",
        ),
        (
            "single IN (1, NAN)",
            "single IN [0, 0, 128, 63, 0, 0, 192, 127, 0, 0, 192, 255]@[0, 4, 8]",
        ),
        ("day = 'NaT'", "day EQ [0, 0, 0, 0, 0, 0, 0, 128]"),
        ("code in ('a', 'bc')", "Or(code EQ [97]; code EQ [98, 99])"),
        ("a between 1 and 2", "And(a GE [1, 0]; a LE [2, 0])"),
        ("NOT a BETWEEN 1 AND 2", "Or(a LT [1, 0]; a GT [2, 0])"),
        (
            "__timestamps < 5",
            "__timestamps LT [5, 0, 0, 0, 0, 0, 0, 0]",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(resolved(text), expected, "{text}");
    }
}

#[test]
fn and_binds_stronger_than_or_and_not_strongest() {
    let a = "a EQ [1, 0]; a EQ [2, 0]";
    assert_eq!(
        resolved("a = 1 AND a = 2 OR a = 3 AND NOT a = 4"),
        format!("Or(And({a}); And(a EQ [3, 0]; a NE [4, 0]))")
    );
    assert_eq!(
        resolved("not (a = 1 or a = 2)"),
        format!("And({})", a.replace("EQ", "NE"))
    );
    assert_eq!(resolved("(((a = 1)) AND (a = 2))"), format!("And({a})"));
}

#[test]
fn operators_build_what_the_parser_builds() {
    let built = field("a").gt(3) & (field("colour").is_in(["red"]) | !field("note").is_null());
    let parsed = parse("a > 3 AND (colour IN ('red') OR note IS NOT NULL)").expect("parsed");
    assert_eq!(
        resolve(&built).expect("built"),
        resolve(&parsed).expect("parsed")
    );
}

/// Returns the position and the message of an error.
fn located(error: &Error) -> (usize, String) {
    match error.cause() {
        Cause::Condition { position, cause } => (*position, cause.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn errors_of_the_parser_have_a_position() {
    let cases = [
        ("", 1, "the condition is empty"),
        (
            "a >",
            4,
            "expected the name of a field or a value, found the end",
        ),
        ("a 3", 3, "expected an operator such as =, found 3"),
        (
            "a = b",
            5,
            "expected a value, found 'b'; texts are in single quotes",
        ),
        ("a = NULL", 5, "NULL is tested with IS NULL or IS NOT NULL"),
        ("ä = 'x", 5, "the quote ' is not closed"),
        ("(a = 1", 7, "expected ')', found the end"),
        (
            "a = 1 b",
            7,
            "expected AND, OR or the end of the condition, found 'b'",
        ),
        ("a = 1.2.3", 5, "'1.2.3' is not a number"),
        ("a ! 3", 3, "'!' is not an operator; write NOT"),
        ("a LIKE 'x'", 3, "LIKE is not supported"),
        ("1 = 2", 5, "a comparison needs the name of a field"),
        ("a IN ()", 7, "expected a value, found ')'"),
        ("a NOT 3", 7, "expected IN or BETWEEN, found 3"),
        ("a = #", 5, "'#' is not expected"),
        ("a = X'0'", 5, "X'...' needs pairs of hexadecimal digits"),
    ];
    for (text, position, message) in cases {
        let error = parse(text).expect_err(text);
        assert_eq!(located(&error), (position, message.to_owned()), "{text}");
    }
}

#[test]
fn values_that_do_not_fit_are_errors_with_a_position() {
    let cases = [
        ("a = 1 AND b = 2", 11, "there is no field 'b'"),
        (
            "a = 40000",
            5,
            "40000 is out of the range of INT16, the datatype of 'a'",
        ),
        (
            "a IN (1, 'x')",
            10,
            "'x' is not a value of INT16, the datatype of 'a'",
        ),
        (
            "day = '1970-01-03 12:00'",
            7,
            "'1970-01-03 12:00' is more precise than DATETIME_DAY, the datatype of 'day'",
        ),
        (
            "colour = 1",
            10,
            "1 is not a value of STRING_ASCII, the datatype of 'colour'",
        ),
    ];
    for (text, position, message) in cases {
        let error = resolve(&parse(text).expect("syntax")).expect_err(text);
        assert_eq!(located(&error), (position, message.to_owned()), "{text}");
    }
    let error = resolve(&field("b").eq(1)).expect_err("an unknown field");
    assert_eq!(error.to_string(), "there is no field 'b'");
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("{}a = 1{}", "(".repeat(1000), ")".repeat(1000));
    let error = parse(&text).expect_err("deep");
    assert_eq!(
        located(&error),
        (
            257,
            "conditions are nested deeper than 256 levels".to_owned()
        )
    );
    assert!(parse(&"NOT ".repeat(100_000)).is_err());
    let mut condition = field("a").eq(1);
    for level in 0..5000 {
        let other = field("a").eq(level);
        condition = if level % 2 == 0 {
            condition & other
        } else {
            condition | other
        };
    }
    let last = resolve(&condition);
    assert!(last.is_ok() || last.is_err(), "no overflow of the stack");
}

#[test]
fn long_lists_stay_flat() {
    let text = vec!["a = 1"; 5000].join(" OR ");
    let condition = resolve(&parse(&text).expect("parsed")).expect("resolved");
    assert_eq!(condition.levels(), 2);
}

#[test]
fn the_text_of_a_condition_is_parsed_as_the_condition() {
    let conditions = [
        field("a").gt(3) & (field("colour").is_in(["red"]) | !field("note").is_null()),
        !(field("note").lt(0.5) | field("note").is_null() & field("a").ne(-7)),
        field("full name").eq("it's \"quoted\"") | field("code").eq(&b"\x00\xff"[..]),
        field("note").eq(f64::NAN) | field("note").ge(f64::NEG_INFINITY),
        field("note").eq(1e300) & field("note").ne(3.0) & field("note").lt(-1e-9),
        !field("a").is_in([1, 2, 3]) & field("a").between(-5, 40),
        !(!field("a").eq(1) & field("d").eq(2)),
    ];
    for condition in conditions {
        let text = condition.to_string();
        let parsed = parse(&text).expect(&text);
        assert_eq!(parsed.to_string(), text);
        assert_eq!(
            resolve(&condition).expect("built"),
            resolve(&parsed).expect("parsed"),
            "{text}"
        );
    }
    let names = ["and", "x y", "ä.b_1", "1a", "", "say \"\"", "_"];
    let quoted = [
        "\"and\"",
        "\"x y\"",
        "ä.b_1",
        "\"1a\"",
        "\"\"",
        "\"say \"\"\"\"\"",
        "_",
    ];
    for (name, quoted) in names.into_iter().zip(quoted) {
        assert_eq!(field(name).to_string(), quoted);
    }
}
