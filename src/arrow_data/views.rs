//! Arrays of views: strings and bytes whose values are in the views or in any of several buffers.

use super::abi::{AlignedBytes, ArrowArray, arrow_error};
use super::values::{part_of, slice};
use crate::prelude::*;

/// The size of a view in bytes.
const VIEW: usize = 16;
/// The longest value that is in the view itself, after its length.
const INLINE: usize = 12;

/// The buffers of the values that are not in the views.
struct LongValues<'a>(Vec<&'a [u8]>);

impl<'a> LongValues<'a> {
    /// Returns the buffers after the validity and the views. The last buffer of the array has their
    /// sizes.
    unsafe fn of(array: &'a ArrowArray) -> Result<Self> {
        let number = (array.n_buffers.max(0) as usize).saturating_sub(3);
        if number == 0 {
            return Ok(Self(Vec::new()));
        }
        // SAFETY: the producer guarantees a size for each buffer.
        let sizes = unsafe {
            let (start, len) = part_of(array, number + 2, 0, number * 8)?.start_and_len();
            slice(start, len)
        };
        let buffers = sizes.chunks_exact(8).enumerate().map(|(index, size)| {
            let len = arg::memory_len(arg::offset(size), "size")?;
            // SAFETY: the producer guarantees a buffer of this size.
            Ok(unsafe { slice(array.buffer(index + 2)?, len) })
        });
        buffers.collect::<Result<_>>().map(Self)
    }

    /// Returns the value of a view, or `None` if it is not in its buffer.
    fn get(&self, view: &'a [u8; VIEW]) -> Option<&'a [u8]> {
        let number = |offset: usize| -> Option<usize> {
            let bytes = view.get(offset..)?.first_chunk::<4>()?;
            usize::try_from(i32::from_le_bytes(*bytes)).ok()
        };
        let len = number(0)?;
        if len <= INLINE {
            return view.get(4..4 + len);
        }
        let start = number(12)?;
        self.0.get(number(8)?)?.get(start..start.checked_add(len)?)
    }
}

/// Returns the values of cells one after another, and the end of each of them after a zero. Cells
/// that are not valid are empty.
pub(super) unsafe fn joined(
    array: &ArrowArray,
    start: usize,
    cells: usize,
    valid: Option<&AlignedBytes>,
) -> Result<(AlignedBytes, Vec<u64>)> {
    let (first, len) = (start.saturating_mul(VIEW), cells.saturating_mul(VIEW));
    // SAFETY: the producer guarantees a view for each cell.
    let (views, buffers) = unsafe {
        let (views, len) = part_of(array, 1, first, len)?.start_and_len();
        (slice(views, len), LongValues::of(array)?)
    };
    let values = views.as_chunks().0.iter().enumerate();
    let values = values.map(|(cell, view)| {
        let is_valid = valid.is_none_or(|valid| valid.bytes()[cell] != 0);
        let value = if is_valid {
            buffers.get(view)
        } else {
            Some(&[][..])
        };
        value.ok_or_else(|| arrow_error("a view is outside of its buffer"))
    });
    let values = values.collect::<Result<Vec<&[u8]>>>()?;
    let mut ends = Vec::with_capacity(cells + 1);
    ends.push(0);
    let mut end = 0;
    for value in &values {
        end += value.len();
        ends.push(end as u64);
    }
    let mut data = AlignedBytes::zeroed(end)?;
    let mut rest = data.bytes_mut();
    for value in values {
        let (to, others) = rest.split_at_mut(value.len());
        to.copy_from_slice(value);
        rest = others;
    }
    Ok((data, ends))
}
