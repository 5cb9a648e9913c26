//! Objects: types of folders, recursive listings, copies, moving and removal.

mod change;
mod copy;
mod removal;
mod walk;

#[cfg(test)]
mod tests;

pub use change::{is_move_target, move_object, move_typed, remove, remove_typed};
pub use copy::{CopyProgress, copy_array, is_copy_target};
pub use removal::{Extent, complete_removal, has_remains, remove_array, remove_object};
pub use walk::{
    ObjectVisit, accessible_object_type, list, list_typed, object_type, walk, walk_typed,
};
