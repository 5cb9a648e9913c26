//! Sorting cells by their keys.
//!
//! Cells that compare equal keep the order in which they came. What is sorted are numbers in which the index of the cell
//! follows its key, one word where both have room in it, so that no two are equal and any sort keeps that order.

use parking_lot::Mutex;

use super::keys::{CellOrder, KeyedCells};
use crate::context::Context;
use crate::error::{Error, Result, try_vec};

/// More cells than this are first dealt out by their highest bits, and the hands sorted by several threads.
const LARGE: usize = 1 << 14;

/// How many bits the cells are dealt out by.
const DEAL_BITS: u32 = 8;

/// Runs of cells with equal words that are longer than this are sorted by their next word.
const LONG_RUN: usize = 32;

impl CellOrder {
    /// The cells in order, as indexes; `None` where they are in order already. At most `u32::MAX` cells.
    pub fn sort(&self, context: &Context, cells: KeyedCells<'_>) -> Result<Option<Vec<u32>>> {
        let keys = cells.keys;
        let number = u32::try_from(keys.len()).map_err(|_| {
            let message = format!("{} cells are more than can be sorted at once", keys.len());
            Error::usage("CellOrder", message)
        })?;
        if (1..keys.len()).all(|i| self.compare(cells, i - 1, cells, i).is_le()) {
            return Ok(None);
        }
        let mut order: Vec<u32> = try_vec("cell order", keys.len())?;
        sort_by_word(context, keys.word(0), number, &mut order)?;
        if self.word_num() > 1 || !self.keys_decide() {
            self.settle_runs(cells, &mut order, 0);
        }
        Ok(Some(order))
    }

    /// Sorts runs of cells whose words up to `word` are equal; by that word the cells are sorted.
    fn settle_runs(&self, cells: KeyedCells<'_>, order: &mut [u32], word: usize) {
        let words = cells.keys.word(word);
        let mut rest = order;
        while let Some(first) = rest.first() {
            let value = words[*first as usize];
            let same = rest
                .iter()
                .take_while(|cell| words[**cell as usize] == value);
            let (run, later) = rest.split_at_mut(same.count());
            self.settle(cells, run, word + 1);
            rest = later;
        }
    }

    /// Sorts cells whose words before `word` are equal.
    fn settle(&self, cells: KeyedCells<'_>, run: &mut [u32], word: usize) {
        if run.len() < 2 {
            return;
        }
        if run.len() <= LONG_RUN || word >= self.word_num() {
            run.sort_unstable_by(|a, b| {
                let order = self.compare(cells, *a as usize, cells, *b as usize);
                order.then(a.cmp(b))
            });
            return;
        }
        let words = cells.keys.word(word);
        run.sort_unstable_by_key(|cell| (words[*cell as usize], *cell));
        self.settle_runs(cells, run, word);
    }
}

/// Sorts cells by one word.
fn sort_by_word(context: &Context, word: &[u64], number: u32, order: &mut [u32]) -> Result<()> {
    let first = word.first().copied().unwrap_or_default();
    let differing = word.iter().fold(0, |all, value| all | (value ^ first));
    if differing == 0 {
        order
            .iter_mut()
            .zip(0..number)
            .for_each(|(to, at)| *to = at);
        return Ok(());
    }
    let (above, below) = (differing.leading_zeros(), differing.trailing_zeros());
    let index_bits = 32 - (number - 1).leading_zeros();
    let width = 64 - above - below;
    if width + index_bits <= 64 {
        // All that differs, and the index behind it.
        let kept = !(u64::MAX >> width.min(63));
        let items = word.iter().zip(0..number);
        let items = items.map(|(value, at)| (value << above) & kept | u64::from(at));
        let mut items: Vec<u64> = collect(items, number)?;
        let top = |item: &u64| (item >> (64 - DEAL_BITS)) as usize;
        sort_items(context, &mut items, top)?;
        let mask = u32::MAX >> (32 - index_bits.max(1));
        order
            .iter_mut()
            .zip(&items)
            .for_each(|(to, item)| *to = *item as u32 & mask);
        return Ok(());
    }
    let items = word.iter().copied().zip(0..number);
    let mut items: Vec<(u64, u32)> = collect(items, number)?;
    let top = |item: &(u64, u32)| ((item.0 << above) >> (64 - DEAL_BITS)) as usize;
    sort_items(context, &mut items, top)?;
    order
        .iter_mut()
        .zip(&items)
        .for_each(|(to, item)| *to = item.1);
    Ok(())
}

fn collect<T>(items: impl Iterator<Item = T>, number: u32) -> Result<Vec<T>> {
    let mut all = Vec::new();
    all.try_reserve_exact(number as usize)
        .map_err(|_| Error::OutOfMemory {
            what: "cell order",
            bytes: u64::from(number) * size_of::<T>() as u64,
        })?;
    all.extend(items);
    Ok(all)
}

/// Sorts items; `top` tells the highest bits, by which they can be dealt out.
fn sort_items<T: Ord + Copy + Default + Send>(
    context: &Context,
    items: &mut Vec<T>,
    top: impl Fn(&T) -> usize,
) -> Result<()> {
    if items.len() <= LARGE {
        items.sort_unstable();
        return Ok(());
    }
    const HANDS: usize = 1 << DEAL_BITS;
    let mut ends = [0usize; HANDS];
    items.iter().for_each(|item| ends[top(item)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut dealt: Vec<T> = try_vec("cell order", items.len())?;
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
    *items = dealt;
    Ok(())
}
