//! Files without a name, which vanish with the process unless they are given one (`O_TMPFILE` and
//! `linkat`).

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::{fs::OpenOptions, os::fd::AsRawFd, os::unix::fs::OpenOptionsExt};

#[cfg(target_os = "linux")]
use super::syscalls::link_target;

/// Creates a file without a name on the file system of `folder`. Returns `None` if the operating
/// system or the file system has no such files.
#[cfg(target_os = "linux")]
pub(crate) fn create_unnamed(folder: &str, mode: u32) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.write(true).mode(mode).custom_flags(libc::O_TMPFILE);
    match options.open(folder) {
        Ok(file) => Ok(Some(file)),
        // Kernels and file systems without support take the flag for an attempt to write to a
        // folder.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EISDIR | libc::EOPNOTSUPP | libc::EINVAL)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Gives an unnamed file a name, which must be free. Returns `false` if the system cannot do that.
#[cfg(target_os = "linux")]
pub(crate) fn name_unnamed(file: &File, path: &str) -> io::Result<bool> {
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    let Err(error) = link_target(&descriptor, path) else {
        return Ok(true);
    };
    // Without /proc there is no such source; the target's folder exists, since the file was created
    // in it.
    match error.raw_os_error() {
        Some(libc::ENOENT) if !std::path::Path::new("/proc/self/fd").is_dir() => Ok(false),
        Some(libc::EXDEV | libc::EPERM | libc::EOPNOTSUPP) => Ok(false),
        _ => Err(error),
    }
}

/// Other systems have no files without a name.
#[cfg(not(target_os = "linux"))]
pub(crate) fn create_unnamed(_folder: &str, _mode: u32) -> io::Result<Option<File>> {
    Ok(None)
}

/// Other systems have no files without a name.
#[cfg(not(target_os = "linux"))]
pub(crate) fn name_unnamed(_file: &File, _path: &str) -> io::Result<bool> {
    Ok(false)
}
