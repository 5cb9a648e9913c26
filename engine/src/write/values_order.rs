//! Attributes whose values must be strictly increasing or strictly decreasing. The arrays of
//! dimension labels have such attributes.

use super::check::InputColumn;
use crate::error::{Result, WriteBufferError, WriteError};
use crate::schema::ArraySchema;
use crate::typed;
use crate::types::{DataOrder, Value, values_of};

/// Returns whether a schema has attributes with ordered values.
pub(super) fn is_ordered(schema: &ArraySchema) -> bool {
    schema
        .attributes
        .iter()
        .any(|attribute| attribute.order != DataOrder::Unordered)
}

/// Returns an error if the schema has ordered attributes. Writes of tiles that are padded with fill
/// values would break the order.
pub fn reject_ordered(schema: &ArraySchema) -> Result<()> {
    if is_ordered(schema) {
        return Err(WriteError::OrderedAttributes.into());
    }
    Ok(())
}

/// Checks that the values of ordered attributes are strictly increasing or decreasing.
pub(super) fn check_order(schema: &ArraySchema, columns: &[InputColumn<'_>]) -> Result<()> {
    for column in columns {
        let name = &column.field.name;
        let attribute = schema.attribute(name);
        let descending = match attribute.map(|attribute| attribute.order) {
            Some(DataOrder::Increasing) => false,
            Some(DataOrder::Decreasing) => true,
            Some(DataOrder::Unordered) | None => continue,
        };
        let physical = column.field.cells.datatype.physical();
        let in_order = match &column.starts {
            Some(starts) => are_texts_in_order(column.data, starts, descending),
            None => typed!(physical, T => are_in_order::<T>(column.data, descending)),
        };
        if !in_order {
            return Err(WriteBufferError::OutOfOrder { name: name.clone() }.into());
        }
    }
    Ok(())
}

/// Returns whether each value is greater than the one before, or less if `descending`. NaN is
/// neither and is accepted anywhere.
fn are_in_order<T: Value>(data: &[u8], descending: bool) -> bool {
    let values = values_of::<T>(data);
    let mut pairs = values.zip(data.chunks_exact(T::SIZE).skip(1).map(T::read));
    if descending {
        !pairs.any(|(a, b)| b >= a)
    } else {
        !pairs.any(|(a, b)| b <= a)
    }
}

/// Returns whether each text is greater than the one before, or less if `descending`. `starts` has
/// the start of each text and the end of the last one; they ascend within `data`.
fn are_texts_in_order(data: &[u8], starts: &[u64], descending: bool) -> bool {
    // The bounds of two adjacent texts, `a` and `b`.
    let mut pairs = starts.windows(3);
    pairs.all(|bounds| {
        let a = &data[bounds[0] as usize..bounds[1] as usize];
        let b = &data[bounds[1] as usize..bounds[2] as usize];
        if descending { b < a } else { a < b }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_label_values_are_rejected() {
        let bytes = |values: &[i16]| -> Vec<u8> {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
        assert!(are_in_order::<i16>(&bytes(&[-2, 0, 300]), false));
        assert!(are_in_order::<i16>(&bytes(&[300, 0, -2]), true));
        for descending in [false, true] {
            assert!(!are_in_order::<i16>(&bytes(&[1, 1]), descending));
            assert!(!are_in_order::<i16>(&bytes(&[1, 3, 2]), descending));
            assert!(are_in_order::<i16>(&bytes(&[7]), descending));
            assert!(are_in_order::<i16>(&[], descending));
        }
    }

    #[test]
    fn texts_are_compared_as_bytes() {
        assert!(!are_texts_in_order(b"abb\xff", &[0, 1, 2, 3, 4], false));
        assert!(are_texts_in_order(b"abbb\xff", &[0, 1, 2, 4, 5], false));
        assert!(are_texts_in_order(b"\xffba", &[0, 1, 2, 3], true));
        assert!(are_texts_in_order(b"a", &[0, 0, 1], false));
        assert!(!are_texts_in_order(b"", &[0, 0, 0], false));
    }
}
