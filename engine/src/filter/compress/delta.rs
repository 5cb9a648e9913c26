//! DELTA: the number of values as u64, the first value, then each value minus the previous one,
//! wrapping.

use super::super::words;
use super::{damaged, whole_values, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::Result;

const NAME: &str = "DELTA";

pub(super) fn compress(value_size: usize, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let number = whole_values(NAME, value_size, part)?;
    to.put(&number.to_le_bytes());
    words::differences(value_size, 0, part, to.grow(part.len())?);
    Ok(())
}

pub(super) fn decompress(value_size: usize, part: &[u8], to: &mut [u8]) -> Result<()> {
    let (number, values) = part
        .split_first_chunk()
        .ok_or_else(|| damaged(NAME, "has no number of values"))?;
    let number = u64::from_le_bytes(*number);
    if number != (to.len() / value_size) as u64 || !to.len().is_multiple_of(value_size) {
        return Err(damaged(
            NAME,
            format!("holds {number} values, not {} bytes", to.len()),
        ));
    }
    let values = values
        .get(..to.len())
        .ok_or_else(|| wrong_len(NAME, values.len(), to.len()))?;
    words::sums(value_size, 0, values, to);
    Ok(())
}
