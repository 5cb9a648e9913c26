//! Whole pipelines: stored bytes as other implementations write them, round trips, damage.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
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

/// The kinds of filters that run.
const RUNNING: [FilterType; 10] = [
    FilterType::None,
    FilterType::Gzip,
    FilterType::Zstd,
    FilterType::Lz4,
    FilterType::Bzip2,
    FilterType::Rle,
    FilterType::Bitshuffle,
    FilterType::Byteshuffle,
    FilterType::ChecksumMd5,
    FilterType::ChecksumSha256,
];

fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a digit") as u8;
    let pairs = hex.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

/// Tiles of one INT32 as libtiledb 2.30 stores them: filters, data, chunk without its header.
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
fn chunks_are_those_of_libtiledb() {
    for (kinds, byte, hex) in GOLDEN {
        let data = [byte, 0, 0, 0];
        let mut stored = Vec::new();
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

#[test]
fn filters_that_do_not_run_say_so() {
    for kind in [FilterType::DoubleDelta, FilterType::Xor, FilterType::Webp] {
        let list = Arc::new(FilterList::of(filter(kind)));
        let made = Pipeline::new(list, Datatype::Uint8, None);
        let told = made
            .err()
            .map_or_else(String::new, |error| error.to_string());
        assert_eq!(
            told,
            format!("FilterPipeline: {} is not implemented yet", kind.name())
        );
    }
    let key = EncryptionKey::new(&[1; 32]);
    assert!(Pipeline::new(Arc::default(), Datatype::Int8, key.as_ref()).is_err());
}

#[test]
fn a_changed_byte_is_found_by_a_checksum_unless_nobody_looks() {
    for kind in [FilterType::ChecksumMd5, FilterType::ChecksumSha256] {
        let pipeline = pipeline(&[kind], Datatype::Uint8);
        let data = [7; 100];
        let mut stored = Vec::new();
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
fn every_pair_of_filters_goes_round() {
    let data: Vec<u8> = (0..10_000u32).flat_map(|i| (i / 3).to_le_bytes()).collect();
    for first in RUNNING {
        for second in RUNNING {
            let pipeline = pipeline(&[first, second], Datatype::Int32);
            let starts = chunk_starts(pipeline.list(), data.len() as u64, 4).expect("small chunks");
            // What shuffles or compresses gives no whole cells for run lengths.
            let Ok(stored) = pipeline.encode_tile(&data, &starts) else {
                assert_eq!(second, FilterType::Rle, "after {first:?}");
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
fn a_tile_cut_anywhere_is_an_error() {
    for kind in RUNNING {
        let pipeline = pipeline(&[kind], Datatype::Int16);
        let data: Vec<u8> = (0..200).collect();
        let stored = pipeline.encode_tile(&data, &[0, 100]).expect("small data");
        for cut in 0..stored.len() {
            let mut back = vec![0; data.len()];
            assert!(
                pipeline.decode_tile(&stored[..cut], &mut back).is_err(),
                "{kind:?} cut at {cut}"
            );
        }
    }
}

fn some_kinds() -> impl Strategy<Value = Vec<FilterType>> {
    prop::collection::vec(prop::sample::select(&RUNNING[..]), 0..4)
}

proptest! {
    #[test]
    fn bytes_come_back(kinds in some_kinds(), data in prop::collection::vec(0u8..4, 0..3000)) {
        let pipeline = pipeline(&kinds, Datatype::Uint8);
        let mut stored = Vec::new();
        pipeline.encode_chunk(&data, &mut stored).expect("bytes are whole cells");
        let tile = [&1u64.to_le_bytes(), &stored[..]].concat();
        let mut back = vec![0; data.len()];
        pipeline.decode_tile(&tile, &mut back).expect("what was written");
        prop_assert_eq!(back, data);
    }

    #[test]
    fn damage_is_an_error_or_other_data(
        kinds in some_kinds(),
        data in prop::collection::vec(any::<u8>(), 1..300),
        at in any::<prop::sample::Index>(),
        flip in 1u8..,
    ) {
        let pipeline = pipeline(&kinds, Datatype::Uint8);
        let mut stored = pipeline.encode_tile(&data, &[0]).expect("bytes are whole cells");
        let at = at.index(stored.len());
        stored[at] ^= flip;
        let _ = pipeline.decode_tile(&stored, &mut vec![0; data.len()]);
    }

    #[test]
    fn garbage_never_panics(kinds in some_kinds(), stored in prop::collection::vec(any::<u8>(), 0..200), len in 0usize..500) {
        let chunk = Chunk { original_len: len as u32, metadata: &stored[..stored.len() / 2], filtered: &stored[stored.len() / 2..] };
        let _ = pipeline(&kinds, Datatype::Int32).decode_chunk(chunk, &mut vec![0; len]);
    }
}
