//! The ranges of a read or a write.

use std::ops::RangeInclusive;

use crate::error::{ApiError, Error, Result};
use crate::expression::Scalar;
use crate::schema::ArraySchema;
use crate::subarray::Subarray as EngineSubarray;
use crate::types::Datatype;

/// Ranges of dimensions, or of dimension labels. A dimension without ranges is complete; several
/// ranges of one dimension select the cells of each of them.
///
/// Names and values are checked when the subarray is used with an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subarray {
    ranges: Vec<(String, Scalar, Scalar)>,
}

impl Subarray {
    /// Creates a subarray without ranges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a range, both bounds included, of a dimension or a dimension label.
    #[must_use]
    pub fn range<V: Into<Scalar>>(mut self, name: &str, range: RangeInclusive<V>) -> Self {
        let (low, high) = range.into_inner();
        self.ranges.push((name.to_owned(), low.into(), high.into()));
        self
    }

    /// Adds a single coordinate.
    #[must_use]
    pub fn point(mut self, name: &str, value: impl Into<Scalar>) -> Self {
        let value = value.into();
        self.ranges.push((name.to_owned(), value.clone(), value));
        self
    }

    /// Returns whether no range was added.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds the ranges to a subarray of the engine.
    pub(super) fn add_to(&self, subarray: &mut EngineSubarray) -> Result<()> {
        let schema = subarray.schema().clone();
        self.ranges
            .iter()
            .try_for_each(|(name, low, high)| add(subarray, &schema, name, [low, high]))
    }
}

fn add(
    subarray: &mut EngineSubarray,
    schema: &ArraySchema,
    name: &str,
    bounds: [&Scalar; 2],
) -> Result<()> {
    let bytes = |datatype: Datatype| {
        let [low, high] = bounds.map(|bound| {
            bound.to_bytes(datatype).map_err(|cause| {
                Error::from(ApiError::WrongBound {
                    cause,
                    name: name.into(),
                })
            })
        });
        Ok::<_, Error>((low?, high?))
    };
    if let Some(dimension) = schema.dimension(name) {
        let (low, high) = bytes(dimension.datatype)?;
        let index = subarray.dimension_index(name)?;
        return if dimension.is_var() {
            subarray.add_range_var(index, &low, &high)
        } else {
            subarray.add_range(index, &low, &high)
        };
    }
    let Some(label) = schema.label(name) else {
        return Err(ApiError::UnknownDimension { name: name.into() }.into());
    };
    let (low, high) = bytes(label.datatype)?;
    if label.is_var() {
        subarray.add_label_range_var(name, &low, &high)
    } else {
        subarray.add_label_range(name, &low, &high)
    }
}
