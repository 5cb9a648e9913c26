//! Sorted ranges of one dimension, in which a lookup is logarithmic in the number of ranges.
//!
//! Ranges of fixed-size dimensions are stored as order-preserving keys. Floating-point zero has two
//! keys: ranges and the ends of MBRs are extended to contain both.

use crate::types::{Match, Physical, Range, Value};

/// Ranges of one dimension, both ends included.
#[derive(Debug)]
pub(super) struct KeyRanges<T> {
    /// The lower ends, ascending.
    pub(super) starts: Vec<T>,
    /// The upper ends, ascending. If ranges do not overlap, the ends with equal index form a range.
    pub(super) ends: Vec<T>,
    /// Whether some ranges overlap and a cell is returned once for each range that contains it.
    pub(super) counted: bool,
    /// The starts and the ends of the union of overlapping ranges, if cells are counted.
    united: (Vec<T>, Vec<T>),
}

impl<T: Ord + Clone> KeyRanges<T> {
    /// Sorts ranges. Overlapping ranges, or adjacent ones according to `are_adjacent`, are merged
    /// unless cells are returned once per range.
    pub(super) fn new(
        mut ranges: Vec<(T, T)>,
        counted: bool,
        are_adjacent: impl Fn(&T, &T) -> bool,
    ) -> Self {
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
                Some(last) if start <= *last || are_adjacent(last, &start) => {
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
    pub(super) fn overlap<Q: ?Sized>(
        &self,
        low: &Q,
        high: &Q,
        compare: impl Fn(&T, &Q) -> std::cmp::Ordering,
    ) -> Match {
        // The number of ranges that start at or before `high`, minus those that end before `low`.
        let started = self
            .starts
            .partition_point(|start| compare(start, high).is_le());
        let ended = self.ends.partition_point(|end| compare(end, low).is_lt());
        if started <= ended {
            return Match::None;
        }
        let is_inside = !self.counted
            && started == ended + 1
            && compare(&self.starts[ended], low).is_le()
            && compare(&self.ends[ended], high).is_ge();
        if is_inside { Match::All } else { Match::Some }
    }

    /// Returns the number of ranges that overlap `[low, high]`.
    pub(super) fn meeting<Q: ?Sized>(
        &self,
        low: &Q,
        high: &Q,
        compare: impl Fn(&T, &Q) -> std::cmp::Ordering,
    ) -> u64 {
        let started = self
            .starts
            .partition_point(|start| compare(start, high).is_le());
        let ended = self.ends.partition_point(|end| compare(end, low).is_lt());
        started.saturating_sub(ended) as u64
    }

    /// Returns the number of ranges that contain a value.
    pub(super) fn count<Q: ?Sized>(
        &self,
        value: &Q,
        compare: impl Fn(&T, &Q) -> std::cmp::Ordering,
    ) -> u64 {
        self.meeting(value, value, compare)
    }

    /// Returns the starts and the ends of disjoint ranges that contain the same values, ascending.
    pub(super) fn disjoint(&self) -> (&[T], &[T]) {
        if self.counted {
            (&self.united.0, &self.united.1)
        } else {
            (&self.starts, &self.ends)
        }
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

pub(super) fn keys<T: Value>(range: &Range) -> (u64, u64) {
    (low_key::<T>(range.start()), high_key::<T>(range.end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn are_adjacent(last: &u64, next: &u64) -> bool {
        last + 1 == *next
    }

    fn ranges() -> impl Strategy<Value = Vec<(u64, u64)>> {
        proptest::collection::vec((0u64..40, 0u64..40), 1..8)
    }

    /// Returns the number of ranges that contain a value, one range after the other.
    fn containing(ranges: &[(u64, u64)], value: u64) -> u64 {
        let contains = |(start, end): &&(u64, u64)| *start <= value && value <= *end;
        ranges.iter().filter(contains).count() as u64
    }

    #[test]
    fn adjacent_ranges_are_merged() {
        let merged = KeyRanges::new(vec![(5, 9), (1, 4), (20, 30)], false, are_adjacent);
        assert_eq!((merged.starts, merged.ends), (vec![1, 20], vec![9, 30]));
    }

    #[test]
    fn ranges_without_overlap_are_not_counted() {
        let ranges = KeyRanges::new(vec![(10, 20), (0, 9)], true, are_adjacent);
        assert!(!ranges.counted);
        let ranges = KeyRanges::new(vec![(9, 20), (0, 9)], true, are_adjacent);
        assert!(ranges.counted);
        assert_eq!(ranges.united, (vec![0], vec![20]));
    }

    proptest! {
        #[test]
        fn values_are_counted_like_one_range_after_the_other(list in ranges(), counted: bool) {
            let ranges = KeyRanges::new(list.clone(), counted, are_adjacent);
            for value in 0..45 {
                let expected = containing(&list, value);
                let count = ranges.count(&value, Ord::cmp);
                if counted {
                    prop_assert_eq!(count, expected);
                } else {
                    prop_assert_eq!(count > 0, expected > 0);
                }
            }
        }

        #[test]
        fn overlap_agrees_with_the_values_of_the_interval(
            list in ranges(),
            counted: bool,
            low in 0u64..40,
            len in 0u64..20,
        ) {
            let ranges = KeyRanges::new(list.clone(), counted, are_adjacent);
            let values = || (low..=low + len).map(|value| containing(&list, value));
            match ranges.overlap(&low, &(low + len), Ord::cmp) {
                Match::None => prop_assert!(values().all(|count| count == 0)),
                Match::All => prop_assert!(values().all(|count| count > 0)),
                Match::Some => {
                    let missed = values().any(|count| count == 0);
                    prop_assert!(ranges.counted || missed);
                    prop_assert!(values().any(|count| count > 0));
                }
            }
        }

        #[test]
        fn united_ranges_contain_the_same_values(list in ranges()) {
            let ranges = KeyRanges::new(list.clone(), true, are_adjacent);
            if ranges.counted {
                let (starts, ends) = &ranges.united;
                let united: Vec<(u64, u64)> =
                    starts.iter().copied().zip(ends.iter().copied()).collect();
                prop_assert!(united.windows(2).all(|pair| pair[0].1 < pair[1].0));
                for value in 0..45 {
                    let expected = u64::from(containing(&list, value) > 0);
                    prop_assert_eq!(containing(&united, value), expected);
                }
            }
        }
    }
}
