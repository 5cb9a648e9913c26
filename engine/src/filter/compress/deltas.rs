//! DELTA: the number of values as u64, the first value, then each value minus the previous one,
//! wrapping.
//!
//! DOUBLE_DELTA: the differences of the differences, in as few bits as the largest of them needs.
//!
//! ```text
//! bits of the largest magnitude u8; number of values u64; the first two values;
//! each further value: a sign bit and the magnitude of its double delta,
//! as a stream of bits that fills u64 words from the highest bit down
//! ```
//!
//! If that would not be shorter, the values are stored unchanged instead.

use super::super::words::{self, low, word};
use super::damaged;
use crate::bytes::{Cursor, ReusableBuffer, simd_dispatch, sized};
use crate::error::{CodecError, Error, Result};
use crate::typed;
use crate::types::{Physical, Value};

/// The names in error messages.
const DELTA: &str = "DELTA";
const DOUBLE_DELTA: &str = "DOUBLE_DELTA";

/// Returns the number of values in a part, or an error if there is a remainder.
fn whole_values(codec: &'static str, value_size: usize, part: &[u8]) -> Result<u64> {
    let len = part.len();
    if !len.is_multiple_of(value_size) {
        let size = value_size;
        return Err(CodecError::PartialValue { codec, size, len }.into());
    }
    Ok((len / value_size) as u64)
}

/// Checks that a part with `number` values fills `to`.
fn check_number(codec: &'static str, number: u64, value_size: usize, to: &[u8]) -> Result<()> {
    if number != (to.len() / value_size) as u64 || !to.len().is_multiple_of(value_size) {
        let problem = format!("holds {number} values, not {} bytes", to.len());
        return Err(damaged(codec, problem));
    }
    Ok(())
}

pub(super) fn compress_delta(
    value_size: usize,
    part: &[u8],
    to: &mut ReusableBuffer,
) -> Result<()> {
    let number = whole_values(DELTA, value_size, part)?;
    to.put(&number.to_le_bytes())?;
    words::differences(value_size, 0, part, to.grow(part.len())?);
    Ok(())
}

pub(super) fn decompress_delta(value_size: usize, part: &[u8], to: &mut [u8]) -> Result<()> {
    let (number, values) = part
        .split_first_chunk()
        .ok_or_else(|| damaged(DELTA, "has no number of values"))?;
    check_number(DELTA, u64::from_le_bytes(*number), value_size, to)?;
    let values = values.get(..to.len()).ok_or_else(|| {
        let problem = format!("holds {} bytes, not {}", values.len(), to.len());
        damaged(DELTA, problem)
    })?;
    words::sums(value_size, 0, values, to);
    Ok(())
}

pub(super) fn compress_double_delta(
    values: Physical,
    part: &[u8],
    to: &mut ReusableBuffer,
) -> Result<()> {
    let number = whole_values(DOUBLE_DELTA, values.size(), part)?;
    let bits = simd_dispatch(
        #[inline(always)]
        || typed!(values, T => bits_needed::<T>(part)),
    )?;
    to.put(&[bits as u8])?;
    to.put(&number.to_le_bytes())?;
    if is_stored_plain(bits, values.size()) {
        return to.put(part);
    }
    to.put(&part[..part.len().min(2 * values.size())])?;
    typed!(values, T => write_bits::<T>(part, bits, to))
}

fn is_stored_plain(bits: u32, value_size: usize) -> bool {
    bits as usize + 1 >= value_size * 8
}

/// Returns the number of bits of the largest double delta, or of the first delta if that is larger.
#[inline(always)]
fn bits_needed<T: Value>(part: &[u8]) -> Result<u32> {
    let values = part.len() / T::SIZE;
    if values < 3 {
        return Ok(0);
    }
    let values_from = |value: usize| {
        part[value * T::SIZE..]
            .chunks_exact(T::SIZE)
            .map(signed::<T>)
    };
    let delta = values_from(1).next().unwrap_or_default();
    let delta = values_from(0)
        .next()
        .and_then(|first| delta.checked_sub(first));
    let mut magnitudes = delta.ok_or(CodecError::DeltaOverflow)?.unsigned_abs();
    // Negative if a difference overflowed 64 bits.
    let mut overflow = 0;
    for ((first, second), third) in values_from(0).zip(values_from(1)).zip(values_from(2)) {
        let (previous, delta) = (second.wrapping_sub(first), third.wrapping_sub(second));
        let double = delta.wrapping_sub(previous);
        magnitudes |= double.unsigned_abs();
        overflow |= (third ^ second) & (third ^ delta);
        overflow |= (delta ^ previous) & (delta ^ double);
    }
    if T::SIZE == 8 && overflow < 0 {
        return Err(overflow_error(values_from(0)));
    }
    Ok((64 - magnitudes.leading_zeros()).max(1))
}

/// Maps a value to a signed number, so that differences of numbers are differences of values.
#[inline(always)]
fn signed<T: Value>(value: &[u8]) -> i64 {
    (T::read(value).to_key() ^ 1 << 63).cast_signed()
}

/// Returns the error of the first difference that overflows 64 bits.
fn overflow_error(mut values: impl Iterator<Item = i64>) -> Error {
    let mut previous = values.next().unwrap_or_default();
    let mut previous_delta: Option<i64> = None;
    for value in values {
        let Some(delta) = value.checked_sub(previous) else {
            return CodecError::DeltaOverflow.into();
        };
        if previous_delta.is_some_and(|previous| delta.checked_sub(previous).is_none()) {
            break;
        }
        (previous, previous_delta) = (value, Some(delta));
    }
    Error::from(CodecError::DoubleDeltaOverflow)
}

/// Appends the double deltas after the first two values, each as a sign and `bits` bits.
fn write_bits<T: Value>(part: &[u8], bits: u32, to: &mut ReusableBuffer) -> Result<()> {
    let doubles = (part.len() / T::SIZE).saturating_sub(2);
    let width = bits + 1;
    let len = (doubles * width as usize).div_ceil(64);
    let mut words = to.grow(8 * len)?.as_chunks_mut().0.iter_mut();
    let mut put = |word: u64| {
        if let Some(target) = words.next() {
            *target = word.to_le_bytes();
        }
    };
    let (mut word, mut free) = (0u64, 64u32);
    let mut codes = [0u64; 256];
    for first in (0..doubles).step_by(codes.len()) {
        let number = codes.len().min(doubles - first);
        let codes = &mut codes[..number];
        simd_dispatch(
            #[inline(always)]
            || codes_of::<T>(&part[first * T::SIZE..], bits, codes),
        );
        for code in codes {
            if width < free {
                free -= width;
                word |= *code << free;
            } else {
                let rest = width - free;
                put(word | *code >> rest);
                free = 64 - rest;
                // A single shift by 64 would overflow; then no bits of the code are left.
                word = (*code << 1) << (free - 1);
            }
        }
    }
    if free < 64 {
        put(word);
    }
    Ok(())
}

/// Computes the codes, sign and magnitude, of the double deltas of all values but the first two.
#[inline(always)]
fn codes_of<T: Value>(part: &[u8], bits: u32, codes: &mut [u64]) {
    let values_from = |value: usize| {
        let values = part.get(value * T::SIZE..).unwrap_or_default();
        values
            .chunks_exact(T::SIZE)
            .map(|value| T::read(value).to_key())
    };
    for (((code, first), second), third) in codes
        .iter_mut()
        .zip(values_from(0))
        .zip(values_from(1))
        .zip(values_from(2))
    {
        let previous = second.wrapping_sub(first);
        let double = third
            .wrapping_sub(second)
            .wrapping_sub(previous)
            .cast_signed();
        // Values for which sign and magnitude would need 64 bits are stored unchanged.
        *code = u64::from(double < 0) << bits | double.unsigned_abs();
    }
}

pub(super) fn decompress_double_delta(value_size: usize, part: &[u8], to: &mut [u8]) -> Result<()> {
    let mut from = Cursor::new(DOUBLE_DELTA, part);
    let bits = u32::from(from.u8("bits")?);
    let number = from.u64("number of values")?;
    check_number(DOUBLE_DELTA, number, value_size, to)?;
    if is_stored_plain(bits, value_size) {
        to.copy_from_slice(from.take("values", to.len())?);
        return Ok(());
    }
    let (first, rest) = to.split_at_mut(to.len().min(2 * value_size));
    first.copy_from_slice(from.take("first values", first.len())?);
    let needed = (rest.len() / value_size).saturating_mul(bits as usize + 1);
    let stream = from.take("double deltas", needed.div_ceil(64).saturating_mul(8))?;
    let words = stream.as_chunks::<8>().0;
    let first = [
        words::first_word(value_size, first),
        words::first_word(value_size, first.get(value_size..).unwrap_or_default()),
    ];
    sized!(value_size, S => read_bits::<S>(words, bits, first, rest));
    Ok(())
}

fn read_bits<const S: usize>(stream: &[[u8; 8]], bits: u32, first: [u64; 2], to: &mut [u8]) {
    let width = bits + 1;
    let mut stream = stream.iter().map(word);
    let (mut current, mut left) = (0u64, 0u32);
    let mut previous = first[1];
    let mut delta = first[1].wrapping_sub(first[0]);
    for to in to.as_chunks_mut::<S>().0 {
        // The unread bits of the current word are its highest.
        let mut code = current >> (64 - width);
        if width <= left {
            current <<= width;
            left -= width;
        } else {
            let next = stream.next().unwrap_or_default();
            code |= next >> (64 - width) >> left;
            let used = width - left;
            current = next << used;
            left = 64 - used;
        }
        let magnitude = code & ((1 << bits) - 1);
        let double = if code >> bits == 1 {
            magnitude.wrapping_neg()
        } else {
            magnitude
        };
        delta = delta.wrapping_add(double);
        previous = previous.wrapping_add(delta);
        *to = low(previous);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<T: Value>(values: &[T]) -> Vec<u8> {
        let mut part = vec![0; values.len() * T::SIZE];
        for (to, value) in part.chunks_exact_mut(T::SIZE).zip(values) {
            value.write(to);
        }
        let (mut stored, mut back) = (ReusableBuffer::new(), vec![0; part.len()]);
        compress_double_delta(T::PHYSICAL, &part, &mut stored).expect("small differences");
        decompress_double_delta(T::SIZE, &stored, &mut back).expect("what was written");
        assert_eq!(back, part, "{values:?}");
        stored.into_bytes()
    }

    #[test]
    fn all_widths_and_lengths_round_trip() {
        for width in 0..60 {
            for len in 0..70 {
                let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (63 - width) >> 1;
                round_trip::<i64>(
                    &(0..len)
                        .map(|i| spread(i).cast_signed())
                        .collect::<Vec<_>>(),
                );
                round_trip::<i32>(&(0..len).map(|i| spread(i) as i32).collect::<Vec<_>>());
                round_trip::<u8>(&(0..len).map(|i| spread(i) as u8).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn differences_out_of_range_are_errors() {
        let part: Vec<u8> = [0, 1 << 63, 3u64]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let error = compress_double_delta(Physical::U64, &part, &mut ReusableBuffer::new())
            .expect_err("too far");
        assert_eq!(
            error.to_string(),
            "A delta exceeds the range of a 64-bit integer"
        );
        round_trip::<u64>(&[0, u64::MAX]);
    }
}
