//! The local file system.
//!
//! One system call does the work of one operation; nothing is buffered here, the page cache is. Files are read at offsets,
//! so a file open for reading has no position and may be shared. A file is durable once it is synced, a new name once the
//! folder is, too.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Write};
use std::path::Path;

use super::backend::{Backend, Opening, Sink, Source};
use super::{Entry, EntryKind, Uri};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::system;

/// The local file system, and the permissions of what is made there.
#[derive(Debug)]
pub(super) struct Local {
    file_mode: u32,
    folder_mode: u32,
}

impl Local {
    pub(super) fn new(config: &Config) -> Result<Self> {
        Ok(Self {
            file_mode: config.permissions("vfs.file.posix_file_permissions")?,
            folder_mode: config.permissions("vfs.file.posix_directory_permissions")?,
        })
    }

    /// Opens a file for writing, and makes the folders above it where they are missing.
    fn open_for_writing(&self, uri: &Uri, options: &mut OpenOptions) -> Result<File> {
        let options = options.create(true);
        system::set_file_permissions(options, self.file_mode);
        let mut opened = options.open(uri.path());
        if matches!(&opened, Err(error) if error.kind() == ErrorKind::NotFound) {
            self.make_folders_above(uri)?;
            opened = options.open(uri.path());
        }
        opened.map_err(|error| Error::storage("open file", uri.as_str(), error))
    }

    fn make_folders_above(&self, uri: &Uri) -> Result<()> {
        match uri.parent() {
            Some(parent) => self.create_dir(&parent),
            None => Ok(()),
        }
    }
}

impl Backend for Local {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        let file = File::open(uri.path())
            .map_err(|error| Error::storage("open file", uri.as_str(), error))?;
        Ok(Box::new(LocalSource {
            file,
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: Opening) -> Result<Box<dyn Sink>> {
        let mut options = OpenOptions::new();
        match opening {
            Opening::Replace => options.write(true).truncate(true),
            Opening::Append => options.append(true),
        };
        Ok(Box::new(LocalSink {
            file: self.open_for_writing(uri, &mut options)?,
            uri: uri.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        let metadata = std::fs::metadata(uri.path())
            .map_err(|error| Error::storage("get file size of", uri.as_str(), error))?;
        Ok(metadata.len())
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        Ok(std::fs::metadata(uri.path()).is_ok_and(|metadata| !metadata.is_dir()))
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        Ok(Path::new(uri.path()).is_dir())
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        Ok(system::is_same(one.path(), other.path()))
    }

    fn list(&self, uri: &Uri, sizes: bool) -> Result<Vec<Entry>> {
        let failed = |error| Error::storage("list directory", uri.as_str(), error);
        let folder = match std::fs::read_dir(uri.path()) {
            Ok(folder) => folder,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(Vec::new());
            }
            Err(error) => return Err(failed(error)),
        };
        let mut entries = Vec::new();
        for found in folder {
            entries.push(entry(&found.map_err(failed)?, sizes).map_err(failed)?);
        }
        Ok(entries)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        system::set_folder_permissions(&mut builder, self.folder_mode);
        let made = match builder.create(uri.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                builder.recursive(true).create(uri.path())
            }
            // Whatever it is that exists: so programs know it.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        made.map_err(|error| Error::storage("create directory", uri.as_str(), error))
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        let removed = match std::fs::remove_file(uri.path()) {
            // An empty folder goes, too: so programs know it.
            Err(_) if Path::new(uri.path()).is_dir() => std::fs::remove_dir(uri.path()),
            removed => removed,
        };
        removed.map_err(|error| Error::storage("delete file", uri.as_str(), error))
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        let removed = match std::fs::remove_dir_all(uri.path()) {
            // A file goes, too: so programs know it.
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                std::fs::remove_file(uri.path())
            }
            removed => removed,
        };
        removed.map_err(|error| Error::storage("delete directory", uri.as_str(), error))
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        let file = self.open_for_writing(uri, OpenOptions::new().write(true).truncate(false))?;
        file.sync_all()
            .map_err(|error| Error::storage("sync file", uri.as_str(), error))
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        let moved = match std::fs::rename(from.path(), to.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.make_folders_above(to)?;
                std::fs::rename(from.path(), to.path())
            }
            moved => moved,
        };
        moved.map_err(|error| Error::storage("move", from.as_str(), error))
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        match system::sync(uri.path()) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            synced => synced.map_err(|error| Error::storage("sync", uri.as_str(), error)),
        }
    }
}

/// An entry of a listing. The kind comes with the listing; only links and sizes cost a call.
fn entry(found: &std::fs::DirEntry, sizes: bool) -> io::Result<Entry> {
    let kind = found.file_type()?;
    let link = kind.is_symlink();
    let mut is_folder = kind.is_dir();
    let mut size = 0;
    if link || (sizes && !is_folder) {
        // A link to nowhere counts as an empty file.
        if let Ok(metadata) = std::fs::metadata(found.path()) {
            is_folder = metadata.is_dir();
            size = if is_folder { 0 } else { metadata.len() };
        }
    }
    Ok(Entry {
        name: found.file_name().to_string_lossy().into_owned(),
        kind: if is_folder {
            EntryKind::Directory
        } else {
            EntryKind::File
        },
        size,
        link,
    })
}

#[derive(Debug)]
struct LocalSource {
    file: File,
    uri: Uri,
}

impl LocalSource {
    fn failed(&self, error: io::Error) -> Error {
        Error::storage("read from file", self.uri.as_str(), error)
    }
}

impl Source for LocalSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        system::read_at(&self.file, offset, to).map_err(|error| self.failed(error))
    }

    fn read_vectored_at(&self, mut offset: u64, mut to: &mut [IoSliceMut<'_>]) -> Result<()> {
        IoSliceMut::advance_slices(&mut to, 0); // drops empty parts in front
        while !to.is_empty() {
            let count = match system::read_vectored_at(&self.file, offset, to) {
                Ok(0) => return Err(self.failed(ErrorKind::UnexpectedEof.into())),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.failed(error)),
            };
            offset += count as u64;
            IoSliceMut::advance_slices(&mut to, count);
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        let metadata = self.file.metadata();
        metadata
            .map(|metadata| metadata.len())
            .map_err(|error| Error::storage("get file size of", self.uri.as_str(), error))
    }
}

#[derive(Debug)]
struct LocalSink {
    file: File,
    uri: Uri,
}

impl Sink for LocalSink {
    fn write_vectored(&mut self, mut parts: &mut [IoSlice<'_>]) -> Result<()> {
        let failed = |error| Error::storage("write to file", self.uri.as_str(), error);
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match (&self.file).write_vectored(parts) {
                Ok(0) => return Err(failed(ErrorKind::WriteZero.into())),
                Ok(count) => IoSlice::advance_slices(&mut parts, count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.file
            .sync_data()
            .map_err(|error| Error::storage("sync file", self.uri.as_str(), error))
    }

    fn close(self: Box<Self>) -> Result<()> {
        let closed = system::close(self.file);
        closed.map_err(|error| Error::storage("close file", self.uri.as_str(), error))
    }
}
