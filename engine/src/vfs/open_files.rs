//! Open files of all backends, which count what is read and written.

use std::io::{IoSlice, IoSliceMut};
use std::ops::Range;
use std::sync::Arc;

use super::Uri;
use super::backend::{FileSink, Source};
use super::log::OperationLog;
use crate::error::Result;
use crate::stats::{Counter, Stats};

/// A file open for reading, which several threads can use.
#[derive(Debug)]
pub struct ReadFile {
    uri: Uri,
    source: Box<dyn Source>,
    stats: Stats,
    log: Option<Arc<OperationLog>>,
}

impl ReadFile {
    /// Creates a handle that counts its reads in `stats`.
    pub(super) fn new(
        uri: Uri,
        source: Box<dyn Source>,
        stats: Stats,
        log: Option<Arc<OperationLog>>,
    ) -> Self {
        Self {
            uri,
            source,
            stats,
            log,
        }
    }

    /// Returns the URI.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Fills `to` with the bytes that start at `offset`. Returns an error if the file ends before.
    pub fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.count(to.len());
        self.logged(offset, to.len(), |source| source.read_at(offset, to))
    }

    /// Fills the buffers in order with the bytes that start at `offset`.
    pub fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        let len = to.iter().map(|part| part.len()).sum();
        self.count(len);
        self.logged(offset, len, |source| source.read_vectored_at(offset, to))
    }

    /// Returns the last bytes, at most `most`, and the size of the file.
    pub fn read_tail(&self, most: u64) -> Result<(Vec<u8>, u64)> {
        let (bytes, size) = match &self.log {
            None => self.source.read_tail(most)?,
            Some(log) => log.read_tail(&self.uri, || self.source.read_tail(most))?,
        };
        self.count(bytes.len());
        Ok((bytes, size))
    }

    /// Returns the content.
    pub fn read_all(&self) -> Result<Vec<u8>> {
        let bytes = match &self.log {
            None => self.source.read_all()?,
            Some(log) => {
                let bytes = log.time("read", &self.uri, || self.source.read_all())?;
                log.log_read(&self.uri, 0, bytes.len() as u64);
                bytes
            }
        };
        self.count(bytes.len());
        Ok(bytes)
    }

    /// Records that ranges are about to be read. Returns the ranges to load; none on storage
    /// without requests.
    pub(super) fn announce(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        self.source.announce(ranges)
    }

    /// Loads a range that [`ReadFile::announce`] returned.
    pub(super) fn load(&self, range: &Range<u64>) {
        self.source.load(range);
    }

    /// Drops ranges that were loaded and not read.
    pub fn forget(&self) {
        self.source.forget();
    }

    /// Runs a read, and logs it if there is a log.
    fn logged<T>(&self, offset: u64, len: usize, read: impl FnOnce(&dyn Source) -> T) -> T {
        let Some(log) = &self.log else {
            return read(&*self.source);
        };
        log.log_read(&self.uri, offset, len as u64);
        log.time("read", &self.uri, || read(&*self.source))
    }

    fn count(&self, bytes: usize) {
        self.stats.add(Counter::ReadOps, 1);
        self.stats.add(Counter::ReadBytes, bytes as u64);
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> Result<u64> {
        self.source.size()
    }
}

/// A file that is written sequentially.
#[derive(Debug)]
pub struct WriteFile {
    sink: Box<dyn FileSink>,
    written: u64,
    stats: Stats,
    /// The log, if there is one, and the URI to log.
    log: Option<(Arc<OperationLog>, Uri)>,
}

impl WriteFile {
    /// Creates a handle that counts its writes in `stats`.
    pub(super) fn new(
        sink: Box<dyn FileSink>,
        stats: Stats,
        log: Option<(Arc<OperationLog>, Uri)>,
    ) -> Self {
        Self {
            sink,
            written: 0,
            stats,
            log,
        }
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_vectored(&mut [IoSlice::new(bytes)])
    }

    /// Appends the buffers in order.
    pub fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let len: u64 = parts.iter().map(|part| part.len() as u64).sum();
        self.stats.add(Counter::WriteOps, 1);
        self.stats.add(Counter::WriteBytes, len);
        match &self.log {
            None => self.sink.write_vectored(parts)?,
            Some((log, uri)) => log.time("write", uri, || self.sink.write_vectored(parts))?,
        }
        self.written += len;
        Ok(())
    }

    /// Returns the number of bytes written.
    pub fn position(&self) -> u64 {
        self.written
    }

    /// Makes everything durable.
    pub fn sync(&mut self) -> Result<()> {
        match &self.log {
            None => self.sink.sync(),
            Some((log, uri)) => log.time("sync", uri, || self.sink.sync()),
        }
    }

    /// Closes the file. Reports errors of delayed writes.
    pub fn close(self) -> Result<()> {
        match self.log {
            None => self.sink.close(),
            Some((log, uri)) => log.time("close_file", &uri, || self.sink.close()),
        }
    }
}
