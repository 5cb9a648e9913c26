//! Maps the result to tiles: the cells of each tile of each fragment and their output positions.
//!
//! A box of the result is divided by space tiles into *tasks*. Each cell of a task is read from the
//! newest fragment that contains it; the cells of one fragment's tile are a *slice*.

use std::ops::Range;

use super::plan::Plan;
use super::result::{ResultBox, Segment};
use crate::error::{Error, Result};
use crate::geometry::{CellBox, Order, for_each_position};
use crate::memory::tuning::{MIN_SLICE_BYTES, REMOTE_TASKS};
use crate::read::sparse::tiles::point_cells::StoredCells;
use crate::tile::{CopyAxis, StridedCopy};
use crate::types::Match;

/// The cells of one fragment's tile that a task needs.
#[derive(Debug)]
pub(super) struct TileSlice {
    /// The index of the view of the fragment; `None` for cells that no fragment contains.
    pub(super) view: Option<usize>,
    /// The tile in the fragment.
    pub(super) tile: u64,
    /// The number of cells of the tile.
    pub(super) cell_num: u64,
    /// The copies from the tile to the buffers.
    pub(super) copies: Vec<StridedCopy>,
    /// For a sparse fragment: the index of the cell of each copy.
    pub(super) points: Vec<usize>,
}

/// The cells of one space tile in a run of the result.
#[derive(Debug)]
pub(super) struct TileTask {
    /// The coordinates of the first cell of the tile in the domain.
    pub(super) low: Vec<u64>,
    pub(super) slices: Vec<TileSlice>,
}

impl TileTask {
    /// Returns about how many bytes a read of cells of `size` bytes decodes or copies for tasks.
    pub(super) fn read_bytes(tasks: &[Self], size: usize) -> u64 {
        tasks
            .iter()
            .flat_map(|task| &task.slices)
            .filter(|slice| slice.view.is_some())
            .map(|slice| {
                let span = slice.span().len() as u64;
                span.saturating_mul(size as u64).max(MIN_SLICE_BYTES)
            })
            .fold(0, u64::saturating_add)
    }
}

impl TileSlice {
    /// Returns the range from the first to the last cell of the tile that is needed.
    pub(super) fn span(&self) -> Range<usize> {
        let spans = || self.copies.iter().map(StridedCopy::source_span);
        let first = spans().map(|span| span.0).min().unwrap_or_default();
        first..spans().map(|span| span.1).max().unwrap_or_default()
    }

    /// Returns how much of the slice is selected by a mask of the output: a byte per cell, 1 or 0.
    pub(super) fn matching(&self, mask: &[u8]) -> Match {
        let (mut any, mut all) = (0, 1);
        for strided in &self.copies {
            strided.for_each_run(|run| {
                let (one, each) = mask[run.to..run.to + run.len]
                    .iter()
                    .fold((0, 1), |(one, each), bit| (one | bit, each & bit));
                any |= one;
                all &= each;
            });
        }
        match (any, all) {
            (0, _) => Match::None,
            (_, 1) => Match::All,
            _ => Match::Some,
        }
    }
}

impl Plan {
    /// Divides boxes by space tiles and calls `run` with the tasks, up to `number` at a time.
    pub(super) fn for_each_batch(
        &self,
        boxes: &[ResultBox],
        number: usize,
        mut run: impl FnMut(&[TileTask]) -> Result<()>,
    ) -> Result<()> {
        // Requests for the tiles of many tasks are in flight at the same time.
        let number = if self.is_remote() {
            number.max(REMOTE_TASKS)
        } else {
            number
        };
        let mut tasks = Vec::new();
        for result_box in boxes {
            self.for_each_task(result_box, |task| {
                push_task(&mut tasks, task, number, &mut run)
            })?;
        }
        run(&tasks)
    }

    /// Divides the complete result by space tiles and calls `run` with the tasks, up to `number` at
    /// a time. Tiles are visited whose coordinates in each dimension are those of a tile of some
    /// fragment, so that huge results are possible. The output position of a cell is its position
    /// in its tile.
    pub(super) fn for_each_written_batch(
        &self,
        number: usize,
        mut run: impl FnMut(&[TileTask]) -> Result<()>,
    ) -> Result<()> {
        if self.views.is_empty() {
            return Ok(());
        }
        let cuts: Vec<Vec<Segment>> = self
            .axes
            .iter()
            .enumerate()
            .map(|(d, axis)| axis.cuts_within(&self.grid.axes[d], &self.written_ranges(d)))
            .collect();
        let mut tasks = Vec::new();
        self.cut_tasks(&cuts, &self.tile_strides, 0, |task| {
            push_task(&mut tasks, task, number, &mut run)
        })?;
        run(&tasks)
    }

    /// Returns the coordinates of a dimension in tiles of fragments as disjoint ranges, which
    /// ascend. They start and end at the borders of tiles, except at both ends of what is written.
    fn written_ranges(&self, d: usize) -> Vec<(u64, u64)> {
        let extent = self.grid.axes[d].extent;
        let written = self.views.iter();
        let written = written.map(|view| (view.cells.low[d], view.cells.high[d]));
        let least = written.clone().map(|(low, _)| low).min();
        let greatest = written.clone().map(|(_, high)| high).max();
        let (least, greatest) = (least.unwrap_or(0), greatest.unwrap_or(0));
        let mut tiles: Vec<(u64, u64)> = written
            .map(|(low, high)| (low / extent, high / extent))
            .collect();
        tiles.sort_unstable();
        tiles.dedup_by(|next, range| {
            let touches = next.0 <= range.1.saturating_add(1);
            if touches {
                range.1 = range.1.max(next.1);
            }
            touches
        });
        let ends = tiles.into_iter().map(|(first, last)| {
            let end = last.saturating_mul(extent).saturating_add(extent - 1);
            ((first * extent).max(least), end.min(greatest))
        });
        ends.collect()
    }

    /// Divides a box by space tiles and calls `visit` with each task.
    pub(super) fn for_each_task(
        &self,
        result_box: &ResultBox,
        visit: impl FnMut(TileTask) -> Result<()>,
    ) -> Result<()> {
        let ResultBox {
            cells,
            order,
            start,
        } = result_box;
        let cuts: Vec<Vec<Segment>> = self
            .axes
            .iter()
            .zip(&self.grid.axes)
            .enumerate()
            .map(|(d, (axis, grid))| axis.cuts(grid, cells.low[d], cells.high[d]))
            .collect();
        self.cut_tasks(&cuts, &cells.strides(*order), *start, visit)
    }

    /// Calls `visit` with the task of each tile of these cuts by dimension. The first cell of the
    /// output is at `start`; `strides` are the distances there of cells with consecutive
    /// coordinates.
    fn cut_tasks(
        &self,
        cuts: &[Vec<Segment>],
        strides: &[u64],
        start: u64,
        mut visit: impl FnMut(TileTask) -> Result<()>,
    ) -> Result<()> {
        let axes = &self.grid.axes;
        let by_tile: Vec<Vec<&[Segment]>> = cuts
            .iter()
            .zip(axes)
            .map(|(cuts, axis)| {
                let tiles = cuts.chunk_by(|a, b| a.tile(axis) == b.tile(axis));
                tiles.collect()
            })
            .collect();
        let tiles: Vec<u64> = by_tile.iter().map(|tiles| tiles.len() as u64).collect();
        for_each_position(&tiles, self.grid.tile_order, |position| {
            let tile_cuts: Vec<&[Segment]> = position
                .iter()
                .zip(&by_tile)
                .map(|(position, tiles)| tiles[*position as usize])
                .collect();
            let tile: Vec<u64> = tile_cuts
                .iter()
                .map(|cuts| cuts[0])
                .zip(axes)
                .map(|(cut, axis)| cut.tile(axis))
                .collect();
            let mut builder = TileTaskBuilder::new(self, &tile, strides, start);
            let numbers: Vec<u64> = tile_cuts.iter().map(|cuts| cuts.len() as u64).collect();
            for_each_position(&numbers, Order::RowMajor, |position| {
                let cuts: Vec<Segment> = position
                    .iter()
                    .zip(&tile_cuts)
                    .map(|(position, cuts)| cuts[*position as usize])
                    .collect();
                builder.add(&cuts);
                Ok::<(), Error>(())
            })?;
            visit(builder.task)
        })
    }
}

/// Adds a task to the pending ones, which are run when there are `number`.
fn push_task(
    tasks: &mut Vec<TileTask>,
    task: TileTask,
    number: usize,
    run: &mut impl FnMut(&[TileTask]) -> Result<()>,
) -> Result<()> {
    tasks.push(task);
    if tasks.len() < number {
        return Ok(());
    }
    run(tasks)?;
    tasks.clear();
    Ok(())
}

/// Builds a task by assigning the cells of one space tile to fragments.
struct TileTaskBuilder<'a> {
    plan: &'a Plan,
    /// The coordinates of the space tile in the grid.
    tile: &'a [u64],
    /// The views with cells of the tile, in ascending order.
    views: Vec<usize>,
    /// By dimension: the distance in the output of cells with consecutive coordinates.
    strides: &'a [u64],
    /// The position of the first cell in the output.
    start: u64,
    task: TileTask,
}

impl<'a> TileTaskBuilder<'a> {
    fn new(plan: &'a Plan, tile: &'a [u64], strides: &'a [u64], start: u64) -> Self {
        let cells = plan.grid.tile_cells(tile);
        Self {
            plan,
            tile,
            views: plan.views_in(&cells),
            strides,
            start,
            task: TileTask {
                low: cells.low,
                slices: Vec::new(),
            },
        }
    }

    /// Assigns a box of cells, one cut of each dimension, to the newest fragments that contain
    /// them.
    fn add(&mut self, cuts: &[Segment]) {
        let whole = CellBox {
            low: cuts.iter().map(|cut| cut.coordinate).collect(),
            high: cuts.iter().map(Segment::last).collect(),
        };
        let mut open = vec![whole];
        let plan = self.plan;
        // Newer fragments hide the cells of older ones.
        for position in (0..self.views.len()).rev() {
            let index = self.views[position];
            let view = &plan.views[index];
            if let Some(points) = &view.points {
                self.add_points(index, points, cuts, &mut open);
                continue;
            }
            let tile = plan.grid.tile_position(&view.tiles, self.tile);
            let mut rest = Vec::new();
            for cells in open {
                match cells.intersection(&view.cells) {
                    Some(taken) => {
                        cells.subtract(&taken, &mut rest);
                        self.push(Some(index), tile, cuts, &taken);
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

    /// Assigns the cells of a sparse fragment in the boxes that no newer fragment contains.
    fn add_points(
        &mut self,
        view: usize,
        points: &StoredCells,
        cuts: &[Segment],
        open: &mut Vec<CellBox>,
    ) {
        // If a cell is stored twice, the later one is used.
        for number in points.in_tile(self.tile).rev() {
            let coordinates = points.coordinates(number);
            let cell = CellBox {
                low: coordinates.to_vec(),
                high: coordinates.to_vec(),
            };
            let Some(found) = open.iter().position(|cells| cells.contains(&cell)) else {
                continue;
            };
            open.swap_remove(found).subtract(&cell, open);
            let to = (0..cuts.len()).map(|d| {
                let out = cuts[d].out + (coordinates[d] - cuts[d].coordinate);
                out * self.strides[d]
            });
            let to = self.start + to.sum::<u64>();
            let point = points.cell(number);
            let strided = StridedCopy::new(Vec::new(), point.cell, to as usize);
            let slice = self.slice(Some(view), point.tile, point.cell_num);
            slice.copies.push(strided);
            slice.points.push(number);
        }
    }

    /// Returns the slice of a tile of a fragment, and creates it if necessary.
    fn slice(&mut self, view: Option<usize>, tile: u64, cell_num: u64) -> &mut TileSlice {
        let slices = &mut self.task.slices;
        let index = slices
            .iter()
            .position(|slice| slice.view == view && slice.tile == tile)
            .unwrap_or_else(|| {
                slices.push(TileSlice {
                    view,
                    tile,
                    cell_num,
                    copies: Vec::new(),
                    points: Vec::new(),
                });
                slices.len() - 1
            });
        &mut slices[index]
    }

    /// Assigns a box of cells, within the box of the cuts, to a tile of a view.
    fn push(&mut self, view: Option<usize>, tile: u64, cuts: &[Segment], cells: &CellBox) {
        let (mut from, mut to) = (0, self.start);
        let mut axes = Vec::with_capacity(cuts.len());
        for (d, cut) in cuts.iter().enumerate() {
            let from_stride = if view.is_some() {
                self.plan.tile_strides[d]
            } else {
                0
            };
            from += (cells.low[d] - self.task.low[d]) * from_stride;
            to += (cut.out + (cells.low[d] - cut.coordinate)) * self.strides[d];
            axes.push(CopyAxis {
                len: cells.len(d) as usize,
                from: from_stride as usize,
                to: self.strides[d] as usize,
            });
        }
        let strided = StridedCopy::new(axes, from as usize, to as usize);
        let cell_num = self.plan.grid.tile_cell_num;
        self.slice(view, tile, cell_num).copies.push(strided);
    }
}
