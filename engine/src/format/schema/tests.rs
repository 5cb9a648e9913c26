//! Schemas byte by byte: the bytes that libtiledb writes; truncated, altered and random records;
//! the oldest version.
#![expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that panics has failed"
)]

use proptest::prelude::*;

use super::*;
use crate::filter::{Filter, FilterType};
use crate::schema::{Attribute, Dimension, DimensionLabel, DomainDraft, SchemaDraft, shared};
use crate::types::{DataOrder, Datatype, Range, VAR_NUM};

/// The schema returned by `sample` as libtiledb 2.30 writes it.
const GOLDEN: &str = "160000000001000010270000000000000000010001000000020500000002ffffffff0000010001000000020500000002ffff\
     ffff0000010001000000040500000004ffffffff020000000100000078030100000000000100000000001000000000000000\
     000000000000e0bf00000000d012634100000000000000044001000000730bffffffff000001000000000000000000000000\
     00010200000001000000610402000000000001000500000009000000000d000000000000000000060600000006ffffffff11\
     130600000008ffffffff11020000000000000080800000000000000001000000620dffffffff000001000000000004000000\
     00000000410041010101000000000000000000000000000000000001";

const NAME: &str = "__7_7_7399bbbd3fcd18c9f799521574fbb390";

fn golden() -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a digit") as u8;
    let pairs = GOLDEN.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

fn list(kinds: &[FilterType]) -> Arc<FilterList> {
    let filters = kinds.iter().filter_map(|kind| Filter::new(*kind)).collect();
    Arc::new(FilterList {
        filters,
        ..FilterList::default()
    })
}

fn sample() -> ArraySchema {
    let domain = [(-0.5f64).to_le_bytes(), 1e7f64.to_le_bytes()].concat();
    let extent = 2.5f64.to_le_bytes();
    let x = Dimension::new("x", Datatype::Float64, Some(&domain), Some(&extent)).expect("sound");
    let s = Dimension::new("s", Datatype::StringAscii, None, None).expect("sound");
    let dimensions = vec![shared(x), shared(s)];
    let mut draft = SchemaDraft::new(ArrayType::Sparse, Some(7));
    draft
        .set_domain(&shared(DomainDraft { dimensions }))
        .expect("sparse takes both");
    let mut a = Attribute::new("a", Datatype::Char);
    a.set_cell_val_num(2).expect("two");
    a.filters = list(&[
        FilterType::Byteshuffle,
        FilterType::ChecksumSha256,
        FilterType::None,
        FilterType::DoubleDelta,
        FilterType::Delta,
    ]);
    let mut b = Attribute::new("b", Datatype::StringUtf16);
    b.set_cell_val_num(VAR_NUM).expect("any");
    b.set_nullable(true).expect("unordered");
    b.set_fill_value(Some(b"A\0A\x01"), Some(1))
        .expect("two units");
    draft.add_attribute(&shared(a)).expect("a name");
    draft.add_attribute(&shared(b)).expect("a name");
    draft.finish().expect("whole")
}

/// Returns the schema that reading returns: with the name of its file, and with the coordinate
/// filters in dimensions without filters.
fn as_read(schema: &ArraySchema) -> ArraySchema {
    let mut schema = schema.clone();
    schema.name = NAME.to_owned();
    schema.timestamps = TimeRange { start: 7, end: 7 };
    schema.domain.dimensions.update(|dimensions| {
        for dimension in dimensions {
            if dimension.filters.filters.is_empty() {
                Arc::make_mut(dimension).filters = schema.coords_filters.clone();
            }
        }
    });
    schema
}

#[test]
fn written_schemas_equal_those_of_libtiledb() {
    assert_eq!(write(&sample()), golden());
}

#[test]
fn schemas_of_libtiledb_are_read() {
    assert_eq!(read(&golden(), NAME).expect("whole"), as_read(&sample()));
}

#[test]
fn a_truncated_schema_is_a_located_error() {
    let whole = golden();
    for cut in 0..whole.len() {
        let read = read(&whole[..cut], NAME);
        assert!(
            read.is_err_and(|error| error.is_corrupt_by(cut)),
            "cut at {cut}"
        );
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(read(&longer, NAME).is_err());
}

#[test]
fn changed_bytes_never_panic() {
    let mut bytes = golden();
    for offset in 0..bytes.len() {
        let was = bytes[offset];
        for now in 0..=u8::MAX {
            bytes[offset] = now;
            let _ = read(&bytes, NAME);
        }
        bytes[offset] = was;
    }
}

#[test]
fn files_of_enumerations_outside_of_their_folder_are_damage() {
    for file in ["..", "../x", "/x", "a/x"] {
        let schema = ArraySchema {
            enumerations: vec![EnumerationPath::new("letters".into(), file.into())].into(),
            ..sample()
        };
        let error = read(&write(&schema), NAME)
            .err()
            .map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(
            error.contains("which is not the name of a file"),
            "{file}: {error}"
        );
    }
}

#[test]
fn newer_versions_are_errors() {
    let mut bytes = golden();
    bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
    let error = read(&bytes, NAME)
        .err()
        .map_or_else(String::new, |error| error.to_string());
    assert_eq!(
        error,
        "The schema has format version 4294967295, but 23 is the newest that is supported"
    );
    bytes[..4].copy_from_slice(&0u32.to_le_bytes());
    assert!(read(&bytes, NAME).is_err());
}

/// Returns the record of a dense schema of the first version.
fn oldest() -> Vec<u8> {
    let mut to = Sink::new();
    to.u32(1);
    to.put(&[0, 0, 1]);
    to.u64(100);
    filter_list::write(&list(&[FilterType::Zstd]), &mut to);
    filter_list::write(&FilterList::default(), &mut to);
    to.u8(Datatype::Int32.code());
    to.u32(1);
    to.text_u32("d");
    to.i32(1);
    to.i32(10);
    to.flag(false);
    to.i32(5);
    to.u32(1);
    to.text_u32("a");
    to.u8(Datatype::Float32.code());
    to.u32(2);
    filter_list::write(&FilterList::default(), &mut to);
    to.into_bytes()
}

#[test]
fn the_first_version_has_one_datatype_and_no_fill_values() {
    let schema = read(&oldest(), "__array_schema.tdb").expect("whole");
    assert_eq!((schema.version, schema.cell_order), (1, Layout::ColMajor));
    assert_eq!(schema.timestamps, TimeRange { start: 0, end: 0 });
    let dimension = &schema.domain.dimensions[0];
    assert_eq!(dimension.domain, Some(Range::of(1i32, 10)));
    assert_eq!(dimension.extent.as_deref(), Some(&5i32.to_le_bytes()[..]));
    assert!(dimension.filters.filters.is_empty());
    let nan = f32::NAN.to_le_bytes();
    assert_eq!(schema.attributes[0].fill_value, [nan, nan].concat());
    let again = read(&write(&schema), NAME).expect("in the newest version");
    assert_eq!(again.version, FormatVersion::WRITTEN.0);
    assert_eq!(again.attributes, schema.attributes);
}

fn change_dimension(schema: &mut ArraySchema, index: usize, change: impl FnOnce(&mut Dimension)) {
    schema
        .domain
        .dimensions
        .update(|dimensions| change(Arc::make_mut(&mut dimensions[index])));
}

#[test]
fn invalid_schemas_are_errors() {
    let mut sparse = sample();
    sparse.capacity = 0;
    assert!(read(&write(&sparse), NAME).is_err());
    let mut dense = sample();
    dense.array_type = ArrayType::Dense;
    assert!(read(&write(&dense), NAME).is_err());
    let mut still = sample();
    change_dimension(&mut still, 0, |first| {
        first.extent = Some(Box::new([0; 8]));
    });
    assert!(read(&write(&still), NAME).is_err());
    let mut twice = sample();
    change_dimension(&mut twice, 1, |second| second.name = "x".to_owned());
    assert!(read(&write(&twice), NAME).is_err());
    change_dimension(&mut twice, 1, |second| second.name = "a".to_owned());
    assert!(read(&write(&twice), NAME).is_err());
    let mut short = sample();
    let mut attributes = short.attributes.to_vec();
    Arc::make_mut(&mut attributes[0]).fill_value = vec![1];
    short.attributes = attributes.into();
    assert!(read(&write(&short), NAME).is_err());
}

fn any_list() -> impl Strategy<Value = Arc<FilterList>> {
    let kinds: Vec<_> = (0..20)
        .filter_map(FilterType::from_code)
        .filter(|kind| Filter::new(*kind).is_some())
        .collect();
    prop::collection::vec(prop::sample::select(kinds), 0..4).prop_map(|kinds| list(&kinds))
}

fn any_attribute() -> impl Strategy<Value = Attribute> {
    let datatype = prop::sample::select(&Datatype::ALL[..]);
    let values = prop_oneof![Just(1u32), 2u32..9, Just(VAR_NUM)];
    (
        ".{0,8}",
        datatype,
        values,
        any::<bool>(),
        any::<u8>(),
        any_list(),
        prop::option::of(".{1,5}"),
    )
        .prop_map(
            |(name, datatype, values, nullable, validity, filters, enumeration)| {
                let mut attribute = Attribute::new(&name, datatype);
                // Attributes of type "any" reject other numbers.
                let _ = attribute.set_cell_val_num(values);
                attribute.nullable = nullable;
                attribute.fill_validity = validity;
                attribute.filters = filters;
                attribute.enumeration = enumeration;
                attribute
            },
        )
}

fn any_schema() -> impl Strategy<Value = ArraySchema> {
    let label =
        (".{0,5}", any::<bool>(), 0u32..2).prop_map(|(text, flag, dimension)| DimensionLabel {
            dimension,
            name: text.clone(),
            uri: format!("__labels/{text}"),
            uri_is_relative: flag,
            attribute: text,
            order: DataOrder::Increasing,
            datatype: Datatype::Float64,
            cell_val_num: 1,
            is_external: !flag,
            schema: None,
        });
    let enumeration =
        (".{0,5}", "__[a-z0-9_]{0,5}").prop_map(|(name, file)| EnumerationPath::new(name, file));
    let current = prop::option::of(
        (any::<f64>(), ".{0,4}", ".{0,4}").prop_map(|(x, from, to)| {
            vec![Range::of(x, x), Range::var(from.as_bytes(), to.as_bytes())]
        }),
    );
    (
        prop::collection::vec(any_attribute(), 0..4),
        prop::collection::vec(label, 0..3),
        prop::collection::vec(enumeration, 0..3),
        current,
        any_list(),
        1u64..,
        any::<bool>(),
    )
        .prop_map(
            |(
                mut attributes,
                mut labels,
                enumerations,
                current_domain,
                filters,
                capacity,
                dups,
            )| {
                // Field names are unique.
                let names = attributes.iter_mut().map(|attribute| &mut attribute.name);
                let names = names.chain(labels.iter_mut().map(|label| &mut label.name));
                for (index, name) in names.enumerate() {
                    name.push_str(&index.to_string());
                }
                ArraySchema {
                    attributes: attributes.into_iter().map(Arc::new).collect(),
                    labels: labels.into(),
                    enumerations: enumerations.into(),
                    current_domain,
                    coords_filters: filters.clone(),
                    offsets_filters: filters,
                    capacity,
                    allows_dups: dups,
                    ..sample()
                }
            },
        )
}

proptest! {
    #[test]
    fn schemas_round_trip(schema in any_schema()) {
        let back = read(&write(&schema), NAME).expect("what was written");
        // Current domains can contain NaN, which equals nothing, so their text is compared.
        prop_assert_eq!(format!("{back:?}"), format!("{:?}", as_read(&schema)));
    }

    #[test]
    fn garbage_after_a_version_never_panics(version in 0u32..25, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let record = [&version.to_le_bytes()[..], &bytes].concat();
        let _ = read(&record, NAME);
    }
}
