//! GZIP: the deflate method in zlib's frame (RFC 1950), with zlib's levels 0 to 9.
//!
//! The name is the original library's; there is no gzip header. Levels below 0 stand for zlib's default of 6.
//!
//! Level 1 is left to zlib itself: all records of an array are stored at it (`tile/generic`), so that their bytes can be held
//! against those that libtiledb writes. So are parts of a few bytes, which libdeflate does not compress. The rest is libdeflate's.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::Room;
use crate::error::{Error, Result};

const NAME: &str = "GZIP";
const MOST: i32 = 9;
const DEFAULT: i32 = 6;
/// The level of records.
const OF_RECORDS: i32 = 1;
/// Parts of fewer bytes are few bytes.
const SHORT: usize = 64;

pub(super) fn compress(level: i32, part: &[u8], to: &mut Room) -> Result<()> {
    if level > MOST {
        return Err(Error::usage(
            "GZipException",
            "Failed compressing with GZip; invalid compression level.",
        ));
    }
    let level = if level < 0 { DEFAULT } else { level };
    let failed = |why: String| {
        let message = format!("Cannot compress with GZIP; {why}");
        Error::usage("GZipException", message)
    };
    if level == OF_RECORDS || part.len() < SHORT {
        let failed = |code| failed(format!("error code {code}"));
        return codec::zlib::deflate(level, part, to).map_err(failed);
    }
    codec::deflate::deflate(level, part, to).map_err(|why| failed(why.to_owned()))
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::deflate::inflate(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be inflated: {problem}"))),
    }
}
