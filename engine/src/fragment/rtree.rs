//! Building the R-tree of a sparse fragment from the MBRs of its tiles.

use crate::format::fragment::{FANOUT, Level, RTree};
use crate::schema::ArraySchema;
use crate::types::Range;

/// The tree over the MBRs of all tiles.
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

/// How many levels are above so many leaves. Readers walk what is there; what is there follows from this logarithm, with
/// its rounding.
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
