//! The current domain: the rectangle of a domain that is in use, where a schema has one.

use super::Domain;
use crate::error::{Error, Result};
use crate::types::{Datatype, NdRange, Range};

/// How texts begin that libtiledb gives for broken rules of its own.
const ORIGIN: &str = "TileDB internal";

/// One range for each dimension of a domain.
#[derive(Clone, Debug, PartialEq)]
pub struct NdRectangle {
    domain: Domain,
    ranges: NdRange,
}

impl NdRectangle {
    /// These ranges of a domain, one for each dimension.
    pub fn of(domain: Domain, ranges: NdRange) -> Self {
        Self { domain, ranges }
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

    /// The range of a dimension. An error beyond the last.
    pub fn range(&self, index: u32) -> Result<&Range> {
        self.ranges.get(index as usize).ok_or_else(|| {
            let message = "Trying to get a range for an index out of bounds is not possible.";
            Error::usage(ORIGIN, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_without_dimensions_has_no_range_and_no_type() {
        let none = NdRectangle::of(Domain::default(), Vec::new());
        assert_eq!(none.dim_num(), 0);
        assert!(none.range(0).is_err() && none.datatype(0).is_err());
        assert!(none.index_of("x").is_err());
    }
}
