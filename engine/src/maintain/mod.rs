//! Upkeep: merging many small files into few, and removing what was merged.

mod metadata;

#[cfg(test)]
mod tests;

pub use metadata::{consolidate_metadata, vacuum_metadata};
