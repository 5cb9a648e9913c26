//! The files in the folder of commits that have content: many commits in one file, and lists of names.

mod consolidated;
mod names;

pub use consolidated::{CommitEntry, read_consolidated_commits, write_consolidated_commit};
pub use names::read_names;
