//! ZSTD: Zstandard frames, levels -7 to 22; lower ones stand for the default of 3.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::Room;
use crate::error::{Error, Result};

const NAME: &str = "ZSTD";
const LEAST: i32 = -7;
const DEFAULT: i32 = 3;

pub(super) fn compress(level: i32, part: &[u8], to: &mut Room) -> Result<()> {
    let level = if level < LEAST { DEFAULT } else { level };
    codec::zstd::compress(level, part, to).map_err(|problem| {
        Error::usage(
            "ZStdException",
            format!("ZStd compression failed: {problem}"),
        )
    })
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::zstd::decompress(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be decompressed: {problem}"))),
    }
}
