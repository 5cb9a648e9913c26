//! Reading and writing generic tiles, which contain schemas, sections of fragment metadata, and
//! array metadata.
//!
//! A generic tile contains a description of its filters. Its unfiltered size is not trusted: it
//! must equal that of its chunks, and be possible for the number of stored bytes.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use crate::bytes::{Cursor, Sink};
use crate::error::{Error, RecordError, Result, reserve, try_reserved, try_vec};
use crate::filter::{
    Chunk, Chunks, Compressor, Filter, FilterList, FilterType, Pipeline, chunk_starts,
};
use crate::format::filter_list;
use crate::format::generic_tile::{FIXED_LEN, GenericTileHeader};
use crate::format::version::FormatVersion;
use crate::memory::tuning::FIRST_RECORD_READ;
use crate::types::{Datatype, EncryptionKey, EncryptionType};
use crate::vfs::{ReadFile, StorageView, Uri, Vfs};

/// The maximum ratio of unfiltered to stored size. Deflate, the only codec that releases of
/// libtiledb use here, expands a byte to at most 1032 bytes.
const MAX_EXPANSION: u64 = 1100;
/// The compression level.
const LEVEL: i32 = 1;

/// Decodes the generic tile at the start of `bytes` and returns its record.
pub fn decode(bytes: &[u8], key: Option<&EncryptionKey>) -> Result<Vec<u8>> {
    let mut from = Cursor::new("generic tile", bytes);
    let header = GenericTileHeader::read(&mut from)?;
    check_key(header.encryption, key)?;
    let limit = header.stored_size.saturating_mul(MAX_EXPANSION);
    if header.size > limit {
        let problem = format!("is {}, of {} stored bytes", header.size, header.stored_size);
        return Err(from.corrupt("size", problem));
    }
    let mut filters = Cursor::new("filter list", header.filters);
    let filters = filter_list::read(&mut filters, header.version)?;
    if key.is_some() && !filters.has(FilterType::Aes256Gcm) {
        return Err(RecordError::NotEncrypted.into());
    }
    let pipeline = Pipeline::new(Arc::new(filters), header.datatype, key)?;
    let stored = from.take_u64("stored data", header.stored_size)?;
    unfilter(stored, header.size, &pipeline)
}

fn unfilter(stored: &[u8], size: u64, pipeline: &Pipeline) -> Result<Vec<u8>> {
    // All lengths are checked before memory is allocated.
    let chunks: Vec<Chunk<'_>> = Chunks::parse(stored, size)?.collect::<Result<_>>()?;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let mut record: Vec<u8> = try_reserved("a generic tile", size)?;
    for chunk in chunks {
        let start = record.len();
        let len = (size - start).min(chunk.original_len as usize);
        // One chunk at a time, so that it is still in the cache when it is decoded.
        record.resize(start + len, 0);
        let to = record.get_mut(start..).unwrap_or_default();
        pipeline.decode_chunk(chunk, to)?;
    }
    Ok(record)
}

/// Encodes a record that belongs to an object of a version and appends it to `to`.
pub fn encode(
    record: &[u8],
    version: FormatVersion,
    key: Option<&EncryptionKey>,
    to: &mut Vec<u8>,
) -> Result<()> {
    let mut list = FilterList::of(Filter::compression_at(Compressor::Gzip, LEVEL));
    list.filters.extend(key.map(|_| Filter::Aes256Gcm));
    let mut filters = Sink::new();
    filter_list::write(&list, &mut filters);
    let starts = chunk_starts(&list, record.len() as u64, 1)?;
    let pipeline = Pipeline::new(Arc::new(list), Datatype::Char, key)?;
    let stored = pipeline.encode_tile(record, &starts)?;
    let header = GenericTileHeader {
        version,
        stored_size: stored.len() as u64,
        size: record.len() as u64,
        datatype: Datatype::Char,
        cell_size: 1,
        encryption: encryption_of(key).code(),
        filters: filters.as_slice(),
    };
    let mut head = Sink::new();
    header.write(&mut head);
    reserve("a generic tile", to, head.len() + stored.len())?;
    to.extend_from_slice(head.as_slice());
    to.extend_from_slice(&stored);
    Ok(())
}

/// Reads the record of a file that consists of one generic tile.
pub fn read(view: &StorageView, uri: &Uri, key: Option<&EncryptionKey>) -> Result<Vec<u8>> {
    decode(&read_growing(view, uri)?, key).map_err(|error| error.with_uri(uri))
}

/// Reads the bytes of a file that consists of one generic tile.
///
/// # Errors
/// If the file is cut. The content of the tile is not checked.
pub fn read_encoded(view: &StorageView, uri: &Uri) -> Result<Vec<u8>> {
    let bytes = read_growing(view, uri)?;
    let mut from = Cursor::new("generic tile", &bytes);
    GenericTileHeader::read(&mut from)
        .and_then(|header| from.take_u64("stored data", header.stored_size))
        .map_err(|error| error.with_uri(uri))?;
    Ok(bytes)
}

fn read_growing(view: &StorageView, uri: &Uri) -> Result<Vec<u8>> {
    view.read_complete(uri, |bytes| {
        tile_len(bytes).is_ok_and(|len| len <= bytes.len() as u64)
    })
}

/// Writes and syncs a file that consists of one generic tile.
pub fn write(vfs: &Vfs, uri: &Uri, record: &[u8], key: Option<&EncryptionKey>) -> Result<()> {
    let mut bytes = Vec::new();
    encode(record, FormatVersion::WRITTEN, key, &mut bytes)?;
    vfs.write_all(uri, &bytes)
}

/// Creates a file that consists of one generic tile, atomically and durably. `object` is the folder
/// of the array or group to which the file belongs, and `version` that of its records.
pub fn publish(
    vfs: &Vfs,
    object: &Uri,
    uri: &Uri,
    record: &[u8],
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let mut bytes = Vec::new();
    encode(record, version, key, &mut bytes)?;
    vfs.publish_file(object, uri, &bytes)
}

/// Reads the record of the generic tile at `offset` in a file of `size` bytes.
pub fn read_section(
    file: &ReadFile,
    size: u64,
    offset: u64,
    key: Option<&EncryptionKey>,
) -> Result<Vec<u8>> {
    let Some(left) = size.checked_sub(offset).filter(|left| *left > 0) else {
        return Err(Error::corrupt(
            "generic tile",
            "offset",
            offset,
            "is beyond the file",
        ));
    };
    let mut bytes = read_range(file, offset, left.min(FIRST_RECORD_READ))?;
    let len = tile_len(&bytes)?;
    if len > bytes.len() as u64 && len <= left {
        bytes = read_range(file, offset, len)?;
    }
    decode(&bytes, key)
}

/// Returns the total length of the tile that starts with these bytes.
fn tile_len(bytes: &[u8]) -> Result<u64> {
    let mut from = Cursor::new("generic tile", bytes.get(..FIXED_LEN).unwrap_or(bytes));
    from.skip("version", 4)?;
    let stored = from.u64("stored size")?;
    from.skip("size, datatype, cell size, encryption", 8 + 1 + 8 + 1)?;
    let filters = u64::from(from.u32("filters' length")?);
    Ok(stored.saturating_add(FIXED_LEN as u64 + filters))
}

fn read_range(file: &ReadFile, offset: u64, len: u64) -> Result<Vec<u8>> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let mut bytes = try_vec("a generic tile", len)?;
    file.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

/// Returns the encryption of the generic tile in a file.
pub fn encryption(view: &StorageView, uri: &Uri) -> Result<EncryptionType> {
    let file = view.open(uri)?;
    let bytes = read_range(&file, 0, file.size()?.min(FIRST_RECORD_READ))?;
    let mut from = Cursor::new("generic tile", &bytes);
    let header = GenericTileHeader::read(&mut from).map_err(|error| error.with_uri(uri))?;
    EncryptionType::from_code(u32::from(header.encryption))
        .ok_or_else(|| RecordError::UnknownEncryption.into())
}

fn encryption_of(key: Option<&EncryptionKey>) -> EncryptionType {
    match key {
        Some(_) => EncryptionType::Aes256Gcm,
        None => EncryptionType::NoEncryption,
    }
}

fn check_key(stored: u8, key: Option<&EncryptionKey>) -> Result<()> {
    let stored =
        EncryptionType::from_code(u32::from(stored)).ok_or(RecordError::UnknownEncryption)?;
    let expected = encryption_of(key);
    if stored == expected {
        return Ok(());
    }
    Err(RecordError::OtherEncryption {
        stored: stored.name(),
        given: expected.name(),
    }
    .into())
}
