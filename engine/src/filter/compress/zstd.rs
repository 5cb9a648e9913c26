//! ZSTD: Zstandard frames, levels -7 to 22; lower levels mean the default of 3.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};

const NAME: &str = "ZSTD";
const MIN_LEVEL: i32 = -7;
const DEFAULT_LEVEL: i32 = 3;

pub(super) fn compress(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let level = if level < MIN_LEVEL {
        DEFAULT_LEVEL
    } else {
        level
    };
    codec::zstd::compress(level, part, to).map_err(|problem| {
        Error::from(CodecError::Zstd {
            problem: problem.to_string(),
        })
    })
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::zstd::decompress(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be decompressed: {problem}"))),
    }
}
