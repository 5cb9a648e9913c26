//! Sorting numbers by some of their bits, digit by digit from the lowest: each pass keeps the order
//! of the one before.

use crate::bytes::buffer_pool;
use crate::error::Result;

/// Fewer numbers than this are compared.
const FEW: usize = 256;
/// More numbers than this are first dealt out by their highest digit, so that each hand is sorted
/// in the nearest cache.
const MANY: usize = 1 << 14;
const DIGIT_BITS: u32 = 8;
const DIGITS: usize = 1 << DIGIT_BITS;

type Counts = [usize; DIGITS];

/// Sorts numbers by their bits from `low` up to, not including, `high`; the bits from `high` on are
/// all zeros. Those in which these are equal keep their order, if the bits below `low` ascend among
/// them.
pub fn sort_by_bits(items: &mut Vec<u64>, low: u32, high: u32) -> Result<()> {
    if items.len() < FEW {
        items.sort_unstable();
        return Ok(());
    }
    let mut other = buffer_pool::filled_words("cell order", items.len())?;
    sort_through(items, &mut other, low, high);
    buffer_pool::put_words(other, usize::MAX);
    Ok(())
}

/// The same by way of `other`, which is as long; the two may change their memory.
fn sort_through(items: &mut Vec<u64>, other: &mut Vec<u64>, low: u32, high: u32) {
    let left = high.saturating_sub(DIGIT_BITS);
    if items.len() <= MANY || left <= low {
        return sort_digits(items, other, low, high);
    }
    let mut ends = count(items, left);
    add_up(&mut ends);
    deal(items, other, left, &mut ends);
    let mut start = 0;
    for end in ends {
        sort_digits(&mut other[start..end], &mut items[start..end], low, left);
        start = end;
    }
    std::mem::swap(items, other);
}

/// The same from the lowest digit to the highest; `other` is as long, and memory only.
fn sort_digits(items: &mut [u64], other: &mut [u64], low: u32, high: u32) {
    if items.len() < FEW {
        return items.sort_unstable();
    }
    let (mut from, mut to) = (&mut *items, &mut *other);
    let mut moved = false;
    for shift in (low..high).step_by(DIGIT_BITS as usize) {
        let mut places = count(from, shift);
        // A digit that all share moves nothing.
        if places.contains(&from.len()) {
            continue;
        }
        add_up(&mut places);
        deal(from, to, shift, &mut places);
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

/// Returns how often each digit comes.
fn count(items: &[u64], shift: u32) -> Counts {
    let mut counts = [0; DIGITS];
    items
        .iter()
        .for_each(|item| counts[digit(*item, shift)] += 1);
    counts
}

/// Makes of numbers where each begins.
fn add_up(counts: &mut Counts) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

/// Deals numbers out by a digit to where `places` says; it says where each digit ends then.
fn deal(from: &[u64], to: &mut [u64], shift: u32, places: &mut Counts) {
    for item in from {
        let place = &mut places[digit(*item, shift)];
        to[*place] = *item;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_wanted_bits_and_stable(
            seed in any::<u64>(),
            number in prop_oneof![0usize..3000, 16_000usize..20_000],
            low in 15u32..40,
            width in 1u32..24,
            few in 1u32..24,
        ) {
            let mut state = seed;
            let mut items: Vec<u64> = (0..number as u64).map(|index| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Few different digits where `few` is small.
                let key = (state >> 33 & ((1 << few) - 1)) % (1 << width);
                key << low | index
            }).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item >> low);
            sort_by_bits(&mut items, low, low + width).expect("memory");
            prop_assert_eq!(items, expected);
        }
    }
}
