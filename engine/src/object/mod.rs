//! Objects: what is an array or a group, walks over them, and moving and removing them whole.

mod change;
mod kind;
mod walk;

#[cfg(test)]
mod tests;

pub use change::{move_object, remove};
pub use kind::object_type;
pub use walk::{list, walk};
