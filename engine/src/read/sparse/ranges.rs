//! The ranges of a query by dimension, sorted once so that each lookup is logarithmic in the number
//! of ranges.
//!
//! Ranges of fixed-size dimensions are stored as order-preserving keys. Floating-point zero has two
//! keys: ranges and the ends of MBRs are extended to contain both.

use crate::error::Result;
use crate::fragment::Overlap;
use crate::geometry::PackedColumn;
use crate::schema::Dimension;
use crate::subarray::Subarray;
use crate::tile::CellsRef;
use crate::typed;
use crate::types::{Physical, Range, Value};

/// The ranges of one dimension.
#[derive(Debug)]
pub(super) enum DimRangeFilter {
    /// Every coordinate.
    All,
    /// Ranges of keys of a datatype.
    Fixed(Physical, Ranges<u64>),
    /// Ranges of strings.
    Text(Ranges<Box<[u8]>>),
}

/// Ranges of one dimension, both ends included.
#[derive(Debug)]
pub(super) struct Ranges<T> {
    /// The lower ends, ascending.
    starts: Vec<T>,
    /// The upper ends, ascending. If ranges do not overlap, the ends with equal index form a range.
    ends: Vec<T>,
    /// Whether some ranges overlap and a cell is returned once for each range that contains it.
    counted: bool,
    /// The union of overlapping ranges, as disjoint ranges.
    united: (Vec<T>, Vec<T>),
}

impl<T: Ord + Clone> Ranges<T> {
    /// Sorts ranges. Overlapping ranges, or adjacent ones according to `touch`, are merged unless
    /// cells are returned once per range.
    fn new(mut ranges: Vec<(T, T)>, counted: bool, touch: impl Fn(&T, &T) -> bool) -> Self {
        // A range whose upper end is less than its lower end is empty.
        ranges.retain(|(start, end)| start <= end);
        ranges.sort_unstable();
        if counted && ranges.windows(2).any(|pair| pair[1].0 <= pair[0].1) {
            let starts: Vec<T> = ranges.iter().map(|(start, _)| start.clone()).collect();
            let mut ends: Vec<T> = ranges.into_iter().map(|(_, end)| end).collect();
            ends.sort_unstable();
            return Self {
                united: united(&starts, &ends),
                starts,
                ends,
                counted: true,
            };
        }
        let mut merged = Self {
            starts: Vec::with_capacity(ranges.len()),
            ends: Vec::with_capacity(ranges.len()),
            counted: false,
            united: Default::default(),
        };
        for (start, end) in ranges {
            match merged.ends.last_mut() {
                Some(last) if start <= *last || touch(last, &start) => {
                    if end > *last {
                        *last = end;
                    }
                }
                _ => {
                    merged.starts.push(start);
                    merged.ends.push(end);
                }
            }
        }
        merged
    }

    /// Returns whether `[low, high]` is inside, overlaps or misses the ranges.
    fn overlap<Q: ?Sized>(
        &self,
        low: &Q,
        high: &Q,
        above: impl Fn(&T, &Q) -> std::cmp::Ordering,
    ) -> Overlap {
        // The number of ranges that start at or before `high`, minus those that end before `low`.
        let started = self
            .starts
            .partition_point(|start| above(start, high).is_le());
        let ended = self.ends.partition_point(|end| above(end, low).is_lt());
        if started <= ended {
            return Overlap::None;
        }
        let whole = !self.counted
            && started == ended + 1
            && above(&self.starts[ended], low).is_le()
            && above(&self.ends[ended], high).is_ge();
        if whole { Overlap::Whole } else { Overlap::Part }
    }

    /// Returns the number of ranges that contain a value.
    fn count<Q: ?Sized>(&self, value: &Q, above: impl Fn(&T, &Q) -> std::cmp::Ordering) -> u64 {
        let started = self
            .starts
            .partition_point(|start| above(start, value).is_le());
        let ended = self.ends.partition_point(|end| above(end, value).is_lt());
        started.saturating_sub(ended) as u64
    }
}

/// Returns the union of overlapping ranges as disjoint ranges. Starts and ends are in ascending
/// order.
fn united<T: Ord + Clone>(starts: &[T], ends: &[T]) -> (Vec<T>, Vec<T>) {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut next = 0;
    for (index, end) in ends.iter().enumerate() {
        // All previous ranges have ended if the next one starts after this end.
        if starts.get(index + 1).is_none_or(|start| start > end) {
            first.extend(starts.get(next).cloned());
            last.push(end.clone());
            next = index + 1;
        }
    }
    (first, last)
}

/// Returns the approximate distance of two strings, computed from the characters after the first
/// `common` ones.
fn width(low: &[u8], high: &[u8], common: usize) -> f64 {
    let first = |text: &[u8]| f64::from(text.get(common).copied().unwrap_or_default());
    if low == high {
        1.0
    } else {
        first(high) - first(low) + 1.0
    }
}

/// Returns the fraction of the range of an MBR that some ranges cover.
fn share_of<T: Value>(ranges: &Ranges<u64>, mbr: &Range) -> f64 {
    let (low, high) = keys::<T>(mbr);
    let is_real = matches!(T::PHYSICAL, Physical::F32 | Physical::F64);
    let width = |low: u64, high: u64| {
        if is_real {
            T::from_key(high).to_f64() - T::from_key(low).to_f64()
        } else {
            high.saturating_sub(low) as f64 + 1.0
        }
    };
    let pairs = ranges.starts.iter().zip(&ranges.ends);
    let meeting = pairs.filter(|(start, end)| **start <= high && **end >= low);
    let covered: f64 = meeting
        .map(|(start, end)| width((*start).max(low), (*end).min(high)))
        .sum();
    match width(low, high) {
        whole if whole > 0.0 && whole.is_finite() => covered / whole,
        _ => 1.0,
    }
}

fn text_order(end: &impl AsRef<[u8]>, text: &[u8]) -> std::cmp::Ordering {
    end.as_ref().cmp(text)
}

/// Returns the key of a lower end; for zero, the lower of both keys.
fn low_key<T: Value>(bytes: &[u8]) -> u64 {
    let value = T::read(bytes);
    if value == T::default() {
        zero_keys::<T>().0
    } else {
        value.to_key()
    }
}

/// Returns the key of an upper end; for zero, the upper of both keys.
fn high_key<T: Value>(bytes: &[u8]) -> u64 {
    let value = T::read(bytes);
    if value == T::default() {
        zero_keys::<T>().1
    } else {
        value.to_key()
    }
}

/// Returns the keys of both floating-point zeros; for integers, the same key twice.
fn zero_keys<T: Value>() -> (u64, u64) {
    let zero = T::default().to_key();
    match T::PHYSICAL {
        Physical::F32 | Physical::F64 => (zero - 1, zero),
        _ => (zero, zero),
    }
}

fn keys<T: Value>(range: &Range) -> (u64, u64) {
    (low_key::<T>(range.start()), high_key::<T>(range.end()))
}

impl DimRangeFilter {
    fn new(dimension: &Dimension, ranges: &[Range], counted: bool) -> Self {
        if dimension.is_var() {
            let text = |range: &Range| (range.start().into(), range.end().into());
            let ranges = ranges.iter().map(text).collect();
            return Self::Text(Ranges::new(ranges, counted, |_, _| false));
        }
        let physical = dimension.datatype.physical();
        let keys = ranges
            .iter()
            .map(|range| typed!(physical, T => keys::<T>(range)));
        let touch = |last: &u64, next: &u64| last.checked_add(1) == Some(*next);
        let ranges = if dimension.datatype.is_real() {
            Ranges::new(keys.collect(), counted, |_, _| false)
        } else {
            Ranges::new(keys.collect(), counted, touch)
        };
        Self::Fixed(physical, ranges)
    }

    /// Returns whether the range of an MBR is inside, overlaps or misses the ranges.
    pub(super) fn overlap(&self, mbr: &Range) -> Overlap {
        match self {
            Self::All => Overlap::Whole,
            Self::Fixed(physical, ranges) => {
                let (low, high) = typed!(*physical, T => keys::<T>(mbr));
                ranges.overlap(&low, &high, Ord::cmp)
            }
            Self::Text(ranges) => ranges.overlap(mbr.start(), mbr.end(), text_order),
        }
    }

    /// Returns the fraction of the range of an MBR that is requested.
    fn share(&self, mbr: &Range) -> f64 {
        let share = match self {
            Self::All => 1.0,
            Self::Fixed(physical, ranges) => {
                typed!(*physical, T => share_of::<T>(ranges, mbr))
            }
            Self::Text(ranges) => {
                let common = mbr.start().iter().zip(mbr.end());
                let common = common.take_while(|(a, b)| a == b).count();
                let pairs = ranges.starts.iter().zip(&ranges.ends);
                let meeting = pairs.filter(|(start, end)| {
                    text_order(start, mbr.end()).is_le() && text_order(end, mbr.start()).is_ge()
                });
                let shares = meeting.map(|(start, end)| {
                    let (from, to) = (mbr.start().max(start), mbr.end().min(end));
                    width(from, to, common) / width(mbr.start(), mbr.end(), common)
                });
                shares.sum()
            }
        };
        // If cells are returned once per range, the fraction can exceed 1.
        if share < 1.0 || self.is_counted() {
            share
        } else {
            1.0
        }
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
                let (starts, ends) = match ranges.counted {
                    true => (&ranges.starts[..], &ranges.ends[..]),
                    false if from >= to => return selected.fill(0),
                    false => (&ranges.starts[from..to], &ranges.ends[from..to]),
                };
                typed!(*physical, T => select_keys::<T>(column.data, starts, ends, ranges.counted, selected));
            }
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
            let mut index = 0;
            for (cell, selected) in cells {
                let key = T::read(cell).to_key();
                let near =
                    starts[index] <= key && starts.get(index + 1).is_none_or(|next| key < *next);
                if !near {
                    index = starts
                        .partition_point(|start| *start <= key)
                        .saturating_sub(1);
                }
                *selected &= u8::from(starts[index] <= key && key <= ends[index]);
            }
        }
    }
}

fn count_keys<T: Value>(data: &[u8], ranges: &Ranges<u64>, counts: &mut [u64]) {
    for (cell, count) in data.chunks_exact(T::SIZE).zip(counts) {
        *count = count.saturating_mul(ranges.count(&T::read(cell).to_key(), Ord::cmp));
    }
}

/// The ranges of a query.
#[derive(Debug)]
pub(super) struct RangeFilter {
    dims: Vec<DimRangeFilter>,
}

impl RangeFilter {
    /// Creates the ranges of a subarray. If `merge` is false, a cell is returned once for each
    /// range that contains it.
    pub(super) fn new(subarray: &Subarray, merge: bool) -> Self {
        let dimensions = subarray.schema().domain.dimensions.iter().enumerate();
        let dims = dimensions.map(|(dim, dimension)| {
            if subarray.is_whole(dim) {
                DimRangeFilter::All
            } else {
                DimRangeFilter::new(dimension, subarray.ranges(dim), !merge)
            }
        });
        Self {
            dims: dims.collect(),
        }
    }

    /// Returns whether every cell is requested.
    pub(super) fn is_all(&self) -> bool {
        self.dims
            .iter()
            .all(|dim| matches!(dim, DimRangeFilter::All))
    }

    /// Returns whether each dimension has at most one range after overlapping ranges were merged.
    pub(super) fn is_one_box(&self) -> bool {
        self.dims.iter().all(|dim| match dim {
            DimRangeFilter::All => true,
            DimRangeFilter::Fixed(_, ranges) => ranges.starts.len() <= 1,
            DimRangeFilter::Text(ranges) => ranges.starts.len() <= 1,
        })
    }

    /// Returns whether some cells are returned several times.
    pub(super) fn is_counted(&self) -> bool {
        self.dims.iter().any(DimRangeFilter::is_counted)
    }

    /// Returns whether a rectangle is inside, overlaps or misses the ranges.
    pub(super) fn overlap(&self, mbr: &[Range]) -> Overlap {
        let overlaps = self
            .dims
            .iter()
            .zip(mbr)
            .map(|(dim, range)| dim.overlap(range));
        overlaps.min().unwrap_or(Overlap::Whole)
    }

    /// Returns the fraction of a rectangle that is requested.
    pub(super) fn share(&self, mbr: &[Range]) -> f64 {
        let shares = self
            .dims
            .iter()
            .zip(mbr)
            .map(|(dim, range)| dim.share(range));
        shares.product()
    }

    /// Returns the dimensions whose ranges do not contain a rectangle completely.
    pub(super) fn deciding(&self, mbr: &[Range]) -> impl Iterator<Item = usize> {
        let dims = self.dims.iter().zip(mbr).enumerate();
        let deciding = dims.filter(|(_, (dim, range))| dim.overlap(range) != Overlap::Whole);
        deciding.map(|(index, _)| index)
    }

    /// Clears the bytes of `selected`, one per cell of a tile, of cells that dimension `dim` rules
    /// out.
    pub(super) fn select(
        &self,
        dim: usize,
        column: CellsRef<'_>,
        mbr: &Range,
        selected: &mut [u8],
    ) {
        self.dims[dim].select(column, mbr, selected);
    }

    /// Clears the bytes of `selected` of cells whose packed coordinates are in no range.
    pub(super) fn select_narrow(
        &self,
        dim: usize,
        column: &PackedColumn,
        selected: &mut [u8],
    ) -> Result<()> {
        match &self.dims[dim] {
            DimRangeFilter::All | DimRangeFilter::Text(_) => Ok(()),
            DimRangeFilter::Fixed(_, ranges) if ranges.counted => {
                let (starts, ends) = &ranges.united;
                column.select(starts, ends, selected)
            }
            DimRangeFilter::Fixed(_, ranges) => {
                column.select(&ranges.starts, &ranges.ends, selected)
            }
        }
    }

    /// Multiplies the counts of the cells of a tile by the number of ranges of dimension `dim` that
    /// contain them.
    pub(super) fn count(&self, dim: usize, column: CellsRef<'_>, counts: &mut [u64]) {
        self.dims[dim].count(column, counts);
    }
}
