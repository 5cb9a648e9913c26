//! Hilbert values: where a cell lies on the curve through the whole domain.
//!
//! Each dimension is cut into `2^bits` buckets, 63 bits for all dimensions together; a cell's buckets make its place on
//! the curve (J. Skilling, Programming the Hilbert curve, 2004). Cells in files stand in this order, so the values are
//! those of libtiledb bit for bit, its conversions of numbers that have no bucket included.

use std::array;

use super::Coordinates;
use crate::schema::{Dimension, Domain};
use crate::typed;
use crate::types::Value;

/// The bits of a Hilbert value.
pub const HILBERT_BITS: u32 = 63;

/// The most dimensions that a Hilbert value has a bit for in what libtiledb writes.
const MOST_DIMENSIONS: usize = 15;

/// How many cells are worked on at once.
const LANES: usize = 32;

type Lanes = [u64; LANES];

/// The curve through a domain.
#[derive(Clone, Debug)]
pub struct Hilbert {
    axes: Vec<Axis>,
    bits: u32,
}

/// How the coordinates of a dimension become buckets.
#[derive(Clone, Copy, Debug)]
enum Axis {
    Numbers {
        fill: fn(&[u8], usize, &Scale, &mut Lanes),
        size: usize,
        scale: Scale,
    },
    Texts {
        shift: u32,
    },
}

/// The domain of a dimension, stretched over its buckets.
#[derive(Clone, Copy, Debug)]
struct Scale {
    low: f64,
    range: f64,
    last_bucket: f64,
}

impl Hilbert {
    /// The curve through a domain; `None` for more dimensions than it has bits for.
    pub fn new(domain: &Domain) -> Option<Self> {
        let dim_num = domain.dim_num();
        if dim_num == 0 || dim_num > MOST_DIMENSIONS {
            return None;
        }
        let bits = HILBERT_BITS / dim_num as u32;
        let axes = domain.dimensions.iter();
        let axes: Option<_> = axes.map(|dimension| Axis::new(dimension, bits)).collect();
        Some(Self { axes: axes?, bits })
    }

    /// Fills `values` with those of the cells from `first` on. There is a column for each dimension.
    pub fn fill(&self, columns: &[Coordinates<'_>], first: usize, values: &mut [u64]) {
        let mut buckets = vec![[0; LANES]; self.axes.len()];
        for (at, part) in values.chunks_mut(LANES).enumerate() {
            let from = first + at * LANES;
            for ((axis, column), lanes) in self.axes.iter().zip(columns).zip(&mut buckets) {
                axis.fill(column, from, part.len(), lanes);
            }
            transpose(&mut buckets, self.bits);
            let lanes = interleave(&buckets, self.bits);
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
            fill: typed!(physical, T => fill_numbers::<T> as fn(&[u8], usize, &Scale, &mut Lanes)),
            size: physical.size(),
            scale: Scale {
                low,
                range: high - low,
                last_bucket: ((1u64 << bits) - 1) as f64,
            },
        })
    }

    fn fill(&self, column: &Coordinates<'_>, from: usize, len: usize, lanes: &mut Lanes) {
        match self {
            Self::Numbers { fill, size, scale } => {
                let bytes = column.data.get(from * size..(from + len) * size);
                fill(bytes.unwrap_or_default(), *size, scale, lanes);
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

fn fill_numbers<T: Value>(bytes: &[u8], size: usize, scale: &Scale, lanes: &mut Lanes) {
    for (cell, bucket) in bytes.chunks_exact(size).zip(lanes) {
        let share = (T::read(cell).to_f64() - scale.low) / scale.range;
        *bucket = real_to_u64(share * scale.last_bucket);
    }
}

/// A real number as x86 compilers make a `u64` of it, also where it has none: a domain of one coordinate gives no
/// number at all, coordinates outside of it negative ones.
#[inline(always)]
pub(super) fn real_to_u64(value: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    let signed = |value: f64| match (-HALF..HALF).contains(&value) {
        true => value as i64 as u64,
        false => SIGN,
    };
    match value >= HALF {
        true => signed(value - HALF) ^ SIGN,
        false => signed(value),
    }
}

/// The first eight characters; those past 127 are negative and fill what is before them.
fn text_bucket(text: &[u8]) -> u64 {
    let mut bucket = 0;
    for at in 0..8 {
        bucket <<= 8;
        if let Some(character) = text.get(at) {
            bucket |= i64::from(*character as i8) as u64;
        }
    }
    bucket
}

/// Buckets to the transposed form of the place on the curve.
fn transpose(x: &mut [Lanes], bits: u32) {
    let Some((head, tail)) = x.split_first_mut() else {
        return;
    };
    for bit in (1..bits).rev() {
        let below = (1u64 << bit) - 1;
        for lane in head.iter_mut() {
            *lane ^= below & is_set(*lane, bit);
        }
        for other in tail.iter_mut() {
            for (first, other) in head.iter_mut().zip(other) {
                let set = is_set(*other, bit);
                let swapped = (*first ^ *other) & below & !set;
                *first ^= swapped | (below & set);
                *other ^= swapped;
            }
        }
    }
    // Gray code.
    for at in 1..x.len() {
        let (before, after) = x.split_at_mut(at);
        let before = before[at - 1];
        for (lane, before) in after[0].iter_mut().zip(before) {
            *lane ^= before;
        }
    }
    let last = x.len() - 1;
    let turned: Lanes = array::from_fn(|lane| {
        let mut gray = x[last][lane];
        let mut shift = 1;
        while shift < bits {
            gray ^= gray >> shift;
            shift <<= 1;
        }
        let turned = gray ^ x[last][lane];
        x[last][lane] = gray;
        turned
    });
    for lanes in &mut x[..last] {
        for (lane, turned) in lanes.iter_mut().zip(turned) {
            *lane ^= turned;
        }
    }
}

/// All ones where the bit is set.
#[inline(always)]
fn is_set(value: u64, bit: u32) -> u64 {
    0u64.wrapping_sub(value >> bit & 1)
}

/// The bits of all dimensions, the first dimension's before the others' at each level.
fn interleave(x: &[Lanes], bits: u32) -> Lanes {
    let mut values = [0; LANES];
    for bit in (0..bits).rev() {
        for lanes in x {
            for (value, lane) in values.iter_mut().zip(lanes) {
                *value = *value << 1 | (lane >> bit & 1);
            }
        }
    }
    values
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
        // With as many coordinates as buckets would be too many, buckets of 2^k coordinates keep the curve's steps.
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
    fn one_dimension_is_its_own_curve() {
        let values = values(&domain(&[(-5, 5)]), &[(-5..=5).collect()]);
        assert!(values.is_sorted(), "{values:?}");
        assert_eq!((values[0], values[10]), (0, (1 << 63) - 1));
    }

    #[test]
    fn numbers_without_a_bucket_become_what_x86_makes_of_them() {
        assert_eq!(real_to_u64(f64::NAN), 1 << 63);
        assert_eq!(real_to_u64(-1.5), u64::MAX);
        assert_eq!(real_to_u64(2f64.powi(63)), 1 << 63);
        assert_eq!(real_to_u64(2f64.powi(64)), 0);
        assert_eq!(real_to_u64(1e300), 0);
        assert_eq!(real_to_u64(-1e300), 1 << 63);
        assert_eq!(real_to_u64(3.99), 3);
    }

    #[test]
    fn texts_count_by_their_first_eight_characters() {
        assert_eq!(text_bucket(b"cat"), u64::from_le_bytes(*b"\0\0\0\0\0tac"));
        assert_eq!(text_bucket(b"ab\xff"), u64::MAX << 40);
        assert_eq!(text_bucket(b""), 0);
    }
}
