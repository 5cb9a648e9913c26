//! Cells of several runs as integers, whose order is that of the cells.

use super::sorted_run::{MergeRules, RunCell, SortedRun};
use crate::error::Result;
use crate::geometry::sort_by_bits;
use crate::memory::pool;
use crate::memory::tuning::MAX_COMPARED_RUNS;

/// Cells as integers: the differing bits of their keys, then the run, then the cell in its tile.
pub(super) struct PackedCells {
    items: Vec<u64>,
    /// The number of bits of the cell. Bits from `low` to `high` are the key, those between are the
    /// run.
    cell_bits: u32,
    low: u32,
    high: u32,
}

impl PackedCells {
    /// Packs the cells of runs. Returns `None` if keys do not determine the order or do not fit
    /// into an integer.
    pub(super) fn new(rules: &MergeRules, runs: &[SortedRun<'_>]) -> Result<Option<Self>> {
        if rules.order.word_num() > 1 || !rules.order.keys_decide() {
            return Ok(None);
        }
        let runs = || runs.iter().map(|run| (run.keys.word(0), run.cells));
        let first = runs().find_map(|(words, cells)| Some(words[*cells.first()? as usize]));
        let first = first.unwrap_or_default();
        let differing = runs().fold(0, |all, (words, cells)| {
            if cells.len() == words.len() {
                words.iter().fold(all, |all, word| all | (word ^ first))
            } else {
                cells
                    .iter()
                    .fold(all, |all, cell| all | (words[*cell as usize] ^ first))
            }
        });
        let leading = differing.leading_zeros().min(63);
        let trailing = differing.trailing_zeros() % 64;
        let largest = runs().map(|(words, _)| words.len()).max();
        let cell_bits = bits_of(largest.unwrap_or_default());
        let low = cell_bits + bits_of(runs().count());
        let high = 64 - leading - trailing + low;
        if high > 64 {
            return Ok(None);
        }
        let cell_num = runs().map(|(_, cells)| cells.len()).sum();
        let mut items = pool::filled_words("cell order", cell_num)?;
        let mut rest = &mut items[..];
        for (run, (words, cells)) in runs().enumerate() {
            let run = (run as u64) << cell_bits;
            let pack =
                |word: u64, cell: u64| (word << leading >> leading >> trailing) << low | run | cell;
            let (packed, later) = rest.split_at_mut(cells.len());
            rest = later;
            // If all cells of a tile are selected, they are not looked up one by one; the order is
            // irrelevant for sorting.
            if cells.len() == words.len() {
                for ((item, word), cell) in packed.iter_mut().zip(words).zip(0..) {
                    *item = pack(*word, cell);
                }
                continue;
            }
            for (item, cell) in packed.iter_mut().zip(cells) {
                *item = pack(words[*cell as usize], u64::from(*cell));
            }
        }
        Ok(Some(Self {
            items,
            cell_bits,
            low,
            high,
        }))
    }

    /// Sorts the cells. `run_num` is the number of runs, which are sorted if `are_sorted`.
    pub(super) fn sort(&mut self, run_num: usize, are_sorted: bool) -> Result<()> {
        // The sort of the standard library merges a few sorted runs faster than a radix sort.
        if are_sorted && run_num <= MAX_COMPARED_RUNS {
            self.items.sort();
            return Ok(());
        }
        sort_by_bits(&mut self.items, self.low, self.high)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns all cells in their order.
    pub(super) fn cells(&self) -> impl Iterator<Item = RunCell> + '_ {
        self.items.iter().map(|item| self.unpack(*item))
    }

    /// Returns the first of each group of cells with equal keys.
    pub(super) fn first_cells(&self) -> impl Iterator<Item = RunCell> + '_ {
        let mut previous = None;
        self.items.iter().filter_map(move |item| {
            let key = Some(self.key(*item));
            let is_first = std::mem::replace(&mut previous, key) != key;
            is_first.then(|| self.unpack(*item))
        })
    }

    /// Returns for each cell whether its key equals that of the previous one.
    pub(super) fn equals_previous(&self) -> Vec<bool> {
        let pairs = self.items.windows(2);
        let later = pairs.map(|pair| self.key(pair[0]) == self.key(pair[1]));
        let first = self.items.first().map(|_| false);
        first.into_iter().chain(later).collect()
    }

    /// Puts the memory into the buffer pool.
    pub(super) fn recycle(self) {
        pool::put_words(self.items, usize::MAX);
    }

    fn key(&self, item: u64) -> u64 {
        item.checked_shr(self.low).unwrap_or(0)
    }

    fn unpack(&self, item: u64) -> RunCell {
        let cell_mask = (1u64 << self.cell_bits) - 1;
        let run_mask = (1u64 << (self.low - self.cell_bits)) - 1;
        let run = (item >> self.cell_bits) & run_mask;
        RunCell {
            run: run as u32,
            cell: (item & cell_mask) as u32,
        }
    }
}

/// Returns the number of bits for indexes less than `number`.
fn bits_of(number: usize) -> u32 {
    usize::BITS - number.saturating_sub(1).leading_zeros()
}
