//! Results of aggregates in the caller's buffers.

use super::Aggregate;
use crate::buffers::{FieldBuffers, FieldSizes};
use crate::error::{AggregateError, Error, Result};

/// The size in bytes of the offset of a variable-length result, regardless of `sm.var_offsets.*`.
const OFFSET: usize = 8;
/// The size in bytes of counts, sums and means, which are numbers of 64 bits.
const NUMBER: usize = 8;

/// The result of an aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateResult {
    /// The bytes; zeros or an empty string if no value exists.
    pub value: Vec<u8>,
    /// Whether the result is not null.
    pub is_valid: bool,
}

/// Checks that the buffers of a result have the size of exactly one value.
pub(crate) fn check_output(
    aggregate: &Aggregate,
    buffers: Option<&FieldBuffers<'_>>,
) -> Result<()> {
    let buffers = buffers.ok_or_else(|| {
        Error::from(AggregateError::NoBuffer {
            operator: aggregate.operator().name(),
        })
    })?;
    let shape = aggregate.result_type();
    let var = shape.is_var();
    let (fixed, size) = match (var, aggregate.field()) {
        (true, _) => (&buffers.offsets, OFFSET),
        (false, Some(field)) if aggregate.is_min_or_max() => {
            (&buffers.data, field.cells.cell_size())
        }
        (false, _) => (&buffers.data, NUMBER),
    };
    let Some(fixed) = fixed else {
        return Err(AggregateError::NoFixedBuffer.into());
    };
    if var && buffers.data.is_none() {
        return Err(AggregateError::NoVarBuffer.into());
    }
    if fixed.len() != size {
        return Err(AggregateError::BufferSize {
            size: fixed.len(),
            expected: size,
        }
        .into());
    }
    match (&buffers.validity, shape.nullable) {
        (None, true) => Err(AggregateError::NoValidity.into()),
        (Some(validity), true) if validity.len() != 1 => Err(AggregateError::ValiditySize {
            size: validity.len(),
        }
        .into()),
        (Some(_), false) if aggregate.operator().counts() => {
            Err(AggregateError::CountValidity.into())
        }
        (Some(_), false) => Err(AggregateError::UnexpectedValidity.into()),
        _ => Ok(()),
    }
}

impl AggregateResult {
    /// Returns a number of cells as a result.
    pub(super) fn number(cells: u64) -> Self {
        Self {
            value: cells.to_le_bytes().to_vec(),
            is_valid: true,
        }
    }

    /// Writes the result of `aggregate` to buffers that were checked.
    pub(crate) fn put(
        &self,
        aggregate: &Aggregate,
        buffers: &mut FieldBuffers<'_>,
    ) -> Result<FieldSizes> {
        let mut sizes = FieldSizes {
            data: self.value.len() as u64,
            ..FieldSizes::default()
        };
        let data = buffers.data.as_deref_mut().unwrap_or_default();
        let name = aggregate.field().map_or("", |field| &field.name);
        let target = data.get_mut(..self.value.len()).ok_or_else(|| {
            Error::from(AggregateError::TextTooLong {
                name: name.to_string(),
                size: self.value.len(),
            })
        })?;
        target.copy_from_slice(&self.value);
        if let Some(offset) = buffers.offsets.as_deref_mut() {
            offset.fill(0);
            sizes.offsets = OFFSET as u64;
        }
        if let Some(validity) = buffers.validity.as_deref_mut() {
            validity.fill(u8::from(self.is_valid));
            sizes.validity = 1;
        }
        Ok(sizes)
    }
}
