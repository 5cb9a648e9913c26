//! A tile as it is stored: its location, the filters of its values, which depend on the format
//! version, its length, and reusable buffers for reading it.

use std::ops::Range;

use super::chunk_cache::TileCache;
use crate::error::{Error, Result, try_vec};
use crate::filter::{Filter, FilterType, Pipeline};
use crate::format::version::{self as v, FormatVersion};
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};
use crate::schema::StoredField;
use crate::stats::ReadWatch;
use crate::types::{Datatype, EncryptionKey};
use crate::vfs::{ReadFile, Uri};

/// The location of a stored tile.
#[derive(Clone, Debug)]
pub struct TileLocation<'a> {
    /// The file.
    pub file: &'a ReadFile,
    /// The URI of the fragment, for error messages.
    pub fragment: &'a Uri,
    /// The range of the stored tile in the file, in bytes.
    pub range: Range<u64>,
}

/// A stored tile: its location, its filters, and its unfiltered length.
#[derive(Debug)]
pub struct StoredTile<'a> {
    /// The location.
    pub location: TileLocation<'a>,
    /// The pipeline that reverses its filters.
    pub pipeline: &'a Pipeline,
    /// The unfiltered length in bytes.
    pub len: usize,
    /// The part of the cache of decoded chunks that belongs to the tile, if there is a cache.
    pub cache: Option<TileCache<'a>>,
    /// Measures how long reading and unfiltering take.
    pub watch: ReadWatch,
    /// The bytes of the tile, if they differ from the stored ones: nothing is read then.
    pub converted: Option<&'a [u8]>,
}

impl StoredTile<'_> {
    pub(super) fn corrupt(
        &self,
        field: &'static str,
        offset: u64,
        problem: impl Into<String>,
    ) -> Error {
        Error::corrupt("tile", field, offset, problem).with_uri(self.location.fragment)
    }
}

/// Returns the pipeline for the values of a field in fragments of this version.
pub fn values_pipeline(
    field: &StoredField,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Pipeline> {
    if includes_offsets(field, version) {
        return Pipeline::for_texts(field.filters.clone(), field.datatype, key);
    }
    let values = if field.is_var() {
        1
    } else {
        field.cell_val_num
    };
    let pipeline = Pipeline::for_cells(field.filters.clone(), field.datatype, values, key)?;
    if version < v::WINDOW_FILTERS_APPLY_TO_TIMES {
        Ok(pipeline.without_time_windows())
    } else {
        Ok(pipeline)
    }
}

/// Returns whether the first filter also encodes the offsets of the field's cells.
fn includes_offsets(field: &StoredField, version: FormatVersion) -> bool {
    let first = field.filters.filters.first().map(Filter::kind);
    field.is_var()
        && match (first, field.datatype) {
            (Some(FilterType::Rle), Datatype::StringAscii) => version >= v::RLE_HOLDS_ASCII_OFFSETS,
            (Some(FilterType::Dictionary), Datatype::StringAscii) => {
                version >= v::DICTIONARY_HOLDS_ASCII_OFFSETS
            }
            (Some(FilterType::Rle | FilterType::Dictionary), Datatype::StringUtf8) => {
                version >= v::ENCODING_HOLDS_UTF8_OFFSETS
            }
            _ => false,
        }
}

/// Buffers for reading tiles: stored bytes, decoded bytes, and bytes to discard.
#[derive(Debug, Default)]
pub struct TileWorkspace {
    pub(super) stored: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) discarded: Vec<u8>,
}

impl Workspace for TileWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::TileRead;

    fn memory(&self) -> usize {
        self.stored.capacity() + self.data.capacity() + self.discarded.capacity()
    }
}

impl TileWorkspace {
    /// Runs `body` with buffers from the pool of the process.
    pub fn with<T>(body: impl FnOnce(&mut Self) -> T) -> T {
        body(&mut WorkspaceGuard::default())
    }

    /// Runs `body` with buffers from the pool and the buffer for decoded bytes as a separate
    /// argument.
    pub fn with_data<T>(body: impl FnOnce(&mut Self, &mut Vec<u8>) -> T) -> T {
        Self::with(|workspace| {
            let mut data = std::mem::take(&mut workspace.data);
            let result = body(workspace, &mut data);
            workspace.data = data;
            result
        })
    }
}

/// Returns the first `len` bytes of a buffer, which grows if necessary. They are initialised but
/// unspecified.
pub(super) fn ensure_len(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        *buffer = try_vec("a tile", len)?;
    }
    Ok(&mut buffer[..len])
}
