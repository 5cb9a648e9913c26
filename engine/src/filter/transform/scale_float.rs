//! Float scaling: a floating-point number is stored as the integer nearest to `(value - offset) /
//! scale`, with halves rounded away from zero.
//!
//! As in libtiledb, encoding calculates in the type of the values. Decoding converts the integer to
//! that type and calculates in 64 bits. A value that no integer represents becomes the result of
//! x86's conversion: the least integer, truncated to its lowest bytes if it is narrower than 32
//! bits.

use super::super::ScaleFloat;
use super::super::words::{low, word};
use crate::bytes::{simd_dispatch, sized, truncate_to_i32};

/// Encodes `from`, floating-point numbers of `real_size` bytes, to the integers `to`.
pub(super) fn encode(options: &ScaleFloat, real_size: usize, from: &[u8], to: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        || {
            if real_size == 4 {
                sized!(options.byte_width, W => encode_f32::<W>(options, from, to));
            } else {
                sized!(options.byte_width, W => encode_f64::<W>(options, from, to));
            }
        },
    );
}

/// Decodes the integers `from` to `to`, floating-point numbers of `real_size` bytes.
pub(super) fn decode(options: &ScaleFloat, real_size: usize, from: &[u8], to: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        || sized!(options.byte_width, W => decode_values::<W>(options, real_size, from, to)),
    );
}

impl ScaleFloat {
    /// Returns the index of the first of `values`, floating-point numbers of `real_size` bytes,
    /// that no integer of the stored width represents: it is too large, infinite or not a number.
    pub fn first_out_of_range(&self, real_size: usize, values: &[u8]) -> Option<usize> {
        // Halves are rounded away from zero. All numbers of 64 bits near 2^63 are whole.
        let end = 2f64.powi(8 * self.byte_width as i32 - 1);
        let range = match self.byte_width {
            8 => -end..end,
            _ => (-end - 0.5).next_up()..end - 0.5,
        };
        simd_dispatch(
            #[inline(always)]
            || {
                if real_size == 4 {
                    let (offset, scale) = (self.offset as f32, self.scale as f32);
                    first_outside(values, |value| {
                        range.contains(&f64::from((f32::from_le_bytes(value) - offset) / scale))
                    })
                } else {
                    first_outside(values, |value| {
                        range.contains(&((f64::from_le_bytes(value) - self.offset) / self.scale))
                    })
                }
            },
        )
    }

    /// Returns the values of the least and the greatest integer of the stored width.
    pub fn range(&self) -> (f64, f64) {
        let end = 2f64.powi(8 * self.byte_width as i32 - 1);
        let (a, b) = (
            -end * self.scale + self.offset,
            (end - 1.0) * self.scale + self.offset,
        );
        (a.min(b), a.max(b))
    }
}

/// Returns the index of the first value that does not fit. Values are tested in blocks without
/// branches, so that compilers vectorise the test.
#[inline(always)]
fn first_outside<const SIZE: usize>(
    values: &[u8],
    fits: impl Fn([u8; SIZE]) -> bool,
) -> Option<usize> {
    const BLOCK: usize = 256;
    let values = values.as_chunks::<SIZE>().0;
    let block = values
        .chunks(BLOCK)
        .position(|block| !block.iter().fold(true, |all, value| all & fits(*value)))?;
    let start = block * BLOCK;
    let within = values[start..].iter().position(|value| !fits(*value))?;
    Some(start + within)
}

#[inline(always)]
fn encode_f32<const W: usize>(options: &ScaleFloat, from: &[u8], to: &mut [u8]) {
    let (offset, scale) = (options.offset as f32, options.scale as f32);
    for (to, value) in to.as_chunks_mut::<W>().0.iter_mut().zip(from.as_chunks().0) {
        let scaled = (f32::from_le_bytes(*value) - offset) / scale;
        *to = integer(f64::from(scaled));
    }
}

#[inline(always)]
fn encode_f64<const W: usize>(options: &ScaleFloat, from: &[u8], to: &mut [u8]) {
    for (to, value) in to.as_chunks_mut::<W>().0.iter_mut().zip(from.as_chunks().0) {
        *to = integer((f64::from_le_bytes(*value) - options.offset) / options.scale);
    }
}

/// Returns the `W` lowest bytes of the integer nearest to `scaled`.
#[inline(always)]
fn integer<const W: usize>(scaled: f64) -> [u8; W] {
    // A saturating cast truncates, so a half is added first. The constant is the largest number
    // below 0.5: adding 0.5 would round up the number just below a half.
    const HALF: f64 = 0.499_999_999_999_999_94;
    let shifted = scaled + HALF.copysign(scaled);
    if W < 8 {
        low(truncate_to_i32(shifted) as u64)
    } else {
        let fits = shifted < 9_223_372_036_854_775_808.0;
        low(if fits { shifted as i64 } else { i64::MIN } as u64)
    }
}

#[inline(always)]
fn decode_values<const W: usize>(
    options: &ScaleFloat,
    real_size: usize,
    from: &[u8],
    to: &mut [u8],
) {
    // Shifts extend the sign, because compilers vectorise them.
    let integer = |stored: [u8; W]| {
        let unused = u64::BITS - 8 * W as u32;
        (word(&stored) << unused).cast_signed() >> unused
    };
    let integers = from.as_chunks::<W>().0;
    if real_size == 4 {
        for (to, stored) in to.as_chunks_mut().0.iter_mut().zip(integers) {
            let value = f64::from(integer(*stored) as f32);
            *to = ((options.scale * value + options.offset) as f32).to_le_bytes();
        }
    } else {
        for (to, stored) in to.as_chunks_mut().0.iter_mut().zip(integers) {
            let value = integer(*stored) as f64;
            *to = (options.scale * value + options.offset).to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(byte_width: u64, values: &[f64]) -> Vec<u8> {
        let options = ScaleFloat {
            scale: 0.5,
            offset: 1.0,
            byte_width,
        };
        let from: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let mut to = vec![0; values.len() * byte_width as usize];
        encode(&options, 8, &from, &mut to);
        to
    }

    #[test]
    fn values_out_of_range_are_truncated_as_in_libtiledb() {
        let values = [
            1.5,
            2.5,
            -3.5,
            300.0,
            1e5,
            1e10,
            1e30,
            f64::NAN,
            -0.4,
            -1e30,
        ];
        assert_eq!(
            encoded(1, &values),
            [0x01, 0x03, 0xf7, 0x56, 0x3e, 0, 0, 0, 0xfd, 0]
        );
        assert_eq!(encoded(4, &values[5..8]), [0, 0, 0, 0x80].repeat(3));
        assert_eq!(encoded(8, &values[7..8]), [0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(encoded(8, &values[5..6]), 0x4_a817_c7feu64.to_le_bytes());
    }

    #[test]
    fn values_are_in_range_exactly_if_their_integer_is() {
        let scales = [(1.0, 0.0), (0.01, 100.0), (-3.0, 0.5), (1e-9, -7.0)];
        let mut tested = 0;
        for byte_width in [1u64, 2, 4, 8] {
            let (low, high) = (
                -(1i128 << (8 * byte_width - 1)),
                (1i128 << (8 * byte_width - 1)) - 1,
            );
            for (scale, offset) in scales {
                let options = ScaleFloat {
                    scale,
                    offset,
                    byte_width,
                };
                for bound in [low as f64, high as f64, 0.0] {
                    for delta in [
                        -1e6, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1e6,
                    ] {
                        let value = (bound + delta) * scale + offset;
                        let check = |scaled: f64, found: Option<usize>| {
                            let nearest = scaled.round() as i128;
                            let is_inside = (low..=high).contains(&nearest);
                            assert_eq!(found.is_none(), is_inside, "{value} with {options:?}");
                        };
                        let found = options.first_out_of_range(8, &value.to_le_bytes());
                        check((value - offset) / scale, found);
                        let value = value as f32;
                        let found = options.first_out_of_range(4, &value.to_le_bytes());
                        check(f64::from((value - offset as f32) / scale as f32), found);
                        tested += 1;
                    }
                }
                for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let values = [offset.to_le_bytes(), value.to_le_bytes()].concat();
                    assert_eq!(options.first_out_of_range(8, &values), Some(1));
                    let values = [(offset as f32).to_le_bytes(), (value as f32).to_le_bytes()];
                    assert_eq!(options.first_out_of_range(4, &values.concat()), Some(1));
                }
            }
        }
        assert_eq!(tested, 4 * 4 * 3 * 11);
    }

    #[test]
    fn rounding_equals_that_of_c() {
        for value in [
            0.0,
            0.25,
            0.249_999_99,
            1.25,
            -0.25,
            -1.25,
            3e9,
            0.75,
            1e15 + 0.25,
        ] {
            let scaled: f64 = (value - 1.0) / 0.5;
            assert_eq!(encoded(8, &[value]), (scaled.round() as i64).to_le_bytes());
        }
    }
}
