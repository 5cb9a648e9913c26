//! Counts and times of a query: the statistics, its submits, and the tiles that it writes.

use std::sync::Arc;

use crate::buffers::FieldSizes;
use crate::stats::{Stats, TileMeter};

/// The counts and times of a query.
#[derive(Debug)]
pub(super) struct Metrics {
    pub(super) stats: Stats,
    pub(super) submits: Submits,
    pub(super) written_tiles: Arc<TileMeter>,
}

impl Metrics {
    pub(super) fn new(stats: Stats) -> Self {
        Self {
            stats,
            submits: Submits::default(),
            written_tiles: Arc::default(),
        }
    }
}

/// The submits of a read so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Submits {
    pub(super) number: u64,
    /// The requests to storage.
    pub(super) requests: u64,
    /// The bytes that the requests read.
    pub(super) stored_bytes: u64,
    /// The bytes that were written to the buffers.
    pub(super) returned_bytes: u64,
}

/// The number of read requests of a context and their bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct StorageReads {
    pub(super) requests: u64,
    pub(super) bytes: u64,
}

impl Submits {
    /// Adds a submit that wrote these sizes. The counts are those of the context before and after.
    pub(super) fn add(&mut self, sizes: &[FieldSizes], before: StorageReads, after: StorageReads) {
        self.number += 1;
        self.requests += after.requests.saturating_sub(before.requests);
        self.stored_bytes += after.bytes.saturating_sub(before.bytes);
        for sizes in sizes {
            let bytes = sizes.data.saturating_add(sizes.offsets);
            let bytes = bytes.saturating_add(sizes.validity);
            self.returned_bytes = self.returned_bytes.saturating_add(bytes);
        }
    }
}
