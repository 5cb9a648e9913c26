//! Filters: what is done to the bytes of a tile, chunk by chunk, on their way to storage and back.

use std::sync::Arc;

use crate::error::Result;
use crate::types::{Datatype, EncryptionKey};

/// The filters of a field, in the order of writing: a description.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterList {
    /// The filters.
    pub filters: Vec<Filter>,
    /// The largest chunk that is filtered at once, in bytes.
    pub max_chunk_size: u32,
}

impl Default for FilterList {
    fn default() -> Self {
        Self {
            filters: Vec::new(),
            max_chunk_size: 65536,
        }
    }
}

/// A filter with its options.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Filter {
    /// Nothing is done.
    None,
}

/// The filters of a field, bound to its datatype: what runs.
#[derive(Clone, Debug)]
pub struct Pipeline {
    list: Arc<FilterList>,
}

/// One chunk of a stored tile.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The size of its data before filtering.
    pub original_len: u32,
    /// What the filters noted about it.
    pub metadata: &'a [u8],
    /// The filtered data.
    pub filtered: &'a [u8],
}

impl Pipeline {
    /// Binds filters to the datatype of the data they get; `key` encrypts after them.
    pub fn new(
        list: Arc<FilterList>,
        _datatype: Datatype,
        _key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        Ok(Self { list })
    }

    /// Whether stored chunks hold the data as it is.
    pub fn is_identity(&self) -> bool {
        self.list.filters.is_empty()
    }

    /// Filters `data` and appends the chunk, its header of 12 bytes first, to `to`.
    pub fn encode_chunk(&self, _data: &[u8], _to: &mut Vec<u8>) -> Result<()> {
        unimplemented!()
    }

    /// Undoes the filters of a chunk into `to`, which has the chunk's original length.
    pub fn decode_chunk(&self, _chunk: Chunk<'_>, _to: &mut [u8]) -> Result<()> {
        unimplemented!()
    }
}
