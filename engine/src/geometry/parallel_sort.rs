//! Sorting many cells with several threads: blocks of cells are partitioned by the highest bits of
//! their keys, and then each part is sorted. No thread writes what another writes or reads.

use super::cell_order::CellOrder;
use super::keys::KeyedCells;
use super::sort::KeyBits;
use crate::context::Context;
use crate::error::Result;
use crate::memory::pool;
use crate::platform::lock::Mutex;

/// The number of bits by which cells are partitioned: many more parts than threads, since their
/// sizes differ.
const PART_BITS: u32 = 8;
const PART_NUM: usize = 1 << PART_BITS;

/// The items of a block of cells, by part.
struct Block {
    items: Vec<u64>,
    /// The end of each part.
    ends: [usize; PART_NUM],
}

impl Block {
    /// Partitions the cells with these words, the first of which has the index `first`.
    fn new(bits: KeyBits, words: &[u64], first: usize) -> Result<Self> {
        let part = |item: u64| (item >> (u64::BITS - PART_BITS)) as usize;
        let items = || {
            let indexes = first as u64..;
            words
                .iter()
                .zip(indexes)
                .map(|(word, index)| bits.item(*word, index))
        };
        let mut ends = [0; PART_NUM];
        items().for_each(|item| ends[part(item)] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut partitioned = pool::filled_words("cell order", words.len())?;
        for item in items() {
            let next = &mut ends[part(item)];
            partitioned[*next] = item;
            *next += 1;
        }
        Ok(Self {
            items: partitioned,
            ends,
        })
    }

    /// Returns the items of a part, in ascending order of the cells.
    fn part(&self, part: usize) -> &[u64] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[part]]
    }
}

impl CellOrder {
    /// Sorts cells. `order` receives their indexes. Returns whether some cells compare equal.
    pub(super) fn sort_in_parts(
        &self,
        context: &Context,
        cells: KeyedCells<'_>,
        bits: KeyBits,
        order: &mut [u32],
    ) -> Result<bool> {
        let words = cells.keys.word(0);
        let block_len = words.len().div_ceil(context.compute_threads()).max(1);
        let blocks = context.map(words.len().div_ceil(block_len), |index| {
            let first = index * block_len;
            let end = (first + block_len).min(words.len());
            Block::new(bits, &words[first..end], first)
        })?;
        let mut parts = Vec::with_capacity(PART_NUM);
        let mut rest = order;
        for part in 0..PART_NUM {
            let len = blocks.iter().map(|block| block.part(part).len()).sum();
            let (own, remaining) = rest.split_at_mut(len);
            parts.push(Mutex::new((own, false)));
            rest = remaining;
        }
        context.for_each(PART_NUM, |part| {
            let (order, ties) = &mut *parts[part].lock();
            let mut items = pool::take_words(order.len());
            items.clear();
            blocks
                .iter()
                .for_each(|block| items.extend_from_slice(block.part(part)));
            let runs = bits.sort(&mut items, u64::BITS - PART_BITS, order)?;
            *ties = self.sort_runs(cells, order, &runs, usize::from(bits.is_whole));
            pool::put_words(items, usize::MAX);
            Ok(())
        })?;
        for block in blocks {
            pool::put_words(block.items, usize::MAX);
        }
        Ok(parts.into_iter().any(|part| part.into_inner().1))
    }
}
