//! Writing a fragment: folder, data files, metadata and commit, in this order.
//!
//! The fragment is invisible until the commit file exists, which is created after everything else
//! is durable. A writer that is dropped unfinished removes what it wrote; a killed process leaves a
//! folder that readers ignore. A lock on the folder shows vacuum that a writer is running.

use std::sync::Arc;

use super::change::{OpenedObject, publish_change};
use super::fields::{FieldWriter, SlotField, UnfinishedFragment};
use crate::bytes::Sink;
use crate::error::{FragmentError, Result};
use crate::format::commits::write_consolidated_commit;
use crate::format::names::{FragmentField, FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::platform::lock::Mutex;
use crate::schema::ArraySchema;
use crate::stats::TileMeter;
use crate::types::{EncryptionKey, NdRange, Range, TimeRange, Timestamp, unique_timestamp};
use crate::vfs::{FolderLock, LockMode, Uri, Vfs, WriteFile};

/// The number of attempts to create a folder under another name if vacuum removes it before it is
/// locked.
const ATTEMPTS: u32 = 8;

/// A fragment being written.
#[derive(Debug)]
pub struct FragmentWriter {
    vfs: Arc<Vfs>,
    array: Uri,
    pub(super) schema: Arc<ArraySchema>,
    pub(super) dense: bool,
    pub(super) key: Option<EncryptionKey>,
    pub(super) name: FragmentName,
    /// The fragment after those that this one replaces.
    next: Option<FragmentName>,
    uri: Uri,
    commit: Uri,
    pub(super) fields: Vec<FieldWriter>,
    pub(super) non_empty_domain: Option<NdRange>,
    pub(super) last_tile_cell_num: u64,
    pub(super) mbrs: Vec<Range>,
    /// The coordinates of the first and the last cell of each tile of a sparse fragment, by
    /// dimension; empty in formats that do not store them.
    pub(super) order_bounds: Vec<Range>,
    /// Whether the fragment stores the time at which each cell was written.
    pub(super) has_timestamps: bool,
    /// Whether the fragment stores the time and the condition with which each cell was deleted.
    pub(super) has_delete_metadata: bool,
    pub(super) processed: Vec<String>,
    /// Whether the files and their names are durable.
    sealed: bool,
    /// Whether the name of the folder is durable.
    named: bool,
    committed: bool,
    /// Whether the files stay when the writer is dropped.
    released: bool,
    /// Whether the array was opened before, so that it may have been moved or removed since.
    is_opened: bool,
    /// The lock on the folder. Fragments of one write, which have equal timestamps, share the lock
    /// of the first.
    lock: Arc<FolderLock>,
    /// Counts the tiles that are written.
    pub(super) meter: Arc<TileMeter>,
}

/// The properties of a new fragment.
#[derive(Clone, Copy, Debug)]
pub struct NewFragment<'a> {
    /// The array's folder.
    pub array: &'a Uri,
    /// The schema.
    pub schema: &'a Arc<ArraySchema>,
    /// Whether it contains every cell of its non-empty domain.
    pub dense: bool,
    /// The timestamps, in milliseconds.
    pub timestamps: TimeRange,
    /// The newest of the fragments that it replaces, after which it sorts among the fragments with
    /// equal timestamps.
    pub after: Option<&'a FragmentName>,
    /// The fragment after that one, before which it sorts.
    pub before: Option<&'a FragmentName>,
    /// Whether the fragment stores the time at which each cell was written.
    pub has_timestamps: bool,
    /// Whether the fragment stores the time and the condition with which each cell was deleted.
    pub has_delete_metadata: bool,
    /// The delete conditions that were already applied to its cells.
    pub processed: &'a [String],
    /// The key of an encrypted array.
    pub key: Option<&'a EncryptionKey>,
}

impl<'a> NewFragment<'a> {
    /// Returns the properties of the fragment of a write, whose cells have the timestamps of the
    /// fragment.
    pub fn of_write(
        array: &'a Uri,
        schema: &'a Arc<ArraySchema>,
        dense: bool,
        timestamps: TimeRange,
        key: Option<&'a EncryptionKey>,
    ) -> Self {
        Self {
            array,
            schema,
            dense,
            timestamps,
            after: None,
            before: None,
            has_timestamps: false,
            has_delete_metadata: false,
            processed: &[],
            key,
        }
    }
}

impl FragmentWriter {
    /// Creates a fragment and its folder. `timestamp` is in milliseconds; `None` means now.
    /// Fragments that one process creates within a millisecond sort in the order of creation.
    pub fn create(
        vfs: &Arc<Vfs>,
        array: &Uri,
        schema: &Arc<ArraySchema>,
        dense: bool,
        timestamp: Option<Timestamp>,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let time = timestamp.unwrap_or_else(|| unique_timestamp(array.as_str()));
        let timestamps = TimeRange::at(time);
        let new = NewFragment::of_write(array, schema, dense, timestamps, key);
        Self::create_locked(vfs, new)
    }

    /// Creates a fragment and its folder, and locks the folder.
    pub fn create_locked(vfs: &Arc<Vfs>, new: NewFragment<'_>) -> Result<Self> {
        let mut attempt = 0;
        loop {
            let mut writer = Self::create_unlocked(vfs, new, Arc::default())?;
            attempt += 1;
            match vfs.try_lock(&writer.uri, LockMode::Shared) {
                Ok(Some(lock)) => {
                    writer.lock = Arc::new(lock);
                    return Ok(writer);
                }
                Err(error) if error.is_missing_file() && attempt < ATTEMPTS => {}
                Ok(None) if attempt < ATTEMPTS => {}
                // The lock only protects against vacuum.
                Ok(None) | Err(_) => return Ok(writer),
            }
        }
    }

    fn create_unlocked(
        vfs: &Arc<Vfs>,
        new: NewFragment<'_>,
        lock: Arc<FolderLock>,
    ) -> Result<Self> {
        let version = FormatVersion(new.schema.version).for_writing();
        let name = match new
            .after
            .filter(|after| after.timestamps() == new.timestamps)
        {
            Some(after) => after.following(new.before, version),
            None => FragmentName::generate(new.timestamps, version),
        };
        let writer = Self::named(vfs, new, name, lock);
        vfs.create_dir_unsynced(&writer.uri)?;
        Ok(writer)
    }

    /// Returns a writer of the fragment with this name, whose folder exists or is created next.
    fn named(
        vfs: &Arc<Vfs>,
        new: NewFragment<'_>,
        name: FragmentName,
        lock: Arc<FolderLock>,
    ) -> Self {
        let NewFragment { array, schema, .. } = new;
        let (uri, commit) = if name.version() >= v::COMMITS_FOLDER {
            (
                array.join(folders::FRAGMENTS).join(name.as_str()),
                array
                    .join(folders::COMMITS)
                    .join(&format!("{}{}", name.as_str(), folders::WRITE)),
            )
        } else {
            (
                array.join(name.as_str()),
                array.join(&format!("{}{}", name.as_str(), folders::OK)),
            )
        };
        let mut writer = Self {
            vfs: vfs.clone(),
            array: array.clone(),
            schema: schema.clone(),
            dense: new.dense,
            key: new.key.cloned(),
            name,
            next: new.before.cloned(),
            uri,
            commit,
            fields: Vec::new(),
            non_empty_domain: None,
            last_tile_cell_num: 0,
            mbrs: Vec::new(),
            order_bounds: Vec::new(),
            has_timestamps: new.has_timestamps,
            has_delete_metadata: new.has_delete_metadata,
            processed: new.processed.to_vec(),
            sealed: false,
            named: false,
            committed: false,
            released: false,
            is_opened: false,
            lock,
            meter: Arc::default(),
        };
        writer.fields = writer.stored_fields();
        writer
    }

    fn stored_fields(&self) -> Vec<FieldWriter> {
        let fields = SlotField::of_schema(&self.schema, self.dense);
        let internal = SlotField::of_internal(&self.schema, self.internal_fields());
        let version = self.name.version();
        fields
            .chain(internal)
            .map(|field| FieldWriter::new(&self.vfs, &self.uri, version, field))
            .collect()
    }

    /// Returns the fields that it stores in addition to those of the schema, in the order of slots.
    pub fn internal_fields(&self) -> impl Iterator<Item = FragmentField<'static>> + use<> {
        let deletes = [
            FragmentField::DeleteTimestamps,
            FragmentField::DeleteConditions,
        ]
        .into_iter()
        .filter(|_| self.has_delete_metadata);
        let internal = self.has_timestamps.then_some(FragmentField::Timestamps);
        internal
            .into_iter()
            .chain(deletes)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Sets the meter that counts the tiles.
    #[must_use]
    pub fn metered(mut self, meter: &Arc<TileMeter>) -> Self {
        self.meter = Arc::clone(meter);
        for field in &mut self.fields {
            field.meter = Arc::clone(meter);
        }
        self
    }

    /// Makes the commit fail if the array was moved or removed after it was opened.
    #[must_use]
    pub fn in_open_array(mut self) -> Self {
        self.is_opened = true;
        self
    }

    /// Returns the name of the folder.
    pub fn name(&self) -> &FragmentName {
        &self.name
    }

    /// Returns the URI of the folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Returns the fields: attributes, and for a sparse fragment dimensions. Multiple threads may
    /// write them.
    pub fn fields(&mut self) -> &mut [FieldWriter] {
        self.released = false;
        &mut self.fields
    }

    /// Returns a field by name.
    pub fn field(&mut self, name: &str) -> Option<&mut FieldWriter> {
        self.released = false;
        // The order of the fields: attributes, dimensions, and the few that fragments add.
        let attributes = &self.schema.attributes;
        let dimension = || Some(attributes.len() + self.schema.domain.dimensions.index_of(name)?);
        let added = || self.fields.iter().rposition(|field| field.name() == name);
        let index = attributes
            .index_of(name)
            .or_else(dimension)
            .or_else(added)?;
        let field = self.fields.get_mut(index);
        field.filter(|field| field.name() == name)
    }

    /// Sets the bounding box of the cells. For a dense fragment it must be within the array's
    /// domain; the fragment contains the tiles that it overlaps.
    pub fn set_non_empty_domain(&mut self, domain: NdRange) {
        self.non_empty_domain = Some(domain);
    }

    /// Returns the bounding box of the cells added so far.
    pub fn non_empty_domain(&self) -> Option<&[Range]> {
        self.non_empty_domain.as_deref()
    }

    /// Sets the number of cells in the last tile of a sparse fragment; 0 means that it is full.
    pub fn set_last_tile_cell_num(&mut self, n: u64) {
        self.last_tile_cell_num = n;
    }

    /// Adds the next tile of a sparse fragment, and extends the non-empty domain by its MBR.
    /// `ends` has the coordinates of its first and of its last cell.
    pub fn push_tile(&mut self, mbr: NdRange, ends: NdRange) {
        if self.name.version() >= v::OPTIONAL_FOOTER_SECTIONS {
            self.order_bounds.extend(ends);
        }
        match &mut self.non_empty_domain {
            Some(domain) => self.schema.domain.expand(domain, &mbr),
            None => self.non_empty_domain = Some(mbr.clone()),
        }
        self.mbrs.extend(mbr);
    }

    /// Creates another fragment for cells that exceed the size of this one.
    pub fn next_fragment(&self) -> Result<Self> {
        let new = NewFragment {
            array: &self.array,
            schema: &self.schema,
            dense: self.dense,
            timestamps: self.name.timestamps(),
            after: Some(&self.name),
            before: self.next.as_ref(),
            has_timestamps: self.has_timestamps,
            has_delete_metadata: self.has_delete_metadata,
            processed: &self.processed,
            key: self.key.as_ref(),
        };
        let mut writer =
            Self::create_unlocked(&self.vfs, new, self.lock.clone())?.metered(&self.meter);
        writer.is_opened = self.is_opened;
        Ok(writer)
    }

    /// Makes everything durable and creates the commit file last, which makes the fragment visible.
    ///
    /// # Errors
    /// Returns an error if the fields have different numbers of tiles, if the array was opened and
    /// is no longer there, or if storage fails. The fragment is removed then, unless its commit
    /// file cannot be removed.
    pub fn finish(mut self) -> Result<Uri> {
        Self::make_durable(std::slice::from_mut(&mut self))?;
        publish_change(&self.vfs, self.opened(), &self.commit, &[])?;
        self.committed = true;
        Ok(self.uri.clone())
    }

    /// Makes multiple fragments durable, and then visible at once with one commit file. They must
    /// be of the same array and of a format with a commits folder. `before_commit` is called with
    /// the name of the first when only the commit is missing; if it returns `false`, all fragments
    /// are removed.
    pub fn finish_together(
        mut writers: Vec<Self>,
        before_commit: impl FnOnce(&FragmentName) -> Result<bool>,
    ) -> Result<Vec<Uri>> {
        Self::make_durable(&mut writers)?;
        let Some(first) = writers.first() else {
            return Ok(Vec::new());
        };
        if !before_commit(&first.name)? {
            return Ok(Vec::new());
        }
        if writers.len() == 1 {
            return writers.into_iter().map(Self::finish).collect();
        }
        let name = FragmentName::generate(first.name.timestamps(), first.name.version());
        let name = format!("{}{}", name.as_str(), folders::CONSOLIDATED_COMMITS);
        let vfs = first.vfs.clone();
        let folder = first.array.join(folders::COMMITS);
        let mut commits = Sink::new();
        for writer in &writers {
            let commit = format!("{}/{}", folders::COMMITS, writer.commit.name());
            write_consolidated_commit(&mut commits, &commit, None);
        }
        let file = folder.join(&name);
        let written = publish_change(&vfs, first.opened(), &file, commits.as_slice());
        // A failed call may have left the file; its fragments must stay then.
        let committed = vfs.is_file(&file).unwrap_or(true);
        for writer in &mut writers {
            writer.committed = committed;
        }
        written?;
        Ok(writers.iter().map(|writer| writer.uri.clone()).collect())
    }

    /// Makes the content of the fragment durable, but not its name, and frees the tile metadata and
    /// open files. No tiles may be added afterwards.
    pub fn seal(&mut self) -> Result<()> {
        if self.sealed {
            return Ok(());
        }
        let files = self.write_metadata()?;
        let folder = std::slice::from_ref(&self.uri);
        self.vfs.sync_files_and_folders(&self.uri, &files, folder)?;
        self.set_sealed();
        Ok(())
    }

    /// Makes everything except the commits of fragments of one array durable, in one round of
    /// syncs.
    pub fn make_durable(writers: &mut [Self]) -> Result<()> {
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for writer in &mut *writers {
            if !writer.sealed {
                files.extend(writer.write_metadata()?);
                folders.push(writer.uri.clone());
            }
        }
        for parent in writers
            .iter()
            .filter(|writer| !writer.named)
            .filter_map(|writer| writer.uri.parent())
        {
            if !folders.contains(&parent) {
                folders.push(parent);
            }
        }
        let Some(first) = writers.first() else {
            return Ok(());
        };
        first
            .vfs
            .sync_files_and_folders(&first.uri, &files, &folders)?;
        for writer in writers {
            writer.set_sealed();
            writer.named = true;
        }
        Ok(())
    }

    fn set_sealed(&mut self) {
        self.fields = Vec::new();
        (self.mbrs, self.order_bounds) = (Vec::new(), Vec::new());
        self.sealed = true;
    }

    /// Returns the array, to be looked up if it was opened.
    fn opened(&self) -> OpenedObject<'_> {
        let array = OpenedObject::unchecked(&self.array);
        if !self.is_opened {
            return array;
        }
        OpenedObject {
            schema_name: &self.schema.name,
            ..array
        }
    }

    /// Returns an error if cells are outside of the current domain.
    fn check_current_domain(&self) -> Result<()> {
        for (dim, range) in self.non_empty_domain.iter().flatten().enumerate() {
            if !self.schema.is_current(dim, range) {
                return Err(FragmentError::OutsideCurrentDomain.into());
            }
        }
        Ok(())
    }

    /// Writes the metadata file. Returns it and the data files, which must be synced and closed. No
    /// reader looks at them before the commit, so their order does not matter.
    fn write_metadata(&mut self) -> Result<Vec<Mutex<Option<WriteFile>>>> {
        self.check_current_domain()?;
        let metadata = self.metadata()?;
        let metadata_file = self.uri.join(folders::FRAGMENT_METADATA_FILE);
        let mut file = self.vfs.create(&metadata_file)?;
        file.write(&metadata)?;
        Ok(self
            .fields
            .iter_mut()
            .flat_map(FieldWriter::take_files)
            .chain([file])
            .map(|file| Mutex::new(Some(file)))
            .collect())
    }
}

/// Fragments with several writers: one closes its files, and another one, of the same or of another
/// process, continues it.
impl FragmentWriter {
    /// Makes the tiles so far durable and closes the files. They stay when the writer is dropped,
    /// unless it writes again. Returns whether the storage can append to files; otherwise nothing
    /// changes.
    pub fn release(&mut self) -> Result<bool> {
        if self.vfs.is_object_store(&self.uri) {
            return Ok(false);
        }
        let files: Vec<_> = self
            .fields
            .iter_mut()
            .flat_map(FieldWriter::take_files)
            .map(|file| Mutex::new(Some(file)))
            .collect();
        let folders: Vec<Uri> = [self.uri.clone()]
            .into_iter()
            .chain(self.uri.parent())
            .collect();
        self.vfs
            .sync_files_and_folders(&self.uri, &files, &folders)?;
        self.released = true;
        Ok(true)
    }

    /// Returns the state with which [`resume`](Self::resume) continues; `None` if the writer was
    /// not released.
    pub fn unfinished(&self) -> Option<UnfinishedFragment> {
        self.released.then(|| UnfinishedFragment {
            name: self.name.clone(),
            fields: self.fields.iter().map(|field| field.unfinished()).collect(),
            mbrs: self.mbrs.clone(),
            order_bounds: self.order_bounds.clone(),
            non_empty_domain: self.non_empty_domain.clone(),
        })
    }

    /// Continues a fragment. The state is checked against the files, because it may come from
    /// another process.
    ///
    /// # Errors
    /// If the fragment is committed, or its files do not have the stated sizes.
    pub fn resume(vfs: &Arc<Vfs>, new: NewFragment<'_>, state: UnfinishedFragment) -> Result<Self> {
        let version = FormatVersion(new.schema.version).for_writing();
        let name = state.name.clone();
        let mut writer = Self::named(vfs, new, name, Arc::default());
        // Until it writes, dropping it must not remove a fragment of others.
        writer.released = true;
        let uri = writer.uri.clone();
        let changed = || FragmentError::NotUnfinished {
            uri: uri.to_string(),
        };
        let metadata = uri.join(folders::FRAGMENT_METADATA_FILE);
        let is_unfinished = writer.name.version() == version
            && !vfs.is_object_store(&uri)
            && vfs.is_dir(&uri)?
            && !vfs.is_file(&metadata)?
            && !vfs.is_file(&writer.commit)?
            && state.fields.len() == writer.fields.len();
        if !is_unfinished {
            return Err(changed().into());
        }
        for (field, state) in writer.fields.iter_mut().zip(state.fields) {
            if !field.resume(state)? {
                return Err(changed().into());
            }
        }
        if let Ok(Some(lock)) = vfs.try_lock(&uri, LockMode::Shared) {
            writer.lock = Arc::new(lock);
        }
        (writer.mbrs, writer.order_bounds) = (state.mbrs, state.order_bounds);
        writer.non_empty_domain = state.non_empty_domain;
        Ok(writer)
    }
}

impl Drop for FragmentWriter {
    fn drop(&mut self) {
        if self.committed || self.released {
            return;
        }
        self.fields.clear();
        // A failed call may have left the commit file; while it exists, the folder must stay.
        // Readers ignore a folder without a commit.
        if self.vfs.remove_file_if_any(&self.commit).is_ok() {
            let _ = self.vfs.remove_dir(&self.uri);
            self.opened().remove_empty_folders(&self.vfs);
        }
    }
}
