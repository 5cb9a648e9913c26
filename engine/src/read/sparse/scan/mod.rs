//! Finds the tiles that may contain results, by the R-trees of the fragments.

mod budget;
mod estimate;
mod key_ranges;
mod range_filter;
mod range_share;

use super::tiles::FragmentSource;
use crate::context::Context;
use crate::error::Result;
use crate::fragment::{FoundTile, TileWindows};
use crate::memory::tuning::FRAGMENT_SEARCH_BYTES;
use crate::types::Match;

pub(super) use self::budget::offsets_window;
pub(super) use self::estimate::estimate;
pub(super) use self::range_filter::RangeFilter;

/// A tile that may contain results.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScannedTile {
    /// The index of the fragment in the read.
    pub(super) source: u32,
    pub(super) found: FoundTile,
}

/// The tiles of a read that may contain results: by fragment, the oldest first, in ascending order.
#[derive(Debug)]
pub(super) struct TileScan {
    fragments: Vec<Vec<ScannedTile>>,
}

impl TileScan {
    /// Searches the fragments in parallel.
    pub(super) fn new(
        context: &Context,
        sources: &[FragmentSource],
        ranges: &RangeFilter,
    ) -> Result<Self> {
        // On object stores each R-tree may be a request, which the thread waits for.
        let is_remote = sources.iter().any(|source| source.fragment.is_remote());
        let bytes = if is_remote {
            u64::MAX
        } else {
            FRAGMENT_SEARCH_BYTES.saturating_mul(sources.len() as u64)
        };
        let fragments = context.map_sized(bytes, sources.len(), |index| {
            let found = tiles_of(&sources[index], ranges)?.into_iter();
            let source = index as u32;
            Ok(found.map(|found| ScannedTile { source, found }).collect())
        })?;
        Ok(Self { fragments })
    }

    /// Returns the tiles of each fragment.
    pub(super) fn by_fragment(&self) -> &[Vec<ScannedTile>] {
        &self.fragments
    }

    /// Returns the tiles of all fragments, fragment by fragment.
    pub(super) fn into_tiles(self) -> Vec<ScannedTile> {
        self.fragments.into_iter().flatten().collect()
    }
}

fn tiles_of(source: &FragmentSource, ranges: &RangeFilter) -> Result<Vec<FoundTile>> {
    let fragment = &source.fragment;
    let Some(domain) = fragment.non_empty_domain() else {
        return Ok(Vec::new());
    };
    if ranges.is_all() {
        let windows = source.window.map(|_| TileWindows::new(1));
        fragment.check_tile_num(windows.as_ref())?;
        let tiles = 0..fragment.tile_num();
        return Ok(tiles.map(|tile| FoundTile { tile, whole: true }).collect());
    }
    if ranges.overlap(domain) == Match::None {
        return Ok(Vec::new());
    }
    fragment.find_tiles(|mbr| ranges.overlap(mbr))
}
