//! XOR: the first value, then each value combined with the one before it by exclusive or.

use super::super::words::{low, word};
use crate::bytes::{simd_dispatch, sized};

/// Encodes `from`, which consists of whole values, to `to`, which has the same length.
pub(super) fn encode(value_size: usize, from: &[u8], to: &mut [u8]) {
    let first = value_size.min(from.len());
    to[..first].copy_from_slice(&from[..first]);
    simd_dispatch(
        #[inline(always)]
        || {
            let pairs = from[first..].iter().zip(from);
            for (to, (byte, previous)) in to[first..].iter_mut().zip(pairs) {
                *to = byte ^ previous;
            }
        },
    );
}

/// Reverses [`encode`].
pub(super) fn decode(value_size: usize, from: &[u8], to: &mut [u8]) {
    sized!(value_size, S => combine::<S>(from, to));
}

fn combine<const S: usize>(from: &[u8], to: &mut [u8]) {
    let mut previous = 0;
    let from = from.as_chunks::<S>().0;
    for (to, value) in to.as_chunks_mut::<S>().0.iter_mut().zip(from) {
        previous ^= word(value);
        *to = low(previous);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_round_trips() {
        for size in [1, 2, 4, 8] {
            for values in 0..70 {
                let data: Vec<u8> = (0..values * size)
                    .map(|i| (i * i * 7 % 251) as u8)
                    .collect();
                let (mut stored, mut back) = (vec![0; data.len()], vec![0; data.len()]);
                encode(size, &data, &mut stored);
                decode(size, &stored, &mut back);
                assert_eq!(back, data, "{values} values of {size}");
            }
        }
    }
}
