//! A cache of packed coordinate columns of an open array. Box queries tend to revisit neighbouring
//! tiles.

use std::sync::Arc;

use crate::geometry::PackedColumn;
use crate::memory::LruCache;

/// The cached columns of an open array.
pub type CoordinateCache = LruCache<CoordinateKey, Arc<PackedColumn>>;

/// The key of a cached column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordinateKey {
    /// The index of the fragment in the snapshot.
    pub fragment: usize,
    /// The tile.
    pub tile: u64,
    /// The dimension.
    pub dim: usize,
}
