//! Ranges without overlaps.

use crate::schema::Dimension;
use crate::typed;
use crate::types::{Range, Value};

/// Returns the ranges of a dimension in ascending order, with those that overlap merged.
pub fn merged_ranges(dimension: &Dimension, ranges: &[Range]) -> Vec<Range> {
    if dimension.is_var() {
        let mut all: Vec<(&[u8], &[u8])> = Vec::with_capacity(ranges.len());
        all.extend(ranges.iter().map(|range| (range.start(), range.end())));
        let merged = merge(all).into_iter();
        return merged.map(|(start, end)| Range::var(start, end)).collect();
    }
    let physical = dimension.datatype.physical();
    let key = |bytes: &[u8]| typed!(physical, T => T::read(bytes).to_key());
    let all = ranges.iter().map(|range| {
        let (start, end) = (range.start(), range.end());
        ((key(start), start), (key(end), end))
    });
    let merged = merge(all.collect()).into_iter();
    merged
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
