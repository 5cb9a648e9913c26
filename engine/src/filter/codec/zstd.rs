//! Zstandard. Contexts are reused.

use super::ffi::{ZstdCompressor, ZstdDecompressor, ZstdProblem, zstd_bound};
use crate::bytes::ReusableBuffer;
use crate::memory::{Pooled, Workspace, WorkspaceKind};

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

/// Appends the frame of `data`.
pub(in super::super) fn compress(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), ZstdProblem> {
    let bound = zstd_bound(data.len())?;
    let mut context = Pooled::try_new(|| ZstdCompressor::new().ok_or(NO_MEMORY))?;
    super::append(to, bound, NO_MEMORY, |output| {
        context.compress(level, data, output)
    })
}

/// Decompresses a frame to the start of `to` and returns the length.
pub(in super::super) fn decompress(frame: &[u8], to: &mut [u8]) -> Result<usize, ZstdProblem> {
    Pooled::try_new(|| ZstdDecompressor::new().ok_or(NO_MEMORY))?.decompress(frame, to)
}
