//! Compression by zlib, whose streams have the same bytes as libtiledb's. Streams are reused;
//! they are reset between chunks. `deflate` decompresses the streams, and compresses faster
//! if the exact bytes do not matter.

use super::ffi::{ZlibCode, ZlibStream};
use crate::bytes::ReusableBuffer;
use crate::memory::{Pooled, Workspace, WorkspaceKind};

/// The size of the memory of a stream in bytes: a window of 32 KiB with its hash chains, and a
/// buffer of 16,384 symbols.
const STREAM_BYTES: usize = 1 << 18;

/// A stream that is reused for chunks of the same level.
struct ZlibWorkspace {
    level: i32,
    stream: ZlibStream,
}

impl ZlibWorkspace {
    fn new(level: i32) -> Result<Self, ZlibCode> {
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

/// Appends the zlib stream of `data`.
pub(in super::super) fn deflate(
    level: i32,
    data: &[u8],
    to: &mut ReusableBuffer,
) -> Result<(), ZlibCode> {
    let mut workspace = Pooled::try_new(|| ZlibWorkspace::new(level))?;
    if workspace.level != level {
        *workspace = ZlibWorkspace::new(level)?;
    }
    let stream = &mut workspace.stream;
    let bound = stream.reset(data.len())?;
    super::append(to, bound, libz_sys::Z_MEM_ERROR, |output| {
        stream.compress(data, output)
    })
}
