//! Run-time choice of SIMD instructions: loops are compiled twice from one source, for the
//! architecture's baseline and for AVX2. Also the operations that the compiler does not vectorise
//! by itself.
#![expect(unsafe_code, reason = "instructions of the CPU")]

/// Runs `body` compiled for the widest vector instructions of the CPU. Everything that
/// `body` calls must be inlined into it; calls that are not inlined run code compiled for the
/// baseline.
#[inline(always)]
pub fn simd_dispatch<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: `has_avx2` has checked every feature that `with_avx2` is compiled for.
        return unsafe { with_avx2(body) };
    }
    body()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    #[cfg(test)]
    if baseline::is_forced() {
        return false;
    }
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
}

/// Truncates a number to an integer. Returns the least integer if it is out of range or NaN, as
/// x86's conversion does. Unlike the checks of `as`, these are vectorised.
#[inline(always)]
pub fn truncate_to_i32(value: f64) -> i32 {
    let fits = (-2_147_483_649.0 < value) & (value < 2_147_483_648.0);
    let value = if fits { value } else { -2_147_483_648.0 };
    // SAFETY: between the two numbers above, the truncated number is in the range of i32.
    unsafe { value.to_int_unchecked() }
}

/// Prefetches the cache lines of bytes that will be read or written soon.
#[inline]
pub fn prefetch(bytes: *const u8, len: usize) {
    /// The size of a cache line in bytes.
    const LINE: usize = 64;
    #[cfg(target_arch = "x86_64")]
    for offset in (0..len).step_by(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no observable effect, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.wrapping_add(offset).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (LINE, bytes, len);
}

/// Interleaving of 16 bytes at a time. Every x86-64 CPU has the instructions; other architectures
/// use plain loops, with which the tests compare them.
pub(crate) mod lanes {
    /// The size of a vector register on every supported CPU, in bytes.
    pub(crate) const LANES: usize = 16;

    /// The content of a vector register.
    pub(crate) type Lanes = [u8; LANES];

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) use super::plain::{unzip, zip};
    #[cfg(target_arch = "x86_64")]
    pub(crate) use super::sse2::{unzip, zip};
}

/// Interleaving with SSE2, which is part of the architecture.
#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_loadu_si128, _mm_packus_epi16, _mm_set1_epi16, _mm_srli_epi16,
        _mm_storeu_si128, _mm_unpackhi_epi8, _mm_unpacklo_epi8,
    };

    use super::lanes::{LANES, Lanes};

    #[inline(always)]
    fn load(lanes: Lanes) -> __m128i {
        // SAFETY: `lanes` has 16 bytes, and the load needs no alignment.
        unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(register: __m128i) -> Lanes {
        let mut lanes = [0; LANES];
        // SAFETY: the store writes 16 bytes, the size of `lanes`, to any address.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), register) };
        lanes
    }

    /// Returns the bytes at even positions, and those at odd positions.
    #[inline(always)]
    pub(crate) fn unzip(a: Lanes, b: Lanes) -> (Lanes, Lanes) {
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
    pub(crate) fn zip(evens: Lanes, odds: Lanes) -> (Lanes, Lanes) {
        let (evens, odds) = (load(evens), load(odds));
        // SAFETY: the two operations on registers need SSE2 only.
        let (a, b) = unsafe {
            (
                _mm_unpacklo_epi8(evens, odds),
                _mm_unpackhi_epi8(evens, odds),
            )
        };
        (store(a), store(b))
    }
}

/// Interleaving without CPU-specific instructions.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod plain {
    use super::lanes::{LANES, Lanes};

    /// Returns the bytes at even positions, and those at odd positions.
    #[inline(always)]
    pub(crate) fn unzip(a: Lanes, b: Lanes) -> (Lanes, Lanes) {
        let lane = |i: usize| if i < LANES { a[i] } else { b[i - LANES] };
        (
            std::array::from_fn(|i| lane(2 * i)),
            std::array::from_fn(|i| lane(2 * i + 1)),
        )
    }

    /// Reverses [`unzip`].
    #[inline(always)]
    pub(crate) fn zip(evens: Lanes, odds: Lanes) -> (Lanes, Lanes) {
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

/// Makes tests run the code for the baseline.
#[cfg(test)]
pub(crate) mod baseline {
    use std::cell::Cell;

    thread_local! {
        static FORCED: Cell<bool> = const { Cell::new(false) };
    }

    pub(crate) fn is_forced() -> bool {
        FORCED.get()
    }

    /// Runs `body` with the loops compiled for the baseline.
    pub(crate) fn force<R>(body: impl FnOnce() -> R) -> R {
        FORCED.set(true);
        let result = body();
        FORCED.set(false);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_loops_equal_simd_code() {
        let a = std::array::from_fn(|i| (i * 37 + 200) as u8);
        let b = std::array::from_fn(|i| (i * 91 + 3) as u8);
        assert_eq!(lanes::unzip(a, b), plain::unzip(a, b));
        assert_eq!(lanes::zip(a, b), plain::zip(a, b));
        assert_eq!(plain::unzip(plain::zip(a, b).0, plain::zip(a, b).1), (a, b));
    }

    #[test]
    fn numbers_out_of_range_are_truncated_to_the_least_integer() {
        for (value, expected) in [
            (2.9, 2),
            (-2.9, -2),
            (2_147_483_647.9, i32::MAX),
            (-2_147_483_648.9, i32::MIN),
            (2_147_483_648.0, i32::MIN),
            (-2_147_483_649.0, i32::MIN),
            (f64::INFINITY, i32::MIN),
            (f64::NAN, i32::MIN),
        ] {
            assert_eq!(truncate_to_i32(value), expected, "{value}");
        }
    }
}
