//! LZ4: blocks without a frame, at a single level.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};

const NAME: &str = "LZ4";

pub(super) fn compress(part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    codec::lz4::compress(part, to).ok_or_else(|| Error::from(CodecError::Lz4))
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::lz4::decompress(part, to) {
        Some(len) if len == to.len() => Ok(()),
        Some(len) => Err(wrong_len(NAME, len, to.len())),
        None => Err(damaged(NAME, "cannot be decompressed")),
    }
}
