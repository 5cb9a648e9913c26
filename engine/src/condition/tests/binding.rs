//! Conditions are bound to a schema: errors, and enumeration values.

use super::*;

fn message_of(result: Result<BoundCondition>) -> String {
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

#[test]
fn conditions_that_do_not_match_the_schema_are_errors() {
    let mut wide = Attribute::new("wide", Datatype::Int32);
    wide.set_cell_val_num(3).expect("three");
    let mut var = Attribute::new("var", Datatype::Int32);
    var.set_cell_val_num(VAR_NUM).expect("any number");
    let mut maybe = Attribute::new("maybe", Datatype::Int32);
    maybe.set_nullable(true).expect("unordered");
    let schema = schema(vec![
        Attribute::new("a", Datatype::Int32),
        wide,
        var,
        maybe,
        Attribute::new("blob", Datatype::Blob),
    ]);
    let compare = |field: &str, value: Option<&[u8]>| {
        let condition = Condition::compare(field, Operator::Lt, value).expect("a comparison");
        message_of(bind(&condition, &schema))
    };
    let four = Some(&[0; 4][..]);
    assert!(compare("a", four).is_empty() && compare("d", four).is_empty());
    for (field, value, problem) in [
        ("nobody", four, "There is no field 'nobody' to compare"),
        ("a", Some(&[0; 3][..]), "The value has 3 bytes instead of 4"),
        (
            "wide",
            four,
            "The field 'wide' has several values per cell that are no text",
        ),
        (
            "var",
            four,
            "The field 'var' has a variable number of values other than ASCII texts",
        ),
        (
            "blob",
            Some(&[0][..]),
            "The field 'blob' of type BLOB cannot be compared",
        ),
        ("maybe", None, "Null can only be compared for equality"),
    ] {
        assert_eq!(compare(field, value), problem);
    }
    assert_eq!(
        compare("__coords", four),
        "The field '__coords' cannot be compared"
    );
    // The timestamps of cells are 64-bit integers.
    assert!(compare("__timestamps", Some(&[0; 8])).is_empty());
    assert!(compare("__timestamps", four).ends_with("has 4 bytes instead of 8"));
    let set = Condition::is_one_of("a", Operator::In, &[0; 5], &[0, 4]).expect("a set");
    assert!(message_of(bind(&set, &schema)).ends_with("has 1 bytes instead of 4"));
}

#[test]
fn enumeration_values_are_compared_by_index() {
    let mut attribute = Attribute::new("a", Datatype::Uint8);
    attribute.set_nullable(true).expect("unordered");
    attribute.set_enumeration("colours").expect("a name");
    let schema = schema(vec![attribute]);
    let offsets: Vec<u8> = [0u64, 3, 8]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let values = EnumerationValues {
        data: Some(b"redgreenblue"),
        offsets: Some(&offsets),
    };
    let ordered = |ordered| {
        Enumeration::new("colours", Datatype::StringAscii, VAR_NUM, ordered, values)
            .map(Arc::new)
            .expect("three colours")
    };
    let column = crate::tile::CellsRef {
        data: &[0, 1, 2, 2, 9],
        starts: None,
        validity: Some(&[1, 1, 1, 0, 1]),
    };
    let select = |condition: &Condition, sorted: bool| {
        let labels = ordered(sorted);
        let bound = BoundCondition::bind(condition, &schema, |_| Ok(labels.clone()))?;
        let mut selected = vec![1; 5];
        let columns = vec![column; bound.fields.len()];
        bound.select(&columns, 5, &mut selected);
        Ok::<_, crate::error::Error>(selected)
    };
    let compare = |operator, label: &[u8]| {
        Condition::compare("a", operator, Some(label)).expect("a comparison")
    };
    let eq = compare(Operator::Eq, b"green");
    assert_eq!(select(&eq, false).expect("a label"), [0, 1, 0, 0, 0]);
    assert_eq!(
        select(&eq.negate(), false).expect("a label"),
        [1, 0, 1, 0, 1]
    );
    let unknown = compare(Operator::Eq, b"gree");
    assert_eq!(select(&unknown, false).expect("no label"), [0; 5]);
    assert_eq!(
        select(&unknown.negate(), false).expect("no label"),
        [1, 1, 1, 0, 1]
    );
    let below = compare(Operator::Lt, b"blue");
    assert_eq!(select(&below, true).expect("ordered"), [1, 1, 0, 0, 0]);
    assert!(select(&below, false).is_err());
    let set = Condition::is_one_of("a", Operator::In, b"bluemauve", &[0, 4]).expect("a set");
    assert_eq!(select(&set, false).expect("labels"), [0, 0, 1, 0, 0]);
    assert_eq!(
        select(&set.negate(), false).expect("labels"),
        [1, 1, 0, 0, 1]
    );
    let index = compare(Operator::Ge, &[2]).by_label(false);
    assert_eq!(select(&index, false).expect("an index"), [0, 0, 1, 0, 1]);
}
