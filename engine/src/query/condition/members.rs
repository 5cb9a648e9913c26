//! The set of a membership test, in the form that cells are looked up in fastest.

use std::collections::HashSet;

use crate::bytes::widest;
use crate::typed;
use crate::types::{Physical, Value};

/// So many values are compared with one after the other, in lanes; of more, the sorted list is searched.
const FEW: usize = 8;

/// A set of values, by their bytes.
#[derive(Clone, Debug)]
pub(super) enum Members {
    /// Of one byte: whether each is there.
    Bytes(Box<[bool; 256]>),
    /// Of two to eight bytes, as unsigned numbers, ascending.
    Numbers(Vec<u64>),
    /// Of any other length; the numbers are their first eight bytes, ascending.
    Texts(HashSet<Box<[u8]>>, Vec<u64>),
}

/// The number that up to eight bytes are.
fn number(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

impl Members {
    /// A set for cells of `cell_size` bytes, 0 where they vary. Values of another size are no cell's, and left out.
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a [u8]>, cell_size: usize) -> Self {
        let fits = |value: &&[u8]| cell_size == 0 || value.len() == cell_size;
        let fitting = values.filter(fits);
        match cell_size {
            1 => {
                let mut known = Box::new([false; 256]);
                fitting.for_each(|value| known[usize::from(value[0])] = true);
                Self::Bytes(known)
            }
            2..=8 => {
                let mut numbers: Vec<u64> = fitting.map(number).collect();
                numbers.sort_unstable();
                numbers.dedup();
                Self::Numbers(numbers)
            }
            _ => {
                let texts: HashSet<Box<[u8]>> = fitting.map(Into::into).collect();
                let mut heads: Vec<u64> = texts.iter().map(|text| head(text)).collect();
                heads.sort_unstable();
                heads.dedup();
                Self::Texts(texts, heads)
            }
        }
    }

    /// Whether there is no value.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(known) => !known.contains(&true),
            Self::Numbers(numbers) => numbers.is_empty(),
            Self::Texts(texts, _) => texts.is_empty(),
        }
    }

    /// Whether a value is there.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        match self {
            Self::Bytes(known) => value.first().is_some_and(|byte| known[usize::from(*byte)]),
            Self::Numbers(numbers) => numbers.binary_search(&number(value)).is_ok(),
            Self::Texts(texts, _) => texts.contains(value),
        }
    }

    /// Whether a value lies between two ends: as numbers of a shape, or as text.
    pub(super) fn reach(&self, physical: Option<Physical>, least: &[u8], greatest: &[u8]) -> bool {
        match (self, physical) {
            (Self::Texts(texts, _), _) => texts
                .iter()
                .any(|text| least <= &text[..] && &text[..] <= greatest),
            (Self::Bytes(known), _) => {
                let one = |at: usize| [at as u8];
                let mut numbers = (0..256).filter(|at| known[*at]);
                numbers.any(|at| lies_between(physical, &one(at), least, greatest))
            }
            (Self::Numbers(numbers), _) => numbers
                .iter()
                .any(|number| lies_between(physical, &number.to_le_bytes(), least, greatest)),
        }
    }

    /// Clears the bits of cells of a fixed size that are not in the set, or of those that are.
    pub(super) fn select(&self, within: bool, size: usize, data: &[u8], selected: &mut [u8]) {
        match self {
            Self::Bytes(known) => {
                for (bit, byte) in selected.iter_mut().zip(data) {
                    *bit &= u8::from(known[usize::from(*byte)] == within);
                }
            }
            Self::Numbers(numbers) => match size {
                2 => select::<u16>(numbers, within, data, selected),
                3 => select_odd::<3>(numbers, within, data, selected),
                4 => select::<u32>(numbers, within, data, selected),
                5 => select_odd::<5>(numbers, within, data, selected),
                6 => select_odd::<6>(numbers, within, data, selected),
                7 => select_odd::<7>(numbers, within, data, selected),
                _ => select::<u64>(numbers, within, data, selected),
            },
            Self::Texts(texts, heads) => {
                let cells = data.chunks_exact(size.max(1));
                for (bit, cell) in selected.iter_mut().zip(cells) {
                    // Few cells begin as a text of the set does.
                    let begins = has_number(heads, head(cell));
                    *bit &= u8::from(*bit != 0 && (begins && texts.contains(cell)) == within);
                }
            }
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

fn select<T: Value>(numbers: &[u64], within: bool, data: &[u8], selected: &mut [u8]) {
    widest(
        #[inline(always)]
        || {
            let cells = data.chunks_exact(T::SIZE).map(T::read);
            let read = |number: u64| T::read(&number.to_le_bytes());
            select_cells(numbers, within, cells, read, selected, T::to_key);
        },
    );
}

/// Cells of a length that no number has.
fn select_odd<const N: usize>(numbers: &[u64], within: bool, data: &[u8], selected: &mut [u8]) {
    widest(
        #[inline(always)]
        || {
            let cells = data.as_chunks::<N>().0.iter().map(|cell| {
                let mut word = [0; 8];
                word[..N].copy_from_slice(cell);
                u64::from_le_bytes(word)
            });
            select_cells(
                numbers,
                within,
                cells,
                |number| number,
                selected,
                |cell| cell,
            );
        },
    );
}

#[inline(always)]
fn select_cells<T: Copy + PartialEq + Default>(
    numbers: &[u64],
    within: bool,
    cells: impl Iterator<Item = T>,
    read: impl Fn(u64) -> T,
    selected: &mut [u8],
    key: impl Fn(T) -> u64,
) {
    if numbers.len() > FEW {
        for (bit, cell) in selected.iter_mut().zip(cells) {
            *bit &= u8::from(numbers.binary_search(&key(cell)).is_ok() == within);
        }
        return;
    }
    // Unused places repeat a value, so that the loop has a fixed length.
    let mut few = [T::default(); FEW];
    for (at, place) in few.iter_mut().enumerate() {
        *place = read(numbers[at.min(numbers.len() - 1)]);
    }
    for (bit, cell) in selected.iter_mut().zip(cells) {
        let mut found = false;
        for one in &few {
            found |= cell == *one;
        }
        *bit &= u8::from(found == within);
    }
}

/// Whether a number is among ascending ones.
fn has_number(numbers: &[u64], number: u64) -> bool {
    match numbers.len() {
        ..=FEW => numbers.contains(&number),
        _ => numbers.binary_search(&number).is_ok(),
    }
}

/// The first eight bytes of a text as a number; zeros follow a short one.
fn head(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(head) => u64::from_le_bytes(*head),
        None => number(text),
    }
}
