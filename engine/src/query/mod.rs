//! Queries: what was set, how they read and write.
