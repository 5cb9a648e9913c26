//! Statistics of written tiles: minimum, maximum, sum and null count.
//!
//! The datatypes with statistics and the overflow of sums follow libtiledb: integer sums saturate
//! at 64 bits; floating-point sums are added in order in double precision and saturate at the
//! largest finite value.

use super::real_sum::{add_real, exact_sum, sum_in_binade};
use super::text_min_max::TextMinMax;
use crate::bytes::simd_dispatch;
use crate::error::Result;
use crate::fragment::TileStats;
use crate::memory::tuning::STATS_BLOCK_BYTES;
use crate::schema::StoredField;
use crate::typed;
use crate::types::{Datatype, Physical, Value, values_of};

/// Collects the statistics of one tile, run by run.
#[derive(Clone, Debug)]
pub(super) struct TileStatsBuilder<'a> {
    kind: Kind,
    cell_size: usize,
    min: [u8; 8],
    max: [u8; 8],
    texts: TextMinMax<'a>,
    sum: [u8; 8],
    /// Whether the sum has exceeded its range; it has its final value then.
    is_saturated: bool,
    /// Whether the sum of real numbers depends on their order, as far as is known.
    is_inexact: bool,
    /// The number of null cells.
    nulls: u64,
    /// The type of numbers.
    physical: Physical,
}

/// The statistics of a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Minimum, maximum and sum of numbers.
    Number,
    /// Minimum and maximum string.
    Text,
    /// The null count only.
    Nulls,
    /// Nothing.
    Nothing,
}

fn kind_of(field: &StoredField) -> Kind {
    use Datatype as D;
    let text = matches!(field.cells.datatype, D::Char | D::StringAscii);
    let single = field.cells.cell_val_num == 1;
    match field.cells.datatype {
        _ if text => Kind::Text,
        D::StringUtf8
        | D::StringUtf16
        | D::StringUtf32
        | D::StringUcs2
        | D::StringUcs4
        | D::Any => Kind::Nothing,
        _ if field.cells.is_var() => Kind::Nothing,
        D::Blob | D::GeomWkb | D::GeomWkt => Kind::Nulls,
        _ if single => Kind::Number,
        _ => Kind::Nulls,
    }
}

impl<'a> TileStatsBuilder<'a> {
    /// Returns empty statistics.
    pub(super) fn new(field: &StoredField) -> Self {
        let kind = kind_of(field);
        let mut builder = Self {
            kind,
            cell_size: field.cells.cell_size(),
            min: [0; 8],
            max: [0; 8],
            texts: TextMinMax::default(),
            sum: [0; 8],
            is_saturated: false,
            is_inexact: false,
            nulls: 0,
            physical: field.cells.datatype.physical(),
        };
        if kind == Kind::Number {
            typed!(builder.physical, T => start::<T>(&mut builder));
        }
        builder
    }

    /// Adds fixed-size cells, with their validity if the field is nullable.
    pub(super) fn add(&mut self, values: &'a [u8], validity: Option<&[u8]>) {
        match self.kind {
            Kind::Number => {
                typed!(self.physical, T => add_numbers::<T>(self, values, validity));
            }
            Kind::Text => add_texts(self, values, validity),
            Kind::Nulls => count_nulls(self, validity),
            Kind::Nothing => {}
        }
    }

    /// Adds a tile of variable-length cells: all offsets, and the end of the last cell.
    pub(super) fn add_var(&mut self, starts: &[u64], values: &'a [u8], validity: Option<&[u8]>) {
        if self.kind != Kind::Text {
            return;
        }
        for (cell, (start, end)) in starts.iter().zip(starts.iter().skip(1)).enumerate() {
            if validity.is_some_and(|validity| validity[cell] == 0) {
                self.nulls += 1;
            } else {
                self.texts
                    .add(values, *start as usize, (end - start) as usize);
            }
        }
    }

    /// Returns the statistics of the tile.
    ///
    /// # Errors
    /// If memory for the minimum or maximum string cannot be allocated.
    pub(super) fn finish(self, field: &StoredField) -> Result<TileStats> {
        let size = field.cells.datatype.size();
        let number = self.kind == Kind::Number;
        let [text_min, text_max] = self.texts.into_texts()?;
        let char_sum = field.cells.datatype == Datatype::Char && field.cells.cell_val_num == 1;
        Ok(TileStats {
            min: if number {
                Some(self.min[..size].to_vec())
            } else {
                text_min
            },
            max: if number {
                Some(self.max[..size].to_vec())
            } else {
                text_max
            },
            sum: (number || char_sum).then_some(self.sum),
            null_count: self.nulls,
        })
    }
}

fn start<T: Value>(builder: &mut TileStatsBuilder<'_>) {
    T::GREATEST.write(&mut builder.min);
    T::LEAST.write(&mut builder.max);
}

#[inline(always)]
fn add_numbers<T: Value>(
    builder: &mut TileStatsBuilder<'_>,
    bytes: &[u8],
    validity: Option<&[u8]>,
) {
    simd_dispatch(
        #[inline(always)]
        || {
            for (index, block) in bytes.chunks(STATS_BLOCK_BYTES).enumerate() {
                let first = index * STATS_BLOCK_BYTES / T::SIZE;
                let validity =
                    validity.map(|validity| &validity[first..first + block.len() / T::SIZE]);
                add_block::<T>(builder, block, validity);
            }
        },
    );
}

#[inline(always)]
fn add_block<T: Value>(builder: &mut TileStatsBuilder<'_>, bytes: &[u8], validity: Option<&[u8]>) {
    let current = (T::read(&builder.min), T::read(&builder.max));
    let (min, max) = match validity {
        None => min_max::<T>(current, bytes),
        Some(validity) => {
            builder.nulls += validity.iter().filter(|valid| **valid == 0).count() as u64;
            min_max_of_valid::<T>(current, bytes, validity)
        }
    };
    min.write(&mut builder.min);
    max.write(&mut builder.max);
    if !builder.is_saturated {
        let bound = min.to_f64().abs().max(max.to_f64().abs());
        add_sum::<T>(builder, bytes, validity, bound);
    }
}

/// Returns a minimum and a maximum that include a value.
#[inline(always)]
fn include<T: Value>((min, max): (T, T), value: T) -> (T, T) {
    (lesser(min, value), greater(max, value))
}

/// Returns the minimum or the value that is less; the value if they are equal or one is NaN.
#[inline(always)]
fn lesser<T: Value>(min: T, value: T) -> T {
    if min < value { min } else { value }
}

/// Returns the maximum or the value that is greater; the value if they are equal or one is NaN.
#[inline(always)]
fn greater<T: Value>(max: T, value: T) -> T {
    if max > value { max } else { value }
}

/// Returns the minimum and maximum of the current ones and of the valid values; of integers in
/// lanes, without branches.
#[inline(always)]
fn min_max_of_valid<T: Value>(current: (T, T), bytes: &[u8], validity: &[u8]) -> (T, T) {
    const LANES: usize = 16;
    let fold = |current, bytes, validity: &[u8]| {
        let valid = values_of::<T>(bytes).zip(validity);
        valid
            .filter(|(_, valid)| **valid != 0)
            .fold(current, |current, (value, _)| include(current, value))
    };
    if matches!(T::PHYSICAL, Physical::F32 | Physical::F64) {
        return fold(current, bytes, validity);
    }
    let mut lanes = ([current.0; LANES], [current.1; LANES]);
    let blocks = bytes.chunks_exact(LANES * T::SIZE);
    let (valid_blocks, valid_rest) = validity.as_chunks::<LANES>();
    let found = fold(current, blocks.remainder(), valid_rest);
    for (block, valid) in blocks.zip(valid_blocks) {
        for (lane, value) in values_of::<T>(block).enumerate() {
            let valid = valid[lane] != 0;
            let (min, max) = (lanes.0[lane], lanes.1[lane]);
            lanes.0[lane] = if valid & (value < min) { value } else { min };
            lanes.1[lane] = if valid & (value > max) { value } else { max };
        }
    }
    let (least, greatest) = (lanes.0.into_iter(), lanes.1.into_iter());
    (
        least.fold(found.0, |a, b| if b < a { b } else { a }),
        greatest.fold(found.1, |a, b| if b > a { b } else { a }),
    )
}

/// Returns the minimum and maximum of the current ones and of a run, computed in lanes unless the
/// order of values matters.
#[inline(always)]
fn min_max<T: Value>(current: (T, T), bytes: &[u8]) -> (T, T) {
    const LANES: usize = 16;
    if !T::PHYSICAL.is_real() {
        return values_of::<T>(bytes).fold(current, include);
    }
    let blocks = bytes.chunks_exact(LANES * T::SIZE);
    let rest = blocks.remainder();
    let (mut mins, mut maxs) = ([current.0; LANES], [current.1; LANES]);
    // One for each lane: with a single flag the loop takes several times as long.
    let mut unordered = [0u32; LANES];
    for block in blocks {
        // With an iterator over the values, the compiler leaves the lanes in memory, and the loop
        // takes ten times as long.
        (0..LANES).for_each(|lane| {
            let value = T::read(&block[lane * T::SIZE..][..T::SIZE]);
            mins[lane] = lesser(mins[lane], value);
            maxs[lane] = greater(maxs[lane], value);
            unordered[lane] |= u32::from(value.partial_cmp(&value).is_none());
        });
    }
    let mut unordered = unordered.into_iter().any(|lane| lane != 0);
    let mut found = (
        mins.into_iter().fold(current.0, lesser),
        maxs.into_iter().fold(current.1, greater),
    );
    for value in values_of::<T>(rest) {
        unordered |= value.partial_cmp(&value).is_none();
        found = include(found, value);
    }
    if unordered {
        return values_of::<T>(bytes).fold(current, include);
    }
    // Zero has two signs; the last one is used.
    let last_zero = || {
        bytes
            .rchunks_exact(T::SIZE)
            .map(T::read)
            .find(|value| value.to_f64() == 0.0)
    };
    if found.0.to_f64() == 0.0 {
        found.0 = last_zero().unwrap_or(current.0);
    }
    if found.1.to_f64() == 0.0 {
        found.1 = last_zero().unwrap_or(current.1);
    }
    found
}

/// Adds a run to the sum. `bound` is an upper bound of the absolute values.
#[inline(always)]
fn add_sum<T: Value>(
    builder: &mut TileStatsBuilder<'_>,
    bytes: &[u8],
    validity: Option<&[u8]>,
    bound: f64,
) {
    use Physical as P;
    match T::PHYSICAL {
        P::F32 | P::F64 => add_reals::<T>(builder, bytes, validity, bound),
        P::U8 | P::U16 | P::U32 | P::U64 => add_unsigned::<T>(builder, bytes, validity, bound),
        _ => add_signed::<T>(builder, bytes, validity, bound),
    }
}

/// Adds a run of floating-point numbers to the sum.
#[inline(always)]
fn add_reals<T: Value>(
    builder: &mut TileStatsBuilder<'_>,
    bytes: &[u8],
    validity: Option<&[u8]>,
    bound: f64,
) {
    let mut sum = f64::from_le_bytes(builder.sum);
    let exact = if T::PHYSICAL == Physical::F32 && validity.is_none() && !builder.is_inexact {
        exact_sum(sum, bytes.as_chunks().0, bound)
    } else {
        None
    };
    builder.is_inexact = exact.is_none();
    let in_binade = || {
        let is_complete = validity.is_none();
        is_complete.then(|| sum_in_binade::<T>(sum, bytes, bound))?
    };
    let in_order = || {
        let number = (bytes.len() / T::SIZE) as f64;
        let adds = validity.is_none() && bound * number + sum.abs() < f64::MAX / 4.0;
        adds.then(|| values_of::<T>(bytes).fold(sum, |sum, value| sum + value.to_f64()))
    };
    // If the sum is NaN, `bound` may not be one: a NaN replaces the numbers before it in the
    // minimum and maximum, infinities included, at which sums saturate.
    let fast = exact.or_else(in_binade).or_else(in_order);
    let fast = fast.filter(|sum| sum.is_finite());
    if let Some(fast) = fast {
        sum = fast;
    } else {
        for (cell, value) in values_of::<T>(bytes).map(Value::to_f64).enumerate() {
            if is_valid(validity, cell) && !add_real(&mut sum, value) {
                builder.is_saturated = true;
                break;
            }
        }
    }
    builder.sum = sum.to_le_bytes();
}

/// Adds a run of unsigned integers to the sum.
#[inline(always)]
fn add_unsigned<T: Value>(
    builder: &mut TileStatsBuilder<'_>,
    bytes: &[u8],
    validity: Option<&[u8]>,
    bound: f64,
) {
    let sum = u64::from_le_bytes(builder.sum);
    let number = (bytes.len() / T::SIZE) as f64;
    let values = values_of::<T>(bytes).map(Value::to_key);
    let sum = if bound * number + sum as f64 <= 2f64.powi(62) {
        sum_of_valid(sum, values, validity)
    } else {
        let added = values
            .enumerate()
            .filter(|(cell, _)| is_valid(validity, *cell))
            .try_fold(sum, |sum, (_, value)| sum.checked_add(value));
        builder.is_saturated = added.is_none();
        added.unwrap_or(u64::MAX)
    };
    builder.sum = sum.to_le_bytes();
}

/// Adds a run of signed integers to the sum.
#[inline(always)]
fn add_signed<T: Value>(
    builder: &mut TileStatsBuilder<'_>,
    bytes: &[u8],
    validity: Option<&[u8]>,
    bound: f64,
) {
    let sign = 1u64 << (8 * T::SIZE - 1);
    let values = values_of::<T>(bytes).map(|value| value.to_key().wrapping_sub(sign));
    let mut sum = i64::from_le_bytes(builder.sum);
    let number = (bytes.len() / T::SIZE) as f64;
    if bound * number + (sum as f64).abs() <= 2f64.powi(62) {
        sum = sum_of_valid(sum as u64, values, validity) as i64;
    } else {
        for (_, value) in values
            .enumerate()
            .filter(|(cell, _)| is_valid(validity, *cell))
        {
            let added = sum.checked_add(value as i64);
            sum = sum.saturating_add(value as i64);
            builder.is_saturated = added.is_none();
            if builder.is_saturated {
                break;
            }
        }
    }
    builder.sum = sum.to_le_bytes();
}

#[inline(always)]
fn is_valid(validity: Option<&[u8]>, cell: usize) -> bool {
    validity.is_none_or(|validity| validity[cell] != 0)
}

/// Adds the valid ones of integers, whose sum does not overflow, without branches.
#[inline(always)]
fn sum_of_valid(sum: u64, values: impl Iterator<Item = u64>, validity: Option<&[u8]>) -> u64 {
    match validity {
        None => values.fold(sum, u64::wrapping_add),
        Some(validity) => values.zip(validity).fold(sum, |sum, (value, valid)| {
            sum.wrapping_add(if *valid != 0 { value } else { 0 })
        }),
    }
}

fn add_texts<'a>(builder: &mut TileStatsBuilder<'a>, bytes: &'a [u8], validity: Option<&[u8]>) {
    let size = builder.cell_size;
    for (cell, text) in bytes.chunks_exact(size).enumerate() {
        if validity.is_some_and(|validity| validity[cell] == 0) {
            builder.nulls += 1;
            continue;
        }
        builder.texts.add(bytes, cell * size, size);
        if size == 1 {
            let sum = i64::from_le_bytes(builder.sum).saturating_add(i64::from(text[0] as i8));
            builder.sum = sum.to_le_bytes();
        }
    }
}

fn count_nulls(builder: &mut TileStatsBuilder<'_>, validity: Option<&[u8]>) {
    builder.nulls += validity.map_or(0, |validity| {
        validity.iter().filter(|valid| **valid == 0).count() as u64
    });
}

#[cfg(test)]
mod tests;
