//! Linux, macOS and the like.

mod folder_lock;
mod unnamed_file;

use std::borrow::Cow;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, IoSliceMut};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};

pub(crate) use folder_lock::{DescriptorLock, DescriptorLockAttempt, try_lock_folder};
pub(crate) use unnamed_file::{create_unnamed, name_unnamed};

/// The maximum number of buffers per vectored call on the supported systems.
const MAX_PARTS: usize = 1024;

/// The environment variable that contains the home folder.
pub(crate) const HOME: &str = "HOME";

/// Sets the permissions of a file that will be created.
pub(crate) fn set_file_permissions(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

/// Sets the permissions of folders that will be created.
pub(crate) fn set_folder_permissions(builder: &mut DirBuilder, mode: u32) {
    builder.mode(mode);
}

/// Fills `to` with the bytes of a file from `offset` on.
pub(crate) fn read_at(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    file.read_exact_at(to, offset)
}

/// Performs one vectored read and returns the number of bytes read.
#[expect(unsafe_code, reason = "the standard library has no stable preadv")]
pub(crate) fn read_vectored_at(
    file: &File,
    offset: u64,
    to: &mut [IoSliceMut<'_>],
) -> io::Result<usize> {
    let parts = to.len().min(MAX_PARTS) as libc::c_int;
    let offset =
        libc::off_t::try_from(offset).map_err(|_| io::Error::from(ErrorKind::UnexpectedEof))?;
    // SAFETY: `IoSliceMut` has the layout of `iovec`, and `parts` is at most the number of slices.
    let count = unsafe { libc::preadv(file.as_raw_fd(), to.as_mut_ptr().cast(), parts, offset) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Returns whether two paths refer to the same file or folder.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let identity = |path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((identity(one), identity(other)), (Ok(one), Ok(other)) if one == other)
}

/// Makes the bytes of a file, or the names in a folder, durable.
pub(crate) fn sync(path: &str) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Returns an identifier of the state of a folder's entries, which changes whenever one is added,
/// removed or renamed, and the time of the last change in milliseconds since 1970. The kernel's
/// clock for such times advances every few milliseconds: two changes in quick succession may share
/// a state.
pub(crate) fn folder_state(path: &str) -> io::Result<Option<(u128, u64)>> {
    let metadata = std::fs::metadata(path)?;
    let nanoseconds =
        i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    let state = (u128::from(metadata.ino()) << 64) ^ nanoseconds.cast_unsigned();
    let milliseconds = u64::try_from(nanoseconds / 1_000_000).unwrap_or(0);
    Ok(Some((state, milliseconds)))
}

/// Closes a file and returns the error of a late write, which dropping the file would ignore.
#[expect(unsafe_code, reason = "the standard library hides the answer of close")]
pub(crate) fn close(file: File) -> io::Result<()> {
    // SAFETY: this function owns the descriptor and does not use it afterwards.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => match io::Error::last_os_error() {
            // The descriptor is closed nevertheless.
            error if error.kind() == ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}

/// Converts a path to the form used in URIs: unchanged, since the separator is a slash.
pub(crate) fn with_forward_slashes(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// Converts a path from a URI to the form used by the system: unchanged.
pub(crate) fn local(path: &str) -> &str {
    path
}

/// Registers a handler that is called in each child created by `fork`. The handler must be
/// async-signal-safe.
#[expect(unsafe_code, reason = "a call of the system")]
pub(crate) fn on_fork(handler: extern "C" fn()) {
    // SAFETY: the function lives as long as the program. If memory is short and it cannot be
    // registered, children keep what they inherited.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// Blocks all signals in the calling thread, so that they are delivered to the program's threads.
#[expect(unsafe_code, reason = "calls of the system")]
pub(crate) fn block_signals() {
    // SAFETY: the set is filled before it is used, and the old mask is not requested.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}
