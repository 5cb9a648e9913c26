//! Buffers for reading tiles, which are reused.

use crate::error::{Result, try_vec};
use crate::memory::{Pooled, Workspace, WorkspaceKind};

/// Buffers for reading tiles: stored bytes, decoded bytes, and bytes to discard.
#[derive(Debug, Default)]
pub struct TileWorkspace {
    pub(super) stored: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) discarded: Vec<u8>,
}

impl Workspace for TileWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::TileRead;

    fn memory(&self) -> usize {
        self.stored.capacity() + self.data.capacity() + self.discarded.capacity()
    }
}

impl TileWorkspace {
    /// Runs `body` with buffers from the pool of the process.
    pub fn with<T>(body: impl FnOnce(&mut Self) -> T) -> T {
        body(&mut Pooled::default())
    }

    /// Runs `body` with buffers from the pool and the buffer for decoded bytes as a separate
    /// argument.
    pub fn with_data<T>(body: impl FnOnce(&mut Self, &mut Vec<u8>) -> T) -> T {
        Self::with(|workspace| {
            let mut data = std::mem::take(&mut workspace.data);
            let result = body(workspace, &mut data);
            workspace.data = data;
            result
        })
    }
}

/// Returns the first `len` bytes of a buffer, which grows if necessary. They are initialised but
/// unspecified.
pub(super) fn ensure_len(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8]> {
    if buffer.len() < len {
        *buffer = try_vec("a tile", len)?;
    }
    Ok(&mut buffer[..len])
}
