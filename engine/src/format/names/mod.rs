//! The names of an array's folders and files.

pub mod folders;
mod fragment_files;
mod timestamps;

pub use fragment_files::{
    COORDINATES, DELETE_CONDITIONS, DELETE_TIMESTAMPS, FragmentField, TIMESTAMPS,
};
pub use timestamps::{FragmentName, enumeration_name, is_without_path, unversioned_name};
