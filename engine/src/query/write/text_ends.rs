//! The least and the greatest text of a tile.

use crate::bytes::{SHORT, short_text};

/// The ends of the texts so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TextEnds {
    ends: Option<[End; 2]>,
}

/// One of the ends.
#[derive(Clone, Debug)]
struct End {
    text: Vec<u8>,
    /// Its first bytes.
    head: u128,
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
        if let Some([least, greatest]) = &self.ends {
            let is_inside = least.head < head && head < greatest.head;
            let is_end = |end: &End| end.head == head && end.text.len() == len && len <= SHORT;
            if is_inside || is_end(least) || is_end(greatest) {
                return;
            }
        }
        self.widen(&values[start..start + len], head);
    }

    #[cold]
    fn widen(&mut self, text: &[u8], head: u128) {
        let end = || End {
            text: text.to_vec(),
            head,
        };
        match &mut self.ends {
            None => self.ends = Some([end(), end()]),
            Some([least, greatest]) => {
                if text < &least.text[..] {
                    *least = end();
                }
                if text > &greatest.text[..] {
                    *greatest = end();
                }
            }
        }
    }

    /// The least and the greatest; none where there was no text.
    pub(super) fn into_texts(self) -> [Option<Vec<u8>>; 2] {
        match self.ends {
            None => [None, None],
            Some(ends) => ends.map(|end| Some(end.text)),
        }
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
