//! Texts of one length compared with another text: as numbers, most significant byte first.
//!
//! ```text
//! texts of at most eight bytes    one comparison of 64-bit numbers, in lanes
//! longer ones                     their first eight bytes decide, unless they are equal
//! ```
//!
//! A text that is longer or shorter than those of the column is cut to the length that both have; what the cut off bytes
//! decide goes into the operator.

use std::cmp::Ordering;

use super::Operator;
use super::cells::holds_text;
use crate::bytes::widest;

/// How many bytes a number holds.
const WORD: usize = size_of::<u64>();

/// Clears the bits of the cells, `size` bytes each, that do not compare as wanted with `value`.
pub(super) fn select(
    operator: Operator,
    value: &[u8],
    size: usize,
    data: &[u8],
    selected: &mut [u8],
) {
    let common = size.min(value.len());
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
    let Some(range) = Range::of(operator, word(value) & mask(common)) else {
        if operator == Operator::AlwaysFalse {
            selected.fill(0);
        }
        return;
    };
    match size {
        1 => short::<1>(range, common, data, selected),
        2 => short::<2>(range, common, data, selected),
        3 => short::<3>(range, common, data, selected),
        4 => short::<4>(range, common, data, selected),
        5 => short::<5>(range, common, data, selected),
        6 => short::<6>(range, common, data, selected),
        7 => short::<7>(range, common, data, selected),
        8 => short::<8>(range, common, data, selected),
        _ if common <= WORD => long(range, common, size, data, selected),
        _ => longer(operator, &value[..common], size, data, selected),
    }
}

/// What is left of an operator where no cell can equal the value.
fn never_equal(operator: Operator) -> Operator {
    match operator {
        Operator::Eq => Operator::AlwaysFalse,
        Operator::Ne => Operator::AlwaysTrue,
        other => other,
    }
}

/// The first bytes of a text as a number in the order of texts; zeros follow a short one.
fn word(text: &[u8]) -> u64 {
    let mut word = [0; WORD];
    let len = text.len().min(WORD);
    word[..len].copy_from_slice(&text[..len]);
    u64::from_le_bytes(word).swap_bytes()
}

/// The bits of the first bytes of a number.
fn mask(bytes: usize) -> u64 {
    match bytes {
        0 => 0,
        bytes => u64::MAX << (8 * (WORD - bytes.min(WORD))),
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

/// Cells of `N` bytes, at most eight, of which the first `common` count.
fn short<const N: usize>(range: Range, common: usize, data: &[u8], selected: &mut [u8]) {
    let mask = mask(common);
    widest(
        #[inline(always)]
        || {
            for (bit, cell) in selected.iter_mut().zip(data.as_chunks::<N>().0) {
                let mut word = [0; WORD];
                word[..N].copy_from_slice(cell);
                *bit &= u8::from(range.has(u64::from_le_bytes(word).swap_bytes() & mask));
            }
        },
    );
}

/// The first eight bytes of a longer cell as a number.
#[inline(always)]
fn head(cell: &[u8]) -> u64 {
    cell.first_chunk()
        .map_or(0, |head| u64::from_le_bytes(*head).swap_bytes())
}

/// Cells of more than eight bytes, of which the first `common`, at most eight, count.
fn long(range: Range, common: usize, size: usize, data: &[u8], selected: &mut [u8]) {
    let mask = mask(common);
    for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(size)) {
        *bit &= u8::from(range.has(head(cell) & mask));
    }
}

/// Cells of more than eight bytes, and a value of as many or fewer, but more than eight.
fn longer(operator: Operator, value: &[u8], size: usize, data: &[u8], selected: &mut [u8]) {
    let first = head(value);
    // What a cell gives whose first bytes are others: whether these are less, the opposite, or the same for both.
    let (asks, otherwise) = match operator {
        Operator::Lt | Operator::Le => (true, false),
        Operator::Gt | Operator::Ge => (true, true),
        other => (false, other == Operator::Ne),
    };
    for (bit, cell) in selected.iter_mut().zip(data.chunks_exact(size)) {
        let word = head(cell);
        let mut holds = ((word < first) & asks) ^ otherwise;
        if word == first {
            holds = holds_text(operator, &cell[WORD..value.len()], &value[WORD..]);
        }
        *bit &= u8::from(holds);
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn texts_of_one_length_compare_by_bytes_then_by_length(
            size in 1usize..20,
            value in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0x7f), Just(0x80), Just(255)], 0..20),
            bytes in proptest::collection::vec(prop_oneof![Just(0u8), Just(1), Just(0x7f), Just(0x80), Just(255)], 400),
            own in 0usize..20,
        ) {
            let mut data = bytes;
            data.truncate(400 / size * size);
            // One cell shares the beginning of the value, however long that is.
            let cell = own % (data.len() / size) * size;
            let shared = size.min(value.len());
            data[cell..cell + shared].copy_from_slice(&value[..shared]);
            for operator in OPERATORS {
                let mut selected = vec![1; data.len() / size];
                selected[0] = 0;
                select(operator, &value, size, &data, &mut selected);
                for (at, cell) in data.chunks_exact(size).enumerate() {
                    let holds = at > 0 && holds_text(operator, cell, &value);
                    prop_assert_eq!(selected[at], u8::from(holds), "{:?} {:?} {:?}", operator, cell, value);
                }
            }
        }
    }
}
