//! The ten physical types of values, and a macro that maps a physical type known at run time to a
//! Rust type.

use std::cmp::Ordering;
use std::fmt::Debug;

/// The physical type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Physical {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Physical {
    /// Returns the size of a value in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Returns whether values are floating-point numbers.
    pub const fn is_real(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Returns whether values are signed integers.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Returns whether values are unsigned integers.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }
}

mod sealed {
    /// A type whose memory may be filled with any bytes.
    pub trait Sealed: bytemuck::Pod {}
}

/// A value of one of the ten physical types, stored in little-endian bytes without alignment.
pub trait Value:
    sealed::Sealed + Copy + Default + PartialEq + PartialOrd + Debug + Send + Sync + 'static
{
    /// The physical type.
    const PHYSICAL: Physical;
    /// The size in bytes.
    const SIZE: usize;
    /// The least value; for floating-point types the least finite one.
    const LEAST: Self;
    /// The greatest value; for floating-point types the greatest finite one.
    const GREATEST: Self;

    /// Reads a value from the start of `bytes`; returns zero if there are too few bytes.
    fn read(bytes: &[u8]) -> Self;
    /// Writes the value to the start of `to`.
    ///
    /// # Panics
    ///
    /// Panics if `to` is shorter than [`SIZE`](Self::SIZE).
    fn write(self, to: &mut [u8]);
    /// Compares in a total order: the usual one for integers, IEEE 754 `totalOrder` for
    /// floating-point numbers.
    fn order(&self, other: &Self) -> Ordering;
    /// Returns an unsigned key that preserves the order.
    fn to_key(self) -> u64;
    /// Returns the value with this key.
    fn from_key(key: u64) -> Self;
    /// Converts the value to a floating-point number, rounded to the nearest.
    fn to_f64(self) -> f64;
    /// Converts the value of an integer type to a number; for floating-point types, its key.
    fn to_i128(self) -> i128 {
        let key = i128::from(self.to_key());
        if Self::PHYSICAL.is_signed() {
            key - (1 << (8 * Self::SIZE - 1))
        } else {
            key
        }
    }
}

/// Returns the values of a type that bytes contain. An incomplete value at the end is ignored.
#[inline(always)]
pub fn values_of<T: Value>(bytes: &[u8]) -> impl ExactSizeIterator<Item = T> + Clone {
    bytes.chunks_exact(T::SIZE).map(T::read)
}

macro_rules! value {
    ($($t:ty, $physical:ident, $order:expr, $key:expr, $unkey:expr, $least:expr, $greatest:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Value for $t {
            const PHYSICAL: Physical = Physical::$physical;
            const SIZE: usize = size_of::<$t>();
            const LEAST: Self = $least;
            const GREATEST: Self = $greatest;

            #[inline(always)]
            fn read(bytes: &[u8]) -> Self {
                match bytes.first_chunk() {
                    Some(chunk) => <$t>::from_le_bytes(*chunk),
                    None => Self::default(),
                }
            }

            #[inline(always)]
            fn write(self, to: &mut [u8]) {
                to[..Self::SIZE].copy_from_slice(&self.to_le_bytes());
            }

            #[inline(always)]
            fn order(&self, other: &Self) -> Ordering {
                $order(self, other)
            }

            #[inline(always)]
            fn to_key(self) -> u64 {
                $key(self)
            }

            #[inline(always)]
            fn from_key(key: u64) -> Self {
                $unkey(key)
            }

            #[inline(always)]
            #[allow(clippy::cast_lossless, clippy::unnecessary_cast, reason = "one text for ten types")]
            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

fn key_f32(value: f32) -> u64 {
    let bits = value.to_bits();
    u64::from(if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    })
}

fn key_f64(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn unkey_f32(key: u64) -> f32 {
    let key = key as u32;
    f32::from_bits(if key >> 31 == 1 { key ^ 1 << 31 } else { !key })
}

fn unkey_f64(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key ^ 1 << 63 } else { !key })
}

value! {
    i8, I8, Ord::cmp, |v: i8| u64::from(v as u8 ^ 0x80), |k: u64| (k as u8 ^ 0x80) as i8, i8::MIN, i8::MAX;
    u8, U8, Ord::cmp, |v: u8| u64::from(v), |k: u64| k as u8, u8::MIN, u8::MAX;
    i16, I16, Ord::cmp, |v: i16| u64::from(v as u16 ^ 0x8000), |k: u64| (k as u16 ^ 0x8000) as i16, i16::MIN, i16::MAX;
    u16, U16, Ord::cmp, |v: u16| u64::from(v), |k: u64| k as u16, u16::MIN, u16::MAX;
    i32, I32, Ord::cmp, |v: i32| u64::from(v as u32 ^ 1 << 31), |k: u64| (k as u32 ^ 1 << 31) as i32, i32::MIN, i32::MAX;
    u32, U32, Ord::cmp, |v: u32| u64::from(v), |k: u64| k as u32, u32::MIN, u32::MAX;
    i64, I64, Ord::cmp, |v: i64| v as u64 ^ 1 << 63, |k: u64| (k ^ 1 << 63) as i64, i64::MIN, i64::MAX;
    u64, U64, Ord::cmp, |v: u64| v, |k: u64| k, u64::MIN, u64::MAX;
    f32, F32, f32::total_cmp, key_f32, unkey_f32, f32::MIN, f32::MAX;
    f64, F64, f64::total_cmp, key_f64, unkey_f64, f64::MIN, f64::MAX;
}

/// Calls a generic function for the Rust type of a physical type:
/// `typed!(physical, T => call::<T>(arguments))`.
///
/// The right-hand side stays a single call, so that the code is ordinary Rust. Dispatch once while
/// planning, never per cell.
#[doc(hidden)]
#[macro_export]
macro_rules! typed {
    ($physical:expr, $T:ident => $call:expr) => {
        match $physical {
            $crate::types::Physical::I8 => {
                type $T = i8;
                $call
            }
            $crate::types::Physical::U8 => {
                type $T = u8;
                $call
            }
            $crate::types::Physical::I16 => {
                type $T = i16;
                $call
            }
            $crate::types::Physical::U16 => {
                type $T = u16;
                $call
            }
            $crate::types::Physical::I32 => {
                type $T = i32;
                $call
            }
            $crate::types::Physical::U32 => {
                type $T = u32;
                $call
            }
            $crate::types::Physical::I64 => {
                type $T = i64;
                $call
            }
            $crate::types::Physical::U64 => {
                type $T = u64;
                $call
            }
            $crate::types::Physical::F32 => {
                type $T = f32;
                $call
            }
            $crate::types::Physical::F64 => {
                type $T = f64;
                $call
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_preserve_the_order() {
        fn check<T: Value>(ascending: &[T]) {
            for pair in ascending.windows(2) {
                assert!(pair[0].to_key() < pair[1].to_key(), "{pair:?}");
                assert_eq!(pair[0].order(&pair[1]), Ordering::Less);
                assert_eq!(T::from_key(pair[0].to_key()), pair[0]);
            }
        }
        check(&[i8::MIN, -1, 0, 1, i8::MAX]);
        check(&[i64::MIN, -1, 0, 1, i64::MAX]);
        check(&[0u16, 1, u16::MAX]);
        check(&[f64::NEG_INFINITY, -1.5, -0.0, 0.0, 1e-300, f64::INFINITY]);
        check(&[f32::MIN, -1.0, 0.0, 2.5, f32::MAX]);
    }

    #[test]
    fn values_survive_write_and_read() {
        fn check<T: Value>(value: T) {
            let mut bytes = [0; 9];
            value.write(&mut bytes[1..]);
            assert_eq!(T::read(&bytes[1..]), value);
        }
        typed!(Physical::I16, T => check::<T>(T::LEAST));
        check(-1.25f64);
        check(i64::MIN);
    }
}
