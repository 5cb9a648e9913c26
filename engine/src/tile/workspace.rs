//! Buffers that a thread reuses for reading tiles.

use std::cell::Cell;

use crate::error::{Result, try_vec};

/// The maximum size in bytes of the buffers that a thread keeps between reads.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// Buffers for reading tiles: stored bytes, decoded bytes, and bytes to discard.
#[derive(Debug, Default)]
pub struct TileWorkspace {
    pub(super) stored: Vec<u8>,
    pub(super) data: Vec<u8>,
    pub(super) discarded: Vec<u8>,
}

thread_local! {
    static WORKSPACE: Cell<Option<Box<TileWorkspace>>> = const { Cell::new(None) };
}

impl TileWorkspace {
    /// Runs `body` with the buffers of this thread.
    pub fn with<T>(body: impl FnOnce(&mut Self) -> T) -> T {
        let mut workspace = WORKSPACE.take().unwrap_or_default();
        let result = body(&mut workspace);
        if workspace.stored.capacity() + workspace.data.capacity() <= MAX_KEPT_BYTES {
            WORKSPACE.set(Some(workspace));
        }
        result
    }

    /// Runs `body` with the buffers of this thread and the buffer for decoded bytes as a separate
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
