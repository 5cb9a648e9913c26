//! Memory that is no longer needed, for who needs some next: what the system takes back and gives anew costs as much as
//! filling it.
//!
//! Nobody waits for it: a forked child may have inherited the lock from a thread that it does not have.

use crate::error::{Result, reserve_exact};
use parking_lot::Mutex;

/// The most that is kept for the process, in bytes.
const KEPT: usize = 8 << 20;
/// The most vectors of a kind that are kept: so many are looked through.
const MOST: usize = 256;
/// What is smaller than this, in bytes, is left to the allocator.
const SMALL: usize = 4096;
/// What is larger than this goes back to the system, so that a few such vectors do not stand beside the next ones.
const LARGE: usize = 1 << 20;

static SPARE: Mutex<Spare> = Mutex::new(Spare {
    bytes: Vec::new(),
    words: Vec::new(),
    held: 0,
});

#[derive(Debug)]
struct Spare {
    bytes: Vec<Vec<u8>>,
    words: Vec<Vec<u64>>,
    /// In bytes.
    held: usize,
}

/// Takes the vector with the least room for `len` values; an empty one where none has room.
fn take<T>(from: &mut Vec<Vec<T>>, len: usize, held: &mut usize) -> Vec<T> {
    if len.saturating_mul(size_of::<T>()) < SMALL {
        return Vec::new();
    }
    let fitting = from.iter().enumerate();
    let fitting = fitting.filter(|(_, spare)| spare.capacity() >= len);
    let Some((at, _)) = fitting.min_by_key(|(_, spare)| spare.capacity()) else {
        return Vec::new();
    };
    let taken = from.swap_remove(at);
    *held -= taken.capacity() * size_of::<T>();
    taken
}

fn give<T>(to: &mut Vec<Vec<T>>, spare: Vec<T>, held: &mut usize, most: usize) {
    let bytes = spare.capacity() * size_of::<T>();
    if (SMALL..=LARGE).contains(&bytes) && *held + bytes <= most.min(KEPT) && to.len() < MOST {
        *held += bytes;
        to.push(spare);
    }
}

/// A vector with room for `len` bytes, where there is one to spare; else an empty one. It may hold anything.
pub fn spare_bytes(len: usize) -> Vec<u8> {
    let Some(mut spare) = SPARE.try_lock() else {
        return Vec::new();
    };
    let Spare { bytes, held, .. } = &mut *spare;
    take(bytes, len, held)
}

/// The same for words.
pub fn spare_words(len: usize) -> Vec<u64> {
    let Some(mut spare) = SPARE.try_lock() else {
        return Vec::new();
    };
    let Spare { words, held, .. } = &mut *spare;
    take(words, len, held)
}

/// `len` words that hold anything, to be written over. An error where memory is short.
pub fn some_words(what: &'static str, len: usize) -> Result<Vec<u64>> {
    let mut words = spare_words(len);
    if words.capacity() < len {
        words.clear();
        reserve_exact(what, &mut words, len)?;
    }
    words.resize(len, 0);
    Ok(words)
}

/// Keeps the memory of a vector for others, as long as no more than `most` bytes are kept together.
pub fn keep_bytes(vec: Vec<u8>, most: usize) {
    if let Some(mut spare) = SPARE.try_lock() {
        let Spare { bytes, held, .. } = &mut *spare;
        give(bytes, vec, held, most);
    }
}

/// The same for words.
pub fn keep_words(vec: Vec<u64>, most: usize) {
    if let Some(mut spare) = SPARE.try_lock() {
        let Spare { words, held, .. } = &mut *spare;
        give(words, vec, held, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_that_is_large_enough_is_taken() {
        let (mut spare, mut held) = (Vec::new(), 0);
        for len in [9000, 5000, 7000, 100] {
            give(&mut spare, Vec::<u8>::with_capacity(len), &mut held, 20_000);
        }
        // The last but one passes the limit; the last is too small.
        assert_eq!((spare.len(), held), (2, 14_000));
        // What is left to the allocator is not looked for.
        assert_eq!(take(&mut spare, 4000, &mut held).capacity(), 0);
        assert_eq!(take(&mut spare, 4500, &mut held).capacity(), 5000);
        assert_eq!(take(&mut spare, 9001, &mut held).capacity(), 0);
        assert_eq!(take(&mut spare, 9000, &mut held).capacity(), 9000);
        assert_eq!((spare.len(), held), (0, 0));
    }

    #[test]
    fn nobody_waits_for_what_is_kept() {
        // As a forked child finds it when another thread was at it.
        let _held = SPARE.lock();
        keep_bytes(vec![0; 5000], KEPT);
        keep_words(vec![0; 5000], KEPT);
        assert_eq!(spare_bytes(5000).capacity(), 0);
        assert_eq!(spare_words(5000).capacity(), 0);
        assert_eq!(some_words("words", 5000).expect("memory").len(), 5000);
    }
}
