//! The records of a fragment's metadata file.

mod rtree;
mod tile_stats;

pub use rtree::RTree;
pub use tile_stats::{TileStatsColumn, TileValues};
