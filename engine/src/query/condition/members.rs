//! The set of a membership test, in the form that cells are looked up in fastest.

use std::collections::HashSet;

use crate::typed;
use crate::types::{Physical, Value};

/// So many values are compared with one after the other, in lanes; of more, the sorted list is searched.
const FEW: usize = 8;

/// A set of values, by their bytes.
#[derive(Clone, Debug)]
pub(super) enum Members {
    /// Of one byte: whether each is there.
    Bytes(Box<[bool; 256]>),
    /// Of two, four or eight bytes, as unsigned numbers, ascending.
    Numbers(Vec<u64>),
    /// Of any other length.
    Texts(HashSet<Box<[u8]>>),
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
            2 | 4 | 8 => {
                let mut numbers: Vec<u64> = fitting.map(number).collect();
                numbers.sort_unstable();
                numbers.dedup();
                Self::Numbers(numbers)
            }
            _ => Self::Texts(fitting.map(Into::into).collect()),
        }
    }

    /// Whether there is no value.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Bytes(known) => !known.contains(&true),
            Self::Numbers(numbers) => numbers.is_empty(),
            Self::Texts(texts) => texts.is_empty(),
        }
    }

    /// Whether a value is there.
    pub(super) fn has(&self, value: &[u8]) -> bool {
        match self {
            Self::Bytes(known) => value.first().is_some_and(|byte| known[usize::from(*byte)]),
            Self::Numbers(numbers) => numbers.binary_search(&number(value)).is_ok(),
            Self::Texts(texts) => texts.contains(value),
        }
    }

    /// Whether a value lies between two ends: as numbers of a shape, or as text.
    pub(super) fn reach(&self, physical: Option<Physical>, least: &[u8], greatest: &[u8]) -> bool {
        match (self, physical) {
            (Self::Texts(texts), _) => texts
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
                4 => select::<u32>(numbers, within, data, selected),
                _ => select::<u64>(numbers, within, data, selected),
            },
            Self::Texts(texts) => {
                let cells = data.chunks_exact(size.max(1));
                for (bit, cell) in selected.iter_mut().zip(cells) {
                    *bit &= u8::from(*bit != 0 && texts.contains(cell) == within);
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
    let cells = data.chunks_exact(T::SIZE).map(T::read);
    if numbers.len() > FEW {
        for (bit, cell) in selected.iter_mut().zip(cells) {
            *bit &= u8::from(numbers.binary_search(&cell.to_key()).is_ok() == within);
        }
        return;
    }
    // Unused places repeat a value, so that the loop has a fixed length.
    let mut few = [T::default(); FEW];
    for (at, place) in few.iter_mut().enumerate() {
        let number = numbers[at.min(numbers.len() - 1)];
        *place = T::read(&number.to_le_bytes());
    }
    for (bit, cell) in selected.iter_mut().zip(cells) {
        let mut found = false;
        for one in &few {
            found |= cell == *one;
        }
        *bit &= u8::from(found == within);
    }
}
