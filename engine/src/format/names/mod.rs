//! The names of files and folders of an array.

mod timestamped;

pub use timestamped::FragmentName;
