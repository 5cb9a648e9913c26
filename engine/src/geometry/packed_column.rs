//! A column of coordinates stored as a common base and as few bytes per coordinate as the bits in
//! which their keys differ need.
//!
//! The keys of nearby coordinates share their highest bits, which are stored once. The remaining
//! bits of each key preserve the order, and multiple of them are compared with ranges at a time.

use std::ops::Range;

use crate::error::{Result, try_reserved, try_vec};
use crate::memory::tuning::{BUCKETS_PER_RANGE, MAX_BUCKET_BITS};
use crate::typed;
use crate::types::{Physical, Value};

/// The packed coordinates of cells in one dimension.
#[derive(Debug)]
pub struct PackedColumn {
    physical: Physical,
    /// The bits that all keys share, followed by zeros.
    base: u64,
    /// A mask of the other bits.
    mask: u64,
    offsets: Offsets,
}

/// The differences between the keys and the base.
#[derive(Debug)]
enum Offsets {
    Short(Vec<u16>),
    Word(Vec<u32>),
    Long(Vec<u64>),
}

/// An offset of 16, 32 or 64 bits.
trait Offset: Copy + Ord + Default {
    const GREATEST: Self;
    fn of(key: u64) -> Self;
    fn to_u64(self) -> u64;
    fn minus(self, other: Self) -> Self;
}

macro_rules! offset {
    ($($t:ty)*) => {$(
        impl Offset for $t {
            const GREATEST: Self = <$t>::MAX;
            #[inline(always)]
            fn of(key: u64) -> Self {
                key as $t
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    )*};
}

offset!(u16 u32 u64);

impl PackedColumn {
    /// Packs fixed-size coordinates.
    pub fn new(physical: Physical, data: &[u8]) -> Result<Self> {
        let (base, mask) = typed!(physical, T => shared_bits::<T>(data));
        let offsets = match mask {
            0..=0xffff => Offsets::Short(typed!(physical, T => pack::<T, u16>(data, mask))?),
            0x1_0000..=0xffff_ffff => {
                Offsets::Word(typed!(physical, T => pack::<T, u32>(data, mask))?)
            }
            _ => Offsets::Long(typed!(physical, T => pack::<T, u64>(data, mask))?),
        };
        Ok(Self {
            physical,
            base,
            mask,
            offsets,
        })
    }

    /// Returns the size in memory, in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + match &self.offsets {
                Offsets::Short(offsets) => 2 * offsets.capacity(),
                Offsets::Word(offsets) => 4 * offsets.capacity(),
                Offsets::Long(offsets) => 8 * offsets.capacity(),
            }
    }

    /// Writes the original bytes of the coordinates of some cells.
    pub fn write(&self, cells: Range<usize>, to: &mut [u8]) {
        let base = self.base;
        match &self.offsets {
            Offsets::Short(offsets) => {
                typed!(self.physical, T => unpack::<T, u16>(&offsets[cells], base, to));
            }
            Offsets::Word(offsets) => {
                typed!(self.physical, T => unpack::<T, u32>(&offsets[cells], base, to));
            }
            Offsets::Long(offsets) => {
                typed!(self.physical, T => unpack::<T, u64>(&offsets[cells], base, to));
            }
        }
    }

    /// Clears the byte in `selected`, which has one per cell, of each cell that is in none of the
    /// ranges. Ranges consist of keys with inclusive bounds; they must be ascending and disjoint.
    pub fn select(&self, starts: &[u64], ends: &[u64], selected: &mut [u8]) -> Result<()> {
        let last = self.base | self.mask;
        // Ranges that do not overlap the column are ignored.
        let from = ends.partition_point(|end| *end < self.base);
        let to = starts.partition_point(|start| *start <= last);
        if from >= to {
            selected.fill(0);
            return Ok(());
        }
        let offset = |end: &u64| (*end).clamp(self.base, last) - self.base;
        let lows: Vec<u64> = starts[from..to].iter().map(offset).collect();
        let highs: Vec<u64> = ends[from..to].iter().map(offset).collect();
        let bits = 64 - self.mask.leading_zeros();
        match &self.offsets {
            Offsets::Short(offsets) => select_offsets(offsets, &lows, &highs, bits, selected),
            Offsets::Word(offsets) => select_offsets(offsets, &lows, &highs, bits, selected),
            Offsets::Long(offsets) => select_offsets(offsets, &lows, &highs, bits, selected),
        }
    }
}

/// Returns the bits that the keys of all coordinates share, and a mask of the others.
fn shared_bits<T: Value>(data: &[u8]) -> (u64, u64) {
    let mut keys = data
        .chunks_exact(T::SIZE)
        .map(|cell| T::read(cell).to_key());
    let first = keys.next().unwrap_or_default();
    let differing = keys.fold(0, |all, key| all | (key ^ first));
    let mask = u64::MAX.checked_shr(differing.leading_zeros()).unwrap_or(0);
    (first & !mask, mask)
}

fn pack<T: Value, O: Offset>(data: &[u8], mask: u64) -> Result<Vec<O>> {
    let mut offsets = try_reserved("coordinates", data.len() / T::SIZE)?;
    offsets.extend(
        data.chunks_exact(T::SIZE)
            .map(|cell| O::of(T::read(cell).to_key() & mask)),
    );
    Ok(offsets)
}

fn unpack<T: Value, O: Offset>(offsets: &[O], base: u64, to: &mut [u8]) {
    for (offset, to) in offsets.iter().zip(to.chunks_exact_mut(T::SIZE)) {
        T::from_key(base | offset.to_u64()).write(to);
    }
}

/// Clears the bytes of the offsets that are in none of the ranges from `lows` to `highs`, which are
/// offsets too. Offsets have `bits` bits.
fn select_offsets<O: Offset>(
    offsets: &[O],
    lows: &[u64],
    highs: &[u64],
    bits: u32,
    selected: &mut [u8],
) -> Result<()> {
    if let ([start], [end]) = (lows, highs) {
        let (start, width) = (O::of(*start), O::of(end - start));
        for (offset, selected) in offsets.iter().zip(selected) {
            *selected &= u8::from(offset.minus(start) <= width);
        }
        return Ok(());
    }
    let number = lows.len();
    let with_sentinel = |ends: &[u64]| -> Result<Vec<O>> {
        let mut with_sentinel: Vec<O> = try_vec("ranges", number + 1)?;
        with_sentinel.fill(O::GREATEST);
        with_sentinel
            .iter_mut()
            .zip(ends)
            .for_each(|(to, end)| *to = O::of(*end));
        Ok(with_sentinel)
    };
    let (starts, ends) = (with_sentinel(lows)?, with_sentinel(highs)?);
    // For each bucket of offsets, the first range that does not end before it.
    let wanted_bits = (number * BUCKETS_PER_RANGE)
        .next_power_of_two()
        .trailing_zeros();
    let bucket_bits = wanted_bits.min(MAX_BUCKET_BITS).min(bits);
    let shift = bits - bucket_bits;
    let mut buckets: Vec<u32> = try_vec("ranges", 1 << bucket_bits)?;
    let mut index = 0;
    for (bucket, first) in buckets.iter_mut().enumerate() {
        let least = O::of((bucket as u64) << shift);
        while index < number && ends[index] < least {
            index += 1;
        }
        *first = index as u32;
    }
    let top = buckets.len() - 1;
    for (offset, selected) in offsets.iter().zip(selected) {
        let bucket = offset.to_u64().checked_shr(shift).unwrap_or(0) as usize;
        let mut index = buckets[bucket & top] as usize;
        while ends[index] < *offset {
            index += 1;
        }
        *selected &= u8::from((index < number) & (starts[index] <= *offset));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<T: Value>(
        values: &[T],
        ranges: &[(u64, u64)],
    ) -> std::result::Result<(), TestCaseError> {
        let mut data = vec![0; values.len() * T::SIZE];
        for (value, to) in values.iter().zip(data.chunks_exact_mut(T::SIZE)) {
            value.write(to);
        }
        let packed = PackedColumn::new(T::PHYSICAL, &data).expect("memory");
        let mut back = vec![0; data.len()];
        packed.write(0..values.len(), &mut back);
        prop_assert_eq!(&back, &data);
        let (starts, ends): (Vec<u64>, Vec<u64>) = ranges.iter().copied().unzip();
        let mut selected = vec![1; values.len()];
        packed
            .select(&starts, &ends, &mut selected)
            .expect("memory");
        for (value, selected) in values.iter().zip(selected) {
            let key = value.to_key();
            let inside = ranges
                .iter()
                .any(|(start, end)| *start <= key && key <= *end);
            prop_assert_eq!(selected == 1, inside, "{:?} {:?}", value, ranges);
        }
        Ok(())
    }

    /// Returns disjoint ascending ranges with these bounds.
    fn disjoint(mut ends: Vec<u64>) -> Vec<(u64, u64)> {
        ends.sort_unstable();
        ends.dedup();
        ends.chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect()
    }

    proptest! {
        #[test]
        fn packed_integers_round_trip_and_are_selected_by_ranges(
            low in any::<i64>(),
            spread in 0u32..64,
            values in proptest::collection::vec(any::<u64>(), 0..200),
            ends in proptest::collection::vec((any::<prop::sample::Index>(), -2i64..3), 0..40),
        ) {
            let values: Vec<i64> = values.iter().map(|v| low.wrapping_add((v >> (63 - spread)) as i64)).collect();
            let near = ends.iter().map(|(index, off)| if values.is_empty() {
                *off as u64
            } else {
                index.get(&values).to_key().saturating_add_signed(*off)
            });
            let ranges = disjoint(near.collect());
            check::<i64>(&values, &ranges)?;
            let unsigned: Vec<u64> = values.iter().map(|v| *v as u64).collect();
            check::<u64>(&unsigned, &ranges)?;
        }

        #[test]
        fn packed_floating_point_numbers_and_bytes_round_trip(
            reals in proptest::collection::vec(any::<u64>(), 0..50),
            bytes in proptest::collection::vec(any::<i8>(), 0..50),
        ) {
            let reals: Vec<f64> = reals.into_iter().map(f64::from_bits).collect();
            check::<f64>(&reals, &disjoint(reals.iter().map(|real| real.to_key()).collect()))?;
            check::<i8>(&bytes, &[(3, 100), (102, 180)])?;
        }
    }
}
