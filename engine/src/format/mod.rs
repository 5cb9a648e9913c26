//! How things are spelled: the bytes of every file, per format version. No I/O, no panic.
//!
//! One file for each record, with its layout on top and `read` and `write` side by side. Versions
//! are compared by the names in [`version`] only.

pub mod commits;
pub mod enumeration;
pub mod filter_list;
pub mod fragment;
pub mod generic_tile;
pub mod group;
pub mod metadata;
pub mod names;
mod rectangle;
pub mod schema;
pub mod version;
