//! Idle memory of the process: freed buffers and workspaces that the next operation reuses, with
//! one bound on their total size.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::buffer_pool::BufferPool;
use super::tuning::max_idle_bytes;
use super::workspace::WorkspacePool;
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

/// The number of idle bytes of one kind. Buffers and workspaces have half of the bound each, so
/// that neither displaces the other.
#[derive(Debug, Default)]
pub(super) struct IdleBytes(AtomicUsize);

impl IdleBytes {
    /// Adds bytes, unless their number would exceed `max` or half of the bound. Returns whether
    /// they were added.
    pub(super) fn try_add(&self, bytes: usize, max: usize) -> bool {
        let max = max.min(max_idle_bytes() / 2);
        let before = self.0.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= max;
        if !fits {
            self.remove(bytes);
        }
        fits
    }

    pub(super) fn remove(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(super) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
