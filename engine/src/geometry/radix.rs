//! Radix sort of numbers by some of their bits, from the lowest digit to the highest. Each pass is
//! stable.

use crate::error::Result;
use crate::memory::pool;
use crate::memory::tuning::{MAX_CACHED_NUMBERS, MIN_RADIX_NUMBERS};

const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Sorts numbers by their bits from `low` to `high` (exclusive); the bits from `high` on must be
/// equal. The sort is stable if the bits below `low` ascend among numbers that are otherwise equal.
pub fn sort_by_bits(items: &mut Vec<u64>, low: u32, high: u32) -> Result<()> {
    if items.len() < MIN_RADIX_NUMBERS {
        items.sort_unstable();
        return Ok(());
    }
    let mut other = pool::filled_words("cell order", items.len())?;
    sort_with(items, &mut other, low, high);
    pool::put_words(other, usize::MAX);
    Ok(())
}

/// Sorts numbers using `other` of the same length as workspace. The vectors may be swapped.
fn sort_with(items: &mut Vec<u64>, other: &mut Vec<u64>, low: u32, high: u32) {
    let left = high.saturating_sub(DIGIT_BITS);
    if items.len() <= MAX_CACHED_NUMBERS || left <= low {
        return sort_digits(items, other, low, high);
    }
    let mut ends = count(items, left);
    counts_to_starts(&mut ends);
    distribute(items, other, left, &mut ends);
    let mut start = 0;
    for end in ends {
        sort_digits(&mut other[start..end], &mut items[start..end], low, left);
        start = end;
    }
    std::mem::swap(items, other);
}

/// Sorts numbers from the lowest digit to the highest, using `other` of the same length as
/// workspace.
fn sort_digits(items: &mut [u64], other: &mut [u64], low: u32, high: u32) {
    if items.len() < MIN_RADIX_NUMBERS {
        return items.sort_unstable();
    }
    let (mut from, mut to) = (&mut *items, &mut *other);
    let mut moved = false;
    for shift in (low..high).step_by(DIGIT_BITS as usize) {
        let mut positions = count(from, shift);
        // A digit that is the same for all numbers needs no pass.
        if positions.contains(&from.len()) {
            continue;
        }
        counts_to_starts(&mut positions);
        distribute(from, to, shift, &mut positions);
        std::mem::swap(&mut from, &mut to);
        moved = !moved;
    }
    if moved {
        to.copy_from_slice(from);
    }
}

fn digit(item: u64, shift: u32) -> usize {
    (item >> shift) as usize % DIGITS
}

/// Counts the occurrences of each digit.
fn count(items: &[u64], shift: u32) -> [usize; DIGITS] {
    let mut counts = [0; DIGITS];
    items
        .iter()
        .for_each(|item| counts[digit(*item, shift)] += 1);
    counts
}

/// Replaces counts by the start of each digit's part.
fn counts_to_starts(counts: &mut [usize; DIGITS]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

/// Distributes numbers by a digit. `positions` contains the next position for each digit;
/// afterwards, the end of each digit's part.
fn distribute(from: &[u64], to: &mut [u64], shift: u32, positions: &mut [usize; DIGITS]) {
    for item in from {
        let position = &mut positions[digit(*item, shift)];
        to[*position] = *item;
        *position += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sort_is_by_the_given_bits_and_stable(
            seed in any::<u64>(),
            number in prop_oneof![0usize..3000, 16_000usize..20_000],
            low in 15u32..40,
            width in 1u32..24,
            few in 1u32..24,
        ) {
            let mut state = seed;
            let mut items: Vec<u64> = (0..number as u64).map(|index| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // A small `few` leads to few distinct digits.
                let key = (state >> 33 & ((1 << few) - 1)) % (1 << width);
                key << low | index
            }).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item >> low);
            let high_bits = seed << (low + width);
            items.iter_mut().for_each(|item| *item |= high_bits);
            expected.iter_mut().for_each(|item| *item |= high_bits);
            sort_by_bits(&mut items, low, low + width).expect("memory");
            prop_assert_eq!(items, expected);
        }
    }
}
