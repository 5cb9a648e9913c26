//! LZ4: blocks without a frame, at a single level. The library keeps its 16 kB of state on the
//! stack, so no context is cached.

use super::super::codec::append;
use super::super::codec::ffi::{lz4_bound, lz4_compress, lz4_decompress};
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};

const NAME: &str = "LZ4";

pub(super) fn compress(part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    lz4_bound(part.len())
        .and_then(|bound| append(to, bound, (), |output| lz4_compress(part, output).ok_or(())).ok())
        .ok_or_else(|| Error::from(CodecError::Lz4))
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match lz4_decompress(part, to) {
        Some(len) if len == to.len() => Ok(()),
        Some(len) => Err(wrong_len(NAME, len, to.len())),
        None => Err(damaged(NAME, "cannot be decompressed")),
    }
}
