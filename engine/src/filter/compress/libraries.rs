//! GZIP, ZSTD, LZ4 and BZIP2: formats whose compressors are libraries. Decompression returns the
//! number of bytes that it wrote, or a description of the damage.
//!
//! GZIP is the deflate method in zlib's frame (RFC 1950), with zlib's levels 0 to 9; a gzip header
//! is not written. Levels below 0 mean zlib's default of 6. Level 1 uses zlib itself: all records
//! of an array are stored at this level (`tile/generic`), and their bytes can be compared with
//! those of libtiledb. Parts of a few bytes also use zlib, since libdeflate does not compress them.
//! Everything else uses libdeflate, which decompresses about twice as fast as zlib and compresses
//! two to seven times as fast, since it has the complete input and output at once.
//!
//! Compressors and decompressors are reused, so that a chunk costs no allocation. LZ4 keeps its 16
//! kB of state on the stack.

use std::result::Result as StdResult;

use super::super::codec::ffi::{
    DeflateCompressor, DeflateDecompressor, ZlibStream, ZstdCompressor, ZstdDecompressor,
    ZstdProblem, lz4_bound, lz4_compress, lz4_decompress, zstd_bound,
};
use super::super::codec::{append, bzip2};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};
use crate::memory::tuning::MIN_LIBDEFLATE_BYTES;
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};

const NO_MEMORY: &str = "memory is short";

pub(super) fn compress_gzip(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    const MAX_LEVEL: i32 = 9;
    const DEFAULT_LEVEL: i32 = 6;
    /// The level at which records are stored.
    const RECORD_LEVEL: i32 = 1;
    if level > MAX_LEVEL {
        let level = level.into();
        return Err(CodecError::GzipLevel { level }.into());
    }
    let level = if level < 0 { DEFAULT_LEVEL } else { level };
    if level == RECORD_LEVEL || part.len() < MIN_LIBDEFLATE_BYTES {
        return zlib(level, part, to)
            .map_err(|code| Error::from(CodecError::Zlib { code: code.into() }));
    }
    deflate(level, part, to).map_err(|problem| {
        let problem = problem.to_owned();
        CodecError::Gzip { problem }.into()
    })
}

pub(super) fn decompress_gzip(part: &[u8], to: &mut [u8]) -> StdResult<usize, String> {
    inflate(part, to).map_err(|problem| format!("cannot be inflated: {problem}"))
}

impl Workspace for ZlibStream {
    const KIND: WorkspaceKind = WorkspaceKind::ZlibStream;

    fn memory(&self) -> usize {
        // A window of 32 KiB with its hash chains, and a buffer of 16,384 symbols.
        1 << 18
    }
}

impl Workspace for DeflateCompressor {
    const KIND: WorkspaceKind = WorkspaceKind::DeflateCompressor;

    fn memory(&self) -> usize {
        // About the tables of matches and the sequences of a block, at levels 0 to 9.
        700_000
    }
}

impl Workspace for DeflateDecompressor {
    const KIND: WorkspaceKind = WorkspaceKind::DeflateDecompressor;

    fn memory(&self) -> usize {
        12_000
    }
}

/// Appends the zlib stream of `data`, with the same bytes as libtiledb's. An error is a code of
/// zlib.
fn zlib(level: i32, data: &[u8], to: &mut ReusableBuffer) -> StdResult<(), i32> {
    let mut stream = WorkspaceGuard::try_new(|| ZlibStream::new(level))?;
    if stream.level != level {
        *stream = ZlibStream::new(level)?;
    }
    let bound = stream.reset(data.len())?;
    append(to, bound, libz_sys::Z_MEM_ERROR, |output| {
        stream.compress(data, output)
    })
}

/// Appends the zlib stream of `data`, at a level from 0 to 9.
fn deflate(level: i32, data: &[u8], to: &mut ReusableBuffer) -> StdResult<(), &'static str> {
    let create = || DeflateCompressor::new(level).ok_or(NO_MEMORY);
    let mut compressor = WorkspaceGuard::try_new(create)?;
    if compressor.level != level {
        *compressor = create()?;
    }
    let bound = compressor.bound(data.len());
    append(to, bound, NO_MEMORY, |output| {
        // The bound is always sufficient.
        compressor.compress(data, output).ok_or("it does not fit")
    })
}

/// Decompresses a zlib stream to the start of `to` and returns the length, or a description of the
/// error.
fn inflate(data: &[u8], to: &mut [u8]) -> StdResult<usize, &'static str> {
    WorkspaceGuard::try_new(|| DeflateDecompressor::new().ok_or(NO_MEMORY))?.decompress(data, to)
}

/// The text of zstd for a failed allocation.
const NO_ZSTD_MEMORY: ZstdProblem = "Allocation error : not enough memory";

impl Workspace for ZstdCompressor {
    const KIND: WorkspaceKind = WorkspaceKind::ZstdCompressor;

    fn memory(&self) -> usize {
        self.memory()
    }
}

impl Workspace for ZstdDecompressor {
    const KIND: WorkspaceKind = WorkspaceKind::ZstdDecompressor;

    fn memory(&self) -> usize {
        self.memory()
    }
}

/// Appends a frame. Levels are -7 to 22; lower levels mean the default of 3.
pub(super) fn compress_zstd(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let level = if level < -7 { 3 } else { level };
    zstd_bound(part.len())
        .and_then(|bound| {
            let create = || ZstdCompressor::new().ok_or(NO_ZSTD_MEMORY);
            let mut context = WorkspaceGuard::try_new(create)?;
            append(to, bound, NO_ZSTD_MEMORY, |output| {
                context.compress(level, part, output)
            })
        })
        .map_err(|problem| {
            let problem = problem.to_owned();
            CodecError::Zstd { problem }.into()
        })
}

pub(super) fn decompress_zstd(part: &[u8], to: &mut [u8]) -> StdResult<usize, String> {
    WorkspaceGuard::try_new(|| ZstdDecompressor::new().ok_or(NO_ZSTD_MEMORY))
        .and_then(|mut context| context.decompress(part, to))
        .map_err(|problem| format!("cannot be decompressed: {problem}"))
}

/// Appends a block without a frame.
pub(super) fn compress_lz4(part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    lz4_bound(part.len())
        .and_then(|bound| append(to, bound, (), |output| lz4_compress(part, output).ok_or(())).ok())
        .ok_or_else(|| Error::from(CodecError::Lz4))
}

pub(super) fn decompress_lz4(part: &[u8], to: &mut [u8]) -> StdResult<usize, String> {
    lz4_decompress(part, to).ok_or_else(|| "cannot be decompressed".into())
}

/// Appends a stream. The level is the block size in units of 100 kB, 1 to 9; lower levels mean 1.
pub(super) fn compress_bzip2(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    bzip2::compress(level.max(1), part, to)
        .map_err(|code| Error::from(CodecError::Bzip2 { code: code.into() }))
}

pub(super) fn decompress_bzip2(part: &[u8], to: &mut [u8]) -> StdResult<usize, String> {
    bzip2::decompress(part, to).map_err(|code| format!("cannot be decompressed, error code {code}"))
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
                zlib(level, &data[..len], &mut by_zlib).expect("fits");
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
                zlib(level, &data[..len], &mut by_zlib).expect("memory");
                deflated.put(&[5]).expect("memory");
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
                    stream.put(&[7]).expect("memory");
                    assert_eq!(inflate(&stream, &mut back), Ok(len));
                }
            }
        }
    }
}
