//! Files without a name, which vanish with the process unless they are given one (`O_TMPFILE` and
//! `linkat`).

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::{fs::OpenOptions, os::fd::AsRawFd, os::unix::fs::OpenOptionsExt};

#[cfg(target_os = "linux")]
use super::syscalls::link_target;

/// A file without a name, and the folder in which it will get one.
#[derive(Debug)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "other systems have no files without a name")
)]
pub(crate) struct UnnamedFile {
    file: File,
    #[cfg(target_os = "linux")]
    folder: File,
}

/// Creates a file without a name on the file system of `folder`. Returns `None` if the operating
/// system or the file system has no such files.
#[cfg(target_os = "linux")]
pub(crate) fn create_unnamed(folder: &str, mode: u32) -> io::Result<Option<UnnamedFile>> {
    let mut options = OpenOptions::new();
    options.write(true).mode(mode).custom_flags(libc::O_TMPFILE);
    match options.open(folder) {
        Ok(file) => {
            // Needs no permission to list the folder.
            let flags = libc::O_PATH | libc::O_DIRECTORY;
            let folder = OpenOptions::new()
                .read(true)
                .custom_flags(flags)
                .open(folder)?;
            Ok(Some(UnnamedFile { file, folder }))
        }
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

/// Other systems have no files without a name.
#[cfg(not(target_os = "linux"))]
pub(crate) fn create_unnamed(_folder: &str, _mode: u32) -> io::Result<Option<UnnamedFile>> {
    Ok(None)
}

impl UnnamedFile {
    /// Returns the open file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file a name in its folder, wherever that is now. The name must be free. Returns
    /// `false` if the system cannot do that.
    #[cfg(target_os = "linux")]
    pub(crate) fn publish(&self, name: &str) -> io::Result<bool> {
        let from = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let to = format!("/proc/self/fd/{}/{name}", self.folder.as_raw_fd());
        let Err(error) = link_target(&from, &to) else {
            return Ok(true);
        };
        // Without /proc these paths do not exist; otherwise the folder was removed.
        match error.raw_os_error() {
            Some(libc::ENOENT) if !std::path::Path::new("/proc/self/fd").is_dir() => Ok(false),
            Some(libc::EXDEV | libc::EPERM | libc::EOPNOTSUPP) => Ok(false),
            _ => Err(error),
        }
    }

    /// Returns `false`: the system cannot do that.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn publish(&self, _name: &str) -> io::Result<bool> {
        Ok(false)
    }
}
