//! GZIP: the deflate method in zlib's frame (RFC 1950), with zlib's levels 0 to 9.
//!
//! The name is libtiledb's; a gzip header is not written. Levels below 0 mean zlib's default of 6.
//!
//! Level 1 uses zlib itself: all records of an array are stored at this level (`tile/generic`), and
//! their bytes can be compared with those of libtiledb. Parts of a few bytes also use zlib, since
//! libdeflate does not compress them. Everything else uses libdeflate, which decompresses about
//! twice as fast as zlib and compresses two to seven times as fast, since it has the complete input
//! and output at once. Compressors and decompressors are reused.

use super::super::codec::append;
use super::super::codec::ffi::{DeflateCompressor, DeflateDecompressor, ZlibCode, ZlibStream};
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};
use crate::memory::tuning::MIN_LIBDEFLATE_BYTES;
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};

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
        return compress_by_zlib(level, part, to).map_err(|code| {
            Error::from(CodecError::Zlib {
                code: i64::from(code),
            })
        });
    }
    deflate(level, part, to).map_err(|problem| {
        let problem = problem.to_owned();
        CodecError::Gzip { problem }.into()
    })
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    match inflate(part, to) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be inflated: {problem}"))),
    }
}

/// The size of the memory of a stream in bytes: a window of 32 KiB with its hash chains, and a
/// buffer of 16,384 symbols.
const STREAM_BYTES: usize = 1 << 18;

/// A stream that is reused for chunks of the same level.
struct ZlibWorkspace {
    level: i32,
    stream: ZlibStream,
}

impl ZlibWorkspace {
    fn new(level: i32) -> std::result::Result<Self, ZlibCode> {
        let stream = ZlibStream::new(level)?;
        Ok(Self { level, stream })
    }
}

impl Workspace for ZlibWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::ZlibStream;

    fn memory(&self) -> usize {
        STREAM_BYTES
    }
}

/// Appends the zlib stream of `data`, with the same bytes as libtiledb's.
fn compress_by_zlib(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> std::result::Result<(), ZlibCode> {
    let mut workspace = WorkspaceGuard::try_new(|| ZlibWorkspace::new(level))?;
    if workspace.level != level {
        *workspace = ZlibWorkspace::new(level)?;
    }
    let stream = &mut workspace.stream;
    let bound = stream.reset(data.len())?;
    append(to, bound, libz_sys::Z_MEM_ERROR, |output| {
        stream.compress(data, output)
    })
}

const NO_MEMORY: &str = "memory is short";
/// The approximate size of a compressor of levels 0 to 9 in bytes: its tables of matches and the
/// sequences of a block.
const COMPRESSOR_BYTES: usize = 700_000;
/// The approximate size of a decompressor in bytes.
const DECOMPRESSOR_BYTES: usize = 12_000;

/// A compressor that is reused for chunks of the same level.
struct DeflateWorkspace {
    level: i32,
    compressor: DeflateCompressor,
}

impl DeflateWorkspace {
    fn new(level: i32) -> std::result::Result<Self, &'static str> {
        let compressor = DeflateCompressor::new(level).ok_or(NO_MEMORY)?;
        Ok(Self { level, compressor })
    }
}

impl Workspace for DeflateWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::DeflateCompressor;

    fn memory(&self) -> usize {
        COMPRESSOR_BYTES
    }
}

impl Workspace for DeflateDecompressor {
    const KIND: WorkspaceKind = WorkspaceKind::DeflateDecompressor;

    fn memory(&self) -> usize {
        DECOMPRESSOR_BYTES
    }
}

/// Appends the zlib stream of `data`, at a level from 0 to 9.
fn deflate(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> std::result::Result<(), &'static str> {
    let mut workspace = WorkspaceGuard::try_new(|| DeflateWorkspace::new(level))?;
    if workspace.level != level {
        *workspace = DeflateWorkspace::new(level)?;
    }
    let compressor = &mut workspace.compressor;
    let bound = compressor.bound(data.len());
    append(to, bound, NO_MEMORY, |output| {
        // The bound is always sufficient.
        compressor.compress(data, output).ok_or("it does not fit")
    })
}

/// Decompresses a zlib stream to the start of `to` and returns the length, or a description of the
/// error.
fn inflate(data: &[u8], to: &mut [u8]) -> std::result::Result<usize, &'static str> {
    WorkspaceGuard::try_new(|| DeflateDecompressor::new().ok_or(NO_MEMORY))?.decompress(data, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incompressible_bytes_of_any_length_are_compressed_at_every_level() {
        let mut state = 7u64;
        let data: Vec<u8> = (0..70_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005) + 1;
                (state >> 56) as u8
            })
            .collect();
        // libtiledb 2.30 fails for 16,833 bytes at level 1.
        for level in [-1, 0, 1, 6, 9] {
            for len in (16_820..16_850).chain([1, 5_000, 65_535, 70_000]) {
                let (mut by_zlib, mut deflated) = (ReusableBuffer::new(), ReusableBuffer::new());
                compress_by_zlib(level, &data[..len], &mut by_zlib).expect("fits");
                deflate(level.max(0), &data[..len], &mut deflated).expect("fits");
                for stream in [by_zlib, deflated] {
                    let mut back = vec![0; len];
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                    assert_eq!(back, data[..len]);
                }
            }
        }
    }

    #[test]
    fn streams_of_zlib_and_libdeflate_decompress_at_every_level_and_length() {
        let mut state = 1u32;
        let data: Vec<u8> = (0..70_000)
            .map(|i| {
                state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                if i % 3 == 0 {
                    (state >> 20) as u8
                } else {
                    (i / 700) as u8
                }
            })
            .collect();
        for level in [-1, 0, 1, 6, 9] {
            for len in [0, 1, 2, 100, 2_047, 2_048, 65_536, 70_000] {
                let (mut by_zlib, mut deflated) = (ReusableBuffer::new(), ReusableBuffer::new());
                compress_by_zlib(level, &data[..len], &mut by_zlib).expect("memory");
                deflated.put(&[5]);
                deflate(level.max(0), &data[..len], &mut deflated).expect("memory");
                assert_eq!(deflated[0], 5, "what was there stays");
                deflated.drop_front(1);
                for mut stream in [by_zlib, deflated] {
                    let mut back = vec![0; len];
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                    assert_eq!(back, data[..len]);
                    if len > 0 {
                        assert!(inflate(&stream, &mut back[1..]).is_err());
                        assert!(inflate(&stream[..stream.len() - 1], &mut back).is_err());
                    }
                    // Bytes that follow a stream are ignored.
                    stream.put(&[7]);
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                }
            }
        }
    }
}
