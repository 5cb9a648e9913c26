//! The non-empty domain of a dimension given by index or name, with the checks of the C API.

use super::Array;
use crate::error::{ArrayError, Error, Result};
use crate::schema::{ArraySchema, Dimension};
use crate::types::Range;

/// A dimension given by index or name.
#[derive(Clone, Copy, Debug)]
pub enum DimensionKey<'a> {
    /// By index.
    Index(u32),
    /// By name.
    Name(&'a str),
}

/// The request for a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeRequest {
    /// Both bounds, of fixed size.
    Fixed,
    /// The sizes of both bounds.
    VarSize,
    /// Both bounds, of variable size.
    Var,
}

impl DimensionKey<'_> {
    /// Returns the error for a closed array.
    fn closed(self) -> ArrayError {
        match self {
            Self::Index(_) => ArrayError::NotOpenForDomainByIndex,
            Self::Name(_) => ArrayError::NotOpenForDomainByName,
        }
    }

    fn find(self, schema: &ArraySchema) -> Result<(usize, &Dimension)> {
        let dimensions = &schema.domain.dimensions;
        let (position, unknown) = match self {
            Self::Index(index) => (Some(index as usize), ArrayError::NoDimension { index }),
            Self::Name(name) => (
                schema.domain.dimensions.index_of(name),
                ArrayError::UnknownDimension { name: name.into() },
            ),
        };
        let found =
            position.and_then(|position| Some((position, dimensions.get(position)?.as_ref())));
        Ok(found.ok_or(unknown)?)
    }
}

impl Array {
    /// Returns the non-empty domain of a dimension; `None` without visible cells. Returns an error
    /// if the array is not open for reading, the dimension does not exist, or its ranges do not
    /// have the requested form.
    pub fn non_empty_range(
        &self,
        key: DimensionKey<'_>,
        request: RangeRequest,
    ) -> Result<Option<Range>> {
        let schema = self
            .snapshot()
            .map_err(|_| Error::from(key.closed()))?
            .schema
            .clone();
        let (index, dimension) = key.find(&schema)?;
        check_form(dimension, key, request)?;
        let snapshot = self.read_snapshot(key.closed())?;
        Ok(snapshot
            .non_empty_domain()
            .and_then(|domain| domain.get(index))
            .cloned())
    }

    /// Returns the concatenated bounds of all dimensions; `None` without visible cells. Returns an
    /// error if the array is not open for reading, or its dimensions have different datatypes or
    /// variable size.
    pub fn non_empty_bounds(&self) -> Result<Option<Vec<u8>>> {
        let schema = self
            .snapshot()
            .map_err(|_| Error::from(ArrayError::NotOpenForDomain))?
            .schema
            .clone();
        if schema.domain.datatype().is_none() {
            return Err(ArrayError::MixedTypes.into());
        }
        if !schema.domain.is_fixed() {
            return Err(ArrayError::VarDimensions.into());
        }
        let domain = self.non_empty_domain()?;
        let bounds = |ranges: Vec<Range>| {
            ranges
                .iter()
                .filter_map(Range::both)
                .flatten()
                .copied()
                .collect()
        };
        Ok(domain.map(bounds))
    }
}

fn check_form(dimension: &Dimension, key: DimensionKey<'_>, request: RangeRequest) -> Result<()> {
    let var = dimension.is_var();
    let name = dimension.name.clone();
    Err(match (request, key) {
        (RangeRequest::Fixed, DimensionKey::Index(_)) if var => {
            ArrayError::VarByIndex { name }.into()
        }
        (RangeRequest::Fixed, DimensionKey::Name(_)) if var => {
            ArrayError::VarByName { name }.into()
        }
        (RangeRequest::VarSize | RangeRequest::Var, _) if !var => {
            ArrayError::FixedDimension { name }.into()
        }
        _ => return Ok(()),
    })
}
