//! Linux, macOS and the like.

mod folder_lock;
mod unnamed_file;

use std::borrow::Cow;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, IoSliceMut};
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};

pub(crate) use folder_lock::{FolderLock, LockAttempt, try_lock_folder};
pub(crate) use unnamed_file::{create_unnamed, name_unnamed};

/// The most parts that one vectored call takes on the systems we know.
const MAX_PARTS: usize = 1024;

/// The variable that names the home folder.
pub(crate) const HOME: &str = "HOME";

/// Has a file made with these permissions.
pub(crate) fn set_file_permissions(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

/// Has folders made with these permissions.
pub(crate) fn set_folder_permissions(builder: &mut DirBuilder, mode: u32) {
    builder.mode(mode);
}

/// Fills `to` with the bytes of a file from `offset` on.
pub(crate) fn read_at(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    file.read_exact_at(to, offset)
}

/// One vectored read: how many bytes came.
#[expect(unsafe_code, reason = "the standard library has no stable preadv")]
pub(crate) fn read_vectored_at(
    file: &File,
    offset: u64,
    to: &mut [IoSliceMut<'_>],
) -> io::Result<usize> {
    let parts = to.len().min(MAX_PARTS) as libc::c_int;
    let offset =
        libc::off_t::try_from(offset).map_err(|_| io::Error::from(ErrorKind::UnexpectedEof))?;
    // SAFETY: `IoSliceMut` is laid out as `iovec`, and no more than the slices there are is named.
    let count = unsafe { libc::preadv(file.as_raw_fd(), to.as_mut_ptr().cast(), parts, offset) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Whether two paths lead to one file or one folder.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let place = |path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((place(one), place(other)), (Ok(one), Ok(other)) if one == other)
}

/// Makes the bytes of a file, or the names in a folder, durable.
pub(crate) fn sync(path: &str) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Returns an identifier of the state of a folder's entries, which changes whenever one is added, removed or renamed, and
/// the time of the last change in milliseconds since 1970. The kernel's clock for such times advances every few
/// milliseconds: two changes in quick succession may share a state.
pub(crate) fn folder_state(path: &str) -> io::Result<Option<(u128, u64)>> {
    let metadata = std::fs::metadata(path)?;
    let nanoseconds =
        i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    let state = (u128::from(metadata.ino()) << 64) ^ nanoseconds.cast_unsigned();
    let milliseconds = u64::try_from(nanoseconds / 1_000_000).unwrap_or(0);
    Ok(Some((state, milliseconds)))
}

/// Closes a file and says whether a late write failed, which dropping it would not.
#[expect(unsafe_code, reason = "the standard library hides the answer of close")]
pub(crate) fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor is ours alone and is not used again.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => match io::Error::last_os_error() {
            // The descriptor is gone all the same.
            error if error.kind() == ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}

/// A path as URIs have it: parts between slashes, and a slash in front where it is absolute.
pub(crate) fn slashed(path: &str) -> Cow<'_, str> {
    Cow::Borrowed(path)
}

/// A path from a URI as the system takes it.
pub(crate) fn local(path: &str) -> &str {
    path
}

/// Has `handler` called in each child that `fork` makes. It may do no more than what a signal handler may.
#[expect(unsafe_code, reason = "a call of the system")]
pub(crate) fn on_fork(handler: extern "C" fn()) {
    // SAFETY: a function that lives as long as the program. Where it cannot be registered, for want of memory, children go
    // on with what they inherited.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// Leaves signals to the threads of the program; its handlers may expect them there.
#[expect(unsafe_code, reason = "calls of the system")]
pub(crate) fn block_signals() {
    // SAFETY: the set is filled before it is used, and the old mask is not asked for.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}
