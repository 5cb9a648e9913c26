//! The files in the commits folder that have content: conditions, consolidated commits, and lists
//! of names.

mod condition;
mod consolidated;
mod names;

pub use condition::{read_condition, write_condition};
pub use consolidated::{
    CommitEntry, ConsolidatedCommitsReader, read_consolidated_commits, write_consolidated_commit,
};
pub use names::{is_complete_list, read_names};
