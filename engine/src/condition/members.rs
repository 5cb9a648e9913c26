//! The set of a membership test, in the form that cells are looked up in fastest: by bytes, so that zeros of two signs are two
//! values and NaN equals what has its bits.
//!
//! ```text
//! cells of one byte       a table of all bytes
//! 2 to 8 bytes            a few numbers are compared one after the other, in lanes; more have places in a table
//! longer ones             the eight bytes that tell most apart first, then all
//! cells of any length     hashed
//! ```

use hashbrown::HashSet;

use super::lanes::number;
use super::string_members::StringMembers;
use super::table::NumberTable;
use crate::bytes::simd_dispatch;
use crate::typed;
use crate::types::{Physical, Value};

/// So many values are compared with one after the other, in lanes.
const FEW: usize = 8;

/// A set of values, by their bytes.
#[derive(Clone, Debug)]
pub(super) enum ValueSet {
    /// Of one byte: whether each is there.
    Bytes(Box<[bool; 256]>),
    /// Of two to eight bytes.
    NumberSet(NumberSet),
    /// Of any other length.
    Texts(StringMembers),
    /// Of lengths that differ.
    Varying(HashSet<Box<[u8]>>),
}

/// NumberSet that are looked up.
#[derive(Clone, Debug)]
pub(super) struct NumberSet {
    ascending: Vec<u64>,
    /// `None` where no multiplier parts them.
    table: Option<NumberTable>,
}

impl NumberSet {
    pub(super) fn new(numbers: impl Iterator<Item = u64>) -> Self {
        let mut ascending: Vec<u64> = numbers.collect();
        ascending.sort_unstable();
        ascending.dedup();
        let table = NumberTable::new(&ascending);
        Self { ascending, table }
    }

    /// As if no multiplier parted them.
    #[cfg(test)]
    pub(super) fn without_table(self) -> Self {
        Self {
            table: None,
            ..self
        }
    }

    pub(super) fn has(&self, number: u64) -> bool {
        match &self.table {
            Some(table) => table.has(number),
            None => self.ascending.binary_search(&number).is_ok(),
        }
    }

    pub(super) fn table(&self) -> Option<&NumberTable> {
        self.table.as_ref()
    }

    /// Clears the bits of cells that are not among the numbers, or of those that are; `number` gives that of a cell.
    #[inline(always)]
    pub(super) fn select<const ABREAST: usize>(
        &self,
        size: usize,
        data: &[u8],
        selected: &mut [u8],
        within: bool,
        number: impl Fn(&[u8]) -> u64,
    ) {
        match &self.table {
            Some(table) => table.select::<ABREAST>(size, data, selected, within, number),
            None => {
                for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(size)) {
                    let found = self.ascending.binary_search(&number(cell)).is_ok();
                    *bit &= u8::from(found == within);
                }
            }
        }
    }
}

impl ValueSet {
    /// A set for cells of `cell_size` bytes, 0 where they vary. Values of another size are no cell's, and left out.
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a [u8]>, cell_size: usize) -> Self {
        let fits = |value: &&[u8]| cell_size == 0 || value.len() == cell_size;
        let fitting = values.filter(fits);
        match cell_size {
            0 => Self::Varying(fitting.map(Into::into).collect()),
            1 => {
                let mut known = Box::new([false; 256]);
                fitting.for_each(|value| known[usize::from(value[0])] = true);
                Self::Bytes(known)
            }
            2..=8 => Self::NumberSet(NumberSet::new(fitting.map(number))),
            _ => Self::Texts(StringMembers::new(fitting, cell_size)),
        }
    }

    /// Whether there is no value.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(known) => !known.contains(&true),
            Self::NumberSet(numbers) => numbers.ascending.is_empty(),
            Self::Texts(texts) => texts.all().is_empty(),
            Self::Varying(texts) => texts.is_empty(),
        }
    }

    /// Whether a value is there.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        match self {
            Self::Bytes(known) => value.first().is_some_and(|byte| known[usize::from(*byte)]),
            Self::NumberSet(numbers) => numbers.has(number(value)),
            Self::Texts(texts) => texts.has(value),
            Self::Varying(texts) => texts.contains(value),
        }
    }

    /// Whether a value lies between two ends: as numbers of a shape, or as text.
    pub(super) fn reach(&self, physical: Option<Physical>, least: &[u8], greatest: &[u8]) -> bool {
        let between = |text: &[u8]| least <= text && text <= greatest;
        match self {
            Self::Bytes(known) => {
                let one = |at: usize| [at as u8];
                let mut numbers = (0..256).filter(|at| known[*at]);
                numbers.any(|at| lies_between(physical, &one(at), least, greatest))
            }
            Self::NumberSet(numbers) => numbers
                .ascending
                .iter()
                .any(|number| lies_between(physical, &number.to_le_bytes(), least, greatest)),
            Self::Texts(texts) => texts.all().iter().any(|text| between(text)),
            Self::Varying(texts) => texts.iter().any(|text| between(text)),
        }
    }

    /// Clears the bits of cells of a fixed size that are not in the set, or of those that are.
    pub(super) fn select(&self, within: bool, size: usize, data: &[u8], selected: &mut [u8]) {
        match self {
            Self::Bytes(known) => {
                let answers = known.map(|known| u8::from(known == within));
                for (bit, byte) in selected.iter_mut().zip(data) {
                    *bit &= answers[usize::from(*byte)];
                }
            }
            Self::NumberSet(numbers) => match size {
                2 => few::<u16, 2>(numbers, within, data, selected),
                3 => select::<3>(numbers, within, data, selected),
                4 => few::<u32, 4>(numbers, within, data, selected),
                5 => select::<5>(numbers, within, data, selected),
                6 => select::<6>(numbers, within, data, selected),
                7 => select::<7>(numbers, within, data, selected),
                _ => few::<u64, 8>(numbers, within, data, selected),
            },
            Self::Texts(texts) => texts.select(within, data, selected),
            Self::Varying(_) => {}
        }
    }
}

/// Whether `value`, which may be followed by other bytes, lies between two ends.
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

/// Cells as long as numbers of a shape, of `N` bytes; of many values they are looked up.
fn few<T: Value, const N: usize>(
    numbers: &NumberSet,
    within: bool,
    data: &[u8],
    selected: &mut [u8],
) {
    if numbers.ascending.len() > FEW {
        return select::<N>(numbers, within, data, selected);
    }
    // Unused places repeat a value, so that the loop has a fixed length.
    let mut few = [T::default(); FEW];
    for (place, number) in few.iter_mut().zip(numbers.ascending.iter().cycle()) {
        *place = T::read(&number.to_le_bytes());
    }
    simd_dispatch(
        #[inline(always)]
        move || {
            let cells = data.chunks_exact(T::SIZE).map(T::read);
            for (bit, cell) in selected.iter_mut().zip(cells) {
                let mut found = false;
                for one in &few {
                    found |= cell == *one;
                }
                *bit &= u8::from(found == within);
            }
        },
    );
}

/// Cells of `N` bytes, at most eight.
fn select<const N: usize>(numbers: &NumberSet, within: bool, data: &[u8], selected: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        move || match N {
            // So small ones are loaded one by one in less time than they are put side by side.
            ..=4 => numbers.select::<1>(N, data, selected, within, number),
            _ => numbers.select::<4>(N, data, selected, within, number),
        },
    );
}
