//! Tiles of strings as libtiledb 2.30 stores them, round trips with integers of all widths, and
//! damaged tiles.

use std::sync::Arc;

use super::*;
use crate::filter::{FilterList, FilterType, Pipeline};
use crate::types::Datatype;

fn pipeline(kinds: &[FilterType]) -> Pipeline {
    let filters = kinds.iter().map(|kind| Filter::new(*kind).expect("known"));
    let list = FilterList {
        filters: filters.collect(),
        ..FilterList::default()
    };
    Pipeline::for_texts(Arc::new(list), Datatype::StringAscii, None).expect("filters that run")
}

fn starts(cells: &[&str]) -> Vec<u64> {
    let mut end = 0;
    let ends = cells.iter().map(|cell| {
        end += cell.len() as u64;
        end
    });
    [0].into_iter().chain(ends).collect()
}

fn encoded(pipeline: &Pipeline, cells: &[&str]) -> Vec<u8> {
    let values = cells.concat();
    let texts = Texts {
        values: values.as_bytes(),
        starts: &starts(cells),
    };
    pipeline.encode_texts(texts).expect("small texts")
}

/// Decodes a tile that should contain `cells` cells and `len` bytes. The output is pre-filled with
/// 0xee.
fn decoded(
    pipeline: &Pipeline,
    stored: &[u8],
    cells: usize,
    len: usize,
) -> Result<(Vec<u8>, Vec<u64>)> {
    let (mut values, mut starts) = (vec![0xee; len], vec![u64::MAX; 3]);
    pipeline.decode_texts(stored, &mut values, cells, &mut starts)?;
    Ok((values, starts))
}

fn round_trip(kinds: &[FilterType], cells: &[&str]) -> Vec<u8> {
    let pipeline = pipeline(kinds);
    let stored = encoded(&pipeline, cells);
    let whole = cells.concat().into_bytes();
    let back = decoded(&pipeline, &stored, cells.len(), whole.len()).expect("what was written");
    assert!(back == (whole, starts(cells)), "{kinds:?}");
    stored
}

const RUNS: FilterType = FilterType::Rle;
const WORDS: FilterType = FilterType::Dictionary;

#[test]
fn tiles_equal_those_of_libtiledb() {
    let words = &["a", "a", "", "bcd", "bcd", "bcd", "e"][..];
    let empty = &["", "", ""][..];
    let hex = |bytes: Vec<u8>| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    for (kinds, cells, expected) in [
        (
            &[RUNS][..],
            words,
            "01000000000000000c0000000d0000001600000000000000010000000c0000000d00000038000000010102016101000303626364010165",
        ),
        (
            &[WORDS],
            words,
            "01000000000000000c000000070000002300000000000000010000000c000000070000003800000001010900000001610003626364016500000102020203",
        ),
        (
            &[RUNS, FilterType::Byteshuffle, FilterType::Lz4],
            words,
            "01000000000000000c0000002f000000200000000200000001000000080000000900000016000000180000000d0000000e00000080010000000d000000f00700000000010000000c0000000d000000380000000101d002016101000303626364010165",
        ),
        (
            &[WORDS, FilterType::Lz4],
            words,
            "01000000000000000c0000002b00000018000000010000000100000023000000230000000700000008000000f00200000000010000000c0000000700000038100020010906008061000362636401657000000102020203",
        ),
        (
            &[RUNS],
            empty,
            "0100000000000000000000000200000016000000000000000100000000000000020000001800000001010300",
        ),
        (
            &[WORDS],
            empty,
            "010000000000000000000000030000001b000000000000000100000000000000030000001800000001010100000000000000",
        ),
    ] {
        assert_eq!(hex(round_trip(kinds, cells)), expected, "{kinds:?}");
    }
}

#[test]
fn every_integer_width_round_trips() {
    let long = "x".repeat(70_000);
    for kind in [RUNS, WORDS] {
        for (many, len) in [(1, 0), (255, 15), (256, 16), (300, 17), (65_600, 300)] {
            let text = &long[..len];
            let mut cells = vec![text; many];
            round_trip(&[kind], &cells);
            // The longest string comes last: libtiledb ignores the last string when it determines
            // the width of lengths.
            cells.push(&long[..len + 300]);
            round_trip(&[kind], &cells);
            cells.insert(many / 2, &long);
            round_trip(&[kind, FilterType::Zstd], &cells);
        }
    }
}

#[test]
fn many_distinct_strings_round_trip() {
    let words: Vec<String> = (0..70_000u64)
        .map(|i| format!("{:x}", i * i % 66_000))
        .collect();
    let cells: Vec<&str> = words.iter().map(String::as_str).collect();
    for kinds in [
        &[RUNS][..],
        &[WORDS],
        &[WORDS, FilterType::Rle, FilterType::Bzip2],
    ] {
        round_trip(kinds, &cells);
    }
}

#[test]
fn tiles_of_unexpected_sizes_are_errors() {
    for kind in [RUNS, WORDS] {
        let pipeline = pipeline(&[kind]);
        let stored = encoded(&pipeline, &["ab", "c", "c"]);
        for (cells, len) in [(2, 4), (4, 4), (3, 3), (3, 5), (0, 0)] {
            assert!(decoded(&pipeline, &stored, cells, len).is_err());
        }
        assert!(
            pipeline
                .encode_chunk(b"abc", &mut crate::bytes::ReusableBuffer::new())
                .is_err()
        );
        assert!(pipeline.decode_tile(&stored, &mut [0; 4]).is_err());
    }
}

#[test]
fn damage_after_other_filters_is_a_named_error_or_other_strings_of_the_same_size() {
    let others = [
        &[FilterType::Byteshuffle, FilterType::Lz4][..],
        &[FilterType::Zstd],
        &[FilterType::Gzip, FilterType::ChecksumMd5],
        &[FilterType::Rle, FilterType::Bitshuffle],
    ];
    for (kind, others) in [RUNS, WORDS]
        .into_iter()
        .flat_map(|kind| others.map(|all| (kind, all)))
    {
        let kinds: Vec<FilterType> = [kind].into_iter().chain(others.iter().copied()).collect();
        let pipeline = pipeline(&kinds);
        let stored = encoded(&pipeline, &["ab", "c", "c", "", "ab"]);
        let names: Vec<String> = kinds
            .iter()
            .map(|kind| match kind {
                FilterType::Byteshuffle => "byteshuffle filter".into(),
                FilterType::Bitshuffle => "bitshuffle filter".into(),
                FilterType::ChecksumMd5 => "md5 filter".into(),
                other => other.name().to_string(),
            })
            .collect();
        let check = |damaged: &[u8]| match decoded(&pipeline, damaged, 5, 6) {
            Ok((_, starts)) => assert!(starts.is_sorted() && starts[0] == 0 && starts[5] == 6),
            Err(error) => {
                let message = error.to_string();
                assert!(
                    names.iter().any(|name| message.contains(name)),
                    "{message}: {kinds:?}"
                );
            }
        };
        // The lengths of chunks are checked before the filters see them.
        for offset in 20..stored.len() {
            for flip in [1, 0x55, 0x80, 0xff] {
                let mut damaged = stored.clone();
                damaged[offset] ^= flip;
                check(&damaged);
            }
        }
        for offset in 20..stored.len() - 3 {
            for extreme in [0, 1, 0x7fff_ffff, u32::MAX - 1, u32::MAX] {
                let mut damaged = stored.clone();
                damaged[offset..offset + 4].copy_from_slice(&extreme.to_le_bytes());
                check(&damaged);
            }
        }
    }
}

#[test]
fn damage_is_a_named_error_or_other_strings_of_the_same_size() {
    for kind in [RUNS, WORDS] {
        let pipeline = pipeline(&[kind]);
        let stored = encoded(&pipeline, &["ab", "c", "c", "", "ab"]);
        for offset in 0..stored.len() {
            for flip in 1..=255 {
                let mut damaged = stored.clone();
                damaged[offset] ^= flip;
                match decoded(&pipeline, &damaged, 5, 6) {
                    Ok((_, starts)) => {
                        assert!(starts.is_sorted() && starts[0] == 0 && starts[5] == 6);
                    }
                    // The lengths of chunks are checked before the filters see them.
                    Err(error) if offset < 20 => drop(error),
                    Err(error) => assert!(error.to_string().contains(kind.name()), "{error}"),
                }
            }
            assert!(
                decoded(&pipeline, &stored[..offset], 5, 6).is_err(),
                "cut at {offset}"
            );
        }
    }
}
