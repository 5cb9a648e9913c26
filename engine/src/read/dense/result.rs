//! The result of a dense read. Each of its dimensions has the coordinates of its ranges,
//! concatenated in the order in which the caller added them. A run, consecutive cells in the
//! caller's order, is a few boxes.

use std::ops::Range;

use crate::error::{Error, ReadError, Result};
use crate::geometry::{CellBox, GridAxis, Order, for_each_position};
use crate::subarray::Subarray;

/// A run of coordinates of one dimension that are consecutive in the domain and in the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The first coordinate in the domain.
    pub(super) coordinate: u64,
    /// The first coordinate in the result.
    pub(super) out: u64,
    pub(super) len: u64,
}

impl Segment {
    /// Returns the last coordinate in the domain.
    pub(super) fn last(&self) -> u64 {
        self.coordinate + (self.len - 1)
    }

    /// Returns the index of the space tile of a segment that is within one.
    pub(super) fn tile(&self, axis: &GridAxis) -> u64 {
        self.coordinate / axis.extent
    }

    /// Appends the parts of the segment, divided at tile boundaries.
    fn cut(self, axis: &GridAxis, cuts: &mut Vec<Segment>) {
        let (mut coordinate, mut out, mut left) = (self.coordinate, self.out, self.len);
        while left > 0 {
            let len = left.min(axis.extent - coordinate % axis.extent);
            cuts.push(Segment {
                coordinate,
                out,
                len,
            });
            (coordinate, out, left) = (coordinate.saturating_add(len), out + len, left - len);
        }
    }
}

/// A dimension of the result.
#[derive(Clone, Debug)]
pub(super) struct ResultAxis {
    segments: Vec<Segment>,
    pub(super) len: u64,
}

impl ResultAxis {
    pub(super) fn new(axis: &GridAxis, subarray: &Subarray, dim: usize) -> Result<Self> {
        let dimension = &subarray.schema.domain.dimensions[dim];
        let mut segments = Vec::with_capacity(subarray.ranges(dim).len());
        let mut len = 0u64;
        for range in subarray.ranges(dim) {
            let (low, high) = axis.span(dimension, range).ok_or_else(|| {
                Error::from(ReadError::OutsideDomain {
                    dimension: dimension.name.clone(),
                })
            })?;
            let segment = Segment {
                coordinate: low,
                out: len,
                len: (high - low).saturating_add(1),
            };
            len = len.saturating_add(segment.len);
            segments.push(segment);
        }
        Ok(Self { segments, len })
    }

    /// Returns whether the coordinates are one run in the domain.
    pub(super) fn is_one_run(&self) -> bool {
        self.segments.len() == 1
    }

    /// Returns the number of space tiles that its ranges intersect; each range counts separately.
    pub(super) fn space_tile_num(&self, axis: &GridAxis) -> u64 {
        let tiles =
            |segment: &Segment| segment.last() / axis.extent - segment.coordinate / axis.extent + 1;
        self.segments.iter().map(tiles).fold(0, u64::saturating_add)
    }

    /// Returns the largest number of ranges that contain the same coordinate.
    pub(super) fn max_repetitions(&self) -> u64 {
        let mut starts: Vec<u64> = self
            .segments
            .iter()
            .map(|segment| segment.coordinate)
            .collect();
        let mut ends: Vec<u64> = self.segments.iter().map(Segment::last).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        starts
            .iter()
            .enumerate()
            .map(|(index, start)| {
                let ended = ends.partition_point(|end| end < start);
                (index + 1 - ended) as u64
            })
            .max()
            .unwrap_or(1)
    }

    /// Returns the tiles with coordinates of the result in `low..=high` of the domain, each with
    /// the number of these coordinates, which counts repeated ones repeatedly.
    pub(super) fn coordinates_by_tile(
        &self,
        axis: &GridAxis,
        low: u64,
        high: u64,
    ) -> Vec<(u64, u64)> {
        let cuts = self.cuts_within(axis, &[(low, high)]);
        let tiles = cuts.chunk_by(|a, b| a.tile(axis) == b.tile(axis));
        tiles
            .map(|cuts| {
                let lens = cuts.iter().map(|cut| cut.len);
                (cuts[0].tile(axis), lens.fold(0, u64::saturating_add))
            })
            .collect()
    }

    /// Returns the coordinate in the domain of a coordinate of the result.
    pub(super) fn domain_coordinate(&self, out: u64) -> u64 {
        let segment =
            &self.segments[self.segments.partition_point(|segment| segment.out <= out) - 1];
        segment.coordinate + (out - segment.out)
    }

    /// Returns the coordinates `low..=high` of the result, divided at segment and tile boundaries,
    /// by tile.
    pub(super) fn cuts(&self, axis: &GridAxis, low: u64, high: u64) -> Vec<Segment> {
        let mut cuts = Vec::new();
        let first = self.segments.partition_point(|segment| segment.out <= low) - 1;
        for segment in self.segments[first..]
            .iter()
            .take_while(|segment| segment.out <= high)
        {
            let skipped = low.saturating_sub(segment.out);
            let end = segment.len.min((high - segment.out).saturating_add(1));
            let part = Segment {
                coordinate: segment.coordinate + skipped,
                out: segment.out + skipped - low,
                len: end - skipped,
            };
            part.cut(axis, &mut cuts);
        }
        cuts.sort_by_key(|cut| cut.tile(axis));
        cuts
    }

    /// Returns the coordinates of the result that are in ranges of the domain, which ascend and are
    /// disjoint, divided at segment and tile boundaries, by tile. Their output positions are their
    /// positions in the tile.
    pub(super) fn cuts_within(&self, axis: &GridAxis, ranges: &[(u64, u64)]) -> Vec<Segment> {
        let mut cuts = Vec::new();
        for segment in &self.segments {
            let first = ranges.partition_point(|(_, high)| *high < segment.coordinate);
            let ranges = ranges.iter().skip(first);
            for (low, high) in ranges.take_while(|(low, _)| *low <= segment.last()) {
                let (first, last) = (segment.coordinate.max(*low), segment.last().min(*high));
                let part = Segment {
                    coordinate: first,
                    out: 0,
                    len: (last - first).saturating_add(1),
                };
                part.cut(axis, &mut cuts);
            }
        }
        cuts.sort_by_key(|cut| cut.tile(axis));
        for cut in &mut cuts {
            cut.out = cut.coordinate % axis.extent;
        }
        cuts
    }

    /// Returns the last coordinate of the result in `from..=to` at which a tile or a range starts.
    pub(super) fn last_boundary(&self, axis: &GridAxis, from: u64, to: u64) -> Option<u64> {
        let segment =
            &self.segments[self.segments.partition_point(|segment| segment.out <= to) - 1];
        let coordinate = segment.coordinate + (to - segment.out);
        let tile_start = (coordinate / axis.extent * axis.extent).max(segment.coordinate);
        let boundary = segment.out + (tile_start - segment.coordinate);
        (boundary >= from).then_some(boundary)
    }
}

/// Returns the bounding box of the coordinates of all axes in the domain.
pub(super) fn bounds_of(axes: &[ResultAxis]) -> CellBox {
    let mut bounds = CellBox {
        low: Vec::with_capacity(axes.len()),
        high: Vec::with_capacity(axes.len()),
    };
    for axis in axes {
        let first = axis.segments.iter().map(|segment| segment.coordinate).min();
        let last = axis.segments.iter().map(Segment::last).max();
        bounds.low.push(first.unwrap_or_default());
        bounds.high.push(last.unwrap_or_default());
    }
    bounds
}

/// Returns a box in the domain for each combination of ranges, or `None` if there would be more
/// than `most`.
pub(super) fn boxes_of(axes: &[ResultAxis], most: u64) -> Option<Vec<CellBox>> {
    let numbers: Vec<u64> = axes.iter().map(|axis| axis.segments.len() as u64).collect();
    let number = numbers
        .iter()
        .fold(1u64, |all, number| all.saturating_mul(*number));
    if number > most {
        return None;
    }
    let mut boxes = Vec::with_capacity(number as usize);
    let done: Result<()> = for_each_position(&numbers, Order::RowMajor, |position| {
        let segments = axes
            .iter()
            .zip(position)
            .map(|(axis, position)| axis.segments[*position as usize]);
        boxes.push(CellBox {
            low: segments.clone().map(|segment| segment.coordinate).collect(),
            high: segments.map(|segment| segment.last()).collect(),
        });
        Ok(())
    });
    done.ok().map(|()| boxes)
}

/// A box of a run of the result, and the position of its cells in the buffers.
#[derive(Clone, Debug)]
pub(super) struct ResultBox {
    /// The box, in coordinates of the result.
    pub(super) cells: CellBox,
    /// The order of its cells in the buffers.
    pub(super) order: Order,
    /// The index of its first cell in the buffers.
    pub(super) start: u64,
}

/// Appends the boxes of a run of `cells`, which are counted in `order`. The first cell of the run
/// has the output index `start`.
pub(super) fn append_run(
    cells: &CellBox,
    order: Order,
    run: Range<u64>,
    start: u64,
    boxes: &mut Vec<ResultBox>,
) {
    if run.is_empty() {
        return;
    }
    if run.start == 0 && run.end >= cells.cell_num() {
        boxes.push(ResultBox {
            cells: cells.clone(),
            order,
            start,
        });
        return;
    }
    let Some((dim, row)) = rows_of(cells, order) else {
        return;
    };
    let rows = |low, high| slice_of(cells, dim, low, high);
    let (first, last) = (run.start / row, (run.end - 1) / row);
    if first == last {
        let in_row = run.start - first * row..run.end - first * row;
        return append_run(&rows(first, first), order, in_row, start, boxes);
    }
    // The first and the last row may be cut; those between them are complete.
    let (head, tail) = (run.start - first * row, run.end - last * row);
    let mut complete = first..last + 1;
    if head > 0 {
        append_run(&rows(first, first), order, head..row, start, boxes);
        complete.start += 1;
    }
    if tail < row {
        complete.end -= 1;
    }
    if !complete.is_empty() {
        boxes.push(ResultBox {
            cells: rows(complete.start, complete.end - 1),
            order,
            start: start + (complete.start * row - run.start),
        });
    }
    if tail < row {
        let start = start + (last * row - run.start);
        append_run(&rows(last, last), order, 0..tail, start, boxes);
    }
}

/// Returns the part of a box with the coordinates `low..=high` of a dimension, counted from the
/// first.
fn slice_of(cells: &CellBox, dim: usize, low: u64, high: u64) -> CellBox {
    let mut slice = cells.clone();
    slice.low[dim] = cells.low[dim] + low;
    slice.high[dim] = cells.low[dim] + high;
    slice
}

/// Returns the slowest dimension with more than one coordinate, and the number of cells of one of
/// its coordinates.
fn rows_of(cells: &CellBox, order: Order) -> Option<(usize, u64)> {
    let dims = order.slowest_first(cells.dim_num());
    let dim = *dims.iter().find(|dim| cells.len(**dim) > 1)?;
    // Not the quotient of the number of cells, which saturates for huge boxes.
    let row = dims
        .iter()
        .filter(|other| **other != dim)
        .fold(1, |row: u64, other| row.saturating_mul(cells.len(*other)));
    Some((dim, row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{box_strides, for_each_position};
    use crate::schema::{Dimension, Domain, SchemaDraft};
    use crate::types::{ArrayType, Datatype};
    use proptest::prelude::*;
    use std::sync::Arc;

    #[test]
    fn space_tiles_of_ranges_of_a_huge_domain_are_counted() {
        let (low, high) = (0u64, u64::MAX - 1);
        let domain = [low.to_le_bytes(), high.to_le_bytes()].concat();
        let extent = 1u64.to_le_bytes();
        let dimension = Dimension::new("d", Datatype::Uint64, Some(&domain), Some(&extent));
        let dimension = dimension.expect("a dimension");
        let axis = GridAxis::new(&dimension).expect("an axis");
        let mut schema = SchemaDraft::new(ArrayType::Dense, Some(1)).snapshot();
        schema.domain = Domain {
            dimensions: vec![Arc::new(dimension)].into(),
        };
        let mut subarray = Subarray::new(&Arc::new(schema));
        for _ in 0..2 {
            let added = subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes());
            added.expect("a range");
        }
        let result_axis = ResultAxis::new(&axis, &subarray, 0).expect("an axis");
        assert_eq!(result_axis.space_tile_num(&axis), u64::MAX);
    }

    #[test]
    fn runs_of_huge_boxes_keep_complete_rows() {
        let side = 1 << 40;
        let vast = CellBox {
            low: vec![0; 2],
            high: vec![side - 1; 2],
        };
        for (order, rows) in [(Order::RowMajor, 0), (Order::ColMajor, 1)] {
            let mut boxes = Vec::new();
            append_run(&vast, order, 10..1 << 30, 0, &mut boxes);
            let [result_box] = &boxes[..] else {
                panic!("{boxes:?}")
            };
            assert_eq!(
                (result_box.cells.low[rows], result_box.cells.high[rows]),
                (0, 0)
            );
            let columns = 1 - rows;
            assert_eq!(result_box.cells.low[columns], 10);
            assert_eq!(result_box.cells.high[columns], (1 << 30) - 1);
            boxes.clear();
            append_run(&vast, order, side - 5..3 * side + 7, 0, &mut boxes);
            let numbers: Vec<u64> = boxes
                .iter()
                .map(|result_box| result_box.cells.cell_num())
                .collect();
            assert_eq!(numbers, [5, 2 * side, 7]);
            let starts: Vec<u64> = boxes.iter().map(|result_box| result_box.start).collect();
            assert_eq!(starts, [0, 5, 2 * side + 5]);
        }
    }

    proptest! {
        #[test]
        fn the_boxes_of_a_run_contain_each_of_its_cells_at_its_position(
            shape in proptest::collection::vec(1u64..6, 1..4),
            ends in (0u64..200, 0u64..200),
            col_major: bool,
        ) {
            let order = if col_major { Order::ColMajor } else { Order::RowMajor };
            let whole = CellBox { low: vec![3; shape.len()], high: shape.iter().map(|n| n + 2).collect() };
            let cells = whole.cell_num();
            let (from, end) = (ends.0.min(ends.1) % cells, (ends.0.max(ends.1) % cells) + 1);
            let mut boxes = Vec::new();
            append_run(&whole, order, from..end, 0, &mut boxes);
            let mut counts = vec![0; end.saturating_sub(from) as usize];
            let strides = box_strides(&shape, order);
            for result_box in &boxes {
                let part_shape: Vec<u64> = result_box.cells.shape();
                let part_strides = box_strides(&part_shape, order);
                for_each_position(&part_shape, order, |position| {
                    let index: u64 = (0..position.len()).map(|d| (position[d] + result_box.cells.low[d] - 3) * strides[d]).sum();
                    let cell: u64 = result_box.start + (0..position.len()).map(|d| position[d] * part_strides[d]).sum::<u64>();
                    assert_eq!(index - from, cell);
                    counts[cell as usize] += 1;
                    Ok::<(), ()>(())
                }).expect("never fails");
            }
            prop_assert!(counts.iter().all(|times| *times == 1));
        }
    }
}
