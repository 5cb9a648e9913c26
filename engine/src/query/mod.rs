//! Queries: what was set, how they read and write.

pub mod buffers;
pub mod read;
pub mod subarray;
pub mod write;
