//! Sets of integers.

use super::table::NumberTable;

/// A set of integers.
#[derive(Clone, Debug)]
pub(super) struct NumberSet {
    pub(super) ascending: Vec<u64>,
    /// `None` if no multiplier separates them.
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

    pub(super) fn table(&self) -> Option<&NumberTable> {
        self.table.as_ref()
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
