//! The least and the greatest value, the sum and the null count of a whole fragment, by slot.
//!
//! ```text
//! for each slot
//!   min          u64 length, then that many bytes; length 0 if undefined
//!   max          u64 length, then that many bytes; length 0 if undefined
//!   sum          the bits of an i64, u64 or f64, depending on the datatype; 0 if undefined
//!   null count   u64
//! ```

use crate::bytes::{Cursor, Sink};
use crate::error::{Result, try_copy};

/// Statistics of all cells of a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldStats {
    /// The least value; empty if undefined.
    pub min: Vec<u8>,
    /// The greatest value; empty if undefined.
    pub max: Vec<u8>,
    /// The bits of the sum.
    pub sum: u64,
    /// The number of null cells.
    pub null_count: u64,
}

impl FieldStats {
    /// Returns the number of bytes of a slot in the record.
    pub fn record_len(&self) -> usize {
        32 + self.min.len() + self.max.len()
    }
}

/// Reads the statistics of `slot_num` slots.
pub fn read_fragment_stats(from: &mut Cursor<'_>, slot_num: usize) -> Result<Vec<FieldStats>> {
    let value = |field, from: &mut Cursor<'_>| {
        let len = from.u64(field)?;
        try_copy(
            "the minimum or maximum of a fragment",
            from.take_u64(field, len)?,
        )
    };
    (0..slot_num)
        .map(|_| {
            Ok(FieldStats {
                min: value("min", from)?,
                max: value("max", from)?,
                sum: from.u64("sum")?,
                null_count: from.u64("null count")?,
            })
        })
        .collect()
}

/// Writes the statistics of all slots.
pub fn write_fragment_stats(to: &mut Sink, fields: &[FieldStats]) {
    for field in fields {
        for value in [&field.min, &field.max] {
            to.u64(value.len() as u64);
            to.put(value);
        }
        to.u64(field.sum);
        to.u64(field.null_count);
    }
}
