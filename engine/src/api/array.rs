//! Arrays, opened at a point in time.

use std::ops::{RangeFull, RangeInclusive, RangeToInclusive};
use std::sync::Arc;

use super::cell::FromCell;
use super::context::Context;
use super::fragments::{FragmentDetails, NonEmptyDomain, bounds, fragments};
use super::metadata::{self, TypedValues};
use super::read_query::ReadQuery;
use super::schema::Schema;
use super::write_query::WriteQuery;
use crate::array::{self as engine, Array as EngineArray, WithMetadata};
use crate::error::{RestError, Result};
use crate::expression::Condition;
use crate::maintenance::{self, MaintenanceMode};
use crate::query::Query;
use crate::schema::{Enumeration, SchemaEvolution};
use crate::types::{QueryType, TimeRange, Timestamp};
use crate::vfs::Uri;

/// An array as it was when it was opened. Later writes, also by this process, are visible after
/// [`reopen`](Array::reopen).
///
/// Cloning returns another handle to the same opened array. Threads can share it.
#[derive(Clone, Debug)]
pub struct Array {
    context: Context,
    timestamps: TimeRange,
    handle: Arc<EngineArray>,
}

impl From<RangeInclusive<Timestamp>> for TimeRange {
    fn from(range: RangeInclusive<Timestamp>) -> Self {
        let (start, end) = range.into_inner();
        Self { start, end }
    }
}

impl From<RangeToInclusive<Timestamp>> for TimeRange {
    fn from(range: RangeToInclusive<Timestamp>) -> Self {
        let start = 0;
        Self {
            start,
            end: range.end,
        }
    }
}

impl From<RangeFull> for TimeRange {
    fn from(_: RangeFull) -> Self {
        Self::ALL
    }
}

impl Array {
    /// Creates an array without cells.
    ///
    /// # Errors
    ///
    /// If an array or a group exists at `uri`, or storage fails.
    pub fn create(context: &Context, uri: &str, schema: &Schema) -> Result<()> {
        let uri = engine::parse_uri(uri)?;
        let key = engine::key::of_config(context.config())?;
        engine::create(context.storage(), &uri, &schema.0, key.as_ref())
    }

    /// Returns whether an array exists at `uri`.
    ///
    /// # Errors
    ///
    /// If `uri` is invalid or storage fails.
    pub fn exists(context: &Context, uri: &str) -> Result<bool> {
        engine::exists(&context.storage().view(), &Uri::parse(uri)?)
    }

    /// Opens an array to read its present state.
    ///
    /// # Errors
    ///
    /// If the array does not exist, its key is wrong, or storage fails.
    pub fn open(context: &Context, uri: &str) -> Result<Self> {
        Self::open_at(context, uri, ..)
    }

    /// Opens an array to read the writes with timestamps in a range, such as `..=timestamp` for the
    /// state at that time. Timestamps are in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// As [`open`](Array::open).
    pub fn open_at(context: &Context, uri: &str, timestamps: impl Into<TimeRange>) -> Result<Self> {
        let timestamps = timestamps.into();
        let handle = EngineArray::new(context.storage(), uri)?;
        handle.set_open_timestamp_start(timestamps.start);
        handle.set_open_timestamp_end(timestamps.end);
        handle.open(QueryType::Read)?;
        Ok(Self::of_opened(context, timestamps, handle))
    }

    /// Returns a handle of the engine that was opened in a time range as an array.
    pub(super) fn of_opened(context: &Context, timestamps: TimeRange, handle: EngineArray) -> Self {
        Self {
            context: context.clone(),
            timestamps,
            handle: Arc::new(handle),
        }
    }

    /// Returns an open handle of the engine as an array.
    pub(super) fn of_handle(context: &Context, handle: EngineArray) -> Self {
        let timestamps = TimeRange {
            start: handle.open_timestamp_start(),
            end: handle.open_timestamp_end(),
        };
        Self::of_opened(context, timestamps, handle)
    }

    /// Opens the array again to see later writes.
    ///
    /// # Errors
    ///
    /// As [`open`](Array::open); the array stays as it was.
    pub fn reopen(&mut self) -> Result<()> {
        *self = Self::open_at(&self.context, self.uri(), self.timestamps)?;
        Ok(())
    }

    /// Returns the context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns whether later writes stay invisible when the array is opened again.
    #[cfg(feature = "arrow")]
    pub(super) fn is_past(&self) -> bool {
        self.timestamps.end != TimeRange::ALL.end
    }

    /// Returns the open array with another context for writes, deletes and opening it again, such
    /// as a [`separate`](Context::separate) one. Reads of its present state stay in the context in
    /// which it was opened.
    #[must_use]
    pub fn within(&self, context: &Context) -> Self {
        Self {
            context: context.clone(),
            ..self.clone()
        }
    }

    /// Returns the URI.
    pub fn uri(&self) -> &str {
        self.handle.uri.as_str()
    }

    /// Returns the schema.
    ///
    /// # Errors
    ///
    /// None; the array is open.
    pub fn schema(&self) -> Result<Schema> {
        self.handle.schema().map(Schema)
    }

    /// Returns the last timestamp of the writes that are visible. Changes that follow in the same
    /// millisecond have this timestamp as well, and are visible when the array is opened at it.
    pub fn timestamp(&self) -> Timestamp {
        self.handle.open_timestamp_end()
    }

    /// Returns the bounds of the cells of each dimension; `None` if the array has no cells.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn non_empty_domain(&self) -> Result<Option<NonEmptyDomain>> {
        let schema = self.handle.schema()?;
        let Some(ranges) = self.handle.non_empty_domain()? else {
            return Ok(None);
        };
        Ok(Some(bounds(&schema, &ranges)))
    }

    /// Returns an enumeration of the schema.
    ///
    /// # Errors
    ///
    /// If it does not exist or storage fails.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>> {
        self.handle.enumeration(name)
    }

    /// Returns a query, to describe and start a read.
    pub fn query(&self) -> ReadQuery {
        ReadQuery::new(&self.handle)
    }

    /// Reads all cells of a field, such as `array.read::<i32>("a")?`.
    ///
    /// # Errors
    ///
    /// If the field does not exist or has another datatype, a cell is null and `T` is not an
    /// `Option`, or storage fails.
    pub fn read<T: FromCell>(&self, field: &str) -> Result<Vec<T>> {
        self.query().read(field)
    }

    /// Returns a write, to which the cells are added before it is submitted.
    pub fn write(&self) -> WriteQuery {
        WriteQuery::new(&self.context, &self.handle)
    }

    /// Deletes the cells of a sparse array that satisfy a condition.
    ///
    /// The files state which cells remain, and cannot state that null cells remain. Cells that are
    /// null in a field of the condition are therefore deleted as well, unless another part of the
    /// condition excludes them.
    ///
    /// # Errors
    ///
    /// If the array is dense, the condition does not fit the schema, or storage fails.
    pub fn delete(&self, condition: &Condition) -> Result<()> {
        self.delete_at(condition, None)
    }

    /// Deletes the cells that satisfy a condition and were written until a timestamp, which is that
    /// of the delete: readers at earlier times still see them. `None` is the present.
    ///
    /// # Errors
    ///
    /// As [`delete`](Array::delete).
    pub fn delete_at(
        &self,
        condition: &Condition,
        timestamp: impl Into<Option<Timestamp>>,
    ) -> Result<()> {
        let handle = self
            .context
            .open_array(self.uri(), QueryType::Delete, timestamp.into())?;
        let mut query = Query::new(&handle, QueryType::Delete)?;
        let condition =
            condition.resolve(query.request().schema(), |name| handle.enumeration(name))?;
        query.set_condition(&Arc::new(condition))?;
        query.delete()
    }

    /// Returns the fragments that are stored in the time range of the open, from the oldest to the
    /// newest.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn fragments(&self) -> Result<Vec<FragmentDetails>> {
        fragments(&self.handle)
    }

    /// Returns the open array with some of its fragments, as if the others had not been written. No
    /// file is opened again. Fewer fragments are a sample of the cells that takes fewer requests to
    /// an object store.
    ///
    /// # Errors
    ///
    /// If a TileDB server has the array.
    pub fn with_fragments(&self, contains: impl Fn(&FragmentDetails) -> bool) -> Result<Self> {
        let snapshot = self.handle.snapshot()?;
        if snapshot.session.server.is_some() {
            let action = "read some of the fragments of an array";
            return Err(RestError::Unsupported { action }.into());
        }
        let kept = fragments(&self.handle)?
            .into_iter()
            .filter(|found| contains(found));
        let kept = kept.map(FragmentDetails::into_fragment).collect();
        let handle = EngineArray::of_snapshot(
            self.context.storage(),
            &self.handle.config(),
            &Arc::new(snapshot.with_fragments(kept)),
        );
        Ok(Self {
            handle: Arc::new(handle),
            ..self.clone()
        })
    }

    /// Returns the URIs of the fragments that consolidation has replaced and that
    /// [`vacuum`](Array::vacuum) removes.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn replaced_fragments(&self) -> Result<Vec<String>> {
        let (vfs, config) = (self.context.storage(), self.context.config());
        let found = engine::stored_fragments(
            &vfs.snapshot(&self.handle.uri)?,
            &self.handle.uri,
            config,
            TimeRange::ALL,
        )?;
        Ok(found
            .replaced
            .iter()
            .map(|uri| uri.as_str().to_owned())
            .collect())
    }

    /// Returns the metadata by keys, in the order of keys.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn metadata(&self) -> Result<Vec<(String, TypedValues)>> {
        metadata::all(&*self.handle)
    }

    /// Returns the metadata with a key; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn metadata_value(&self, key: &str) -> Result<Option<TypedValues>> {
        metadata::find(&*self.handle, key)
    }

    /// Stores metadata. It is visible after [`reopen`](Array::reopen).
    ///
    /// # Errors
    ///
    /// If storage fails, or the value has more elements than the file format can count (2^32 - 1).
    pub fn put_metadata(&self, key: &str, value: impl Into<TypedValues>) -> Result<()> {
        self.put_metadata_at(key, value, None)
    }

    /// Stores metadata with a timestamp: readers at earlier times do not see it. `None` is the
    /// present.
    ///
    /// # Errors
    ///
    /// As [`put_metadata`](Array::put_metadata).
    pub fn put_metadata_at(
        &self,
        key: &str,
        value: impl Into<TypedValues>,
        timestamp: impl Into<Option<Timestamp>>,
    ) -> Result<()> {
        let (value, timestamp) = (value.into(), timestamp.into());
        let handle = self
            .context
            .open_array(self.uri(), QueryType::Write, timestamp)?;
        handle.put_metadata(Some(key), value.datatype, &value.data)?;
        handle.close()
    }

    /// Removes metadata, which need not exist.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn remove_metadata(&self, key: &str) -> Result<()> {
        self.remove_metadata_at(key, None)
    }

    /// Removes metadata with a timestamp: readers at earlier times still see it. `None` is the
    /// present.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn remove_metadata_at(
        &self,
        key: &str,
        timestamp: impl Into<Option<Timestamp>>,
    ) -> Result<()> {
        let handle = self
            .context
            .open_array(self.uri(), QueryType::Write, timestamp.into())?;
        handle.delete_metadata(Some(key))?;
        handle.close()
    }

    /// Changes the schema. Cells that were written before have fill values in new attributes.
    ///
    /// # Errors
    ///
    /// If the changes do not fit the latest schema, or storage fails.
    pub fn evolve(&self, changes: &SchemaEvolution) -> Result<()> {
        engine::evolve(self.context.storage(), &self.handle.uri, changes)
    }

    /// Merges fragments or small files of the latest state into fewer. What was merged stays until
    /// it is removed by [`vacuum`](Array::vacuum). Parameters `sm.consolidation.*` of the context
    /// apply.
    ///
    /// # Errors
    ///
    /// If the mode is not one of arrays, or storage fails.
    pub fn consolidate(&self, mode: MaintenanceMode) -> Result<()> {
        let config = self.context.maintenance_config(mode)?;
        maintenance::consolidate(self.context.storage(), self.uri(), &config)
    }

    /// Merges the fragments with these names or URIs into one.
    ///
    /// # Errors
    ///
    /// If one does not exist, cells of other fragments would be hidden, or storage fails.
    pub fn consolidate_fragments(&self, names: &[&str]) -> Result<()> {
        let config = self.context.config();
        maintenance::consolidate_fragments(self.context.storage(), self.uri(), names, config)
    }

    /// Removes what consolidation in this mode replaced. Arrays that were opened before may not be
    /// readable afterwards, and the state before the consolidation is lost.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn vacuum(&self, mode: MaintenanceMode) -> Result<()> {
        let config = self.context.maintenance_config(mode)?;
        maintenance::vacuum(self.context.storage(), self.uri(), &config)
    }

    /// Removes the fragments whose timestamps are completely in a range.
    ///
    /// # Errors
    ///
    /// If storage fails.
    pub fn delete_fragments(&self, timestamps: impl Into<TimeRange>) -> Result<()> {
        let (vfs, config) = (self.context.storage(), self.context.config());
        maintenance::delete_fragments(vfs, &self.handle.uri, timestamps.into(), config)
    }

    /// Removes fragments by their URIs or names.
    ///
    /// # Errors
    ///
    /// If one does not exist, in which case nothing is removed, or storage fails.
    pub fn delete_named_fragments(&self, names: &[&str]) -> Result<()> {
        let (vfs, config) = (self.context.storage(), self.context.config());
        maintenance::delete_named_fragments(vfs, &self.handle.uri, names, config)
    }
}
