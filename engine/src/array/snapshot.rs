//! The immutable state that an open array sees: read from storage or from a message, and compared
//! with the state on storage.

use std::sync::Arc;

use super::adoption::adopt_pending;
use super::commits::CommitScope;
use super::deletes::{self, Delete, deletes};
use super::instant::open_repeatedly;
use super::key;
use super::listing::{self, Listing, Visibility};
use super::metadata::{Metadata, MetadataFolder, MetadataNames, Session};
use super::open_fragments::{self, ConsolidatedFooters};
use super::restoration::Restoration;
use super::schemas::Schemas;
use super::server::{ArrayMessage, ArrayServer};
use crate::config::Config;
use crate::error::{ArrayError, Error, Result};
use crate::format::names::FragmentName;
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::{CommonSchema, CoordinateCache, Fragment, FragmentLocation, FragmentOpener};
use crate::platform::lock::OnceValue;
use crate::schema::ArraySchema;
use crate::stats::{Counter, Part, Timer};
use crate::tile::{ChunkCache, generic};
use crate::types::{EncryptionKey, NdRange, QueryType, TimeRange, Timestamp};
use crate::vfs::{FolderLock, StorageView, Uri, Vfs};

/// The immutable state that an open array sees.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The array's folder.
    pub uri: Uri,
    /// The parameters of the open, and the metadata.
    pub session: Session<dyn ArrayServer>,
    /// The latest schema in the time range.
    pub schema: Arc<ArraySchema>,
    /// The visible fragments, oldest first, then by name. Empty if the array is not open for
    /// reading.
    pub fragments: Vec<Arc<Fragment>>,
    /// The deletes in the time range, oldest first. Empty if the array is not open for reading.
    pub deletes: Vec<Arc<Delete>>,
    /// A cache of coordinates for queries.
    pub coordinate_cache: Arc<CoordinateCache>,
    /// A cache of decoded chunks for queries. Fragments never change, so it stays valid as long as
    /// the snapshot; reopening the array starts with an empty one.
    pub chunk_cache: Arc<ChunkCache>,
    pub(super) non_empty_domain: OnceValue<Option<NdRange>>,
    /// The consolidated fragments that are not used, and those used instead.
    pub(super) restoration: Restoration,
}

impl Snapshot {
    /// Replaces the error that a file of a fragment does not exist if a vacuum has removed it.
    pub fn missing(&self, error: Error) -> Error {
        let file = error.object().unwrap_or_default();
        match self
            .fragments
            .iter()
            .find(|fragment| file.starts_with(fragment.uri().as_str()))
            .cloned()
        {
            Some(fragment) => fragment.missing(error),
            None => error,
        }
    }

    /// Opens an array. An open for writing completes consolidations that ended after their commit.
    /// `listed` is a snapshot of the array, if there is one; the array is listed again if a listed
    /// file has disappeared.
    pub(super) fn take(
        vfs: &Arc<Vfs>,
        uri: &Uri,
        request: Session<dyn ArrayServer>,
        listed: Option<&StorageView>,
    ) -> Result<Self> {
        let mut view = vfs.view();
        let mut first = listed.cloned();
        let taken = open_repeatedly(vfs, uri, |lock| {
            view = match first.take() {
                Some(view) => view,
                None => vfs.snapshot(uri)?,
            };
            Self::attempt(&view, uri, request.clone(), lock)
        })?;
        if taken.session.query_type != QueryType::Read {
            let includes_root = FormatVersion(taken.schema.version) < v::COMMITS_FOLDER;
            // A list counts in either location, so a failure is harmless: the array may be
            // read-only.
            let _ = adopt_pending(&view, uri, includes_root);
        }
        Ok(taken)
    }

    /// Opens an array once. Fails if a listed file disappears before it is read.
    fn attempt(
        view: &StorageView,
        uri: &Uri,
        mut request: Session<dyn ArrayServer>,
        lock: Option<&FolderLock>,
    ) -> Result<Self> {
        // An array without a key of its own has the key of the context's configuration.
        let key = match request.key.take() {
            None => key::of_config(&view.vfs.context.config),
            key => Ok(key),
        };
        let listed = key.as_ref().ok().and_then(Option::as_ref);
        let schemas = Schemas::list(view, uri, listed)?;
        request.key = key.map_err(in_directory)?;
        let end = match request.query_type {
            QueryType::Write | QueryType::ModifyExclusive => u64::MAX,
            _ => request.timestamps.end,
        };
        let latest = schemas.latest(end)?;
        let schema = match request.query_type {
            QueryType::Read => {
                open_fragments::load_schema_and_footers(&schemas, latest, request.timestamps)
            }
            _ => schemas.get(Some(latest)),
        };
        let schema = schema.map_err(in_directory)?;
        let mut snapshot = Self::without_fragments(uri, schema, request);
        if snapshot.session.query_type == QueryType::Read {
            snapshot.load_fragments(&schemas, lock)?;
        }
        Ok(snapshot)
    }

    /// Returns a snapshot that does not contain any fragments yet.
    fn without_fragments(
        uri: &Uri,
        schema: Arc<ArraySchema>,
        request: Session<dyn ArrayServer>,
    ) -> Self {
        Self {
            uri: uri.clone(),
            session: request,
            schema,
            fragments: Vec::new(),
            deletes: Vec::new(),
            coordinate_cache: Arc::default(),
            chunk_cache: Arc::new(ChunkCache::scan_resistant()),
            non_empty_domain: OnceValue::new(),
            restoration: Restoration::default(),
        }
    }

    /// Loads the fragments, the deletes and the names of the metadata files in the time range.
    fn load_fragments(&mut self, schemas: &Schemas, lock: Option<&FolderLock>) -> Result<()> {
        let view = &schemas.view;
        let stats = view.vfs.context.stats.part(Part::ArrayDirectory);
        let timing = stats.timer(Timer::ListMetadata);
        self.session.metadata_names = MetadataNames::list(view, &self.uri, lock)?.into();
        drop(timing);
        let scope = CommitScope {
            timestamps: self.session.timestamps,
            until_now: self.session.until_now,
            includes_root: schemas.may_have_root_fragments(&self.schema)?,
            lock,
        };
        let visibility = Visibility::of_reads(&self.schema);
        let mut listing = listed(schemas, scope, visibility)?;
        let mut stored = load_stored(schemas, &self.schema, &mut listing)?;
        self.restoration = Restoration::restore(
            schemas,
            &self.schema,
            &listing,
            visibility,
            &mut stored.fragments,
            |fragments| open_listed(schemas, &self.schema, fragments, &listing),
        )?;
        self.session.timestamps = stored.timestamps;
        self.fragments = stored.fragments;
        self.deletes = stored.deletes;
        Ok(())
    }

    /// Drops the snapshot, with the newest fragments first. They have the highest addresses: glibc
    /// keeps the first few freed blocks for reuse and therefore does not return the memory below
    /// them to the system. After an open of 10,000 fragments it would take 3,000 page faults to get
    /// the memory again.
    pub(super) fn free(mut self: Arc<Self>) {
        if let Some(last) = Arc::get_mut(&mut self) {
            last.fragments.reverse();
        }
    }

    /// Returns the snapshot for a write. Its current domain is the newest, since programs expand it
    /// between opening and writing. Everything else, including the name of the schema, stays
    /// unchanged.
    pub fn for_writing(self: &Arc<Self>, vfs: &Arc<Vfs>) -> Result<Arc<Self>> {
        if self.session.server.is_some() || self.schema.current_domain.is_none() {
            return Ok(self.clone());
        }
        let schemas = Schemas::list(
            &vfs.snapshot(&self.uri)?,
            &self.uri,
            self.session.key.as_ref(),
        )?;
        let newest = schemas.latest(Timestamp::MAX)?;
        if newest == self.schema.name {
            return Ok(self.clone());
        }
        let schema = ArraySchema {
            current_domain: schemas.get(Some(newest))?.current_domain.clone(),
            ..ArraySchema::clone(&self.schema)
        };
        Ok(Arc::new(Self {
            schema: Arc::new(schema),
            ..Self::clone(self)
        }))
    }

    /// Creates a snapshot of the given fragments and deletes, oldest first, for all times.
    pub fn of_fragments(
        uri: &Uri,
        schema: &Arc<ArraySchema>,
        fragments: &[Arc<Fragment>],
        deletes: &[Arc<Delete>],
        key: Option<&EncryptionKey>,
    ) -> Self {
        let request = Session::new(QueryType::Read, TimeRange::ALL, key.cloned());
        Self {
            fragments: fragments.to_vec(),
            deletes: deletes.to_vec(),
            ..Self::without_fragments(uri, schema.clone(), request)
        }
    }

    /// Returns the state of these fragments of the snapshot, as if the others had not been written.
    /// It has caches of its own, because their keys have the positions of fragments.
    pub fn with_fragments(&self, fragments: Vec<Arc<Fragment>>) -> Self {
        Self {
            fragments,
            deletes: self.deletes.clone(),
            ..Self::without_fragments(&self.uri, self.schema.clone(), self.session.clone())
        }
    }

    /// Returns the bounding box of all visible cells; `None` without visible cells.
    pub fn non_empty_domain(&self) -> Option<&NdRange> {
        self.non_empty_domain
            .get_or_init(|| {
                self.schema.domain.union(
                    self.fragments
                        .iter()
                        .filter_map(|fragment| fragment.footer.non_empty_domain.as_ref()),
                )
            })
            .as_ref()
    }
}

/// Marks an error of the caller as the cause of a failed listing of an array.
fn in_directory(error: Error) -> Error {
    if error.is_usage() {
        ArrayError::Listing { cause: error }.into()
    } else {
        error
    }
}

/// The fragments of an array in a time range, and those that vacuum can remove.
#[derive(Debug)]
pub struct StoredFragments {
    /// The time range.
    pub timestamps: TimeRange,
    /// The visible fragments, oldest first, then by name.
    pub fragments: Vec<Arc<Fragment>>,
    /// The folders of fragments that visible consolidated ones replace.
    pub replaced: Vec<Uri>,
    /// The deletes in the time range, oldest first.
    pub deletes: Vec<Arc<Delete>>,
}

/// Returns the fragments of an array that are completely within a time range, without opening it.
/// The key is that of `config`. `view` is a snapshot of the array, which is listed again if a
/// listed file has disappeared. Returns an error if the array does not exist or the key is wrong.
pub fn stored_fragments(
    view: &StorageView,
    uri: &Uri,
    config: &Config,
    timestamps: TimeRange,
) -> Result<StoredFragments> {
    let vfs = &view.vfs;
    let key = key::of_config_or_context(vfs, config)?;
    let mut first = Some(view.clone());
    open_repeatedly(vfs, uri, |lock| {
        let view = match first.take() {
            Some(view) => view,
            None => vfs.snapshot(uri)?,
        };
        let schemas = Schemas::list(&view, uri, key.as_ref())?;
        let latest = schemas.get(Some(schemas.latest(timestamps.end)?))?;
        let scope = CommitScope {
            timestamps,
            until_now: false,
            includes_root: schemas.may_have_root_fragments(&latest)?,
            lock,
        };
        let mut listing = listed(&schemas, scope, Visibility::NotReplaced)?;
        load_stored(&schemas, &latest, &mut listing)
    })
}

/// Lists the array of `schemas`.
fn listed(schemas: &Schemas, scope: CommitScope<'_>, visibility: Visibility) -> Result<Listing> {
    let view = &schemas.view;
    let stats = view.vfs.context.stats.part(Part::ArrayDirectory);
    let _timing = stats.timer(Timer::ListCommits);
    listing::list(view, &schemas.array, scope, visibility)
}

/// Loads the fragments and deletes of a listing of the array of `schemas`. `latest` is the latest
/// schema in its time range.
fn load_stored(
    schemas: &Schemas,
    latest: &Arc<ArraySchema>,
    listing: &mut Listing,
) -> Result<StoredFragments> {
    let stats = &schemas.view.vfs.context.stats;
    let _timing = stats.timer(Timer::LoadFragmentMetadata);
    let timestamps = listing.commits.timestamps;
    let shown = std::mem::take(&mut listing.fragments);
    let fragments = open_listed(schemas, latest, shown, listing)?;
    let schema_at = |time| {
        let name = schemas.latest(time)?;
        let other = (name != latest.name).then(|| schemas.get(Some(name)));
        other.transpose()
    };
    Ok(StoredFragments {
        timestamps,
        fragments,
        replaced: listing
            .replaced
            .iter()
            .map(|location| location.uri().clone())
            .collect(),
        deletes: deletes::deletes(&listing.commits, timestamps, schema_at)?,
    })
}

/// Opens fragments of a listing.
///
/// # Errors
///
/// If a fragment cannot be read, or was removed after it was listed.
fn open_listed(
    schemas: &Schemas,
    latest: &Arc<ArraySchema>,
    fragments: Vec<FragmentLocation>,
    listing: &Listing,
) -> Result<Vec<Arc<Fragment>>> {
    let (view, key) = (&schemas.view, schemas.key.as_ref());
    let footers = if fragments.is_empty() {
        &[]
    } else {
        &listing.footers[..]
    };
    let files = footers
        .iter()
        .map(|uri| generic::read(view, uri, key).map(Arc::new))
        .collect::<Result<Vec<_>>>()?;
    let file_bytes = files.iter().map(|file| file.len() as u64).sum();
    let stats = &view.vfs.context.stats;
    stats.add(Counter::ReadConsolidatedFooterBytes, file_bytes);
    let footers = ConsolidatedFooters::read(&files, footers)?;
    // Most fragments have the latest schema, which needs no lookup.
    let schema = |name: Option<&str>| {
        if name == Some(latest.name.as_str()) {
            Ok(latest.clone())
        } else {
            schemas.get(name)
        }
    };
    let opener = FragmentOpener {
        view,
        key,
        common_schema: Some(CommonSchema::new(latest)),
        schema: &schema,
    };
    let (opened, removed) = open_fragments::open_all(&opener, &schemas.array, fragments, footers)?;
    if !removed.is_empty() {
        listing.commits.check_still_consolidated(view, &removed)?;
    }
    Ok(opened)
}

impl Snapshot {
    /// Creates the snapshot of a message.
    pub(super) fn of_message(uri: &Uri, received: ArrayMessage) -> Self {
        let (schema, fragments) = (received.schema, received.fragments);
        Self {
            session: Session {
                query_type: received.query_type,
                timestamps: received.timestamps,
                until_now: false,
                key: None,
                metadata_names: Arc::new(received.metadata_names),
                metadata: Metadata::received(received.metadata),
                server: received.server,
            },
            non_empty_domain: received
                .non_empty_domain
                .map_or_else(OnceValue::new, OnceValue::from),
            ..Self::of_fragments(uri, &schema, &fragments, &received.deletes, None)
        }
    }

    /// Replaces the non-empty domain, as a server reports it.
    pub(super) fn set_non_empty_domain(&mut self, domain: Option<NdRange>) {
        self.non_empty_domain = OnceValue::from(domain);
    }

    /// Returns the names of the metadata files that are in the time range and not replaced, oldest
    /// first.
    pub fn metadata_files(&self, vfs: &Arc<Vfs>) -> Result<Vec<FragmentName>> {
        let folder = MetadataFolder::of(&vfs.view(), &self.uri, &self.session.metadata_names)?;
        Ok(folder
            .visible(self.session.timestamps)
            .into_iter()
            .filter_map(|file| FragmentName::parse(file.name()))
            .collect())
    }

    /// Loads the non-empty domain from the server, if it has one and did not send the domain.
    pub(super) fn load_domain(&self, end: Timestamp) -> Result<()> {
        if let Some(server) = &self.session.server
            && self.non_empty_domain.get().is_none()
        {
            let timestamps = TimeRange {
                start: self.session.timestamps.start,
                end,
            };
            let domain = server.non_empty_domain(&self.uri, timestamps, &self.schema)?;
            self.non_empty_domain.get_or_init(|| domain);
        }
        Ok(())
    }

    /// Loads the enumerations of these schemas from the server, if it has one. Returns whether it
    /// has.
    pub(super) fn load_server_enumerations(&self, schemas: &[Arc<ArraySchema>]) -> Result<bool> {
        let Some(server) = &self.session.server else {
            return Ok(false);
        };
        if schemas.iter().all(|schema| {
            schema
                .enumerations
                .iter()
                .all(|path| path.loaded().is_some())
        }) {
            return Ok(true);
        }
        let latest = &self.schema.name;
        let timestamps = self.session.timestamps;
        for (name, enumerations) in server.enumerations(&self.uri, timestamps, latest, &[])? {
            for schema in schemas.iter().filter(|schema| schema.name == name) {
                schema.keep_enumerations(&enumerations)?;
            }
        }
        Ok(true)
    }

    /// Returns whether an open with the same time range would see the same schema, fragments,
    /// deletes and metadata. Only names are listed.
    pub fn is_current(&self, vfs: &Arc<Vfs>) -> Result<bool> {
        open_repeatedly(vfs, &self.uri, |lock| {
            self.matches(&vfs.snapshot(&self.uri)?, lock)
        })
    }

    fn matches(&self, view: &StorageView, lock: Option<&FolderLock>) -> Result<bool> {
        let schemas = Schemas::list(view, &self.uri, self.session.key.as_ref())?;
        if schemas.latest(self.session.timestamps.end)? != self.schema.name {
            return Ok(false);
        }
        let names = MetadataNames::list(view, &self.uri, lock)?;
        if !names.have_same_until(&self.session.metadata_names, self.session.timestamps.end) {
            return Ok(false);
        }
        let scope = CommitScope {
            timestamps: self.session.timestamps,
            until_now: false,
            includes_root: schemas.may_have_root_fragments(&self.schema)?,
            lock,
        };
        let listed = listing::list(view, &self.uri, scope, Visibility::of_reads(&self.schema))?;
        let (mut hidden, restoration) = (0, &self.restoration);
        let own = self.fragments.iter();
        let mut own = own.filter(|own| !restoration.is_restored(own)).peekable();
        for location in &listed.fragments {
            if restoration.is_hidden(location) {
                hidden += 1;
                continue;
            }
            if own.next_if(|own| own.location.is_same(location)).is_some() {
                continue;
            }
            // A fragment that only a consolidated file commits may have been removed.
            if !location.only_consolidated || view.is_dir(location.uri())? {
                return Ok(false);
            }
        }
        let deletes = deletes(&listed.commits, self.session.timestamps, |_| Ok(None))?;
        let same_deletes = deletes
            .iter()
            .map(|delete| &delete.name)
            .eq(self.deletes.iter().map(|delete| &delete.name));
        Ok(same_deletes && own.next().is_none() && hidden == restoration.hidden.len())
    }
}
