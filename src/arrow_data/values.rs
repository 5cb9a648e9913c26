//! The values of Arrow arrays as bytes that fields store.

use tiledb_engine::types::Datatype;

use super::abi::{AlignedBytes, ArrowArray, arrow_error};
use super::types::{ColumnType, Conversion};
use crate::prelude::*;

/// Bytes of the program or converted ones.
pub(super) enum Bytes {
    /// A part of a buffer of the array.
    Borrowed(*const u8, usize),
    Owned(AlignedBytes),
}

impl Bytes {
    pub(super) fn start_and_len(&self) -> (*const u8, usize) {
        match self {
            Self::Borrowed(start, len) => (*start, *len),
            Self::Owned(bytes) => (bytes.bytes().as_ptr(), bytes.len()),
        }
    }
}

/// The values of a field.
pub(super) struct ImportedValues {
    pub(super) data: Bytes,
    /// `None` for cells of a fixed size.
    pub(super) offsets: Option<Bytes>,
}

impl ImportedValues {
    pub(super) fn fixed(data: Bytes) -> Self {
        Self {
            data,
            offsets: None,
        }
    }
}

/// Returns a slice, which is empty for a null pointer.
pub(super) unsafe fn slice<'a>(start: *const u8, len: usize) -> &'a [u8] {
    if start.is_null() || len == 0 {
        return &[];
    }
    // SAFETY: the caller passes a valid part of a buffer.
    unsafe { std::slice::from_raw_parts(start, len) }
}

/// Returns `len` bytes of a buffer of an array from `start` on.
pub(super) unsafe fn part_of(
    array: &ArrowArray,
    buffer: usize,
    start: usize,
    len: usize,
) -> Result<Bytes> {
    // SAFETY: the caller passes a valid array.
    let bytes = unsafe { array.buffer(buffer)? };
    if len == 0 {
        return Ok(Bytes::Owned(AlignedBytes::zeroed(0)?));
    }
    if bytes.is_null() {
        return Err(arrow_error("a buffer is missing"));
    }
    // SAFETY: the producer guarantees a buffer for all values of the array.
    Ok(Bytes::Borrowed(unsafe { bytes.add(start) }, len))
}

/// Returns bits as bytes.
pub(super) unsafe fn unpacked(
    bits: *const u8,
    start: usize,
    number: usize,
) -> Result<AlignedBytes> {
    let mut bytes = AlignedBytes::zeroed(number)?;
    for (index, byte) in bytes.bytes_mut().iter_mut().enumerate() {
        let bit = start + index;
        // SAFETY: the producer guarantees a bit for each value.
        *byte = unsafe { *bits.add(bit / 8) } >> (bit % 8) & 1;
    }
    Ok(bytes)
}

/// Returns a byte per value of an array, 0 for null, or `None` if all are valid.
pub(super) unsafe fn validity_of(
    array: &ArrowArray,
    start: usize,
    number: usize,
) -> Result<Option<AlignedBytes>> {
    if array.null_count == 0 || array.n_buffers == 0 {
        return Ok(None);
    }
    // SAFETY: the caller passes a valid array.
    let bits = unsafe { array.buffer(0)? };
    if bits.is_null() {
        return Ok(None);
    }
    // SAFETY: the producer guarantees a bit for each value.
    unsafe { unpacked(bits, start, number) }.map(Some)
}

/// Returns values of one size as a field stores them, or `None` if their type does not fit.
pub(super) unsafe fn single(
    array: &ArrowArray,
    column: &ColumnType,
    format: &str,
    start: usize,
    number: usize,
) -> Result<Option<Bytes>> {
    let (expected, conversion) = column.value();
    // A time zone follows the unit.
    let is_same = format == expected || (expected.ends_with(':') && format.starts_with(expected));
    let (size, narrow) = (column.datatype.size(), size_of::<i32>());
    // SAFETY: the producer guarantees the buffers of the format.
    unsafe {
        match conversion {
            Conversion::None if is_same => part_of(array, 1, start * size, number * size).map(Some),
            Conversion::None if format == "tdm" && column.datatype == Datatype::DatetimeMs => {
                part_of(array, 1, start * size, number * size).map(Some)
            }
            Conversion::Bits if is_same => {
                let bits = array.buffer(1)?;
                if bits.is_null() && number > 0 {
                    return Err(arrow_error("a buffer is missing"));
                }
                Ok(Some(Bytes::Owned(unpacked(bits, start, number)?)))
            }
            Conversion::Narrow(1) if is_same => {
                let (from, len) =
                    part_of(array, 1, start * narrow, number * narrow)?.start_and_len();
                let mut wide = AlignedBytes::zeroed(number * size)?;
                let values = slice(from, len).as_chunks().0.iter();
                for (to, value) in wide.bytes_mut().chunks_exact_mut(size).zip(values) {
                    to.copy_from_slice(&i64::from(i32::from_le_bytes(*value)).to_le_bytes());
                }
                Ok(Some(Bytes::Owned(wide)))
            }
            _ => Ok(None),
        }
    }
}
