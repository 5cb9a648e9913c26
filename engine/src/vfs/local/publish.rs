//! Files and folders that appear under their final name complete, in one step.

use std::io::{self, ErrorKind, Write};

use super::Local;
use super::descriptors::with_descriptor;
use crate::error::{Error, Result};
use crate::platform;
use crate::vfs::backend::{Backend, Opening};
use crate::vfs::{Uri, temporary_name};

/// Creates a file without a name, writes and syncs it, and then links it to its name. If the file
/// system does not support this, a temporary file in `staging` is used, which a crash can leave
/// behind.
pub(super) fn file(local: &Local, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
    match publish_unnamed(local, uri, bytes) {
        Ok(true) => Ok(()),
        Ok(false) => publish_staged(local, staging, uri, bytes),
        Err(error) => Err(Error::storage("write to file", uri.as_str(), error)),
    }
}

/// Writes a file without a name and names it. Returns `false` if the file system does not support
/// that.
fn publish_unnamed(local: &Local, uri: &Uri, bytes: &[u8]) -> io::Result<bool> {
    let Some(parent) = uri.parent() else {
        return Err(ErrorKind::IsADirectory.into());
    };
    let create = || platform::create_unnamed(parent.path(), local.file_mode);
    let Some(mut file) = with_descriptor(create)? else {
        return Ok(false);
    };
    file.write_all(bytes)?;
    file.sync_all()?;
    platform::name_unnamed(&file, uri.path())
}

/// Writes a file with a temporary name and renames it.
fn publish_staged(local: &Local, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
    let temporary = staging.join(&temporary_name());
    let written = write(local, &temporary, bytes).and_then(|()| local.rename(&temporary, uri));
    written.inspect_err(|_| {
        // The first error is reported. If the file remains, readers ignore it and vacuum removes
        // it.
        let _ = std::fs::remove_file(temporary.path());
    })
}

fn write(local: &Local, uri: &Uri, bytes: &[u8]) -> Result<()> {
    let mut sink = local.create(uri, Opening::Replace)?;
    sink.write_vectored(&mut [io::IoSlice::new(bytes)])?;
    sink.sync()?;
    sink.close()
}

/// Renames a folder to a name that does not exist or is that of an empty folder. Returns `false` if
/// another file or folder has the name.
pub(super) fn dir(from: &Uri, to: &Uri) -> Result<bool> {
    match std::fs::rename(from.path(), to.path()) {
        Ok(()) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists | ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(Error::storage("move", from.as_str(), error)),
    }
}

/// Removes an empty folder, or a symbolic link to one. Returns `false` if it is not empty.
pub(super) fn remove_empty_dir(uri: &Uri) -> Result<bool> {
    let path = uri.path().trim_end_matches('/');
    let failed = |error| Error::storage("delete directory", uri.as_str(), error);
    let is_link = std::fs::symlink_metadata(path)
        .map_err(failed)?
        .is_symlink();
    let removed = if !is_link {
        std::fs::remove_dir(path)
    } else if with_descriptor(|| std::fs::read_dir(path))
        .map_err(failed)?
        .next()
        .is_some()
    {
        return Ok(false);
    } else {
        std::fs::remove_file(path)
    };
    match removed {
        Ok(()) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(failed(error)),
    }
}
