//! The R-tree of a sparse fragment: building it from the MBRs of the tiles, and searching for tiles
//! that may contain results.

use std::ops::Range as IndexRange;

use super::Fragment;
use crate::error::{Error, Result};
use crate::format::fragment::{FANOUT, RTree, RTreeLevel};
use crate::schema::ArraySchema;
use crate::types::{Match, Range};

/// A tile that may contain results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundTile {
    /// The tile's number in the fragment.
    pub tile: u64,
    /// Whether all of its cells are results according to its MBR.
    pub whole: bool,
}

impl Fragment {
    /// Returns the MBR of a tile of a sparse fragment, one range for each dimension.
    ///
    /// # Errors
    /// If the R-tree cannot be read, or has no MBR of the tile.
    pub fn mbr(&self, tile: u64) -> Result<&[Range]> {
        let tree = self.rtree()?;
        let mbr = usize::try_from(tile).ok().and_then(|tile| tree.leaf(tile));
        mbr.ok_or_else(|| {
            let problem = format!("has none for tile {tile}");
            Error::corrupt("R-tree", "MBRs", 0, problem).with_uri(self.uri())
        })
    }

    /// Returns the tiles whose MBRs `overlap` does not exclude, ascending. Subtrees that are
    /// excluded or contained completely are not searched.
    pub fn find_tiles(&self, overlap: impl Fn(&[Range]) -> Match) -> Result<Vec<FoundTile>> {
        let tree = self.rtree()?;
        if tree.leaf_num() as u64 != self.tile_num {
            let problem = format!(
                "has MBRs of {} tiles, the fragment has {}",
                tree.leaf_num(),
                self.tile_num
            );
            return Err(Error::corrupt("R-tree", "MBRs", 0, problem).with_uri(self.uri()));
        }
        Ok(search(tree, overlap))
    }
}

fn search(tree: &RTree, overlap: impl Fn(&[Range]) -> Match) -> Vec<FoundTile> {
    let mut found = Vec::new();
    let Some(first) = tree.levels.first() else {
        return found;
    };
    // The nodes of a level to visit, and whether all of their cells are results.
    let mut ranges = vec![(0..first.len(), false)];
    let fanout = tree.fanout.max(1) as usize;
    for (depth, level) in tree.levels.iter().enumerate() {
        let mut next: Vec<(IndexRange<usize>, bool)> = Vec::new();
        for (nodes, whole) in ranges {
            for node in nodes.start..nodes.end.min(level.len()) {
                let whole = match (whole, level.mbr(node)) {
                    (true, _) => true,
                    (false, Some(mbr)) => match overlap(mbr) {
                        Match::None => continue,
                        Match::Some => false,
                        Match::All => true,
                    },
                    (false, None) => continue,
                };
                if depth + 1 == tree.levels.len() {
                    found.push(FoundTile {
                        tile: node as u64,
                        whole,
                    });
                    continue;
                }
                let start = node.saturating_mul(fanout);
                let end = start.saturating_add(fanout);
                match next.last_mut() {
                    Some((last, all)) if last.end == start && *all == whole => last.end = end,
                    _ => next.push((start..end, whole)),
                }
            }
        }
        ranges = next;
    }
    found
}

/// Builds the tree over the MBRs of all tiles.
pub fn build(leaves: Vec<Range>, schema: &ArraySchema) -> RTree {
    let dim_num = schema.domain.dimensions.len();
    let mut levels = vec![RTreeLevel {
        ranges: leaves,
        dim_num,
    }];
    for _ in 0..levels_above(levels[0].len()) {
        let parents = cover(&levels[levels.len() - 1], schema);
        levels.push(parents);
    }
    levels.reverse();
    RTree {
        fanout: FANOUT,
        levels,
    }
}

/// Returns the number of levels above the leaves. Readers rely on the levels present, and the
/// format defines their number by this logarithm, including its rounding errors.
fn levels_above(leaf_num: usize) -> usize {
    match leaf_num {
        0 | 1 => 0,
        _ => ((leaf_num as f64).ln() / f64::from(FANOUT).ln()).ceil() as usize,
    }
}

fn cover(level: &RTreeLevel, schema: &ArraySchema) -> RTreeLevel {
    let mut ranges = Vec::with_capacity(level.ranges.len().div_ceil(FANOUT as usize));
    for children in level.ranges.chunks(level.dim_num * FANOUT as usize) {
        let (first, others) = children.split_at(level.dim_num);
        let start = ranges.len();
        ranges.extend_from_slice(first);
        for mbr in others.chunks(level.dim_num) {
            schema.domain.expand(&mut ranges[start..], mbr);
        }
    }
    RTreeLevel {
        ranges,
        dim_num: level.dim_num,
    }
}
