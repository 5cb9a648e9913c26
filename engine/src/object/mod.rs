//! Objects: whether a folder is an array or a group, walks over them, and moving and removing them.

mod change;
mod kind;
mod removal;
mod walk;

#[cfg(test)]
mod tests;

pub use change::{move_object, remove};
pub use kind::object_type;
pub use removal::{Extent, complete_removal, has_remains, remove_array, remove_object};
pub use walk::{list, walk};
