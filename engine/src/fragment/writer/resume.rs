//! Fragments with several writers: one closes its files, and another one, of the same or of another
//! process, continues it.

use std::sync::Arc;

use super::super::fields::UnfinishedFragment;
use super::{FieldWriter, FragmentWriter, NewFragment};
use crate::error::{FragmentError, Result};
use crate::format::names::folders;
use crate::format::version::FormatVersion;
use crate::platform::lock::Mutex;
use crate::vfs::{LockMode, Uri, Vfs};

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
