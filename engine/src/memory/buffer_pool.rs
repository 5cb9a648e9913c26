//! A process-wide pool of freed buffers. Reuse avoids page faults, which cost as much as filling
//! the memory.

use super::idle::Idle;
use crate::error::{Result, reserve_exact};

/// Returns a vector from the pool with capacity for at least `len` bytes and unspecified content,
/// or an empty vector without an allocation if none is large enough.
pub fn take_bytes(len: usize) -> Vec<u8> {
    let idle = Idle::of_process();
    idle.byte_buffers.take(len, &idle.buffer_bytes)
}

/// Returns a vector from the pool with capacity for at least `len` words and unspecified content,
/// or an empty vector without an allocation if none is large enough.
pub fn take_words(len: usize) -> Vec<u64> {
    let idle = Idle::of_process();
    idle.word_buffers.take(len, &idle.buffer_bytes)
}

/// Returns `len` bytes of unspecified content, from the pool if possible. Returns an error if
/// memory cannot be allocated.
pub fn filled_bytes(purpose: &'static str, len: usize) -> Result<Vec<u8>> {
    filled(purpose, take_bytes(len), len)
}

/// Returns `len` words of unspecified content, from the pool if possible. Returns an error if
/// memory cannot be allocated.
pub fn filled_words(purpose: &'static str, len: usize) -> Result<Vec<u64>> {
    filled(purpose, take_words(len), len)
}

fn filled<T: Clone + Default>(
    purpose: &'static str,
    mut buffer: Vec<T>,
    len: usize,
) -> Result<Vec<T>> {
    if buffer.capacity() < len {
        buffer.clear();
        reserve_exact(purpose, &mut buffer, len)?;
    }
    buffer.resize(len, T::default());
    Ok(buffer)
}

/// Puts the memory of a vector into the pool, unless the pool would exceed `max` bytes.
pub fn put_bytes(buffer: Vec<u8>, max: usize) {
    let idle = Idle::of_process();
    idle.byte_buffers.put(buffer, &idle.buffer_bytes, max);
}

/// Puts the memory of a vector of words into the pool, unless the pool would exceed `max` bytes.
pub fn put_words(buffer: Vec<u64>, max: usize) {
    let idle = Idle::of_process();
    idle.word_buffers.put(buffer, &idle.buffer_bytes, max);
}
