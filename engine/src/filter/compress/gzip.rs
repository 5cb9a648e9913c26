//! GZIP: the deflate method in zlib's frame (RFC 1950), with zlib's levels 0 to 9.
//!
//! The name is libtiledb's; a gzip header is not written. Levels below 0 mean zlib's default of 6.
//!
//! Level 1 uses zlib itself: all records of an array are stored at this level (`tile/generic`), and
//! their bytes can be compared with those of libtiledb. Parts of a few bytes also use zlib, since
//! libdeflate does not compress them. Everything else uses libdeflate.

use super::super::codec;
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};
use crate::memory::tuning::MIN_LIBDEFLATE_BYTES;

const NAME: &str = "GZIP";
const MAX_LEVEL: i32 = 9;
const DEFAULT_LEVEL: i32 = 6;
/// The level at which records are stored.
const RECORD_LEVEL: i32 = 1;

pub(super) fn compress(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    if level > MAX_LEVEL {
        return Err(CodecError::GzipLevel {
            level: level.into(),
        }
        .into());
    }
    let level = if level < 0 { DEFAULT_LEVEL } else { level };
    if level == RECORD_LEVEL || part.len() < MIN_LIBDEFLATE_BYTES {
        let failed = |code| {
            Error::from(CodecError::Zlib {
                code: i64::from(code),
            })
        };
        return codec::zlib::deflate(level, part, to).map_err(failed);
    }
    codec::deflate::deflate(level, part, to).map_err(|problem| {
        let problem = problem.to_owned();
        CodecError::Gzip { problem }.into()
    })
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match codec::deflate::inflate(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be inflated: {problem}"))),
    }
}
