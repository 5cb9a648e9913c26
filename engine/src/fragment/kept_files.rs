//! Files that stay open between uses, so that the next read of them costs no open.
//!
//! A process may have only so many files open, and most of them are its own business: a
//! process-wide count bounds how many fragments keep. Beyond it a file is opened for each use.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::platform::lock::OnceValue;

use crate::error::Result;
use crate::vfs::{ReadFile, Uri, Vfs};

/// The most files that all fragments of the process keep open.
const MOST: usize = 256;
static KEPT: AtomicUsize = AtomicUsize::new(0);

/// A place for a file that may stay open.
#[derive(Debug, Default)]
pub(super) struct KeptFile(OnceValue<Counted>);

#[derive(Debug)]
struct Counted(Arc<ReadFile>);

impl Drop for Counted {
    fn drop(&mut self) {
        KEPT.fetch_sub(1, Ordering::Relaxed);
    }
}

impl KeptFile {
    /// Returns the file at `uri`, open; always called with the same one.
    pub(super) fn open(&self, vfs: &Vfs, uri: impl FnOnce() -> Uri) -> Result<Arc<ReadFile>> {
        if let Some(kept) = self.0.get() {
            return Ok(kept.0.clone());
        }
        let file = Arc::new(vfs.open(&uri())?);
        if KEPT.fetch_add(1, Ordering::Relaxed) < MOST {
            // Where another thread was faster, dropping ours takes it off the count.
            let _ = self.0.set(Counted(file.clone()));
        } else {
            KEPT.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(file)
    }
}
