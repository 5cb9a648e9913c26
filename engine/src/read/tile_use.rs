//! The use of each tile by a read.

use crate::error::{Result, try_reserved};
use crate::fragment::Fragment;

/// The use of a tile by a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TileUse {
    /// No coordinate of the tile is in the ranges.
    Outside,
    /// Newer fragments hide all requested cells; only in dense arrays.
    Hidden,
    /// The statistics of the tile exclude the condition, or all of its cells were deleted.
    Excluded,
    /// The tile was read, and the ranges, the condition or deletes selected none of its cells; only
    /// in sparse arrays, once its cells have been selected.
    WithoutResults,
    /// The tile is read.
    Read,
}

/// Returns the tiles of fragments, all of them outside of the ranges.
pub(super) fn all_outside<'a>(
    fragments: impl Iterator<Item = &'a Fragment>,
) -> Result<Vec<Vec<TileUse>>> {
    let outside = |fragment: &Fragment| {
        let number = usize::try_from(fragment.tile_num()).unwrap_or(usize::MAX);
        let mut tiles = try_reserved("the uses of tiles", number)?;
        tiles.resize(number, TileUse::Outside);
        Ok(tiles)
    };
    fragments.map(outside).collect()
}

/// Sets what is done with a tile, unless a part of it is used already.
pub(super) fn note(uses: &mut [Vec<TileUse>], fragment: usize, tile: u64, found: TileUse) {
    let tiles = uses.get_mut(fragment);
    let tile = usize::try_from(tile).ok();
    if let Some(known) = tiles
        .zip(tile)
        .and_then(|(tiles, tile)| tiles.get_mut(tile))
    {
        *known = found.max(*known);
    }
}
