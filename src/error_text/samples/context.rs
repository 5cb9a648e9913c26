//! Samples of each cause.

use tiledb_engine::Error;
use tiledb_engine::error::ContextError;

pub(super) fn samples() -> Vec<Error> {
    vec![
        ContextError::TooManyThreads { level: 7001 }.into(),
        ContextError::NoComputeThreads {
            parameter: "the_parameter",
        }
        .into(),
        ContextError::NoIoThreads {
            parameter: "the_parameter",
        }
        .into(),
        ContextError::BadLogLevel { level: 7001 }.into(),
    ]
}
