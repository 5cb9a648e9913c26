//! The minimum and maximum string of a tile.

use crate::bytes::{is_exact_key, text_key};
use crate::error::{Result, try_copy};

/// The minimum and maximum of the strings seen so far, which may be large: they are copied once.
#[derive(Clone, Debug)]
pub(super) struct TextMinMax<'a> {
    /// The prefixes of the minimum and maximum as integers. Most strings are ruled out by comparing
    /// them.
    least: u128,
    greatest: u128,
    texts: Option<[&'a [u8]; 2]>,
}

impl Default for TextMinMax<'_> {
    fn default() -> Self {
        // An empty interval.
        Self {
            least: u128::MAX,
            greatest: 0,
            texts: None,
        }
    }
}

impl<'a> TextMinMax<'a> {
    /// Adds the string of `len` bytes at `start`.
    #[inline(always)]
    pub(super) fn add(&mut self, values: &'a [u8], start: usize, len: usize) {
        let key = text_key(values, start, len);
        let is_end = (key == self.least) | (key == self.greatest);
        // A longer string with the same prefix may be smaller or larger.
        let beyond = (key < self.least) | (key > self.greatest) | (is_end & !is_exact_key(key));
        if beyond {
            self.widen(&values[start..start + len], key);
        }
    }

    #[cold]
    fn widen(&mut self, text: &'a [u8], key: u128) {
        let Some([least, greatest]) = &mut self.texts else {
            (self.least, self.greatest) = (key, key);
            self.texts = Some([text, text]);
            return;
        };
        if text < *least {
            (*least, self.least) = (text, key);
        }
        if text > *greatest {
            (*greatest, self.greatest) = (text, key);
        }
    }

    /// Returns copies of the minimum and maximum, or `None` without strings.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub(super) fn into_texts(self) -> Result<[Option<Vec<u8>>; 2]> {
        let Some([least, greatest]) = self.texts else {
            return Ok([None, None]);
        };
        let copy = |text| try_copy("the minimum or maximum of a tile", text).map(Some);
        Ok([copy(least)?, copy(greatest)?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_and_maxima_match_reference() {
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
            let mut min_max = TextMinMax::default();
            starts
                .windows(2)
                .for_each(|pair| min_max.add(&values, pair[0], pair[1] - pair[0]));
            let texts = starts
                .windows(2)
                .map(|pair| values[pair[0]..pair[1]].to_vec());
            let expected = [texts.clone().min(), texts.max()];
            assert_eq!(min_max.into_texts().expect("texts"), expected);
        }
    }
}
