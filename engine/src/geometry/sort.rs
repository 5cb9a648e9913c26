//! Sorting cells by their keys.
//!
//! Cells that compare equal keep the order in which they came. What is sorted are numbers in which
//! the index of the cell follows its key, one word where both have room in it, so that no two are
//! equal and any sort keeps that order.

use std::cmp::Ordering;
use std::ops::Range;

use crate::platform::lock::Mutex;

use super::keys::{CellOrder, KeyedCells};
use super::radix::sort_by_bits;
use crate::bytes::buffer_pool;
use crate::context::Context;
use crate::error::{Error, Result, try_vec};

/// So many cells are sorted by one thread in the time that helping it would save; of more, all
/// threads sort their hands.
const HUGE: usize = 1 << 19;

/// How many bits the cells are dealt out by.
const DEAL_BITS: u32 = 8;

/// Runs of cells with equal words that are longer than this are sorted by their next word.
const LONG_RUN: usize = 32;

/// Cells in order.
#[derive(Debug)]
pub struct Sorted {
    /// Their indexes; `None` if they came in order.
    pub order: Option<Vec<u32>>,
    /// Whether two of them compare equal.
    pub ties: bool,
}

impl CellOrder {
    /// Sorts cells, at most `u32::MAX` of them.
    pub fn sort(&self, context: &Context, cells: KeyedCells<'_>) -> Result<Sorted> {
        let keys = cells.keys;
        let number = u32::try_from(keys.len()).map_err(|_| {
            let message = format!("{} cells are more than can be sorted at once", keys.len());
            Error::usage("CellOrder", message)
        })?;
        let mut ties = false;
        let came_in_order = (1..keys.len()).all(|i| {
            let order = self.compare(cells, i - 1, cells, i);
            ties |= order.is_eq();
            order.is_le()
        });
        if came_in_order {
            return Ok(Sorted { order: None, ties });
        }
        let mut order: Vec<u32> = try_vec("cell order", keys.len())?;
        let (runs, whole) = sort_by_word(context, keys.word(0), number, &mut order)?;
        let ties = self.settle(cells, &mut order, &runs, usize::from(whole));
        Ok(Sorted {
            order: Some(order),
            ties,
        })
    }

    /// Sorts each of the runs, in which all words before `word` are equal. Tells whether cells are
    /// left that compare equal.
    fn settle(
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
            if run.len() <= LONG_RUN || word >= self.word_num() {
                run.sort_unstable_by(|a, b| compare(a, b).then(a.cmp(b)));
                ties |= run
                    .windows(2)
                    .any(|pair| compare(&pair[0], &pair[1]) == Ordering::Equal);
            } else {
                let words = cells.keys.word(word);
                run.sort_unstable_by_key(|cell| (words[*cell as usize], *cell));
                let inner = runs_of(run.iter().map(|cell| words[*cell as usize]));
                ties |= self.settle(cells, run, &inner, word + 1);
            }
        }
        ties
    }
}

/// Returns the runs of two or more equal values.
fn runs_of(values: impl Iterator<Item = u64>) -> Vec<Range<u32>> {
    let mut runs = Vec::new();
    let (mut value, mut start, mut at) = (None, 0, 0);
    for next in values {
        if value != Some(next) {
            if at - start > 1 {
                runs.push(start..at);
            }
            (value, start) = (Some(next), at);
        }
        at += 1;
    }
    if at - start > 1 {
        runs.push(start..at);
    }
    runs
}

/// Sorts cells by one word; gives the runs in which it is equal, or may be where there was no room
/// for all of it: then it says no.
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
            .for_each(|(to, at)| *to = at);
        let all = std::iter::once(0..number);
        return Ok((all.collect(), true));
    }
    let (above, below) = (differing.leading_zeros(), differing.trailing_zeros());
    let index_bits = 32 - (number - 1).leading_zeros();
    let width = 64 - above - below;
    // What differs, as much of it as has room before the index.
    let kept = !(u64::MAX >> width.min(64 - index_bits).min(63));
    let mut items = buffer_pool::filled_words("cell order", number as usize)?;
    for ((item, value), at) in items.iter_mut().zip(word).zip(0..number) {
        *item = (value << above) & kept | u64::from(at);
    }
    match items.len() > HUGE && context.compute_threads() > 1 {
        true => sort_hands(context, &mut items)?,
        false => sort_by_bits(&mut items, kept.trailing_zeros(), 64)?,
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

/// Sorts numbers: they are dealt out by their highest bits, and the hands sorted by several
/// threads.
fn sort_hands(context: &Context, items: &mut Vec<u64>) -> Result<()> {
    let top = |item: &u64| (item >> (64 - DEAL_BITS)) as usize;
    const HANDS: usize = 1 << DEAL_BITS;
    let mut ends = [0usize; HANDS];
    items.iter().for_each(|item| ends[top(item)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut dealt = buffer_pool::filled_words("cell order", items.len())?;
    for item in items.iter() {
        let at = &mut ends[top(item)];
        dealt[*at] = *item;
        *at += 1;
    }
    let mut hands = Vec::with_capacity(HANDS);
    let (mut rest, mut start) = (&mut dealt[..], 0);
    for end in ends {
        let (hand, later) = rest.split_at_mut(end - start);
        hands.push(Mutex::new(hand));
        (rest, start) = (later, end);
    }
    context.for_each(HANDS, |at| {
        hands[at].lock().sort_unstable();
        Ok(())
    })?;
    drop(hands);
    buffer_pool::put_words(std::mem::replace(items, dealt), usize::MAX);
    Ok(())
}
