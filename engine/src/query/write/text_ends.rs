//! The least and the greatest text of a tile.

use crate::bytes::{SHORT, short_text};

/// The ends of the texts so far.
#[derive(Clone, Debug)]
pub(super) struct TextEnds {
    /// Of the least and the greatest text, its first bytes and its length: so that most texts are told from them without a
    /// look at memory.
    least: (u128, usize),
    greatest: (u128, usize),
    texts: Option<[Vec<u8>; 2]>,
}

impl Default for TextEnds {
    fn default() -> Self {
        // No text lies between these, and none is so long.
        Self {
            least: (u128::MAX, usize::MAX),
            greatest: (0, usize::MAX),
            texts: None,
        }
    }
}

/// The first bytes of a text as a number that compares as they do, zeros behind a text that has fewer.
#[inline(always)]
fn head_of(values: &[u8], start: usize, len: usize) -> u128 {
    short_text(values, start, len.min(SHORT))
        .unwrap_or_default()
        .swap_bytes()
}

impl TextEnds {
    /// Takes the text of `len` bytes at `start` in.
    #[inline(always)]
    pub(super) fn add(&mut self, values: &[u8], start: usize, len: usize) {
        let head = head_of(values, start, len);
        let is_inside = self.least.0 < head && head < self.greatest.0;
        let is_end = len <= SHORT && ((head, len) == self.least || (head, len) == self.greatest);
        if !is_inside && !is_end {
            self.widen(&values[start..start + len], head);
        }
    }

    #[cold]
    fn widen(&mut self, text: &[u8], head: u128) {
        let end = (head, text.len());
        let Some([least, greatest]) = &mut self.texts else {
            (self.least, self.greatest) = (end, end);
            self.texts = Some([text.to_vec(), text.to_vec()]);
            return;
        };
        if text < &least[..] {
            (*least, self.least) = (text.to_vec(), end);
        }
        if text > &greatest[..] {
            (*greatest, self.greatest) = (text.to_vec(), end);
        }
    }

    /// The least and the greatest; none where there was no text.
    pub(super) fn into_texts(self) -> [Option<Vec<u8>>; 2] {
        self.texts.map_or([None, None], |texts| texts.map(Some))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_those_of_comparing_all() {
        let piece = [
            "",
            "a",
            "ab\0",
            "\0",
            "zebra",
            "zebra crossing 1",
            "zebra crossing 12",
            "\u{ff}",
        ];
        let mut state = 7usize;
        for _ in 0..500 {
            let (mut values, mut starts) = (Vec::new(), vec![0]);
            for _ in 0..state % 9 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let both = [piece[state >> 40 & 7], piece[state >> 50 & 7]];
                values.extend(both.concat().bytes());
                starts.push(values.len());
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let mut ends = TextEnds::default();
            starts
                .windows(2)
                .for_each(|pair| ends.add(&values, pair[0], pair[1] - pair[0]));
            let texts = starts
                .windows(2)
                .map(|pair| values[pair[0]..pair[1]].to_vec());
            let wanted = [texts.clone().min(), texts.max()];
            assert_eq!(ends.into_texts(), wanted);
        }
    }
}
