//! Storage in memory that cancels the context's operations at a given access.

use std::io::{IoSlice, IoSliceMut};
use std::sync::{Arc, Mutex, PoisonError};

use tiledb_engine::internal::context::Context;
use tiledb_engine::internal::error::Result;
use tiledb_engine::internal::types::Timestamp;
use tiledb_engine::internal::vfs::faulty::Faulty;
use tiledb_engine::internal::vfs::{
    Backend, Entry, EntrySizes, FileSink, FolderState, LockAttempt, LockMode, OpenMode, Source,
    Uri, Vfs,
};

use crate::setup::{self, TestArray};

/// Storage in memory. Before a given access, another thread cancels all operations of the context.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    files: Faulty,
    watch: Arc<Mutex<Watch>>,
}

#[derive(Debug, Default)]
struct Watch {
    context: Option<Arc<Context>>,
    /// The number of accesses.
    seen: u64,
    /// The access at which to cancel, counted from 0.
    cancel_call: Option<u64>,
    /// The number of accesses to data files after the cancellation.
    after_cancel: u64,
}

impl Watched {
    /// Returns a new storage and an array in it.
    pub(crate) fn new() -> (Self, TestArray) {
        // With one thread, the accesses after the cancellation can be counted.
        let config = setup::config(&[
            ("sm.compute_concurrency_level", "1"),
            ("sm.io_concurrency_level", "1"),
            ("vfs.min_batch_size", "0"),
            ("vfs.min_batch_gap", "0"),
        ]);
        let context = Context::new(config).expect("context");
        let watched = Self {
            files: Faulty::new(),
            watch: Arc::default(),
        };
        watched.with(|watch| watch.context = Some(context.clone()));
        let vfs = Vfs::with_backend(&context, Arc::new(watched.clone())).expect("vfs");
        (watched, TestArray::new(&vfs, "mem://array"))
    }

    fn with<T>(&self, body: impl FnOnce(&mut Watch) -> T) -> T {
        body(&mut self.watch.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of accesses.
    pub(crate) fn accesses(&self) -> u64 {
        self.with(|watch| watch.seen)
    }

    /// Cancels at the access with this number, counted from now.
    pub(crate) fn cancel_at(&self, access: u64) {
        self.with(|watch| watch.cancel_call = Some(watch.seen + access));
    }

    /// Stops cancelling. Returns the number of accesses to data files after the cancellation.
    pub(crate) fn stop(&self) -> u64 {
        self.with(|watch| {
            watch.cancel_call = None;
            watch.after_cancel
        })
    }

    fn access(&self, uri: &Uri) {
        self.with(|watch| {
            let number = watch.seen;
            watch.seen += 1;
            let is_cells = uri.name().ends_with(".tdb") && !uri.name().starts_with("__");
            match (watch.cancel_call, &watch.context) {
                (Some(cancel_call), Some(context)) if cancel_call == number => {
                    std::thread::scope(|scope| drop(scope.spawn(|| context.cancel()).join()));
                }
                (Some(cancel_call), _) if cancel_call < number => {
                    watch.after_cancel += u64::from(is_cells)
                }
                _ => {}
            }
        });
    }
}

impl Backend for Watched {
    fn open(&self, uri: &Uri) -> Result<Box<dyn Source>> {
        Ok(Box::new(WatchedSource {
            source: self.files.open(uri)?,
            watched: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn create(&self, uri: &Uri, opening: OpenMode) -> Result<Box<dyn FileSink>> {
        self.access(uri);
        Ok(Box::new(WatchedSink {
            sink: self.files.create(uri, opening)?,
            watched: self.clone(),
            uri: uri.clone(),
        }))
    }

    fn file_size(&self, uri: &Uri) -> Result<u64> {
        self.files.file_size(uri)
    }

    fn is_file(&self, uri: &Uri) -> Result<bool> {
        self.files.is_file(uri)
    }

    fn is_dir(&self, uri: &Uri) -> Result<bool> {
        self.files.is_dir(uri)
    }

    fn is_same(&self, one: &Uri, other: &Uri) -> Result<bool> {
        self.files.is_same(one, other)
    }

    fn list(&self, uri: &Uri, sizes: EntrySizes) -> Result<Vec<Entry>> {
        self.files.list(uri, sizes)
    }

    fn create_dir(&self, uri: &Uri) -> Result<()> {
        self.access(uri);
        self.files.create_dir(uri)
    }

    fn remove_file(&self, uri: &Uri) -> Result<()> {
        self.files.remove_file(uri)
    }

    fn remove_dir(&self, uri: &Uri) -> Result<()> {
        self.files.remove_dir(uri)
    }

    fn touch(&self, uri: &Uri) -> Result<()> {
        self.access(uri);
        self.files.touch(uri)
    }

    fn rename(&self, from: &Uri, to: &Uri) -> Result<()> {
        self.access(from);
        self.files.rename(from, to)
    }

    fn sync(&self, uri: &Uri) -> Result<()> {
        self.files.sync(uri)
    }

    fn publish_file(&self, staging: &Uri, uri: &Uri, bytes: &[u8]) -> Result<()> {
        self.access(uri);
        self.files.publish_file(staging, uri, bytes)
    }

    fn publish_dir(&self, from: &Uri, to: &Uri) -> Result<bool> {
        self.access(from);
        self.files.publish_dir(from, to)
    }

    fn remove_empty_dir(&self, uri: &Uri) -> Result<bool> {
        self.access(uri);
        self.files.remove_empty_dir(uri)
    }

    fn create_new_dir(&self, uri: &Uri) -> Result<bool> {
        self.access(uri);
        self.files.create_new_dir(uri)
    }

    fn modified(&self, uri: &Uri) -> Result<Timestamp> {
        self.files.modified(uri)
    }

    fn folder_state(&self, uri: &Uri) -> Result<Option<FolderState>> {
        self.files.folder_state(uri)
    }

    fn try_lock(&self, uri: &Uri, mode: LockMode) -> Result<LockAttempt> {
        self.files.try_lock(uri, mode)
    }
}

#[derive(Debug)]
struct WatchedSource {
    source: Box<dyn Source>,
    watched: Watched,
    uri: Uri,
}

impl Source for WatchedSource {
    fn read_at(&self, offset: u64, to: &mut [u8]) -> Result<()> {
        self.watched.access(&self.uri);
        self.source.read_at(offset, to)
    }

    fn read_vectored_at(&self, offset: u64, to: &mut [IoSliceMut<'_>]) -> Result<()> {
        self.watched.access(&self.uri);
        self.source.read_vectored_at(offset, to)
    }

    fn size(&self) -> Result<u64> {
        self.source.size()
    }
}

#[derive(Debug)]
struct WatchedSink {
    sink: Box<dyn FileSink>,
    watched: Watched,
    uri: Uri,
}

impl FileSink for WatchedSink {
    fn write_vectored(&mut self, parts: &mut [IoSlice<'_>]) -> Result<()> {
        self.watched.access(&self.uri);
        self.sink.write_vectored(parts)
    }

    fn sync(&mut self) -> Result<()> {
        self.sink.sync()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.sink.close()
    }
}
