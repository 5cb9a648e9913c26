//! Every record in every version is written, read back, and truncated at every byte.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::version::{self as v, FormatVersion};
use crate::schema::{ArraySchema, Attribute, Dimension, Domain, SchemaDraft};
use crate::types::{ArrayType, Datatype, Range};

/// Returns a schema with two attributes, an integer dimension, and a second dimension of strings or
/// integers.
fn schema(text: bool) -> ArraySchema {
    let fixed = |name| {
        let domain = Range::of(-5i32, 5);
        let extent = 2i32.to_le_bytes();
        Dimension::new(name, Datatype::Int32, domain.both(), Some(&extent)).expect("dimension")
    };
    let second = if text {
        Dimension::new("t", Datatype::StringAscii, None, None).expect("dimension")
    } else {
        fixed("j")
    };
    let mut schema = SchemaDraft::new(ArrayType::Sparse, None).snapshot();
    schema.domain = Domain {
        dimensions: vec![Arc::new(fixed("i")), Arc::new(second)].into(),
    };
    schema.attributes = ["a", "b"]
        .map(|name| Arc::new(Attribute::new(name, Datatype::Int32)))
        .to_vec()
        .into();
    schema
}

/// Generates boxes in the domain of [`schema`].
fn rectangle(text: bool) -> impl Strategy<Value = Vec<Range>> {
    ("[a-c]{0,3}", "[d-f]{0,3}", -5i32..0, 0i32..5).prop_map(move |(start, end, low, high)| {
        let second = if text {
            Range::var(start.as_bytes(), end.as_bytes())
        } else {
            Range::of(low, high)
        };
        vec![Range::of(low, high), second]
    })
}

/// Generates footers of version `version`; fields that the version does not have keep their
/// defaults.
fn footer(version: FormatVersion, text: bool) -> impl Strategy<Value = Footer> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let domain = proptest::option::of(rectangle(text));
    let parts = (flags, domain, any::<[u64; 5]>(), any::<u64>(), "[a-z]{1,8}");
    parts.prop_map(
        move |((dense, times, deletes), domain, numbers, seed, name)| {
            let has = |first_version, flag| version >= first_version && flag;
            let (times, deletes) = (
                has(v::TIMESTAMP_FILES, times),
                has(v::DELETE_METADATA_FILES, deletes),
            );
            let schema = schema(text);
            let mut columns = Columns::new(slot_num(&schema, version, times, deletes));
            fill(&mut columns, version, seed);
            Footer {
                head: FooterHead {
                    version,
                    schema_name: has(v::FOOTER_NAMES_SCHEMA, true).then(|| name.into()),
                },
                dense,
                non_empty_domain: domain,
                sparse_tile_num: numbers[0],
                last_tile_cell_num: numbers[1],
                has_timestamps: times,
                has_delete_metadata: deletes,
                columns,
                rtree: numbers[2],
                fragment_stats: if has(v::FRAGMENT_STATS, true) {
                    numbers[3]
                } else {
                    0
                },
                processed_conditions: if has(v::DELETE_COMMITS, true) {
                    numbers[4]
                } else {
                    0
                },
                global_order_bounds: if has(v::OPTIONAL_FOOTER_SECTIONS, seed % 2 == 0) {
                    vec![seed; 4]
                } else {
                    Vec::new()
                },
            }
        },
    )
}

/// Sets the numbers that this version stores, by reading bytes that `seed` determines.
fn fill(columns: &mut Columns, version: FormatVersion, seed: u64) {
    let all = [
        FooterColumn::FixedFileSize,
        FooterColumn::VarFileSize,
        FooterColumn::ValidityFileSize,
        FooterColumn::TileOffsets,
        FooterColumn::VarOffsets,
        FooterColumn::VarSizes,
        FooterColumn::ValidityOffsets,
        FooterColumn::Mins,
        FooterColumn::Maxs,
        FooterColumn::Sums,
        FooterColumn::NullCounts,
    ];
    let bytes: Vec<u8> = (0..8 * columns.slot_num() as u64)
        .map(|index| (seed.wrapping_mul(index + 1) >> 13) as u8)
        .collect();
    for column in all {
        let mut from = Cursor::new("numbers", &bytes);
        columns
            .read(column, &mut from, version)
            .expect("enough numbers");
    }
}

/// Reads a footer, which must end with the bytes.
fn read_footer(bytes: &[u8], schema: &ArraySchema) -> Result<Footer> {
    let mut from = Cursor::new("fragment footer", bytes);
    let head = FooterHead::read(&mut from)?;
    let footer = Footer::read(head, &mut from, schema)?;
    from.end()?;
    Ok(footer)
}

/// Checks that reading each part from the start of a record is an error, which reports a field that
/// starts at the cut or before.
fn assert_cuts_are_located<T>(
    whole: &[u8],
    read: impl Fn(&mut Cursor<'_>) -> Result<T>,
) -> std::result::Result<(), TestCaseError> {
    for cut in 0..whole.len() {
        let read = read(&mut Cursor::new("record", &whole[..cut]));
        prop_assert!(
            read.is_err_and(|error| error.is_corrupt_by(cut)),
            "cut at {}",
            cut
        );
    }
    Ok(())
}

/// Generates footers of all versions, with whether the second dimension of the schema has strings.
fn versioned() -> impl Strategy<Value = (bool, Footer)> {
    let versions = (
        v::METADATA_FOOTER.0..=FormatVersion::NEWEST.0,
        any::<bool>(),
    );
    versions.prop_flat_map(|(version, text)| {
        let version = FormatVersion(version);
        let text = text && version >= v::SPLIT_DIMENSIONS;
        (Just(text), footer(version, text))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn footers_of_every_version_round_trip((text, footer) in versioned()) {
        let schema = schema(text);
        let mut to = Sink::new();
        footer.write(&mut to, &schema);
        let bytes = to.into_bytes();
        prop_assert_eq!(read_footer(&bytes, &schema).expect("footer"), footer);
        for cut in 0..bytes.len() {
            prop_assert!(read_footer(&bytes[..cut], &schema).is_err(), "cut at {}", cut);
        }
    }

    #[test]
    fn a_footer_is_located_from_the_end_of_its_file(
        (text, footer) in versioned(),
        before in proptest::collection::vec(any::<u8>(), 0..50),
    ) {
        let schema = schema(text);
        let version = footer.head.version;
        let mut to = Sink::new();
        to.put(&before);
        footer.write(&mut to, &schema);
        let end = to.len();
        if version >= v::FOOTER_LENGTH_ALWAYS || text {
            to.u64((end - before.len()) as u64);
        }
        let bytes = to.into_bytes();
        let named = (version < v::FOOTER_NAMES_SCHEMA).then_some(&schema);
        let location = FooterLocation::find(version, named, &bytes).expect("location");
        prop_assert_eq!(location.from_end as usize, bytes.len() - before.len());
        prop_assert_eq!(location.len as usize, end - before.len());
    }

    #[test]
    fn trees_round_trip(
        text in any::<bool>(),
        mbrs in proptest::collection::vec(rectangle(true), 1..30),
    ) {
        let schema = schema(text);
        let leaves = mbrs.into_iter().flat_map(|mut mbr| {
            if !text {
                mbr[1] = mbr[0].clone();
            }
            mbr
        });
        let leaves = RTreeLevel { ranges: leaves.collect(), dim_num: 2 };
        let root = RTreeLevel { ranges: leaves.ranges[..2].to_vec(), dim_num: 2 };
        let tree = RTree { fanout: FANOUT, levels: vec![root, leaves] };
        let mut to = Sink::new();
        tree.write(&mut to);
        let bytes = to.into_bytes();
        let read = |from: &mut Cursor<'_>| RTree::read(from, FormatVersion::WRITTEN, &schema);
        prop_assert_eq!(read(&mut Cursor::new("R-tree", &bytes)).expect("tree"), tree);
        assert_cuts_are_located(&bytes, read)?;
    }

    #[test]
    fn statistics_round_trip(
        values in proptest::collection::vec(proptest::option::of(any::<[u8; 4]>()), 0..9),
        texts in proptest::collection::vec("[a-z]{0,5}", 0..9),
        fields in proptest::collection::vec((any::<[u8; 3]>(), any::<u64>()), 3),
    ) {
        let mut fixed = TileValues::new(Some(4));
        for value in &values {
            fixed.push(value.as_ref().map(<[u8; 4]>::as_slice)).expect("memory");
        }
        let mut var = TileValues::new(None);
        for text in &texts {
            var.push(Some(text.as_bytes())).expect("memory");
        }
        for (tile, text) in texts.iter().enumerate() {
            prop_assert_eq!(var.get(tile as u64), Some(text.as_bytes()));
        }
        prop_assert_eq!(var.get(texts.len() as u64), None);
        for (column, size) in [(fixed, Some(4)), (var, None)] {
            let mut to = Sink::new();
            column.write(&mut to);
            let bytes = to.into_bytes();
            let read = |from: &mut Cursor<'_>| TileValues::read(from, size);
            prop_assert_eq!(read(&mut Cursor::new("values", &bytes)).expect("values"), column);
            assert_cuts_are_located(&bytes, read)?;
        }
        let fields = fields.into_iter().map(|(value, number)| FieldStats {
            min: value[1..].to_vec(),
            max: value.to_vec(),
            sum: number,
            null_count: !number,
        });
        let fields: Vec<_> = fields.collect();
        let mut to = Sink::new();
        write_fragment_stats(&mut to, &fields);
        let bytes = to.into_bytes();
        let read = |from: &mut Cursor<'_>| read_fragment_stats(from, 3);
        prop_assert_eq!(read(&mut Cursor::new("statistics", &bytes)).expect("fields"), fields);
        assert_cuts_are_located(&bytes, read)?;
    }

    #[test]
    fn numbers_and_conditions_round_trip(
        numbers in proptest::collection::vec(any::<u64>(), 0..9),
        names in proptest::collection::vec("[a-z]{0,9}", 0..5),
    ) {
        let mut to = Sink::new();
        write_numbers(&mut to, &numbers);
        let bytes = to.into_bytes();
        let read = |from: &mut Cursor<'_>| read_numbers(from, "numbers");
        prop_assert_eq!(read(&mut Cursor::new("numbers", &bytes)).expect("numbers"), numbers);
        assert_cuts_are_located(&bytes, read)?;
        let mut to = Sink::new();
        write_processed_conditions(&mut to, &names);
        let bytes = to.into_bytes();
        let read = read_processed_conditions;
        prop_assert_eq!(read(&mut Cursor::new("conditions", &bytes)).expect("names"), names);
        assert_cuts_are_located(&bytes, read)?;
    }
}

#[test]
fn unknown_optional_sections_are_ignored() {
    let schema = schema(false);
    let mut to = Sink::new();
    to.u32(FormatVersion::NEWEST.0);
    to.text("schema");
    to.flag(false); // sparse
    to.flag(true); // without a non-empty domain
    to.put(&[0; 16]); // instead of the non-empty domain
    to.u64s(&[7; 2]); // the number of tiles, and of cells in the last one
    to.flag(false); // without timestamps
    to.flag(false); // without metadata of deletes
    // Two attributes, the coordinates and two dimensions have a number in each of eleven columns.
    to.u64s(&[7; 5 * 11]);
    to.u64s(&[7; 3]); // the positions of the R-tree, the statistics and the conditions
    to.u32(2); // optional sections
    let (unknown_section, global_order_bounds) = (99, 0);
    to.u64(unknown_section);
    to.u32(3);
    to.put(b"new");
    to.u64(global_order_bounds);
    to.u32(32);
    to.u64s(&[1, 2, 3, 4]);
    let footer = read_footer(to.as_slice(), &schema).expect("footer");
    assert_eq!(footer.global_order_bounds, [1, 2, 3, 4]);
}

#[test]
fn consolidated_footers_are_found_by_name() {
    let mut to = Sink::new();
    // The number of entries, and two entries: the length of a name, the name, the start of a
    // footer.
    let head_len = 4 + 2 * (8 + 3 + 8);
    to.u32(2);
    to.text("one");
    to.u64(head_len);
    to.text("two");
    to.u64(head_len + 3);
    to.put(b"abcdef");
    let bytes = to.into_bytes();
    let entries = read_consolidated(&bytes).expect("entries");
    assert_eq!(
        entries,
        [("one", b"abcdef".as_slice()), ("two", b"def".as_slice())]
    );
    for cut in 0..head_len as usize {
        assert!(read_consolidated(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}

#[test]
fn metadata_of_version_2_is_read() {
    let schema = schema(false);
    let mut to = Sink::new();
    to.u32(2);
    let mbr = [Range::of(-1i32, 3), Range::of(0i32, 4)];
    let put_mbr = |to: &mut Sink| {
        mbr.iter()
            .for_each(|range| to.put(range.both().expect("ends")))
    };
    to.u64(16); // the length of the non-empty domain
    put_mbr(&mut to);
    to.u64(1); // MBRs
    put_mbr(&mut to);
    to.u64(1); // bounding coordinates
    put_mbr(&mut to);
    let tile_offsets = [&[0][..], &[], &[0]];
    let (var_offsets, var_sizes) = ([&[3][..], &[]], [&[5][..], &[]]);
    for numbers in tile_offsets.iter().chain(&var_offsets).chain(&var_sizes) {
        write_numbers(&mut to, numbers);
    }
    to.u64(9); // cells in the last tile
    to.u64s(&[10, 11, 12]); // sizes of files
    to.u64s(&[20, 21]); // sizes of files of variable-length values
    let bytes = to.into_bytes();
    let read = |bytes| LegacyMetadata::read(&mut Cursor::new("metadata", bytes), &schema, false);
    let metadata = read(&bytes).expect("metadata");
    assert_eq!(
        metadata.footer.non_empty_domain.as_deref(),
        Some(mbr.as_slice())
    );
    assert_eq!(
        (
            metadata.rtree.leaf_num(),
            metadata.footer.last_tile_cell_num
        ),
        (1, 9)
    );
    assert_eq!(metadata.tile_offsets, [vec![0], vec![], vec![0]]);
    assert_eq!(metadata.var_offsets, [vec![3], vec![]]);
    assert_eq!(metadata.var_sizes, [vec![5], vec![]]);
    assert_eq!(
        metadata.footer.columns.get(FooterColumn::VarFileSize, 1),
        21
    );
    for cut in 0..bytes.len() {
        assert!(read(&bytes[..cut]).is_err(), "cut at {cut}");
    }
}
