//! Parts of the state of a query: readers and writers, the progress that messages contain, and
//! counts of submits.

use std::sync::Arc;

use crate::buffers::{FieldBuffers, FieldSizes, NeededSizes};
use crate::context::Context;
use crate::error::Result;
use crate::read::{DenseRead, SparseRead};
use crate::stats::Stats;
use crate::types::TimeRange;
use crate::vfs::Uri;
use crate::write::{GlobalWrite, GlobalWriteState, SparseGlobalWrite, UnorderedWrite};

/// A read that has started.
#[derive(Debug)]
pub(super) enum ReadWork {
    Dense(Box<DenseRead>),
    Sparse(Box<SparseRead>),
}

impl ReadWork {
    pub(super) fn fill(
        &mut self,
        context: &Context,
        buffers: &mut [FieldBuffers<'_>],
        stats: &Stats,
    ) -> Result<Vec<FieldSizes>> {
        match self {
            Self::Dense(read) => read.fill(context, buffers, stats),
            Self::Sparse(read) => read.fill(context, buffers, stats),
        }
    }

    /// Returns the sizes that the next `cells` cells need, in the order of the fields.
    pub(super) fn needed_sizes(&self, context: &Context, cells: u64) -> Result<Vec<NeededSizes>> {
        match self {
            Self::Dense(read) => read.needed_sizes(context, cells),
            Self::Sparse(read) => read.needed_sizes(cells),
        }
    }

    /// Returns an upper bound of the bytes of a single value of the field `index`.
    pub(super) fn largest_value(&self, index: usize) -> Result<u64> {
        match self {
            Self::Dense(read) => read.largest_value(index),
            Self::Sparse(read) => read.largest_value(index),
        }
    }

    /// Returns the number of delivered cells.
    pub(super) fn position(&self) -> u64 {
        match self {
            Self::Dense(read) => read.position(),
            Self::Sparse(read) => read.delivered_cells(),
        }
    }

    /// Continues at a position that another read of the same result has reached.
    pub(super) fn seek(&mut self, context: &Context, position: u64) -> Result<()> {
        match self {
            Self::Dense(read) => {
                read.seek(position);
                Ok(())
            }
            Self::Sparse(read) => read.seek(context, position),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Dense(read) => read.is_done(),
            Self::Sparse(read) => read.is_done(),
        }
    }
}

/// A write that has started.
#[derive(Debug)]
pub(super) enum WriteWork {
    Global(Box<GlobalWrite>),
    SparseGlobal(Box<SparseGlobalWrite>),
    Unordered(Box<UnorderedWrite>),
}

impl WriteWork {
    /// Returns whether a field was written completely.
    pub(super) fn has_written(&self, name: &str) -> bool {
        matches!(self, Self::Unordered(write) if write.has_written(name))
    }
}

/// A fragment that a query wrote.
#[derive(Clone, Debug)]
pub struct WrittenFragment {
    /// The URI of its folder.
    pub uri: Uri,
    /// The timestamp range.
    pub timestamps: TimeRange,
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

impl Submits {
    /// Adds a submit that wrote these sizes. The requests to storage and their bytes are those of
    /// the context before and after.
    pub(super) fn add(&mut self, sizes: &[FieldSizes], before: (u64, u64), after: (u64, u64)) {
        self.number += 1;
        self.requests += after.0.saturating_sub(before.0);
        self.stored_bytes += after.1.saturating_sub(before.1);
        for sizes in sizes {
            let bytes = sizes.data.saturating_add(sizes.offsets);
            let bytes = bytes.saturating_add(sizes.validity);
            self.returned_bytes = self.returned_bytes.saturating_add(bytes);
        }
    }
}

/// The progress of a query, which its client returns to the server with the next submit.
#[derive(Clone, Debug)]
pub struct StrategyState {
    /// The reader or writer.
    pub kind: Strategy,
    /// The progress.
    pub progress: StrategyProgress,
    /// The state of a write in global order, if this library can continue it.
    pub write: Option<Arc<GlobalWriteState>>,
    /// The part of the message that contains it.
    pub message: Arc<[u8]>,
}

/// The reader or writer whose progress a message contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The reader of sparse arrays without an order of the result, or in global order.
    Index,
    /// The reader of dense arrays.
    Dense,
    /// The reader of sparse arrays in row-major and column-major order.
    Legacy,
    /// The writer in global order.
    GlobalWrite,
    /// The writer of unordered cells.
    UnorderedWrite,
}

/// The progress of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrategyProgress {
    /// Nothing was delivered or written.
    None,
    /// A read has delivered cells or values of labels.
    Delivered(ReadPosition),
    /// A query that only the server that started it can continue.
    Foreign,
}

/// The position at which a read continues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadPosition {
    /// The number of delivered cells.
    pub cells: u64,
    /// The number of delivered values of each label of the schema; empty if the read delivers no
    /// labels.
    pub label_values: Vec<u64>,
}
