//! A range of one dimension, both ends included, and one range for each dimension.

use super::physical::{Physical, Value};
use crate::typed;

/// A range of one dimension, both ends included.
///
/// The bytes of the ends are those of the dimension's datatype; short fixed-size ends are kept inline, so that a
/// hundred thousand ranges are one allocation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Range(Ends);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Ends {
    Fixed { bytes: [u8; 16], size: u8 },
    Var { start: Box<[u8]>, end: Box<[u8]> },
}

/// One range for each dimension: a rectangle, such as an MBR or a non-empty domain.
pub type NdRange = Vec<Range>;

impl Range {
    /// A range of two typed values.
    pub fn of<T: Value>(start: T, end: T) -> Self {
        let mut bytes = [0; 16];
        start.write(&mut bytes);
        end.write(&mut bytes[T::SIZE..]);
        Self(Ends::Fixed {
            bytes,
            size: T::SIZE as u8,
        })
    }

    /// A range of two fixed-size values given as bytes, of the same size and at most 8 bytes each.
    pub fn fixed(start: &[u8], end: &[u8]) -> Self {
        let size = start.len().min(8);
        let mut bytes = [0; 16];
        bytes[..size].copy_from_slice(&start[..size]);
        bytes[size..2 * size].copy_from_slice(&end[..size]);
        Self(Ends::Fixed {
            bytes,
            size: size as u8,
        })
    }

    /// A range of two variable-size values.
    pub fn var(start: &[u8], end: &[u8]) -> Self {
        Self(Ends::Var {
            start: start.into(),
            end: end.into(),
        })
    }

    /// Whether the ends are of variable size.
    pub fn is_var(&self) -> bool {
        matches!(self.0, Ends::Var { .. })
    }

    /// The bytes of the lower end.
    pub fn start(&self) -> &[u8] {
        match &self.0 {
            Ends::Fixed { bytes, size } => &bytes[..usize::from(*size)],
            Ends::Var { start, .. } => start,
        }
    }

    /// The bytes of the upper end.
    pub fn end(&self) -> &[u8] {
        match &self.0 {
            Ends::Fixed { bytes, size } => &bytes[usize::from(*size)..2 * usize::from(*size)],
            Ends::Var { end, .. } => end,
        }
    }

    /// Both ends of a fixed-size range, one after the other, as the C API lends them.
    pub fn both(&self) -> Option<&[u8]> {
        match &self.0 {
            Ends::Fixed { bytes, size } => Some(&bytes[..2 * usize::from(*size)]),
            Ends::Var { .. } => None,
        }
    }

    /// The ends of a fixed-size range as values.
    pub fn values<T: Value>(&self) -> (T, T) {
        (T::read(self.start()), T::read(self.end()))
    }
}

impl Range {
    /// Widens this range so that it holds `other` too; both have ends of this shape, or of variable size.
    pub fn expand(&mut self, other: &Self, physical: Physical) {
        fn wider<T: Value>(one: &Range, other: &Range) -> Range {
            let ((low, high), (other_low, other_high)) = (one.values::<T>(), other.values::<T>());
            Range::of(
                if other_low < low { other_low } else { low },
                if other_high > high { other_high } else { high },
            )
        }
        *self = match self.is_var() || other.is_var() {
            true => Self::var(self.start().min(other.start()), self.end().max(other.end())),
            false => typed!(physical, T => wider::<T>(self, other)),
        };
    }

    /// Whether the two have a value in common; both have ends of this shape, or of variable size.
    pub fn overlaps(&self, other: &Self, physical: Physical) -> bool {
        fn meet<T: Value>(one: &Range, other: &Range) -> bool {
            let ((low, high), (other_low, other_high)) = (one.values::<T>(), other.values::<T>());
            low <= other_high && other_low <= high
        }
        match self.is_var() || other.is_var() {
            true => self.start() <= other.end() && other.start() <= self.end(),
            false => typed!(physical, T => meet::<T>(self, other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_overlap_where_they_share_a_value() {
        let range = Range::of(-3i16, 5);
        assert!(range.overlaps(&Range::of(5i16, 9), Physical::I16));
        assert!(!range.overlaps(&Range::of(6i16, 9), Physical::I16));
        let range = Range::var(b"b", b"bb");
        assert!(range.overlaps(&Range::var(b"", b"b"), Physical::U8));
        assert!(!range.overlaps(&Range::var(b"bba", b"c"), Physical::U8));
    }

    #[test]
    fn expanding_holds_both() {
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
