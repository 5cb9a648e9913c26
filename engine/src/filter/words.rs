//! Values as little-endian words of 1, 2, 4 or 8 bytes, and wrapping differences and sums of them.
//! Signedness does not matter. Bytes after the last whole word are not touched.

use crate::bytes::{simd_dispatch, sized};

/// Converts bytes to a word.
#[inline(always)]
pub(super) fn word<const S: usize>(bytes: &[u8; S]) -> u64 {
    let mut wide = [0; 8];
    wide[..S].copy_from_slice(bytes);
    u64::from_le_bytes(wide)
}

/// Returns the lowest bytes of a word.
#[inline(always)]
pub(super) fn low<const S: usize>(word: u64) -> [u8; S] {
    let mut bytes = [0; S];
    bytes.copy_from_slice(&word.to_le_bytes()[..S]);
    bytes
}

/// Returns the first word of `bytes`, of `size` bytes; missing bytes are zero.
pub(super) fn first_word(size: usize, bytes: &[u8]) -> u64 {
    let mut wide = [0; 8];
    for (to, byte) in wide.iter_mut().zip(bytes.iter().take(size)) {
        *to = *byte;
    }
    u64::from_le_bytes(wide)
}

/// Writes each word minus the previous one; `previous` precedes the first.
pub(super) fn differences(size: usize, previous: u64, from: &[u8], to: &mut [u8]) {
    simd_dispatch(
        #[inline(always)]
        || sized!(size, S => differ::<S>(previous, from, to)),
    );
}

#[inline(always)]
fn differ<const S: usize>(mut previous: u64, from: &[u8], to: &mut [u8]) {
    let from = from.as_chunks::<S>().0;
    for (to, value) in to.as_chunks_mut::<S>().0.iter_mut().zip(from) {
        let value = word(value);
        *to = low(value.wrapping_sub(previous));
        previous = value;
    }
}

/// Reverses [`differences`].
pub(super) fn sums(size: usize, previous: u64, from: &[u8], to: &mut [u8]) {
    sized!(size, S => sum::<S>(previous, from, to));
}

fn sum<const S: usize>(mut previous: u64, from: &[u8], to: &mut [u8]) {
    let from = from.as_chunks::<S>().0;
    for (to, value) in to.as_chunks_mut::<S>().0.iter_mut().zip(from) {
        previous = previous.wrapping_add(word(value));
        *to = low(previous);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_undo_differences_of_all_lengths() {
        let data: Vec<u8> = (0..100u32).map(|i| ((i * i * 77) >> 3) as u8).collect();
        for size in [1, 2, 4, 8] {
            for values in 0..=100 / size {
                let data = &data[..values * size];
                let (mut stored, mut back) = (vec![0; data.len()], vec![0; data.len()]);
                differences(size, 5, data, &mut stored);
                sums(size, 5, &stored, &mut back);
                assert_eq!(back, data, "{values} values of {size}");
            }
        }
    }

    #[test]
    fn differences_wrap() {
        let mut to = [0; 3];
        differences(1, 0, &[1, 0, 255], &mut to);
        assert_eq!(to, [1, 255, 255]);
    }
}
