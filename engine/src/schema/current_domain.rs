//! The current domain: the box of the domain that is in use, if the schema limits it.

use super::value_text::number_text;
use super::{ArraySchema, Dimension, Domain};
use crate::error::{CurrentDomainError, Error, Result};
use crate::typed;
use crate::types::{Datatype, NdRange, Range, Value};

/// An n-dimensional box with one range per dimension. Each range is set separately.
#[derive(Clone, Debug, PartialEq)]
pub struct NdRectangle {
    domain: Domain,
    ranges: Vec<Option<Range>>,
}

impl NdRectangle {
    /// Creates a rectangle without ranges. Returns an error for a domain without dimensions.
    pub fn new(domain: Domain) -> Result<Self> {
        if domain.dimensions.is_empty() {
            return Err(CurrentDomainError::NoDimensions.into());
        }
        let ranges = vec![None; domain.dimensions.len()];
        Ok(Self { domain, ranges })
    }

    /// Creates a rectangle with one range for each dimension.
    pub fn of(domain: Domain, ranges: NdRange) -> Self {
        let ranges = ranges.into_iter().map(Some).collect();
        Self { domain, ranges }
    }

    /// Sets the range of a dimension; the bounds are bytes. Returns an error if the index is out of
    /// range, the size of the bounds differs from the dimension's, or the lower bound exceeds the
    /// upper one.
    pub fn set_range(&mut self, index: u32, start: &[u8], end: &[u8]) -> Result<()> {
        let position = index as usize;
        let (Some(dimension), Some(slot)) = (
            self.domain.dimensions.get(position),
            self.ranges.get_mut(position),
        ) else {
            return Err(CurrentDomainError::NoDimensionToSet { index }.into());
        };
        if start.is_empty() && end.is_empty() {
            return Err(CurrentDomainError::EmptyRange.into());
        }
        let range = if dimension.is_var() {
            Range::var(start, end)
        } else {
            let (size, given) = (2 * dimension.datatype.size(), start.len() + end.len());
            if start.len() != end.len() || given != size {
                return Err(CurrentDomainError::RangeSize {
                    size: given,
                    expected: size,
                }
                .into());
            }
            Range::fixed(start, end)
        };
        check_bounds(dimension, &range)?;
        *slot = Some(range);
        Ok(())
    }

    /// Returns all ranges. Returns an error if one is not set, is reversed or exceeds the dimension
    /// of `domain`.
    pub(super) fn finish(&self, domain: &Domain) -> Result<NdRange> {
        if domain.dimensions.len() != self.ranges.len() {
            return Err(CurrentDomainError::DimensionNumber.into());
        }
        let ranges = self
            .ranges
            .iter()
            .enumerate()
            .map(|(index, range)| {
                range
                    .clone()
                    .ok_or_else(|| Error::from(CurrentDomainError::RangeMissing { index }))
            })
            .collect::<Result<NdRange>>()?;
        for (dimension, range) in domain.dimensions.iter().zip(&ranges) {
            let whole = dimension.domain.as_ref();
            let fits = fits_dimension(dimension, range)
                && whole.is_none_or(|whole| covers(dimension, whole, range));
            if !fits {
                return Err(CurrentDomainError::BeyondDomain.into());
            }
            // Ranges that were received are not checked before.
            check_bounds(dimension, range)?;
        }
        Ok(ranges)
    }

    /// Returns the number of dimensions.
    pub fn dim_num(&self) -> u32 {
        u32::try_from(self.domain.dimensions.len()).unwrap_or(u32::MAX)
    }

    /// Returns the index of a dimension, or an error if no dimension has this name.
    pub fn index_of(&self, name: &str) -> Result<u32> {
        let found = self
            .domain
            .dimensions
            .index_of(name)
            .and_then(|index| u32::try_from(index).ok());
        found.ok_or_else(|| Error::from(CurrentDomainError::UnknownDimension { name: name.into() }))
    }

    /// Returns the datatype of a dimension, or an error if the index is out of range.
    pub fn datatype(&self, index: u32) -> Result<Datatype> {
        let found = self.domain.dimensions.get(index as usize);
        found
            .map(|dimension| dimension.datatype)
            .ok_or_else(|| Error::from(CurrentDomainError::NoDimension { index }))
    }

    /// Returns the range of a dimension, if it is set. Returns an error if the index is out of
    /// range.
    pub fn range(&self, index: u32) -> Result<Option<&Range>> {
        let range = self
            .ranges
            .get(index as usize)
            .ok_or_else(|| Error::from(CurrentDomainError::NoRange { index }))?;
        Ok(range.as_ref())
    }

    /// Returns the dimensions and their ranges; `None` for a range that is not set.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (&Dimension, Option<&Range>)> {
        self.domain
            .dimensions
            .iter()
            .map(AsRef::as_ref)
            .zip(self.ranges.iter().map(Option::as_ref))
    }
}

fn is_less<T: Value>(a: &[u8], b: &[u8]) -> bool {
    T::read(a) < T::read(b)
}

/// Returns whether one coordinate, given as bytes, is less than another.
fn precedes(dimension: &Dimension, a: &[u8], b: &[u8]) -> bool {
    if dimension.is_var() {
        a < b
    } else {
        typed!(dimension.datatype.physical(), T => is_less::<T>(a, b))
    }
}

/// Returns whether `whole` contains `range`.
fn covers(dimension: &Dimension, whole: &Range, range: &Range) -> bool {
    !precedes(dimension, range.start(), whole.start())
        && !precedes(dimension, whole.end(), range.end())
}

/// Returns whether the bounds of a range have the size of a dimension's coordinates.
fn fits_dimension(dimension: &Dimension, range: &Range) -> bool {
    range.is_var() == dimension.is_var()
        && (range.is_var() || range.start().len() == dimension.datatype.size())
}

fn check_bounds(dimension: &Dimension, range: &Range) -> Result<()> {
    fn nan<T: Value>(bytes: &[u8]) -> bool {
        let value = T::read(bytes);
        value.partial_cmp(&value).is_none()
    }
    let physical = dimension.datatype.physical();
    let is_nan = |bytes| !range.is_var() && typed!(physical, T => nan::<T>(bytes));
    if is_nan(range.start()) || is_nan(range.end()) {
        return Err(CurrentDomainError::NanRange.into());
    }
    if precedes(dimension, range.end(), range.start()) {
        let text = |bytes: &[u8]| {
            if range.is_var() {
                String::from_utf8_lossy(bytes).into_owned()
            } else {
                number_text(dimension.datatype, bytes)
            }
        };
        return Err(CurrentDomainError::ReversedRange {
            low: text(range.start()),
            high: text(range.end()),
        }
        .into());
    }
    Ok(())
}

impl ArraySchema {
    /// Returns whether the current domain contains a range of a dimension.
    pub fn is_current(&self, dim: usize, range: &Range) -> bool {
        let Some(current) = self.current_domain.as_ref().and_then(|all| all.get(dim)) else {
            return true;
        };
        let dimension = self.domain.dimensions.get(dim);
        dimension.is_none_or(|dimension| covers(dimension, current, range))
    }

    /// Returns the ranges of a new current domain. Returns an error unless it contains the present
    /// one and is within the domain.
    pub fn check_expansion(&self, wider: &NdRectangle) -> Result<NdRange> {
        let current = self.current_domain.iter().flatten();
        let shrinks = self
            .domain
            .dimensions
            .iter()
            .zip(&wider.ranges)
            .zip(current)
            .any(|((dimension, wider), current)| {
                let wider = wider
                    .as_ref()
                    .filter(|wider| fits_dimension(dimension, wider));
                wider.is_some_and(|wider| !covers(dimension, wider, current))
            });
        if shrinks {
            return Err(CurrentDomainError::Shrinks.into());
        }
        wider.finish(&self.domain)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn domain(datatypes: &[Datatype]) -> Domain {
        let dimension = |datatype: &Datatype| {
            let bounds: Vec<u8> = [1i32, 100]
                .iter()
                .flat_map(|end| end.to_le_bytes())
                .collect();
            let bounds = Some(&bounds[..]).filter(|_| *datatype != Datatype::StringAscii);
            Arc::new(Dimension::new("d", *datatype, bounds, None).expect("a dimension"))
        };
        Domain {
            dimensions: datatypes.iter().map(dimension).collect(),
        }
    }

    fn error_text<T>(result: Result<T>) -> String {
        result
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn a_rectangle_without_dimensions_is_an_error() {
        assert!(
            error_text(NdRectangle::new(Domain::default()))
                .contains("needs a domain with dimensions")
        );
        let none = NdRectangle::of(Domain::default(), Vec::new());
        assert_eq!(none.dim_num(), 0);
        assert!(none.range(0).is_err() && none.datatype(0).is_err());
        assert!(none.index_of("x").is_err());
    }

    #[test]
    fn invalid_ranges_are_errors() {
        let mut one = NdRectangle::new(domain(&[Datatype::Int32])).expect("a dimension");
        let number = i32::to_le_bytes;
        assert!(
            error_text(one.set_range(1, &number(1), &number(2)))
                .contains("has no dimension 1 whose range could be set")
        );
        assert!(
            error_text(one.set_range(0, &number(5), &number(2)))
                .ends_with("bound 5 of the range is larger than the upper bound 2")
        );
        assert!(error_text(one.set_range(0, &[1], &[2])).contains("has 2 bytes instead of 8"));
        assert!(error_text(one.set_range(0, &[], &[])).ends_with("The range is empty"));
        assert_eq!(one.range(0).expect("a dimension"), None);
        assert!(one.set_range(0, &number(2), &number(5)).is_ok());
    }

    #[test]
    fn a_current_domain_must_be_complete_and_within_the_domain() {
        let both = domain(&[Datatype::Int32, Datatype::StringAscii]);
        let mut rectangle = NdRectangle::new(both.clone()).expect("dimensions");
        let number = i32::to_le_bytes;
        rectangle
            .set_range(0, &number(1), &number(101))
            .expect("a range");
        assert!(error_text(rectangle.finish(&both)).ends_with("no range of dimension 1"));
        rectangle.set_range(1, b"a", b"z").expect("a range");
        assert!(error_text(rectangle.finish(&both)).contains("is not inside the domain"));
        rectangle
            .set_range(0, &number(1), &number(100))
            .expect("a range");
        assert!(rectangle.finish(&both).is_ok());
        assert!(
            error_text(rectangle.finish(&domain(&[Datatype::Int32])))
                .contains("different numbers of dimensions")
        );
    }

    #[test]
    fn received_ranges_are_checked_when_they_are_used() {
        let numbers = |dimension: &Domain, low: i32, high: i32| {
            let rectangle = NdRectangle::of(dimension.clone(), vec![Range::of(low, high)]);
            rectangle.finish(dimension)
        };
        let number = domain(&[Datatype::Int32]);
        assert!(numbers(&number, 2, 5).is_ok());
        assert!(error_text(numbers(&number, 5, 2)).contains("is larger than the upper bound"));
        let text = domain(&[Datatype::StringAscii]);
        let reversed = NdRectangle::of(text.clone(), vec![Range::var(b"b", b"a")]);
        assert!(error_text(reversed.finish(&text)).contains("is larger than the upper bound"));
        let mut bounds = 1f64.to_le_bytes().to_vec();
        bounds.extend(9f64.to_le_bytes());
        let real = Dimension::new("d", Datatype::Float64, Some(&bounds), None);
        let real = Domain {
            dimensions: vec![Arc::new(real.expect("a dimension"))].into(),
        };
        let nan = NdRectangle::of(real.clone(), vec![Range::of(2.0, f64::NAN)]);
        assert!(error_text(nan.finish(&real)).ends_with("is not a number"));
    }
}
