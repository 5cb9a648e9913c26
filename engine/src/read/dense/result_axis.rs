//! A dimension of the result: the coordinates of its ranges, concatenated in the order in which the
//! caller added them.

use crate::error::{Error, ReadError, Result};
use crate::geometry::{CellBox, GridAxis, Order, for_each_position};
use crate::subarray::Subarray;

/// A run of coordinates of one dimension that are consecutive in the domain and in the result.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The first coordinate in the domain.
    coordinate: u64,
    /// The first coordinate in the result.
    out: u64,
    len: u64,
}

impl Segment {
    /// Returns the last coordinate in the domain.
    fn last(&self) -> u64 {
        self.coordinate + (self.len - 1)
    }

    /// Appends the parts of the segment, divided at tile boundaries.
    fn cut(self, axis: &GridAxis, cuts: &mut Vec<Cut>) {
        let (mut coordinate, mut out, mut left) = (self.coordinate, self.out, self.len);
        while left > 0 {
            let len = left.min(axis.extent - coordinate % axis.extent);
            cuts.push(Cut {
                tile: coordinate / axis.extent,
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

/// A part of a segment within one tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) tile: u64,
    pub(super) coordinate: u64,
    pub(super) out: u64,
    pub(super) len: u64,
}

impl ResultAxis {
    pub(super) fn new(axis: &GridAxis, subarray: &Subarray, dim: usize) -> Result<Self> {
        let dimension = &subarray.schema().domain.dimensions[dim];
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
        let numbers = self.segments.iter().map(tiles);
        numbers.fold(0, u64::saturating_add)
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
        let open = |(index, start): (usize, &u64)| {
            let ended = ends.partition_point(|end| end < start);
            (index + 1 - ended) as u64
        };
        starts.iter().enumerate().map(open).max().unwrap_or(1)
    }

    /// Returns the tiles with coordinates of the result in `low..=high` of the domain, each with
    /// the number of these coordinates, which counts repeated ones repeatedly.
    pub(super) fn coordinates_by_tile(
        &self,
        axis: &GridAxis,
        low: u64,
        high: u64,
    ) -> Vec<(u64, u64)> {
        let cuts = self.cuts_within(axis, low, high);
        let tiles = cuts.chunk_by(|a, b| a.tile == b.tile);
        let count = |cuts: &[Cut]| cuts.iter().map(|cut| cut.len).fold(0, u64::saturating_add);
        tiles.map(|cuts| (cuts[0].tile, count(cuts))).collect()
    }

    /// Returns the coordinate in the domain of a coordinate of the result.
    pub(super) fn domain_coordinate(&self, out: u64) -> u64 {
        let segment =
            &self.segments[self.segments.partition_point(|segment| segment.out <= out) - 1];
        segment.coordinate + (out - segment.out)
    }

    /// Returns the coordinates `low..=high` of the result, divided at segment and tile boundaries,
    /// by tile.
    pub(super) fn cuts(&self, axis: &GridAxis, low: u64, high: u64) -> Vec<Cut> {
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
        cuts.sort_by_key(|cut| cut.tile);
        cuts
    }

    /// Returns the coordinates of the result that are in `low..=high` of the domain, divided at
    /// segment and tile boundaries, by tile. Their output positions are their positions in the
    /// tile.
    pub(super) fn cuts_within(&self, axis: &GridAxis, low: u64, high: u64) -> Vec<Cut> {
        let mut cuts = Vec::new();
        for segment in &self.segments {
            let (first, last) = (segment.coordinate.max(low), segment.last().min(high));
            if first <= last {
                let part = Segment {
                    coordinate: first,
                    out: 0,
                    len: (last - first).saturating_add(1),
                };
                part.cut(axis, &mut cuts);
            }
        }
        cuts.sort_by_key(|cut| cut.tile);
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
    let first = |axis: &ResultAxis| {
        axis.segments
            .iter()
            .map(|segment| segment.coordinate)
            .min()
            .unwrap_or_default()
    };
    let last = |axis: &ResultAxis| axis.segments.iter().map(Segment::last).max();
    let last = |axis: &ResultAxis| last(axis).unwrap_or_default();
    CellBox {
        low: axes.iter().map(first).collect(),
        high: axes.iter().map(last).collect(),
    }
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
        let segments = axes.iter().zip(position);
        let segments = segments.map(|(axis, position)| axis.segments[*position as usize]);
        boxes.push(CellBox {
            low: segments.clone().map(|segment| segment.coordinate).collect(),
            high: segments.map(|segment| segment.last()).collect(),
        });
        Ok(())
    });
    done.ok().map(|()| boxes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::schema::{Dimension, Domain, SchemaDraft};
    use crate::types::{ArrayType, Datatype};

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
            dimensions: vec![Arc::new(dimension)],
        };
        let mut subarray = Subarray::new(&Arc::new(schema));
        for _ in 0..2 {
            let added = subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes());
            added.expect("a range");
        }
        let result_axis = ResultAxis::new(&axis, &subarray, 0).expect("an axis");
        assert_eq!(result_axis.space_tile_num(&axis), u64::MAX);
    }
}
