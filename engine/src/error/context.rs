//! Causes of errors of contexts.

/// Causes of errors of contexts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    #[error("A concurrency level of {level} threads is too large")]
    TooManyThreads { level: u64 },
    #[error("No thread can work, because '{parameter}' is 0")]
    NoComputeThreads { parameter: &'static str },
    #[error("No thread can read or write, because '{parameter}' is 0")]
    NoIoThreads { parameter: &'static str },
    #[error("{level} is not a level of logging")]
    BadLogLevel { level: u32 },
}
