//! ZSTD: Zstandard frames, levels -7 to 22; lower levels mean the default of 3. Contexts are
//! reused, so that a chunk costs no allocation.

use super::super::codec::append;
use super::super::codec::ffi::{ZstdCompressor, ZstdDecompressor, ZstdProblem, zstd_bound};
use super::{damaged, wrong_len};
use crate::bytes::ReusableBuffer;
use crate::error::{CodecError, Error, Result};
use crate::memory::{Workspace, WorkspaceGuard, WorkspaceKind};

const NAME: &str = "ZSTD";
const MIN_LEVEL: i32 = -7;
const DEFAULT_LEVEL: i32 = 3;
const NO_MEMORY: ZstdProblem = "Allocation error : not enough memory";

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

pub(super) fn compress(level: i32, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
    let level = if level < MIN_LEVEL {
        DEFAULT_LEVEL
    } else {
        level
    };
    write_frame(level, part, to).map_err(|problem| {
        Error::from(CodecError::Zstd {
            problem: problem.to_string(),
        })
    })
}

fn write_frame(
    level: i32,
    part: &[u8],
    to: &mut ReusableBuffer,
) -> std::result::Result<(), ZstdProblem> {
    let bound = zstd_bound(part.len())?;
    let mut context = WorkspaceGuard::try_new(|| ZstdCompressor::new().ok_or(NO_MEMORY))?;
    append(to, bound, NO_MEMORY, |output| {
        context.compress(level, part, output)
    })
}

pub(super) fn decompress(part: &[u8], to: &mut [u8]) -> Result<()> {
    let context = WorkspaceGuard::try_new(|| ZstdDecompressor::new().ok_or(NO_MEMORY));
    match context.and_then(|mut context| context.decompress(part, to)) {
        Ok(len) if len == to.len() => Ok(()),
        Ok(len) => Err(wrong_len(NAME, len, to.len())),
        Err(problem) => Err(damaged(NAME, format!("cannot be decompressed: {problem}"))),
    }
}
