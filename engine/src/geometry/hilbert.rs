//! Hilbert values: the positions of cells on a Hilbert curve through the domain.
//!
//! Each dimension is divided into `2^bits` buckets, with 63 bits for all dimensions together. The
//! buckets of a cell determine its position on the curve (J. Skilling, Programming the Hilbert
//! curve, 2004). Files store cells in this order, so the values are identical to those of
//! libtiledb, including its conversions of numbers outside the range of buckets.

use std::array;
use std::ops::{BitAnd, BitOr, BitXor, BitXorAssign, Not, Shr};

use super::Coordinates;
use crate::memory::tuning::HILBERT_BLOCK_CELLS;
use crate::schema::{Dimension, Domain, MAX_HILBERT_DIMENSIONS};
use crate::typed;
use crate::types::{Physical, Value};

/// The number of bits of a Hilbert value.
pub const HILBERT_BITS: u32 = 63;

type Lanes<B = u64> = [B; HILBERT_BLOCK_CELLS];

/// A bucket number. The buckets of two or more dimensions fit in 32 bits, unless a coordinate is
/// outside the domain.
trait Bucket:
    Copy
    + BitXor<Output = Self>
    + BitXorAssign
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shr<u32, Output = Self>
{
    /// Returns a mask of the bits below `bit`.
    fn below(bit: u32) -> Self;
    /// Returns a mask of all bits if `bit` is set, otherwise 0.
    fn is_set(self, bit: u32) -> Self;
    /// Converts the bucket to 64 bits.
    fn to_u64(self) -> u64;
}

impl Bucket for u32 {
    #[inline(always)]
    fn below(bit: u32) -> Self {
        (1 << bit) - 1
    }

    #[inline(always)]
    fn is_set(self, bit: u32) -> Self {
        0u32.wrapping_sub(self >> bit & 1)
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        u64::from(self)
    }
}

impl Bucket for u64 {
    #[inline(always)]
    fn below(bit: u32) -> Self {
        (1 << bit) - 1
    }

    #[inline(always)]
    fn is_set(self, bit: u32) -> Self {
        0u64.wrapping_sub(self >> bit & 1)
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }
}

/// The Hilbert curve through a domain.
#[derive(Clone, Debug)]
pub struct Hilbert {
    axes: Vec<Axis>,
    bits: u32,
}

/// The conversion of a dimension's coordinates to buckets.
#[derive(Clone, Copy, Debug)]
enum Axis {
    /// A linear map of the domain to buckets.
    Numbers {
        physical: Physical,
        low: f64,
        range: f64,
        last_bucket: f64,
    },
    Texts {
        shift: u32,
    },
}

impl Hilbert {
    /// Creates the curve through a domain; `None` if the domain has too many dimensions.
    pub fn new(domain: &Domain) -> Option<Self> {
        let dim_num = domain.dimensions.len();
        if dim_num == 0 || dim_num > MAX_HILBERT_DIMENSIONS {
            return None;
        }
        let bits = HILBERT_BITS / dim_num as u32;
        let axes: Option<_> = domain
            .dimensions
            .iter()
            .map(|dimension| Axis::new(dimension, bits))
            .collect();
        Some(Self { axes: axes?, bits })
    }

    /// Fills `values` with the Hilbert values of the cells from `first` on. `columns` has one
    /// column per dimension.
    pub fn fill(&self, columns: &[Coordinates<'_>], first: usize, values: &mut [u64]) {
        let dim_num = self.axes.len();
        let mut buckets = [[0; HILBERT_BLOCK_CELLS]; MAX_HILBERT_DIMENSIONS];
        let mut short = [[0; HILBERT_BLOCK_CELLS]; MAX_HILBERT_DIMENSIONS];
        let (buckets, short) = (&mut buckets[..dim_num], &mut short[..dim_num]);
        for (index, part) in values.chunks_mut(HILBERT_BLOCK_CELLS).enumerate() {
            let from = first + index * HILBERT_BLOCK_CELLS;
            for ((axis, column), lanes) in self.axes.iter().zip(columns).zip(&mut *buckets) {
                axis.fill(column, from, part.len(), lanes);
            }
            let used = buckets.as_flattened().iter().fold(0, |all, b| all | b);
            let lanes = match u32::try_from(used) {
                Ok(_) if self.bits < 32 => {
                    short
                        .iter_mut()
                        .zip(&*buckets)
                        .for_each(|(short, lanes)| *short = lanes.map(|bucket| bucket as u32));
                    transpose(short, self.bits);
                    interleave(short, self.bits)
                }
                _ => {
                    transpose(buckets, self.bits);
                    interleave(buckets, self.bits)
                }
            };
            part.copy_from_slice(&lanes[..part.len()]);
        }
    }
}

impl Axis {
    fn new(dimension: &Dimension, bits: u32) -> Option<Self> {
        if dimension.is_var() {
            return Some(Self::Texts { shift: 64 - bits });
        }
        let domain = dimension.domain.as_ref()?;
        let physical = dimension.datatype.physical();
        let low = typed!(physical, T => real::<T>(domain.start()));
        let high = typed!(physical, T => real::<T>(domain.end()));
        Some(Self::Numbers {
            physical,
            low,
            range: high - low,
            last_bucket: ((1u64 << bits) - 1) as f64,
        })
    }

    fn fill(&self, column: &Coordinates<'_>, from: usize, len: usize, lanes: &mut Lanes) {
        match self {
            Self::Numbers {
                physical,
                low,
                range,
                last_bucket,
            } => {
                let size = physical.size();
                let bytes = column.data.get(from * size..(from + len) * size);
                let bytes = bytes.unwrap_or_default();
                typed!(*physical, T => fill_numbers::<T>(bytes, *low, *range, *last_bucket, lanes));
            }
            Self::Texts { shift } => {
                for (lane, bucket) in lanes.iter_mut().take(len).enumerate() {
                    *bucket = text_bucket(column.get(from + lane, 1)) >> shift;
                }
            }
        }
    }
}

fn real<T: Value>(bytes: &[u8]) -> f64 {
    T::read(bytes).to_f64()
}

fn fill_numbers<T: Value>(bytes: &[u8], low: f64, range: f64, last_bucket: f64, lanes: &mut Lanes) {
    for (cell, bucket) in bytes.chunks_exact(T::SIZE).zip(lanes) {
        let share = (T::read(cell).to_f64() - low) / range;
        *bucket = real_to_u64(share * last_bucket);
    }
}

/// Converts a floating-point number to `u64` like code that compilers generate for x86, including
/// numbers out of range: a domain of one coordinate yields NaN, coordinates outside of the domain
/// yield negative numbers.
#[inline(always)]
pub(super) fn real_to_u64(value: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    let signed = |value: f64| {
        if (-HALF..HALF).contains(&value) {
            value as i64 as u64
        } else {
            SIGN
        }
    };
    if value >= HALF {
        signed(value - HALF) ^ SIGN
    } else {
        signed(value)
    }
}

/// Returns the bucket of the first eight characters. Characters are signed: those above 127 are
/// negative and set all higher bits.
fn text_bucket(text: &[u8]) -> u64 {
    let mut bucket = 0;
    for index in 0..8 {
        bucket <<= 8;
        if let Some(character) = text.get(index) {
            bucket |= i64::from(*character as i8) as u64;
        }
    }
    bucket
}

/// Converts buckets to the transposed form of the position on the curve.
fn transpose<B: Bucket>(x: &mut [Lanes<B>], bits: u32) {
    let Some((head, tail)) = x.split_first_mut() else {
        return;
    };
    for bit in (1..bits).rev() {
        let below = B::below(bit);
        for lane in head.iter_mut() {
            *lane ^= below & lane.is_set(bit);
        }
        for other in tail.iter_mut() {
            for (first, other) in head.iter_mut().zip(other) {
                let set = other.is_set(bit);
                let swapped = (*first ^ *other) & below & !set;
                *first ^= swapped | (below & set);
                *other ^= swapped;
            }
        }
    }
    // Gray code.
    for index in 1..x.len() {
        let (before, after) = x.split_at_mut(index);
        let before = before[index - 1];
        for (lane, before) in after[0].iter_mut().zip(before) {
            *lane ^= before;
        }
    }
    let last = x.len() - 1;
    let correction: Lanes<B> = array::from_fn(|lane| {
        let mut gray = x[last][lane];
        let mut shift = 1;
        while shift < bits {
            gray ^= gray >> shift;
            shift <<= 1;
        }
        let correction = gray ^ x[last][lane];
        x[last][lane] = gray;
        correction
    });
    for lanes in &mut x[..last] {
        for (lane, correction) in lanes.iter_mut().zip(correction) {
            *lane ^= correction;
        }
    }
}

/// Interleaves the bits of all dimensions, at each level with the first dimension's bit highest.
fn interleave<B: Bucket>(x: &[Lanes<B>], bits: u32) -> Lanes {
    if let ([first, second], true) = (x, bits < 32) {
        return array::from_fn(|lane| {
            spread_bits(first[lane].to_u64(), bits) << 1 | spread_bits(second[lane].to_u64(), bits)
        });
    }
    let mut values = [0; HILBERT_BLOCK_CELLS];
    for bit in (0..bits).rev() {
        for lanes in x {
            for (value, lane) in values.iter_mut().zip(lanes) {
                *value = *value << 1 | (lane.to_u64() >> bit & 1);
            }
        }
    }
    values
}

/// Returns the lowest bits of a number, up to 32, each preceded by a zero bit.
#[inline(always)]
fn spread_bits(value: u64, bits: u32) -> u64 {
    let value = value & u64::below(bits);
    let value = (value | value << 16) & 0x0000_ffff_0000_ffff;
    let value = (value | value << 8) & 0x00ff_00ff_00ff_00ff;
    let value = (value | value << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    let value = (value | value << 2) & 0x3333_3333_3333_3333;
    (value | value << 1) & 0x5555_5555_5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Datatype;
    use std::sync::Arc;

    fn domain(bounds: &[(i32, i32)]) -> Domain {
        let dimension = |(low, high): &(i32, i32)| {
            let bounds = [low.to_le_bytes(), high.to_le_bytes()].concat();
            let dimension = Dimension::new("d", Datatype::Int32, Some(&bounds), None);
            Arc::new(dimension.expect("a dimension"))
        };
        Domain {
            dimensions: bounds.iter().map(dimension).collect(),
        }
    }

    fn values(domain: &Domain, columns: &[Vec<i32>]) -> Vec<u64> {
        let bytes: Vec<Vec<u8>> = columns
            .iter()
            .map(|column| column.iter().flat_map(|v| v.to_le_bytes()).collect())
            .collect();
        let columns: Vec<_> = bytes.iter().map(|data| Coordinates::fixed(data)).collect();
        let mut values = vec![0; bytes[0].len() / 4];
        let hilbert = Hilbert::new(domain).expect("a curve");
        hilbert.fill(&columns, 0, &mut values);
        values
    }

    #[test]
    fn neighbours_on_the_curve_are_neighbours_in_the_domain() {
        // With no more coordinates than buckets, each bucket contains 2^k coordinates, and
        // neighbours on the curve differ by one step.
        for dim_num in [2usize, 3] {
            let side = 8i32;
            let cells: Vec<Vec<i32>> = (0..side.pow(dim_num as u32))
                .map(|cell| {
                    (0..dim_num)
                        .map(|d| cell / side.pow(d as u32) % side)
                        .collect()
                })
                .collect();
            let columns: Vec<Vec<i32>> = (0..dim_num)
                .map(|d| cells.iter().map(|cell| cell[d]).collect())
                .collect();
            let values = values(&domain(&vec![(0, side - 1); dim_num]), &columns);
            let mut order: Vec<usize> = (0..cells.len()).collect();
            order.sort_by_key(|cell| values[*cell]);
            for pair in order.windows(2) {
                let apart: i32 = (0..dim_num)
                    .map(|d| (cells[pair[0]][d] - cells[pair[1]][d]).abs())
                    .sum();
                assert_eq!(apart, 1, "{:?} {:?}", cells[pair[0]], cells[pair[1]]);
            }
        }
    }

    #[test]
    fn buckets_of_32_and_64_bits_yield_the_same_curve() {
        for dim_num in 2..5 {
            let bits = HILBERT_BITS / dim_num as u32;
            let mut state = 7u64;
            let long: Vec<Lanes> = (0..dim_num)
                .map(|_| {
                    array::from_fn(|_| {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1);
                        state >> (64 - bits)
                    })
                })
                .collect();
            let mut short: Vec<Lanes<u32>> = long
                .iter()
                .map(|lanes| lanes.map(|bucket| bucket as u32))
                .collect();
            let mut long = long;
            transpose(&mut long, bits);
            transpose(&mut short, bits);
            // Interleaving bit by bit, by definition.
            let mut expected = [0u64; HILBERT_BLOCK_CELLS];
            for bit in (0..bits).rev() {
                for lanes in &long {
                    for (value, lane) in expected.iter_mut().zip(lanes) {
                        *value = *value << 1 | (lane >> bit & 1);
                    }
                }
            }
            assert_eq!(interleave(&long, bits), expected);
            assert_eq!(interleave(&short, bits), expected);
        }
    }

    #[test]
    fn cells_of_sixteen_dimensions_have_the_order_of_libtiledb() {
        let coordinate = |cell: i32, d: i32| (cell * cell * 37 + d * d * 11 + cell * d * 29) % 100;
        let columns: Vec<Vec<i32>> = (0..16)
            .map(|d| (0..20).map(|cell| coordinate(cell, d)).collect())
            .collect();
        let values = values(&domain(&[(0, 99); 16]), &columns);
        let mut order: Vec<usize> = (0..20).collect();
        order.sort_by_key(|cell| values[*cell]);
        assert_eq!(
            order,
            [
                2, 6, 3, 0, 10, 13, 7, 12, 5, 14, 15, 1, 17, 9, 11, 4, 18, 8, 16, 19
            ]
        );
    }

    #[test]
    fn the_curve_of_one_dimension_is_linear() {
        let values = values(&domain(&[(-5, 5)]), &[(-5..=5).collect()]);
        assert!(values.is_sorted(), "{values:?}");
        assert_eq!((values[0], values[10]), (0, (1 << 63) - 1));
    }

    #[test]
    fn numbers_out_of_range_convert_as_on_x86() {
        assert_eq!(real_to_u64(f64::NAN), 1 << 63);
        assert_eq!(real_to_u64(-1.5), u64::MAX);
        assert_eq!(real_to_u64(2f64.powi(63)), 1 << 63);
        assert_eq!(real_to_u64(2f64.powi(64)), 0);
        assert_eq!(real_to_u64(1e300), 0);
        assert_eq!(real_to_u64(-1e300), 1 << 63);
        assert_eq!(real_to_u64(3.99), 3);
    }

    #[test]
    fn strings_are_placed_by_their_first_eight_characters() {
        assert_eq!(text_bucket(b"cat"), u64::from_le_bytes(*b"\0\0\0\0\0tac"));
        assert_eq!(text_bucket(b"ab\xff"), u64::MAX << 40);
        assert_eq!(text_bucket(b""), 0);
    }
}
