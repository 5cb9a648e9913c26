//! The ranges of a read or a write.

use std::ops::{Bound, RangeBounds};

use crate::error::{ApiError, Error, Result};
use crate::expression::Scalar;
use crate::schema::ArraySchema;
use crate::subarray::Subarray as EngineSubarray;
use crate::typed;
use crate::types::{Datatype, Range, Value};

/// Ranges of dimensions, or of dimension labels. A dimension without ranges is complete; several
/// ranges of one dimension select the cells of each of them.
///
/// Names and values are checked when the subarray is used with an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subarray {
    ranges: Vec<(String, Bound<Scalar>, Bound<Scalar>)>,
}

impl Subarray {
    /// Creates a subarray without ranges.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a range of a dimension or a dimension label: `1..=31`, `1..32`, `1..` or `..=31`. Texts
    /// need an upper bound, which is included.
    #[must_use]
    pub fn range<V: Into<Scalar> + Clone>(
        mut self,
        name: &str,
        range: impl RangeBounds<V>,
    ) -> Self {
        let [low, high] =
            [range.start_bound(), range.end_bound()].map(|bound| bound.cloned().map(Into::into));
        self.ranges.push((name.to_owned(), low, high));
        self
    }

    /// Adds a single coordinate.
    #[must_use]
    pub fn point(mut self, name: &str, value: impl Into<Scalar>) -> Self {
        let value = Bound::Included(value.into());
        self.ranges.push((name.to_owned(), value.clone(), value));
        self
    }

    /// Returns whether no range was added.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Adds the ranges to a subarray of the engine.
    pub(super) fn add_to(&self, subarray: &mut EngineSubarray) -> Result<()> {
        let schema = subarray.schema.clone();
        self.ranges
            .iter()
            .try_for_each(|(name, low, high)| add(subarray, &schema, name, [low, high]))
    }
}

fn add(
    subarray: &mut EngineSubarray,
    schema: &ArraySchema,
    name: &str,
    bounds: [&Bound<Scalar>; 2],
) -> Result<()> {
    if let Some(dimension) = schema.dimension(name) {
        let [low, high] = included(bounds, dimension.datatype, dimension.domain.as_ref(), name)?;
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
    let [low, high] = included(bounds, label.datatype, None, name)?;
    if label.is_var() {
        subarray.add_label_range_var(name, &low, &high)
    } else {
        subarray.add_label_range(name, &low, &high)
    }
}

/// Returns the bytes of the first and the last value of a range. A bound that is left out is that
/// of the domain, or of the datatype if it has no domain.
fn included(
    bounds: [&Bound<Scalar>; 2],
    datatype: Datatype,
    domain: Option<&Range>,
    name: &str,
) -> Result<[Vec<u8>; 2]> {
    let bytes = |value: &Scalar| {
        value.to_bytes(datatype).map_err(|cause| {
            let name = name.into();
            Error::from(ApiError::WrongBound { cause, name })
        })
    };
    let bound = |bound: &Bound<Scalar>, is_low: bool| match bound {
        Bound::Included(value) => bytes(value),
        Bound::Unbounded if datatype.is_string() && is_low => Ok(Vec::new()),
        Bound::Excluded(_) | Bound::Unbounded if datatype.is_string() => {
            Err(ApiError::TextBound { name: name.into() }.into())
        }
        Bound::Excluded(value) => {
            let mut value = bytes(value)?;
            let is_real = datatype.is_real();
            if typed!(datatype.physical(), T => step::<T>(&mut value, is_low, is_real)) {
                Ok(value)
            } else {
                Err(ApiError::EmptyRange { name: name.into() }.into())
            }
        }
        Bound::Unbounded => Ok(match domain {
            Some(domain) if is_low => domain.start().to_vec(),
            Some(domain) => domain.end().to_vec(),
            None => typed!(datatype.physical(), T => limit::<T>(is_low)),
        }),
    };
    let [low, high] = bounds;
    Ok([bound(low, true)?, bound(high, false)?])
}

/// Moves a value to the next greater or lesser one; returns `false` if it does not exist.
fn step<T: Value>(bytes: &mut [u8], greater: bool, is_real: bool) -> bool {
    let value = T::read(bytes);
    let mut key = value.to_key();
    loop {
        let is_last = if greater {
            key >= T::GREATEST.to_key()
        } else {
            key <= T::LEAST.to_key()
        };
        if is_last {
            return false;
        }
        key = if greater { key + 1 } else { key - 1 };
        // -0.0 and 0.0 have different keys.
        let next = T::from_key(key);
        if !is_real || next.to_f64() != value.to_f64() {
            next.write(bytes);
            return true;
        }
    }
}

fn limit<T: Value>(is_low: bool) -> Vec<u8> {
    let mut bytes = vec![0; T::SIZE];
    if is_low { T::LEAST } else { T::GREATEST }.write(&mut bytes);
    bytes
}
