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

use crate::bytes::Room;

/// Lets `write` append up to `bound` bytes to `to`: it gets the place and answers how many it wrote, or an error.
fn append<E>(
    to: &mut Room,
    bound: usize,
    no_memory: E,
    write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
) -> Result<(), E> {
    let before = to.len();
    let written = match to.grow(bound) {
        Ok(place) => write(place),
        Err(_) => Err(no_memory),
    };
    to.truncate(before + written.as_ref().map_or(0, |written| *written));
    written.map(|_| ())
}
