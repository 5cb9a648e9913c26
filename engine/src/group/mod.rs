//! Groups: folders that list arrays and groups as members, with metadata of their own.
//!
//! [`Group`] is closed or open, like an array. `details` reads and writes the files that list
//! members. `members` merges them and contains the changes of a writer. `remove` removes groups.
//! `snapshot` opens a group with all its members.

mod create;
mod details;
mod dump;
mod maintenance;
mod members;
mod open;
mod remove;
mod snapshot;

#[cfg(test)]
mod tests;

pub use create::create;
pub use details::detail_files;
pub use maintenance::{consolidate_metadata, vacuum_metadata};
pub use members::{Member, MemberUri};
pub use open::{Group, GroupMessage, GroupServer};
pub use snapshot::{GroupSnapshot, SnapshotMember};
