//! The work that a query has started, and its results.

use crate::buffers::{FieldBuffers, FieldSizes, NeededSizes};
use crate::context::Context;
use crate::error::Result;
use crate::read::{DenseRead, SparseRead};
use crate::stats::Stats;
use crate::types::TimeRange;
use crate::vfs::Uri;
use crate::write::{GlobalWrite, SparseGlobalWrite, UnorderedWrite};

/// The work that a query has started.
#[derive(Debug)]
pub(super) enum Work {
    Nothing,
    Read {
        names: Vec<String>,
        read: Reading,
    },
    /// A read whose last submit failed, and the number of cells that it had delivered before. The
    /// reader is made again, because it may have passed cells that were not delivered.
    Interrupted {
        names: Vec<String>,
        cells: u64,
    },
    Write(WriteWork),
    /// Work whose buffers were unset. It cannot continue, since the buffers of a query that was
    /// submitted are fixed.
    Unset,
}

/// A read that has started.
#[derive(Debug)]
pub(super) enum Reading {
    Dense(Box<DenseRead>),
    Sparse(Box<SparseRead>),
}

impl Reading {
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
