//! A set of strings of one length of more than eight bytes.
//!
//! Eight bytes at one position, the window, are looked up as an integer. The position is chosen
//! where the strings of the set differ most. Only cells whose window is in the set are compared
//! completely.

use super::lanes::word;
use super::table::NumberSet;
use crate::bytes::simd_dispatch;
use crate::memory::tuning::{STRING_MEMBER_BLOCK_CELLS, WINDOW_SAMPLE_STRINGS, WINDOW_TRIES};

/// The size of a window in bytes.
const WINDOW: usize = size_of::<u64>();

/// A set of strings of one length.
#[derive(Clone, Debug)]
pub(super) struct StringMembers {
    /// The strings, ordered by window, then by bytes.
    pub(super) texts: Vec<Box<[u8]>>,
    size: usize,
    /// The position of the window in a string.
    offset: usize,
    windows: NumberSet,
    /// For each slot in the table of windows, the index of the first string with the window.
    firsts: Vec<usize>,
}

impl StringMembers {
    /// Creates a set of strings of `size` bytes, at least eight.
    pub(super) fn new<'a>(texts: impl Iterator<Item = &'a [u8]>, size: usize) -> Self {
        let mut texts: Vec<Box<[u8]>> = texts.map(Into::into).collect();
        let offset = most_distinctive_offset(&texts, size);
        texts.sort_unstable_by(|a, b| (word(a, offset), a).cmp(&(word(b, offset), b)));
        texts.dedup();
        let windows = NumberSet::new(texts.iter().map(|text| word(text, offset)));
        let mut firsts = Vec::new();
        if let Some(table) = &windows.table {
            firsts.resize(table.slot_num(), 0);
            for (first, text) in texts.iter().enumerate().rev() {
                firsts[table.slot_of(word(text, offset))] = first;
            }
        }
        Self {
            texts,
            size,
            offset,
            windows,
            firsts,
        }
    }

    /// Returns whether a string is in the set.
    pub(super) fn has(&self, text: &[u8]) -> bool {
        text.len() == self.size && self.has_fitting(text)
    }

    fn has_fitting(&self, text: &[u8]) -> bool {
        let sought = word(text, self.offset);
        let first = match &self.windows.table {
            Some(table) => self.firsts[table.slot_of(sought)],
            None => self
                .texts
                .partition_point(|text| word(text, self.offset) < sought),
        };
        self.texts[first..]
            .iter()
            .take_while(|text| word(text, self.offset) == sought)
            .any(|known| **known == *text)
    }

    /// Clears the bits of cells that are not in the set, or of those that are.
    pub(super) fn select(&self, is_in: bool, data: &[u8], selected: &mut [u8]) {
        simd_dispatch(
            #[inline(always)]
            move || {
                let (size, offset) = (self.size, self.offset);
                // The compiler removes bounds checks because of this assertion.
                let Some(last) = size.checked_sub(WINDOW) else {
                    return;
                };
                let offset = offset.min(last);
                let mut found = [0; STRING_MEMBER_BLOCK_CELLS];
                for (bits, cells) in selected
                    .chunks_mut(STRING_MEMBER_BLOCK_CELLS)
                    .zip(data.chunks(size * STRING_MEMBER_BLOCK_CELLS))
                {
                    let found = &mut found[..bits.len()];
                    found.fill(1);
                    self.windows
                        .select::<4>(size, cells, found, true, |cell| word(cell, offset));
                    self.compare(cells, bits, found);
                    for (bit, found) in bits.iter_mut().zip(found) {
                        *bit &= u8::from((*found != 0) == is_in);
                    }
                }
            },
        );
    }

    /// Clears the bits of candidates that have a window of the set but are not in the set.
    fn compare(&self, cells: &[u8], selected: &[u8], found: &mut [u8]) {
        if found.iter().fold(0, |any, found| any | found) == 0 {
            return;
        }
        let cells = cells.chunks_exact(self.size);
        for ((found, selected), cell) in found.iter_mut().zip(selected).zip(cells) {
            if *found & *selected != 0 {
                *found = u8::from(self.has_fitting(cell));
            }
        }
    }
}

/// Returns the position at which the windows of strings of `size` bytes differ most.
fn most_distinctive_offset(texts: &[Box<[u8]>], size: usize) -> usize {
    let last = size.saturating_sub(WINDOW);
    let sample = &texts[..texts.len().min(WINDOW_SAMPLE_STRINGS)];
    let tries = (0..last).step_by((last / WINDOW_TRIES).max(1));
    [last]
        .into_iter()
        .chain(tries)
        .max_by_key(|offset| {
            // The number of different windows.
            let mut windows: Vec<u64> = sample.iter().map(|text| word(text, *offset)).collect();
            windows.sort_unstable();
            windows.dedup();
            windows.len()
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Strings that differ in the first byte, the last byte or both: no window distinguishes all of
    /// them.
    fn texts() -> Vec<Vec<u8>> {
        let ends = (b'a'..b'k').flat_map(|first| (b'a'..b'k').map(move |last| (first, last)));
        ends.map(|(first, last)| {
            let mut text = vec![b'-'; 20];
            (text[0], text[19]) = (first, last);
            text
        })
        .collect()
    }

    #[test]
    fn strings_with_equal_windows_are_distinguished() {
        let all = texts();
        let known = |text: &[u8]| (text[0] + text[19]).is_multiple_of(3);
        let members = all.iter().map(|text| &text[..]).filter(|text| known(text));
        let members = StringMembers::new(members, 20);
        let searched = StringMembers {
            windows: members.windows.clone().without_table(),
            ..members.clone()
        };
        let data = all.concat();
        for members in [members, searched] {
            assert!(all.iter().all(|text| members.has(text) == known(text)));
            assert!(!members.has(&all[0][..19]));
            for is_in in [false, true] {
                let mut selected = vec![1; all.len()];
                selected[7] = 0;
                members.select(is_in, &data, &mut selected);
                for (index, text) in all.iter().enumerate() {
                    let holds = index != 7 && known(text) == is_in;
                    assert_eq!(selected[index], u8::from(holds), "{index}");
                }
            }
        }
    }
}
