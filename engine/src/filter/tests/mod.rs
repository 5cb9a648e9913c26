//! Complete pipelines: the bytes that libtiledb stores, and round trips.

mod damage;
#[cfg(unix)]
mod encryption;
mod loops;

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::bytes::ReusableBuffer;
use crate::types::{Datatype, EncryptionKey};

fn filter(kind: FilterType) -> Filter {
    Filter::new(kind).expect("a filter that can be chosen")
}

fn pipeline(kinds: &[FilterType], datatype: Datatype) -> Pipeline {
    let list = FilterList {
        filters: kinds.iter().copied().map(filter).collect(),
        ..FilterList::default()
    };
    Pipeline::new(Arc::new(list), datatype, None).expect("filters that run")
}

/// The kinds of filters that can be created and applied to integers.
const KINDS: [FilterType; 15] = [
    FilterType::None,
    FilterType::Gzip,
    FilterType::Zstd,
    FilterType::Lz4,
    FilterType::Bzip2,
    FilterType::Rle,
    FilterType::DoubleDelta,
    FilterType::Delta,
    FilterType::BitWidthReduction,
    FilterType::PositiveDelta,
    FilterType::Xor,
    FilterType::Bitshuffle,
    FilterType::Byteshuffle,
    FilterType::ChecksumMd5,
    FilterType::ChecksumSha256,
];

/// Returns whether a filter can reject data: partial cells, descending values, or differences that
/// are too large.
fn can_reject(kind: FilterType) -> bool {
    matches!(
        kind,
        FilterType::Rle
            | FilterType::DoubleDelta
            | FilterType::Delta
            | FilterType::PositiveDelta
            | FilterType::Xor
    )
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a digit") as u8;
    let pairs = hex.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

/// Tiles of one INT32 as libtiledb 2.30 stores them: filters, the first byte of data, the chunk
/// without its header.
const GOLDEN: [(&[FilterType], u8, &str); 10] = [
    (&[], 0x2f, "2f000000"),
    (
        &[FilterType::Gzip],
        0x61,
        "0000000001000000040000000c000000789c4b646060000001880062",
    ),
    (
        &[FilterType::Zstd],
        0x25,
        "0000000001000000040000000d00000028b52ffd200421000025000000",
    ),
    (
        &[FilterType::Lz4],
        0x52,
        "0000000001000000040000000500000040 52000000",
    ),
    (
        &[FilterType::Bzip2],
        0x55,
        "00000000010000000400000027000000425a6831314159265359be6449c0000001c2004000020020002100829c5dc914e14242f9912700",
    ),
    (
        &[FilterType::Rle],
        0x30,
        "00000000010000000400000006000000300000000001",
    ),
    (&[FilterType::Byteshuffle], 0x2e, "01000000040000002e000000"),
    (
        &[
            FilterType::Byteshuffle,
            FilterType::ChecksumMd5,
            FilterType::Gzip,
        ],
        0x28,
        "02000000010000003800000036000000080000000e000000040000000c000000789c636460606004620e0608e8cae6d48b8a0ebcaabcfa84b0c7bb3bb758a0e2e156ef9bee28d6ef68685829a6abf9f0220032550fa8789c636460606001620000200006789cd3606060000000a40029",
    ),
    (
        &[FilterType::Bitshuffle, FilterType::ChecksumMd5],
        0x01,
        "01000000010000000c00000000000000b3897db9a4f1acd46ab93303d9f49f9404000000000000004352d88a78aa39750bf70cd6f27bcaa502000000000000000400000001000000",
    ),
    (
        &[FilterType::ChecksumMd5, FilterType::ChecksumSha256],
        0x01,
        "010000000100000020000000000000000c7983a28f44cac03e10a409eccff60e02058bdbdcd9638055d90c45ee57d8a8040000000000000067abdd721024f0ff4e0b3f4c2fc13bc5bad42d0b7851d456d88d203d15aaa450000000000100000004000000000000004352d88a78aa39750bf70cd6f27bcaa501000000",
    ),
];

#[test]
fn chunks_equal_those_of_libtiledb() {
    for (kinds, byte, hex) in GOLDEN {
        let data = [byte, 0, 0, 0];
        let mut stored = ReusableBuffer::new();
        pipeline(kinds, Datatype::Int32)
            .encode_chunk(&data, &mut stored)
            .expect("small data");
        let (header, chunk) = stored.split_at(CHUNK_HEADER_LEN);
        assert_eq!(chunk, bytes_of(&hex.replace(' ', "")), "{kinds:?}");
        assert_eq!(header[..4], [4, 0, 0, 0]);
        let lengths = header[4..].chunks_exact(4);
        let sum: u32 = lengths
            .map(|len| u32::from_le_bytes(len.try_into().expect("four bytes")))
            .sum();
        assert_eq!(sum as usize, chunk.len(), "{kinds:?}");
    }
}

/// Twenty-one INT32 values as libtiledb 2.30 stores them.
const GOLDEN_VALUES: [(&[FilterType], &str); 7] = [
    (
        &[FilterType::Xor],
        "01000000540000000cfefffff7e2ffff33650000bb6d01002a720100991a0100a2360000801f00007f4d0100448700002afb0100bb850100337a0000f7080000f75a000033f4010018550100893f010044a90100a21d000080e60100
",
    ),
    (
        &[FilterType::Delta],
        "0000000001000000540000005c00000015000000000000000cfeffffef1e0000cd5c0000ab9a0000e651ffff67160100a2cdffff800b0000bbc2feff3c8700001ac50000557cffff33baffff11f8ffffef350000cd730000082bffff89ef0000c4a6ffffa2e4ffff80220000
",
    ),
    (
        &[FilterType::Byteshuffle, FilterType::Delta],
        "01000000010000000800000010000000540000005c0000000200000000000000010000005300000015000000000000000cfbc8734dc5996e44199166deb287ffd54c22f76f257f3955675fd141b2221a8c83f4645cccc334a69da7021dfb0000010000ff00ffffffff00000100ff00fe0000ff0000000000000000000000000000000000
",
    ),
    (
        &[FilterType::DoubleDelta],
        "000000000100000054000000410000001115000000000000000cfefffffb1c0000c41523eddd83770f1523eddd4331d281f7508cb4770f81c4eddd83770fde3d78dd4331d281c41523000000000078f7e0
",
    ),
    (
        &[FilterType::Byteshuffle, FilterType::DoubleDelta],
        "01000000010000000800000011000000540000005d00000000020000000000000001000000540000002015000000000000000cfbc87359c062e29dd9f3487b8c7b4850d99d3fbffe1c7914667c4a55189f64e19b93c93d6857fee305ff0000010001010100000100000000010001000001ff0000000000000000000000000000000000000000
",
    ),
    (
        &[FilterType::BitWidthReduction],
        "54000000010000000cfeffff20540000000cfefffffb1c0000c87900007314010059660000c07c0100624a0100e25501009d180000d99f0000f364010048e100007b9b00008c9300007bc90000483d010050680000d95701009dfe00003fe30000bf050100
",
    ),
    (
        &[FilterType::Bitshuffle],
        "0200000050000000040000001a57ca54012117fb1a57ca54fedea62784fa5132bb8667d3afb3358cf54c017ae98401000100010001000100010001000100010001000100010001000100010050680000d95701009dfe00003fe30000bf050100
",
    ),
];

#[test]
fn chunks_of_many_values_equal_those_of_libtiledb() {
    let value = |i: i32| i * i * 7919 % 100_003 - 500;
    let mut data: Vec<u8> = (0..21).flat_map(|i| value(i).to_le_bytes()).collect();
    for (kinds, hex) in GOLDEN_VALUES {
        let mut stored = ReusableBuffer::new();
        pipeline(kinds, Datatype::Int32)
            .encode_chunk(&data, &mut stored)
            .expect("whole values");
        assert_eq!(stored[CHUNK_HEADER_LEN..], bytes_of(hex), "{kinds:?}");
        let tile = [&1u64.to_le_bytes(), &stored[..]].concat();
        let mut back = vec![0; data.len()];
        pipeline(kinds, Datatype::Int32)
            .decode_tile(&tile, &mut back)
            .expect("what was written");
        assert_eq!(back, data, "{kinds:?}");
    }
    let mut ascending: Vec<i32> = (0..21).map(value).collect();
    ascending.sort_unstable();
    data = ascending
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let list = FilterList::of(Filter::PositiveDelta { max_window: 13 });
    let mut stored = ReusableBuffer::new();
    Pipeline::new(Arc::new(list), Datatype::Int32, None)
        .and_then(|pipeline| pipeline.encode_chunk(&data, &mut stored))
        .expect("ascending values");
    let expected = "070000000cfeffff0c000000596600000c0000008c9300000c0000007bc900000c0000009dfe00000c000000483d01000c000000d95701000c00000000000000911a00005e04000000000000f70100007811000000000000ef0700005e04000000000000cd170000f70100000000000022070000b40e0000000000001a0d0000800b0000000000001a0d0000cd170000
";
    assert_eq!(stored[CHUNK_HEADER_LEN..], bytes_of(expected));
}

#[test]
fn chunks_of_reinterpreted_values_equal_those_of_libtiledb() {
    let value = |i: i32| i * i * 7919 % 100_003 - 500;
    let data: Vec<u8> = (0..21).flat_map(|i| value(i).to_le_bytes()).collect();
    let reinterpreted = |compressor, reinterpret| {
        Filter::Compression(Compression {
            compressor,
            level: -1,
            reinterpret,
        })
    };
    for (filters, expected) in [
        (
            vec![reinterpreted(Compressor::Delta, Datatype::Uint16)],
            "0000000001000000540000005c0000002a000000000000000cfef301fc1c05e3c879388673148eeb5866a799c07c4183614a9fb5e1551faa9c1863e7d99f2760f3640e9b47e1b81e7b9b85648c93746c7bc98536483db9c24f68b097d95728a89cfe63013fe3c11cbf0542fa",
        ),
        (
            vec![reinterpreted(Compressor::DoubleDelta, Datatype::Uint8)],
            "0000000001000000540000005d0000000954000000000000000cfefffffb1c0000c87900007314010059660000c07c0100624a0100e25501009d180000d99f0000f364010048e100007b9b00008c9300007bc90000483d010050680000d95701009dfe00003fe30000bf050100",
        ),
        (
            vec![
                reinterpreted(Compressor::Delta, Datatype::Int8),
                Filter::BitWidthReduction { max_window: 13 },
            ],
            "0000000001000000540000005c00000054000000000000000cf20100fc21e400c8b1870073a1edff590d9a00c0bc85ff62e8b7ffe273acff9d7be800d9c66100f3719dff48991f007b2065008c076d007b4e370048f5c4ff50189800d97eaaff9d6102003fa41d00bf46fcff",
        ),
    ] {
        let list = FilterList {
            filters,
            ..FilterList::default()
        };
        let pipeline = Pipeline::new(Arc::new(list), Datatype::Int32, None).expect("filters");
        let stored = pipeline.encode_tile(&data, &[0]).expect("whole values");
        assert_eq!(stored[8 + CHUNK_HEADER_LEN..], bytes_of(expected));
        let mut back = vec![0; data.len()];
        pipeline
            .decode_tile(&stored, &mut back)
            .expect("what was written");
        assert_eq!(back, data);
    }
}

#[test]
fn bits_of_a_window_equal_those_of_libtiledb() {
    for (values, bits) in [
        ([0, 126], 8),
        ([0, 127], 16),
        ([-500, 88], 16),
        ([0, 70_000], 32),
    ] {
        let data: Vec<u8> = values
            .iter()
            .flat_map(|value: &i32| value.to_le_bytes())
            .collect();
        let mut stored = ReusableBuffer::new();
        pipeline(&[FilterType::BitWidthReduction], Datatype::Int32)
            .encode_chunk(&data, &mut stored)
            .expect("whole values");
        assert_eq!(stored[CHUNK_HEADER_LEN + 12], bits, "{values:?}");
    }
}

#[test]
fn integer_filters_leave_floating_point_numbers_unchanged_or_reject_them() {
    for kind in [FilterType::BitWidthReduction, FilterType::PositiveDelta] {
        assert!(pipeline(&[kind], Datatype::Float64).is_identity());
    }
    for kind in [FilterType::Delta, FilterType::DoubleDelta] {
        let list = Arc::new(FilterList::of(filter(kind)));
        let error = Pipeline::new(list, Datatype::Float64, None).err();
        let message = error.map_or_else(String::new, |error| error.to_string());
        assert!(message.contains(kind.name()), "{message}");
    }
}

#[test]
fn scaled_floating_point_numbers_round_trip() {
    for (datatype, byte_width) in [
        (Datatype::Float64, 4),
        (Datatype::Float64, 8),
        (Datatype::Float64, 2),
    ] {
        let list = FilterList::of(Filter::ScaleFloat(ScaleFloat {
            scale: 0.25,
            offset: -3.0,
            byte_width,
        }));
        let pipeline = Pipeline::new(Arc::new(list), datatype, None).expect("reals");
        let data: Vec<u8> = (0..1000)
            .flat_map(|i| (f64::from(i) * 0.25).to_le_bytes())
            .collect();
        let stored = pipeline.encode_tile(&data, &[0]).expect("reals");
        let mut back = vec![0; data.len()];
        pipeline
            .decode_tile(&stored, &mut back)
            .expect("what was written");
        assert_eq!(back, data, "{byte_width}");
    }
}

#[test]
fn checksums_detect_a_changed_byte_unless_checks_are_disabled() {
    for kind in [FilterType::ChecksumMd5, FilterType::ChecksumSha256] {
        let pipeline = pipeline(&[kind], Datatype::Uint8);
        let data = [7; 100];
        let mut stored = ReusableBuffer::new();
        pipeline
            .encode_chunk(&data, &mut stored)
            .expect("small data");
        let last = stored.len() - 1;
        stored[last] ^= 1;
        let tile = [&1u64.to_le_bytes(), &stored[..]].concat();
        let mut back = [0; 100];
        assert!(pipeline.decode_tile(&tile, &mut back).is_err(), "{kind:?}");
        assert!(
            pipeline
                .without_digest_checks()
                .decode_tile(&tile, &mut back)
                .is_ok()
        );
    }
}

#[test]
fn every_pair_of_filters_round_trips() {
    let data: Vec<u8> = (0..10_000u32).flat_map(|i| (i / 3).to_le_bytes()).collect();
    for first in KINDS {
        for second in KINDS {
            let pipeline = pipeline(&[first, second], Datatype::Int32);
            let starts = chunk_starts(&pipeline.list, data.len() as u64, 4).expect("small chunks");
            // The output of compressors has partial cells, and the output of shuffles does not
            // ascend.
            let Ok(stored) = pipeline.encode_tile(&data, &starts) else {
                assert!(can_reject(second), "{second:?} after {first:?}");
                continue;
            };
            let mut back = vec![0; data.len()];
            pipeline
                .decode_tile(&stored, &mut back)
                .expect("what was written");
            assert!(back == data, "{first:?}, {second:?}");
        }
    }
}

#[test]
fn a_truncated_tile_is_an_error() {
    for kind in KINDS {
        let pipeline = pipeline(&[kind], Datatype::Int16);
        let data: Vec<u8> = (0..100).collect();
        let stored = pipeline.encode_tile(&data, &[0, 50]).expect("small data");
        for cut in 0..stored.len() {
            let mut back = vec![0; data.len()];
            assert!(
                pipeline.decode_tile(&stored[..cut], &mut back).is_err(),
                "{kind:?} cut at {cut}"
            );
        }
    }
}

fn any_kinds() -> impl Strategy<Value = Vec<FilterType>> {
    prop::collection::vec(prop::sample::select(&KINDS[..]), 0..4)
}

proptest! {
    #[test]
    fn bytes_round_trip(kinds in any_kinds(), data in prop::collection::vec(0u8..4, 0..3000)) {
        let pipeline = pipeline(&kinds, Datatype::Uint8);
        let mut stored = ReusableBuffer::new();
        if let Err(error) = pipeline.encode_chunk(&data, &mut stored) {
            prop_assert!(kinds.iter().any(|kind| can_reject(*kind)), "{error}");
            return Ok(());
        }
        let tile = [&1u64.to_le_bytes(), &stored[..]].concat();
        let mut back = vec![0; data.len()];
        pipeline.decode_tile(&tile, &mut back).expect("what was written");
        prop_assert_eq!(back, data);
    }
}

/// Returns the numbers of metadata and data parts that AES-256-GCM encrypted after other filters on
/// an empty part, as libtiledb stores them.
#[test]
fn filters_that_keep_the_data_pass_on_no_empty_part() {
    use FilterType::{Bitshuffle, ChecksumMd5, ChecksumSha256, None, Rle, Zstd};
    let key = EncryptionKey::new(&[7; 32]);
    let cases: [(&[FilterType], [u32; 2]); 9] = [
        (&[], [0, 1]),
        (&[None], [0, 0]),
        (&[ChecksumMd5], [1, 0]),
        (&[ChecksumSha256, ChecksumMd5], [2, 0]),
        (&[Zstd, ChecksumMd5], [2, 1]),
        (&[Rle, ChecksumMd5], [2, 0]),
        (&[Rle, None], [1, 0]),
        (&[ChecksumMd5, Bitshuffle], [2, 1]),
        (&[Bitshuffle, ChecksumSha256], [2, 0]),
    ];
    for (kinds, expected) in cases {
        let list = FilterList {
            filters: kinds.iter().copied().map(filter).collect(),
            ..FilterList::default()
        };
        let pipeline = Pipeline::new(Arc::new(list), Datatype::Int32, key.as_ref());
        let pipeline = pipeline.expect("filters that run");
        for data in [&[][..], &[1, 0, 0, 0]] {
            let stored = pipeline.encode_tile(data, &[0]).expect("encoded");
            let number = |start: usize| {
                let bytes = stored[start..start + 4].try_into().expect("4 bytes");
                u32::from_le_bytes(bytes)
            };
            // Eight bytes with the number of chunks and the lengths of a chunk come first.
            let parts = [number(20), number(24)];
            let data_parts = if data.is_empty() { expected[1] } else { 1 };
            assert_eq!(parts, [expected[0], data_parts], "{kinds:?}");
            let mut back = vec![0; data.len()];
            pipeline.decode_tile(&stored, &mut back).expect("decoded");
            assert_eq!(back, data, "{kinds:?}");
        }
    }
}
