//! The R-tree over the MBRs of a sparse fragment's tiles. The tree of a dense fragment has no
//! levels.
//!
//! ```text
//! dimensions   u32           until 4
//! fanout       u32
//! datatype     u8            until 4
//! levels       u32, the root first; for each u64 number of MBRs, then the MBRs
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::{Result, try_reserved};
use crate::format::rectangle;
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;
use crate::types::Range;

/// The fanout of written trees: the number of MBRs that one of the next higher level covers.
pub const FANOUT: u32 = 10;

/// A tree of MBRs. The last level has one MBR per tile; an MBR of any other level covers `fanout`
/// of the next level.
#[derive(Clone, Debug, PartialEq)]
pub struct RTree {
    /// The number of MBRs that one of the next higher level covers.
    pub fanout: u32,
    /// The levels, the root first.
    pub levels: Vec<RTreeLevel>,
}

/// The MBRs of one level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RTreeLevel {
    /// The concatenated ranges of all MBRs.
    pub ranges: Vec<Range>,
    /// The number of dimensions.
    pub dim_num: usize,
}

impl RTreeLevel {
    /// Returns the number of MBRs.
    pub fn len(&self) -> usize {
        self.ranges.len().checked_div(self.dim_num).unwrap_or(0)
    }

    /// Returns whether the number of MBRs is 0.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns an MBR, one range for each dimension.
    pub fn mbr(&self, index: usize) -> Option<&[Range]> {
        let start = index.checked_mul(self.dim_num)?;
        self.ranges.get(start..start.checked_add(self.dim_num)?)
    }
}

impl RTree {
    /// Creates the tree of a dense fragment.
    pub fn empty() -> Self {
        Self {
            fanout: FANOUT,
            levels: Vec::new(),
        }
    }

    /// Returns the number of tiles; 0 for a dense fragment.
    pub fn leaf_num(&self) -> usize {
        self.levels.last().map_or(0, RTreeLevel::len)
    }

    /// Returns the MBR of a tile, one range for each dimension.
    pub fn leaf(&self, tile: usize) -> Option<&[Range]> {
        self.levels.last()?.mbr(tile)
    }

    /// Reads a tree.
    pub fn read(
        from: &mut Cursor<'_>,
        version: FormatVersion,
        schema: &ArraySchema,
    ) -> Result<Self> {
        let typed = version < v::SPLIT_DIMENSIONS;
        if typed {
            from.u32("dimensions")?;
        }
        let fanout = from.u32("fanout")?;
        if typed {
            from.u8("datatype")?;
        }
        let level_num = from.count_u32("levels", 8)?;
        Ok(Self {
            fanout,
            levels: from.list(level_num, |from| read_level(from, schema))?,
        })
    }

    /// Returns the maximum number of bytes that [`Self::write`] writes.
    pub fn max_record_len(&self) -> usize {
        let ranges = self.levels.iter().flat_map(|level| &level.ranges);
        let bounds = ranges.map(|range| 16 + range.start().len() + range.end().len());
        8 + 8 * self.levels.len() + bounds.sum::<usize>()
    }

    /// Writes a tree in the layout of version 5 and later.
    pub fn write(&self, to: &mut Sink) {
        to.u32(self.fanout);
        to.u32(u32::try_from(self.levels.len()).unwrap_or(u32::MAX));
        for level in &self.levels {
            to.u64(level.len() as u64);
            rectangle::write(to, &level.ranges);
        }
    }
}

/// Reads the MBRs of one level, preceded by their number.
pub(super) fn read_level(from: &mut Cursor<'_>, schema: &ArraySchema) -> Result<RTreeLevel> {
    let dimensions = &schema.domain.dimensions;
    let mbr_num = from.count("MBRs", rectangle::min_len(&schema.domain))?;
    let mut ranges = try_reserved("an R-tree", mbr_num.saturating_mul(dimensions.len()))?;
    for _ in 0..mbr_num {
        for dimension in dimensions {
            ranges.push(rectangle::read_range(from, "MBR", dimension)?);
        }
    }
    Ok(RTreeLevel {
        ranges,
        dim_num: dimensions.len(),
    })
}
