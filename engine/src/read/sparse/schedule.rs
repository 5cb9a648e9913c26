//! Schedules tiles in batches, and orders their cells.
//!
//! If tiles do not overlap and no cell hides another, a batch is the next tiles of the scan.
//! Otherwise `merge` selects and orders them.

use std::ops::Range;

use super::filter::{CellFilter, Rules};
use super::merge::Merge;
use super::merge_plan::PendingCells;
use super::scan::{ScannedTile, TileScan};
use super::tiles::TileLoader;
use crate::context::Context;
use crate::error::Result;
use crate::geometry::Order;
use crate::read::needed_sizes::Amount;
use crate::schema::ArraySchema;
use crate::types::Layout;

/// The tiles of a scan that are not processed yet.
#[derive(Debug)]
pub(super) enum TileScheduler {
    /// Tiles in sequence.
    Sequential(SequentialTiles),
    /// Merged cells.
    Merge(Box<Merge>),
}

/// The tiles of a scan in sequence.
#[derive(Debug)]
pub(super) struct SequentialTiles {
    tiles: Vec<ScannedTile>,
    next: usize,
    /// The end of the tiles that were announced to an object store.
    announced: usize,
    /// The number of tiles in the last group of them.
    group: usize,
}

impl TileScheduler {
    /// Schedules the tiles of a scan in this layout.
    pub(super) fn new(
        loader: &TileLoader,
        filter: &CellFilter,
        scan: TileScan,
        schema: &ArraySchema,
        layout: Layout,
    ) -> Result<Self> {
        let order = Order::of(layout).filter(|order| !is_stored_in(schema, *order));
        let is_unordered = layout == Layout::Unordered && schema.allows_dups;
        if is_unordered || order.is_none() && is_one_ordered_fragment(loader, &scan, schema) {
            return Ok(Self::Sequential(SequentialTiles {
                tiles: scan.into_tiles(),
                next: 0,
                announced: 0,
                group: 0,
            }));
        }
        let merge = Merge::new(loader, filter, schema, scan, order)?;
        Ok(Self::Merge(Box::new(merge)))
    }

    /// Returns whether the cells of several tiles are merged.
    pub(super) fn is_merged(&self) -> bool {
        matches!(self, Self::Merge(_))
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Sequential(sequential) => sequential.is_done(),
            Self::Merge(merge) => merge.is_done(),
        }
    }

    /// Returns all tiles of the scan, and the ranges of those that were not loaded yet.
    pub(super) fn tiles(&self) -> (&[ScannedTile], Vec<Range<usize>>) {
        match self {
            Self::Sequential(sequential) => {
                let left = sequential.next..sequential.tiles.len();
                (&sequential.tiles, vec![left])
            }
            Self::Merge(merge) => merge.tiles(),
        }
    }

    /// Reports the number of tiles that were loaded as progress.
    pub(super) fn report(&self, context: &Context) -> Result<()> {
        context.progress("tiles", |progress| {
            let (tiles, left) = self.tiles();
            let left: usize = left.iter().map(ExactSizeIterator::len).sum();
            progress.total = tiles.len() as u64;
            progress.done = (tiles.len() - left) as u64;
        })
    }

    /// Returns the number of cells of a tile in memory that may be added to the plan.
    pub(super) fn pending(&self, index: usize) -> Amount {
        match self {
            Self::Sequential(_) => Amount::NONE,
            Self::Merge(merge) => merge.pending(index),
        }
    }

    /// Returns whether a cell may hide another one with equal coordinates.
    pub(super) fn hides_cells(&self) -> bool {
        match self {
            Self::Sequential(_) => false,
            Self::Merge(merge) => merge.hides_cells(),
        }
    }

    /// Loads the next tiles, and appends at least `min_cells` of their cells to the plan. There may
    /// be none although tiles are left. All cells of the plan must have been delivered.
    pub(super) fn next(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        pending: &mut PendingCells,
    ) -> Result<()> {
        pending.plan.compact();
        match self {
            Self::Sequential(sequential) => {
                sequential.next(context, loader, filter, min_cells, pending)
            }
            Self::Merge(merge) => merge.next(context, loader, filter, min_cells, pending),
        }
    }
}

/// Returns whether all tiles are of one fragment in which no cell hides another.
fn is_one_ordered_fragment(loader: &TileLoader, scan: &TileScan, schema: &ArraySchema) -> bool {
    let mut with_tiles = scan
        .by_fragment
        .iter()
        .enumerate()
        .filter(|(_, tiles)| !tiles.is_empty());
    let (first, second) = (with_tiles.next(), with_tiles.next());
    second.is_none()
        && first.is_none_or(|(source, _)| {
            schema.allows_dups || !loader.sources[source].fragment.footer.has_timestamps
        })
}

/// Returns whether fragments store their cells in this order: only the slowest dimension is divided
/// into tiles.
fn is_stored_in(schema: &ArraySchema, order: Order) -> bool {
    let slowest = order.slowest(schema.dim_num());
    let dimensions = schema.domain.dimensions.iter().enumerate();
    Order::of(schema.cell_order) == Some(order)
        && dimensions
            .filter(|(dim, _)| *dim != slowest)
            .all(|(_, dimension)| dimension.is_one_tile())
}

impl SequentialTiles {
    /// Replaces the tiles in memory by the next tiles of the scan, for at least `min_cells` cells,
    /// and returns what the scan found.
    pub(super) fn schedule(
        &mut self,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        pending: &mut PendingCells,
    ) -> Result<&[ScannedTile]> {
        pending.release_all(loader);
        pending.tiles.clear();
        let first = self.next;
        let (mut cells, mut bytes) = (0usize, 0u64);
        while let Some(scanned) = self.tiles.get(self.next) {
            if pending.is_enough(pending.tiles.len(), cells, min_cells) {
                break;
            }
            let source = scanned.source as usize;
            let tile = loader.tile(source, scanned.found.tile)?;
            let is_whole = loader.sources[source].contains_all(scanned.found);
            if !is_whole || filter.compares_values(source) {
                let more = loader.coordinates_size(&tile)?;
                if more > pending.budget {
                    return Err(pending.budget_error(more, 0));
                }
                let total = bytes.saturating_add(more);
                if !pending.tiles.is_empty() && total > pending.coordinate_bytes {
                    break;
                }
                bytes = total;
            }
            cells = cells.saturating_add(tile.cell_num);
            pending.tiles.push(tile);
            self.next += 1;
        }
        pending.grow();
        self.announce(loader)?;
        Ok(&self.tiles[first..self.next])
    }

    /// Announces the scheduled tiles, and a group of those after them, to an object store.
    fn announce(&mut self, loader: &TileLoader) -> Result<()> {
        while loader.is_remote() && self.announced < self.tiles.len() {
            let is_ahead = self.announced >= self.next + self.group;
            if is_ahead {
                break;
            }
            let tiles = self.tiles[self.announced..]
                .iter()
                .map(|scanned| (scanned.source as usize, scanned.found.tile));
            self.group = loader.prefetch_group(tiles, |_, _| true)?;
            self.announced += self.group;
        }
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.next >= self.tiles.len()
    }

    fn next(
        &mut self,
        context: &Context,
        loader: &TileLoader,
        filter: &CellFilter,
        min_cells: usize,
        pending: &mut PendingCells,
    ) -> Result<()> {
        let scanned = self.schedule(loader, filter, min_cells, pending)?;
        let selected = filter.select_all(context, loader, &pending.tiles, |index| {
            (scanned[index].found, Rules::All)
        })?;
        for ((index, tile), selected) in (0u32..).zip(&pending.tiles).zip(selected) {
            pending.plan.push_selected(index, tile.cell_num, &selected);
        }
        pending.count_undelivered();
        pending.release_unused(loader);
        Ok(())
    }
}
