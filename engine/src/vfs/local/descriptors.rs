//! Operations that need a file descriptor, of which a process has a limited number.

use std::io;

use crate::memory::close_idle_files;
use crate::platform;

/// Runs an operation that opens a file or a folder. If the process has no descriptor left, closes
/// the idle files of all fragments and runs it again.
pub(super) fn with_descriptor<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match operation() {
        Err(error) if platform::is_out_of_descriptors(&error) && close_idle_files() => operation(),
        result => result,
    }
}
