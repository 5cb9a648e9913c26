//! Open local files: read at offsets, or written front to back.

use std::fs::File;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Seek, SeekFrom, Write};

use crate::error::{Error, Result, try_vec};
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
        let file =
            platform::open_below(&self.folder, path).map_err(|error| failed("open file", error))?;
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

#[derive(Debug)]
pub(super) struct LocalSink {
    pub(super) file: File,
    pub(super) uri: Uri,
}

impl FileSink for LocalSink {
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
        let closed = platform::close(self.file);
        closed.map_err(|error| Error::storage("close file", self.uri.as_str(), error))
    }
}
