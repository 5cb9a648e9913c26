//! The files in the folder of commits that have content: conditions, many commits in one file, and
//! lists of names.

mod condition;
mod consolidated;
mod names;

pub use condition::{read_condition, write_condition};
pub use consolidated::{CommitEntry, read_consolidated_commits, write_consolidated_commit};
pub use names::read_names;
