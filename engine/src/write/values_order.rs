//! Attributes whose values must be increasing or decreasing, as the values of dimension labels.

use super::check::InputColumn;
use crate::error::{Result, WriteBufferError, WriteError};
use crate::schema::ArraySchema;
use crate::typed;
use crate::types::{DataOrder, Value};

/// Returns whether a schema has attributes with ordered values.
pub(super) fn is_ordered(schema: &ArraySchema) -> bool {
    let mut attributes = schema.attributes.iter();
    attributes.any(|attribute| attribute.order != DataOrder::Unordered)
}

/// Returns an error if the schema has ordered attributes. Writes of tiles that are padded with fill
/// values would break the order.
pub fn reject_ordered(schema: &ArraySchema) -> Result<()> {
    if !is_ordered(schema) {
        Ok(())
    } else {
        Err(WriteError::OrderedAttributes.into())
    }
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
        let physical = column.field.datatype.physical();
        let in_order = match &column.ends {
            Some(ends) => are_texts_in_order(column.data, ends, descending),
            None => typed!(physical, T => are_in_order::<T>(column.data, descending)),
        };
        if !in_order {
            return Err(WriteBufferError::OutOfOrder { name: name.clone() }.into());
        }
    }
    Ok(())
}

/// NaN is unordered and is always accepted.
fn are_in_order<T: Value>(data: &[u8], descending: bool) -> bool {
    let values = data.chunks_exact(T::SIZE).map(T::read);
    let next = data.chunks_exact(T::SIZE).skip(1).map(T::read);
    let mut pairs = values.zip(next);
    if descending {
        !pairs.any(|(a, b)| b >= a)
    } else {
        !pairs.any(|(a, b)| b <= a)
    }
}

fn are_texts_in_order(data: &[u8], ends: &[u64], descending: bool) -> bool {
    let text = |bounds: &[u64]| &data[bounds[0] as usize..bounds[1] as usize];
    let mut triples = ends.windows(3);
    triples.all(|ends| {
        let (a, b) = (text(&ends[..2]), text(&ends[1..]));
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
