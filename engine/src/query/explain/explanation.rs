//! The parts of an explanation.

use std::time::Duration;

use crate::read::ReadSurvey;
use crate::types::Layout;

/// The plan of a read, and what happened so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The URI of the array.
    pub uri: String,
    /// The reader and its strategy.
    pub reader: &'static str,
    /// The order of the result.
    pub order: Layout,
    /// The fields that are read.
    pub fields: Vec<String>,
    /// The fields that the condition compares; empty without a condition.
    pub condition_fields: Vec<String>,
    /// The memory budget in bytes.
    pub budget: u64,
    /// The tiles that are considered and excluded.
    pub survey: ReadSurvey,
    /// The work that was done; `None` before the first submit.
    pub outcome: Option<ReadOutcome>,
    /// Suggestions, in sentences with numbers.
    pub hints: Vec<String>,
}

/// The work of all submits of a read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOutcome {
    /// Whether the result is complete.
    pub is_complete: bool,
    /// The number of submits.
    pub submits: u64,
    /// The number of delivered cells.
    pub cells: u64,
    /// The number of decoded tiles of fields.
    pub tiles: u64,
    /// The number of tiles that were compared with the ranges and the condition without a result;
    /// only of sparse arrays.
    pub tiles_without_results: u64,
    /// The bytes that were read from storage, with metadata. Other operations of the context at the
    /// same time are included.
    pub stored_bytes: u64,
    /// The number of requests for them.
    pub requests: u64,
    /// The bytes of tiles after decoding.
    pub decoded_bytes: u64,
    /// The bytes that were written to the buffers.
    pub returned_bytes: u64,
    /// The time of each stage. Stages that several threads execute have the sum of the threads.
    pub times: Vec<(&'static str, Duration)>,
}
