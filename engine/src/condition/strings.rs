//! Texts compared with another: as numbers, most significant byte first. Those of one length:
//!
//! ```text
//! up to 8 bytes     one comparison of 64-bit numbers, in lanes
//! up to 16          one comparison of 128-bit numbers, of their first eight bytes and their last
//! longer ones       their first eight bytes decide, unless they are equal
//! ```
//!
//! Of texts of any length the first fifteen bytes and the length are a number.
//!
//! A value that is shorter than the texts of a column of one length is filled up with zeros, one that is longer is cut; what that decides
//! goes into the operator.

use std::cmp::Ordering;

use super::cells::holds_text;
use super::{Operator, lanes};
use crate::bytes::{is_exact_key, simd_dispatch, text_key};

/// How many bytes a number holds.
const WORD: usize = size_of::<u64>();

/// The comparison of texts of `size` bytes with a value as one with a value of as many: always true or false where only the
/// length decides.
pub(super) fn fit(operator: Operator, mut value: Vec<u8>, size: usize) -> (Operator, Vec<u8>) {
    let operator = match value.len().cmp(&size) {
        Ordering::Equal => operator,
        // A cell that begins with the value is longer, and so greater.
        Ordering::Less => match operator {
            Operator::Lt | Operator::Le => Operator::Lt,
            Operator::Gt | Operator::Ge => Operator::Ge,
            other => never_equal(other),
        },
        Ordering::Greater => match operator {
            Operator::Lt | Operator::Le => Operator::Le,
            Operator::Gt | Operator::Ge => Operator::Gt,
            other => never_equal(other),
        },
    };
    value.resize(size, 0);
    (operator, value)
}

/// What is left of an operator where no cell can equal the value.
fn never_equal(operator: Operator) -> Operator {
    match operator {
        Operator::Eq => Operator::AlwaysFalse,
        Operator::Ne => Operator::AlwaysTrue,
        other => other,
    }
}

/// Clears the bits of the cells, each as long as `value`, that do not compare as wanted with it.
pub(super) fn select(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    match value.len() {
        0 => {}
        1 => short::<1>(operator, value, data, selected),
        2 => short::<2>(operator, value, data, selected),
        3 => short::<3>(operator, value, data, selected),
        4 => short::<4>(operator, value, data, selected),
        5 => short::<5>(operator, value, data, selected),
        6 => short::<6>(operator, value, data, selected),
        7 => short::<7>(operator, value, data, selected),
        8 => short::<8>(operator, value, data, selected),
        9..=16 => wide(operator, value, data, selected),
        _ => long(operator, value, data, selected),
    }
}

/// The numbers from `low` on, `more` above it; or all others.
#[derive(Clone, Copy)]
struct Range {
    low: u64,
    more: u64,
    outside: bool,
}

impl Range {
    /// The numbers that compare as wanted with `value`; `None` for an operator that does not look at them.
    fn of(operator: Operator, value: u64) -> Option<Self> {
        let upto = |value: Option<u64>, outside| match value {
            Some(more) => Self {
                low: 0,
                more,
                outside,
            },
            None => Self {
                low: 0,
                more: u64::MAX,
                outside: !outside,
            },
        };
        Some(match operator {
            Operator::Lt => upto(value.checked_sub(1), false),
            Operator::Le => upto(Some(value), false),
            Operator::Gt => upto(Some(value), true),
            Operator::Ge => upto(value.checked_sub(1), true),
            Operator::Eq | Operator::Ne => Self {
                low: value,
                more: 0,
                outside: operator == Operator::Ne,
            },
            _ => return None,
        })
    }

    #[inline(always)]
    fn has(self, number: u64) -> bool {
        (number.wrapping_sub(self.low) <= self.more) != self.outside
    }
}

/// Cells of `N` bytes, at most eight.
fn short<const N: usize>(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    let Some(range) = Range::of(operator, lanes::number(value).swap_bytes()) else {
        return;
    };
    simd_dispatch(
        #[inline(always)]
        move || {
            for (bit, cell) in selected.iter_mut().zip(data.as_chunks::<N>().0) {
                *bit &= u8::from(range.has(lanes::number(cell).swap_bytes()));
            }
        },
    );
}

/// Cells of eight to sixteen bytes.
fn wide(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        move || {
            let size = value.len();
            // What the loops are compiled to rely on.
            if size < WORD {
                return;
            }
            let known = ends(value);
            let bound = ordered(value);
            match operator {
                Operator::Eq | Operator::Ne => {
                    let wanted = operator == Operator::Eq;
                    lanes::select::<4>(size, data, selected, wanted, move |cell| {
                        let cell = ends(cell);
                        (cell[0] ^ known[0]) | (cell[1] ^ known[1]) == 0
                    });
                }
                Operator::Lt | Operator::Ge => {
                    let wanted = operator == Operator::Lt;
                    lanes::select::<4>(size, data, selected, wanted, move |cell| {
                        ordered(cell) < bound
                    });
                }
                _ => {
                    let wanted = operator == Operator::Gt;
                    lanes::select::<4>(size, data, selected, wanted, move |cell| {
                        ordered(cell) > bound
                    });
                }
            }
        },
    );
}

/// The word of a text at `at`, its first byte lowest.
#[inline(always)]
fn word(text: &[u8], at: usize) -> u64 {
    let word = text[at..].first_chunk();
    word.map_or(0, |word| u64::from_le_bytes(*word))
}

/// The first word of a text and the last.
#[inline(always)]
fn ends(text: &[u8]) -> [u64; 2] {
    [word(text, 0), word(text, text.len() - WORD)]
}

/// The same as a number in the order of texts of one length: where both overlap, the first decided.
#[inline(always)]
fn ordered(text: &[u8]) -> u128 {
    let [first, last] = ends(text);
    u128::from(first.swap_bytes()) << u64::BITS | u128::from(last.swap_bytes())
}

/// Cells of more bytes than that.
fn long(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    let head = |text: &[u8]| lanes::number(&text[..WORD]).swap_bytes();
    let first = head(value);
    // What a cell gives whose first bytes are others: whether these are less, the opposite, or the same for both.
    let (asks, otherwise) = match operator {
        Operator::Lt | Operator::Le => (true, false),
        Operator::Gt | Operator::Ge => (true, true),
        other => (false, other == Operator::Ne),
    };
    for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(value.len())) {
        let word = head(cell);
        let mut holds = ((word < first) & asks) ^ otherwise;
        if word == first {
            holds = holds_text(operator, &cell[WORD..], &value[WORD..]);
        }
        *bit &= u8::from(holds);
    }
}

/// Clears the bits of the cells, each from one of `starts` to the next, that do not compare as wanted with `value`.
pub(super) fn select_varying(
    operator: Operator,
    value: &[u8],
    data: &[u8],
    starts: &[u64],
    selected: &mut [u8],
) {
    let with = Varying {
        operator,
        value,
        data,
        starts,
    };
    match operator {
        Operator::Lt => with.select(selected, |cell, known| cell < known),
        Operator::Le => with.select(selected, |cell, known| cell <= known),
        Operator::Gt => with.select(selected, |cell, known| cell > known),
        Operator::Ge => with.select(selected, |cell, known| cell >= known),
        Operator::Eq => with.select(selected, |cell, known| cell == known),
        Operator::Ne => with.select(selected, |cell, known| cell != known),
        Operator::AlwaysTrue => {}
        Operator::In | Operator::NotIn | Operator::AlwaysFalse => selected.fill(0),
    }
}

/// Cells of any length and what they are compared with.
struct Varying<'a> {
    operator: Operator,
    value: &'a [u8],
    data: &'a [u8],
    starts: &'a [u64],
}

impl Varying<'_> {
    /// `holds` tells of the numbers of a cell and of the value whether they compare as wanted.
    #[inline(always)]
    fn select(&self, selected: &mut [u8], holds: impl Fn(u128, u128) -> bool) {
        let known = text_key(self.value, 0, self.value.len());
        let whole = is_exact_key(known);
        for (bit, pair) in selected.iter_mut().zip(self.starts.windows(2)) {
            let (start, end) = (pair[0] as usize, pair[1] as usize);
            let cell = text_key(self.data, start, end - start);
            let mut wanted = holds(cell, known);
            if !whole && cell == known && *bit != 0 {
                wanted = holds_text(self.operator, &self.data[start..end], self.value);
            }
            *bit &= u8::from(wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPERATORS: [Operator; 6] = [
        Operator::Lt,
        Operator::Le,
        Operator::Gt,
        Operator::Ge,
        Operator::Eq,
        Operator::Ne,
    ];

    fn a_byte() -> impl Strategy<Value = u8> {
        prop_oneof![Just(0u8), Just(1), Just(0x7f), Just(0x80), Just(255)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn texts_of_one_length_compare_by_bytes_then_by_length(
            size in 1usize..41,
            value in proptest::collection::vec(a_byte(), 0..41),
            bytes in proptest::collection::vec(a_byte(), 211),
            shares in proptest::collection::vec((0usize..200, 0usize..41), 20),
        ) {
            let mut data: Vec<u8> = bytes.iter().cycle().take(size * 75).copied().collect();
            // Some cells share the beginning of the value.
            for (cell, share) in shares {
                let cell = cell % (data.len() / size) * size;
                let shared = share.min(size).min(value.len());
                data[cell..cell + shared].copy_from_slice(&value[..shared]);
            }
            for operator in OPERATORS {
                let (told, fitting) = fit(operator, value.clone(), size);
                let mut selected = vec![1; data.len() / size];
                selected[0] = 0;
                match told {
                    Operator::AlwaysTrue => {}
                    Operator::AlwaysFalse => selected.fill(0),
                    _ => select(told, &fitting, &data, &mut selected),
                }
                for (at, cell) in data.chunks_exact(size).enumerate() {
                    let holds = at > 0 && holds_text(operator, cell, &value);
                    prop_assert_eq!(selected[at], u8::from(holds), "{:?} {:?} {:?}", operator, cell, value);
                }
            }
        }

        #[test]
        fn texts_of_any_length_compare_by_bytes_then_by_length(
            value in proptest::collection::vec(a_byte(), 0..20),
            texts in proptest::collection::vec((proptest::collection::vec(a_byte(), 0..20), 0usize..20), 1..40),
        ) {
            // Texts that share the beginning of the value.
            let texts: Vec<Vec<u8>> = texts
                .iter()
                .map(|(text, share)| [&value[..value.len().min(*share)], &text[..]].concat())
                .collect();
            let ends = texts.iter().scan(0, |end, text| {
                *end += text.len() as u64;
                Some(*end)
            });
            let starts: Vec<u64> = [0].into_iter().chain(ends).collect();
            for operator in OPERATORS {
                let mut selected = vec![1; texts.len()];
                selected[0] = 0;
                select_varying(operator, &value, &texts.concat(), &starts, &mut selected);
                for (at, cell) in texts.iter().enumerate() {
                    let holds = at > 0 && holds_text(operator, cell, &value);
                    prop_assert_eq!(selected[at], u8::from(holds), "{:?} {:?} {:?}", operator, cell, value);
                }
            }
        }
    }
}
