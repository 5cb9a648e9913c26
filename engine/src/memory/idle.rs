//! Idle memory of the process: freed buffers and workspaces that the next operation reuses, with
//! one bound on their total size.

use super::idle_bytes::IdleBytes;
use super::size_classes::BufferPool;
use super::workspace_pool::WorkspacePool;
use crate::platform::lock::PerProcess;

/// The idle memory of a process. A forked child starts without any: a thread that does not exist
/// in the child may have been about to change a queue.
static IDLE: PerProcess<Idle> = PerProcess::new();

/// All idle memory.
#[derive(Debug, Default)]
pub(super) struct Idle {
    pub(super) byte_buffers: BufferPool<u8>,
    pub(super) word_buffers: BufferPool<u64>,
    pub(super) workspaces: WorkspacePool,
    pub(super) buffer_bytes: IdleBytes,
    pub(super) workspace_bytes: IdleBytes,
}

impl Idle {
    /// Returns the idle memory of this process.
    pub(super) fn of_process() -> &'static Self {
        IDLE.get()
    }
}
