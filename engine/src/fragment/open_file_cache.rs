//! Cached open files, so that later reads of a file do not open it again.
//!
//! The number of open files per process is limited, and the program needs most of them. A
//! process-wide counter therefore limits the number of cached files; beyond that, a file is opened
//! for each use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::platform::lock::OnceValue;

use crate::error::Result;
use crate::vfs::{ReadFile, Uri, Vfs};

/// The maximum number of files that all fragments of the process keep open.
const MAX_OPEN: usize = 256;
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// A slot for an open file.
#[derive(Debug, Default)]
pub(super) struct CachedFile(OnceValue<Counted>);

#[derive(Debug)]
struct Counted(Arc<ReadFile>);

impl Drop for Counted {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CachedFile {
    /// Opens the file at `uri`, or returns the cached one. Always called with the same URI.
    pub(super) fn open(&self, vfs: &Vfs, uri: impl FnOnce() -> Uri) -> Result<Arc<ReadFile>> {
        if let Some(cached) = self.0.get() {
            return Ok(cached.0.clone());
        }
        let uri = uri();
        let file = Arc::new(vfs.open(&uri)?);
        // An object of an object store is no open file of the process.
        let is_remote = vfs.is_object_store(&uri);
        if OPEN.fetch_add(1, Ordering::Relaxed) < MAX_OPEN || is_remote {
            // If another thread has set it first, dropping this value decreases the counter.
            let _ = self.0.set(Counted(file.clone()));
        } else {
            OPEN.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(file)
    }
}
