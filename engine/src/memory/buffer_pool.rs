//! A process-wide pool of freed buffers. Reuse avoids page faults, which cost as much as filling
//! the memory.
//!
//! Only `try_lock` is used: after `fork` the lock may be held by a thread that does not exist in
//! the child.

use crate::error::{Result, reserve_exact};
use parking_lot::Mutex;

/// The maximum total size of the pool, in bytes.
const MAX_TOTAL: usize = 8 << 20;
/// The maximum number of vectors of each element type. A linear search goes through them.
const MAX_VECTORS: usize = 256;
/// Smaller buffers, in bytes, are left to the allocator.
const MIN_SIZE: usize = 4096;
/// Larger buffers, in bytes, are returned to the system, so that a few of them cannot fill the
/// pool.
const MAX_SIZE: usize = 1 << 20;

static POOL: Mutex<FreeBuffers> = Mutex::new(FreeBuffers {
    bytes: Vec::new(),
    words: Vec::new(),
    total: 0,
});

#[derive(Debug)]
struct FreeBuffers {
    bytes: Vec<Vec<u8>>,
    words: Vec<Vec<u64>>,
    /// The total capacity of all vectors, in bytes.
    total: usize,
}

/// Removes and returns the vector with the smallest capacity of at least `len` values, or returns
/// an empty vector if none is large enough.
fn take<T>(from: &mut Vec<Vec<T>>, len: usize, total: &mut usize) -> Vec<T> {
    if len.saturating_mul(size_of::<T>()) < MIN_SIZE {
        return Vec::new();
    }
    let sufficient = from.iter().enumerate();
    let sufficient = sufficient.filter(|(_, buffer)| buffer.capacity() >= len);
    let Some((index, _)) = sufficient.min_by_key(|(_, buffer)| buffer.capacity()) else {
        return Vec::new();
    };
    let taken = from.swap_remove(index);
    *total -= taken.capacity() * size_of::<T>();
    taken
}

fn put<T>(to: &mut Vec<Vec<T>>, buffer: Vec<T>, total: &mut usize, max: usize) {
    let bytes = buffer.capacity() * size_of::<T>();
    if (MIN_SIZE..=MAX_SIZE).contains(&bytes)
        && *total + bytes <= max.min(MAX_TOTAL)
        && to.len() < MAX_VECTORS
    {
        *total += bytes;
        to.push(buffer);
    }
}

/// Returns a vector from the pool with capacity for at least `len` bytes and unspecified content,
/// or an empty vector without an allocation if none is large enough.
pub fn take_bytes(len: usize) -> Vec<u8> {
    let Some(mut pool) = POOL.try_lock() else {
        return Vec::new();
    };
    let FreeBuffers { bytes, total, .. } = &mut *pool;
    take(bytes, len, total)
}

/// Returns a vector from the pool with capacity for at least `len` words and unspecified content,
/// or an empty vector without an allocation if none is large enough.
pub fn take_words(len: usize) -> Vec<u64> {
    let Some(mut pool) = POOL.try_lock() else {
        return Vec::new();
    };
    let FreeBuffers { words, total, .. } = &mut *pool;
    take(words, len, total)
}

/// Returns `len` words of unspecified content, from the pool if possible. Returns an error if
/// memory cannot be allocated.
pub fn filled_words(what: &'static str, len: usize) -> Result<Vec<u64>> {
    let mut words = take_words(len);
    if words.capacity() < len {
        words.clear();
        reserve_exact(what, &mut words, len)?;
    }
    words.resize(len, 0);
    Ok(words)
}

/// Puts the memory of a vector into the pool, unless the pool would exceed `max` bytes.
pub fn put_bytes(vec: Vec<u8>, max: usize) {
    if let Some(mut pool) = POOL.try_lock() {
        let FreeBuffers { bytes, total, .. } = &mut *pool;
        put(bytes, vec, total, max);
    }
}

/// Puts the memory of a vector of words into the pool, unless the pool would exceed `max` bytes.
pub fn put_words(vec: Vec<u64>, max: usize) {
    if let Some(mut pool) = POOL.try_lock() {
        let FreeBuffers { words, total, .. } = &mut *pool;
        put(words, vec, total, max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn take_returns_the_smallest_sufficient_vector() {
        let (mut buffers, mut total) = (Vec::new(), 0);
        for len in [9000, 5000, 7000, 100] {
            put(
                &mut buffers,
                Vec::<u8>::with_capacity(len),
                &mut total,
                20_000,
            );
        }
        // The third would exceed the limit; the fourth is too small.
        assert_eq!((buffers.len(), total), (2, 14_000));
        // Buffers of this size are left to the allocator, so the pool is not searched.
        assert_eq!(take(&mut buffers, 4000, &mut total).capacity(), 0);
        assert_eq!(take(&mut buffers, 4500, &mut total).capacity(), 5000);
        assert_eq!(take(&mut buffers, 9001, &mut total).capacity(), 0);
        assert_eq!(take(&mut buffers, 9000, &mut total).capacity(), 9000);
        assert_eq!((buffers.len(), total), (0, 0));
    }

    #[test]
    fn a_locked_pool_is_treated_as_empty() {
        // The state in a child that was forked while another thread held the lock.
        let _held = POOL.lock();
        put_bytes(vec![0; 5000], MAX_TOTAL);
        put_words(vec![0; 5000], MAX_TOTAL);
        assert_eq!(take_bytes(5000).capacity(), 0);
        assert_eq!(take_words(5000).capacity(), 0);
        assert_eq!(filled_words("words", 5000).expect("memory").len(), 5000);
    }
}
