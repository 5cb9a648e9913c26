//! Sums, minima and maxima of runs of numbers, computed in SIMD lanes.

use super::AggregateOperator;
use crate::bytes::simd_dispatch;
use crate::memory::tuning::SUM_BLOCK_VALUES;
use crate::types::{Physical, Value, values_of};

/// The number of lanes of minima and maxima: more than the width of a vector register, so that the
/// compiler vectorizes the loop.
const MIN_MAX_LANES: usize = 128;

/// The factor of a sum that stays finite: 2 to the power of -64, more cells than an array has.
const SUM_SCALE: f64 = 1.0 / (1u128 << 64) as f64;

/// A running sum.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sum {
    /// The exact sum of integers.
    Whole(i128),
    /// The sum of floating-point numbers.
    Real {
        sum: f64,
        /// The sum times [`SUM_SCALE`], which is used if `sum` has exceeded the finite range. It is
        /// infinite only if a value is.
        scaled: f64,
    },
}

impl Sum {
    pub(super) fn zero(physical: Option<Physical>) -> Self {
        match physical {
            Some(Physical::F32 | Physical::F64) => Self::Real {
                sum: 0.0,
                scaled: 0.0,
            },
            _ => Self::Whole(0),
        }
    }

    fn is_unsigned(physical: Option<Physical>) -> bool {
        physical.is_some_and(Physical::is_unsigned)
    }

    /// Adds a stored sum: an `i64`, `u64` or `f64`, depending on the datatype.
    pub(super) fn add_bits(&mut self, physical: Option<Physical>, bits: u64) {
        match self {
            Self::Whole(sum) if Self::is_unsigned(physical) => *sum += i128::from(bits),
            Self::Whole(sum) => *sum += i128::from(bits as i64),
            Self::Real { .. } => self.add_real(f64::from_bits(bits)),
        }
    }

    /// Adds a floating-point number.
    fn add_real(&mut self, value: f64) {
        if let Self::Real { sum, scaled } = self {
            *sum += value;
            *scaled += value * SUM_SCALE;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        match (self, other) {
            (Self::Whole(sum), Self::Whole(more)) => *sum += more,
            (
                Self::Real { sum, scaled },
                Self::Real {
                    sum: more,
                    scaled: more_scaled,
                },
            ) => {
                *sum += more;
                *scaled += more_scaled;
            }
            _ => {}
        }
    }

    /// Returns the bits of the 64-bit sum, the largest finite value if it does not fit, and whether
    /// that is so.
    pub(super) fn bits(&self, physical: Option<Physical>) -> (u64, bool) {
        match *self {
            Self::Whole(sum) if Self::is_unsigned(physical) => match u64::try_from(sum) {
                Ok(sum) => (sum, false),
                Err(_) => (u64::MAX, true),
            },
            Self::Whole(sum) => match i64::try_from(sum) {
                Ok(sum) => (sum as u64, false),
                Err(_) => (i64::MAX as u64, true),
            },
            Self::Real { sum, .. } if sum.is_finite() => (sum.to_bits(), false),
            Self::Real { scaled, .. } => {
                let sum = scaled / SUM_SCALE;
                if scaled.is_finite() && !sum.is_finite() {
                    (f64::MAX.to_bits(), true)
                } else {
                    (sum.to_bits(), false)
                }
            }
        }
    }

    /// Returns the mean of `cells` values. Unlike the sum, it fits.
    pub(super) fn mean(&self, cells: u64) -> f64 {
        let cells = cells as f64;
        match *self {
            Self::Whole(sum) => sum as f64 / cells,
            Self::Real { sum, .. } if sum.is_finite() => sum / cells,
            Self::Real { scaled, .. } => scaled / cells / SUM_SCALE,
        }
    }
}

/// Adds the numbers of `data` whose byte in `mask` is not 0.
pub(super) fn add<T: Value>(
    parts: AccumulatedParts,
    sum: &mut Sum,
    min_max: &mut Option<(Vec<u8>, Vec<u8>)>,
    data: &[u8],
    mask: Option<&[u8]>,
) {
    simd_dispatch(
        #[inline(always)]
        || add_blocks::<T>(parts, sum, min_max, data, mask),
    );
}

#[inline(always)]
fn add_blocks<T: Value>(
    parts: AccumulatedParts,
    sum: &mut Sum,
    min_max: &mut Option<(Vec<u8>, Vec<u8>)>,
    data: &[u8],
    mask: Option<&[u8]>,
) {
    for (block, data) in data.chunks(SUM_BLOCK_VALUES * T::SIZE).enumerate() {
        let cells = data.len() / T::SIZE;
        let mask =
            mask.map(|mask| &mask[block * SUM_BLOCK_VALUES..block * SUM_BLOCK_VALUES + cells]);
        if parts.sum {
            add_sum::<T>(sum, data, mask);
        }
        if parts.min_max {
            add_min_max::<T>(min_max, data, mask);
        }
    }
}

#[inline(always)]
fn values<T: Value>(data: &[u8]) -> impl Iterator<Item = T> + '_ {
    values_of::<T>(data)
}

#[inline(always)]
fn add_sum<T: Value>(sum: &mut Sum, data: &[u8], mask: Option<&[u8]>) {
    match sum {
        Sum::Whole(sum) => *sum += whole_sum::<T>(data, mask),
        Sum::Real { .. } => {
            let added = real_sum::<T>(data, mask);
            if added.abs() < f64::MAX / 4.0 {
                return sum.add_real(added);
            }
            // Infinite or very large values: add the cells in order.
            for (cell, value) in values::<T>(data).enumerate() {
                if mask.is_none_or(|mask| mask[cell] != 0) {
                    sum.add_real(value.to_f64());
                }
            }
        }
    }
}

/// Returns the exact sum of at most one block of integers.
#[inline(always)]
fn whole_sum<T: Value>(data: &[u8], mask: Option<&[u8]>) -> i128 {
    // Signed numbers are shifted by half their range, so that they are not negative.
    let shift: i128 = if T::PHYSICAL.is_signed() {
        1 << (8 * T::SIZE - 1)
    } else {
        0
    };
    let keys = values::<T>(data).map(Value::to_key);
    let (mut low, mut high, mut cells) = (0u64, 0u64, 0u64);
    match mask {
        None => {
            for key in keys {
                low += key & 0xffff_ffff;
                high += key >> 32;
            }
            cells = (data.len() / T::SIZE) as u64;
        }
        Some(mask) => {
            for (key, bit) in keys.zip(mask) {
                let key = if *bit != 0 { key } else { 0 };
                low += key & 0xffff_ffff;
                high += key >> 32;
                cells += u64::from(*bit != 0);
            }
        }
    }
    i128::from(low) + (i128::from(high) << 32) - i128::from(cells) * shift
}

#[inline(always)]
fn real_sum<T: Value>(data: &[u8], mask: Option<&[u8]>) -> f64 {
    const LANES: usize = 8;
    let mut lanes = [0f64; LANES];
    let whole = data.len() / (LANES * T::SIZE) * LANES;
    let (head, tail) = data.split_at(whole * T::SIZE);
    let lane = |bit: Option<&u8>, value: T| match bit {
        Some(0) => 0.0,
        _ => value.to_f64(),
    };
    match mask {
        None => {
            for eight in head.chunks_exact(LANES * T::SIZE) {
                for (lane, value) in lanes.iter_mut().zip(values::<T>(eight)) {
                    *lane += value.to_f64();
                }
            }
        }
        Some(mask) => {
            for (eight, bits) in head
                .chunks_exact(LANES * T::SIZE)
                .zip(mask.chunks_exact(LANES))
            {
                for ((sum, value), bit) in lanes.iter_mut().zip(values::<T>(eight)).zip(bits) {
                    *sum += lane(Some(bit), value);
                }
            }
        }
    }
    let rest = values::<T>(tail)
        .enumerate()
        .map(|(index, value)| lane(mask.map(|mask| &mask[whole + index]), value));
    lanes.iter().sum::<f64>() + rest.sum::<f64>()
}

#[inline(always)]
fn add_min_max<T: Value>(
    min_max: &mut Option<(Vec<u8>, Vec<u8>)>,
    data: &[u8],
    mask: Option<&[u8]>,
) {
    let Some(first) = first_of::<T>(data, mask) else {
        return;
    };
    let (mut mins, mut maxs) = ([first; MIN_MAX_LANES], [first; MIN_MAX_LANES]);
    let whole = data.len() / (MIN_MAX_LANES * T::SIZE) * MIN_MAX_LANES;
    let (head, tail) = data.split_at(whole * T::SIZE);
    let rows = head.chunks_exact(MIN_MAX_LANES * T::SIZE);
    match mask {
        None => rows.for_each(|row| {
            for ((min, max), value) in mins.iter_mut().zip(&mut maxs).zip(values::<T>(row)) {
                *min = lesser(value, *min);
                *max = greater(value, *max);
            }
        }),
        Some(mask) => rows
            .zip(mask.chunks_exact(MIN_MAX_LANES))
            .for_each(|(row, bits)| {
                for (((min, max), value), bit) in mins
                    .iter_mut()
                    .zip(&mut maxs)
                    .zip(values::<T>(row))
                    .zip(bits)
                {
                    let value = if *bit != 0 { value } else { first };
                    *min = lesser(value, *min);
                    *max = greater(value, *max);
                }
            }),
    }
    for (cell, value) in values::<T>(tail).enumerate() {
        if mask.is_none_or(|mask| mask[whole + cell] != 0) {
            mins[cell] = lesser(value, mins[cell]);
            maxs[cell] = greater(value, maxs[cell]);
        }
    }
    let min = mins
        .into_iter()
        .fold(first, |min, value| lesser(value, min));
    let max = maxs
        .into_iter()
        .fold(first, |max, value| greater(value, max));
    let (mut least, mut greatest) = ([0; 8], [0; 8]);
    min.write(&mut least);
    max.write(&mut greatest);
    include::<T>(min_max, &least[..T::SIZE], &greatest[..T::SIZE]);
}

/// Returns the first value if it is smaller and not NaN, otherwise the second.
#[inline(always)]
fn lesser<T: Value>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

/// Returns the first value if it is larger and not NaN, otherwise the second.
#[inline(always)]
fn greater<T: Value>(one: T, other: T) -> T {
    if one > other { one } else { other }
}

#[inline(always)]
fn is_nan<T: Value>(value: T) -> bool {
    value.partial_cmp(&value).is_none()
}

/// Returns the first selected value that is not NaN, or NaN if no other exists.
#[inline(always)]
fn first_of<T: Value>(data: &[u8], mask: Option<&[u8]>) -> Option<T> {
    let is_selected = |cell: usize| mask.is_none_or(|mask| mask[cell] != 0);
    let mut all = values::<T>(data).enumerate();
    let first = all.find(|(cell, _)| is_selected(*cell))?.1;
    if !T::PHYSICAL.is_real() || !is_nan(first) {
        return Some(first);
    }
    let other = all.find(|(cell, value)| is_selected(*cell) && !is_nan(*value));
    Some(other.map_or(first, |(_, value)| value))
}

/// Extends a minimum and a maximum, if they exist, so that they include two other values.
pub(super) fn include<T: Value>(
    min_max: &mut Option<(Vec<u8>, Vec<u8>)>,
    least: &[u8],
    greatest: &[u8],
) {
    let Some((min, max)) = min_max else {
        *min_max = Some((least.to_vec(), greatest.to_vec()));
        return;
    };
    let (old_min, old_max) = (T::read(min), T::read(max));
    if is_nan(old_min) || T::read(least) < old_min {
        min.copy_from_slice(least);
    }
    if is_nan(old_max) || T::read(greatest) > old_max {
        max.copy_from_slice(greatest);
    }
}

/// The parts that the aggregates of a field need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccumulatedParts {
    /// The sum, for sums and means.
    pub sum: bool,
    /// The minimum and the maximum.
    pub min_max: bool,
}

impl AccumulatedParts {
    /// Adds the parts that an operator needs.
    pub fn add(&mut self, operator: AggregateOperator) {
        match operator {
            AggregateOperator::Sum | AggregateOperator::Mean => self.sum = true,
            AggregateOperator::Min | AggregateOperator::Max => self.min_max = true,
            AggregateOperator::Count | AggregateOperator::NullCount => {}
        }
    }

    /// Returns whether the values of cells are needed, or only their validity.
    pub fn needs_values(&self) -> bool {
        self.sum || self.min_max
    }
}
