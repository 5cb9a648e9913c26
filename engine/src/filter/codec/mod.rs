//! Safe wrappers of the compression and encryption libraries. Compression appends
//! to a buffer; decompression fills a slice and never writes beyond it. `ffi` contains the calls of
//! all libraries but bzip2, whose memory is allocated by callbacks.

pub(super) mod aes;
pub(super) mod bzip2;
pub(super) mod ffi;

use crate::bytes::ReusableBuffer;

/// Grows `to` by `bound` bytes and passes them to `write`, which returns the number of bytes
/// written; `to` ends after these.
pub(super) fn append<E>(
    to: &mut ReusableBuffer,
    bound: usize,
    no_memory: E,
    write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
) -> Result<(), E> {
    let before = to.len();
    let written = match to.grow(bound) {
        Ok(output) => write(output),
        Err(_) => Err(no_memory),
    };
    to.truncate(before + written.as_ref().map_or(0, |written| *written));
    written.map(|_| ())
}
