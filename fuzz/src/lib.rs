//! Fuzz targets. No input may crash or allocate more than its size justifies.
//!
//! The input of a filter is decoded as a chunk of filtered data, and filtered as data, which must
//! decode to the input.

mod arrays;
pub mod corpus;
mod messages;
mod records;

use std::sync::Arc;

use tiledb_engine::internal::filter::{Chunk, Filter, FilterList, FilterType, Pipeline, Texts};
use tiledb_engine::internal::types::{Datatype, EncryptionKey};

/// The maximum size of a decoded chunk in bytes.
const MAX_CHUNK_BYTES: usize = 1 << 16;
const DATATYPES: [Datatype; 6] = [
    Datatype::Uint8,
    Datatype::Int16,
    Datatype::Uint32,
    Datatype::Int64,
    Datatype::Float64,
    Datatype::DatetimeNs,
];

/// The targets of filters of values, the last of which is encryption.
const FILTERS: [(&str, FilterType); 17] = [
    ("gzip", FilterType::Gzip),
    ("zstd", FilterType::Zstd),
    ("lz4", FilterType::Lz4),
    ("bzip2", FilterType::Bzip2),
    ("rle", FilterType::Rle),
    ("double_delta", FilterType::DoubleDelta),
    ("delta", FilterType::Delta),
    ("bit_width_reduction", FilterType::BitWidthReduction),
    ("positive_delta", FilterType::PositiveDelta),
    ("bitshuffle", FilterType::Bitshuffle),
    ("byteshuffle", FilterType::Byteshuffle),
    ("checksum_md5", FilterType::ChecksumMd5),
    ("checksum_sha256", FilterType::ChecksumSha256),
    ("scale_float", FilterType::ScaleFloat),
    ("xor", FilterType::Xor),
    ("webp", FilterType::Webp),
    ("aes_256_gcm", FilterType::Aes256Gcm),
];

/// The targets of encodings of strings.
const TEXT_ENCODINGS: [(&str, FilterType); 2] = [
    ("rle_text", FilterType::Rle),
    ("dictionary_text", FilterType::Dictionary),
];

/// The name of a target, and the function that runs it on an input.
type Target = (&'static str, fn(&[u8]));

/// The other targets: records, texts, messages and arrays.
const RECORDS: [Target; 30] = [
    ("array_files", arrays::array_files),
    ("array_metadata", records::array_metadata),
    ("array_patches", arrays::array_patches),
    ("array_schema", records::array_schema),
    ("condition_text", records::condition_text),
    ("config_file", records::config_file),
    ("consolidated_commits", records::consolidated_commits),
    ("consolidated_footers", records::consolidated_footers),
    ("delete_condition", records::delete_condition),
    ("enumeration", records::enumeration),
    ("filter_list", records::filter_list),
    ("fragment_footer", records::fragment_footer),
    (
        "fragment_footer_of_schema",
        records::fragment_footer_of_schema,
    ),
    ("fragment_section", records::fragment_section),
    ("generic_tile", records::generic_tile),
    ("group_details", records::group_details),
    ("message_array", messages::array),
    ("message_config", messages::config),
    ("message_fragment_info", messages::fragment_info),
    ("message_group", messages::group),
    ("message_metadata", messages::metadata),
    ("message_non_empty_domain", messages::non_empty_domain),
    ("message_query", messages::query),
    ("message_requests", messages::requests),
    ("message_schema", messages::schema),
    ("message_schema_evolution", messages::schema_evolution),
    ("name_list", records::name_list),
    ("profile_file", records::profile_file),
    ("tile_offsets", records::tile_offsets),
    ("uri", records::uri),
];

/// Returns the names of all targets.
pub fn targets() -> Vec<&'static str> {
    let filters = FILTERS.iter().chain(&TEXT_ENCODINGS).map(|(name, _)| *name);
    filters.chain(RECORDS.map(|(name, _)| name)).collect()
}

/// Runs a target on an input.
pub fn run(target: &str, bytes: &[u8]) {
    if let Some((_, kind)) = FILTERS.iter().find(|(name, _)| *name == target) {
        values(*kind, bytes);
    } else if let Some((_, kind)) = TEXT_ENCODINGS.iter().find(|(name, _)| *name == target) {
        texts(*kind, bytes);
    } else {
        let found = RECORDS.iter().find(|(name, _)| *name == target);
        found.expect("a target").1(bytes);
    }
}

fn list(kind: FilterType) -> Arc<FilterList> {
    Arc::new(FilterList {
        filters: Filter::new(kind).into_iter().collect(),
        ..FilterList::default()
    })
}

/// Fuzzes a filter of values, or encryption if `kind` is not a filter type.
fn values(kind: FilterType, bytes: &[u8]) {
    let [which, len_low, len_high, split, rest @ ..] = bytes else {
        return;
    };
    let key = EncryptionKey::new(&[7; 32]).filter(|_| Filter::new(kind).is_none());
    let datatype = DATATYPES[usize::from(*which) % DATATYPES.len()];
    let Ok(pipeline) = Pipeline::new(list(kind), datatype, key.as_ref()) else {
        return;
    };
    let len = usize::from(u16::from_le_bytes([*len_low, *len_high])).min(MAX_CHUNK_BYTES);
    let (metadata, filtered) = rest.split_at(usize::from(*split).min(rest.len()));
    let chunk = Chunk {
        original_len: len as u32,
        metadata,
        filtered,
    };
    let _ = pipeline.decode_chunk(chunk, &mut vec![0; len]);
    // Float scaling is lossy by design.
    if let Ok(stored) = pipeline.encode_tile(rest, &[0])
        && kind != FilterType::ScaleFloat
    {
        let mut back = vec![0; rest.len()];
        let decoded = pipeline.decode_tile(&stored, &mut back);
        assert!(decoded.is_ok() && back == rest, "{kind:?} of {datatype:?}");
    }
}

/// Fuzzes an encoding of strings.
fn texts(kind: FilterType, bytes: &[u8]) {
    let [cells, len, rest @ ..] = bytes else {
        return;
    };
    let Ok(pipeline) = Pipeline::for_texts(list(kind), Datatype::StringAscii, None) else {
        return;
    };
    let decode = |stored: &[u8], cells: usize, len: usize| {
        let (mut values, mut starts) = (vec![0; len], Vec::new());
        pipeline
            .decode_texts(stored, &mut values, cells, &mut starts)
            .ok()
            .map(|()| (values, starts))
    };
    if let Some((values, starts)) = decode(rest, (*cells).into(), (*len).into()) {
        assert!(starts.is_sorted() && starts.last().is_none_or(|end| *end == values.len() as u64));
    }
    // Strings end at zeros and at the end of the input.
    let mut starts = vec![0];
    starts.extend((1..=rest.len() as u64).filter(|index| rest[*index as usize - 1] == 0));
    if starts.last() != Some(&(rest.len() as u64)) {
        starts.push(rest.len() as u64);
    }
    if starts.len() < 2 {
        return;
    }
    let texts = Texts {
        values: rest,
        starts: &starts,
    };
    let stored = pipeline.encode_texts(texts).unwrap_or_default();
    let back = decode(&stored, starts.len() - 1, rest.len());
    assert!(
        back == Some((rest.to_vec(), starts)),
        "{kind:?} does not come back"
    );
}
