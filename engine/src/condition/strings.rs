//! Compares strings as big-endian integers. Strings of fixed length:
//!
//! ```text
//! up to 8 bytes     one comparison of 64-bit integers, in SIMD lanes
//! up to 16 bytes    one comparison of 128-bit integers, from the first and the last 8 bytes
//! longer            the first 8 bytes decide, unless they are equal
//! ```
//!
//! For strings of variable length, the first 15 bytes and the length form an integer.
//!
//! An operand that is shorter than the strings of a fixed-length column is padded with zeros, as
//! the strings are. A longer one is truncated, and the operator is adjusted accordingly.

use super::{Operator, lanes};
use crate::bytes::{is_exact_key, simd_dispatch, text_key};

/// The number of bytes of an integer.
const WORD: usize = size_of::<u64>();

/// Compares two strings by bytes, then by length.
pub(super) fn holds_text(operator: Operator, cell: &[u8], value: &[u8]) -> bool {
    match operator {
        Operator::Lt => cell < value,
        Operator::Le => cell <= value,
        Operator::Gt => cell > value,
        Operator::Ge => cell >= value,
        Operator::Eq => cell == value,
        Operator::Ne => cell != value,
        Operator::In | Operator::NotIn | Operator::AlwaysFalse => false,
        Operator::AlwaysTrue => true,
    }
}

/// Adjusts a comparison of strings of `size` bytes to an operand of the same length: always true or
/// false if a longer operand decides. Zeros after a string have no meaning: the cells of a
/// fixed-length column have them after shorter strings.
pub(super) fn fit(operator: Operator, mut value: Vec<u8>, size: usize) -> (Operator, Vec<u8>) {
    let is_longer = value.iter().skip(size).any(|byte| *byte != 0);
    value.resize(size, 0);
    // A cell that equals the start of a longer operand is less than the operand.
    let operator = match operator {
        Operator::Lt | Operator::Le if is_longer => Operator::Le,
        Operator::Gt | Operator::Ge if is_longer => Operator::Gt,
        Operator::Eq if is_longer => Operator::AlwaysFalse,
        Operator::Ne if is_longer => Operator::AlwaysTrue,
        other => other,
    };
    (operator, value)
}

/// Clears the bits of the cells that do not satisfy the comparison with `value`, whose length they
/// have.
pub(super) fn select(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    match value.len() {
        0 => {}
        1 => select_short::<1>(operator, value, data, selected),
        2 => select_short::<2>(operator, value, data, selected),
        3 => select_short::<3>(operator, value, data, selected),
        4 => select_short::<4>(operator, value, data, selected),
        5 => select_short::<5>(operator, value, data, selected),
        6 => select_short::<6>(operator, value, data, selected),
        7 => select_short::<7>(operator, value, data, selected),
        8 => select_short::<8>(operator, value, data, selected),
        9..=16 => select_wide(operator, value, data, selected),
        _ => select_long(operator, value, data, selected),
    }
}

/// The integers from `low` to `low + more`, or, if `outside`, all others.
#[derive(Clone, Copy)]
struct Range {
    low: u64,
    more: u64,
    outside: bool,
}

impl Range {
    /// Returns the integers that satisfy a comparison with `value`, or `None` for a constant
    /// operator.
    fn of(operator: Operator, value: u64) -> Option<Self> {
        let up_to = |value: Option<u64>, outside| match value {
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
            Operator::Lt => up_to(value.checked_sub(1), false),
            Operator::Le => up_to(Some(value), false),
            Operator::Gt => up_to(Some(value), true),
            Operator::Ge => up_to(value.checked_sub(1), true),
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

/// Selects cells of `N` bytes, at most eight.
fn select_short<const N: usize>(
    operator: Operator,
    value: &[u8],
    data: &[u8],
    selected: &mut [u8],
) {
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

/// Selects cells of eight to sixteen bytes.
fn select_wide(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        move || {
            let size = value.len();
            // The compiler removes bounds checks because of this assertion.
            if size < WORD {
                return;
            }
            let known = ends(value);
            let bound = ordered(value);
            match operator {
                Operator::Eq | Operator::Ne => {
                    let expected = operator == Operator::Eq;
                    lanes::select::<4>(size, data, selected, expected, move |cell| {
                        let cell = ends(cell);
                        (cell[0] ^ known[0]) | (cell[1] ^ known[1]) == 0
                    });
                }
                Operator::Lt | Operator::Ge => {
                    let expected = operator == Operator::Lt;
                    lanes::select::<4>(size, data, selected, expected, move |cell| {
                        ordered(cell) < bound
                    });
                }
                _ => {
                    let expected = operator == Operator::Gt;
                    lanes::select::<4>(size, data, selected, expected, move |cell| {
                        ordered(cell) > bound
                    });
                }
            }
        },
    );
}

/// Returns the first and the last eight bytes of a string.
#[inline(always)]
fn ends(text: &[u8]) -> [u64; 2] {
    [lanes::word(text, 0), lanes::word(text, text.len() - WORD)]
}

/// Returns the first and the last eight bytes as an integer in string order. Overlapping bytes of
/// the last word do not matter, because they were compared in the first word.
#[inline(always)]
fn ordered(text: &[u8]) -> u128 {
    let [first, last] = ends(text);
    u128::from(first.swap_bytes()) << u64::BITS | u128::from(last.swap_bytes())
}

/// Selects longer cells.
fn select_long(operator: Operator, value: &[u8], data: &[u8], selected: &mut [u8]) {
    let head = |text: &[u8]| lanes::number(&text[..WORD]).swap_bytes();
    let first = head(value);
    // If the first bytes differ: for an ordering, whether they are less decides, negated for `Gt`
    // and `Ge`; for `Eq` and `Ne` the result is constant.
    let (is_ordering, negates) = match operator {
        Operator::Lt | Operator::Le => (true, false),
        Operator::Gt | Operator::Ge => (true, true),
        other => (false, other == Operator::Ne),
    };
    for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(value.len())) {
        let word = head(cell);
        let mut holds = ((word < first) & is_ordering) ^ negates;
        if word == first {
            holds = holds_text(operator, &cell[WORD..], &value[WORD..]);
        }
        *bit &= u8::from(holds);
    }
}

/// Clears the bits of the variable-length cells, delimited by `starts`, that do not satisfy the
/// comparison with `value`.
pub(super) fn select_varying(
    operator: Operator,
    value: &[u8],
    data: &[u8],
    starts: &[u64],
    selected: &mut [u8],
) {
    match operator {
        Operator::Lt => select_by(operator, value, data, starts, selected, |a, b| a < b),
        Operator::Le => select_by(operator, value, data, starts, selected, |a, b| a <= b),
        Operator::Gt => select_by(operator, value, data, starts, selected, |a, b| a > b),
        Operator::Ge => select_by(operator, value, data, starts, selected, |a, b| a >= b),
        Operator::Eq => select_equal(true, value, data, starts, selected),
        Operator::Ne => select_equal(false, value, data, starts, selected),
        Operator::AlwaysTrue => {}
        Operator::In | Operator::NotIn | Operator::AlwaysFalse => selected.fill(0),
    }
}

/// Selects the cells that satisfy an ordering. `holds` compares the integer of a cell with that of
/// the operand.
#[inline(always)]
fn select_by(
    operator: Operator,
    value: &[u8],
    data: &[u8],
    starts: &[u64],
    selected: &mut [u8],
    holds: impl Fn(u128, u128) -> bool,
) {
    let known = text_key(value, 0, value.len());
    let is_exact = is_exact_key(known);
    for (bit, pair) in selected.iter_mut().zip(starts.windows(2)) {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        let cell = text_key(data, start, end - start);
        let mut is_selected = holds(cell, known);
        if !is_exact && cell == known && *bit != 0 {
            is_selected = holds_text(operator, &data[start..end], value);
        }
        *bit &= u8::from(is_selected);
    }
}

/// Selects the cells that are equal to the operand, or the others. Most cells differ from it in
/// their length or in one of two words, which are compared without a branch.
fn select_equal(expected: bool, value: &[u8], data: &[u8], starts: &[u64], selected: &mut [u8]) {
    let len = value.len();
    let mask = match len {
        0..WORD => (1 << (8 * len)) - 1,
        _ => u64::MAX,
    };
    let first = lanes::number(value) & mask;
    if len <= WORD {
        return select_where(expected, len, starts, selected, |start, _| {
            (word_at(data, start) ^ first) & mask == 0
        });
    }
    // For up to 16 bytes the two words contain the complete string.
    let distance = (len - WORD).min(WORD);
    let second = lanes::word(value, distance);
    let words = |start: usize| {
        (word_at(data, start) ^ first) | (word_at(data, start + distance) ^ second) == 0
    };
    if len <= 2 * WORD {
        select_where(expected, len, starts, selected, |start, _| words(start));
    } else {
        select_where(expected, len, starts, selected, |start, end| {
            words(start) && data.get(start..end) == Some(value)
        });
    }
}

/// Selects the cells of length `len` for which `is_equal` returns true, given their start and end,
/// or the others.
#[inline(always)]
fn select_where(
    expected: bool,
    len: usize,
    starts: &[u64],
    selected: &mut [u8],
    is_equal: impl Fn(usize, usize) -> bool,
) {
    let negated = u8::from(!expected);
    for (bit, pair) in selected.iter_mut().zip(starts.windows(2)) {
        let has_len = pair[1].wrapping_sub(pair[0]) == len as u64;
        let equal = has_len & is_equal(pair[0] as usize, pair[1] as usize);
        *bit &= u8::from(equal) ^ negated;
    }
}

/// Returns the eight bytes of the values from `start` on as a little-endian integer, padded
/// with zeros at the end.
#[inline(always)]
fn word_at(data: &[u8], start: usize) -> u64 {
    let rest = data.get(start..).unwrap_or_default();
    match rest.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => lanes::number(rest),
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
        fn texts_of_one_length_compare_as_if_zeros_followed(
            size in 1usize..41,
            value in proptest::collection::vec(a_byte(), 0..41),
            bytes in proptest::collection::vec(a_byte(), 211),
            shares in proptest::collection::vec((0usize..200, 0usize..41), 20),
        ) {
            let mut data: Vec<u8> = bytes.iter().cycle().take(size * 75).copied().collect();
            // Some cells have a common prefix with the operand.
            for (cell, share) in shares {
                let cell = cell % (data.len() / size) * size;
                let shared = share.min(size).min(value.len());
                data[cell..cell + shared].copy_from_slice(&value[..shared]);
            }
            for operator in OPERATORS {
                let (fitted, fitting) = fit(operator, value.clone(), size);
                let mut selected = vec![1; data.len() / size];
                selected[0] = 0;
                match fitted {
                    Operator::AlwaysTrue => {}
                    Operator::AlwaysFalse => selected.fill(0),
                    _ => select(fitted, &fitting, &data, &mut selected),
                }
                let padded = |text: &[u8]| [text, &[0; 41][text.len()..]].concat();
                for (index, cell) in data.chunks_exact(size).enumerate() {
                    let holds = index > 0 && holds_text(operator, &padded(cell), &padded(&value));
                    prop_assert_eq!(selected[index], u8::from(holds), "{:?} {:?} {:?}", operator, cell, value);
                }
            }
        }

        #[test]
        fn texts_of_any_length_compare_by_bytes_then_by_length(
            value in proptest::collection::vec(a_byte(), 0..24),
            texts in proptest::collection::vec((proptest::collection::vec(a_byte(), 0..20), 0usize..25), 1..40),
        ) {
            // Strings with a common prefix with the operand.
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
                for (index, cell) in texts.iter().enumerate() {
                    let holds = index > 0 && holds_text(operator, cell, &value);
                    prop_assert_eq!(selected[index], u8::from(holds), "{:?} {:?} {:?}", operator, cell, value);
                }
            }
        }
    }
}
