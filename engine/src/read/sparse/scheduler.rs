//! Schedules tiles in waves, and orders their cells.
//!
//! If tiles do not overlap and no cell hides another, a wave is the next tiles of the plan.
//! Otherwise `merge` selects and orders them.

use std::sync::OnceLock;

use super::batch::CellPiece;
use super::merge::Merge;
use super::plan::{PlannedTile, plan};
use super::select::SelectedCells;
use super::tiles::{Input, Tile};
use crate::context::Context;
use crate::error::{Error, Result, reserve};
use crate::geometry::Order;
use crate::schema::ArraySchema;
use crate::types::Layout;

/// The maximum number of tiles in a wave.
const WAVE: usize = 4096;

/// The maximum size in bytes, per thread, of the coordinates of a wave: enough work for the thread,
/// and small enough for the caches.
const THREAD_BYTES: u64 = 1 << 20;

/// The fraction of the memory budget for these coordinates. Sorting cells takes several times the
/// memory of their coordinates.
const WAVE_SHARE: u64 = 24;

/// The remaining part of a plan.
#[derive(Debug)]
pub(super) enum TileScheduler {
    /// Tiles in sequence.
    SequentialTiles(SequentialTiles),
    /// Merged cells.
    Merge(Box<Merge>),
}

/// The size of the next wave.
#[derive(Debug)]
pub(super) struct BatchSizer {
    /// The minimum number of tiles. It doubles, because only a few cells may be selected.
    spread: usize,
    /// The maximum size of tiles in memory in bytes.
    pub(super) budget: u64,
    /// The maximum size of the coordinates of a wave in bytes.
    pub(super) wave_bytes: u64,
    /// The component in errors about the budget, as in libtiledb.
    origin: &'static str,
}

impl BatchSizer {
    fn new(context: &Context, budget: u64, origin: &'static str) -> Self {
        Self {
            spread: 1,
            budget,
            wave_bytes: (THREAD_BYTES * context.compute_threads() as u64).min(budget / WAVE_SHARE),
            origin,
        }
    }

    /// Returns whether a wave with these numbers of tiles and cells is large enough.
    pub(super) fn is_enough(&self, tiles: usize, cells: usize, cells_wanted: usize) -> bool {
        tiles >= self.spread && (cells >= cells_wanted || tiles >= WAVE)
    }

    pub(super) fn grow(&mut self) {
        self.spread = (2 * self.spread).min(WAVE);
    }

    /// Returns the error for a tile that does not fit into the budget.
    pub(super) fn refuse(&self, bytes: u64, current: u64) -> Error {
        let (budget, origin) = (self.budget, self.origin);
        let message = match current {
            0 => format!(
                "Cannot load a single tile requiring {bytes} bytes, increase memory budget ({budget})"
            ),
            _ => format!(
                "Cannot load a single tile, increase memory budget: current coords tile size = {current}, \
                 next coords tile size = {bytes}, total_budget = {budget}"
            ),
        };
        Error::budget(origin, message)
    }
}

/// The tiles of a plan in sequence.
#[derive(Debug)]
pub(super) struct SequentialTiles {
    plan: Vec<PlannedTile>,
    next: usize,
    batch_sizer: BatchSizer,
}

impl TileScheduler {
    /// Plans the tiles of a read in this layout.
    pub(super) fn new(
        context: &Context,
        input: &Input,
        schema: &ArraySchema,
        layout: Layout,
        budget: u64,
    ) -> Result<Self> {
        let plan = plan(context, input)?;
        let straight = |plan: Vec<Vec<PlannedTile>>, origin| {
            Self::SequentialTiles(SequentialTiles {
                plan: plan.into_iter().flatten().collect(),
                next: 0,
                batch_sizer: BatchSizer::new(context, budget, origin),
            })
        };
        if layout == Layout::Unordered && schema.allows_dups {
            return Ok(straight(plan, "SparseUnorderedWithDupsReader"));
        }
        let order = match layout {
            Layout::RowMajor => Some(Order::RowMajor),
            Layout::ColMajor => Some(Order::ColMajor),
            _ => None,
        };
        let order = order.filter(|order| !is_stored_in(schema, *order));
        let mut filled = plan
            .iter()
            .enumerate()
            .filter(|(_, tiles)| !tiles.is_empty());
        let (first, second) = (filled.next(), filled.next());
        let is_alone = second.is_none()
            && first.is_none_or(|(source, _)| {
                schema.allows_dups || !input.sources[source].fragment.has_timestamps()
            });
        if order.is_none() && is_alone {
            return Ok(straight(plan, "SparseGlobalOrderReader"));
        }
        let batch_sizer = BatchSizer::new(context, budget, "SparseGlobalOrderReader");
        let merge = Merge::new(input, schema, plan, order, batch_sizer)?;
        Ok(Self::Merge(Box::new(merge)))
    }

    /// Returns whether tiles are delivered in sequence because no cell hides another.
    pub(super) fn is_straight(&self) -> bool {
        matches!(self, Self::SequentialTiles(_))
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::SequentialTiles(straight) => straight.is_done(),
            Self::Merge(merge) => merge.is_done(),
        }
    }

    /// Loads the next tiles and appends the following pieces of the result, for at least
    /// `cells_wanted` cells. Returns the number of tiles read. It can append nothing although tiles
    /// are left.
    /// `tiles` are those of the pieces; all pieces of the last wave must have been delivered.
    pub(super) fn next(
        &mut self,
        context: &Context,
        input: &Input,
        cells_wanted: usize,
        tiles: &mut Vec<Tile>,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        match self {
            Self::SequentialTiles(straight) => {
                straight.next(context, input, cells_wanted, tiles, pieces)
            }
            Self::Merge(merge) => merge.next(context, input, cells_wanted, tiles, pieces),
        }
    }
}

/// Returns whether fragments store their cells in this order: only the slowest dimension is divided
/// into tiles.
fn is_stored_in(schema: &ArraySchema, order: Order) -> bool {
    let layout = match order {
        Order::RowMajor => Layout::RowMajor,
        Order::ColMajor => Layout::ColMajor,
    };
    let slowest = order.slowest(schema.dim_num());
    let dimensions = schema.domain.dimensions.iter().enumerate();
    schema.cell_order == layout
        && dimensions
            .filter(|(dim, _)| *dim != slowest)
            .all(|(_, dimension)| dimension.is_one_tile())
}

impl SequentialTiles {
    /// Replaces the tiles of the last wave by the next tiles of the plan, for at least `wanted`
    /// cells.
    pub(super) fn schedule(
        &mut self,
        input: &Input,
        cells_wanted: usize,
        tiles: &mut Vec<Tile>,
    ) -> Result<&[PlannedTile]> {
        for tile in tiles.iter_mut() {
            input.forget(tile);
        }
        tiles.clear();
        let first = self.next;
        let (mut cells, mut bytes) = (0usize, 0u64);
        while let Some(planned) = self.plan.get(self.next) {
            if self.batch_sizer.is_enough(tiles.len(), cells, cells_wanted) {
                break;
            }
            let source = planned.source as usize;
            let tile = Tile::new(input, source, planned.found.tile)?;
            let looked_at = input.condition.is_some() || input.deletes.touch(source);
            if looked_at || !input.is_whole(source, planned.found) {
                let more = input.coordinates_size(&tile)?;
                if more > self.batch_sizer.budget {
                    return Err(self.batch_sizer.refuse(more, 0));
                }
                let most = self.batch_sizer.wave_bytes;
                if !tiles.is_empty() && bytes.saturating_add(more) > most {
                    break;
                }
                bytes += more;
            }
            cells = cells.saturating_add(tile.cell_num);
            tiles.push(tile);
            self.next += 1;
        }
        self.batch_sizer.grow();
        Ok(&self.plan[first..self.next])
    }

    pub(super) fn is_done(&self) -> bool {
        self.next >= self.plan.len()
    }

    fn next(
        &mut self,
        context: &Context,
        input: &Input,
        cells_wanted: usize,
        tiles: &mut Vec<Tile>,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        let planned = self.schedule(input, cells_wanted, tiles)?;
        let selected = select_all(context, input, tiles, |index| (planned[index], true))?;
        for (index, (tile, selected)) in tiles.iter_mut().zip(selected).enumerate() {
            push(pieces, index as u32, tile, &selected)?;
            if tile.waiting == 0 {
                input.forget(tile);
            }
        }
        Ok(())
    }
}

/// Selects the cells of tiles in parallel. `planned` states for each tile whether the condition is
/// applied.
pub(super) fn select_all(
    context: &Context,
    input: &Input,
    tiles: &[Tile],
    planned: impl Fn(usize) -> (PlannedTile, bool) + Sync,
) -> Result<Vec<SelectedCells>> {
    input.announce(tiles)?;
    let selected: Vec<OnceLock<SelectedCells>> = tiles.iter().map(|_| OnceLock::new()).collect();
    context.for_each(tiles.len(), |index| {
        let (planned, conditioned) = planned(index);
        let _ = selected[index].set(input.select(&tiles[index], planned.found, conditioned)?);
        Ok(())
    })?;
    let selected = selected.into_iter().map(OnceLock::into_inner);
    Ok(selected.map(Option::unwrap_or_default).collect())
}

/// Appends the selected cells of a tile; cells that are returned several times are repeated.
pub(super) fn push(
    pieces: &mut Vec<CellPiece>,
    tile_index: u32,
    tile: &mut Tile,
    selected: &SelectedCells,
) -> Result<()> {
    for run in &selected.runs {
        let Some(counts) = &selected.counts else {
            tile.waiting += run.len as usize;
            pieces.push(CellPiece {
                tile: tile_index,
                start: run.start,
                len: run.len,
            });
            continue;
        };
        for start in run.start..run.start + run.len {
            let count = counts.get(start as usize).copied().unwrap_or(1);
            tile.waiting += repeat(pieces, tile_index, start, count)?;
        }
    }
    Ok(())
}

/// Appends a cell that is returned several times, and returns how often. The number depends on the
/// caller's ranges and may exceed memory.
pub(super) fn repeat(
    pieces: &mut Vec<CellPiece>,
    tile: u32,
    start: u32,
    count: u64,
) -> Result<usize> {
    let number = usize::try_from(count).unwrap_or(usize::MAX);
    reserve("cells for each range that holds them", pieces, number)?;
    let cell = CellPiece {
        tile,
        start,
        len: 1,
    };
    pieces.extend(std::iter::repeat_n(cell, number));
    Ok(number)
}
