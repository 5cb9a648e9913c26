//! The fraction of the range of an MBR that another range covers.

use super::key_ranges::keys;
use crate::typed;
use crate::types::{Physical, Range, Value};

/// Returns the fraction of `mbr` that `range` covers: 0 if they do not overlap, 1 if it covers all,
/// otherwise a number between them. `physical` is the type of fixed-size coordinates, and `None`
/// for strings.
pub(super) fn share(physical: Option<Physical>, range: &Range, mbr: &Range) -> f64 {
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
