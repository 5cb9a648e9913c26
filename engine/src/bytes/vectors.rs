//! The one place where code is chosen by what the CPU has: loops are compiled twice from one source, for what every CPU of
//! the architecture has and for AVX2.
#![expect(
    unsafe_code,
    reason = "calls what was compiled for AVX2, where the CPU has it"
)]

/// Runs a loop as it was compiled for the widest vectors that the CPU has. All that `body` calls must be inlined into it:
/// what is not is compiled for every CPU, and runs so.
#[inline(always)]
pub fn widest<R>(body: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the CPU has what the function is compiled for.
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

/// For tests: as if the CPU had only what every CPU of the architecture has.
#[cfg(test)]
pub(crate) mod baseline {
    use std::cell::Cell;

    thread_local! {
        static FORCED: Cell<bool> = const { Cell::new(false) };
    }

    pub(crate) fn is_forced() -> bool {
        FORCED.get()
    }

    /// Runs `body` with the loops that every CPU can run.
    pub(crate) fn force<R>(body: impl FnOnce() -> R) -> R {
        FORCED.set(true);
        let answer = body();
        FORCED.set(false);
        answer
    }
}
