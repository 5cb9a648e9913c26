//! The current domain: the rectangle of a domain that is in use, where a schema has one.

use super::dump::number_text;
use super::{ArraySchema, Dimension, Domain};
use crate::error::{Error, Result};
use crate::typed;
use crate::types::{Datatype, NdRange, Range, Value};

/// How texts begin that libtiledb gives for broken rules of its own.
const ORIGIN: &str = "TileDB internal";

/// One range for each dimension of a domain; each is set in its own time.
#[derive(Clone, Debug, PartialEq)]
pub struct NdRectangle {
    domain: Domain,
    ranges: Vec<Option<Range>>,
}

fn refused(message: impl Into<String>) -> Error {
    Error::usage(ORIGIN, message)
}

impl NdRectangle {
    /// No ranges yet. An error for a domain without dimensions.
    pub fn new(domain: Domain) -> Result<Self> {
        if domain.dimensions.is_empty() {
            return Err(refused(
                "The TileDB domain used to create the NDRectangle has no dimensions.",
            ));
        }
        let ranges = vec![None; domain.dimensions.len()];
        Ok(Self { domain, ranges })
    }

    /// These ranges of a domain, one for each dimension.
    pub fn of(domain: Domain, ranges: NdRange) -> Self {
        let ranges = ranges.into_iter().map(Some).collect();
        Self { domain, ranges }
    }

    /// Sets the range of a dimension, its ends as bytes. An error beyond the last dimension, for ends of another size than
    /// the dimension's, and for a lower end above the upper one.
    pub fn set_range(&mut self, index: u32, start: &[u8], end: &[u8]) -> Result<()> {
        let at = index as usize;
        let (Some(dimension), Some(place)) =
            (self.domain.dimensions.get(at), self.ranges.get_mut(at))
        else {
            return Err(refused(
                "Trying to set a range for an index out of bounds is not possible.",
            ));
        };
        if start.is_empty() && end.is_empty() {
            return Err(refused("Range is empty"));
        }
        let range = match dimension.is_var() {
            true => Range::var(start, end),
            false => {
                let (size, given) = (2 * dimension.datatype.size(), start.len() + end.len());
                if start.len() != end.len() || given != size {
                    return Err(refused(format!(
                        "Range size {given} does not match the expected size {size}"
                    )));
                }
                Range::fixed(start, end)
            }
        };
        check_ends(dimension, &range)?;
        *place = Some(range);
        Ok(())
    }

    /// All ranges, checked: each set, and within the dimension of `domain`.
    pub(super) fn finish(&self, domain: &Domain) -> Result<NdRange> {
        if domain.dimensions.len() != self.ranges.len() {
            return Err(refused(
                "The array current domain and the array schema have a non-equal number of dimensions",
            ));
        }
        let set = self.ranges.iter().enumerate().map(|(index, range)| {
            range.clone().ok_or_else(|| {
                refused(format!(
                    "This current domain has no range specified for dimension idx: {index}"
                ))
            })
        });
        let ranges = set.collect::<Result<NdRange>>()?;
        let mut dimensions = domain.dimensions.iter().zip(&ranges);
        let fits = dimensions.all(|(dimension, range)| {
            let whole = dimension.domain.as_ref();
            is_of(dimension, range) && whole.is_none_or(|whole| covers(dimension, whole, range))
        });
        match fits {
            true => Ok(ranges),
            false => Err(refused(
                "This array current domain has ranges past the boundaries of the array schema domain",
            )),
        }
    }

    /// The number of dimensions.
    pub fn dim_num(&self) -> u32 {
        u32::try_from(self.domain.dimensions.len()).unwrap_or(u32::MAX)
    }

    /// The index of a dimension. An error where there is none of this name.
    pub fn index_of(&self, name: &str) -> Result<u32> {
        let found = self.domain.dimension_index(name);
        let found = found.and_then(|at| u32::try_from(at).ok());
        found.ok_or_else(|| {
            let message = "Cannot get dimension index; Invalid dimension name";
            Error::usage(ORIGIN, message)
        })
    }

    /// The datatype of a dimension. An error beyond the last.
    pub fn datatype(&self, index: u32) -> Result<Datatype> {
        let found = self.domain.dimensions.get(index as usize);
        let found = found.map(|dimension| dimension.datatype);
        found.ok_or_else(|| {
            let message = "The index does not correspond to a valid dimension in the NDRectangle";
            Error::usage(ORIGIN, message)
        })
    }

    /// The range of a dimension, where it is set. An error beyond the last.
    pub fn range(&self, index: u32) -> Result<Option<&Range>> {
        let range = self.ranges.get(index as usize).ok_or_else(|| {
            let message = "Trying to get a range for an index out of bounds is not possible.";
            Error::usage(ORIGIN, message)
        })?;
        Ok(range.as_ref())
    }

    /// The dimensions and their ranges, as far as those are set.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (&Dimension, Option<&Range>)> {
        let dimensions = self.domain.dimensions.iter().map(AsRef::as_ref);
        dimensions.zip(self.ranges.iter().map(Option::as_ref))
    }
}

fn comes_before<T: Value>(a: &[u8], b: &[u8]) -> bool {
    T::read(a) < T::read(b)
}

/// Whether the bytes of one coordinate come before those of another.
fn precedes(dimension: &Dimension, a: &[u8], b: &[u8]) -> bool {
    match dimension.is_var() {
        true => a < b,
        false => typed!(dimension.datatype.physical(), T => comes_before::<T>(a, b)),
    }
}

/// Whether a range of a dimension lies within another.
fn covers(dimension: &Dimension, whole: &Range, range: &Range) -> bool {
    !precedes(dimension, range.start(), whole.start())
        && !precedes(dimension, whole.end(), range.end())
}

/// Whether the ends of a range are coordinates of a dimension.
fn is_of(dimension: &Dimension, range: &Range) -> bool {
    range.is_var() == dimension.is_var()
        && (range.is_var() || range.start().len() == dimension.datatype.size())
}

fn check_ends(dimension: &Dimension, range: &Range) -> Result<()> {
    fn nan<T: Value>(bytes: &[u8]) -> bool {
        let value = T::read(bytes);
        value.partial_cmp(&value).is_none()
    }
    let physical = dimension.datatype.physical();
    let is_nan = |bytes| !range.is_var() && typed!(physical, T => nan::<T>(bytes));
    if is_nan(range.start()) || is_nan(range.end()) {
        return Err(refused("Range contains NaN"));
    }
    if precedes(dimension, range.end(), range.start()) {
        let text = |bytes: &[u8]| match range.is_var() {
            true => String::from_utf8_lossy(bytes).into_owned(),
            false => number_text(dimension.datatype, bytes),
        };
        return Err(refused(format!(
            "Lower range bound {} cannot be larger than the higher bound {}",
            text(range.start()),
            text(range.end())
        )));
    }
    Ok(())
}

impl ArraySchema {
    /// Whether a range of a dimension lies within the part of the domain in use.
    pub fn is_current(&self, dim: usize, range: &Range) -> bool {
        let Some(current) = self.current_domain.as_ref().and_then(|all| all.get(dim)) else {
            return true;
        };
        let dimension = self.domain.dimensions.get(dim);
        dimension.is_none_or(|dimension| covers(dimension, current, range))
    }

    /// An error unless a current domain holds all of that of the schema, and fits its domain.
    pub fn check_expansion(&self, wider: &NdRectangle) -> Result<NdRange> {
        let current = self.current_domain.iter().flatten();
        let mut all = self
            .domain
            .dimensions
            .iter()
            .zip(&wider.ranges)
            .zip(current);
        let shrinks = all.any(|((dimension, wider), current)| {
            let wider = wider.as_ref().filter(|wider| is_of(dimension, wider));
            wider.is_some_and(|wider| !covers(dimension, wider, current))
        });
        match shrinks {
            true => Err(Error::usage(
                "ArraySchema",
                "The current domain of an array can only be expanded, please adjust your new current domain object.",
            )),
            false => wider.finish(&self.domain),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn domain(datatypes: &[Datatype]) -> Domain {
        let dimension = |datatype: &Datatype| {
            let ends: Vec<u8> = [1i32, 100]
                .iter()
                .flat_map(|end| end.to_le_bytes())
                .collect();
            let ends = Some(&ends[..]).filter(|_| *datatype != Datatype::StringAscii);
            Arc::new(Dimension::new("d", *datatype, ends, None).expect("a dimension"))
        };
        Domain {
            dimensions: datatypes.iter().map(dimension).collect(),
        }
    }

    fn told<T>(result: Result<T>) -> String {
        result
            .err()
            .map_or_else(String::new, |error| error.to_string())
    }

    #[test]
    fn a_rectangle_of_no_dimensions_is_refused() {
        assert!(told(NdRectangle::new(Domain::default())).contains("has no dimensions"));
        let none = NdRectangle::of(Domain::default(), Vec::new());
        assert_eq!(none.dim_num(), 0);
        assert!(none.range(0).is_err() && none.datatype(0).is_err());
        assert!(none.index_of("x").is_err());
    }

    #[test]
    fn ranges_that_are_none_are_refused() {
        let mut one = NdRectangle::new(domain(&[Datatype::Int32])).expect("a dimension");
        let number = i32::to_le_bytes;
        assert!(told(one.set_range(1, &number(1), &number(2))).contains("out of bounds"));
        assert!(
            told(one.set_range(0, &number(5), &number(2)))
                .ends_with("Lower range bound 5 cannot be larger than the higher bound 2")
        );
        assert!(
            told(one.set_range(0, &[1], &[2]))
                .contains("size 2 does not match the expected size 8")
        );
        assert!(told(one.set_range(0, &[], &[])).ends_with("Range is empty"));
        assert_eq!(one.range(0).expect("a dimension"), None);
        assert!(one.set_range(0, &number(2), &number(5)).is_ok());
    }

    #[test]
    fn a_current_domain_is_whole_and_within_the_domain() {
        let both = domain(&[Datatype::Int32, Datatype::StringAscii]);
        let mut rectangle = NdRectangle::new(both.clone()).expect("dimensions");
        let number = i32::to_le_bytes;
        rectangle
            .set_range(0, &number(1), &number(101))
            .expect("a range");
        assert!(told(rectangle.finish(&both)).ends_with("dimension idx: 1"));
        rectangle.set_range(1, b"a", b"z").expect("a range");
        assert!(told(rectangle.finish(&both)).contains("past the boundaries"));
        rectangle
            .set_range(0, &number(1), &number(100))
            .expect("a range");
        assert!(rectangle.finish(&both).is_ok());
        assert!(told(rectangle.finish(&domain(&[Datatype::Int32]))).contains("non-equal number"));
    }
}
