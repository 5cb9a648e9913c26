//! A bounded count of idle bytes.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of idle bytes of one kind. Buffers and workspaces are counted separately, so that
/// neither displaces the other.
#[derive(Debug, Default)]
pub(super) struct IdleBytes(AtomicUsize);

impl IdleBytes {
    /// Adds bytes, unless their number would exceed `max`. Returns whether they were added.
    pub(super) fn try_add(&self, bytes: usize, max: usize) -> bool {
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
