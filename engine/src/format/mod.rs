//! How things are spelled: the bytes of every file, per format version. No I/O, no panic.

pub mod fragment;
pub mod names;
pub mod version;
