//! Plans a dense read: from a subarray to the boxes of the result that are delivered together.
//!
//! The result is a box: each dimension has the coordinates of all ranges, concatenated in the order
//! in which the caller added them. A *run* of the result is a sequence of consecutive cells in the
//! caller's order, represented by a few boxes. `tile_tasks` maps boxes to tiles.

use std::sync::Arc;

use super::result::{ResultAxis, ResultBox, append_run, bounds_of};
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::geometry::{BoxIndex, CellBox, GridAxis, Order, TileGrid};
use crate::read::sparse::tiles::point_cells::StoredCells;
use crate::schema::ArraySchema;
use crate::stats::TileMeter;
use crate::subarray::Subarray;
use crate::tile::ChunkCache;

/// A fragment and its position in the plan.
#[derive(Clone, Debug)]
pub(super) struct FragmentView {
    pub(super) fragment: Arc<Fragment>,
    /// The index of the fragment in the snapshot.
    pub(super) index: usize,
    pub(super) cells: CellBox,
    pub(super) tiles: CellBox,
    /// The cells of a sparse fragment, which old dense arrays may have.
    pub(super) points: Option<StoredCells>,
}

/// The plan of a dense read.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) schema: Arc<ArraySchema>,
    pub(super) grid: TileGrid,
    pub(super) axes: Vec<ResultAxis>,
    /// The order of the result; `None` for global order, tile by tile.
    pub(super) order: Option<Order>,
    /// The bounding box of the requested cells in the domain.
    pub(super) bounds: CellBox,
    pub(super) cell_num: u64,
    /// Oldest first.
    pub(super) views: Vec<FragmentView>,
    /// The index of the cells of the views, if there are many.
    view_index: Option<BoxIndex>,
    pub(super) tile_strides: Vec<u64>,
    /// The cache of decoded chunks, and its maximum size in bytes.
    pub(super) cache: Option<(Arc<ChunkCache>, usize)>,
    /// Counts the tiles that are read.
    pub(super) meter: Arc<TileMeter>,
}

impl Plan {
    pub(super) fn new(
        schema: &Arc<ArraySchema>,
        fragments: &[Arc<Fragment>],
        subarray: &Subarray,
        order: Option<Order>,
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
        let mut views = Vec::new();
        for (index, fragment) in fragments.iter().enumerate() {
            let Some(domain) = fragment.footer.non_empty_domain.as_ref() else {
                continue;
            };
            let cells = grid.to_box(schema, domain).ok_or_else(|| {
                Error::corrupt(
                    "fragment footer",
                    "non-empty domain",
                    0,
                    "leaves the array's domain",
                )
                .with_uri(fragment.uri())
            })?;
            if cells.overlaps(&bounds) {
                let points = if fragment.footer.dense {
                    None
                } else {
                    Some(StoredCells::read(schema, &grid, fragment, &bounds)?)
                };
                let tiles = grid.tiles(&cells);
                views.push(FragmentView {
                    fragment: fragment.clone(),
                    index,
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
            bounds,
            cell_num,
            view_index: (views.len() > BoxIndex::LEAF_BOXES)
                .then(|| BoxIndex::new(views.iter().map(|view| &view.cells))),
            views,
            tile_strides,
            cache: None,
            meter: Arc::default(),
        })
    }

    /// Returns the indexes of the views that have cells in a box, in ascending order.
    pub(super) fn views_in(&self, cells: &CellBox) -> Vec<usize> {
        if let Some(index) = &self.view_index {
            return index.overlapping(cells);
        }
        self.views
            .iter()
            .enumerate()
            .filter(|(_, view)| view.cells.overlaps(cells))
            .map(|(index, _)| index)
            .collect()
    }

    /// Returns the number of space tiles that the result intersects.
    pub(super) fn space_tile_num(&self) -> u64 {
        let tiles_of =
            |(axis, result_axis): (&GridAxis, &ResultAxis)| result_axis.space_tile_num(axis);
        self.grid
            .axes
            .iter()
            .zip(&self.axes)
            .map(tiles_of)
            .fold(1, u64::saturating_mul)
    }

    /// Returns whether every fragment is read completely, each cell once, and no fragment hides a
    /// cell of another.
    pub(super) fn takes_views_whole(&self) -> bool {
        let inside = |view: &FragmentView| {
            view.cells.intersection(&self.bounds).as_ref() == Some(&view.cells)
        };
        self.views.iter().all(|view| view.points.is_none())
            && self.axes.iter().all(ResultAxis::is_one_run)
            && self.views.iter().all(inside)
            && self.has_disjoint_views()
    }

    /// Returns whether no fragment hides cells of another.
    pub(super) fn has_disjoint_views(&self) -> bool {
        self.views
            .iter()
            .all(|view| self.views_in(&view.cells).len() == 1)
    }

    /// Returns whether the domain of a fragment consists of complete tiles.
    pub(super) fn ends_at_tile_borders(&self, view: &FragmentView) -> bool {
        self.grid.cells(&view.tiles) == view.cells
    }

    fn shape(&self) -> Vec<u64> {
        self.axes.iter().map(|axis| axis.len).collect()
    }

    /// Returns the end of a run that starts at `from`: at a tile boundary after about `preferred`
    /// cells, so that no tile is decoded for two runs, or otherwise after up to `most` cells.
    pub(super) fn run_end(&self, from: u64, preferred: u64, most: u64) -> u64 {
        let near = self.end_between_tiles(from, preferred);
        near.or_else(|| self.end_between_tiles(from, most))
            .unwrap_or_else(|| self.end_of_rows(from, most))
    }

    /// Returns the last end of a row of tiles, or of the result, that is up to `most` cells after
    /// `from`.
    fn end_between_tiles(&self, from: u64, most: u64) -> Option<u64> {
        let end = from.saturating_add(most);
        if end >= self.cell_num {
            return Some(self.cell_num);
        }
        let Some(order) = self.order else {
            let tile = self.grid.tile_cell_num;
            return if self.takes_tiles_whole() {
                Some(end / tile * tile).filter(|end| *end > from)
            } else {
                // A small part of the tiles may be cut: one tile fits at least.
                (tile <= most).then_some(end)
            };
        };
        let (slowest, row) = self.rows(order);
        let (from_row, end_row) = (from.checked_div(row)?, end / row);
        let axis = &self.grid.axes[slowest];
        let boundary = self.axes[slowest].last_boundary(axis, from_row + 1, end_row)?;
        Some(boundary * row)
    }

    /// Returns the slowest dimension of the result, and the number of cells per coordinate,
    /// saturated.
    fn rows(&self, order: Order) -> (usize, u64) {
        let slowest = order.slowest(self.axes.len());
        let row = self
            .axes
            .iter()
            .enumerate()
            .filter(|(d, _)| *d != slowest)
            .fold(1, |row: u64, (_, axis)| row.saturating_mul(axis.len));
        (slowest, row)
    }

    /// Returns whether all tiles are read completely.
    fn takes_tiles_whole(&self) -> bool {
        self.axes.iter().zip(&self.grid.axes).all(|(axis, grid)| {
            let low = axis.domain_coordinate(0);
            axis.is_one_run() && low % grid.extent == 0 && axis.len % grid.extent == 0
        })
    }

    /// Returns the last end of a row of cells that is up to `most` cells after `from`, or a
    /// position in the first row.
    fn end_of_rows(&self, from: u64, most: u64) -> u64 {
        let end = from.saturating_add(most).min(self.cell_num);
        let Some(order) = self.order else {
            return end;
        };
        let (_, row) = self.rows(order);
        match (end.checked_div(row), from.checked_div(row)) {
            (Some(last), Some(first)) if last > first => last * row,
            _ => end,
        }
    }

    /// Returns the boxes of the cells `from..end` of the result.
    pub(super) fn boxes(&self, from: u64, end: u64) -> Vec<ResultBox> {
        let mut boxes = Vec::new();
        match self.order {
            Some(order) => {
                let whole = CellBox {
                    low: vec![0; self.axes.len()],
                    high: self.shape().iter().map(|n| n - 1).collect(),
                };
                append_run(&whole, order, from..end, 0, &mut boxes);
            }
            None => self.append_global_boxes(from, end, &mut boxes),
        }
        boxes
    }

    /// Appends the boxes of a run in global order, tile by tile. Such reads have one range per
    /// dimension.
    fn append_global_boxes(&self, from: u64, end: u64, boxes: &mut Vec<ResultBox>) {
        let requested = &self.bounds;
        let mut passed = 0u64;
        // `Err` ends the iteration over the tiles early.
        let tiles = self.grid.tiles(requested);
        let _: std::result::Result<(), ()> = tiles.for_each_cell(self.grid.tile_order, |tile| {
            let Some(cells) = self.grid.tile_cells(tile).intersection(requested) else {
                return Ok(());
            };
            let number = cells.cell_num();
            let (first, last) = (from.max(passed), end.min(passed + number));
            if first < last {
                let cells = cells.relative_to(&requested.low);
                let order = self.grid.cell_order;
                let run = first - passed..last - passed;
                append_run(&cells, order, run, first - from, boxes);
            }
            passed += number;
            if passed >= end { Err(()) } else { Ok(()) }
        });
    }

    /// Returns the coordinates of a dimension in a box of the result as consecutive values of its
    /// datatype.
    pub(super) fn coordinates(&self, result_box: &ResultBox, dim: usize) -> Vec<u8> {
        let dimension = &self.schema.domain.dimensions[dim];
        let size = dimension.datatype.size();
        let mut bytes = Vec::with_capacity(result_box.cells.len(dim) as usize * size);
        for out in result_box.cells.low[dim]..=result_box.cells.high[dim] {
            let distance = self.axes[dim].domain_coordinate(out);
            bytes.extend_from_slice(&self.grid.axes[dim].coordinate(dimension, distance)[..size]);
        }
        bytes
    }
}
