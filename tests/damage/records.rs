//! Records inside files: generic tiles are decoded, mutated and encoded again, so that the mutation
//! reaches the parser of the record instead of the decompressor.

use std::ops::Range;

use tiledb_engine::internal::format::version::FormatVersion;
use tiledb_engine::internal::tile::generic;
use tiledb_engine::internal::types::EncryptionKey;

use crate::numbers::{self, FieldPosition};
use crate::random::Random;

/// The positions of the numbers of a generic tile's header: version, stored size, size, datatype,
/// cell size, encryption, length of the filter list.
const HEADER: [FieldPosition; 7] = [(0, 4), (4, 8), (12, 8), (20, 1), (21, 8), (29, 1), (30, 4)];
/// The bytes of the header before the filter list.
const HEADER_LEN: usize = 34;

/// The generic tiles at the start of a file, one after the other.
pub(crate) fn generic_tiles(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut tiles = Vec::new();
    let mut start = 0;
    while let Some(len) = tile_len(&bytes[start..]) {
        tiles.push(start..start + len);
        start += len;
    }
    tiles
}

/// The length of the generic tile at the start of `bytes`, if one may be there.
fn tile_len(bytes: &[u8]) -> Option<usize> {
    let number = |range: Range<usize>| {
        let mut number = [0u8; 8];
        let stored = bytes.get(range)?;
        number[..stored.len()].copy_from_slice(stored);
        usize::try_from(u64::from_le_bytes(number)).ok()
    };
    let (version, stored, filters) = (number(0..4)?, number(4..12)?, number(30..34)?);
    let len = stored.checked_add(filters)?.checked_add(HEADER_LEN)?;
    ((1..=100).contains(&version) && stored > 0 && len <= bytes.len()).then_some(len)
}

/// The known numbers of the generic tiles of a file: their headers, and the sizes of their first
/// chunks.
pub(crate) fn header_fields(bytes: &[u8]) -> Vec<FieldPosition> {
    let mut fields = Vec::new();
    for tile in generic_tiles(bytes) {
        let filters = bytes[tile.start + 30];
        let chunks = tile.start + HEADER_LEN + usize::from(filters);
        let header = HEADER.map(|(position, width)| (tile.start + position, width));
        fields.extend(header);
        fields.extend(chunk_fields(bytes, chunks));
    }
    fields
}

/// The numbers of a file of tiles: of each tile the number of chunks, of each chunk its size, its
/// stored size and the size of its filters' metadata.
pub(crate) fn tile_fields(bytes: &[u8]) -> Vec<FieldPosition> {
    chunk_fields(bytes, 0)
}

fn chunk_fields(bytes: &[u8], mut position: usize) -> Vec<FieldPosition> {
    let mut fields = Vec::new();
    let number = |position: usize| {
        let number = bytes.get(position..position + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(number) as usize)
    };
    while let Some(chunks) = number(position).filter(|chunks| (1..1000).contains(chunks)) {
        fields.push((position, 8));
        position += 8;
        for _ in 0..chunks {
            let (Some(stored), Some(metadata)) = (number(position + 4), number(position + 8))
            else {
                return fields;
            };
            fields.extend([0, 4, 8].map(|index| (position + index, 4)));
            position = position.saturating_add(12 + stored + metadata);
        }
    }
    fields
}

/// Mutates the record of one of the generic tiles of a file. Returns a description, or `None` if no
/// tile can be decoded.
pub(crate) fn mutate_record(
    bytes: &mut Vec<u8>,
    key: Option<&EncryptionKey>,
    random: &mut Random,
) -> Option<String> {
    let tiles = generic_tiles(bytes);
    if tiles.is_empty() {
        return None;
    }
    let index = random.below(tiles.len() as u64) as usize;
    let tile = tiles[index].clone();
    let mut record = generic::decode(&bytes[tile.clone()], key).ok()?;
    let mut done = numbers::mutate(&mut record, &[], random);
    while random.below(4) == 0 {
        done = format!("{done}, {}", numbers::mutate(&mut record, &[], random));
    }
    replace_tile(bytes, &tiles, index, &record, key)?;
    Some(format!("record {index}: {done}"))
}

/// Replaces the record of a generic tile and corrects the offsets of later tiles in the footer.
pub(crate) fn replace_tile(
    bytes: &mut Vec<u8>,
    tiles: &[Range<usize>],
    index: usize,
    record: &[u8],
    key: Option<&EncryptionKey>,
) -> Option<()> {
    let tile = tiles.get(index)?.clone();
    let mut encoded = Vec::new();
    generic::encode(record, FormatVersion::WRITTEN, key, &mut encoded).ok()?;
    // A tile that ends earlier is followed by bytes that no offset refers to.
    if encoded.len() < tile.len() && tiles.len() > 1 {
        encoded.resize(tile.len(), 0);
    }
    let footer = tiles.last()?.end;
    let moved = encoded.len() as u64;
    let moved = moved.wrapping_sub(tile.len() as u64);
    for later in &tiles[index + 1..] {
        let old = later.start as u64;
        let mut position = footer;
        while let Some(found) = bytes.get(position..position + 8) {
            if found == old.to_le_bytes() {
                let new = old.wrapping_add(moved);
                bytes[position..position + 8].copy_from_slice(&new.to_le_bytes());
                position += 7;
            }
            position += 1;
        }
    }
    bytes.splice(tile, encoded);
    Some(())
}
