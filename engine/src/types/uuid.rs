//! Identifiers that no other process generates, for the names of files.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::now;
use crate::platform::lock::OnceValue;

/// The number of hexadecimal digits in an identifier.
pub const UUID_LEN: usize = 32;

/// Returns 32 hexadecimal digits: 8 from a counter of this process, so that later names sort after
/// earlier ones, and 24 random ones.
pub fn new_uuid() -> String {
    // The counter does not restart each millisecond: a name is generated after its timestamp was
    // taken, perhaps in the next millisecond.
    static COUNTER: OnceValue<AtomicU32> = OnceValue::new();
    let counter = COUNTER
        .get_or_init(|| AtomicU32::new(random(now()) as u32 >> 1))
        .fetch_add(1, Ordering::Relaxed);
    let high = random(u64::from(counter));
    let low = random(!u64::from(counter)) as u32;
    format!("{counter:08x}{high:016x}{low:08x}")
}

/// Returns a random number from 0 to 1.
pub fn random_fraction() -> f64 {
    random(0) as f64 / u64::MAX as f64
}

/// Returns a random number. It is keyed by the operating system's randomness and by the process id,
/// so that forked children, which inherit the keys, generate different numbers.
pub fn random(salt: u64) -> u64 {
    static KEYS: OnceValue<RandomState> = OnceValue::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut hasher = KEYS.get_or_init(RandomState::new).build_hasher();
    hasher.write_u32(std::process::id());
    hasher.write_u64(salt);
    hasher.write_u64(COUNT.fetch_add(1, Ordering::Relaxed));
    hasher.write_u64(now());
    hasher.finish()
}
