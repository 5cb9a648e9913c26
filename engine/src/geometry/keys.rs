//! The keys of cells in memory. [`super::CellOrder`] computes them.

use std::cmp::Ordering;

use super::Coordinates;
use crate::error::{Error, Result};
use crate::memory::pool;

/// The keys of cells, stored word by word: the first words of all cells, then the second words, and
/// so on.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    words: Vec<u64>,
    cell_num: usize,
}

/// Cells and their keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyedCells<'a> {
    /// The keys.
    pub keys: &'a Keys,
    /// The coordinates, one column per dimension.
    pub columns: &'a [Coordinates<'a>],
}

impl Drop for Keys {
    fn drop(&mut self) {
        pool::put_words(std::mem::take(&mut self.words), usize::MAX);
    }
}

impl Keys {
    /// Resizes to `cell_num` keys of `word_num` words, of unspecified content.
    pub fn reset(&mut self, word_num: usize, cell_num: usize) -> Result<()> {
        let len = word_num
            .checked_mul(cell_num)
            .ok_or_else(|| Error::out_of_memory("keys", u64::MAX))?;
        if self.words.capacity() < len {
            self.words = pool::filled_words("keys", len)?;
        }
        self.words.resize(len, 0);
        self.cell_num = cell_num;
        Ok(())
    }

    /// Returns the number of cells.
    pub fn len(&self) -> usize {
        self.cell_num
    }

    /// Returns the size of the allocation in bytes.
    pub fn memory(&self) -> usize {
        8 * self.words.capacity()
    }

    /// Returns whether the number of cells is 0.
    pub fn is_empty(&self) -> bool {
        self.cell_num == 0
    }

    /// Returns one word of the keys of all cells. Word 0 is the most significant.
    pub fn word(&self, index: usize) -> &[u64] {
        let start = index * self.cell_num;
        self.words
            .get(start..start + self.cell_num)
            .unwrap_or_default()
    }

    /// Returns mutable slices of all words, one for each word of a key.
    pub fn words_mut(&mut self) -> impl Iterator<Item = &mut [u64]> {
        self.words.chunks_mut(self.cell_num.max(1))
    }

    /// Compares two keys of the same order.
    #[inline]
    pub fn compare(&self, i: usize, other: &Self, j: usize) -> Ordering {
        let (mut word, mut other_at) = (i, j);
        while word < self.words.len() && other_at < other.words.len() {
            match self.words[word].cmp(&other.words[other_at]) {
                Ordering::Equal => {}
                decided => return decided,
            }
            word += self.cell_num;
            other_at += other.cell_num;
        }
        Ordering::Equal
    }
}
