//! Decoding altered bytes must fail with an error that names a filter of the list, or return other
//! data.

use super::*;

/// The filter kinds and their names in errors.
const NAMES: [(FilterType, &str); 15] = [
    (FilterType::Gzip, "GZIP"),
    (FilterType::Zstd, "ZSTD"),
    (FilterType::Lz4, "LZ4"),
    (FilterType::Bzip2, "BZIP2"),
    (FilterType::Rle, "RLE"),
    (FilterType::DoubleDelta, "DOUBLE_DELTA"),
    (FilterType::Delta, "DELTA"),
    (FilterType::BitWidthReduction, "bit width reduction filter"),
    (FilterType::PositiveDelta, "positive delta filter"),
    (FilterType::Xor, "xor filter"),
    (FilterType::Bitshuffle, "bitshuffle filter"),
    (FilterType::Byteshuffle, "byteshuffle filter"),
    (FilterType::ScaleFloat, "float scaling filter"),
    (FilterType::ChecksumMd5, "md5 filter"),
    (FilterType::ChecksumSha256, "sha256 filter"),
];

/// Decodes an altered chunk: returns other data, or fails with an error that contains one of
/// `names`.
fn decode_damaged(pipeline: &Pipeline, stored: &[u8], len: usize, names: &[&str]) {
    let metadata_len = u32::from_le_bytes(stored[8..12].try_into().expect("four bytes"));
    let (metadata, filtered) = stored[CHUNK_HEADER_LEN..].split_at(metadata_len as usize);
    let chunk = Chunk {
        original_len: len as u32,
        metadata,
        filtered,
    };
    if let Err(error) = pipeline.decode_chunk(chunk, &mut vec![0; len]) {
        let message = error.to_string();
        assert!(names.iter().any(|name| message.contains(name)), "{message}");
    }
}

#[test]
fn altered_bytes_and_lengths_are_errors_that_name_the_filter_or_other_data() {
    let key = EncryptionKey::new(&[9; 32]);
    let values = (0..40u32).map(|i| i / 5 * 3).flat_map(u32::to_le_bytes);
    let data: Vec<u8> = values.collect();
    let second = [
        None,
        Some((FilterType::Zstd, "ZSTD")),
        Some((FilterType::ChecksumMd5, "md5 filter")),
    ];
    for (kind, name) in NAMES {
        for (second, key) in second.into_iter().zip([None, None, key.as_ref()]) {
            let kinds = [Some(kind), second.map(|(kind, _)| kind)]
                .into_iter()
                .flatten();
            let list = FilterList {
                filters: kinds.map(filter).collect(),
                ..FilterList::default()
            };
            let pipeline = Pipeline::new(Arc::new(list), Datatype::Uint32, key).expect("filters");
            let names = [name, second.map_or(name, |(_, name)| name), "AES_256_GCM"];
            let mut stored = ReusableBuffer::new();
            pipeline
                .encode_chunk(&data, &mut stored)
                .expect("small data");
            for start in CHUNK_HEADER_LEN..stored.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut damaged = stored.to_vec();
                    damaged[start] ^= flip;
                    decode_damaged(&pipeline, &damaged, data.len(), &names);
                }
            }
            for start in CHUNK_HEADER_LEN..stored.len() - 3 {
                for extreme in [0, 1, 0x7fff_ffff, u32::MAX - 1, u32::MAX] {
                    let mut damaged = stored.to_vec();
                    damaged[start..start + 4].copy_from_slice(&extreme.to_le_bytes());
                    decode_damaged(&pipeline, &damaged, data.len(), &names);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn damage_is_an_error_or_other_data(
        kinds in any_kinds(),
        data in prop::collection::vec(any::<u8>(), 1..300),
        start in any::<prop::sample::Index>(),
        flip in 1u8..,
    ) {
        let pipeline = pipeline(&kinds, Datatype::Uint8);
        let Ok(mut stored) = pipeline.encode_tile(&data, &[0]) else {
            return Ok(());
        };
        let start = start.index(stored.len());
        stored[start] ^= flip;
        let _ = pipeline.decode_tile(&stored, &mut vec![0; data.len()]);
    }

    #[test]
    fn garbage_never_panics(kinds in any_kinds(), stored in prop::collection::vec(any::<u8>(), 0..200), len in 0usize..500) {
        let chunk = Chunk { original_len: len as u32, metadata: &stored[..stored.len() / 2], filtered: &stored[stored.len() / 2..] };
        let _ = pipeline(&kinds, Datatype::Int32).decode_chunk(chunk, &mut vec![0; len]);
    }
}
