//! The operation that a thread runs.

use std::cell::Cell;

/// The epoch of operations that cannot be cancelled.
pub(super) const NEVER: u64 = u64::MAX;

thread_local! {
    /// The current operation of this thread: the address of its context, and the number of
    /// cancellations when the operation began.
    pub(super) static OPERATION: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}
