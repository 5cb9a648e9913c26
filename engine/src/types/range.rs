//! Ranges with inclusive bounds: of one dimension, and one for each dimension.

use super::physical::{Physical, Value};
use crate::typed;

/// A range of one dimension, with inclusive bounds.
///
/// The bounds are bytes of the dimension's datatype. Fixed-size bounds of up to 8 bytes are stored
/// inline, so that a vector of 100,000 ranges is one allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Range(Bounds);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Bounds {
    Fixed { bytes: [u8; 16], size: u8 },
    Var { start: Box<[u8]>, end: Box<[u8]> },
}

/// One range for each dimension: a box, such as an MBR or a non-empty domain.
pub type NdRange = Vec<Range>;

impl Range {
    /// Creates a range from two typed values.
    pub fn of<T: Value>(start: T, end: T) -> Self {
        let mut bytes = [0; 16];
        start.write(&mut bytes);
        end.write(&mut bytes[T::SIZE..]);
        Self(Bounds::Fixed {
            bytes,
            size: T::SIZE as u8,
        })
    }

    /// Creates a range from two fixed-size values given as bytes, of the same size and at most 8
    /// bytes each.
    pub fn fixed(start: &[u8], end: &[u8]) -> Self {
        let size = start.len().min(8);
        let mut bytes = [0; 16];
        // Opens create ranges for all fragments. Copies of a constant size need no call.
        match size {
            4 => copy_bounds::<4>(start, end, &mut bytes),
            8 => copy_bounds::<8>(start, end, &mut bytes),
            _ => {
                bytes[..size].copy_from_slice(&start[..size]);
                bytes[size..2 * size].copy_from_slice(&end[..size]);
            }
        }
        Self(Bounds::Fixed {
            bytes,
            size: size as u8,
        })
    }

    /// Creates a range from two concatenated values of `size` bytes, at most 8.
    #[inline]
    pub fn of_both(both: &[u8], size: usize) -> Self {
        if size == 8
            && let Some(bytes) = both.first_chunk()
        {
            return Self(Bounds::Fixed {
                bytes: *bytes,
                size: 8,
            });
        }
        let (start, end) = both.split_at_checked(size).unwrap_or_default();
        Self::fixed(start, end)
    }

    /// Creates a range from two variable-size values.
    pub fn var(start: &[u8], end: &[u8]) -> Self {
        Self(Bounds::Var {
            start: start.into(),
            end: end.into(),
        })
    }

    /// Returns whether the bounds are of variable size.
    pub fn is_var(&self) -> bool {
        matches!(self.0, Bounds::Var { .. })
    }

    /// Returns the bytes of the lower bound.
    pub fn start(&self) -> &[u8] {
        match &self.0 {
            Bounds::Fixed { bytes, size } => &bytes[..usize::from(*size)],
            Bounds::Var { start, .. } => start,
        }
    }

    /// Returns the bytes of the upper bound.
    pub fn end(&self) -> &[u8] {
        match &self.0 {
            Bounds::Fixed { bytes, size } => &bytes[usize::from(*size)..2 * usize::from(*size)],
            Bounds::Var { end, .. } => end,
        }
    }

    /// Returns the range from the lower bound of this range to `end`.
    pub fn until(&self, end: &[u8]) -> Self {
        match &self.0 {
            Bounds::Fixed { .. } => Self::fixed(self.start(), end),
            Bounds::Var { start, .. } => Self::var(start, end),
        }
    }

    /// Returns both bounds of a fixed-size range, concatenated as in the C API; `None` for variable
    /// size.
    pub fn both(&self) -> Option<&[u8]> {
        match &self.0 {
            Bounds::Fixed { bytes, size } => Some(&bytes[..2 * usize::from(*size)]),
            Bounds::Var { .. } => None,
        }
    }

    /// Returns the bounds of a fixed-size range as values.
    pub fn values<T: Value>(&self) -> (T, T) {
        (T::read(self.start()), T::read(self.end()))
    }
}

/// Copies the first `N` bytes of each bound.
fn copy_bounds<const N: usize>(start: &[u8], end: &[u8], to: &mut [u8; 16]) {
    to[..N].copy_from_slice(&start[..N]);
    to[N..2 * N].copy_from_slice(&end[..N]);
}

impl Range {
    /// Extends this range to include `other`. The bounds of both are of this physical type or of
    /// variable size.
    pub fn expand(&mut self, other: &Self, physical: Physical) {
        fn wider<T: Value>(one: &Range, other: &Range) -> Range {
            let ((low, high), (other_low, other_high)) = (one.values::<T>(), other.values::<T>());
            Range::of(
                if other_low < low { other_low } else { low },
                if other_high > high { other_high } else { high },
            )
        }
        *self = if self.is_var() || other.is_var() {
            Self::var(self.start().min(other.start()), self.end().max(other.end()))
        } else {
            typed!(physical, T => wider::<T>(self, other))
        };
    }

    /// Returns whether the ranges have a value in common. The bounds of both are of this physical
    /// type or of variable size.
    pub fn overlaps(&self, other: &Self, physical: Physical) -> bool {
        fn meet<T: Value>(one: &Range, other: &Range) -> bool {
            let ((low, high), (other_low, other_high)) = (one.values::<T>(), other.values::<T>());
            low <= other_high && other_low <= high
        }
        if self.is_var() || other.is_var() {
            self.start() <= other.end() && other.start() <= self.end()
        } else {
            typed!(physical, T => meet::<T>(self, other))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_overlap_if_they_share_a_value() {
        let range = Range::of(-3i16, 5);
        assert!(range.overlaps(&Range::of(5i16, 9), Physical::I16));
        assert!(!range.overlaps(&Range::of(6i16, 9), Physical::I16));
        let range = Range::var(b"b", b"bb");
        assert!(range.overlaps(&Range::var(b"", b"b"), Physical::U8));
        assert!(!range.overlaps(&Range::var(b"bba", b"c"), Physical::U8));
    }

    #[test]
    fn expand_includes_both_ranges() {
        let mut range = Range::of(-3i16, 5);
        range.expand(&Range::of(-7i16, 2), Physical::I16);
        assert_eq!(range, Range::of(-7i16, 5));
        let mut range = Range::of(1.5f64, 2.5);
        range.expand(&Range::of(2.0f64, 9.0), Physical::F64);
        assert_eq!(range, Range::of(1.5f64, 9.0));
        let mut range = Range::var(b"b", b"bb");
        range.expand(&Range::var(b"", b"ba"), Physical::U8);
        assert_eq!(range, Range::var(b"", b"bb"));
    }
}
