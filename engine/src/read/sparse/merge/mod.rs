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
    corners: Option<(MbrBounds, MbrBounds)>,
    streams: Vec<Stream>,
    /// The state of each tile of the read by index.
    held: Vec<PendingTile>,
    pace: BatchSizer,
}

impl Merge {
    pub(super) fn new(
        input: &Input,
        schema: &ArraySchema,
        plan: Vec<Vec<PlannedTile>>,
        order: Option<Order>,
        pace: BatchSizer,
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
            corners: None,
            streams,
            held: Vec::new(),
            pace,
        };
        let told = !(stored && schema.cell_order == Layout::Hilbert);
        if told {
            let low = merge.corner(input, Range::start)?;
            let high = merge.corner(input, Range::end)?;
            merge.corners = Some((low, high));
        }
        if !stored {
            merge.sort_plan(input)?;
        }
        Ok(merge)
    }

    /// Combines all tiles to one stream, ordered by the start of their MBRs.
    fn sort_plan(&mut self, input: &Input) -> Result<()> {
        let Some((low, _)) = &self.corners else {
            return Ok(());
        };
        let columns = low.columns();
        let cells = low.keyed(&columns);
        let mut places: Vec<usize> = (0..self.plan.len()).collect();
        places.sort_by(|a, b| self.order.compare(cells, *a, cells, *b));
        self.plan = places.into_iter().map(|at| self.plan[at]).collect();
        self.streams = vec![Stream {
            first: 0,
            next: 0,
            end: self.plan.len(),
            last: None,
        }];
        let low = self.corner(input, Range::start)?;
        let high = self.corner(input, Range::end)?;
        self.corners = Some((low, high));
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.streams.iter().all(|stream| stream.next >= stream.end)
            && self.held.iter().all(|held| held.at >= held.cells.len())
    }

    /// See [`super::scheduler::TileScheduler::next`].
    pub(super) fn next(
        &mut self,
        context: &Context,
        input: &Input,
        wanted: usize,
        tiles: &mut Vec<Tile>,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        self.drop_delivered(input, tiles);
        let kept = tiles.len();
        let scheduled = self.schedule(input, wanted, tiles)?;
        // If cells hide others, the condition is applied after hidden cells are removed.
        let planned = scheduled
            .iter()
            .map(|at| (self.plan[at.planned], !(self.dedup && at.compared)));
        let planned: Vec<(PlannedTile, bool)> = planned.collect();
        let selected = select_all(context, input, &tiles[kept..], |at| planned[at])?;
        let held = self.hold(context, input, &tiles[kept..], &scheduled, &selected)?;
        self.held.extend(held);
        self.note_last(input, tiles, kept, &scheduled)?;
        // Compared cells are delivered before the next tile that is passed through: all of them
        // precede it.
        let mut compared: Vec<usize> = (0..kept).collect();
        for (at, way) in scheduled.iter().enumerate() {
            let place = kept + at;
            if way.compared {
                tiles[place].waiting += selected[at].cell_num();
                compared.push(place);
                continue;
            }
            self.flush((context, input), tiles, &compared, true, pieces)?;
            compared.clear();
            push(pieces, place as u32, &mut tiles[place], &selected[at])?;
        }
        self.flush((context, input), tiles, &compared, false, pieces)?;
        for tile in tiles.iter_mut().filter(|tile| tile.waiting == 0) {
            input.forget(tile);
        }
        self.pace.quicken();
        Ok(())
    }

    /// Drops tiles that have been fully emitted.
    fn drop_delivered(&mut self, input: &Input, tiles: &mut Vec<Tile>) {
        let held = std::mem::take(&mut self.held);
        let all = std::mem::take(tiles);
        for (mut tile, held) in all.into_iter().zip(held) {
            if held.at < held.cells.len() {
                tiles.push(tile);
                self.held.push(held);
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
        places: &[usize],
        all: bool,
        pieces: &mut Vec<CellPiece>,
    ) -> Result<()> {
        let mut held = std::mem::take(&mut self.held);
        let segments = self.segments((context, input), tiles, &mut held, places, all)?;
        let merging = MergeInput {
            order: &self.order,
            dedup: self.dedup,
            stored: self.stored,
            input,
            held: &held,
        };
        let result = merging.put(tiles, segments, pieces);
        self.held = held;
        result
    }

    /// Returns the cells of each tile that can be delivered, and marks them as delivered.
    fn segments(
        &self,
        (context, input): (&Context, &Input),
        tiles: &[Tile],
        held: &mut [PendingTile],
        places: &[usize],
        all: bool,
    ) -> Result<Vec<Segment>> {
        let going_on =
            || (0..self.streams.len()).filter(|at| self.streams[*at].next < self.streams[*at].end);
        let first = going_on().min_by(|a, b| self.compare_streams(*a, *b));
        let bound = match first {
            Some(first) if !all => match self.bound(&self.streams[first]) {
                Some(bound) => Some(bound),
                None => return Ok(Vec::new()),
            },
            _ => None,
        };
        let bound_columns = bound.map(|(bound, _)| bound.columns()).unwrap_or_default();
        let mut segments = Vec::new();
        for place in places {
            let held = &mut held[*place];
            let end = match bound {
                None => held.cells.len(),
                Some((bound, j)) => {
                    let columns = input.coordinates(&tiles[*place]);
                    let bound = bound.keyed(&bound_columns);
                    self.end_before(context, held, &columns, bound, j)?
                }
            };
            if end > held.at {
                segments.push(Segment {
                    place: *place,
                    start: held.at,
                    end,
                });
                held.at = end;
            }
        }
        Ok(segments)
    }

    /// Returns the end of the cells of a tile that precede cell `j` of `bound`. A tile of which
    /// only a part does is sorted.
    fn end_before(
        &self,
        context: &Context,
        held: &mut PendingTile,
        columns: &[Coordinates<'_>],
        bound: KeyedCells<'_>,
        j: usize,
    ) -> Result<usize> {
        let is_before = |held: &PendingTile, cell: u32| {
            let keyed = KeyedCells {
                keys: &held.keys,
                columns,
            };
            self.order.compare(keyed, cell as usize, bound, j).is_lt()
        };
        if !held.sorted {
            match (is_before(held, held.ends.0), is_before(held, held.ends.1)) {
                _ if held.cells.is_empty() => return Ok(0),
                (false, _) => return Ok(held.at),
                (true, true) => return Ok(held.cells.len()),
                (true, false) => self.sort_held(context, held, columns)?,
            }
        }
        let waiting = &held.cells[held.at..];
        Ok(held.at + waiting.partition_point(|cell| is_before(held, *cell)))
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
