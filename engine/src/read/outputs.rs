//! Buffers that the threads of a read fill together.
//!
//! A read divides its result into tasks (the space tiles of a dense read, the tiles or the blocks
//! of a sparse one) and runs them in parallel. Every cell of the result belongs to exactly one
//! task, which tests of `dense` and `sparse/gather/batch` verify. A task writes the
//! cells that belong to it, at their positions in the result, and nothing else.
#![expect(
    unsafe_code,
    reason = "states the rule that makes the writes of tasks disjoint"
)]

use crate::tile::SharedBytes;

/// Shares a buffer that has a position for each cell of the result between the tasks of a read,
/// which write the cells that belong to them.
pub(in crate::read) fn share_with_tasks(bytes: &mut [u8]) -> SharedBytes<'_> {
    // SAFETY: this function is visible in the readers only, whose tasks follow the rule above. A
    // task runs in one thread, and writes one part at a time or parts of different cells.
    unsafe { SharedBytes::new(bytes) }
}

/// The caller's buffers of a field.
#[derive(Clone, Copy, Debug)]
pub(in crate::read) struct FieldOutput<'a> {
    /// Fixed-size cells, or the values of variable-length ones.
    pub(in crate::read) data: SharedBytes<'a>,
    /// The offsets of variable-length cells.
    pub(in crate::read) offsets: SharedBytes<'a>,
    /// A byte for each cell, if the field is nullable.
    pub(in crate::read) validity: Option<SharedBytes<'a>>,
}

impl<'a> FieldOutput<'a> {
    /// Shares the buffers of a field.
    pub(in crate::read) fn new(
        data: &'a mut [u8],
        offsets: &'a mut [u8],
        validity: Option<&'a mut [u8]>,
    ) -> Self {
        Self {
            data: share_with_tasks(data),
            offsets: share_with_tasks(offsets),
            validity: validity.map(share_with_tasks),
        }
    }
}
