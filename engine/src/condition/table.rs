//! Sets of integers, and the perfect hash table of large ones: a lookup is one multiplication and
//! one comparison.
//!
//! The slot of a number is given by the highest bits of its product with an odd multiplier. For a
//! small set, a multiplier is searched that gives every number its own slot. For a large set, the
//! product selects a bucket, and all numbers of a bucket are displaced by the same bits to free
//! slots:
//!
//! ```text
//! small   slot = product >> shift
//! large   slot = product >> shift  xor  moves[product >> bucket_shift]
//! ```
//!
//! Empty slots hold a member that hashes elsewhere, so lookups cannot match them.

use super::lanes;
#[cfg(test)]
use crate::bytes::simd_dispatch;
use crate::memory::tuning::{MAX_FLAT_TABLE_SLOTS, MULTIPLIER_TRIES};

/// The numbers by slot.
#[derive(Clone, Debug)]
pub(super) struct NumberTable {
    multiplier: u64,
    shift: u32,
    bucket_shift: u32,
    /// The displacement of each bucket; empty for a table without buckets.
    moves: Box<[u32]>,
    slots: Box<[u64]>,
}

impl NumberTable {
    /// Creates a table of distinct numbers. Returns `None` for an empty set, or if no multiplier
    /// separates them.
    pub(super) fn new(numbers: &[u64]) -> Option<Self> {
        // Multipliers are the bits of a mixed counter, so that equal sets have equal tables in
        // every process.
        let multipliers = (1..=MULTIPLIER_TRIES).map(|attempt| {
            let mixed = attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9) | 1
        });
        Self::of_few(numbers, multipliers.clone()).or_else(|| {
            // Building a table with buckets is slow, and nearly every multiplier works.
            let mut multipliers = multipliers.take(16);
            multipliers.find_map(|multiplier| Self::of_many(numbers, multiplier))
        })
    }

    /// Builds a table without buckets.
    fn of_few(numbers: &[u64], mut multipliers: impl Iterator<Item = u64>) -> Option<Self> {
        let first = *numbers.first()?;
        // Large enough that about one in fifty multipliers works.
        let count = (numbers.len().checked_pow(2)? / 8)
            .max(2 * numbers.len())
            .next_power_of_two();
        if count > MAX_FLAT_TABLE_SLOTS {
            return None;
        }
        let shift = u64::BITS - count.trailing_zeros();
        let mut taken = vec![false; count];
        let mut table = Self {
            multiplier: multipliers.find(|multiplier| {
                taken.fill(false);
                numbers.iter().all(|number| {
                    let slot = number.wrapping_mul(*multiplier) >> shift;
                    !std::mem::replace(&mut taken[slot as usize], true)
                })
            })?,
            shift,
            bucket_shift: 0,
            moves: Box::default(),
            slots: vec![first; count].into(),
        };
        for number in numbers {
            let slot = table.slot_of(*number);
            table.slots[slot] = *number;
        }
        Some(table)
    }

    /// Builds a table with buckets.
    fn of_many(numbers: &[u64], multiplier: u64) -> Option<Self> {
        let first = *numbers.first()?;
        let count = numbers
            .len()
            .checked_mul(2)?
            .max(8)
            .checked_next_power_of_two()?;
        let buckets = count / 4;
        let bucket_shift = u64::BITS - buckets.trailing_zeros();
        let mut table = Self {
            multiplier,
            shift: bucket_shift.checked_sub(count.trailing_zeros())?,
            bucket_shift,
            moves: vec![0; buckets].into(),
            slots: vec![first; count].into(),
        };
        let mut numbers = numbers.to_vec();
        let bucket = |number: u64| number.wrapping_mul(multiplier) >> bucket_shift;
        numbers.sort_unstable_by_key(|number| bucket(*number));
        let mut together: Vec<&[u64]> = numbers.chunk_by(|a, b| bucket(*a) == bucket(*b)).collect();
        // The largest buckets first, while most slots are free.
        together.sort_by_key(|numbers| std::cmp::Reverse(numbers.len()));
        let mut taken = vec![false; count];
        for numbers in together {
            table.insert_bucket(numbers, &mut taken)?;
        }
        Some(table)
    }

    /// Finds a displacement that moves the numbers of a bucket to free slots.
    fn insert_bucket(&mut self, numbers: &[u64], taken: &mut [bool]) -> Option<()> {
        let bucket = numbers.first()?.wrapping_mul(self.multiplier) >> self.bucket_shift;
        let bucket = usize::try_from(bucket).ok()?;
        for displacement in 0..u32::try_from(self.slots.len()).ok()? {
            *self.moves.get_mut(bucket)? = displacement;
            let found = numbers
                .iter()
                .take_while(|number| {
                    let slot = self.slot_of(**number);
                    !std::mem::replace(&mut taken[slot], true)
                })
                .count();
            if found == numbers.len() {
                for number in numbers {
                    let slot = self.slot_of(*number);
                    self.slots[slot] = *number;
                }
                return Some(());
            }
            for number in &numbers[..found] {
                taken[self.slot_of(*number)] = false;
            }
        }
        None
    }

    /// Returns the slot of a number, which need not be in the table.
    #[inline(always)]
    pub(super) fn slot_of(&self, number: u64) -> usize {
        let last = self.slots.len() - 1;
        let product = number.wrapping_mul(self.multiplier);
        let slot = (product >> self.shift) as usize;
        if self.moves.is_empty() {
            slot & last
        } else {
            (slot ^ self.moves[(product >> self.bucket_shift) as usize] as usize) & last
        }
    }

    /// Returns the number of slots.
    pub(super) fn slot_num(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether a number is in the table.
    pub(super) fn has(&self, number: u64) -> bool {
        self.slots[self.slot_of(number)] == number
    }

    /// Clears the bits of the cells of `size` bytes whose numbers are in the table, or of all
    /// others. `number` returns the integer of a cell. Small tables look up `ABREAST` cells at a
    /// time.
    #[inline(always)]
    pub(super) fn select<const ABREAST: usize>(
        &self,
        size: usize,
        data: &[u8],
        selected: &mut [u8],
        is_in: bool,
        number: impl Fn(&[u8]) -> u64,
    ) {
        // The compiler removes bounds checks because of these lengths.
        let last = self.slots.len() - 1;
        let slots = &self.slots[..=last];
        let (multiplier, shift, bucket_shift) = (self.multiplier, self.shift, self.bucket_shift);
        if self.moves.is_empty() {
            return lanes::select::<ABREAST>(size, data, selected, is_in, move |cell| {
                let number = number(cell);
                let slot = number.wrapping_mul(multiplier) >> shift;
                slots[slot as usize & last] == number
            });
        }
        let last_bucket = self.moves.len() - 1;
        let moves = &self.moves[..=last_bucket];
        for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(size)) {
            let number = number(cell);
            let product = number.wrapping_mul(multiplier);
            let displacement = moves[(product >> bucket_shift) as usize & last_bucket];
            let slot = (product >> shift) as usize ^ displacement as usize;
            *bit &= u8::from((slots[slot & last] == number) == is_in);
        }
    }
}

/// A set of integers.
#[derive(Clone, Debug)]
pub(super) struct NumberSet {
    pub(super) ascending: Vec<u64>,
    /// `None` if no multiplier separates them.
    pub(super) table: Option<NumberTable>,
}

impl NumberSet {
    pub(super) fn new(numbers: impl Iterator<Item = u64>) -> Self {
        let mut ascending: Vec<u64> = numbers.collect();
        ascending.sort_unstable();
        ascending.dedup();
        let table = NumberTable::new(&ascending);
        Self { ascending, table }
    }

    /// Simulates that no multiplier separates the values.
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

    /// Clears the bits of cells that are not in the set, or of those that are. `number` returns the
    /// integer of a cell.
    #[inline(always)]
    pub(super) fn select<const ABREAST: usize>(
        &self,
        size: usize,
        data: &[u8],
        selected: &mut [u8],
        is_in: bool,
        number: impl Fn(&[u8]) -> u64,
    ) {
        match &self.table {
            Some(table) => table.select::<ABREAST>(size, data, selected, is_in, number),
            None => {
                for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(size)) {
                    let found = self.ascending.binary_search(&number(cell)).is_ok();
                    *bit &= u8::from(found == is_in);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distant or consecutive numbers.
    fn numbers(count: u64, dense: bool) -> Vec<u64> {
        (0..count)
            .map(|number| {
                if dense {
                    number + 1000
                } else {
                    (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                }
            })
            .collect()
    }

    #[test]
    fn number_table_contains_exactly_its_members() {
        for count in (1..200).chain([300, 1000, 5000]) {
            for dense in [false, true] {
                let numbers = numbers(2 * count, dense);
                let (known, others) = numbers.split_at(numbers.len() / 2);
                let table = NumberTable::new(known).expect("a multiplier");
                assert!(known.iter().all(|number| table.has(*number)), "{count}");
                assert!(!others.iter().any(|number| table.has(*number)), "{count}");
                let data: Vec<u8> = numbers
                    .iter()
                    .flat_map(|number| number.to_le_bytes())
                    .collect();
                for is_in in [false, true] {
                    let mut selected = vec![1; numbers.len()];
                    simd_dispatch(|| {
                        table.select::<4>(8, &data, &mut selected, is_in, |cell| {
                            cell.first_chunk()
                                .map_or(0, |cell| u64::from_le_bytes(*cell))
                        });
                    });
                    let (known, others) = selected.split_at(known.len());
                    assert!(known.iter().all(|bit| *bit == u8::from(is_in)), "{count}");
                    assert!(others.iter().all(|bit| *bit == u8::from(!is_in)), "{count}");
                }
            }
        }
        assert!(NumberTable::new(&[]).is_none());
    }

    #[test]
    fn number_table_has_few_slots_per_number() {
        for (count, most) in [
            (1, 2),
            (20, 64),
            (100, 2048),
            (300, MAX_FLAT_TABLE_SLOTS),
            (1000, 2048),
        ] {
            let table = NumberTable::new(&numbers(count, false)).expect("a multiplier");
            assert!(table.slot_num() <= most, "{count}");
        }
    }
}
