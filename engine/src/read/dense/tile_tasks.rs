//! What tiles have of a result: which cells of which tile of which fragment go where.
//!
//! A part of the result is cut along space tiles into *jobs*, and the cells of a job go to the newest fragment that has them,
//! as *pieces*.

use std::ops::Range;

use super::plan::{FragmentView, Plan};
use super::result_axis::{Cut, ResultAxis};
use super::result_run::ResultBox;
use crate::error::{Error, Result};
use crate::geometry::{CellBox, Order, box_strides, for_each_position};
use crate::tile::{CopyAxis, StridedCopy};

/// The cells of one fragment's tile that a job needs.
#[derive(Debug)]
pub(super) struct TileSlice {
    /// Which fragment; `None` for cells that nobody wrote.
    pub(super) fragment: Option<usize>,
    /// The tile in the fragment.
    pub(super) tile: u64,
    /// How many cells that has.
    pub(super) cell_num: u64,
    /// From the tile to the buffers.
    pub(super) walks: Vec<StridedCopy>,
    /// Of a sparse fragment: the number of the cell that each walk takes.
    pub(super) points: Vec<usize>,
}

/// What one space tile gives to a stretch.
#[derive(Debug)]
pub(super) struct TileTask {
    /// The coordinates of the tile's first cell, in the domain.
    pub(super) low: Vec<u64>,
    pub(super) pieces: Vec<TileSlice>,
}

impl TileSlice {
    /// The first cell of the tile that is needed, and one past the last.
    pub(super) fn span(&self) -> (usize, usize) {
        let spans = || self.walks.iter().map(StridedCopy::source_span);
        let first = spans().map(|span| span.0).min().unwrap_or_default();
        (first, spans().map(|span| span.1).max().unwrap_or_default())
    }
}

impl Plan {
    /// Cuts parts along space tiles and calls `run` with the jobs, up to `number` at a time.
    pub(super) fn for_each_batch(
        &self,
        parts: &[ResultBox],
        number: usize,
        mut run: impl FnMut(&[TileTask]) -> Result<()>,
    ) -> Result<()> {
        let mut jobs = Vec::new();
        for part in parts {
            self.for_each_job(part, |job| wait(&mut jobs, job, number, &mut run))?;
        }
        run(&jobs)
    }

    /// The same of all that is asked for, as far as fragments have it: however large the result is, what lies away from them
    /// is not walked through. Cells go where they lie in their tile.
    pub(super) fn for_each_written_batch(
        &self,
        number: usize,
        mut run: impl FnMut(&[TileTask]) -> Result<()>,
    ) -> Result<()> {
        let end = |d: usize| {
            let ends = self
                .layers
                .iter()
                .map(|of| (of.cells.low[d], of.cells.high[d]));
            ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        };
        let cut = |(d, axis): (usize, &ResultAxis)| {
            let (low, high) = end(d)?;
            Some(axis.cuts_within(&self.grid.axes[d], low, high))
        };
        let cuts: Option<Vec<Vec<Cut>>> = self.axes.iter().enumerate().map(cut).collect();
        let Some(cuts) = cuts else {
            return Ok(());
        };
        let mut jobs = Vec::new();
        self.cut_jobs(&cuts, (&self.tile_strides, 0), |job| {
            wait(&mut jobs, job, number, &mut run)
        })?;
        run(&jobs)
    }

    /// Cuts a part along space tiles and calls `visit` with each job.
    pub(super) fn for_each_job(
        &self,
        part: &ResultBox,
        visit: impl FnMut(TileTask) -> Result<()>,
    ) -> Result<()> {
        let dims = self.axes.len();
        let shape: Vec<u64> = (0..dims).map(|d| part.cells.len(d)).collect();
        let out_strides = box_strides(&shape, part.order);
        let cuts: Vec<Vec<Cut>> = (0..dims)
            .map(|d| self.axes[d].cuts(&self.grid.axes[d], part.cells.low[d], part.cells.high[d]))
            .collect();
        self.cut_jobs(&cuts, (&out_strides, part.start), visit)
    }

    /// Calls `visit` with the job of each tile of these cuts, by dimension. Cells go from `start` on, so far apart as
    /// `out_strides` say.
    fn cut_jobs(
        &self,
        cuts: &[Vec<Cut>],
        (out_strides, start): (&[u64], u64),
        mut visit: impl FnMut(TileTask) -> Result<()>,
    ) -> Result<()> {
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
            let mut job = TileTaskBuilder::new(self, &tile, out_strides, start);
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
}

/// Puts a job to those that wait, which are run once they are `number`.
fn wait(
    jobs: &mut Vec<TileTask>,
    job: TileTask,
    number: usize,
    run: &mut impl FnMut(&[TileTask]) -> Result<()>,
) -> Result<()> {
    jobs.push(job);
    if jobs.len() < number {
        return Ok(());
    }
    run(jobs)?;
    jobs.clear();
    Ok(())
}

/// What a layer holds of a space tile.
#[derive(Clone, Debug)]
enum TileContents {
    /// The tile of this number.
    Tile(u64),
    /// Cells of these numbers.
    Points(Range<usize>),
}

/// A job in the making: the cells of one space tile, given to fragments.
struct TileTaskBuilder<'a> {
    plan: &'a Plan,
    low: Vec<u64>,
    /// The layers that have a cell of the tile, newest first, with the tile's place in them, or the cells there.
    layers: Vec<(usize, TileContents)>,
    out_strides: &'a [u64],
    start: u64,
    pieces: Vec<TileSlice>,
}

impl<'a> TileTaskBuilder<'a> {
    fn new(plan: &'a Plan, tile: &[u64], out_strides: &'a [u64], start: u64) -> Self {
        let cells = plan.grid.tile_cells(tile);
        let has = |(_, layer): &(usize, &FragmentView)| layer.cells.overlaps(&cells);
        let layers = plan.layers.iter().enumerate().rev().filter(has);
        let layers = layers
            .map(|(at, layer)| match &layer.points {
                None => (
                    at,
                    TileContents::Tile(plan.grid.tile_position(&layer.tiles, tile)),
                ),
                Some(points) => (at, TileContents::Points(points.in_tile(tile))),
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

    fn finish(self) -> TileTask {
        TileTask {
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
                (layer, TileContents::Tile(tile)) => (*layer, *tile),
                (layer, TileContents::Points(numbers)) => {
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
            let walk = StridedCopy::new(Vec::new(), point.cell, to as usize);
            let piece = self.piece(Some(layer), point.tile, point.cell_num);
            piece.walks.push(walk);
            piece.points.push(number);
        }
    }

    /// The piece of a tile of a fragment, made where there is none yet.
    fn piece(&mut self, fragment: Option<usize>, tile: u64, cell_num: u64) -> &mut TileSlice {
        let same = |piece: &TileSlice| piece.fragment == fragment && piece.tile == tile;
        let at = self.pieces.iter().position(same).unwrap_or_else(|| {
            self.pieces.push(TileSlice {
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
            axes.push(CopyAxis {
                len: cells.len(d) as usize,
                from: from_stride as usize,
                to: self.out_strides[d] as usize,
            });
        }
        let walk = StridedCopy::new(axes, from as usize, to as usize);
        let cell_num = self.plan.grid.tile_cell_num;
        self.piece(fragment, tile, cell_num).walks.push(walk);
    }
}
