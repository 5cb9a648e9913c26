//! A column of coordinates in as few bytes as their spread needs: the bits in which their keys
//! differ.
//!
//! The keys of coordinates that lie near each other share their highest bits. These are held once;
//! what is left of each key keeps the order, and is compared with ranges several at a time.

use std::ops::Range;

use crate::error::{Result, try_reserved, try_vec};
use crate::typed;
use crate::types::{Physical, Value};

/// For each range so many buckets, so that few buckets have to be looked into further.
const BUCKETS: usize = 4;
/// The most buckets.
const MOST_BUCKETS: u32 = 16;

/// The coordinates of some cells in one dimension, narrow.
#[derive(Debug)]
pub struct Narrow {
    physical: Physical,
    /// The bits that all keys share, zeros behind them.
    base: u64,
    /// The others.
    mask: u64,
    offsets: Offsets,
}

/// What a key has beyond its base.
#[derive(Debug)]
enum Offsets {
    Short(Vec<u16>),
    Word(Vec<u32>),
    Long(Vec<u64>),
}

/// An offset of one of three sizes.
trait Offset: Copy + Ord + Default {
    const GREATEST: Self;
    fn of(key: u64) -> Self;
    fn wide(self) -> u64;
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
            fn wide(self) -> u64 {
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

impl Narrow {
    /// Takes coordinates of a fixed size, as they are in memory.
    pub fn new(physical: Physical, data: &[u8]) -> Result<Self> {
        let (base, mask) = typed!(physical, T => shared::<T>(data));
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

    /// Returns the memory it takes, in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + match &self.offsets {
                Offsets::Short(offsets) => 2 * offsets.capacity(),
                Offsets::Word(offsets) => 4 * offsets.capacity(),
                Offsets::Long(offsets) => 8 * offsets.capacity(),
            }
    }

    /// Writes the coordinates of some cells, as they were.
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

    /// Clears the bytes of `selected`, one for each cell, of those that lie in no range. Ranges are
    /// of keys, both ends included, ascending and apart from each other.
    pub fn select(&self, starts: &[u64], ends: &[u64], selected: &mut [u8]) -> Result<()> {
        let last = self.base | self.mask;
        // Only ranges that meet the column count.
        let from = ends.partition_point(|end| *end < self.base);
        let to = starts.partition_point(|start| *start <= last);
        if from >= to {
            selected.fill(0);
            return Ok(());
        }
        let offset = |end: &u64| (*end).clamp(self.base, last) - self.base;
        let ranges = Ranges {
            starts: starts[from..to].iter().map(offset).collect(),
            ends: ends[from..to].iter().map(offset).collect(),
            bits: 64 - self.mask.leading_zeros(),
        };
        match &self.offsets {
            Offsets::Short(offsets) => ranges.select(offsets, selected),
            Offsets::Word(offsets) => ranges.select(offsets, selected),
            Offsets::Long(offsets) => ranges.select(offsets, selected),
        }
    }
}

/// Returns the bits that the keys of all coordinates share, and a mask of the others.
fn shared<T: Value>(data: &[u8]) -> (u64, u64) {
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
    let cells = data.chunks_exact(T::SIZE);
    offsets.extend(cells.map(|cell| O::of(T::read(cell).to_key() & mask)));
    Ok(offsets)
}

fn unpack<T: Value, O: Offset>(offsets: &[O], base: u64, to: &mut [u8]) {
    for (offset, to) in offsets.iter().zip(to.chunks_exact_mut(T::SIZE)) {
        T::from_key(base | offset.wide()).write(to);
    }
}

/// Ranges as offsets from a base.
struct Ranges {
    starts: Vec<u64>,
    ends: Vec<u64>,
    /// The bits that offsets have.
    bits: u32,
}

impl Ranges {
    fn select<O: Offset>(&self, offsets: &[O], selected: &mut [u8]) -> Result<()> {
        if let ([start], [end]) = (&self.starts[..], &self.ends[..]) {
            let (start, width) = (O::of(*start), O::of(end - start));
            for (offset, selected) in offsets.iter().zip(selected) {
                *selected &= u8::from(offset.minus(start) <= width);
            }
            return Ok(());
        }
        let number = self.starts.len();
        let fitting = |ends: &[u64]| -> Result<Vec<O>> {
            let mut fitting: Vec<O> = try_vec("ranges", number + 1)?;
            fitting.fill(O::GREATEST);
            let pairs = fitting.iter_mut().zip(ends);
            pairs.for_each(|(to, end)| *to = O::of(*end));
            Ok(fitting)
        };
        let (starts, ends) = (fitting(&self.starts)?, fitting(&self.ends)?);
        // For each bucket of offsets the first range that does not end before it.
        let wanted = (number * BUCKETS).next_power_of_two().trailing_zeros();
        let bucket_bits = wanted.min(MOST_BUCKETS).min(self.bits);
        let shift = self.bits - bucket_bits;
        let mut buckets: Vec<u32> = try_vec("ranges", 1 << bucket_bits)?;
        let mut at = 0;
        for (bucket, first) in buckets.iter_mut().enumerate() {
            let least = O::of((bucket as u64) << shift);
            while at < number && ends[at] < least {
                at += 1;
            }
            *first = at as u32;
        }
        let top = buckets.len() - 1;
        for (offset, selected) in offsets.iter().zip(selected) {
            let bucket = offset.wide().checked_shr(shift).unwrap_or(0) as usize;
            let mut at = buckets[bucket & top] as usize;
            while ends[at] < *offset {
                at += 1;
            }
            *selected &= u8::from((at < number) & (starts[at] <= *offset));
        }
        Ok(())
    }
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
        let narrow = Narrow::new(T::PHYSICAL, &data).expect("memory");
        let mut back = vec![0; data.len()];
        narrow.write(0..values.len(), &mut back);
        prop_assert_eq!(&back, &data);
        let (starts, ends): (Vec<u64>, Vec<u64>) = ranges.iter().copied().unzip();
        let mut selected = vec![1; values.len()];
        narrow
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

    /// Ranges that ascend, apart from each other, with ends near the given keys.
    fn apart(mut ends: Vec<u64>) -> Vec<(u64, u64)> {
        ends.sort_unstable();
        ends.dedup();
        ends.chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect()
    }

    proptest! {
        #[test]
        fn what_is_narrow_comes_back_and_is_selected_as_the_ranges_say(
            low in any::<i64>(),
            spread in 0u32..64,
            values in proptest::collection::vec(any::<u64>(), 0..200),
            ends in proptest::collection::vec((any::<prop::sample::Index>(), -2i64..3), 0..40),
        ) {
            let values: Vec<i64> = values.iter().map(|v| low.wrapping_add((v >> (63 - spread)) as i64)).collect();
            let near = ends.iter().map(|(at, off)| match values.is_empty() {
                true => *off as u64,
                false => at.get(&values).to_key().saturating_add_signed(*off),
            });
            let ranges = apart(near.collect());
            check::<i64>(&values, &ranges)?;
            let unsigned: Vec<u64> = values.iter().map(|v| *v as u64).collect();
            check::<u64>(&unsigned, &ranges)?;
        }

        #[test]
        fn reals_and_bytes_come_back(
            reals in proptest::collection::vec(any::<u64>(), 0..50),
            bytes in proptest::collection::vec(any::<i8>(), 0..50),
        ) {
            let reals: Vec<f64> = reals.into_iter().map(f64::from_bits).collect();
            check::<f64>(&reals, &apart(reals.iter().map(|real| real.to_key()).collect()))?;
            check::<i8>(&bytes, &[(3, 100), (102, 180)])?;
        }
    }
}
