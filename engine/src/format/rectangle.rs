//! A box of cells: an MBR, a non-empty domain or a current domain, with one range per dimension.
//!
//! ```text
//! fixed-size dimension    low, high, each a value of the dimension's datatype
//! variable length         u64 length of both, u64 length of low, low, high     since format 5
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::schema::{Dimension, Domain};
use crate::types::{NdRange, Range};

/// Returns the minimum size in bytes of a box in a domain.
pub(super) fn min_len(domain: &Domain) -> usize {
    domain
        .dimensions
        .iter()
        .map(|dimension| {
            if dimension.is_var() {
                16
            } else {
                2 * dimension.datatype.size()
            }
        })
        .sum()
}

/// Reads the range of one dimension.
pub(super) fn read_range(
    from: &mut Cursor<'_>,
    field: &'static str,
    dimension: &Dimension,
) -> Result<Range> {
    if !dimension.is_var() {
        let size = dimension.datatype.size();
        return Ok(Range::of_both(from.take(field, 2 * size)?, size));
    }
    let before = from.clone();
    let len = from.u64(field)?;
    let start_len = from.u64(field)?;
    let Some(end_len) = len.checked_sub(start_len) else {
        return Err(before.corrupt(
            field,
            format!("has a lower bound of {start_len} bytes in {len}"),
        ));
    };
    let start = from.take_u64(field, start_len)?;
    Ok(Range::var(start, from.take_u64(field, end_len)?))
}

/// Reads a box.
pub(super) fn read(from: &mut Cursor<'_>, field: &'static str, domain: &Domain) -> Result<NdRange> {
    let mut ranges = Vec::with_capacity(domain.dimensions.len());
    for dimension in &domain.dimensions {
        ranges.push(read_range(from, field, dimension)?);
    }
    Ok(ranges)
}

/// Writes a box.
pub(super) fn write(to: &mut Sink, ranges: &[Range]) {
    for range in ranges {
        if range.is_var() {
            to.u64((range.start().len() + range.end().len()) as u64);
            to.u64(range.start().len() as u64);
        }
        to.put(range.start());
        to.put(range.end());
    }
}
