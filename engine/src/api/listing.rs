//! One listing of an array in an object store, from which several of its states are opened.

use super::array::Array;
use super::context::Context;
use super::metadata::{self, TypedValues};
use crate::array::{self as engine, Array as EngineArray};
use crate::error::Result;
use crate::types::{QueryType, TimeRange};
use crate::vfs::{Entry, StorageView, Uri};

/// The files of an array at one instant. States that are opened from it need no listing of their
/// own, which takes a request for each thousand files of an object store. Files that are written
/// later are in none of these states.
///
/// Only object stores are listed in advance; other storage is looked at when a state is opened.
#[derive(Clone, Debug)]
pub struct ArrayListing {
    context: Context,
    uri: Uri,
    view: StorageView,
}

impl ArrayListing {
    /// Lists the files of the array at `uri`. A long listing ends early; the folders that it does
    /// not contain are listed when they are needed.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn new(context: &Context, uri: &str) -> Result<Self> {
        let uri = engine::parse_uri(uri)?;
        let view = context.storage().snapshot(&uri)?;
        Ok(Self {
            context: context.clone(),
            uri,
            view,
        })
    }

    /// Returns the entries of a folder of the array, such as `__fragments`, in the order of names;
    /// none if it does not exist.
    ///
    /// # Errors
    ///
    /// If the folder is not in the listing, and storage fails.
    pub fn entries(&self, folder: &str) -> Result<Vec<Entry>> {
        self.view.list(&self.uri.join(folder))
    }

    /// Returns the number of files in the listing and the sum of their sizes in bytes; `None` if it
    /// does not contain all files of the array.
    pub fn size(&self) -> Option<(u64, u64)> {
        let objects = self.view.listing()?.objects(&self.uri)?;
        let bytes = objects.iter().map(|(_, object)| object.size);
        Some((objects.len() as u64, bytes.fold(0, u64::saturating_add)))
    }

    /// Returns the metadata that was written in a range of timestamps, by keys, in the order of
    /// keys, without opening the array.
    ///
    /// # Errors
    ///
    /// If the key of the configuration is not that of the array, or storage fails.
    pub fn metadata_at(
        &self,
        timestamps: impl Into<TimeRange>,
    ) -> Result<Vec<(String, TypedValues)>> {
        let key = engine::key::of_config(self.context.config())?;
        let found = engine::Metadata::load(&self.view, &self.uri, timestamps.into(), key.as_ref())?;
        Ok(metadata::of_entries(found.entries()))
    }

    /// Opens the array to read the writes with timestamps in a range, as [`Array::open_at`] does.
    /// The array is listed again if a listed file was removed.
    ///
    /// # Errors
    ///
    /// As [`Array::open`].
    pub fn open_at(&self, timestamps: impl Into<TimeRange>) -> Result<Array> {
        let timestamps = timestamps.into();
        let handle = EngineArray::new(self.context.storage(), self.uri.as_str())?;
        handle.set_open_timestamp_start(timestamps.start);
        handle.set_open_timestamp_end(timestamps.end);
        handle.open_listed(Some(QueryType::Read), Some(&self.view))?;
        Ok(Array::of_opened(&self.context, timestamps, handle))
    }
}
