//! GZIP: the deflate method in zlib's frame (RFC 1950), with zlib's levels 0 to 9.
//!
//! The name is the original library's; there is no gzip header. Levels below 0 stand for zlib's default of 6.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::Room;
use crate::error::{Error, Result};

const NAME: &str = "GZIP";
const MOST: i32 = 9;
const DEFAULT: i32 = -1;

pub(super) fn compress(level: i32, part: &[u8], to: &mut Room) -> Result<()> {
    if level > MOST {
        return Err(Error::usage(
            "GZipException",
            "Failed compressing with GZip; invalid compression level.",
        ));
    }
    let level = if level < 0 { DEFAULT } else { level };
    codec::zlib::deflate(level, part, to).map_err(|code| {
        Error::usage(
            "GZipException",
            format!("Cannot compress with GZIP; error code {code}"),
        )
    })
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::deflate::inflate(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be inflated: {problem}"))),
    }
}
