//! The constants that were chosen by measuring, with their units.

use crate::platform::hardware_threads;

/// The number of freed buffers of each size class and element type.
///
/// Enough for the buffers of one wave of tiles of a sparse read; the bound on the total size takes
/// effect first for all but the smallest classes.
pub(super) const BUFFERS_PER_CLASS: usize = 64;

/// The size in bytes below which freed buffers are left to the allocator, which reuses them as fast
/// without page faults.
pub(super) const MIN_POOLED_BUFFER: usize = 4096;

/// The size in bytes above which freed buffers are returned to the system, so that a few of them
/// cannot fill the pool.
pub(super) const MAX_POOLED_BUFFER: usize = 1 << 20;

/// The number of idle workspaces of each kind: one for each thread of all but the largest machines.
pub(super) const WORKSPACES_PER_KIND: usize = 256;

/// Returns the maximum size in bytes of all idle memory of the process. It is part of the 32 MiB
/// that an operation may use beyond its memory budget; on machines with many threads, each adds
/// the size of its codec contexts.
pub(super) fn max_idle_bytes() -> usize {
    (hardware_threads() << 21).clamp(16 << 20, 512 << 20)
}

/// Returns the maximum size in bytes of one idle workspace.
pub(super) fn max_workspace_bytes() -> usize {
    max_idle_bytes() / 4
}

/// The maximum number of files that all fragments of the process keep open. Processes may have
/// 1,024 open files on most systems, and the program needs most of them.
pub(super) const MAX_OPEN_FILES: usize = 256;

/// The maximum size in bytes of the end of a remote file that is cached: more than the metadata of
/// most fragments, so that a second open of an array requests none of them.
#[cfg(feature = "remote")]
pub(crate) const MAX_TAIL_BYTES: usize = 64 << 10;

/// The maximum size in bytes of the cached ends of the files of one object store.
#[cfg(feature = "remote")]
pub(crate) const MAX_TAIL_CACHE_BYTES: usize = 16 << 20;
