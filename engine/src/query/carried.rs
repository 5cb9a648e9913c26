//! The progress of queries in messages.

use std::collections::HashMap;
use std::sync::Arc;

use crate::buffers::FieldSizes;
use crate::write::GlobalWriteState;

/// The progress of a query, which its client returns to the server with the next submit.
#[derive(Clone, Debug)]
pub struct CarriedState {
    /// The reader or writer.
    pub kind: CarriedKind,
    /// The progress.
    pub progress: CarriedProgress,
    /// The state of a write in global order, if this library can continue it.
    pub write: Option<Arc<GlobalWriteState>>,
    /// The part of the message that contains it.
    pub message: Arc<[u8]>,
}

/// The reader or writer whose progress a message contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedKind {
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
pub enum CarriedProgress {
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

/// The state of a query that messages from other processes contained.
#[derive(Debug, Default)]
pub(super) struct ReceivedState {
    /// The progress, until this query continues it.
    pub(super) carried: Option<CarriedState>,
    /// The fields of an unordered write that are written.
    pub(super) written_names: Vec<String>,
    /// The estimated sizes of results, which replace those of this process.
    pub(super) estimates: Option<HashMap<String, FieldSizes>>,
}
