//! Entries of a folder besides files and folders: FIFOs, sockets, devices, links, and files
//! that the user may not read.

use std::ffi::CString;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::random::Random;
use crate::source::Files;

/// A replacement of a file or a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Special {
    Fifo,
    Socket,
    /// A symbolic link to this target.
    Link(&'static str),
    /// A symbolic link to itself.
    Loop,
    /// A folder in place of a file.
    Folder,
    /// A folder in which nothing may be looked up.
    ClosedFolder,
    UnreadableFile,
    /// A file with a size of 1 TiB that occupies no storage.
    HugeFile,
    /// A file whose name is not UTF-8, beside the one that is removed.
    OddName,
}

const KINDS: [Special; 15] = [
    Special::Fifo,
    Special::Socket,
    Special::Link("."),
    Special::Link(".."),
    Special::Link("../.."),
    Special::Link("missing"),
    Special::Link("/dev/zero"),
    Special::Link("/dev/null"),
    Special::Link("/dev/full"),
    Special::Loop,
    Special::Folder,
    Special::ClosedFolder,
    Special::UnreadableFile,
    Special::HugeFile,
    Special::OddName,
];

/// Removes a file, or one of the folders that contain it, from the files of an object. Returns the
/// path and what replaces it.
pub(crate) fn replace(files: &mut Files, path: &str, random: &mut Random) -> (String, Special) {
    let parts: Vec<&str> = path.split('/').collect();
    let depth = random.below(parts.len() as u64) as usize;
    let path = parts[..=depth].join("/");
    let below = format!("{path}/");
    files.retain(|name, _| *name != path && !name.starts_with(&below));
    (path, random.one_of(&KINDS))
}

impl Special {
    /// Creates it at a path. Nothing is created if another mutation put a file where a folder is
    /// needed.
    pub(crate) fn create(self, path: &Path) {
        if let Some(folder) = path.parent() {
            drop(fs::create_dir_all(folder));
        }
        let set_mode = |mode| drop(fs::set_permissions(path, Permissions::from_mode(mode)));
        match self {
            Self::Fifo => {
                let name = CString::new(path.as_os_str().as_bytes()).expect("a path");
                // SAFETY: the path is a C string.
                unsafe { libc::mkfifo(name.as_ptr(), 0o600) };
            }
            Self::Socket => drop(UnixListener::bind(path)),
            Self::Link(target) => drop(symlink(target, path)),
            Self::Loop => drop(symlink(path, path)),
            Self::Folder => drop(fs::create_dir(path)),
            Self::ClosedFolder => {
                drop(fs::create_dir(path));
                drop(fs::write(path.join("file"), "content"));
                set_mode(0o600);
            }
            Self::UnreadableFile => {
                drop(fs::write(path, "content"));
                set_mode(0);
            }
            Self::HugeFile => drop(File::create(path).and_then(|file| file.set_len(1 << 40))),
            Self::OddName => {
                let name = [path.as_os_str().as_bytes(), b"\xff"].concat();
                drop(fs::write(std::ffi::OsStr::from_bytes(&name), "content"));
            }
        }
    }
}
