//! SplitMix64 random numbers, which are reproducible from a seed, and the seeds to run.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A generator. Its state is the seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub(crate) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// Returns two numbers below `end`, the smaller one first.
    pub(crate) fn range_below(&mut self, end: u64) -> (u64, u64) {
        let (one, other) = (self.below(end), self.below(end));
        (one.min(other), one.max(other))
    }
}

/// Returns the seeds to run: `TILEDB_RS_CASES` seeds, by default `usual`, from
/// `TILEDB_RS_FIRST_SEED` or 1 on; or only `TILEDB_RS_SEED`.
pub(crate) fn seeds(usual: u64) -> Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    match number("TILEDB_RS_SEED") {
        Some(seed) => seed..seed + 1,
        None => {
            let first = number("TILEDB_RS_FIRST_SEED").unwrap_or(1);
            first..first + number("TILEDB_RS_CASES").unwrap_or(usual)
        }
    }
}

/// Runs a case for each seed and reports the seeds that fail.
pub(crate) fn for_each_seed(usual: u64, mut case: impl FnMut(u64)) -> Range<u64> {
    let seeds = seeds(usual);
    for seed in seeds.clone() {
        let run = catch_unwind(AssertUnwindSafe(|| case(seed)));
        assert!(run.is_ok(), "the case of seed {seed} failed");
    }
    seeds
}
