//! Open files in memory. They stay readable after their name is removed or replaced.

use std::io::{ErrorKind, IoSlice, IoSliceMut};
use std::sync::Arc;

use crate::error::{Error, Result, reserve};
use crate::platform::lock::RwLock;
use crate::vfs::Uri;
use crate::vfs::backend::{FileSink, Source};

/// The bytes of a file.
pub(super) type Bytes = Arc<RwLock<Vec<u8>>>;

/// Returns the error of an operation on a file.
pub(super) fn refused(action: &'static str, uri: &Uri, kind: ErrorKind) -> Error {
    Error::storage(action, uri.as_str(), kind.into())
}

#[derive(Debug)]
pub(super) struct MemorySource {
    pub(super) bytes: Bytes,
    pub(super) uri: Uri,
}

impl Source for MemorySource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        let bytes = self.bytes.read();
        let found = usize::try_from(offset)
            .ok()
            .and_then(|start| bytes.get(start..start.checked_add(to.len())?));
        match found {
            Some(found) => to.copy_from_slice(found),
            None => {
                return Err(refused(
                    "read from file",
                    &self.uri,
                    ErrorKind::UnexpectedEof,
                ));
            }
        }
        Ok(())
    }

    fn read_vectored_at(&self, mut offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        for part in to {
            self.read_at(offset, part)?;
            offset = offset.saturating_add(part.len() as u64);
        }
        Ok(())
    }

    fn size(&self) -> Result<u64> {
        Ok(self.bytes.read().len() as u64)
    }
}

#[derive(Debug)]
pub(super) struct MemorySink {
    pub(super) bytes: Bytes,
}

impl FileSink for MemorySink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        let mut bytes = self.bytes.write();
        let len = parts.iter().map(|part| part.len()).sum();
        reserve("a file in memory", &mut bytes, len)?;
        for part in parts {
            bytes.extend_from_slice(part);
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
