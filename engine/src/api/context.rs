//! Configuration and storage, and the objects in folders.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::array::Array as EngineArray;
use crate::check::{self, CheckSummary, Finding};
use crate::config::Config;
use crate::context::{Context as EngineContext, Progress};
use crate::error::Result;
use crate::maintenance::MaintenanceMode;
use crate::object::{self, CopyProgress};
use crate::stats::{Counter, Part};
use crate::types::{ObjectType, QueryType, Timestamp, WalkOrder};
use crate::vfs::{Uri, Vfs};

/// A configuration, with the storage, the threads and the memory budget that it describes.
///
/// Arrays and groups are opened in a context. Cloning returns another handle to the same context.
/// Objects at `mem://` URIs exist only in their context.
#[derive(Clone, Debug)]
pub struct Context {
    vfs: Arc<Vfs>,
}

impl Context {
    /// Creates a context with the default configuration.
    ///
    /// # Errors
    ///
    /// If environment variables contain invalid parameters.
    pub fn new() -> Result<Self> {
        Self::with_config(Config::new())
    }

    /// Creates a context with a configuration. [`builder`](Context::builder) has typed options.
    ///
    /// # Errors
    ///
    /// If a parameter is invalid.
    pub fn with_config(config: Config) -> Result<Self> {
        let vfs = Vfs::new(&EngineContext::new(config)?)?;
        Ok(Self { vfs })
    }

    pub(super) fn storage(&self) -> &Arc<Vfs> {
        &self.vfs
    }

    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.vfs.context.config
    }

    /// Sets a function that receives the progress of reads, writes, consolidations, vacuums, checks
    /// and imports of files of this context: at most ten times per second, on the thread that runs
    /// the operation. If it returns `Break`, the operation is cancelled within one tile or one
    /// request and returns an error; arrays are not harmed.
    ///
    /// The function must not use the query or array of the operation.
    pub fn set_progress(
        &self,
        callback: impl Fn(&Progress) -> ControlFlow<()> + Send + Sync + 'static,
    ) {
        self.vfs.context.set_progress(Some(Arc::new(callback)));
    }

    /// Runs `body` as one operation of the function that [`set_progress`](Context::set_progress)
    /// sets. It receives `name` and no counts, and cancels everything that `body` does with this
    /// context on this thread: also what is no operation of its own, such as opening arrays and
    /// listing files.
    pub fn operation<T>(&self, name: &'static str, body: impl FnOnce() -> T) -> T {
        let _tracking = self.vfs.context.track(name, "");
        body()
    }

    /// Removes the function that receives progress.
    pub fn clear_progress(&self) {
        self.vfs.context.set_progress(None);
    }

    /// Returns the number of reads of files since the context was created, for all operations.
    /// Reads of parts that are cached count as well.
    pub fn read_num(&self) -> u64 {
        let stats = &self.vfs.context.stats;
        stats.count_of_part(Part::Vfs, Counter::ReadOps)
    }

    /// Returns another context with the same configuration and the same objects at `mem://` URIs.
    /// Its operations are cancelled and reported apart from those of this context.
    ///
    /// # Errors
    ///
    /// If a file that the configuration names cannot be read.
    pub fn separate(&self) -> Result<Self> {
        let context = EngineContext::new(self.config().clone())?;
        let vfs = self.vfs.within(&context)?;
        Ok(Self { vfs })
    }

    /// Cancels all operations of this context that are running; they return an error.
    pub fn cancel(&self) {
        self.vfs.context.cancel();
    }

    /// Returns the type of the object at `uri`; `Invalid` if there is neither an array nor a
    /// group.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn object_type(&self, uri: &str) -> Result<ObjectType> {
        object::object_type(&self.vfs.view(), &Uri::parse(uri)?)
    }

    /// Returns whether a file or a folder exists at `uri`. In object stores, a folder exists if an
    /// object's name starts with its path.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn exists(&self, uri: &str) -> Result<bool> {
        let uri = Uri::parse(uri)?;
        Ok(self.vfs.is_dir(&uri)? || self.vfs.is_file(&uri)?)
    }

    /// Returns the URIs and types of the arrays and groups directly in a folder, in the order of
    /// names.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn objects(&self, uri: &str) -> Result<Vec<(String, ObjectType)>> {
        let mut found = Vec::new();
        object::list(&self.vfs, uri, &mut |uri, kind| {
            found.push((uri.as_str().to_owned(), kind));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Returns the URIs and types of the arrays and groups in a folder and in the groups below it,
    /// each before its contents.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn all_objects(&self, uri: &str) -> Result<Vec<(String, ObjectType)>> {
        let mut found = Vec::new();
        object::walk(&self.vfs, uri, WalkOrder::Preorder, &mut |uri, kind| {
            found.push((uri.as_str().to_owned(), kind));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Reads every file of the array or group at `uri` and passes what is wrong to `report`:
    /// schemas, commits, metadata, and all tiles of all fragments with their statistics. The arrays
    /// of dimension labels and the members of a group are checked too. Nothing is changed.
    ///
    /// # Errors
    ///
    /// If no object exists there, the key of an encrypted array is wrong, or `report` returns an
    /// error. Findings are not errors of the call.
    pub fn check(
        &self,
        uri: &str,
        mut report: impl FnMut(&Finding) -> Result<()>,
    ) -> Result<CheckSummary> {
        check::check(&self.vfs, uri, self.config(), &mut report)
    }

    /// Removes what killed processes left in the array or group at `uri`, and returns its URIs. No
    /// reader at any timestamp sees any of it. A dry run removes nothing. Files that are younger
    /// than `sm.vacuum.garbage_min_age_ms`, or that a running writer uses, are kept.
    ///
    /// # Errors
    ///
    /// If no object exists there or storage fails.
    pub fn clean(&self, uri: &str, dry_run: bool) -> Result<Vec<String>> {
        let mut removed = Vec::new();
        check::clean(&self.vfs, uri, self.config(), dry_run, &mut |uri| {
            removed.push(uri.to_string());
            Ok(())
        })?;
        Ok(removed)
    }

    /// Removes the array or group at `uri` and everything in its folder. A removal that was
    /// interrupted is completed by the same call.
    ///
    /// # Errors
    ///
    /// If no object exists there or storage fails.
    pub fn remove(&self, uri: &str) -> Result<()> {
        object::remove(&self.vfs, uri)
    }

    /// Removes the array at `uri`, and its folder unless other files are in it. A removal that was
    /// interrupted is completed by the same call.
    ///
    /// # Errors
    ///
    /// If no array exists there, the key is wrong, or storage fails.
    pub fn remove_array(&self, uri: &str) -> Result<()> {
        object::remove_array(&self.vfs, uri)
    }

    /// Copies the array at `from` to `to`, also between two kinds of storage, and compares sizes
    /// and hashes of all files afterwards. `report` receives the progress, from several threads,
    /// and returns whether the copy continues. The copy becomes an array when everything else is
    /// complete, has the same fragments, timestamps and key, and does not contain what is written
    /// after the call began. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// If no array exists at `from`, anything exists at `to`, the copy differs, `report` returns
    /// `false`, or storage fails. What was copied is removed then.
    pub fn copy_array(
        &self,
        from: &str,
        to: &str,
        report: impl Fn(CopyProgress) -> bool + Sync,
    ) -> Result<u64> {
        object::copy_array(&self.vfs, from, to, &report)
    }

    /// Returns whether an array can be copied to `uri`: nothing exists there, or only what an
    /// interrupted copy left, which the next copy removes.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn is_copy_target(&self, uri: &str) -> Result<bool> {
        object::is_copy_target(&self.vfs, &Uri::parse(uri)?)
    }

    /// Returns whether an array or group can be moved to `uri`: nothing exists there, or, in an
    /// object store, only what an interrupted move left, which the next move replaces.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn is_move_target(&self, uri: &str) -> Result<bool> {
        object::is_move_target(&self.vfs, &Uri::parse(uri)?)
    }

    /// Moves the array or group at `from` to `to`, where nothing may exist.
    ///
    /// # Errors
    ///
    /// If no object exists at `from`, anything exists at `to`, or storage fails.
    pub fn rename(&self, from: &str, to: &str) -> Result<()> {
        object::move_object(&self.vfs, from, to)
    }

    /// Opens the latest state of the array at `uri` for `query_type`. Changes get the timestamp, in
    /// milliseconds since 1970, or the time at which they are made.
    pub(super) fn open_array(
        &self,
        uri: &str,
        query_type: QueryType,
        timestamp: Option<Timestamp>,
    ) -> Result<Arc<EngineArray>> {
        let handle = EngineArray::new(&self.vfs, uri)?;
        if let Some(timestamp) = timestamp {
            handle.set_open_timestamp_end(timestamp);
        }
        handle.open(query_type)?;
        Ok(Arc::new(handle))
    }

    /// Returns the configuration with a mode of consolidation and vacuum.
    pub(super) fn maintenance_config(&self, mode: MaintenanceMode) -> Result<Config> {
        let mut config = self.config().clone();
        config.set("sm.consolidation.mode", mode.name())?;
        config.set("sm.vacuum.mode", mode.name())?;
        Ok(config)
    }
}
