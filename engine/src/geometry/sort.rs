//! Sorting cells by their keys.
//!
//! The sort is stable. It sorts numbers that consist of a part of the key followed by the index of
//! the cell, in one word, so that no two are equal and an unstable sort preserves the order.

use std::cmp::Ordering;
use std::ops::Range;

use crate::memory::tuning::{LONG_RUN_CELLS, MAX_SINGLE_THREADED_CELLS};
use crate::platform::lock::Mutex;

use super::cell_order::CellOrder;
use super::keys::KeyedCells;
use super::radix::sort_by_bits;
use crate::context::Context;
use crate::error::{Error, GeometryError, Result, try_vec};
use crate::memory::buffer_pool;

/// The number of bits by which cells are partitioned for multiple threads.
const PART_BITS: u32 = 8;

/// The result of sorting cells.
#[derive(Debug)]
pub struct Sorted {
    /// The indexes of the cells in order; `None` if the cells were in order already.
    pub order: Option<Vec<u32>>,
    /// Whether two cells compare equal.
    pub ties: bool,
}

impl CellOrder {
    /// Sorts cells, at most `u32::MAX` of them.
    pub fn sort(&self, context: &Context, cells: KeyedCells<'_>) -> Result<Sorted> {
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
            return Ok(Sorted { order: None, ties });
        }
        let mut order: Vec<u32> = try_vec("cell order", keys.len())?;
        let (runs, whole) = sort_by_word(context, keys.word(0), number, &mut order)?;
        let ties = self.sort_runs(cells, &mut order, &runs, usize::from(whole));
        Ok(Sorted {
            order: Some(order),
            ties,
        })
    }

    /// Sorts each of the runs, within which all words before `word` are equal. Returns whether some
    /// cells compare equal.
    fn sort_runs(
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

/// Sorts cells by one word. Returns the runs of cells with equal words, and whether the whole word
/// was compared: if it does not fit beside the index, only its highest bits are.
fn sort_by_word(
    context: &Context,
    word: &[u64],
    number: u32,
    order: &mut [u32],
) -> Result<(Vec<Range<u32>>, bool)> {
    let first = word.first().copied().unwrap_or_default();
    let differing = word.iter().fold(0, |all, value| all | (value ^ first));
    if differing == 0 {
        order
            .iter_mut()
            .zip(0..number)
            .for_each(|(to, rank)| *to = rank);
        let all = std::iter::once(0..number);
        return Ok((all.collect(), true));
    }
    let (above, below) = (differing.leading_zeros(), differing.trailing_zeros());
    let index_bits = 32 - (number - 1).leading_zeros();
    let width = 64 - above - below;
    // A mask of the highest differing bits that fit beside the index.
    let kept = !(u64::MAX >> width.min(64 - index_bits).min(63));
    let mut items = buffer_pool::filled_words("cell order", number as usize)?;
    for ((item, value), rank) in items.iter_mut().zip(word).zip(0..number) {
        *item = (value << above) & kept | u64::from(rank);
    }
    if items.len() > MAX_SINGLE_THREADED_CELLS && context.compute_threads() > 1 {
        sort_parallel(context, &mut items)?;
    } else {
        sort_by_bits(&mut items, kept.trailing_zeros(), 64)?;
    }
    let indexes = items.iter().map(|item| (item & !kept) as u32);
    order
        .iter_mut()
        .zip(indexes)
        .for_each(|(to, index)| *to = index);
    let whole = width + index_bits <= 64;
    let runs = runs_of(items.iter().map(|item| item & kept));
    buffer_pool::put_words(items, usize::MAX);
    Ok((runs, whole))
}

/// Sorts numbers in multiple threads, after partitioning them by their highest bits.
fn sort_parallel(context: &Context, items: &mut Vec<u64>) -> Result<()> {
    let top = |item: &u64| (item >> (64 - PART_BITS)) as usize;
    const PART_NUM: usize = 1 << PART_BITS;
    let mut ends = [0usize; PART_NUM];
    items.iter().for_each(|item| ends[top(item)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut partitioned = buffer_pool::filled_words("cell order", items.len())?;
    for item in items.iter() {
        let next = &mut ends[top(item)];
        partitioned[*next] = *item;
        *next += 1;
    }
    let mut parts = Vec::with_capacity(PART_NUM);
    let (mut rest, mut start) = (&mut partitioned[..], 0);
    for end in ends {
        let (part, remaining) = rest.split_at_mut(end - start);
        parts.push(Mutex::new(part));
        (rest, start) = (remaining, end);
    }
    context.for_each(PART_NUM, |next| {
        parts[next].lock().sort_unstable();
        Ok(())
    })?;
    drop(parts);
    buffer_pool::put_words(std::mem::replace(items, partitioned), usize::MAX);
    Ok(())
}
