//! From a subarray to tiles: which cells of which tile of which fragment go where in the result.
//!
//! The result is a box: in each dimension the coordinates of all ranges, one after the other, in the order the caller
//! added them. A *stretch* is a run of cells of the result in the caller's order; it is a handful of boxes (*parts*).
//! A part is cut along space tiles into *jobs*, and the cells of a job go to the newest fragment that has them.

use std::ops::Range;
use std::sync::Arc;

use super::axis::{Cut, ResultAxis, bounds_of};
use super::sparse::points::Points;
use super::stretch::{Part, stretch_boxes};
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::query::subarray::Subarray;
use crate::schema::ArraySchema;
use crate::space::{CellBox, GridAxis, Order, TileGrid, box_strides, for_each_position};
use crate::tile::{Axis, Walk};

/// The cells of one fragment's tile that a job needs.
#[derive(Debug)]
pub(super) struct Piece {
    /// Which fragment; `None` for cells that nobody wrote.
    pub(super) fragment: Option<usize>,
    /// The tile in the fragment.
    pub(super) tile: u64,
    /// How many cells that has.
    pub(super) cell_num: u64,
    /// From the tile to the buffers.
    pub(super) walks: Vec<Walk>,
    /// Of a sparse fragment: the number of the cell that each walk takes.
    pub(super) points: Vec<usize>,
}

/// What one space tile gives to a stretch.
#[derive(Debug)]
pub(super) struct Job {
    /// The coordinates of the tile's first cell, in the domain.
    pub(super) low: Vec<u64>,
    pub(super) pieces: Vec<Piece>,
}

impl Piece {
    /// The first cell of the tile that is needed, and one past the last.
    pub(super) fn span(&self) -> (usize, usize) {
        let spans = || self.walks.iter().map(Walk::source_span);
        let first = spans().map(|span| span.0).min().unwrap_or_default();
        (first, spans().map(|span| span.1).max().unwrap_or_default())
    }
}

/// A fragment as the plan sees it.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) fragment: Arc<Fragment>,
    pub(super) cells: CellBox,
    pub(super) tiles: CellBox,
    /// Its cells, where it is sparse, as fragments of old dense arrays may be.
    pub(super) points: Option<Points>,
}

/// The order of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultOrder {
    /// Row- or column-major.
    Boxed(Order),
    /// Tile by tile.
    Global,
}

/// The plan of a dense read.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) schema: Arc<ArraySchema>,
    pub(super) grid: TileGrid,
    pub(super) axes: Vec<ResultAxis>,
    pub(super) order: ResultOrder,
    pub(super) cell_num: u64,
    /// Oldest first.
    pub(super) layers: Vec<Layer>,
    pub(super) tile_strides: Vec<u64>,
}

impl Plan {
    pub(super) fn new(
        schema: &Arc<ArraySchema>,
        fragments: &[Arc<Fragment>],
        subarray: &Subarray,
        order: ResultOrder,
    ) -> Result<Self> {
        let grid = TileGrid::new(schema)?;
        let axes: Result<Vec<_>> = grid
            .axes
            .iter()
            .enumerate()
            .map(|(dim, axis)| ResultAxis::new(axis, subarray, dim))
            .collect();
        let axes = axes?;
        let cell_num = axes
            .iter()
            .fold(1u64, |cells, axis| cells.saturating_mul(axis.len));
        let bounds = bounds_of(&axes);
        let mut layers = Vec::new();
        for fragment in fragments {
            let Some(domain) = fragment.non_empty_domain() else {
                continue;
            };
            let cells = grid.to_box(schema, domain).ok_or_else(|| {
                Error::corrupt(
                    "fragment footer",
                    "non-empty domain",
                    0,
                    "leaves the array's domain",
                )
                .at(fragment.uri())
            })?;
            if cells.overlaps(&bounds) {
                let points = match fragment.is_dense() {
                    true => None,
                    false => Some(Points::read(schema, &grid, fragment, &bounds)?),
                };
                let tiles = grid.tiles(&cells);
                layers.push(Layer {
                    fragment: fragment.clone(),
                    cells,
                    tiles,
                    points,
                });
            }
        }
        let tile_strides = grid.tile_strides();
        Ok(Self {
            schema: schema.clone(),
            grid,
            axes,
            order,
            cell_num,
            layers,
            tile_strides,
        })
    }

    /// The box around all that is asked for, in the domain.
    pub(super) fn bounds(&self) -> CellBox {
        bounds_of(&self.axes)
    }

    /// Whether every layer is asked for as a whole, each cell once, and no layer hides a cell of another.
    pub(super) fn takes_layers_whole(&self) -> bool {
        const MOST: usize = 64;
        let bounds = self.bounds();
        let inside =
            |layer: &Layer| layer.cells.intersection(&bounds).as_ref() == Some(&layer.cells);
        let apart = |(at, layer): (usize, &Layer)| {
            let later = self.layers[at + 1..].iter();
            later
                .into_iter()
                .all(|other| !layer.cells.overlaps(&other.cells))
        };
        self.layers.len() <= MOST
            && self.layers.iter().all(|layer| layer.points.is_none())
            && self.axes.iter().all(ResultAxis::is_one_run)
            && self.layers.iter().all(inside)
            && self.layers.iter().enumerate().all(apart)
    }

    fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.len).collect()
    }

    /// Where a stretch that starts at `from` should end: after about `wanted` cells where tiles end there, so that none is
    /// decoded for two stretches without need; else after up to `most`.
    pub(super) fn stretch_end(&self, from: u64, wanted: u64, most: u64) -> u64 {
        let near = self.end_between_tiles(from, wanted);
        near.or_else(|| self.end_between_tiles(from, most))
            .unwrap_or_else(|| self.end_of_rows(from, most))
    }

    /// The last place up to `most` cells after `from` where a row of tiles ends, or the result.
    fn end_between_tiles(&self, from: u64, most: u64) -> Option<u64> {
        let end = from.saturating_add(most);
        if end >= self.cell_num {
            return Some(self.cell_num);
        }
        let ResultOrder::Boxed(order) = self.order else {
            let tile = self.grid.tile_cell_num;
            return match self.takes_tiles_whole() {
                true => Some(end / tile * tile).filter(|end| *end > from),
                // One tile in many may be cut.
                false => (tile <= most).then_some(end),
            };
        };
        let slowest = order.slowest(self.axes.len());
        let row = self.cell_num.checked_div(self.axes[slowest].len)?;
        let (from_row, end_row) = (from.checked_div(row)?, end / row);
        let axis = &self.grid.axes[slowest];
        let boundary = self.axes[slowest].last_boundary(axis, from_row + 1, end_row)?;
        Some(boundary * row)
    }

    /// Whether no tile is asked for in part.
    fn takes_tiles_whole(&self) -> bool {
        let whole = |(axis, grid): (&ResultAxis, &GridAxis)| {
            let low = axis.domain_coordinate(0);
            axis.is_one_run() && low % grid.extent == 0 && axis.len % grid.extent == 0
        };
        self.axes.iter().zip(&self.grid.axes).all(whole)
    }

    /// The same where a row of cells ends, or in the middle of the first.
    fn end_of_rows(&self, from: u64, most: u64) -> u64 {
        let end = from.saturating_add(most).min(self.cell_num);
        let ResultOrder::Boxed(order) = self.order else {
            return end;
        };
        let slowest = order.slowest(self.axes.len());
        match self.cell_num.checked_div(self.axes[slowest].len) {
            Some(row) if end / row > from / row => end / row * row,
            _ => end,
        }
    }

    /// The boxes of the cells `from..end` of the result.
    pub(super) fn parts(&self, from: u64, end: u64) -> Vec<Part> {
        let mut parts = Vec::new();
        match self.order {
            ResultOrder::Boxed(order) => {
                let whole = CellBox {
                    low: vec![0; self.axes.len()],
                    high: self.shape().iter().map(|n| n - 1).collect(),
                };
                stretch_boxes(&whole, order, from, end, 0, &mut parts);
            }
            ResultOrder::Global => self.global_parts(from, end, &mut parts),
        }
        parts
    }

    /// The same tile by tile; a read in global order has one range in each dimension.
    fn global_parts(&self, from: u64, end: u64, parts: &mut Vec<Part>) {
        let starts: Vec<u64> = self
            .axes
            .iter()
            .map(|axis| axis.domain_coordinate(0))
            .collect();
        let high = starts
            .iter()
            .zip(&self.axes)
            .map(|(start, axis)| start + (axis.len - 1))
            .collect();
        let asked = CellBox {
            low: starts.clone(),
            high,
        };
        let tiles = self.grid.tiles(&asked);
        let shape: Vec<u64> = (0..tiles.dim_num()).map(|d| tiles.len(d)).collect();
        let mut passed = 0u64;
        // `Err` ends the walk over the tiles early.
        let _: std::result::Result<(), ()> =
            for_each_position(&shape, self.grid.tile_order, |at| {
                let tile: Vec<u64> = at
                    .iter()
                    .zip(&tiles.low)
                    .map(|(at, low)| at + low)
                    .collect();
                let Some(cells) = self.grid.tile_cells(&tile).intersection(&asked) else {
                    return Ok(());
                };
                let number = cells.cell_num();
                let (first, last) = (from.max(passed), end.min(passed + number));
                if first < last {
                    let shift = |ends: &[u64]| {
                        ends.iter()
                            .zip(&starts)
                            .map(|(at, start)| at - start)
                            .collect()
                    };
                    let cells = CellBox {
                        low: shift(&cells.low),
                        high: shift(&cells.high),
                    };
                    stretch_boxes(
                        &cells,
                        self.grid.cell_order,
                        first - passed,
                        last - passed,
                        first - from,
                        parts,
                    );
                }
                passed += number;
                if passed >= end { Err(()) } else { Ok(()) }
            });
    }

    /// Cuts a part along space tiles and calls `visit` with each job.
    pub(super) fn for_each_job(
        &self,
        part: &Part,
        mut visit: impl FnMut(Job) -> Result<()>,
    ) -> Result<()> {
        let dims = self.axes.len();
        let shape: Vec<u64> = (0..dims).map(|d| part.cells.len(d)).collect();
        let out_strides = box_strides(&shape, part.order);
        let cuts: Vec<Vec<Cut>> = (0..dims)
            .map(|d| self.axes[d].cuts(&self.grid.axes[d], part.cells.low[d], part.cells.high[d]))
            .collect();
        let by_tile: Vec<Vec<&[Cut]>> = cuts
            .iter()
            .map(|cuts| cuts.chunk_by(|a, b| a.tile == b.tile).collect())
            .collect();
        let tiles: Vec<u64> = by_tile.iter().map(|tiles| tiles.len() as u64).collect();
        for_each_position(&tiles, self.grid.tile_order, |at| {
            let here: Vec<&[Cut]> = at
                .iter()
                .zip(&by_tile)
                .map(|(at, tiles)| tiles[*at as usize])
                .collect();
            let tile: Vec<u64> = here.iter().map(|cuts| cuts[0].tile).collect();
            let mut job = TileJob::new(self, &tile, &out_strides, part.start);
            let numbers: Vec<u64> = here.iter().map(|cuts| cuts.len() as u64).collect();
            for_each_position(&numbers, Order::RowMajor, |at| {
                let cuts: Vec<Cut> = at
                    .iter()
                    .zip(&here)
                    .map(|(at, cuts)| cuts[*at as usize])
                    .collect();
                job.add(&cuts);
                Ok::<(), Error>(())
            })?;
            visit(job.finish())
        })
    }

    /// The coordinates of the result that a dimension has in `part`, as bytes of its datatype, one after the other.
    pub(super) fn coordinates(&self, part: &Part, dim: usize) -> Vec<u8> {
        let dimension = &self.schema.domain.dimensions[dim];
        let size = dimension.datatype.size();
        let mut bytes = Vec::with_capacity(part.cells.len(dim) as usize * size);
        for out in part.cells.low[dim]..=part.cells.high[dim] {
            let at = self.axes[dim].domain_coordinate(out);
            bytes.extend_from_slice(&self.grid.axes[dim].coordinate(dimension, at)[..size]);
        }
        bytes
    }
}

/// What a layer holds of a space tile.
#[derive(Clone, Debug)]
enum Held {
    /// The tile of this number.
    Tile(u64),
    /// Cells of these numbers.
    Points(Range<usize>),
}

/// A job in the making: the cells of one space tile, given to fragments.
struct TileJob<'a> {
    plan: &'a Plan,
    low: Vec<u64>,
    /// The layers that have a cell of the tile, newest first, with the tile's place in them, or the cells there.
    layers: Vec<(usize, Held)>,
    out_strides: &'a [u64],
    start: u64,
    pieces: Vec<Piece>,
}

impl<'a> TileJob<'a> {
    fn new(plan: &'a Plan, tile: &[u64], out_strides: &'a [u64], start: u64) -> Self {
        let cells = plan.grid.tile_cells(tile);
        let has = |(_, layer): &(usize, &Layer)| layer.cells.overlaps(&cells);
        let layers = plan.layers.iter().enumerate().rev().filter(has);
        let layers = layers
            .map(|(at, layer)| match &layer.points {
                None => (at, Held::Tile(plan.grid.tile_position(&layer.tiles, tile))),
                Some(points) => (at, Held::Points(points.in_tile(tile))),
            })
            .collect();
        Self {
            plan,
            low: cells.low,
            layers,
            out_strides,
            start,
            pieces: Vec::new(),
        }
    }

    fn finish(self) -> Job {
        Job {
            low: self.low,
            pieces: self.pieces,
        }
    }

    /// Gives a box of cells, one cut of each dimension, to the newest fragments that have them.
    fn add(&mut self, cuts: &[Cut]) {
        let whole = CellBox {
            low: cuts.iter().map(|cut| cut.at).collect(),
            high: cuts.iter().map(|cut| cut.at + (cut.len - 1)).collect(),
        };
        let mut open = vec![whole];
        for at in 0..self.layers.len() {
            let (layer, tile) = match &self.layers[at] {
                (layer, Held::Tile(tile)) => (*layer, *tile),
                (layer, Held::Points(numbers)) => {
                    self.add_points(*layer, numbers.clone(), cuts, &mut open);
                    continue;
                }
            };
            let mut rest = Vec::new();
            for cells in open {
                match cells.intersection(&self.plan.layers[layer].cells) {
                    Some(taken) => {
                        cells.subtract(&taken, &mut rest);
                        self.push(Some(layer), tile, cuts, &taken);
                    }
                    None => rest.push(cells),
                }
            }
            open = rest;
            if open.is_empty() {
                return;
            }
        }
        for cells in open {
            self.push(None, 0, cuts, &cells);
        }
    }

    /// Takes the cells of a sparse fragment from the boxes that nobody newer has.
    fn add_points(
        &mut self,
        layer: usize,
        numbers: Range<usize>,
        cuts: &[Cut],
        open: &mut Vec<CellBox>,
    ) {
        let Some(points) = &self.plan.layers[layer].points else {
            return;
        };
        // Of cells that were stored twice the later counts.
        for number in numbers.rev() {
            let at = points.coordinates(number);
            let cell = CellBox {
                low: at.to_vec(),
                high: at.to_vec(),
            };
            let Some(found) = open.iter().position(|cells| cells.contains(&cell)) else {
                continue;
            };
            open.swap_remove(found).subtract(&cell, open);
            let to = (0..cuts.len()).map(|d| {
                let out = cuts[d].out + (at[d] - cuts[d].at);
                out * self.out_strides[d]
            });
            let to = self.start + to.sum::<u64>();
            let point = points.point(number);
            let walk = Walk::new(Vec::new(), point.cell, to as usize);
            let piece = self.piece(Some(layer), point.tile, point.cell_num);
            piece.walks.push(walk);
            piece.points.push(number);
        }
    }

    /// The piece of a tile of a fragment, made where there is none yet.
    fn piece(&mut self, fragment: Option<usize>, tile: u64, cell_num: u64) -> &mut Piece {
        let same = |piece: &Piece| piece.fragment == fragment && piece.tile == tile;
        let at = self.pieces.iter().position(same).unwrap_or_else(|| {
            self.pieces.push(Piece {
                fragment,
                tile,
                cell_num,
                walks: Vec::new(),
                points: Vec::new(),
            });
            self.pieces.len() - 1
        });
        &mut self.pieces[at]
    }

    fn push(&mut self, fragment: Option<usize>, tile: u64, cuts: &[Cut], cells: &CellBox) {
        let (mut from, mut to) = (0, self.start);
        let mut axes = Vec::with_capacity(cuts.len());
        for (d, cut) in cuts.iter().enumerate() {
            let from_stride = if fragment.is_some() {
                self.plan.tile_strides[d]
            } else {
                0
            };
            from += (cells.low[d] - self.low[d]) * from_stride;
            to += (cut.out + (cells.low[d] - cut.at)) * self.out_strides[d];
            axes.push(Axis {
                len: cells.len(d) as usize,
                from: from_stride as usize,
                to: self.out_strides[d] as usize,
            });
        }
        let walk = Walk::new(axes, from as usize, to as usize);
        let cell_num = self.plan.grid.tile_cell_num;
        self.piece(fragment, tile, cell_num).walks.push(walk);
    }
}
