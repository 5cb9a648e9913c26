//! BZIP2: bzip2 streams. The level is the block size in units of 100 kB, 1 to 9; lower levels mean
//! 1.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};

const NAME: &str = "BZIP2";
const DEFAULT: i32 = 1;

pub(super) fn compress(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    codec::bzip2::compress(level.max(DEFAULT), part, to)
        .map_err(|code| Error::from(CodecError::Bzip2 { code: code.into() }))
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::bzip2::decompress(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(code) => Err(damaged(
            NAME,
            format!("cannot be decompressed, error code {code}"),
        )),
    }
}
