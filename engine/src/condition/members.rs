//! The set of a membership test, stored for fast lookup. Values are compared by bytes: zeros of
//! different sign are different, and NaN equals a value with the same bits.
//!
//! ```text
//! cells of 1 byte         a table of all byte values
//! cells of 2 to 8 bytes   a few numbers are compared in SIMD lanes; more are in a hash table
//! longer cells            the 8 most distinctive bytes are looked up, then all are compared
//! variable length         a hash set
//! ```

use hashbrown::HashSet;

use super::lanes::number;
use super::string_members::StringMembers;
use super::table::NumberSet;
use crate::bytes::simd_dispatch;
use crate::memory::tuning::MAX_COMPARED_MEMBERS;
use crate::typed;
use crate::types::{Physical, Value, values_of};

/// A set of values, compared by bytes.
#[derive(Clone, Debug)]
pub(super) enum ValueSet {
    /// Values of one byte: a flag for each.
    Bytes(Box<[bool; 256]>),
    /// Values of two to eight bytes.
    Numbers(NumberSet),
    /// Values of another fixed length.
    Texts(StringMembers),
    /// Values of variable length.
    VarTexts(HashSet<Box<[u8]>>),
}

impl ValueSet {
    /// Creates a set for cells of `cell_size` bytes, 0 for variable length. Values of another size
    /// cannot equal a cell and are omitted.
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a [u8]>, cell_size: usize) -> Self {
        let fitting = values.filter(|value| cell_size == 0 || value.len() == cell_size);
        match cell_size {
            0 => Self::VarTexts(fitting.map(Into::into).collect()),
            1 => {
                let mut known = Box::new([false; 256]);
                fitting.for_each(|value| known[usize::from(value[0])] = true);
                Self::Bytes(known)
            }
            2..=8 => Self::Numbers(NumberSet::new(fitting.map(number))),
            _ => Self::Texts(StringMembers::new(fitting, cell_size)),
        }
    }

    /// Returns whether the set is empty.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(known) => !known.contains(&true),
            Self::Numbers(numbers) => numbers.ascending.is_empty(),
            Self::Texts(texts) => texts.texts.is_empty(),
            Self::VarTexts(texts) => texts.is_empty(),
        }
    }

    /// Returns whether a value is in the set.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        match self {
            Self::Bytes(known) => value.first().is_some_and(|byte| known[usize::from(*byte)]),
            Self::Numbers(numbers) => numbers.has(number(value)),
            Self::Texts(texts) => texts.has(value),
            Self::VarTexts(texts) => texts.contains(value),
        }
    }

    /// Returns whether a value of the set is between two ends, compared as numbers or as strings.
    pub(super) fn has_between(
        &self,
        physical: Option<Physical>,
        least: &[u8],
        greatest: &[u8],
    ) -> bool {
        let is_between = |text: &[u8]| least <= text && text <= greatest;
        match self {
            Self::Bytes(known) => (0..=u8::MAX)
                .filter(|value| known[usize::from(*value)])
                .any(|value| lies_between(physical, &[value], least, greatest)),
            Self::Numbers(numbers) => numbers
                .ascending
                .iter()
                .any(|number| lies_between(physical, &number.to_le_bytes(), least, greatest)),
            Self::Texts(texts) => texts.texts.iter().any(|text| is_between(text)),
            Self::VarTexts(texts) => texts.iter().any(|text| is_between(text)),
        }
    }

    /// Clears the bits of fixed-size cells that are not in the set, or of those that are.
    pub(super) fn select(&self, is_in: bool, size: usize, data: &[u8], selected: &mut [u8]) {
        match self {
            Self::Bytes(known) => {
                let matches = known.map(|known| u8::from(known == is_in));
                for (bit, byte) in selected.iter_mut().zip(data) {
                    *bit &= matches[usize::from(*byte)];
                }
            }
            Self::Numbers(numbers) => match size {
                2 => select_compared::<u16, 2>(numbers, is_in, data, selected),
                3 => select::<3>(numbers, is_in, data, selected),
                4 => select_compared::<u32, 4>(numbers, is_in, data, selected),
                5 => select::<5>(numbers, is_in, data, selected),
                6 => select::<6>(numbers, is_in, data, selected),
                7 => select::<7>(numbers, is_in, data, selected),
                _ => select_compared::<u64, 8>(numbers, is_in, data, selected),
            },
            Self::Texts(texts) => texts.select(is_in, data, selected),
            Self::VarTexts(_) => {}
        }
    }
}

/// Returns whether `value`, which may be followed by other bytes, is between two ends.
fn lies_between(physical: Option<Physical>, value: &[u8], least: &[u8], greatest: &[u8]) -> bool {
    fn typed<T: Value>(value: &[u8], least: &[u8], greatest: &[u8]) -> bool {
        let value = T::read(value);
        T::read(least) <= value && value <= T::read(greatest)
    }
    match physical {
        Some(physical) => typed!(physical, T => typed::<T>(value, least, greatest)),
        None => {
            let text = &value[..least.len().min(value.len())];
            least <= text && text <= greatest
        }
    }
}

/// Selects cells of `N` bytes: a small set is compared member by member, a large one is looked up.
fn select_compared<T: Value, const N: usize>(
    numbers: &NumberSet,
    is_in: bool,
    data: &[u8],
    selected: &mut [u8],
) {
    if numbers.ascending.len() > MAX_COMPARED_MEMBERS {
        return select::<N>(numbers, is_in, data, selected);
    }
    // Unused elements repeat a value, so that the loop has a fixed length.
    let mut few = [T::default(); MAX_COMPARED_MEMBERS];
    for (slot, number) in few.iter_mut().zip(numbers.ascending.iter().cycle()) {
        *slot = T::read(&number.to_le_bytes());
    }
    simd_dispatch(
        #[inline(always)]
        move || {
            let cells = values_of::<T>(data);
            for (bit, cell) in selected.iter_mut().zip(cells) {
                let mut found = false;
                for one in &few {
                    found |= cell == *one;
                }
                *bit &= u8::from(found == is_in);
            }
        },
    );
}

/// Selects cells of `N` bytes, at most eight.
fn select<const N: usize>(numbers: &NumberSet, is_in: bool, data: &[u8], selected: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        move || match N {
            // Loading cells of this size one by one is faster than arranging them in a vector.
            ..=4 => numbers.select::<1>(N, data, selected, is_in, number),
            _ => numbers.select::<4>(N, data, selected, is_in, number),
        },
    );
}
