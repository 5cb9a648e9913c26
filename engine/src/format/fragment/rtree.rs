//! The R-tree over the MBRs of a sparse fragment's tiles.

use crate::types::Range;

/// MBRs in levels; the last level holds one MBR for each tile, the others what `fanout` of the next have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RTree {
    levels: Vec<Level>,
}

/// The MBRs of one level, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
struct Level {
    ranges: Vec<Range>,
    dim_num: usize,
}

impl RTree {
    /// The number of tiles; 0 for a dense fragment.
    pub fn leaf_num(&self) -> usize {
        self.levels
            .last()
            .map_or(0, |l| l.ranges.len() / l.dim_num.max(1))
    }

    /// The MBR of a tile, one range for each dimension.
    pub fn leaf(&self, tile: usize) -> Option<&[Range]> {
        let level = self.levels.last()?;
        level.ranges.chunks_exact(level.dim_num.max(1)).nth(tile)
    }
}
