//! Run-time choice of SIMD instructions: loops are compiled twice from one source, for the
//! architecture's baseline and for AVX2.
#![expect(
    unsafe_code,
    reason = "calls what was compiled for AVX2, where the CPU has it"
)]

/// Runs `body` compiled for the simd_dispatch vector instructions of the CPU. Everything that
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
