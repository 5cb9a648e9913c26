//! Ranges of dimensions in messages.

use super::messages_capnp::{non_empty_domain_list, subarray_ranges};
use super::texts::{bytes, length};
use crate::error::{Result, SerializationError};
use crate::schema::{Dimension, Domain};
use crate::types::{NdRange, Range};

/// Fills the message of the ranges of one dimension, except for its datatype.
pub(super) fn fill(to: &mut subarray_ranges::Builder<'_>, ranges: &[Range]) -> Result<()> {
    let number = length("A list of ranges", ranges.len())?;
    let mut sizes = to.reborrow().init_buffer_sizes(number);
    for (index, range) in (0..).zip(ranges) {
        sizes.set(index, (range.start().len() + range.end().len()) as u64);
    }
    let mut start_sizes = to.reborrow().init_buffer_start_sizes(number);
    for (index, range) in (0..).zip(ranges) {
        start_sizes.set(index, start_size(range));
    }
    let mut both = Vec::new();
    for range in ranges {
        both.extend_from_slice(range.start());
        both.extend_from_slice(range.end());
    }
    to.set_buffer(bytes("A list of ranges", &both)?);
    Ok(())
}

/// Returns the size of the start of a range of variable size; 0 if both bounds have one size.
fn start_size(range: &Range) -> u64 {
    if range.is_var() {
        range.start().len() as u64
    } else {
        0
    }
}

/// Reads the ranges of one dimension. A message without sizes, of a client before 1.8, has one
/// range.
pub(super) fn parse(
    from: subarray_ranges::Reader<'_>,
    dimension: &Dimension,
) -> Result<Vec<Range>> {
    parse_sized(from, size_of_bound(dimension))
}

/// Returns the size of a coordinate in bytes, or `None` if it is variable.
fn size_of_bound(dimension: &Dimension) -> Option<usize> {
    (!dimension.is_var()).then(|| dimension.datatype.size())
}

/// Reads ranges whose bounds have `size` bytes, or a variable size.
pub(super) fn parse_sized(
    from: subarray_ranges::Reader<'_>,
    size: Option<usize>,
) -> Result<Vec<Range>> {
    let mut rest = from.get_buffer()?;
    if !from.has_buffer_sizes() {
        return Ok(vec![range_of(rest, None, size)?]);
    }
    let start_sizes = from.get_buffer_start_sizes()?;
    let mut ranges = Vec::new();
    for (index, both_size) in (0..).zip(from.get_buffer_sizes()?) {
        let both = usize::try_from(both_size).ok();
        let Some((both, after)) = both.and_then(|size| rest.split_at_checked(size)) else {
            return Err(wrong_size("The bytes of the ranges", rest.len(), both_size));
        };
        rest = after;
        let start_size = (index < start_sizes.len()).then(|| start_sizes.get(index));
        ranges.push(range_of(both, start_size, size)?);
    }
    Ok(ranges)
}

/// Returns the range whose bounds are `both`.
fn range_of(both: &[u8], start_size: Option<u64>, size: Option<usize>) -> Result<Range> {
    if let Some(size) = size {
        return match both.split_at_checked(size) {
            Some((start, end)) if end.len() == size => Ok(Range::fixed(start, end)),
            _ => Err(wrong_size("A range", both.len(), 2 * size as u64)),
        };
    }
    let start_size = start_size.unwrap_or_default();
    let size = usize::try_from(start_size).ok();
    match size.and_then(|size| both.split_at_checked(size)) {
        Some((start, end)) => Ok(Range::var(start, end)),
        None => Err(wrong_size("The start of a range", both.len(), start_size)),
    }
}

/// Returns the error for a part of a message of an unexpected size.
pub(super) fn wrong_size(subject: &'static str, size: usize, expected: u64) -> crate::error::Error {
    let size = size as u64;
    SerializationError::ValueSize {
        subject,
        size,
        expected,
    }
    .into()
}

/// Fills the message of a non-empty domain; `None` for an empty array.
pub(super) fn fill_non_empty_domain(
    to: non_empty_domain_list::Builder<'_>,
    domain: Option<&NdRange>,
) -> Result<()> {
    let Some(ranges) = domain else {
        return Ok(());
    };
    let number = length("A non-empty domain", ranges.len())?;
    let mut list = to.init_non_empty_domains(number);
    for (index, range) in (0..).zip(ranges) {
        let mut to = list.reborrow().get(index);
        let both = [range.start(), range.end()].concat();
        // As in libtiledb, also if both bounds are empty texts.
        to.set_is_empty(both.is_empty());
        if both.is_empty() {
            continue;
        }
        let len = length("The bounds of a dimension", both.len())?;
        let mut bounds = to.reborrow().init_non_empty_domain().init_uint8(len);
        for (index, byte) in (0..).zip(both) {
            bounds.set(index, byte);
        }
        // As in libtiledb, an empty start has no size, like a range of fixed size.
        if range.is_var() && !range.start().is_empty() {
            to.init_sizes(1).set(0, range.start().len() as u64);
        }
    }
    Ok(())
}

/// Reads a non-empty domain; `None` for an empty array.
pub(super) fn parse_non_empty_domain(
    from: non_empty_domain_list::Reader<'_>,
    domain: &Domain,
) -> Result<Option<NdRange>> {
    let list = from.get_non_empty_domains()?;
    if list.is_empty() {
        return Ok(None);
    }
    if list.len() as usize != domain.dimensions.len() {
        let expected = domain.dimensions.len() as u64;
        return Err(wrong_size(
            "A non-empty domain",
            list.len() as usize,
            expected,
        ));
    }
    list.iter()
        .zip(&domain.dimensions)
        .map(|(from, dimension)| {
            let both: Vec<u8> = from.get_non_empty_domain()?.get_uint8()?.iter().collect();
            let sizes = from.get_sizes()?;
            let start_size = (!sizes.is_empty()).then(|| sizes.get(0));
            range_of(&both, start_size, size_of_bound(dimension))
        })
        .collect::<Result<NdRange>>()
        .map(Some)
}
