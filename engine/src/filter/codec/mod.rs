//! Safe calls of the compression and encryption libraries.
//!
//! Contexts live as long as their thread, so that a chunk costs no allocation. Compressed bytes are appended to a
//! vector, decompressed ones fill a slice and never more. Unsafe code is at home here: the libraries are C.
#![expect(unsafe_code, reason = "the codecs are C libraries, and keys are wiped")]

pub(super) mod aes;
pub(super) mod bzip2;
pub(super) mod deflate;
pub(super) mod lz4;
#[cfg(feature = "webp")]
pub(super) mod webp;
pub(super) mod zlib;
pub(super) mod zstd;

use std::mem::MaybeUninit;

/// Lets `write` append up to `bound` bytes to `to`: it gets the place and answers how many it wrote, or an error.
///
/// # Safety
/// `write` must have initialised as many bytes as it answers.
unsafe fn append<E>(
    to: &mut Vec<u8>,
    bound: usize,
    no_memory: E,
    write: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<usize, E>,
) -> Result<(), E> {
    if to.try_reserve(bound).is_err() {
        return Err(no_memory);
    }
    let written = write(&mut to.spare_capacity_mut()[..bound])?;
    debug_assert!(written <= bound, "a codec wrote past its bound");
    // SAFETY: `bound` bytes were reserved after the first `len`; the caller vouches for those written.
    unsafe { to.set_len(to.len() + written.min(bound)) };
    Ok(())
}
