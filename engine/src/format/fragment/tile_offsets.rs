//! Numbers by tile: offsets of stored tiles, unfiltered sizes, sums, null counts.
//!
//! ```text
//! number of tiles   u64
//! numbers           u64 for each
//! ```

use crate::bytes::{Cursor, Sink};
use crate::error::Result;

/// Reads numbers by tile.
pub fn read_numbers(from: &mut Cursor<'_>, field: &'static str) -> Result<Vec<u64>> {
    let count = from.count(field, 8)?;
    from.u64s(field, count)
}

/// Reads up to `len` numbers by tile, from number `first` on.
pub fn read_numbers_within(
    from: &mut Cursor<'_>,
    field: &'static str,
    first: u64,
    len: usize,
) -> Result<Vec<u64>> {
    let count = from.count(field, 8)?;
    let first = usize::try_from(first).unwrap_or(usize::MAX).min(count);
    let len = len.min(count - first);
    from.skip(field, first * 8)?;
    let numbers = from.u64s(field, len)?;
    from.skip(field, (count - first - len) * 8)?;
    Ok(numbers)
}

/// Writes numbers by tile.
pub fn write_numbers(to: &mut Sink, numbers: &[u64]) {
    to.u64(numbers.len() as u64);
    to.u64s(numbers);
}
