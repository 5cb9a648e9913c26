//! The ranges of a subarray, with the checks of libtiledb.

use std::sync::Arc;

use crate::config::Config;
use crate::error::{Error, Result, SubarrayError};
use crate::schema::{ArraySchema, Dimension};
use crate::typed;
use crate::types::{Datatype, NdRange, Physical, Range, Value, real_text};

/// The ranges of a label.
#[derive(Clone, Debug)]
pub struct LabelRanges {
    /// The name of the label.
    pub name: String,
    /// The ranges in the order in which they were added.
    pub ranges: Vec<Range>,
}

/// The ranges that a query reads or writes.
#[derive(Clone, Debug)]
pub struct Subarray {
    /// The schema of the array.
    pub schema: Arc<ArraySchema>,
    pub(super) dims: Vec<DimRanges>,
    /// Whether adjacent ranges are merged.
    pub coalesces: bool,
    strict: bool,
    /// Whether a cell in several ranges is returned once, in layouts where that is configurable.
    pub merges: bool,
}

#[derive(Clone, Debug)]
pub(super) struct DimRanges {
    /// Empty while only a label selects the ranges.
    pub(super) ranges: Vec<Range>,
    /// Whether no range was added; the range is the complete domain then.
    pub(super) whole: bool,
    /// The ranges of a label, if the ranges were added by label.
    pub(super) label: Option<LabelRanges>,
}

/// Returns a value as text for error messages.
pub fn text_of(datatype: Datatype, bytes: &[u8]) -> String {
    match datatype.physical() {
        Physical::F32 => format!("{:.6}", f32::read(bytes)),
        Physical::F64 => format!("{:.6}", f64::read(bytes)),
        physical => typed!(physical, T => integer_text::<T>(bytes)),
    }
}

/// Returns a value as text for the error of a range outside of the domain, which has floating-point
/// numbers with at most six significant digits.
fn short_text_of(datatype: Datatype, bytes: &[u8]) -> String {
    match datatype.physical() {
        Physical::F32 => real_text(f32::read(bytes).into()),
        Physical::F64 => real_text(f64::read(bytes)),
        _ => text_of(datatype, bytes),
    }
}

fn integer_text<T: Value>(bytes: &[u8]) -> String {
    format!("{:?}", T::read(bytes))
}

fn comes_before<T: Value>(a: &[u8], b: &[u8]) -> bool {
    T::read(a) < T::read(b)
}

fn is_nan<T: Value>(bytes: &[u8]) -> bool {
    T::read(bytes).to_f64().is_nan()
}

/// Returns whether `next` is the successor of `last`; only integers have one.
fn follows<T: Value>(last: &[u8], next: &[u8]) -> bool {
    T::read(last).to_key().checked_add(1) == Some(T::read(next).to_key())
}

/// Returns an error for the ends of an invalid fixed-size range.
pub(super) fn check_ends(datatype: Datatype, start: &[u8], end: &[u8]) -> Result<()> {
    let physical = datatype.physical();
    if typed!(physical, T => is_nan::<T>(start)) || typed!(physical, T => is_nan::<T>(end)) {
        return Err(SubarrayError::NanRange.into());
    }
    if typed!(physical, T => comes_before::<T>(end, start)) {
        let (start, end) = (text_of(datatype, start), text_of(datatype, end));
        return Err(SubarrayError::ReversedRange {
            low: start,
            high: end,
        }
        .into());
    }
    Ok(())
}

/// Adds a range to a list. If `coalesce` is set, a range adjacent to the last one is merged with
/// it.
pub(super) fn push(ranges: &mut Vec<Range>, datatype: Datatype, range: Range, coalesce: bool) {
    let coalesce = coalesce && !range.is_var() && !datatype.is_real();
    match ranges.last_mut() {
        Some(last)
            if coalesce
                && typed!(datatype.physical(), T => follows::<T>(last.end(), range.start())) =>
        {
            *last = Range::fixed(last.start(), range.end());
        }
        _ => ranges.push(range),
    }
}

impl Subarray {
    /// Returns a subarray of the complete domain.
    pub fn new(schema: &Arc<ArraySchema>) -> Self {
        let whole = |dimension: &Arc<Dimension>| DimRanges {
            ranges: vec![
                dimension
                    .domain
                    .clone()
                    .unwrap_or_else(|| Range::var(&[], &[])),
            ],
            whole: true,
            label: None,
        };
        Self {
            schema: schema.clone(),
            dims: schema.domain.dimensions.iter().map(whole).collect(),
            coalesces: true,
            strict: true,
            merges: true,
        }
    }

    /// Returns whether the dimensions of a schema match those of the subarray.
    pub fn fits(&self, schema: &ArraySchema) -> bool {
        let (ours, theirs) = (&self.schema.domain.dimensions, &schema.domain.dimensions);
        ours.len() == theirs.len()
            && ours
                .iter()
                .zip(theirs)
                .all(|(a, b)| a.datatype == b.datatype && a.domain == b.domain)
    }

    /// Sets the treatment of ranges that are out of bounds or overlap, from a configuration.
    pub fn set_config(&mut self, config: &Config) -> Result<()> {
        self.merges = config.flag("sm.merge_overlapping_ranges_experimental")?;
        self.strict = match config.get("sm.read_range_oob").as_deref() {
            Some("error") => true,
            None | Some("warn") => false,
            Some(other) => {
                return Err(SubarrayError::BadOutOfBounds {
                    value: other.into(),
                }
                .into());
            }
        };
        Ok(())
    }

    /// Sets whether adjacent ranges are merged. It is an error after a range was added, also if the
    /// setting does not change.
    pub fn set_coalesce(&mut self, coalesce: bool) -> Result<()> {
        if self.dims.iter().any(|dim| !dim.whole) {
            return Err(SubarrayError::CoalesceWithRanges.into());
        }
        self.coalesces = coalesce;
        Ok(())
    }

    fn dimension(&self, dim: u32, action: &'static str) -> Result<(usize, Arc<Dimension>)> {
        let found = self
            .schema
            .domain
            .dimensions
            .get(dim as usize)
            .ok_or_else(|| Error::from(SubarrayError::NoDimension { action, index: dim }))?;
        Ok((dim as usize, found.clone()))
    }

    /// Returns the index of a dimension by name.
    pub fn dimension_index(&self, name: &str) -> Result<u32> {
        let index = self
            .schema
            .domain
            .dimensions
            .index_of(name)
            .ok_or_else(|| Error::from(SubarrayError::UnknownDimension { name: name.into() }))?;
        Ok(index as u32)
    }

    /// Returns the size of a coordinate of a fixed-size dimension in bytes, which a caller's
    /// pointer must have.
    pub fn coordinate_size(&self, dim: u32) -> Result<usize> {
        let (_, dimension) = self.dimension(dim, "add range")?;
        if dimension.is_var() {
            return Err(SubarrayError::NotFixed.into());
        }
        Ok(dimension.datatype.size())
    }

    /// Adds a range of a fixed-size dimension. The ends are bytes of the datatype.
    pub fn add_range(&mut self, dim: u32, start: &[u8], end: &[u8]) -> Result<()> {
        let (dim_index, dimension) = self.dimension(dim, "add range")?;
        self.reject_label(dim_index)?;
        if dimension.is_var() {
            return Err(SubarrayError::NotFixed.into());
        }
        let size = dimension.datatype.size();
        if start.len() != size || end.len() != size {
            return Err(SubarrayError::BadRange {
                size: start.len().max(end.len()),
                expected: size,
            }
            .into());
        }
        let range = self.checked(&dimension, start, end)?;
        self.push(dim_index, &dimension, range);
        Ok(())
    }

    /// Returns an error if ranges of a label were added to the dimension.
    fn reject_label(&self, dim_index: usize) -> Result<()> {
        match &self.dims[dim_index].label {
            None => Ok(()),
            Some(_) => Err(SubarrayError::LabelRanges.into()),
        }
    }

    /// Adds a range of a variable-size dimension. The range is empty if the upper end is less than
    /// the lower end, which includes an empty string as upper end.
    pub fn add_range_var(&mut self, dim: u32, start: &[u8], end: &[u8]) -> Result<()> {
        let (dim_index, dimension) = self.dimension(dim, "add range")?;
        self.reject_label(dim_index)?;
        if !dimension.is_var() {
            return Err(SubarrayError::NotVar.into());
        }
        self.push(dim_index, &dimension, Range::var(start, end));
        Ok(())
    }

    /// Returns the size in bytes of each value for [`Subarray::add_points`].
    pub fn point_size(&self, dim: u32) -> Result<usize> {
        let (_, dimension) = self.dimension(dim, "add range")?;
        if dimension.is_var() {
            return Err(SubarrayError::PointsNotFixed.into());
        }
        Ok(dimension.datatype.size())
    }

    /// Adds a range of one coordinate for each value in `points`.
    pub fn add_points(&mut self, dim: u32, points: &[u8]) -> Result<()> {
        points
            .chunks_exact(self.point_size(dim)?)
            .try_for_each(|point| self.add_range(dim, point, point))
    }

    /// Adds a range of one coordinate for each value of a variable-size dimension. `offsets` are
    /// their starts.
    pub fn add_points_var(&mut self, dim: u32, values: &[u8], offsets: &[u64]) -> Result<()> {
        let (_, dimension) = self.dimension(dim, "add range")?;
        if !dimension.is_var() {
            return Err(SubarrayError::PointsNotVar.into());
        }
        let ends = offsets.iter().skip(1).copied().chain([values.len() as u64]);
        for (start, end) in offsets.iter().zip(ends) {
            let value = usize::try_from(*start)
                .ok()
                .zip(usize::try_from(end).ok())
                .and_then(|(start, end)| values.get(start..end))
                .ok_or_else(|| Error::from(SubarrayError::BadOffset { offset: *start }))?;
            self.add_range_var(dim, value, value)?;
        }
        Ok(())
    }

    /// Replaces all ranges by one per dimension, from consecutive lower and upper ends.
    pub fn set_all(&mut self, ends: &[u8]) -> Result<()> {
        let mut fresh = Self {
            dims: Self::new(&self.schema).dims,
            ..self.clone()
        };
        let mut offset = 0;
        for (dim, dimension) in self.schema.domain.dimensions.iter().enumerate() {
            let size = dimension.datatype.size();
            let range = ends.get(offset..offset + 2 * size).unwrap_or_default();
            let (start, end) = range.split_at(range.len() / 2);
            fresh.add_range(dim as u32, start, end)?;
            offset += 2 * size;
        }
        *self = fresh;
        Ok(())
    }

    /// Returns the size in bytes of the argument of [`Subarray::set_all`], or an error if the
    /// datatypes differ.
    pub fn all_size(&self) -> Result<usize> {
        let dimensions = &self.schema.domain.dimensions;
        if dimensions
            .windows(2)
            .any(|pair| pair[0].datatype != pair[1].datatype)
        {
            return Err(SubarrayError::MixedTypes.into());
        }
        if dimensions.iter().any(|dimension| dimension.is_var()) {
            return Err(SubarrayError::VarDimensions.into());
        }
        Ok(dimensions
            .iter()
            .map(|dimension| 2 * dimension.datatype.size())
            .sum())
    }

    fn checked(&self, dimension: &Dimension, start: &[u8], end: &[u8]) -> Result<Range> {
        let (datatype, physical) = (dimension.datatype, dimension.datatype.physical());
        check_ends(datatype, start, end)?;
        let less = |a: &[u8], b: &[u8]| typed!(physical, T => comes_before::<T>(a, b));
        let Some(domain) = &dimension.domain else {
            return Ok(Range::fixed(start, end));
        };
        if !less(start, domain.start()) && !less(domain.end(), end) {
            return Ok(Range::fixed(start, end));
        }
        if self.strict {
            let text = |bytes: &[u8]| short_text_of(datatype, bytes);
            let cause = SubarrayError::OutOfBounds {
                dimension: dimension.name.clone(),
                low: text(start),
                high: text(end),
                least: text(domain.start()),
                most: text(domain.end()),
            };
            return Err(cause.into());
        }
        let clamp = |value: &[u8]| -> Vec<u8> {
            let value = if less(value, domain.start()) {
                domain.start()
            } else {
                value
            };
            if less(domain.end(), value) {
                domain.end()
            } else {
                value
            }
            .to_vec()
        };
        Ok(Range::fixed(&clamp(start), &clamp(end)))
    }

    fn push(&mut self, dim_index: usize, dimension: &Dimension, range: Range) {
        let dim = &mut self.dims[dim_index];
        if std::mem::take(&mut dim.whole) {
            dim.ranges.clear();
        }
        push(&mut dim.ranges, dimension.datatype, range, self.coalesces);
    }

    /// Sets the ranges of indexes for the label ranges of a dimension. The label ranges are kept
    /// for getters.
    pub fn resolve_label(&mut self, dim_index: usize, ranges: &[Range]) -> Result<()> {
        let (dim_index, dimension) = self.dimension(dim_index as u32, "add range")?;
        for range in ranges {
            let range = self.checked(&dimension, range.start(), range.end())?;
            self.push(dim_index, &dimension, range);
        }
        Ok(())
    }

    /// Returns the number of ranges of a dimension; 1 if it is the complete domain.
    pub fn range_num(&self, dim: u32) -> Result<u64> {
        let found = self.dims.get(dim as usize).ok_or_else(|| {
            Error::from(SubarrayError::NoRangesOf {
                index: dim,
                most: self.dims.len() - 1,
            })
        })?;
        Ok(found.ranges.len() as u64)
    }

    /// Returns a range of a dimension.
    pub fn range(&self, dim: u32, index: u64) -> Result<&Range> {
        let (dim_index, _) = self.dimension(dim, "get range")?;
        self.range_at(dim_index, index, "get range")
    }

    fn range_at(&self, dim: usize, index: u64, action: &'static str) -> Result<&Range> {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        let found = self.dims[dim].ranges.get(index);
        found.ok_or_else(|| Error::from(SubarrayError::NoRange { action, index }))
    }

    /// Returns a range of a variable-size dimension.
    pub fn var_range(&self, dim: u32, index: u64) -> Result<&Range> {
        let (dim_index, dimension) = self.dimension(dim, "get var range size")?;
        if !dimension.is_var() {
            return Err(SubarrayError::NotVarRange {
                dimension: dimension.name.clone(),
            }
            .into());
        }
        self.range_at(dim_index, index, "get var range size")
    }

    /// Returns the ranges of a dimension in the order in which they were added.
    pub fn ranges(&self, dim: usize) -> &[Range] {
        &self.dims[dim].ranges
    }

    /// Returns whether the range of a dimension is the complete domain because none was added.
    pub fn is_whole(&self, dim: usize) -> bool {
        self.dims[dim].whole
    }

    /// Returns whether any range was added.
    pub fn is_set(&self) -> bool {
        self.dims.iter().any(|dim| !dim.whole)
    }

    /// Returns whether a range of a dimension was added.
    pub fn is_dimension_set(&self, dim: usize) -> bool {
        self.dims.get(dim).is_some_and(|dim| !dim.whole)
    }

    /// Returns the only range of each dimension, or `None` if a dimension has several.
    pub fn single(&self) -> Option<NdRange> {
        self.dims
            .iter()
            .map(|dim| {
                if let [range] = &dim.ranges[..] {
                    Some(range.clone())
                } else {
                    None
                }
            })
            .collect()
    }
}

/// Returns the ranges of a dimension in ascending order, with those that overlap merged.
pub fn merged_ranges(dimension: &Dimension, ranges: &[Range]) -> Vec<Range> {
    if dimension.is_var() {
        let mut all: Vec<(&[u8], &[u8])> = Vec::with_capacity(ranges.len());
        all.extend(ranges.iter().map(|range| (range.start(), range.end())));
        return merge(all)
            .into_iter()
            .map(|(start, end)| Range::var(start, end))
            .collect();
    }
    let physical = dimension.datatype.physical();
    let key = |bytes: &[u8]| typed!(physical, T => T::read(bytes).to_key());
    merge(
        ranges
            .iter()
            .map(|range| {
                let (start, end) = (range.start(), range.end());
                ((key(start), start), (key(end), end))
            })
            .collect(),
    )
    .into_iter()
    .map(|((_, start), (_, end))| Range::fixed(start, end))
    .collect()
}

/// Sorts intervals and merges those that overlap.
fn merge<K: Ord + Copy>(mut all: Vec<(K, K)>) -> Vec<(K, K)> {
    all.sort_unstable();
    let mut merged: Vec<(K, K)> = Vec::with_capacity(all.len());
    for (start, end) in all {
        match merged.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => merged.push((start, end)),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn intervals_that_overlap_are_merged() {
        assert_eq!(merge(Vec::<(u64, u64)>::new()), []);
        let all = vec![(40, 40), (1, 50), (2, 60), (70, 80), (80, 81), (82, 90)];
        assert_eq!(merge(all), [(1, 60), (70, 81), (82, 90)]);
    }
}
