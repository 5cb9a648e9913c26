//! A tile as it is stored: its location, its filters and its length.

use std::ops::Range;

use super::chunk_cache::TileCache;
use crate::error::Error;
use crate::filter::Pipeline;
use crate::stats::ReadWatch;
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
