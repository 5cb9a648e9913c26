//! Sorting cells by their keys.
//!
//! The sort is stable. It sorts numbers that consist of a part of the key followed by the index of
//! the cell, in one word, so that no two are equal and an unstable sort preserves the order.

use std::cmp::Ordering;
use std::ops::Range;

use super::cell_order::CellOrder;
use super::keys::KeyedCells;
use super::radix::sort_by_bits;
use crate::context::Context;
use crate::error::{Error, GeometryError, Result, try_vec};
use crate::memory::pool;
use crate::memory::tuning::{LONG_RUN_CELLS, MAX_SINGLE_THREADED_CELLS};

/// The result of sorting cells.
#[derive(Debug)]
pub struct SortedCells {
    /// The indexes of the cells in order; `None` if the cells were in order already.
    pub order: Option<Vec<u32>>,
    /// Whether two cells compare equal.
    pub ties: bool,
}

impl CellOrder {
    /// Sorts cells, at most `u32::MAX` of them.
    pub fn sort(&self, context: &Context, cells: KeyedCells<'_>) -> Result<SortedCells> {
        let keys = cells.keys;
        let number = u32::try_from(keys.len())
            .map_err(|_| Error::from(GeometryError::TooManyCells { number: keys.len() }))?;
        let mut ties = false;
        let is_sorted = (1..keys.len()).all(|i| {
            let order = self.compare(cells, i - 1, cells, i);
            ties |= order.is_eq();
            order.is_le()
        });
        if is_sorted {
            return Ok(SortedCells { order: None, ties });
        }
        let is_large = keys.len() > MAX_SINGLE_THREADED_CELLS;
        let context = Some(context).filter(|context| is_large && context.compute_threads() > 1);
        self.sort_unordered(context, cells, number)
    }

    /// Sorts `number` cells with the threads of `context`, or with one thread.
    pub(super) fn sort_unordered(
        &self,
        context: Option<&Context>,
        cells: KeyedCells<'_>,
        number: u32,
    ) -> Result<SortedCells> {
        let words = cells.keys.word(0);
        let mut order: Vec<u32> = try_vec("cell order", words.len())?;
        let ties = match (KeyBits::new(words), context) {
            (None, _) => {
                order
                    .iter_mut()
                    .zip(0..number)
                    .for_each(|(to, index)| *to = index);
                let all = std::iter::once(0..number).collect::<Vec<_>>();
                self.sort_runs(cells, &mut order, &all, 1)
            }
            (Some(bits), Some(context)) => self.sort_in_parts(context, cells, bits, &mut order)?,
            (Some(bits), None) => {
                let runs = sort_by_word(bits, words, &mut order)?;
                self.sort_runs(cells, &mut order, &runs, usize::from(bits.is_whole))
            }
        };
        Ok(SortedCells {
            order: Some(order),
            ties,
        })
    }

    /// Sorts each of the runs, within which all words before `word` are equal. Returns whether some
    /// cells compare equal.
    pub(super) fn sort_runs(
        &self,
        cells: KeyedCells<'_>,
        order: &mut [u32],
        runs: &[Range<u32>],
        word: usize,
    ) -> bool {
        if word >= self.word_num() && self.keys_decide() {
            return !runs.is_empty();
        }
        let compare = |a: &u32, b: &u32| self.compare(cells, *a as usize, cells, *b as usize);
        let mut ties = false;
        for run in runs {
            let run = &mut order[run.start as usize..run.end as usize];
            if run.len() <= LONG_RUN_CELLS || word >= self.word_num() {
                run.sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
                ties |= run
                    .windows(2)
                    .any(|pair| compare(&pair[0], &pair[1]) == Ordering::Equal);
            } else {
                let words = cells.keys.word(word);
                run.sort_unstable_by_key(|cell| (words[*cell as usize], *cell));
                let inner = runs_of(run.iter().map(|cell| words[*cell as usize]));
                ties |= self.sort_runs(cells, run, &inner, word + 1);
            }
        }
        ties
    }
}

/// Returns the runs of two or more equal values.
fn runs_of(values: impl Iterator<Item = u64>) -> Vec<Range<u32>> {
    let mut runs = Vec::new();
    let (mut value, mut start, mut end) = (None, 0, 0);
    for next in values {
        if value != Some(next) {
            if end - start > 1 {
                runs.push(start..end);
            }
            (value, start) = (Some(next), end);
        }
        end += 1;
    }
    if end - start > 1 {
        runs.push(start..end);
    }
    runs
}

/// The bits of a number that combines a part of a word of the key and the index of the cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyBits {
    /// The number of highest bits of the word that are equal for all cells.
    leading: u32,
    /// A mask of the highest differing bits that fit beside the index.
    kept: u64,
    /// Whether these are all differing bits.
    pub(super) is_whole: bool,
}

impl KeyBits {
    /// Returns the bits for these words; `None` if all are equal.
    fn new(words: &[u64]) -> Option<Self> {
        let first = words.first().copied().unwrap_or_default();
        let differing = words.iter().fold(0, |all, value| all | (value ^ first));
        if differing == 0 {
            return None;
        }
        let (leading, trailing) = (differing.leading_zeros(), differing.trailing_zeros());
        let index_bits = u64::BITS - (words.len() as u64 - 1).leading_zeros();
        let width = u64::BITS - leading - trailing;
        let kept = !(u64::MAX >> width.min(u64::BITS - index_bits).min(63));
        Some(Self {
            leading,
            kept,
            is_whole: width + index_bits <= u64::BITS,
        })
    }

    /// Returns the number for a cell with this word.
    pub(super) fn item(self, word: u64, index: u64) -> u64 {
        (word << self.leading) & self.kept | index
    }

    /// Sorts numbers, of which the bits from `high` on must be equal, and puts their indexes into
    /// `order`. Returns the runs of cells with equal parts of the word.
    pub(super) fn sort(
        self,
        items: &mut Vec<u64>,
        high: u32,
        order: &mut [u32],
    ) -> Result<Vec<Range<u32>>> {
        sort_by_bits(items, self.kept.trailing_zeros(), high)?;
        for (to, item) in order.iter_mut().zip(&*items) {
            *to = (item & !self.kept) as u32;
        }
        Ok(runs_of(items.iter().map(|item| item & self.kept)))
    }
}

/// Sorts cells by one word. Returns the runs of cells with equal parts of the word.
fn sort_by_word(bits: KeyBits, words: &[u64], order: &mut [u32]) -> Result<Vec<Range<u32>>> {
    let mut items = pool::filled_words("cell order", words.len())?;
    for ((item, word), index) in items.iter_mut().zip(words).zip(0..) {
        *item = bits.item(*word, index);
    }
    let runs = bits.sort(&mut items, u64::BITS, order)?;
    pool::put_words(items, usize::MAX);
    Ok(runs)
}
