//! Finds the tiles that may contain results, by the ranges of the query and the R-trees of the
//! fragments.

mod budget;
mod estimate;
mod key_ranges;

use self::key_ranges::{KeyRanges, keys};
use super::tiles::FragmentSource;
use crate::context::Context;
use crate::error::Result;
use crate::fragment::{FoundTile, TileWindows};
use crate::geometry::PackedColumn;
use crate::memory::tuning::FRAGMENT_SEARCH_BYTES;
use crate::schema::Dimension;
use crate::subarray::Subarray;
use crate::tile::CellsRef;
use crate::typed;
use crate::types::{Match, Physical, Range, Value};

pub(super) use self::budget::offsets_window;
pub(super) use self::estimate::estimate;

/// A tile that may contain results.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScannedTile {
    /// The index of the fragment in the read.
    pub(super) source: u32,
    pub(super) found: FoundTile,
}

/// The tiles of a read that may contain results: by fragment, the oldest first, in ascending order.
#[derive(Debug)]
pub(super) struct TileScan {
    pub(super) by_fragment: Vec<Vec<ScannedTile>>,
}

impl TileScan {
    /// Searches the fragments in parallel.
    pub(super) fn new(
        context: &Context,
        sources: &[FragmentSource],
        ranges: &RangeFilter,
    ) -> Result<Self> {
        // On object stores each R-tree may be a request, which the thread waits for.
        let is_remote = sources.iter().any(|source| source.fragment.is_remote());
        let bytes = if is_remote {
            u64::MAX
        } else {
            FRAGMENT_SEARCH_BYTES.saturating_mul(sources.len() as u64)
        };
        let by_fragment = context.map_sized(bytes, sources.len(), |index| {
            let found = tiles_of(&sources[index], ranges)?.into_iter();
            let source = index as u32;
            Ok(found.map(|found| ScannedTile { source, found }).collect())
        })?;
        Ok(Self { by_fragment })
    }

    /// Returns the tiles of all fragments, fragment by fragment.
    pub(super) fn into_tiles(self) -> Vec<ScannedTile> {
        self.by_fragment.into_iter().flatten().collect()
    }
}

fn tiles_of(source: &FragmentSource, ranges: &RangeFilter) -> Result<Vec<FoundTile>> {
    let fragment = &source.fragment;
    let Some(domain) = fragment.footer.non_empty_domain.as_ref() else {
        return Ok(Vec::new());
    };
    if ranges.is_all() {
        fragment.check_tile_num(source.window.map(|_| TileWindows::new(1)).as_ref())?;
        let tiles = 0..fragment.tile_num;
        return Ok(tiles.map(|tile| FoundTile { tile, whole: true }).collect());
    }
    if ranges.overlap(domain) == Match::None {
        return Ok(Vec::new());
    }
    fragment.find_tiles(|mbr| ranges.overlap(mbr))
}

/// The ranges of one dimension.
#[derive(Debug)]
enum DimRangeFilter {
    /// Every coordinate.
    All,
    /// Ranges of keys of a datatype.
    Fixed(Physical, KeyRanges<u64>),
    /// Ranges of strings.
    Text(KeyRanges<Box<[u8]>>),
}

fn text_order(end: &impl AsRef<[u8]>, text: &[u8]) -> std::cmp::Ordering {
    end.as_ref().cmp(text)
}

impl DimRangeFilter {
    fn new(dimension: &Dimension, ranges: &[Range], counted: bool) -> Self {
        if dimension.is_var() {
            let ranges = ranges
                .iter()
                .map(|range| (range.start().into(), range.end().into()))
                .collect();
            return Self::Text(KeyRanges::new(ranges, counted, |_, _| false));
        }
        let physical = dimension.datatype.physical();
        let keys = ranges
            .iter()
            .map(|range| typed!(physical, T => keys::<T>(range)));
        let ranges = if dimension.datatype.is_real() {
            KeyRanges::new(keys.collect(), counted, |_, _| false)
        } else {
            KeyRanges::new(keys.collect(), counted, |last, next| {
                last.checked_add(1) == Some(*next)
            })
        };
        Self::Fixed(physical, ranges)
    }

    /// Returns whether the range of an MBR is inside, overlaps or misses the ranges.
    pub(crate) fn overlap(&self, mbr: &Range) -> Match {
        match self {
            Self::All => Match::All,
            Self::Fixed(physical, ranges) => {
                let (low, high) = typed!(*physical, T => keys::<T>(mbr));
                ranges.overlap(&low, &high, Ord::cmp)
            }
            Self::Text(ranges) => ranges.overlap(mbr.start(), mbr.end(), text_order),
        }
    }

    /// Returns the largest number of times that a coordinate in the range of an MBR, or anywhere,
    /// is returned.
    fn max_count(&self, mbr: Option<&Range>) -> u64 {
        let meeting = match (self, mbr) {
            (Self::Fixed(physical, ranges), Some(mbr)) if ranges.counted => {
                let (low, high) = typed!(*physical, T => keys::<T>(mbr));
                ranges.meeting(&low, &high, Ord::cmp)
            }
            (Self::Text(ranges), Some(mbr)) if ranges.counted => {
                ranges.meeting(mbr.start(), mbr.end(), text_order)
            }
            (Self::Fixed(_, ranges), None) => ranges.starts.len() as u64,
            (Self::Text(ranges), None) => ranges.starts.len() as u64,
            _ => 1,
        };
        meeting.max(1)
    }

    /// Returns the number of coordinates in the range of an MBR that are requested, each counted
    /// once; `None` if they are not integers.
    fn coordinate_num(&self, mbr: &Range) -> Option<u64> {
        let Self::Fixed(physical, ranges) = self else {
            return None;
        };
        if matches!(physical, Physical::F32 | Physical::F64) {
            return None;
        }
        let (low, high) = typed!(*physical, T => keys::<T>(mbr));
        let (starts, ends) = ranges.disjoint();
        let first = ends.partition_point(|end| *end < low);
        let meeting = starts
            .iter()
            .zip(ends)
            .skip(first)
            .take_while(|(start, _)| **start <= high);
        Some(
            meeting
                .map(|(start, end)| {
                    let (start, end) = ((*start).max(low), (*end).min(high));
                    end.saturating_sub(start).saturating_add(1)
                })
                .fold(0, u64::saturating_add),
        )
    }

    /// Returns whether a cell is returned once for each range that contains it.
    fn is_counted(&self) -> bool {
        match self {
            Self::All => false,
            Self::Fixed(_, ranges) => ranges.counted,
            Self::Text(ranges) => ranges.counted,
        }
    }

    /// Clears the bytes of `selected`, one per cell of a tile, of cells whose coordinate is in no
    /// range. `mbr` contains all cells.
    fn select(&self, column: CellsRef<'_>, mbr: &Range, selected: &mut [u8]) {
        match self {
            Self::All => {}
            Self::Fixed(physical, ranges) => {
                let (low, high) = typed!(*physical, T => keys::<T>(mbr));
                // Only ranges that overlap the MBR can contain a cell.
                let from = ranges.ends.partition_point(|end| *end < low);
                let to = ranges.starts.partition_point(|start| *start <= high);
                let (starts, ends) = if ranges.counted {
                    (&ranges.starts[..], &ranges.ends[..])
                } else if from < to {
                    (&ranges.starts[from..to], &ranges.ends[from..to])
                } else {
                    return selected.fill(0);
                };
                typed!(*physical, T => select_keys::<T>(column.data, starts, ends, ranges.counted, selected));
            }
            Self::Text(ranges) if !ranges.counted => select_texts(column, ranges, selected),
            Self::Text(ranges) => {
                for (cell, selected) in selected.iter_mut().enumerate() {
                    if *selected != 0 {
                        *selected = u8::from(ranges.count(column.get(cell, 0), text_order) > 0);
                    }
                }
            }
        }
    }

    /// Multiplies the counts of the cells of a tile by the number of ranges that contain their
    /// coordinate.
    fn count(&self, column: CellsRef<'_>, counts: &mut [u64]) {
        match self {
            Self::All => {}
            Self::Fixed(physical, ranges) => {
                typed!(*physical, T => count_keys::<T>(column.data, ranges, counts));
            }
            Self::Text(ranges) => {
                for (cell, count) in counts.iter_mut().enumerate() {
                    *count = count.saturating_mul(ranges.count(column.get(cell, 0), text_order));
                }
            }
        }
    }
}

fn select_keys<T: Value>(
    data: &[u8],
    starts: &[u64],
    ends: &[u64],
    counted: bool,
    selected: &mut [u8],
) {
    let cells = data.chunks_exact(T::SIZE).zip(selected);
    match (starts, ends) {
        ([low], [high]) => {
            let (low, width) = (*low, high - low);
            for (cell, selected) in cells {
                *selected &= u8::from(T::read(cell).to_key().wrapping_sub(low) <= width);
            }
        }
        _ if counted => {
            for (cell, selected) in cells {
                let key = T::read(cell).to_key();
                let started = starts.partition_point(|start| *start <= key);
                *selected &= u8::from(started > ends.partition_point(|end| *end < key));
            }
        }
        _ => {
            // Neighbouring cells are often in the same range or in the same gap between ranges.
            let mut range = 0;
            for (cell, selected) in cells {
                let key = T::read(cell).to_key();
                let is_same =
                    starts[range] <= key && starts.get(range + 1).is_none_or(|next| key < *next);
                if !is_same {
                    range = starts
                        .partition_point(|start| *start <= key)
                        .saturating_sub(1);
                }
                *selected &= u8::from(starts[range] <= key && key <= ends[range]);
            }
        }
    }
}

/// Clears the bytes of cells whose string is in no range. The ranges do not overlap.
fn select_texts(column: CellsRef<'_>, ranges: &KeyRanges<Box<[u8]>>, selected: &mut [u8]) {
    let (starts, ends) = (&ranges.starts, &ranges.ends);
    // The first range that does not end before the cell. Neighbouring cells often have the same.
    let mut range = 0;
    for (cell, selected) in selected.iter_mut().enumerate() {
        if *selected == 0 {
            continue;
        }
        let text = column.get(cell, 0);
        let ends_before = |index: usize| ends.get(index).is_some_and(|end| **end < *text);
        let is_same = !ends_before(range) && (range == 0 || ends_before(range - 1));
        if !is_same {
            range = ends.partition_point(|end| **end < *text);
        }
        *selected = u8::from(starts.get(range).is_some_and(|start| **start <= *text));
    }
}

fn count_keys<T: Value>(data: &[u8], ranges: &KeyRanges<u64>, counts: &mut [u64]) {
    for (cell, count) in data.chunks_exact(T::SIZE).zip(counts) {
        *count = count.saturating_mul(ranges.count(&T::read(cell).to_key(), Ord::cmp));
    }
}

/// The ranges of a query.
#[derive(Debug)]
pub(crate) struct RangeFilter {
    dims: Vec<DimRangeFilter>,
}

impl RangeFilter {
    /// Creates the ranges of a subarray. If `merge` is false, a cell is returned once for each
    /// range that contains it.
    pub(crate) fn new(subarray: &Subarray, merge: bool) -> Self {
        let dims =
            subarray
                .schema
                .domain
                .dimensions
                .iter()
                .enumerate()
                .map(|(index, dimension)| {
                    if subarray.is_whole(index) {
                        DimRangeFilter::All
                    } else {
                        DimRangeFilter::new(dimension, subarray.ranges(index), !merge)
                    }
                });
        Self {
            dims: dims.collect(),
        }
    }

    /// Returns whether every cell is requested.
    pub(crate) fn is_all(&self) -> bool {
        self.dims
            .iter()
            .all(|dim| matches!(dim, DimRangeFilter::All))
    }

    /// Returns whether each dimension has at most one range after overlapping ranges were merged.
    pub(crate) fn is_one_box(&self) -> bool {
        self.dims.iter().all(|dim| match dim {
            DimRangeFilter::All => true,
            DimRangeFilter::Fixed(_, ranges) => ranges.starts.len() <= 1,
            DimRangeFilter::Text(ranges) => ranges.starts.len() <= 1,
        })
    }

    /// Returns whether some cells are returned several times.
    pub(crate) fn is_counted(&self) -> bool {
        self.dims.iter().any(DimRangeFilter::is_counted)
    }

    /// Returns whether a rectangle is inside, overlaps or misses the ranges.
    pub(crate) fn overlap(&self, mbr: &[Range]) -> Match {
        self.dims
            .iter()
            .zip(mbr)
            .map(|(dim, range)| dim.overlap(range))
            .min()
            .unwrap_or(Match::All)
    }

    /// Returns the largest number of times that a cell in a rectangle is returned.
    pub(crate) fn max_count(&self, mbr: &[Range]) -> u64 {
        self.dims
            .iter()
            .enumerate()
            .map(|(index, dim)| dim.max_count(mbr.get(index)))
            .fold(1, u64::saturating_mul)
    }

    /// Returns the number of different coordinates in a rectangle that are requested; `None` if a
    /// dimension with ranges is not of integers. Dimensions without ranges count completely.
    pub(crate) fn coordinate_num(&self, mbr: &[Range], dimensions: &[Physical]) -> Option<u64> {
        if mbr.len() != self.dims.len() {
            return None;
        }
        let mut number = 1u64;
        for ((dim, range), physical) in self.dims.iter().zip(mbr).zip(dimensions) {
            let of_dim = match dim {
                DimRangeFilter::All if !range.is_var() => {
                    let (low, high) = typed!(*physical, T => keys::<T>(range));
                    let is_real = matches!(physical, Physical::F32 | Physical::F64);
                    (!is_real).then(|| high.saturating_sub(low).saturating_add(1))
                }
                _ => dim.coordinate_num(range),
            };
            number = number.saturating_mul(of_dim?);
        }
        Some(number)
    }

    /// Returns the dimensions whose ranges do not contain a rectangle completely.
    pub(crate) fn excluding_dims(&self, mbr: &[Range]) -> impl Iterator<Item = usize> {
        self.dims
            .iter()
            .zip(mbr)
            .enumerate()
            .filter(|(_, (dim, range))| dim.overlap(range) != Match::All)
            .map(|(index, _)| index)
    }

    /// Clears the bytes of `selected`, one per cell of a tile, of cells that dimension `dim` rules
    /// out.
    pub(crate) fn select(
        &self,
        dim: usize,
        column: CellsRef<'_>,
        mbr: &Range,
        selected: &mut [u8],
    ) {
        self.dims[dim].select(column, mbr, selected);
    }

    /// Clears the bytes of `selected` of cells whose packed coordinates are in no range.
    pub(crate) fn select_packed(
        &self,
        dim: usize,
        column: &PackedColumn,
        selected: &mut [u8],
    ) -> Result<()> {
        match &self.dims[dim] {
            DimRangeFilter::All | DimRangeFilter::Text(_) => Ok(()),
            DimRangeFilter::Fixed(_, ranges) => {
                let (starts, ends) = ranges.disjoint();
                column.select(starts, ends, selected)
            }
        }
    }

    /// Multiplies the counts of the cells of a tile by the number of ranges of dimension `dim` that
    /// contain them.
    pub(crate) fn count(&self, dim: usize, column: CellsRef<'_>, counts: &mut [u64]) {
        self.dims[dim].count(column, counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(b'a'..=b'c', 0..3)
    }

    proptest! {
        #[test]
        fn texts_are_selected_like_one_range_after_the_other(
            list in proptest::collection::vec((text(), text()), 0..6),
            texts in proptest::collection::vec((text(), any::<bool>()), 0..20),
        ) {
            let boxed = list.iter().map(|(start, end)| (start[..].into(), end[..].into()));
            let ranges = KeyRanges::new(boxed.collect(), false, |_, _| false);
            let (mut data, mut starts, mut selected) = (Vec::new(), vec![0], Vec::new());
            for (text, is_selected) in &texts {
                data.extend_from_slice(text);
                starts.push(data.len() as u64);
                selected.push(u8::from(*is_selected));
            }
            let column = CellsRef {
                data: &data,
                starts: Some(&starts),
                validity: None,
            };
            select_texts(column, &ranges, &mut selected);
            let expected = texts.iter().map(|(text, is_selected)| {
                let mut all = list.iter();
                let is_inside = all.any(|(start, end)| start <= text && text <= end);
                u8::from(*is_selected && is_inside)
            });
            prop_assert_eq!(selected, expected.collect::<Vec<_>>());
        }
    }
}
