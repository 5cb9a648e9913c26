//! Arrays whose fragments have wrong metadata, because an earlier release of libtiledb stored it.

use tiledb_engine::{Array, Condition, Context, field};

/// Returns the bytes of the cells of the attribute `a`; `None` for null.
fn cells(array: &str, condition: Option<Condition>) -> Vec<Option<Vec<u8>>> {
    let context = Context::new().expect("context");
    let uri = format!("{}/tests/golden/{array}", env!("CARGO_MANIFEST_DIR"));
    let array = Array::open(&context, &uri).expect("open");
    let mut query = array.query().fields(["a"]);
    if let Some(condition) = condition {
        query = query.condition(condition);
    }
    let records = query.collect().expect("read");
    let field = records.field("a").expect("field");
    let value = |cell| (!field.is_null(cell)).then(|| field.bytes(cell).to_vec());
    (0..field.len()).map(value).collect()
}

#[test]
fn the_last_tile_of_a_fragment_with_too_many_offsets_is_read() {
    let expected: Vec<_> = (0..8u8)
        .map(|cell| (cell % 2 == 0).then(|| vec![cell]))
        .collect();
    assert_eq!(cells("offsets-2.2", None), expected);
}

#[test]
fn conditions_select_characters_beyond_the_maximum_of_their_tile() {
    let mut expected = vec![None; 8];
    expected[2] = Some(b"y".to_vec());
    assert_eq!(cells("characters-2.14", None), expected);
    for condition in [field("a").eq("y"), field("a").gt("x"), field("a").ne("x")] {
        assert_eq!(cells("characters-2.14", Some(condition)), expected);
    }
}
