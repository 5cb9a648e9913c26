//! Interleaving of 16 bytes at a time, on which both shuffles are based. Every x86-64 CPU has the
//! instructions; other architectures use plain loops, with which the tests compare them.

/// The size of a vector register on every supported CPU, in bytes.
pub(super) const LANES: usize = 16;

/// The content of a vector register.
pub(super) type Lanes = [u8; LANES];

/// Converts 16 values of `N` bytes (2, 4 or 8) to the row of their first bytes, the row of their
/// second bytes, and so on.
#[inline(always)]
pub(super) fn split<const N: usize>(mut values: [Lanes; N]) -> [Lanes; N] {
    let mut step = 1;
    while step < N {
        let from = values;
        for i in 0..N / 2 {
            (values[i], values[N / 2 + i]) = pair::unzip(from[2 * i], from[2 * i + 1]);
        }
        step *= 2;
    }
    values
}

/// Reverses [`split`].
#[inline(always)]
pub(super) fn join<const N: usize>(mut rows: [Lanes; N]) -> [Lanes; N] {
    let mut step = 1;
    while step < N {
        let from = rows;
        for i in 0..N / 2 {
            (rows[2 * i], rows[2 * i + 1]) = pair::zip(from[i], from[N / 2 + i]);
        }
        step *= 2;
    }
    rows
}

#[cfg(target_arch = "x86_64")]
use sse2 as pair;

#[cfg(not(target_arch = "x86_64"))]
use plain as pair;

/// Operations on two registers, with SSE2.
#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "the hot loops of the shuffles; SSE2 is part of the architecture"
)]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_loadu_si128, _mm_packus_epi16, _mm_set1_epi16, _mm_srli_epi16,
        _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
    };

    use super::{LANES, Lanes};

    #[inline(always)]
    fn load(lanes: Lanes) -> __m128i {
        // SAFETY: `lanes` has 16 bytes, and the load needs no alignment.
        unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(register: __m128i) -> Lanes {
        let mut lanes = [0; LANES];
        // SAFETY: `lanes` has 16 bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), register) };
        lanes
    }

    /// Returns the bytes at even positions, and those at odd positions.
    #[inline(always)]
    pub(super) fn unzip(a: Lanes, b: Lanes) -> (Lanes, Lanes) {
        let (a, b) = (load(a), load(b));
        // SAFETY: every x86-64 CPU has SSE2.
        let (evens, odds) = unsafe {
            let low = _mm_set1_epi16(0xff);
            (
                _mm_packus_epi16(_mm_and_si128(a, low), _mm_and_si128(b, low)),
                _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8)),
            )
        };
        (store(evens), store(odds))
    }

    /// Reverses [`unzip`].
    #[inline(always)]
    pub(super) fn zip(evens: Lanes, odds: Lanes) -> (Lanes, Lanes) {
        let (evens, odds) = (load(evens), load(odds));
        // SAFETY: every x86-64 CPU has SSE2.
        let (a, b) = unsafe {
            (
                _mm_unpacklo_epi8(evens, odds),
                _mm_unpackhi_epi8(evens, odds),
            )
        };
        (store(a), store(b))
    }
}

/// The operations without CPU-specific instructions.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use super::{LANES, Lanes};

    #[inline(always)]
    pub(super) fn unzip(a: Lanes, b: Lanes) -> (Lanes, Lanes) {
        let lane = |i: usize| if i < LANES { a[i] } else { b[i - LANES] };
        (
            std::array::from_fn(|i| lane(2 * i)),
            std::array::from_fn(|i| lane(2 * i + 1)),
        )
    }

    #[inline(always)]
    pub(super) fn zip(evens: Lanes, odds: Lanes) -> (Lanes, Lanes) {
        let lane = |i: usize| {
            if i.is_multiple_of(2) {
                evens[i / 2]
            } else {
                odds[i / 2]
            }
        };
        (
            std::array::from_fn(lane),
            std::array::from_fn(|i| lane(LANES + i)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_loops_equal_simd_code() {
        let a = std::array::from_fn(|i| (i * 37 + 200) as u8);
        let b = std::array::from_fn(|i| (i * 91 + 3) as u8);
        assert_eq!(pair::unzip(a, b), plain::unzip(a, b));
        assert_eq!(pair::zip(a, b), plain::zip(a, b));
        assert_eq!(plain::unzip(plain::zip(a, b).0, plain::zip(a, b).1), (a, b));
    }

    #[test]
    fn rows_contain_the_bytes_of_one_position() {
        let values: [Lanes; 4] =
            std::array::from_fn(|i| std::array::from_fn(|j| (i * 16 + j) as u8));
        let rows = split(values);
        for (position, row) in rows.iter().enumerate() {
            assert_eq!(
                *row,
                std::array::from_fn(|value| (value * 4 + position) as u8)
            );
        }
        assert_eq!(join(rows), values);
    }
}
