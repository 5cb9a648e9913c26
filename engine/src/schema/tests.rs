//! Drafts, the rules for schemas, and the text of dumps.

use std::sync::Arc;

use super::*;
use crate::error::Result;
use crate::filter::{Filter, FilterList, FilterType, WebpFormat};
use crate::types::{ArrayType, Datatype, Layout, TimeRange, VAR_NUM};

fn int(name: &str, extent: Option<i32>) -> Dimension {
    let domain = [1i32.to_le_bytes(), 12i32.to_le_bytes()].concat();
    let extent = extent.map(i32::to_le_bytes);
    let extent = extent.as_ref().map(|extent| &extent[..]);
    Dimension::new(name, Datatype::Int32, Some(&domain), extent).expect("sound")
}

fn real(name: &str) -> Dimension {
    let domain = [1f64.to_le_bytes(), 12f64.to_le_bytes()].concat();
    Dimension::new(name, Datatype::Float64, Some(&domain), None).expect("sound")
}

fn text(name: &str) -> Dimension {
    Dimension::new(name, Datatype::StringAscii, None, None).expect("sound")
}

fn domain(dimensions: Vec<Dimension>) -> Shared<DomainDraft> {
    shared(DomainDraft {
        dimensions: dimensions.into_iter().map(shared).collect(),
    })
}

/// Returns a draft with a domain and attributes of these names.
fn draft(array_type: ArrayType, dimensions: Vec<Dimension>, names: &[&str]) -> SchemaDraft {
    let mut draft = SchemaDraft::new(array_type, Some(1));
    draft
        .set_domain(&domain(dimensions))
        .expect("a domain for it");
    for name in names {
        let attribute = shared(Attribute::new(name, Datatype::Int32));
        draft.add_attribute(&attribute).expect("a name for it");
    }
    draft
}

fn list(kinds: &[FilterType]) -> Arc<FilterList> {
    let filters = kinds.iter().filter_map(|kind| Filter::new(*kind)).collect();
    Arc::new(FilterList {
        filters,
        ..FilterList::default()
    })
}

fn error_text<T>(result: Result<T>) -> String {
    result
        .err()
        .map_or_else(String::new, |error| error.to_string())
}

#[test]
fn attributes_of_a_complete_schema_change_only_in_its_draft() {
    let dimensions = vec![int("d", None)];
    let complete = Arc::new(draft(ArrayType::Sparse, dimensions, &["a", "b"]).snapshot());
    let mut changed = SchemaDraft::of(&complete);
    let b = changed.attribute("b").expect("exists").expect("exists");
    b.write().nullable = true;
    let again = changed.attribute_at(1).expect("exists").expect("exists");
    assert!(Arc::ptr_eq(&b, &again));
    let c = shared(Attribute::new("c", Datatype::Int8));
    changed.add_attribute(&c).expect("a new name");
    c.write().nullable = true;
    changed.set_capacity(7).expect("not zero");

    let snapshot = changed.snapshot();
    let attributes = snapshot.attributes.iter();
    let attributes: Vec<_> = attributes
        .map(|attribute| (&attribute.name[..], attribute.nullable))
        .collect();
    assert_eq!(attributes, [("a", false), ("b", true), ("c", true)]);
    assert_eq!((changed.attribute_num(), snapshot.capacity), (3, 7));
    assert!(changed.attribute_at(3).is_err());
    assert!(!complete.attributes[1].nullable && complete.capacity != 7);
}

#[test]
fn no_attribute_is_added_if_one_of_several_is_refused() {
    let mut draft = draft(ArrayType::Sparse, vec![int("d", None)], &["a"]);
    let names = ["b", "__c"].map(|name| Attribute::new(name, Datatype::Int32));
    assert!(draft.add_attributes(names.to_vec()).is_err());
    assert_eq!(draft.attribute_num(), 1);
}

#[test]
fn fields_of_a_complete_schema_can_be_looked_up() {
    let draft = draft(
        ArrayType::Dense,
        vec![int("d", Some(5)), int("e", None)],
        &["a", ""],
    );
    let schema = draft.finish().expect("whole");
    assert!(matches!(schema.field("a"), Some(Field::Attribute(0, _))));
    assert!(matches!(schema.field(""), Some(Field::Attribute(1, _))));
    assert!(matches!(schema.field("e"), Some(Field::Dimension(1, _))));
    assert!(schema.field("x").is_none());
    assert_eq!(schema.cell_size("a"), Some(4));
    assert_eq!(schema.cell_size(COORDS), Some(8));
    assert_eq!(schema.domain.dimensions.index_of("e"), Some(1));
    assert_eq!(
        schema.dimension("e").and_then(|e| e.extent.as_deref()),
        Some(&12i32.to_le_bytes()[..])
    );
    assert!(!schema.is_var("a") && !schema.is_nullable("a"));
}

#[test]
fn dimensions_without_filters_have_none_in_a_new_schema() {
    let mut draft = draft(
        ArrayType::Sparse,
        vec![int("d", None), int("e", None)],
        &["a"],
    );
    draft.domain().expect("set").read().dimensions[1]
        .write()
        .set_filters(list(&[FilterType::Gzip]))
        .expect("any type");
    draft
        .set_coords_filters(list(&[FilterType::Lz4]))
        .expect("any type");
    let schema = draft.finish().expect("whole");
    let kinds = ["d", "e", COORDS].map(|name| {
        let field = schema.field(name).expect("a field");
        let filters = &schema.filters(&field).filters;
        filters.first().map(Filter::kind)
    });
    let expected = [None, Some(FilterType::Gzip), Some(FilterType::Lz4)];
    assert_eq!(kinds, expected);
}

#[test]
fn added_parts_are_shared_with_the_caller() {
    let dimension = shared(int("d", None));
    let domain = shared(DomainDraft {
        dimensions: vec![dimension.clone()],
    });
    let mut draft = SchemaDraft::new(ArrayType::Dense, None);
    draft.set_domain(&domain).expect("integers");
    assert!(dimension.read().extent.is_some());
    let attribute = shared(Attribute::new("a", Datatype::Int8));
    draft.add_attribute(&attribute).expect("a name");
    attribute.write().set_cell_val_num(3).expect("three");
    assert_eq!(draft.finish().expect("whole").attributes[0].cell_val_num, 3);
}

#[test]
fn dense_arrays_require_integer_dimensions_of_one_type() {
    let error = |dimensions| {
        error_text(SchemaDraft::new(ArrayType::Dense, None).set_domain(&domain(dimensions)))
    };
    let unsupported = "A dense array cannot have dimensions of type";
    assert_eq!(error(vec![real("d")]), format!("{unsupported} FLOAT64"));
    assert_eq!(
        error(vec![text("d")]),
        format!("{unsupported} STRING_ASCII")
    );
    assert_eq!(
        error(vec![int("d", None), real("e")]),
        "The dimensions of a dense array have different datatypes"
    );
    assert_eq!(error(vec![]), "The domain has no dimension");
}

#[test]
fn dimensions_added_to_a_set_domain_are_checked_by_finish() {
    let late = draft(ArrayType::Dense, vec![int("d", None)], &["a"]);
    late.domain()
        .expect("set")
        .write()
        .dimensions
        .push(shared(real("e")));
    assert!(error_text(late.finish()).contains("different datatypes"));
}

#[test]
fn missing_parts_are_errors_of_finish() {
    let empty = SchemaDraft::new(ArrayType::Sparse, None);
    assert_eq!(error_text(empty.finish()), "The schema has no domain");
    let bare = draft(ArrayType::Dense, vec![int("d", None)], &[]);
    assert_eq!(
        error_text(bare.finish()),
        "A dense array needs an attribute"
    );
    assert!(
        draft(ArrayType::Sparse, vec![int("d", None)], &[])
            .finish()
            .is_ok()
    );
}

#[test]
fn names_must_be_unique_and_not_reserved() {
    let twice = draft(ArrayType::Sparse, vec![int("d", None)], &["a", "d"]);
    assert_eq!(
        error_text(twice.finish()),
        "Two of the attributes, dimensions and labels have the same name"
    );
    let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
    let reserved = shared(Attribute::new("__a", Datatype::Int8));
    assert_eq!(
        error_text(draft.add_attribute(&reserved)),
        "Names of attributes must not start with '__'"
    );
}

#[test]
fn invalid_orders_capacities_and_duplicates_are_errors() {
    let mut dense = SchemaDraft::new(ArrayType::Dense, None);
    let mut sparse = SchemaDraft::new(ArrayType::Sparse, None);
    assert!(dense.set_cell_order(Layout::Hilbert).is_err());
    assert!(sparse.set_cell_order(Layout::Hilbert).is_ok());
    for draft in [&mut dense, &mut sparse] {
        assert!(draft.set_cell_order(Layout::Unordered).is_err());
        assert!(draft.set_tile_order(Layout::Unordered).is_err());
        assert!(draft.set_tile_order(Layout::Hilbert).is_err());
        assert!(draft.set_tile_order(Layout::ColMajor).is_ok());
    }
    assert!(dense.set_capacity(0).is_ok() && sparse.set_capacity(0).is_err());
    assert!(dense.set_allows_dups(true).is_err() && sparse.set_allows_dups(true).is_ok());
}

#[test]
fn hilbert_order_needs_no_extents_and_allows_sixteen_dimensions() {
    let many = |n: usize| (0..n).map(|i| int(&format!("d{i}"), None)).collect();
    let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
    draft.set_cell_order(Layout::Hilbert).expect("sparse");
    draft.set_domain(&domain(many(16))).expect("sixteen");
    assert!(
        draft.finish().expect("whole").domain.dimensions[0]
            .extent
            .is_none()
    );
    draft.set_domain(&domain(many(17))).expect("checked later");
    assert!(draft.finish().is_err());
}

#[test]
fn coordinate_filters_must_suit_the_inheriting_dimensions() {
    let mut reals = draft(ArrayType::Sparse, vec![real("d")], &[]);
    assert_eq!(
        error_text(reals.set_coords_filters(list(&[FilterType::DoubleDelta]))),
        "Double delta cannot be a coordinate filter of dimensions of real numbers"
    );
    let mut texts = draft(ArrayType::Sparse, vec![text("d")], &[]);
    assert!(texts.set_coords_filters(list(&[FilterType::Rle])).is_ok());
    assert_eq!(
        error_text(texts.set_coords_filters(list(&[FilterType::Zstd, FilterType::Rle]))),
        "The filter RLE must be the first one on coordinates that are texts"
    );
}

#[test]
fn webp_requires_image_dimensions() {
    let with_webp = |array_type, dimensions, format: WebpFormat| {
        let mut draft = draft(array_type, dimensions, &[]);
        let mut attribute = Attribute::new("a", Datatype::Uint8);
        let mut webp = Filter::new(FilterType::Webp).expect("a filter");
        webp.set_option(
            crate::filter::FilterOption::WebpInputFormat,
            Some(&[format.code()]),
        )
        .expect("a format");
        attribute
            .set_filters(Arc::new(FilterList::of(webp)))
            .expect("bytes");
        draft.add_attribute(&shared(attribute)).expect("a name");
        draft.finish()
    };
    let dense = ArrayType::Dense;
    let square = |x| vec![int("y", Some(6)), int("x", Some(x))];
    let schema = with_webp(dense, square(6), WebpFormat::Rgb).expect("pixels of three");
    let Filter::Webp(webp) = &schema.attributes[0].filters.filters[0] else {
        panic!("another filter");
    };
    assert_eq!(webp.extents, (6, 6));
    assert!(error_text(with_webp(dense, square(4), WebpFormat::Rgb)).ends_with("multiples of 3"));
    assert!(error_text(with_webp(dense, square(6), WebpFormat::Rgba)).ends_with("multiples of 4"));
    assert_eq!(
        error_text(with_webp(dense, vec![int("y", Some(6))], WebpFormat::Rgb)),
        "The filter WebP needs two dimensions, not 1"
    );
    assert_eq!(
        error_text(with_webp(ArrayType::Sparse, square(6), WebpFormat::Rgb)),
        "The filter WebP needs a dense array"
    );
}

/// The dump that libtiledb 2.30 prints.
const DUMP: &str = r"- Array type: sparse
- Cell order: row-major
- Tile order: row-major
- Capacity: 10000
- Allows duplicates: false
- Coordinates filters: 1
  > ZSTD: COMPRESSION_LEVEL=-1
- Offsets filters: 1
  > ZSTD: COMPRESSION_LEVEL=-1
- Validity filters: 1
  > RLE: COMPRESSION_LEVEL=-1

### Dimension ###
- Name: x
- Type: FLOAT64
- Cell val num: 1
- Domain: [-0.5, 1e+07]
- Tile extent: 2.5
- Filters: 0

### Dimension ###
- Name: y
- Type: UINT8
- Cell val num: 1
- Domain: [1, 99]
- Tile extent: A
- Filters: 0

### Dimension ###
- Name: s
- Type: STRING_ASCII
- Cell val num: var
- Domain: null
- Tile extent: null
- Filters: 0

### Attribute ###
- Name: a
- Type: CHAR
- Nullable: false
- Cell val num: 2
- Filters: 2
  > ByteShuffle
  > ChecksumSHA256
- Fill value: \x80, \x80

### Attribute ###
- Name: b
- Type: STRING_UTF16
- Nullable: true
- Cell val num: var
- Filters: 0
- Fill value: A, \x0141
- Fill value validity: 1

### Current domain ###
- Version: 0
- Empty: 1
";

#[test]
fn a_dump_equals_that_of_libtiledb() {
    let domain = [(-0.5f64).to_le_bytes(), 1e7f64.to_le_bytes()].concat();
    let x = Dimension::new(
        "x",
        Datatype::Float64,
        Some(&domain),
        Some(&2.5f64.to_le_bytes()),
    );
    let y = Dimension::new("y", Datatype::Uint8, Some(&[1, 99]), Some(b"A"));
    let dimensions = vec![x.expect("sound"), y.expect("sound"), text("s")];
    let mut draft = draft(ArrayType::Sparse, dimensions, &[]);
    let mut a = Attribute::new("a", Datatype::Char);
    a.set_cell_val_num(2).expect("two");
    a.set_filters(list(&[FilterType::Byteshuffle, FilterType::ChecksumSha256]))
        .expect("any type");
    let mut b = Attribute::new("b", Datatype::StringUtf16);
    b.set_cell_val_num(VAR_NUM).expect("any");
    b.set_nullable(true).expect("unordered");
    b.set_fill_value(Some(b"A\0A\x01"), Some(1))
        .expect("two units");
    draft.add_attribute(&shared(a)).expect("a name");
    draft.add_attribute(&shared(b)).expect("a name");
    assert_eq!(draft.snapshot().to_string(), DUMP);
    assert_eq!(draft.finish().expect("whole").to_string(), DUMP);
}

#[test]
fn the_last_change_of_a_name_counts() {
    let schema = draft(ArrayType::Sparse, vec![int("d", None)], &["a", "b"])
        .finish()
        .expect("a schema");
    let values = EnumerationValues {
        data: Some(b"xy"),
        offsets: None,
    };
    let letters = Arc::new(Enumeration::new("e", Datatype::Char, 1, false, values).expect("sound"));
    let mut changes = SchemaEvolution::default();
    changes.drop_enumeration("e");
    changes.add_enumeration(&letters).expect("a new name");
    changes.drop_attribute("c");
    let added = Attribute {
        enumeration: Some("e".to_owned()),
        ..Attribute::new("c", Datatype::Int8)
    };
    changes.add_attribute(added).expect("a new name");
    changes.drop_attribute("a");
    let evolved = changes.evolve(&schema, 7).expect("suits");
    let names: Vec<_> = evolved
        .attributes
        .iter()
        .map(|field| &*field.name)
        .collect();
    assert_eq!(names, ["b", "c"]);
    assert!(evolved.enumeration("e").is_some());
    assert_eq!(evolved.timestamps, TimeRange { start: 7, end: 7 });
    // A sparse array may have no attributes.
    changes = SchemaEvolution::default();
    changes.drop_attribute("b");
    changes.drop_attribute("a");
    let evolved = changes.evolve(&schema, 8).expect("suits");
    assert!(evolved.attributes.is_empty());
}

#[test]
fn evolution_cannot_add_reserved_names() {
    let schema = draft(ArrayType::Sparse, vec![int("d", None)], &["a"])
        .finish()
        .expect("a schema");
    let mut changes = SchemaEvolution::default();
    let added = Attribute::new("__coords", Datatype::Int32);
    changes.add_attribute(added).expect("a new name");
    assert_eq!(
        error_text(changes.evolve(&schema, 1)),
        "Names of attributes must not start with '__'"
    );
}

#[test]
fn enumerations_have_no_more_values_than_their_attributes_can_refer_to() {
    let values = |number: u32| -> Vec<u8> { (0..number).flat_map(u32::to_le_bytes).collect() };
    for (datatype, most) in [
        (Datatype::Int8, 128),
        (Datatype::Uint8, 256),
        (Datatype::Int16, 32_768),
        (Datatype::Uint16, 65_536),
    ] {
        let data = values(most - 2);
        let (data, offsets) = (Some(&data[..]), None);
        let first = EnumerationValues { data, offsets };
        let first = Enumeration::new("e", Datatype::Uint32, 1, false, first).expect("distinct");
        let mut draft = draft(ArrayType::Sparse, vec![int("d", None)], &["other"]);
        draft
            .add_enumeration(&Arc::new(first.clone()))
            .expect("added");
        // The second attribute can refer to all values.
        for (name, datatype) in [("wide", Datatype::Int32), ("narrow", datatype)] {
            let attribute = Attribute {
                enumeration: Some("e".to_owned()),
                ..Attribute::new(name, datatype)
            };
            draft.add_attribute(&shared(attribute)).expect("few values");
        }
        let schema = draft.finish().expect("a schema");
        let evolved = |number: u32| {
            let added = values(number).split_off(4 * (most as usize - 2));
            let (data, offsets) = (Some(&added[..]), None);
            let longer = first.extend(EnumerationValues { data, offsets });
            let mut changes = SchemaEvolution::default();
            let longer = Arc::new(longer.expect("distinct"));
            changes
                .extend_enumeration(&longer)
                .expect("the first extension");
            changes.evolve(&schema, 1)
        };
        evolved(most).expect("an index for each value");
        let expected = format!(
            "Enumeration 'e' would have {} values, but attribute 'narrow' of type {} can refer to {most} only",
            most + 1,
            datatype.name()
        );
        assert_eq!(error_text(evolved(most + 1)), expected);
    }
}
