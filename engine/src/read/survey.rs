//! The tiles that a read considers and excludes, according to metadata, and the use of each.

use crate::error::{Result, try_reserved};
use crate::fragment::Fragment;

/// The tiles and bytes that a read considers and excludes, according to metadata.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadSurvey {
    /// The visible fragments.
    pub fragments: u64,
    /// The fragments of which tiles are read.
    pub read_fragments: u64,
    /// The tiles of all visible fragments. A tile counts once, not once per field.
    pub tiles: u64,
    /// The tiles outside of the ranges.
    pub tiles_outside: u64,
    /// The tiles of which newer fragments hide all requested cells; only in dense arrays.
    pub tiles_hidden: u64,
    /// The tiles whose statistics exclude the condition, or all of whose cells were deleted.
    pub tiles_excluded: u64,
    /// The other tiles, which are read.
    pub read_tiles: u64,
    /// Those of them that contain cells outside of the ranges.
    pub cut_tiles: u64,
    /// The number of cells in these tiles.
    pub read_cells: u64,
    /// The number of requested cells in them, if the coordinates of tiles determine it.
    pub requested_cells: Option<u64>,
    /// The size of these tiles in storage in bytes.
    pub stored_bytes: u64,
    /// Their size in bytes after decoding.
    pub decoded_bytes: u64,
    /// The most memory for tiles and their offsets in bytes: of a dense read computed in advance,
    /// of a sparse read measured so far.
    pub memory: u64,
    /// Whether the cells of several tiles are compared to order them or to find hidden ones.
    pub is_merged: bool,
}

impl ReadSurvey {
    /// Adds a tile that is read.
    pub(crate) fn add_tile(&mut self, cells: u64, is_cut: bool) {
        self.read_tiles += 1;
        self.cut_tiles += u64::from(is_cut);
        self.read_cells = self.read_cells.saturating_add(cells);
    }

    /// Adds the size of a field of a tile.
    pub(crate) fn add_bytes(&mut self, stored: u64, decoded: u64) {
        self.stored_bytes = self.stored_bytes.saturating_add(stored);
        self.decoded_bytes = self.decoded_bytes.saturating_add(decoded);
    }
}

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
    fragments
        .map(|fragment| {
            let number = usize::try_from(fragment.tile_num).unwrap_or(usize::MAX);
            let mut tiles = try_reserved("the uses of tiles", number)?;
            tiles.resize(number, TileUse::Outside);
            Ok(tiles)
        })
        .collect()
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
