//! The R-tree of a sparse fragment: built from the MBRs of its tiles, and searched for those that
//! may hold results.

use super::Fragment;
use crate::error::{Error, Result};
use crate::format::fragment::{FANOUT, Level, RTree};
use crate::schema::ArraySchema;
use crate::types::Range;

/// How a rectangle lies to what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overlap {
    /// Nothing of it is asked for.
    None,
    /// Something may be.
    Part,
    /// All of it is.
    Whole,
}

/// A tile that may hold results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundTile {
    /// Its number in the fragment.
    pub tile: u64,
    /// Whether all of its cells are results, as far as its MBR tells.
    pub whole: bool,
}

impl Fragment {
    /// Returns the tiles whose MBRs `overlap` does not rule out, ascending. A branch that is ruled
    /// out, or wanted whole, is not looked into.
    pub fn find_tiles(&self, overlap: impl Fn(&[Range]) -> Overlap) -> Result<Vec<FoundTile>> {
        let tree = self.rtree()?;
        if tree.leaf_num() as u64 != self.tile_num() {
            let problem = format!(
                "has MBRs of {} tiles, the fragment has {}",
                tree.leaf_num(),
                self.tile_num()
            );
            return Err(Error::corrupt("R-tree", "MBRs", 0, problem).with_uri(self.uri()));
        }
        Ok(search(tree, overlap))
    }
}

fn search(tree: &RTree, overlap: impl Fn(&[Range]) -> Overlap) -> Vec<FoundTile> {
    let mut found = Vec::new();
    let Some(first) = tree.levels.first() else {
        return found;
    };
    // The nodes of the level to look at, in runs: first, end, and whether they are known to be
    // wanted whole.
    let mut runs = vec![(0, first.len(), false)];
    let fanout = tree.fanout.max(1) as usize;
    for (at, level) in tree.levels.iter().enumerate() {
        let mut next: Vec<(usize, usize, bool)> = Vec::new();
        for (start, end, whole) in runs {
            for node in start..end.min(level.len()) {
                let whole = match (whole, level.mbr(node)) {
                    (true, _) => true,
                    (false, Some(mbr)) => match overlap(mbr) {
                        Overlap::None => continue,
                        Overlap::Part => false,
                        Overlap::Whole => true,
                    },
                    (false, None) => continue,
                };
                if at + 1 == tree.levels.len() {
                    found.push(FoundTile {
                        tile: node as u64,
                        whole,
                    });
                    continue;
                }
                let start = node.saturating_mul(fanout);
                let end = start.saturating_add(fanout);
                match next.last_mut() {
                    Some(run) if run.1 == start && run.2 == whole => run.1 = end,
                    _ => next.push((start, end, whole)),
                }
            }
        }
        runs = next;
    }
    found
}

/// Returns the tree over the MBRs of all tiles.
pub(super) fn build(leaves: Vec<Range>, schema: &ArraySchema) -> RTree {
    let dim_num = schema.domain.dimensions.len();
    let mut levels = vec![Level {
        ranges: leaves,
        dim_num,
    }];
    for _ in 0..levels_above(levels[0].len()) {
        let above = cover(&levels[levels.len() - 1], schema);
        levels.push(above);
    }
    levels.reverse();
    RTree {
        fanout: FANOUT,
        levels,
    }
}

/// Returns the number of levels are above so many leaves. Readers walk what is there; what is there
/// follows from this logarithm, with its rounding.
fn levels_above(leaf_num: usize) -> usize {
    match leaf_num {
        0 | 1 => 0,
        _ => ((leaf_num as f64).ln() / f64::from(FANOUT).ln()).ceil() as usize,
    }
}

fn cover(level: &Level, schema: &ArraySchema) -> Level {
    let mut ranges = Vec::with_capacity(level.ranges.len().div_ceil(FANOUT as usize));
    for children in level.ranges.chunks(level.dim_num * FANOUT as usize) {
        let (first, others) = children.split_at(level.dim_num);
        let start = ranges.len();
        ranges.extend_from_slice(first);
        for mbr in others.chunks(level.dim_num) {
            let pairs = ranges[start..].iter_mut().zip(mbr);
            for ((range, other), dimension) in pairs.zip(&schema.domain.dimensions) {
                range.expand(other, dimension.datatype.physical());
            }
        }
    }
    Level {
        ranges,
        dim_num: level.dim_num,
    }
}
