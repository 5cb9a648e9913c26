//! Estimates the number of bytes that a sparse read delivers: the sizes of the tiles that may
//! contain results, weighted by the fraction of their MBRs that is requested.
//!
//! Cells are counted once for each combination of ranges, one per dimension, as libtiledb does:
//! it merges ranges only when it reads. Without duplicates, a combination has at most as many cells
//! as coordinates.

use super::super::tiles::TileLoader;
use super::TileScan;
use super::key_ranges::keys;
use crate::buffers::FieldSizes;
use crate::error::Result;
use crate::memory::tuning::MAX_RANGE_COMBINATIONS;
use crate::subarray::Subarray;
use crate::typed;
use crate::types::{Physical, Range, Value};

/// Estimates the size of a field. It is exact if all cells of the tiles are requested.
pub(crate) fn estimate(
    loader: &TileLoader,
    scan: &TileScan,
    subarray: &Subarray,
    index: usize,
) -> Result<FieldSizes> {
    let field = &loader.fields[index];
    let combinations = Combinations::new(subarray);
    // The expected cells and the bytes of variable-length values of each combination.
    let mut estimates = vec![(0.0, 0.0); combinations.count()];
    for scanned in scan.by_fragment.iter().flatten() {
        let source = scanned.source as usize;
        let tile = loader.tile(source, scanned.found.tile)?;
        let cells = tile.cell_num as f64;
        let values = if field.stored.cells.is_var() {
            loader.var_bytes(&tile, index)? as f64
        } else {
            0.0
        };
        let mbr = loader.sources[source].fragment.mbr(tile.index)?;
        combinations.for_each_share(mbr, |combination, share| {
            estimates[combination].0 += share * cells;
            estimates[combination].1 += share * values;
        });
    }
    let (mut cell_num, mut value_bytes) = (0.0, 0.0);
    for (combination, (cells, values)) in estimates.into_iter().enumerate() {
        cell_num += f64::min(cells, combinations.max_cells(combination));
        value_bytes += values;
    }
    let bytes = |cells: f64, cell_size: usize| (cells * cell_size as f64).ceil() as u64;
    let mut sizes = FieldSizes::default();
    if field.stored.cells.is_var() {
        // Empty without values; otherwise at least one cell.
        if value_bytes > 0.0 {
            sizes.data = bytes(value_bytes, 1).max(field.value_size as u64);
            sizes.offsets = bytes(cell_num, field.cell_size).max(field.cell_size as u64);
        }
    } else if cell_num > 0.0 {
        sizes.data = bytes(cell_num, field.cell_size).max(field.cell_size as u64);
    }
    if field.stored.cells.nullable && sizes.data > 0 {
        sizes.validity = bytes(cell_num, 1).max(1);
    }
    Ok(sizes)
}

/// The combinations of ranges of a subarray, one range per dimension; the last dimension varies
/// fastest.
struct Combinations<'a> {
    dims: Vec<DimSelection<'a>>,
    /// Whether all combinations are treated as one, because nothing limits their cells or they are
    /// too many.
    is_one: bool,
    /// Whether the number of cells is at most that of coordinates.
    is_limited: bool,
}

struct DimSelection<'a> {
    ranges: &'a [Range],
    /// The type of fixed-size coordinates.
    physical: Option<Physical>,
    /// Whether the dimension has no ranges, so that each coordinate is requested.
    is_whole: bool,
}

impl<'a> Combinations<'a> {
    fn new(subarray: &'a Subarray) -> Self {
        let schema = &subarray.schema;
        let dims: Vec<DimSelection<'_>> = schema
            .domain
            .dimensions
            .iter()
            .enumerate()
            .map(|(index, dimension)| DimSelection {
                ranges: subarray.ranges(index),
                physical: (!dimension.is_var()).then(|| dimension.datatype.physical()),
                is_whole: subarray.is_whole(index),
            })
            .collect();
        let is_limited = !schema.allows_dups && dims.iter().all(|dim| dim.physical.is_some());
        let number = dims
            .iter()
            .map(|dim| dim.ranges.len())
            .fold(1, usize::saturating_mul);
        Self {
            is_one: !is_limited || number > MAX_RANGE_COMBINATIONS,
            is_limited,
            dims,
        }
    }

    fn count(&self) -> usize {
        if self.is_one {
            1
        } else {
            self.dims.iter().map(|dim| dim.ranges.len()).product()
        }
    }

    /// Calls `visit` with the index of each combination that overlaps an MBR, and the fraction of
    /// the MBR that it covers.
    fn for_each_share(&self, mbr: &[Range], mut visit: impl FnMut(usize, f64)) {
        let mut shares = vec![(0, 1.0)];
        for (dim, mbr) in self.dims.iter().zip(mbr) {
            let in_dim = dim.shares(mbr);
            if self.is_one {
                let sum: f64 = in_dim.iter().map(|(_, share)| share).sum();
                shares[0].1 *= sum;
                continue;
            }
            let number = dim.ranges.len();
            shares = shares
                .iter()
                .flat_map(|(combination, share)| {
                    in_dim
                        .iter()
                        .map(move |(range, factor)| (combination * number + range, share * factor))
                })
                .collect();
        }
        for (combination, share) in shares {
            // A product of small numbers may be rounded to 0.
            visit(combination, share.max(0.0_f64.next_up()));
        }
    }

    /// Returns the largest number of cells that a combination can have.
    fn max_cells(&self, combination: usize) -> f64 {
        if !self.is_limited {
            return f64::INFINITY;
        }
        let mut rest = combination;
        let mut cells = 1u64;
        for dim in self.dims.iter().rev() {
            let in_dim = if self.is_one {
                (0..dim.ranges.len())
                    .map(|range| dim.coordinate_num(range))
                    .fold(0, u64::saturating_add)
            } else {
                dim.coordinate_num(rest % dim.ranges.len())
            };
            rest /= dim.ranges.len();
            cells = cells.saturating_mul(in_dim);
        }
        cells as f64
    }
}

impl DimSelection<'_> {
    /// Returns the ranges that overlap the range of an MBR, with the fractions that they cover.
    fn shares(&self, mbr: &Range) -> Vec<(usize, f64)> {
        if self.is_whole {
            return vec![(0, 1.0)];
        }
        self.ranges
            .iter()
            .enumerate()
            .map(|(index, range)| (index, share(self.physical, range, mbr)))
            .filter(|(_, share)| *share > 0.0)
            .collect()
    }

    /// Returns the number of coordinates of a range; the greatest number for real numbers.
    fn coordinate_num(&self, range: usize) -> u64 {
        let range = &self.ranges[range];
        match self.physical {
            None | Some(Physical::F32 | Physical::F64) => u64::MAX,
            Some(physical) => typed!(physical, T => {
                let key = |bytes| T::read(bytes).to_key();
                let number = key(range.end()).saturating_sub(key(range.start()));
                number.saturating_add(1)
            }),
        }
    }
}

/// Returns the fraction of `mbr` that `range` covers: 0 if they do not overlap, 1 if it covers all,
/// otherwise a number between them. `physical` is the type of fixed-size coordinates, and `None`
/// for strings.
fn share(physical: Option<Physical>, range: &Range, mbr: &Range) -> f64 {
    match physical {
        Some(physical) => typed!(physical, T => share_of_values::<T>(range, mbr)),
        None => share_of_texts(range, mbr),
    }
}

fn share_of_values<T: Value>(range: &Range, mbr: &Range) -> f64 {
    let ((start, end), (low, high)) = (keys::<T>(range), keys::<T>(mbr));
    if start > high || end < low {
        return 0.0;
    }
    if start <= low && end >= high {
        return 1.0;
    }
    between(width::<T>(start.max(low), end.min(high)) / width::<T>(low, high))
}

/// Returns the number of integers, or the distance of real numbers, between two keys. Distances are
/// halved, because that of finite numbers may be infinite.
fn width<T: Value>(low: u64, high: u64) -> f64 {
    let half = |key: u64| T::from_key(key).to_f64() / 2.0;
    match T::PHYSICAL {
        Physical::F32 => f64::from((half(high) - half(low)) as f32),
        Physical::F64 => half(high) - half(low),
        _ => high.saturating_sub(low) as f64 + 1.0,
    }
}

/// Returns the nearest number between 0 and 1, both excluded: a part of an MBR is neither nothing
/// nor all of it.
fn between(share: f64) -> f64 {
    if share.is_nan() {
        return 0.5;
    }
    share.clamp(0.0_f64.next_up(), 1.0_f64.next_down())
}

/// Compares the first character in which the ends of the MBR differ.
fn share_of_texts(range: &Range, mbr: &Range) -> f64 {
    let (low, high) = (mbr.start(), mbr.end());
    let (start, end) = (range.start().max(low), range.end().min(high));
    if start > end {
        return 0.0;
    }
    if (start, end) == (low, high) {
        return 1.0;
    }
    let common = low.iter().zip(high).take_while(|(a, b)| a == b).count();
    let character = |text: &[u8]| f64::from(text.get(common).copied().unwrap_or_default());
    let width = |low: &[u8], high: &[u8]| {
        if low == high {
            1.0
        } else {
            character(high) - character(low) + 1.0
        }
    };
    between(width(start, end) / width(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_in<T: Value>(range: [T; 2], mbr: [T; 2]) -> f64 {
        let [range, mbr] = [range, mbr].map(|[low, high]| Range::of(low, high));
        share(Some(T::PHYSICAL), &range, &mbr)
    }

    #[test]
    fn integers_are_counted() {
        assert_eq!(share_in([4, 6], [1, 10]), 0.3);
        assert_eq!(share_in([0, 10], [1, 10]), 1.0);
        assert_eq!(share_in([11, 12], [1, 10]), 0.0);
        let half = share_in([i64::MIN, -1], [i64::MIN, i64::MAX]);
        assert!((half - 0.5).abs() < 1e-9, "{half}");
    }

    #[test]
    fn distances_of_real_numbers_are_compared() {
        assert_eq!(share_in([0.0, 1.0], [-1.0, 3.0]), 0.25);
        assert_eq!(share_in([f64::MIN, 0.0], [f64::MIN, f64::MAX]), 0.5);
        assert_eq!(share_in([f32::MIN, 0.0], [f32::MIN, f32::MAX]), 0.5);
    }

    #[test]
    fn a_point_of_a_larger_rectangle_is_more_than_nothing() {
        let share = share_in([0.5, 0.5], [0.0, 1.0]);
        assert!(share > 0.0 && share < 1e-300, "{share}");
        let share = share_in([0, u64::MAX - 1], [0, u64::MAX]);
        assert!(share > 0.9 && share < 1.0, "{share}");
    }

    #[test]
    fn strings_are_compared_by_the_first_character_that_differs() {
        let text = |low: &str, high: &str| Range::var(low.as_bytes(), high.as_bytes());
        let share_in = |range, mbr| share(None, &range, &mbr);
        assert_eq!(share_in(text("ab", "ac"), text("aa", "ad")), 0.5);
        assert_eq!(share_in(text("a", "b"), text("aa", "ad")), 1.0);
        assert_eq!(share_in(text("b", "c"), text("aa", "ad")), 0.0);
        assert_eq!(share_in(text("aab", "aac"), text("aa", "ad")), 0.25);
        assert!(share_in(text("aab", "ad"), text("aa", "ad")) < 1.0);
    }
}
