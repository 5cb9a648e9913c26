//! The texts of errors of contexts.

use tiledb_engine::error::ContextError;

use super::origins::{CONTEXT, STATUS_ARRAY, STATUS_THREAD_POOL, THREAD_POOL};
use super::{Text, text};

/// Returns the text of an error of contexts.
pub(super) fn context(cause: &ContextError) -> Text {
    use ContextError as E;
    let origin = match cause {
        E::TooManyThreads { .. } => THREAD_POOL,
        E::NoComputeThreads { .. } => STATUS_ARRAY,
        E::NoIoThreads { .. } => STATUS_THREAD_POOL,
        _ => CONTEXT,
    };
    let message = match cause {
        E::TooManyThreads { level } => format!(
            "Error initializing thread pool of concurrency level {level}; Requested size too large"
        ),
        E::NoComputeThreads { parameter } => format!("Invalid task future; '{parameter}' is 0"),
        E::NoIoThreads { parameter } => format!("Invalid task future; '{parameter}' is 0"),
        E::BadLogLevel { level } => {
            format!("Cannot set logger level; Unsupported level:{level}set in configuration")
        }
        _ => cause.to_string(),
    };
    text(origin, message)
}
