//! Common parts of the filter targets: the input is decoded as a chunk of filtered data, and
//! filtered as data. Neither may crash or allocate more than the input justifies; filtered data
//! must decode to the input.

pub mod arrays;
pub mod corpus;
pub mod messages;
pub mod records;

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

fn list(kind: FilterType) -> Arc<FilterList> {
    Arc::new(FilterList {
        filters: Filter::new(kind).into_iter().collect(),
        ..FilterList::default()
    })
}

/// Fuzzes a filter of values, or encryption if `kind` is not a filter type.
pub fn values(kind: FilterType, bytes: &[u8]) {
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
pub fn texts(kind: FilterType, bytes: &[u8]) {
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
