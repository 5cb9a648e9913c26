//! The states of an array: closed, or open with a snapshot, which comes from storage, from a
//! message or from a server.
//!
//! ```text
//! closed --open--> open --reopen (reading only)--> open
//!                  open --close--> closed
//! ```
//!
//! A snapshot stays valid and unchanged whatever happens to the array afterwards.

use std::sync::Arc;

use super::key;
use super::metadata::{Metadata, MetadataChanges, Session, WithMetadata};
use super::registry::{OpenRegistration, opened_type};
use super::schemas::Schemas;
use super::schemas::parse_uri;
use super::server::{ArrayMessage, ArrayServer};
use super::snapshot::Snapshot;
use crate::config::Config;
use crate::error::{ArrayError, Error, RestError, Result};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::OpenedObject;
use crate::platform::lock::{OnceValue, RwLock};
use crate::schema::ArraySchema;
use crate::stats::Timer;
use crate::types::{NdRange, QueryType, TimeRange, Timestamp, now};
use crate::vfs::{StorageView, Uri, Vfs};

/// An array handle. Its state is protected by a lock: all methods take `&self`.
#[derive(Debug)]
pub struct Array {
    /// The storage.
    pub vfs: Arc<Vfs>,
    /// The folder.
    pub uri: Uri,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    config: Config,
    start: Timestamp,
    /// The end set by the caller; `None` means the time of the open.
    end: Option<Timestamp>,
    /// The end of the time range of the last open.
    opened_end: Timestamp,
    query_type: QueryType,
    snapshot: Option<Arc<Snapshot>>,
    /// Present while the array is open, if it was opened by [`Array::open_registered`].
    registration: Option<OpenRegistration>,
    /// The schemas of a message, if the array was opened by one.
    schemas: Option<Vec<Arc<ArraySchema>>>,
    /// The changes that closing it writes.
    changes: MetadataChanges,
}

impl Array {
    /// Creates a closed array.
    pub fn new(vfs: &Arc<Vfs>, uri: &str) -> Result<Self> {
        Ok(Self {
            vfs: vfs.clone(),
            uri: parse_uri(uri)?,
            state: RwLock::new(State::closed(&vfs.context.config)),
        })
    }

    /// Opens the array at `uri` with the time range and the key of another open array.
    pub(super) fn open_like(
        vfs: &Arc<Vfs>,
        uri: Uri,
        other: &Snapshot,
        query_type: QueryType,
    ) -> Result<Self> {
        let request = Session::new(
            query_type,
            other.session.timestamps,
            other.session.key.clone(),
        );
        let snapshot = Snapshot::take(vfs, &uri, request, None).map_err(as_failed_open)?;
        let state = State::opened(&vfs.context.config, query_type, Arc::new(snapshot));
        Ok(Self {
            vfs: vfs.clone(),
            uri,
            state: RwLock::new(state),
        })
    }

    /// Creates an array that is open for reading with the state of another open.
    pub fn of_snapshot(vfs: &Arc<Vfs>, config: &Config, snapshot: &Arc<Snapshot>) -> Self {
        let state = State::opened(config, QueryType::Read, snapshot.clone());
        Self {
            vfs: vfs.clone(),
            uri: snapshot.uri.clone(),
            state: RwLock::new(state),
        }
    }

    /// Opens the array. Returns an error if it is already open, it does not exist, or its key is
    /// wrong.
    pub fn open(&self, query_type: QueryType) -> Result<()> {
        self.open_listed(Some(query_type), None)
    }

    /// Opens the array as [`Self::open`] does, for a query type that may be unknown, and with the
    /// files of a snapshot of its storage if there is one. An unknown type is an error, but an
    /// array that is already open is reported first.
    pub(crate) fn open_listed(
        &self,
        query_type: Option<QueryType>,
        listed: Option<&StorageView>,
    ) -> Result<()> {
        let mut state = self.state.write();
        if state.snapshot.is_some() {
            return Err(ArrayError::AlreadyOpen.into());
        }
        let Some(query_type) = query_type else {
            return Err(ArrayError::UnsupportedQueryType.into());
        };
        self.vfs.context.check_compute_threads()?;
        let query_type = opened_type(&self.vfs.context, query_type);
        state.query_type = query_type;
        let stats = &self.vfs.context.stats;
        let _timer = stats.timer(match query_type {
            QueryType::Read => Timer::OpenRead,
            QueryType::Write => Timer::OpenWrite,
            QueryType::Delete => Timer::OpenDelete,
            QueryType::Update => Timer::OpenUpdate,
            QueryType::ModifyExclusive => Timer::OpenModifyExclusive,
        });
        let request = state.request(query_type).map_err(as_failed_open)?;
        let taken = Snapshot::take(&self.vfs, &self.uri, request, listed);
        let snapshot = taken.map_err(as_failed_open)?;
        check_version(&snapshot)?;
        state.opened_end = match query_type {
            QueryType::Read => snapshot.session.timestamps.end,
            _ => state.end.unwrap_or(0),
        };
        let written_at = state.end.filter(|end| *end != 0).unwrap_or_else(now);
        state.changes = MetadataChanges::new(written_at);
        state.snapshot = Some(Arc::new(snapshot));
        Ok(())
    }

    /// Opens the array as [`Self::open_listed`] does, unless another open that this process
    /// registered excludes it (see [`OpenRegistration`]).
    pub fn open_registered(&self, query_type: Option<QueryType>) -> Result<()> {
        // An array that is open already, and an unknown type, are reported by `open_listed`.
        let registration = query_type
            .filter(|_| !self.is_open())
            .map(|query_type| OpenRegistration::new(&self.uri, query_type))
            .transpose()?;
        self.open_listed(query_type, None)?;
        let mut state = self.state.write();
        // Another thread may have closed it.
        if state.snapshot.is_some() {
            state.registration = registration;
        }
        Ok(())
    }

    /// Opens the array as a message describes it.
    pub fn receive(&self, received: ArrayMessage) {
        self.state.write().receive(&self.uri, received);
    }

    /// Opens an array whose files a server has. An unknown query type is an error, but an array
    /// that is already open is reported first.
    pub fn open_on(&self, server: &dyn ArrayServer, query_type: Option<QueryType>) -> Result<()> {
        // Held during the request, so that one of several concurrent opens succeeds.
        let mut state = self.state.write();
        if state.snapshot.is_some() {
            return Err(ArrayError::AlreadyOpen.into());
        }
        let Some(query_type) = query_type else {
            return Err(ArrayError::UnsupportedQueryType.into());
        };
        if state
            .request(query_type)
            .map_err(as_failed_open)?
            .key
            .is_some()
        {
            return Err(RestError::Encrypted { object: "array" }.into());
        }
        let received = server.open(&self.uri, &state.config, query_type, state.time_range())?;
        state.receive_served(&self.uri, received);
        Ok(())
    }

    /// Replaces the configuration and the query type by those of a message, before the array is
    /// opened.
    pub fn receive_open(&self, config: Option<Config>, query_type: Option<QueryType>) {
        let mut state = self.state.write();
        if let Some(config) = config {
            state.config = config;
        }
        if let Some(query_type) = query_type {
            state.query_type = query_type;
        }
    }

    /// Closes the array and writes changed metadata. Succeeds if it is closed. If metadata cannot
    /// be written, the array stays open.
    pub fn close(&self) -> Result<()> {
        let mut state = self.state.write();
        if let Some(open) = &state.snapshot
            && let Some(server) = &open.session.server
        {
            let changes = state.changes.entries();
            if !changes.is_empty() {
                server.put_metadata(&self.uri, state.time_range(), &changes)?;
                state.changes = MetadataChanges::default();
            }
        } else if let Some(open) = &state.snapshot {
            let opened = OpenedObject {
                uri: &self.uri,
                schema_name: &open.schema.name,
            };
            let version = FormatVersion(open.schema.version).of_records();
            let key = open.session.key.as_ref();
            state.changes.write(&self.vfs, opened, version, key)?;
        }
        state.release();
        Ok(())
    }

    /// Closes the array without writing changed metadata. Succeeds if it is closed.
    pub fn close_without_changes(&self) {
        let mut state = self.state.write();
        state.changes = MetadataChanges::default();
        state.release();
    }

    /// Opens the array for reading again to see later changes, at the end timestamp set since,
    /// otherwise at the current time. An end that was set for an earlier open is not used again.
    pub fn reopen(&self) -> Result<()> {
        let mut state = self.state.write();
        let Some(open) = &state.snapshot else {
            return Err(ArrayError::ReopenClosed.into());
        };
        let open = &open.session;
        if open.query_type != QueryType::Read {
            return Err(ArrayError::ReopenNotRead.into());
        }
        let fixed = state
            .end
            .filter(|end| *end != open.timestamps.end && *end != Timestamp::MAX);
        if let Some(server) = open.server.clone() {
            let timestamps = TimeRange {
                start: state.start,
                end: fixed.unwrap_or_else(now),
            };
            let received = server.open(&self.uri, &state.config, QueryType::Read, timestamps)?;
            state.end = fixed;
            state.receive_served(&self.uri, received);
            return Ok(());
        }
        let timestamps = TimeRange {
            start: state.start,
            end: fixed.unwrap_or_else(now),
        };
        let request = Session {
            until_now: fixed.is_none(),
            ..Session::new(QueryType::Read, timestamps, open.key.clone())
        };
        let snapshot =
            Snapshot::take(&self.vfs, &self.uri, request, None).map_err(as_failed_open)?;
        state.opened_end = snapshot.session.timestamps.end;
        state.end = fixed;
        state.snapshot = Some(Arc::new(snapshot));
        Ok(())
    }

    /// Returns whether it is open.
    pub fn is_open(&self) -> bool {
        self.state.read().snapshot.is_some()
    }

    /// Returns the query type of the last open; reading if it was never opened.
    pub fn query_type(&self) -> QueryType {
        self.state.read().query_type
    }

    /// Adds parameters to the configuration for the next open. Returns an error if the array is
    /// open.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state.write();
        if state.snapshot.is_some() {
            return Err(ArrayError::ConfigOfOpen.into());
        }
        state.config.inherit(config);
        Ok(())
    }

    /// Returns the configuration.
    pub fn config(&self) -> Config {
        self.state.read().config.clone()
    }

    /// Sets the start of the time range for the next open, in milliseconds.
    pub fn set_open_timestamp_start(&self, timestamp: Timestamp) {
        self.state.write().start = timestamp;
    }

    /// Sets the end of the time range for the next open, which is also the timestamp of writes, in
    /// milliseconds. `Timestamp::MAX` means the time of the open.
    pub fn set_open_timestamp_end(&self, timestamp: Timestamp) {
        self.state.write().end = Some(timestamp).filter(|end| *end != Timestamp::MAX);
    }

    /// Returns the time range that the caller set. Without an end it ends at `Timestamp::MAX`.
    pub fn time_range(&self) -> TimeRange {
        self.state.read().time_range()
    }

    /// Returns the start of the time range.
    pub fn open_timestamp_start(&self) -> Timestamp {
        self.state.read().start
    }

    /// Returns the end of the time range of the last open. It is 0 if that was not for reading and
    /// no end was set, and `Timestamp::MAX` if the array was never opened.
    pub fn open_timestamp_end(&self) -> Timestamp {
        self.state.read().opened_end
    }

    /// Returns the timestamp of writes in milliseconds; `None` means the time of the write.
    pub fn write_timestamp(&self) -> Option<Timestamp> {
        self.state.read().end.filter(|end| *end != 0)
    }

    /// Returns the schema. Returns an error if the array is closed.
    pub fn schema(&self) -> Result<Arc<ArraySchema>> {
        let state = self.state.read();
        Ok(state
            .snapshot
            .as_ref()
            .ok_or_else(|| Error::from(ArrayError::SchemaOfClosed))?
            .schema
            .clone())
    }

    /// Replaces the current domain of the schema for later queries until the array is closed. Does
    /// nothing if it is closed.
    pub fn set_current_domain(&self, current: Option<NdRange>) {
        if let Some(snapshot) = &mut self.state.write().snapshot {
            let mut schema = ArraySchema::clone(&snapshot.schema);
            schema.current_domain = current;
            Arc::make_mut(snapshot).schema = Arc::new(schema);
        }
    }

    /// Replaces the non-empty domain for later calls until the array is closed or reopened. Does
    /// nothing if it is closed.
    pub fn set_non_empty_domain(&self, domain: Option<NdRange>) {
        if let Some(snapshot) = &mut self.state.write().snapshot {
            Arc::make_mut(snapshot).set_non_empty_domain(domain);
        }
    }

    /// Returns all schemas in storage, in order of evolution. Returns an error if the array is
    /// closed.
    pub fn all_schemas(&self) -> Result<Vec<Arc<ArraySchema>>> {
        let open = self.snapshot()?;
        if let Some(schemas) = &self.state.read().schemas {
            return Ok(schemas.clone());
        }
        let schemas = Schemas::list(
            &self.vfs.snapshot(&self.uri)?,
            &self.uri,
            open.session.key.as_ref(),
        )?;
        let latest = &open.schema;
        let all = schemas.all()?.into_iter();
        // The open array may have loaded enumerations of its latest schema.
        let all = all.map(|schema| {
            if schema.name == latest.name {
                latest.clone()
            } else {
                schema
            }
        });
        Ok(all.collect())
    }

    /// Returns the snapshot. Returns an error if the array is closed.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>> {
        let snapshot = self.state.read().snapshot.clone();
        Ok(snapshot.ok_or(ArrayError::NotOpen)?)
    }

    /// Returns the bounding box of all visible cells; `None` without visible cells. Returns an
    /// error if the array is not open for reading.
    pub fn non_empty_domain(&self) -> Result<Option<NdRange>> {
        let snapshot = self.read_snapshot(ArrayError::NotOpenForDomain)?;
        Ok(snapshot.non_empty_domain().cloned())
    }

    /// Returns the snapshot. Returns the error `closed` if the array is closed, or an
    /// error if it is not open for reading.
    pub(super) fn read_snapshot(&self, closed: ArrayError) -> Result<Arc<Snapshot>> {
        let snapshot = self.state.read().snapshot.clone().ok_or(closed)?;
        match snapshot.session.query_type {
            QueryType::Read => {
                snapshot.load_domain(self.open_timestamp_end())?;
                Ok(snapshot)
            }
            _ => Err(ArrayError::NotOpenForReads.into()),
        }
    }
}

impl State {
    /// Returns the state of an array that was never opened.
    fn closed(config: &Config) -> Self {
        Self {
            config: config.clone(),
            start: 0,
            end: None,
            opened_end: Timestamp::MAX,
            query_type: QueryType::Read,
            snapshot: None,
            registration: None,
            schemas: None,
            changes: MetadataChanges::default(),
        }
    }

    /// Returns the state of an array that is open with a snapshot, in whose time range it is opened
    /// again.
    fn opened(config: &Config, query_type: QueryType, snapshot: Arc<Snapshot>) -> Self {
        let TimeRange { start, end } = snapshot.session.timestamps;
        Self {
            start,
            end: Some(end).filter(|end| *end != Timestamp::MAX),
            opened_end: end,
            query_type,
            snapshot: Some(snapshot),
            ..Self::closed(config)
        }
    }

    /// Frees what belongs to the open array.
    fn release(&mut self) {
        if let Some(snapshot) = self.snapshot.take() {
            snapshot.free();
        }
        self.registration = None;
        self.schemas = None;
    }

    fn time_range(&self) -> TimeRange {
        TimeRange {
            start: self.start,
            end: self.end.unwrap_or(Timestamp::MAX),
        }
    }

    fn request(&self, query_type: QueryType) -> Result<Session<dyn ArrayServer>> {
        if query_type == QueryType::Update && !self.config.flag("sm.allow_updates_experimental")? {
            return Err(ArrayError::UpdatesAreExperimental.into());
        }
        let end = self.end.unwrap_or_else(|| match query_type {
            QueryType::Read => now(),
            _ => Timestamp::MAX,
        });
        let timestamps = TimeRange {
            start: self.start,
            end,
        };
        let key = key::of_array_config(&self.config)?;
        Ok(Session {
            until_now: query_type == QueryType::Read && self.end.is_none(),
            ..Session::new(query_type, timestamps, key)
        })
    }

    fn receive(&mut self, uri: &Uri, mut received: ArrayMessage) {
        let TimeRange { start, end } = received.timestamps;
        self.start = start;
        self.end = Some(end).filter(|end| *end != Timestamp::MAX);
        self.opened_end = end;
        self.query_type = received.query_type;
        self.schemas = Some(std::mem::take(&mut received.schemas));
        let written_at = self.end.filter(|end| *end != 0).unwrap_or_else(now);
        self.changes = MetadataChanges::new(written_at);
        self.snapshot = Some(Arc::new(Snapshot::of_message(uri, received)));
    }

    /// Opens the array as its server describes it, for the time range that the caller set.
    fn receive_served(&mut self, uri: &Uri, received: ArrayMessage) {
        let (start, set_end) = (self.start, self.end);
        let opened_end = match (received.query_type, set_end) {
            (_, Some(end)) => end,
            (QueryType::Read, None) if received.timestamps.end != Timestamp::MAX => {
                received.timestamps.end
            }
            (QueryType::Read, None) => now(),
            _ => 0,
        };
        self.receive(uri, received);
        self.start = start;
        self.end = set_end;
        self.opened_end = opened_end;
    }
}

impl WithMetadata for Array {
    const NAME: &'static str = "Array";

    type Server = dyn ArrayServer;

    fn replace_metadata(&self, metadata: Metadata) {
        if let Some(snapshot) = &mut self.state.write().snapshot {
            Arc::make_mut(snapshot).session.metadata = OnceValue::from(Arc::new(metadata));
        }
    }

    fn location(&self) -> (&Arc<Vfs>, &Uri) {
        (&self.vfs, &self.uri)
    }

    fn with_session<T>(
        &self,
        body: impl FnOnce(Option<(&Session<dyn ArrayServer>, &MetadataChanges)>) -> T,
    ) -> T {
        let state = self.state.read();
        let open = state.snapshot.as_ref();
        body(open.map(|open| (&open.session, &state.changes)))
    }
}

/// Checks that the format version of the array supports the query type.
fn check_version(snapshot: &Snapshot) -> Result<()> {
    let operation = match snapshot.session.query_type {
        QueryType::Delete => "deletes",
        QueryType::Update => "updates",
        _ => return Ok(()),
    };
    let (version, least) = (FormatVersion(snapshot.schema.version), v::DELETE_COMMITS);
    if version >= least {
        return Ok(());
    }
    Err(ArrayError::OldVersion {
        operation,
        version: version.0,
        least: least.0,
    }
    .into())
}

/// Wraps an error of the caller as the cause of a failed open. Returns other errors unchanged.
pub(crate) fn as_failed_open(error: Error) -> Error {
    if error.is_usage() {
        ArrayError::Open { cause: error }.into()
    } else {
        error
    }
}
