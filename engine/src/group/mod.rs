//! Groups: folders whose members, arrays and groups, may lie anywhere, with metadata of their own.
//!
//! [`Group`] has the states, as an array does. `details` reads what the files of a group say of its
//! members and writes one more; `members` is that, merged, with what a writer adds and removes;
//! `remove` takes a group away.

mod create;
mod details;
mod dump;
mod maintenance;
mod members;
mod open;
mod remove;

#[cfg(test)]
mod tests;

pub use create::create;
pub use maintenance::{consolidate_metadata, vacuum_metadata};
pub use open::{Group, Member};

use crate::error::Error;

/// The origin of the texts that programs compare.
const ORIGIN: &str = "Group";

fn wrong(message: impl Into<String>) -> Error {
    Error::usage(ORIGIN, message)
}
