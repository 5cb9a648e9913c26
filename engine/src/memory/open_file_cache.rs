//! The files that the process keeps open, so that later reads and writes do not open them again.
//!
//! The number of open files per process is limited, and the program needs most of them. The least
//! recently used files are closed when too many are open for reading. A file that is written stays
//! open between two writes if it has an [`OpenFilePermit`].

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::LruCache;
use super::tuning::{max_open_files, max_open_written_files};
use crate::platform;
use crate::platform::lock::OnceValue;

/// The cached files by the numbers of their slots.
static FILES: OnceValue<LruCache<u64, Arc<dyn Any + Send + Sync>>> = OnceValue::new();
/// The number of slots so far that have had a file.
static SLOTS: AtomicU64 = AtomicU64::new(0);
/// The number of permits to keep a file open for writing.
static PERMITS: AtomicUsize = AtomicUsize::new(0);

/// Closes the cached files that no operation uses at the moment. Returns whether any file was
/// removed from the cache.
pub(crate) fn close_idle_files() -> bool {
    let Some(files) = FILES.get().filter(|files| files.size() > 0) else {
        return false;
    };
    files.shrink(0);
    true
}

/// The permission to keep a file open between two writes.
#[derive(Debug)]
pub(crate) struct OpenFilePermit(());

impl OpenFilePermit {
    /// Returns a permit, or `None` if the process keeps as many files open as it may.
    pub(crate) fn acquire() -> Option<Self> {
        let most = max_open_written_files();
        let acquired = PERMITS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |permits| {
            (permits < most).then_some(permits + 1)
        });
        acquired.ok().map(|_| Self(()))
    }
}

impl Drop for OpenFilePermit {
    fn drop(&mut self) {
        PERMITS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A slot for one file. The file is closed when the slot is dropped, after the last use.
#[derive(Debug, Default)]
pub(crate) struct CachedFile {
    number: OnceValue<u64>,
    /// An object of an object store, which is not an open file of the process.
    object: OnceValue<Arc<dyn Any + Send + Sync>>,
}

impl CachedFile {
    /// Returns the cached object of an object store, or opens it with `open`. All calls must open
    /// the same object. It stays until the slot is dropped.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub(crate) fn open_object<F: Send + Sync + 'static, E>(
        &self,
        open: impl FnOnce() -> Result<F, E>,
    ) -> Result<Arc<F>, E> {
        if let Some(Ok(object)) = self.object.get().cloned().map(Arc::downcast) {
            return Ok(object);
        }
        let object = Arc::new(open()?);
        // If another thread has set it first, the objects are equal.
        let _ = self.object.set(object.clone());
        Ok(object)
    }

    /// Returns the cached file, or opens it with `open`. All calls must open the same file.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub(crate) fn open<F: Send + Sync + 'static, E>(
        &self,
        open: impl FnOnce() -> Result<F, E>,
    ) -> Result<Arc<F>, E> {
        let files = FILES.get_or_init(LruCache::default);
        let slot = self
            .number
            .get_or_init(|| SLOTS.fetch_add(1, Ordering::Relaxed));
        if let Some(Ok(file)) = files.get(slot).map(Arc::downcast) {
            return Ok(file);
        }
        let file = Arc::new(open()?);
        files.put(*slot, file.clone(), 1, max_open_files());
        Ok(file)
    }
}

impl Drop for CachedFile {
    fn drop(&mut self) {
        if let (Some(files), Some(slot)) = (FILES.get(), self.number.get()) {
            files.remove(slot);
        }
    }
}

/// Runs an operation that opens a file or a folder. If the process has no descriptor left, closes
/// the idle files of all fragments and runs it again.
pub(crate) fn with_descriptor<T>(mut operation: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    match operation() {
        Err(error) if platform::is_out_of_descriptors(&error) && close_idle_files() => operation(),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_opened_once_and_closed_with_their_slots() {
        let most = max_open_files();
        let slots: Vec<CachedFile> = (0..3 * most).map(|_| CachedFile::default()).collect();
        let open = |slot: &CachedFile| slot.open(|| Ok::<_, ()>(7_u8)).expect("opened");
        let first = open(&slots[0]);
        assert!(Arc::ptr_eq(&first, &open(&slots[0])));
        let weak: Vec<_> = slots
            .iter()
            .map(|slot| Arc::downgrade(&open(slot)))
            .collect();
        let opened = |weak: &[std::sync::Weak<u8>]| {
            weak.iter().filter(|file| file.strong_count() > 0).count()
        };
        assert!(opened(&weak[1..]) <= most);
        assert!(weak.last().is_some_and(|file| file.strong_count() == 1));
        drop(slots);
        assert_eq!(opened(&weak[1..]), 0);
        assert_eq!(Arc::strong_count(&first), 1);
    }

    #[test]
    fn the_number_of_permits_is_limited() {
        let permits: Vec<_> = std::iter::from_fn(OpenFilePermit::acquire).collect();
        assert!((1..=max_open_written_files()).contains(&permits.len()));
        drop(permits);
        assert!(OpenFilePermit::acquire().is_some());
    }

    #[test]
    fn failed_opens_are_not_cached() {
        let slot = CachedFile::default();
        assert_eq!(slot.open::<u8, _>(|| Err("missing")), Err("missing"));
        assert_eq!(*slot.open(|| Ok::<_, ()>(1_u8)).expect("opened"), 1);
    }
}
