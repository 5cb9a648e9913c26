//! System calls that the standard library lacks, behind safe functions.
#![expect(unsafe_code, reason = "calls of the C library")]

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, ErrorKind, IoSliceMut};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The maximum number of buffers per vectored call on the supported systems.
const MAX_PARTS: usize = 1024;
/// The number of files of one process whose descriptors are closed in children. Additional
/// descriptors stay open in a child until it exits.
const MAX_UNINHERITED: usize = 64;
/// The value of an unused slot.
const UNUSED: RawFd = -1;

static UNINHERITED: [AtomicI32; MAX_UNINHERITED] =
    [const { AtomicI32::new(UNUSED) }; MAX_UNINHERITED];

/// Performs one vectored read and returns the number of bytes read.
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

/// Closes a file and returns the error of a late write, which dropping the file would ignore.
pub(crate) fn close(file: File) -> io::Result<()> {
    // SAFETY: `into_raw_fd` passes the ownership of the descriptor to this call.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => match io::Error::last_os_error() {
            // The descriptor is closed nevertheless.
            error if error.kind() == ErrorKind::Interrupted => Ok(()),
            error => Err(error),
        },
    }
}

/// Opens the file at a path relative to an open folder for reading, without waiting for a process
/// that writes to a FIFO.
pub(crate) fn open_below(folder: &File, path: &str) -> io::Result<File> {
    // Most paths fit on the stack, and an open of many fragments opens many files.
    let mut buffer = [0; 256];
    let long;
    let path = match buffer.get_mut(..path.len()) {
        Some(start) if path.len() < 256 => {
            start.copy_from_slice(path.as_bytes());
            CStr::from_bytes_until_nul(&buffer).unwrap_or_default()
        }
        _ => {
            long = CString::new(path)?;
            &long
        }
    };
    let open = |flags| loop {
        let flags = libc::O_RDONLY | libc::O_CLOEXEC | flags;
        // SAFETY: the borrow of `folder` keeps its descriptor open, and `path` ends with a zero.
        let descriptor = unsafe { libc::openat(folder.as_raw_fd(), path.as_ptr(), flags) };
        if descriptor >= 0 {
            // SAFETY: the descriptor is new, so nothing else owns it.
            return Ok(unsafe { File::from_raw_fd(descriptor) });
        }
        match io::Error::last_os_error() {
            error if error.kind() == ErrorKind::Interrupted => {}
            error => return Err(error),
        }
    };
    match open(libc::O_NONBLOCK) {
        // Another process has a lease on the file, which it returns when the file is opened.
        Err(error) if error.kind() == ErrorKind::WouldBlock => open(0),
        opened => opened,
    }
}

/// Reads entries of an open folder into `to`, from where the last call ended. Returns the number of
/// bytes written; 0 after the last entry.
#[cfg(target_os = "linux")]
pub(super) fn read_entries(folder: &File, to: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the kernel writes at most `to.len()` bytes to `to`.
    let count = unsafe {
        libc::syscall(
            libc::SYS_getdents64,
            folder.as_raw_fd(),
            to.as_mut_ptr(),
            to.len(),
        )
    };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Makes the system send probes on a connection that was idle for some time, so that routers keep
/// it and a lost peer is noticed.
#[cfg(feature = "http")]
pub(crate) fn keep_alive(stream: &std::net::TcpStream) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the borrow of `stream` keeps the descriptor open, and the option is a `c_int`.
    let code = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_KEEPALIVE,
            std::ptr::from_ref(&on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    match code {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Changes the lock of a file or folder (`flock`) without waiting. The standard library's file
/// locks refuse folders on some systems.
pub(super) fn flock(file: &File, operation: libc::c_int) -> io::Result<()> {
    loop {
        // SAFETY: the borrow of `file` keeps the descriptor open.
        if unsafe { libc::flock(file.as_raw_fd(), operation | libc::LOCK_NB) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Creates a hard link to the file that `from`, a symbolic link, refers to. The standard library
/// would link the symbolic link itself.
#[cfg(target_os = "linux")]
pub(super) fn link_target(from: &str, to: &str) -> io::Result<()> {
    let (from, to) = (CString::new(from)?, CString::new(to)?);
    // SAFETY: both pointers are to strings with a final zero, which are dropped after the call.
    let code = unsafe {
        libc::linkat(
            libc::AT_FDCWD,
            from.as_ptr(),
            libc::AT_FDCWD,
            to.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    };
    if code == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Returns how many descriptors the process may have open.
pub(crate) fn max_descriptors() -> usize {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` is valid for writing.
    match unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } {
        0 => usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX),
        _ => usize::MAX,
    }
}

/// Registers a handler that is called in each child created by `fork`. The handler must be
/// async-signal-safe.
pub(crate) fn on_fork(handler: extern "C" fn()) {
    // SAFETY: a function is valid as long as the program runs. If memory is short and it cannot be
    // registered, children keep what they inherited.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// Returns freed memory to the system. glibc keeps free memory below twice the size of the largest
/// freed buffer, up to 64 MiB; other allocators are not affected.
pub(crate) fn trim_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: no pointer is passed, and memory in use is not changed.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Blocks all signals in the calling thread, so that they are delivered to the program's threads.
pub(crate) fn block_signals() {
    // SAFETY: a set of signals may be zeroed, and is filled before it is used. The null pointer
    // means that the old mask is not requested.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

/// An open file whose descriptor forked children close before they run other code.
#[derive(Debug)]
pub(super) struct UninheritedFile {
    file: File,
    slot: Option<&'static AtomicI32>,
}

impl UninheritedFile {
    /// Registers the descriptor of a file with the fork handler.
    pub(super) fn new(file: File) -> Self {
        static HANDLER: AtomicBool = AtomicBool::new(false);
        // Threads that race register the handler twice, which is harmless.
        if !HANDLER.load(Ordering::Acquire) {
            on_fork(close_in_child);
            HANDLER.store(true, Ordering::Release);
        }
        let descriptor = file.as_raw_fd();
        let slot = UNINHERITED.iter().find(|slot| {
            slot.compare_exchange(UNUSED, descriptor, Ordering::SeqCst, Ordering::SeqCst)
                .is_ok()
        });
        Self { file, slot }
    }

    /// Returns the file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Removes the descriptor from the fork handler.
    pub(super) fn forget(&mut self) {
        if let Some(slot) = self.slot.take() {
            slot.store(UNUSED, Ordering::SeqCst);
        }
    }
}

impl Drop for UninheritedFile {
    fn drop(&mut self) {
        // Before the file is closed: a child must not close the number once it may be reused.
        self.forget();
    }
}

/// Closes a forked child's copies of the descriptors of uninherited files. It uses only atomic
/// operations and `close`, since only async-signal-safe functions may be called there.
extern "C" fn close_in_child() {
    for slot in &UNINHERITED {
        let descriptor = slot.swap(UNUSED, Ordering::SeqCst);
        if descriptor != UNUSED {
            // SAFETY: the descriptor is open, and nothing in this process uses it: an uninherited
            // file exists only inside calls of this library, none of which forks, so the thread
            // that owns it does not exist in the child.
            unsafe { libc::close(descriptor) };
        }
    }
}

/// Returns the CPU time of this thread.
#[cfg(test)]
pub(crate) fn thread_time() -> std::time::Duration {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is valid for writing.
    let code = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    assert_eq!(code, 0, "the clock of a thread");
    std::time::Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Returns the result of `compute` in a forked child, or `false` if the child does not end within
/// 20 seconds.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn in_child(compute: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child only computes, and exits without running the parent's exit handlers. An
    // alarm ends it if it hangs.
    unsafe {
        match libc::fork() {
            0 => {
                libc::alarm(20);
                libc::_exit(i32::from(!compute()));
            }
            child => {
                let mut status = 0;
                libc::waitpid(child, &raw mut status, 0) == child && status == 0
            }
        }
    }
}

/// Returns the result of `compute` in a forked child, like [`in_child`], without the privileges of
/// `root`, which may search all folders.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn in_unprivileged_child(compute: impl FnOnce() -> bool) -> bool {
    const NOBODY: libc::uid_t = 65534;
    in_child(|| {
        // SAFETY: changes the credentials of the child only.
        let changed = unsafe {
            libc::geteuid() != 0
                || (libc::setgroups(0, std::ptr::null()) == 0
                    && libc::setresgid(NOBODY, NOBODY, NOBODY) == 0
                    && libc::setresuid(NOBODY, NOBODY, NOBODY) == 0)
        };
        changed && compute()
    })
}
