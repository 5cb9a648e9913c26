//! Open local files: read at offsets, or written front to back. A process has a limited number of
//! descriptors: idle files are closed when there are none left.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Seek, SeekFrom, Write};

use crate::error::{Error, Result, try_vec};
use crate::memory::{OpenFilePermit, close_idle_files};
use crate::platform;
use crate::vfs::backend::{FileSink, Source};
use crate::vfs::{OpenFolder, Uri};

#[derive(Debug)]
pub(super) struct LocalSource {
    pub(super) file: File,
    pub(super) uri: Uri,
}

impl LocalSource {
    fn failed(&self, error: io::Error) -> Error {
        Error::storage("read from file", self.uri.as_str(), error)
    }
}

impl Source for LocalSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        platform::read_at(&self.file, offset, to).map_err(|error| self.failed(error))
    }

    fn read_vectored_at(&self, mut offset: u64, mut to: &mut [IoSliceMut<'_>]) -> Result<()> {
        IoSliceMut::advance_slices(&mut to, 0); // drops empty parts in front
        while !to.is_empty() {
            let count = match platform::read_vectored_at(&self.file, offset, to) {
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
        platform::size(&self.file)
            .map_err(|error| Error::storage("get file size of", self.uri.as_str(), error))
    }
}

/// An open folder. Files are opened relative to it.
#[derive(Debug)]
pub(super) struct LocalFolder {
    pub(super) folder: File,
    pub(super) uri: Uri,
}

impl OpenFolder for LocalFolder {
    fn read_tail(&self, path: &str, most: u64) -> Result<(Vec<u8>, u64)> {
        let failed = |action, error| Error::storage(action, self.uri.join(path).as_str(), error);
        let file = with_descriptor(|| platform::open_below(&self.folder, path))
            .map_err(|error| failed("open file", error))?;
        // Seeking to the end takes less time than to look up all properties of the file.
        let size = (&file).seek(SeekFrom::End(0));
        let size = size.map_err(|error| failed("get file size of", error))?;
        let len = usize::try_from(size.min(most)).unwrap_or(usize::MAX);
        let mut bytes = try_vec("the end of a file", len)?;
        platform::read_at(&file, size - len as u64, &mut bytes)
            .map_err(|error| failed("read from file", error))?;
        Ok((bytes, size))
    }
}

/// A file that is written front to back. Without a permit it is synced and closed after each write,
/// since a fragment may have more files than the process may have open. It is synced because the
/// error of a delayed write may be lost while no descriptor is open.
#[derive(Debug)]
pub(super) struct LocalSink {
    /// The file; `None` if it is closed between two writes.
    file: Option<File>,
    permit: Option<OpenFilePermit>,
    uri: Uri,
    is_synced: bool,
}

impl LocalSink {
    /// Returns the sink of a file that is open for writing, positioned at its end. Unless
    /// `is_synced`, its content is never synced.
    pub(super) fn new(file: File, uri: &Uri, is_synced: bool) -> Result<Self> {
        let mut sink = Self {
            file: Some(file),
            permit: None,
            uri: uri.clone(),
            is_synced,
        };
        if !sink.may_stay_open() {
            sink.close_file()?;
        }
        Ok(sink)
    }

    fn failed(&self, action: &'static str, error: io::Error) -> Error {
        Error::storage(action, self.uri.as_str(), error)
    }

    /// Opens the file again if it is closed, to continue at its end.
    fn open(&mut self) -> Result<&File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => {
                let options = &mut OpenOptions::new();
                let opened = with_descriptor(|| options.append(true).open(self.uri.path()));
                opened.map_err(|error| self.failed("open file", error))?
            }
        };
        Ok(self.file.insert(file))
    }

    /// Returns whether the file may stay open between two writes.
    fn may_stay_open(&mut self) -> bool {
        if self.permit.is_none() {
            self.permit = OpenFilePermit::acquire();
        }
        self.permit.is_some()
    }

    fn close_file(&mut self) -> Result<()> {
        let closed = self.file.take().map_or(Ok(()), platform::close);
        closed.map_err(|error| self.failed("close file", error))
    }
}

impl FileSink for LocalSink {
    fn write_vectored(&mut self, mut parts: &mut [IoSlice<'_>]) -> Result<()> {
        IoSlice::advance_slices(&mut parts, 0);
        while !parts.is_empty() {
            match self.open()?.write_vectored(parts) {
                Ok(0) => return Err(self.failed("write to file", ErrorKind::WriteZero.into())),
                Ok(count) => IoSlice::advance_slices(&mut parts, count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed("write to file", error)),
            }
        }
        if self.may_stay_open() {
            return Ok(());
        }
        self.sync()
    }

    fn sync(&mut self) -> Result<()> {
        if self.is_synced {
            let synced = self.open()?.sync_data();
            synced.map_err(|error| self.failed("sync file", error))?;
        }
        if self.may_stay_open() {
            return Ok(());
        }
        self.close_file()
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.close_file()
    }
}

/// Runs an operation that opens a file or a folder. If the process has no descriptor left, closes
/// the idle files of all fragments and runs it again.
pub(super) fn with_descriptor<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match operation() {
        Err(error) if platform::is_out_of_descriptors(&error) && close_idle_files() => operation(),
        result => result,
    }
}
