//! Sets of intervals of one field.

use std::cmp::Ordering;

use tiledb_engine::Scalar;

/// The most intervals of a set; a larger set becomes the interval that contains it.
const MAX_INTERVALS: usize = 10_000;

/// A bound of an interval.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: Scalar,
    /// Whether the value itself belongs to the interval.
    pub(crate) included: bool,
}

/// An interval. A bound that is `None` does not limit it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: Option<Bound>,
    pub(crate) high: Option<Bound>,
}

/// Disjoint intervals in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RangeSet(pub(crate) Vec<Interval>);

/// Compares two values of one field. Zeros of both signs are equal; values of different kinds,
/// which a field does not have, are too.
pub(crate) fn compare(left: &Scalar, right: &Scalar) -> Ordering {
    match (left, right) {
        (Scalar::Bool(left), Scalar::Bool(right)) => left.cmp(right),
        (Scalar::Integer(left), Scalar::Integer(right)) => left.cmp(right),
        (Scalar::Real(left), Scalar::Real(right)) => {
            left.partial_cmp(right).unwrap_or(Ordering::Equal)
        }
        _ => match (bytes(left), bytes(right)) {
            (Some(left), Some(right)) => left.cmp(right),
            _ => Ordering::Equal,
        },
    }
}

fn bytes(value: &Scalar) -> Option<&[u8]> {
    match value {
        Scalar::Text(text) => Some(text.as_bytes()),
        Scalar::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// Compares two low bounds: the one that excludes fewer values is less.
fn compare_lows(left: &Option<Bound>, right: &Option<Bound>) -> Ordering {
    match (left, right) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Less,
        (_, None) => Ordering::Greater,
        (Some(left), Some(right)) => {
            compare(&left.value, &right.value).then(right.included.cmp(&left.included))
        }
    }
}

/// Compares two high bounds: the one that excludes more values is less.
fn compare_highs(left: &Option<Bound>, right: &Option<Bound>) -> Ordering {
    match (left, right) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Greater,
        (_, None) => Ordering::Less,
        (Some(left), Some(right)) => {
            compare(&left.value, &right.value).then(left.included.cmp(&right.included))
        }
    }
}

impl Interval {
    /// Returns the interval between two bounds that both belong to it.
    pub(crate) fn closed(low: Scalar, high: Scalar) -> Self {
        let bound = |value| {
            Some(Bound {
                value,
                included: true,
            })
        };
        Self {
            low: bound(low),
            high: bound(high),
        }
    }

    /// Returns the interval with bounds of integers that belong to it.
    fn with_integers_included(mut self) -> Self {
        for (bound, step) in [(&mut self.low, 1), (&mut self.high, -1)] {
            if let Some(Bound {
                value: Scalar::Integer(value),
                included,
            }) = bound
                && !*included
                && let Some(next) = value.checked_add(step)
            {
                (*value, *included) = (next, true);
            }
        }
        self
    }

    fn is_empty(&self) -> bool {
        let (Some(low), Some(high)) = (&self.low, &self.high) else {
            return false;
        };
        match compare(&low.value, &high.value) {
            Ordering::Less => false,
            Ordering::Equal => !(low.included && high.included),
            Ordering::Greater => true,
        }
    }

    fn intersection(&self, other: &Self) -> Self {
        let low = std::cmp::max_by(&self.low, &other.low, |a, b| compare_lows(a, b));
        let high = std::cmp::min_by(&self.high, &other.high, |a, b| compare_highs(a, b));
        Self {
            low: low.clone(),
            high: high.clone(),
        }
    }

    /// Returns whether a later interval, in the order of low bounds, has no gap to this one.
    fn joins(&self, later: &Self) -> bool {
        let (Some(high), Some(low)) = (&self.high, &later.low) else {
            return true;
        };
        if let (Scalar::Integer(high_value), Scalar::Integer(low_value)) = (&high.value, &low.value)
            && high.included
            && low.included
        {
            return *low_value <= high_value.saturating_add(1);
        }
        match compare(&low.value, &high.value) {
            Ordering::Less => true,
            Ordering::Equal => low.included || high.included,
            Ordering::Greater => false,
        }
    }
}

impl RangeSet {
    /// Returns the set of all values.
    pub(crate) fn all() -> Self {
        Self(vec![Interval::default()])
    }

    /// Returns whether the set contains all values.
    pub(crate) fn is_all(&self) -> bool {
        matches!(&self.0[..], [interval] if interval.low.is_none() && interval.high.is_none())
    }

    /// Returns the set of the values of any intervals.
    pub(crate) fn new(intervals: Vec<Interval>) -> Self {
        let intervals = intervals.into_iter().map(Interval::with_integers_included);
        let mut intervals: Vec<Interval> = intervals.collect();
        intervals.retain(|interval| !interval.is_empty());
        intervals.sort_by(|left, right| compare_lows(&left.low, &right.low));
        let mut merged: Vec<Interval> = Vec::with_capacity(intervals.len());
        for interval in intervals {
            match merged.last_mut() {
                Some(last) if last.joins(&interval) => {
                    if compare_highs(&last.high, &interval.high) == Ordering::Less {
                        last.high = interval.high;
                    }
                }
                _ => merged.push(interval),
            }
        }
        Self(merged)
    }

    /// Returns the set, or the interval that contains it if it has too many intervals, and whether
    /// it is still the same set.
    pub(crate) fn limited(self) -> (Self, bool) {
        if self.0.len() <= MAX_INTERVALS {
            return (self, true);
        }
        let low = self.0.first().and_then(|first| first.low.clone());
        let high = self.0.last().and_then(|last| last.high.clone());
        (Self(vec![Interval { low, high }]), false)
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(&other.0).cloned().collect())
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let mut parts = Vec::new();
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
            let part = first.intersection(second);
            if !part.is_empty() {
                parts.push(part);
            }
            match compare_highs(&first.high, &second.high) {
                Ordering::Less => left.next(),
                _ => right.next(),
            };
        }
        Self(parts)
    }

    /// Returns the values that are not in the set.
    pub(crate) fn complement(&self) -> Self {
        let opposite = |bound: &Bound| Bound {
            value: bound.value.clone(),
            included: !bound.included,
        };
        let mut gaps = Vec::new();
        let mut low = None;
        for interval in &self.0 {
            if let Some(bound) = &interval.low {
                gaps.push(Interval {
                    low,
                    high: Some(opposite(bound)),
                });
            }
            match &interval.high {
                Some(bound) => low = Some(opposite(bound)),
                None => return Self::new(gaps),
            }
        }
        gaps.push(Interval { low, high: None });
        Self::new(gaps)
    }

    /// Returns the parts of the set between two bounds, both included. Bounds that are not included
    /// in the set are included in the result.
    pub(crate) fn closed_within(&self, low: &Scalar, high: &Scalar) -> Vec<(Scalar, Scalar)> {
        let outer = Self(vec![Interval::closed(low.clone(), high.clone())]);
        let inside = self.intersection(&outer);
        let ends = inside.0.into_iter().filter_map(|interval| {
            let (low, high) = (interval.low?, interval.high?);
            Some((low.value, high.value))
        });
        ends.collect()
    }

    /// Returns whether the set has no value between two bounds, both included.
    pub(crate) fn misses(&self, low: &Scalar, high: &Scalar) -> bool {
        let below = |interval: &Interval| match &interval.high {
            Some(bound) => match compare(&bound.value, low) {
                Ordering::Less => true,
                Ordering::Equal => !bound.included,
                Ordering::Greater => false,
            },
            None => false,
        };
        let first = self.0.partition_point(below);
        match self.0.get(first).map(|interval| &interval.low) {
            None => true,
            Some(None) => false,
            Some(Some(bound)) => match compare(&bound.value, high) {
                Ordering::Less => false,
                Ordering::Equal => !bound.included,
                Ordering::Greater => true,
            },
        }
    }

    /// Returns whether a subarray, whose bounds are included, expresses the set.
    pub(crate) fn is_closed(&self) -> bool {
        let is_closed = |bound: &Option<Bound>| bound.as_ref().is_none_or(|bound| bound.included);
        self.0
            .iter()
            .all(|interval| is_closed(&interval.low) && is_closed(&interval.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(intervals: &[(i32, i32)]) -> RangeSet {
        let intervals = intervals
            .iter()
            .map(|(low, high)| Interval::closed((*low).into(), (*high).into()));
        RangeSet::new(intervals.collect())
    }

    fn contains(set: &RangeSet, value: i32) -> bool {
        !set.misses(&value.into(), &value.into())
    }

    /// Compares operations on sets with those on the members of small sets.
    #[test]
    fn operations_select_the_same_values_as_their_definitions() {
        let sets = [
            set(&[]),
            RangeSet::all(),
            set(&[(1, 3)]),
            set(&[(1, 3), (4, 5), (8, 9)]),
            set(&[(0, 0), (2, 2), (4, 4)]),
            set(&[(3, 8), (1, 2)]),
            set(&[(2, 6)]).complement(),
            set(&[(5, 1)]),
        ];
        for left in &sets {
            for value in -2..12 {
                assert_ne!(contains(left, value), contains(&left.complement(), value));
            }
            for right in &sets {
                let (union, both) = (left.union(right), left.intersection(right));
                for value in -2..12 {
                    let (in_left, in_right) = (contains(left, value), contains(right, value));
                    assert_eq!(contains(&union, value), in_left || in_right);
                    assert_eq!(contains(&both, value), in_left && in_right);
                }
            }
        }
    }

    #[test]
    fn adjacent_integers_are_one_interval() {
        assert_eq!(set(&[(1, 2), (3, 4)]).0.len(), 1);
        assert_eq!(set(&[(1, 2), (4, 4)]).0.len(), 2);
    }

    #[test]
    fn open_bounds_exclude_their_value() {
        let text = |value: &str| Scalar::from(value);
        let point = RangeSet(vec![Interval::closed(text("b"), text("b"))]);
        let others = point.complement();
        assert!(others.misses(&text("b"), &text("b")));
        assert!(!others.misses(&text("b"), &text("c")));
        assert!(!others.is_closed() && point.is_closed());
    }

    #[test]
    fn sets_of_too_many_intervals_become_one() {
        let points: Vec<_> = (0..20_001).map(|value| (2 * value, 2 * value)).collect();
        let (limited, is_same) = set(&points).limited();
        assert!(!is_same);
        assert_eq!(limited, set(&[(0, 40_000)]));
    }
}
