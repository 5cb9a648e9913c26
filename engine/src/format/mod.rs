//! File formats: the bytes of every file by format version. The functions do no I/O and do not
//! panic.
//!
//! There is one file per record, with its layout at the top, `read` and `write`. Versions are
//! compared only by the names in [`version`].

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
