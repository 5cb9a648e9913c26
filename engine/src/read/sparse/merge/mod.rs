//! Merges cells of several tiles, and keeps the newest of cells with equal coordinates.
//!
//! The tiles of a fragment are a stream, because their cells are in order. If another order is
//! requested, all tiles together are a stream, ordered by their MBRs. Each stream has a bound: no
//! cell of its next tile precedes it. Cells before the smallest bound can be delivered. A tile that
//! ends before the bounds of all other streams, and starts after all previous cells, is passed
//! through without comparing its cells.
//!
//! ```text
//! streams         selects the next tiles, and which of them are compared
//! pending_tile    buffers tiles for merging
//! dedup           merges cells and removes hidden duplicates
//! ```

mod dedup;
mod mbr_bounds;
mod packed_cells;
mod pending_tile;
mod streams;

use self::dedup::{MergeInput, Segment};
use self::mbr_bounds::MbrBounds;
use self::pending_tile::PendingTile;
use self::streams::Stream;
use super::batch::CellPiece;
use super::plan::PlannedTile;
use super::scheduler::{BatchSizer, push, select_all};
use super::tiles::{Input, Tile};
use crate::context::Context;
use crate::error::Result;
use crate::geometry::{Bounds, CellOrder, Coordinates, KeyedCells, Order};
use crate::schema::ArraySchema;
use crate::types::{Layout, Range};

/// The remaining part of a plan whose cells are merged.
#[derive(Debug)]
pub(super) struct Merge {
    order: CellOrder,
    /// Whether cells with equal coordinates hide one another.
    dedup: bool,
    /// Whether the cells of a fragment are stored in this order.
    stored: bool,
    plan: Vec<PlannedTile>,
    /// The first and last cell of the MBR of each planned tile; empty in an order without relation
    /// to MBRs.
    mbr_bounds: Option<(MbrBounds, MbrBounds)>,
    streams: Vec<Stream>,
    /// The state of each tile of the read by index.
    pending: Vec<PendingTile>,
    batch_sizer: BatchSizer,
}

impl Merge {
    pub(super) fn new(
        input: &Input,
        schema: &ArraySchema,
        plan: Vec<Vec<PlannedTile>>,
        order: Option<Order>,
        batch_sizer: BatchSizer,
    ) -> Result<Self> {
        let bounds = bounds_of(input, schema);
        let stored = order.is_none();
        let cell_order = match order {
            Some(order) => CellOrder::of_domain(schema, order, bounds)?,
            None => CellOrder::global(schema, bounds)?,
        };
        let mut streams = Vec::new();
        let mut first = 0;
        for tiles in &plan {
            if !tiles.is_empty() {
                streams.push(Stream {
                    first,
                    next: first,
                    end: first + tiles.len(),
                    last: None,
                });
            }
            first += tiles.len();
        }
        let mut merge = Self {
            order: cell_order,
            dedup: !schema.allows_dups,
            stored,
            plan: plan.into_iter().flatten().collect(),
            mbr_bounds: None,
            streams,
            pending: Vec::new(),
            batch_sizer,
        };
        let has_keys = !(stored && schema.cell_order == Layout::Hilbert);
        if has_keys {
            let low = merge.bounds_of_mbrs(input, Range::start)?;
            let high = merge.bounds_of_mbrs(input, Range::end)?;
            merge.mbr_bounds = Some((low, high));
        }
        if !stored {
            merge.sort_plan(input)?;
        }
        Ok(merge)
    }

    /// Combines all tiles to one stream, ordered by the start of their MBRs.
    fn sort_plan(&mut self, input: &Input) -> Result<()> {
        let Some((low, _)) = &self.mbr_bounds else {
            return Ok(());
        };
        let columns = low.columns();
        let cells = low.keyed(&columns);
        let mut order: Vec<usize> = (0..self.plan.len()).collect();
        order.sort_by(|a, b| self.order.compare(cells, *a, cells, *b));
        self.plan = order.into_iter().map(|index| self.plan[index]).collect();
        self.streams = vec![Stream {
            first: 0,
            next: 0,
            end: self.plan.len(),
            last: None,
        }];
        let low = self.bounds_of_mbrs(input, Range::start)?;
        let high = self.bounds_of_mbrs(input, Range::end)?;
        self.mbr_bounds = Some((low, high));
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.streams.iter().all(|stream| stream.next >= stream.end)
            && self
                .pending
                .iter()
                .all(|pending| pending.next >= pending.cells.len())
    }

    /// See [`super::scheduler::TileScheduler::next`].
    pub(super) fn next(
        &mut self,
        context: &Context,
        input: &Input,
        cells_wanted: usize,
        tiles: &mut Vec<Tile>,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        self.drop_delivered(input, tiles);
        let kept = tiles.len();
        let scheduled = self.schedule(input, cells_wanted, tiles)?;
        // If cells hide others, the condition is applied after hidden cells are removed.
        let planned = scheduled
            .iter()
            .map(|index| (self.plan[index.planned], !(self.dedup && index.compared)));
        let planned: Vec<(PlannedTile, bool)> = planned.collect();
        let selected = select_all(context, input, &tiles[kept..], |index| planned[index])?;
        let pending =
            self.make_pending_tiles(context, input, &tiles[kept..], &scheduled, &selected)?;
        self.pending.extend(pending);
        self.note_last(input, tiles, kept, &scheduled)?;
        // Compared cells are delivered before the next tile that is passed through: all of them
        // precede it.
        let mut compared: Vec<usize> = (0..kept).collect();
        for (index, way) in scheduled.iter().enumerate() {
            let tile_index = kept + index;
            if way.compared {
                tiles[tile_index].waiting += selected[index].cell_num();
                compared.push(tile_index);
                continue;
            }
            self.flush((context, input), tiles, &compared, true, pieces)?;
            compared.clear();
            push(
                pieces,
                tile_index as u32,
                &mut tiles[tile_index],
                &selected[index],
            )?;
        }
        self.flush((context, input), tiles, &compared, false, pieces)?;
        for tile in tiles.iter_mut().filter(|tile| tile.waiting == 0) {
            input.forget(tile);
        }
        self.batch_sizer.grow();
        Ok(())
    }

    /// Drops tiles that have been fully emitted.
    fn drop_delivered(&mut self, input: &Input, tiles: &mut Vec<Tile>) {
        let pending = std::mem::take(&mut self.pending);
        let all = std::mem::take(tiles);
        for (mut tile, pending) in all.into_iter().zip(pending) {
            if pending.next < pending.cells.len() {
                tiles.push(tile);
                self.pending.push(pending);
            } else {
                input.forget(&mut tile);
            }
        }
    }

    /// Adds the cells of these tiles that can be delivered to the queue: `all`, or those before the
    /// bounds of all streams.
    fn flush(
        &mut self,
        (context, input): (&Context, &Input),
        tiles: &mut [Tile],
        tile_indexes: &[usize],
        all: bool,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        let segments = self.segments((context, input), tiles, &mut pending, tile_indexes, all)?;
        let merging = MergeInput {
            order: &self.order,
            dedup: self.dedup,
            stored: self.stored,
            input,
            pending: &pending,
        };
        let result = merging.put(tiles, segments, pieces);
        self.pending = pending;
        result
    }

    /// Returns the cells of each tile that can be delivered, and marks them as delivered.
    fn segments(
        &self,
        (context, input): (&Context, &Input),
        tiles: &[Tile],
        pending: &mut [PendingTile],
        tile_indexes: &[usize],
        all: bool,
    ) -> Result<Vec<Segment>> {
        let has_more = || {
            (0..self.streams.len())
                .filter(|stream| self.streams[*stream].next < self.streams[*stream].end)
        };
        let first = has_more().min_by(|a, b| self.compare_streams(*a, *b));
        let bound = match first {
            Some(first) if !all => match self.bound(&self.streams[first]) {
                Some(bound) => Some(bound),
                None => return Ok(Vec::new()),
            },
            _ => None,
        };
        let bound_columns = bound.map(|(bound, _)| bound.columns()).unwrap_or_default();
        let mut segments = Vec::new();
        for tile_index in tile_indexes {
            let pending = &mut pending[*tile_index];
            let end = match bound {
                None => pending.cells.len(),
                Some((bound, j)) => {
                    let columns = input.coordinates(&tiles[*tile_index]);
                    let bound = bound.keyed(&bound_columns);
                    self.end_before(context, pending, &columns, bound, j)?
                }
            };
            if end > pending.next {
                segments.push(Segment {
                    tile_index: *tile_index,
                    start: pending.next,
                    end,
                });
                pending.next = end;
            }
        }
        Ok(segments)
    }

    /// Returns the end of the cells of a tile that precede cell `j` of `bound`. A tile of which
    /// only a part does is sorted.
    fn end_before(
        &self,
        context: &Context,
        pending: &mut PendingTile,
        columns: &[Coordinates<'_>],
        bound: KeyedCells<'_>,
        j: usize,
    ) -> Result<usize> {
        let is_before = |pending: &PendingTile, cell: u32| {
            let keyed = KeyedCells {
                keys: &pending.keys,
                columns,
            };
            self.order.compare(keyed, cell as usize, bound, j).is_lt()
        };
        if !pending.sorted {
            match (
                is_before(pending, pending.ends.0),
                is_before(pending, pending.ends.1),
            ) {
                _ if pending.cells.is_empty() => return Ok(0),
                (false, _) => return Ok(pending.next),
                (true, true) => return Ok(pending.cells.len()),
                (true, false) => self.sort_pending(context, pending, columns)?,
            }
        }
        let waiting = &pending.cells[pending.next..];
        Ok(pending.next + waiting.partition_point(|cell| is_before(pending, *cell)))
    }
}

/// Returns whether all cells are inside the domain according to the fragments.
fn bounds_of(input: &Input, schema: &ArraySchema) -> Bounds {
    let dimensions = || schema.domain.dimensions.iter();
    let whole: Vec<Option<&Range>> = dimensions()
        .map(|dimension| dimension.domain.as_ref().filter(|_| !dimension.is_var()))
        .collect();
    let in_domain = input.sources.iter().all(|source| {
        let domain = source.fragment.non_empty_domain();
        domain.is_none_or(|domain| {
            let ranges = domain.iter().zip(&whole).zip(dimensions());
            ranges
                .filter_map(|((range, whole), dimension)| Some((range, (*whole)?, dimension)))
                .all(|(range, whole, dimension)| {
                    let mut wider = whole.clone();
                    wider.expand(range, dimension.datatype.physical());
                    wider == *whole
                })
        })
    });
    if in_domain {
        Bounds::Domain
    } else {
        Bounds::Datatype
    }
}
