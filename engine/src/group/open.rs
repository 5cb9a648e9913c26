//! The states of a group: closed, or open for reading or writing, from storage or from its server.

use std::sync::Arc;

use super::details;
use super::members::{Member, MemberUri, Members};
use crate::array::{
    Metadata, MetadataChanges, MetadataNames, ObjectServer, OwnedMetadataEntry, Session,
    WithMetadata, key, opened_type,
};
use crate::config::Config;
use crate::error::{Cause, Error, GroupError, RestError, Result};
use crate::format::group::GroupMember;
use crate::format::names::folders;
use crate::format::version::FormatVersion;
use crate::fragment::OpenedObject;
use crate::object::{has_remains, object_type};
use crate::platform::lock::{OnceValue, RwLock};
use crate::types::{ObjectType, QueryType, TimeRange, Timestamp, now};
use crate::vfs::{NewFile, Uri, Vfs};

/// A group handle. Its state is behind a lock, so that methods take `&self`.
#[derive(Debug)]
pub struct Group {
    /// The storage.
    pub vfs: Arc<Vfs>,
    /// The folder.
    pub uri: Uri,
    pub(super) state: RwLock<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) config: Config,
    pub(super) open: Option<OpenGroup>,
}

/// The state of an open group, and the changes made through it.
#[derive(Debug)]
pub(super) struct OpenGroup {
    pub(super) session: Session<dyn GroupServer>,
    /// The timestamp of changes of members; `None` means the time of writing.
    pub(super) changed_at: Option<Timestamp>,
    pub(super) members: Members,
    pub(super) changes: MetadataChanges,
}

impl Group {
    /// Creates a closed group.
    pub fn new(vfs: &Arc<Vfs>, uri: &str) -> Result<Self> {
        Ok(Self::at(
            vfs,
            Uri::parse(uri).map_err(|_| Error::from(GroupError::BadUri { uri: uri.into() }))?,
        ))
    }

    pub(super) fn at(vfs: &Arc<Vfs>, uri: Uri) -> Self {
        Self {
            vfs: vfs.clone(),
            uri,
            state: RwLock::new(State {
                config: vfs.context.config.clone(),
                open: None,
            }),
        }
    }

    /// Opens the group. Returns an error if it is open already, does not exist, or the key is
    /// wrong.
    pub fn open(&self, query_type: QueryType) -> Result<()> {
        let mut state = self.state.write();
        if state.open.is_some() {
            return Err(GroupError::AlreadyOpen.into());
        }
        let start = state.config.u64("sm.group.timestamp_start")?;
        let end = state.config.u64("sm.group.timestamp_end")?;
        let set_end = match query_type {
            QueryType::Read => Some(end).filter(|end| *end != Timestamp::MAX),
            QueryType::Write | QueryType::ModifyExclusive => {
                Some(end).filter(|end| *end != Timestamp::MAX && *end != 0)
            }
            _ => return Err(GroupError::UnsupportedQueryType.into()),
        };
        let key = key::of_array_config(&state.config)?;
        let opened_type = opened_type(&self.vfs.context, query_type);
        let view = self.vfs.snapshot(&self.uri)?;
        // An interrupted removal is repeated; what it left is treated as a group without members.
        if object_type(&view, &self.uri)? != ObjectType::Group
            && !(query_type == QueryType::ModifyExclusive && has_remains(&self.vfs, &self.uri)?)
        {
            return Err(GroupError::Missing {
                uri: self.uri.to_string(),
            }
            .into());
        }
        let metadata_names = match query_type {
            QueryType::Read => MetadataNames::list(&view, &self.uri, None)?,
            _ => MetadataNames::default(),
        };
        // After the listing, so that everything listed is in the time range.
        let end = set_end.unwrap_or_else(now);
        let timestamps = TimeRange { start, end };
        state.open = Some(OpenGroup {
            changed_at: set_end,
            members: details::load(&view, &self.uri, timestamps, key.as_ref())?,
            session: Session {
                until_now: set_end.is_none(),
                metadata_names: Arc::new(metadata_names),
                ..Session::new(opened_type, timestamps, key)
            },
            changes: MetadataChanges::new(end),
        });
        Ok(())
    }

    /// Returns an error if the group cannot be opened on a server: it is open, its configuration
    /// has a key, or the query type is not one of groups.
    pub fn check_open_on_server(&self, query_type: QueryType) -> Result<()> {
        let state = self.state.read();
        if state.open.is_some() {
            return Err(GroupError::AlreadyOpen.into());
        }
        if key::of_array_config(&state.config)?.is_some() {
            return Err(RestError::Encrypted { object: "group" }.into());
        }
        match query_type {
            QueryType::Read | QueryType::Write | QueryType::ModifyExclusive => Ok(()),
            _ => Err(GroupError::UnsupportedQueryType.into()),
        }
    }

    /// Opens the group as its server describes it.
    pub fn receive_served(&self, received: GroupMessage) -> Result<()> {
        let mut state = self.state.write();
        if state.open.is_some() {
            return Err(GroupError::AlreadyOpen.into());
        }
        let members = received.members.into_iter().map(Member::into_entry);
        state.open = Some(OpenGroup {
            session: Session {
                metadata: Metadata::received(received.metadata),
                server: Some(received.server),
                ..Session::new(received.query_type, TimeRange::ALL, None)
            },
            changed_at: None,
            members: Members::of(members.collect())?,
            changes: MetadataChanges::default(),
        });
        Ok(())
    }

    /// Returns the server of the group if it is open and the server has its files.
    pub(super) fn server(&self) -> Option<Arc<dyn GroupServer>> {
        let state = self.state.read();
        state
            .open
            .as_ref()
            .and_then(|open| open.session.server.clone())
    }

    /// Creates a group that is open for reading with the state of this one. Returns an error unless
    /// this one is open for reading.
    pub fn opened_copy(&self) -> Result<Self> {
        let state = self.state.read();
        let open = state.open.as_ref();
        let open = open
            .filter(|open| open.session.query_type == QueryType::Read)
            .ok_or(GroupError::NotForReading)?;
        let copy = OpenGroup {
            session: open.session.clone(),
            changed_at: open.changed_at,
            members: open.members.clone(),
            changes: MetadataChanges::default(),
        };
        Ok(Self {
            vfs: self.vfs.clone(),
            uri: self.uri.clone(),
            state: RwLock::new(State {
                config: state.config.clone(),
                open: Some(copy),
            }),
        })
    }

    /// Returns whether another open of the same group for reading saw the same members and the same
    /// metadata.
    pub(super) fn equals_until(&self, other: &Self, end: Timestamp) -> bool {
        let (one, two) = (self.state.read(), other.state.read());
        match (&one.open, &two.open) {
            (Some(one), Some(two)) => {
                one.members.iter().eq(two.members.iter())
                    && one
                        .session
                        .metadata_names
                        .have_same_until(&two.session.metadata_names, end)
            }
            _ => false,
        }
    }

    /// Writes changes and closes the group. Does nothing if it is closed. If writing fails, the
    /// group remains open.
    pub fn close(&self) -> Result<()> {
        let mut state = self.state.write();
        if let Some(open) = &mut state.open {
            self.write_changes(open)
                .map_err(|error| match error.cause() {
                    Cause::Corrupt { .. } => error,
                    _ if error.is_usage() => error,
                    _ => Error::from(GroupError::Close { cause: error }),
                })?;
        }
        state.open = None;
        Ok(())
    }

    fn write_changes(&self, open: &mut OpenGroup) -> Result<()> {
        if let Some(server) = &open.session.server {
            let changes = open.changes.entries();
            if !changes.is_empty() {
                server.put_metadata(&self.uri, open.session.timestamps, &changes)?;
                open.changes = MetadataChanges::default();
            }
            if open.members.is_changed() {
                let (removed, added) = open.members.changes();
                server.change_members(&self.uri, &removed, &added)?;
                open.members = Members::default();
            }
            return Ok(());
        }
        let (vfs, key) = (&self.vfs, open.session.key.as_ref());
        let version = FormatVersion::of_config(&vfs.context.config)?;
        if !open.members.is_changed() {
            let opened = OpenedObject::unchecked(&self.uri);
            return open.changes.write(vfs, opened, version, key);
        }
        let (start, changed_at) = (open.session.timestamps.start, open.changed_at);
        let metadata = open.changes.encode(vfs, &self.uri, version, key)?;
        let metadata = metadata.as_ref().map(|(uri, bytes)| NewFile { uri, bytes });
        details::apply(
            vfs,
            &self.uri,
            &open.members,
            start,
            changed_at,
            metadata,
            key,
        )?;
        open.changes.clear();
        open.members = Members::default();
        Ok(())
    }

    /// Returns whether it is open.
    pub fn is_open(&self) -> bool {
        self.state.read().open.is_some()
    }

    /// Returns the query type it is open for, or an error if it is closed.
    pub fn query_type(&self) -> Result<QueryType> {
        let closed = || Error::from(GroupError::NoQueryType);
        let state = self.state.read();
        Ok(state.open.as_ref().ok_or_else(closed)?.session.query_type)
    }

    /// Adds to the configuration for the next opening. Returns an error if the group is open.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state.write();
        if state.open.is_some() {
            return Err(GroupError::ConfigOfOpen.into());
        }
        state.config.inherit(config);
        Ok(())
    }

    /// Returns the configuration.
    pub fn config(&self) -> Config {
        self.state.read().config.clone()
    }

    /// Adds a member, which is written when the group is closed. The type is read from storage
    /// unless `kind` is given. Returns an error if the group is not open for writing, or if the
    /// name, or the URI of a member without a name, was added already.
    pub fn add_member(
        &self,
        uri: MemberUri<'_>,
        name: Option<&str>,
        kind: Option<ObjectType>,
    ) -> Result<()> {
        let server = self.server();
        self.change("add member", "add member", |members| {
            let (stored_uri, member_uri) = match uri {
                MemberUri::Relative(path) => (path.to_owned(), self.uri.join(path)),
                MemberUri::Absolute(uri) => {
                    let member_uri = Uri::parse(uri)
                        .map_err(|_| Error::from(GroupError::BadMemberUri { uri: uri.into() }))?;
                    (member_uri.as_str().to_owned(), member_uri)
                }
            };
            let kind = match kind {
                Some(kind) => kind,
                None => match &server {
                    Some(server) => server.member_type(&self.vfs, &member_uri)?,
                    None => object_type(&self.vfs.view(), &member_uri)?,
                },
            };
            members.add(GroupMember {
                kind,
                relative: matches!(uri, MemberUri::Relative(_)),
                uri: stored_uri,
                name: name.map(str::to_owned),
                removed: false,
            })
        })
    }

    /// Removes a member by its name or URI when the group is closed. The object itself is kept.
    /// Returns an error if the group is not open for writing, if no member or several have the URI,
    /// or if the member was added or removed since the opening.
    pub fn remove_member(&self, name_or_uri: &str) -> Result<()> {
        self.change("mark member for removal", "get member", |members| {
            members.remove(name_or_uri)
        })
    }

    fn change(
        &self,
        action: &'static str,
        write_action: &'static str,
        body: impl FnOnce(&mut Members) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.state.write();
        let Some(open) = &mut state.open else {
            return Err(GroupError::NotOpen { action }.into());
        };
        if open.session.query_type == QueryType::Read {
            return Err(GroupError::NotForWriting {
                action: write_action,
            }
            .into());
        }
        body(&mut open.members)
    }

    /// Returns the number of members, or an error if the group is not open for reading.
    pub fn member_count(&self) -> Result<u64> {
        self.with_members("get member count", |members| Ok(members.len()))
    }

    /// Returns a member by its index in the order of names, or of URIs for members without a name.
    /// Returns an error if the group is not open for reading or the index is too large.
    pub fn member_at(&self, index: u64) -> Result<Member> {
        self.with_members("get member by index", |members| {
            Ok(self.resolve(members.at(index)?))
        })
    }

    /// Returns a member by its name, or an error if the group is not open for reading or has no
    /// such member.
    pub fn member_named(&self, name: &str) -> Result<Member> {
        self.with_members("get member by name", |members| {
            Ok(self.resolve(members.named(name)?))
        })
    }

    fn with_members<T>(
        &self,
        action: &'static str,
        body: impl FnOnce(&Members) -> Result<T>,
    ) -> Result<T> {
        let state = self.state.read();
        match &state.open {
            None => Err(GroupError::NotOpen { action }.into()),
            Some(open) if open.session.query_type != QueryType::Read => {
                Err(GroupError::NotForReading.into())
            }
            Some(open) => body(&open.members),
        }
    }

    /// Returns all members if the group is open for any query type; none if it is closed.
    pub(super) fn members(&self) -> Vec<Member> {
        let state = self.state.read();
        let open = state.open.iter();
        open.flat_map(|open| open.members.iter())
            .map(|member| self.resolve(member))
            .collect()
    }

    /// Returns all members with their URIs as they are stored, if the group is open for any query
    /// type; none if it is closed.
    pub fn stored_members(&self) -> Vec<Member> {
        let state = self.state.read();
        let open = state.open.iter();
        open.flat_map(|open| open.members.iter())
            .map(Member::stored)
            .collect()
    }

    /// Replaces the members that a group open for reading has until it is closed. If it is open for
    /// writing, closing it writes them as new members. Does nothing if it is closed.
    pub fn receive_members(&self, members: Vec<Member>) -> Result<()> {
        let mut state = self.state.write();
        let Some(open) = &mut state.open else {
            return Ok(());
        };
        let members = members.into_iter().map(Member::into_entry);
        if open.session.query_type == QueryType::Read {
            open.members = Members::of(members.collect())?;
            return Ok(());
        }
        members
            .into_iter()
            .try_for_each(|member| open.members.add(member))
    }

    /// Returns the metadata that a message contains: of a group that is open for writing, what is
    /// stored in its time range, with the changes that are not written yet.
    pub fn metadata_to_send(&self) -> Result<Vec<OwnedMetadataEntry>> {
        let changes = self.metadata_entries()?;
        let (mut config, timestamps) = match &*self.state.read() {
            State {
                config,
                open: Some(open),
            } if open.session.query_type != QueryType::Read => {
                (config.clone(), open.session.timestamps)
            }
            _ => return Ok(changes),
        };
        config.set("sm.group.timestamp_start", &timestamps.start.to_string())?;
        config.set("sm.group.timestamp_end", &timestamps.end.to_string())?;
        let stored = Self::at(&self.vfs, self.uri.clone());
        stored.set_config(&config)?;
        stored.open(QueryType::Read)?;
        let mut entries = stored.metadata_entries()?;
        entries.retain(|entry| changes.iter().all(|change| change.key != entry.key));
        entries.extend(changes);
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(entries)
    }

    /// Replaces the configuration by that of a message, also if the group is open.
    pub fn receive_config(&self, config: &Config) {
        self.state.write().config = config.clone();
    }

    /// Returns the mode in which the group is open.
    pub(super) fn open_mode(&self) -> Option<QueryType> {
        self.state
            .read()
            .open
            .as_ref()
            .map(|open| open.session.query_type)
    }

    /// Closes the group without writing its changes.
    pub(super) fn close_without_changes(&self) {
        self.state.write().open = None;
    }

    fn resolve(&self, member: &GroupMember) -> Member {
        // Servers send complete URIs.
        if member.relative && !member.uri.starts_with("tiledb://") {
            Member::at(member, self.uri.join(&member.uri).to_string())
        } else {
            Member::stored(member)
        }
    }
}

impl WithMetadata for Group {
    const NAME: &'static str = "Group";

    type Server = dyn GroupServer;

    fn replace_metadata(&self, metadata: Metadata) {
        if let Some(open) = &mut self.state.write().open {
            open.session.metadata = OnceValue::from(Arc::new(metadata));
        }
    }

    fn location(&self) -> (&Arc<Vfs>, &Uri) {
        (&self.vfs, &self.uri)
    }

    fn with_session<T>(
        &self,
        body: impl FnOnce(Option<(&Session<dyn GroupServer>, &MetadataChanges)>) -> T,
    ) -> T {
        let state = self.state.read();
        let open = state.open.as_ref();
        body(open.map(|open| (&open.session, &open.changes)))
    }
}

/// Returns whether the folder still has the marker of a group.
pub(super) fn is_group(vfs: &Arc<Vfs>, uri: &Uri) -> Result<bool> {
    Ok(vfs.is_file(&uri.join(folders::GROUP_FILE))?
        || vfs.is_dir(&uri.join(folders::GROUP_DETAILS))?)
}

/// The server of a group, which has the files.
pub trait GroupServer: ObjectServer {
    /// Removes members by URI and adds members.
    fn change_members(&self, group: &Uri, removed: &[&str], added: &[Member]) -> Result<()>;

    /// Returns the type of an object that becomes a member.
    fn member_type(&self, vfs: &Arc<Vfs>, uri: &Uri) -> Result<ObjectType>;

    /// Removes the group at `uri`.
    fn delete_group(&self, uri: &Uri, recursive: bool) -> Result<()>;
}

/// A group as a server sends it when it is opened.
#[derive(Debug)]
pub struct GroupMessage {
    /// The query type.
    pub query_type: QueryType,
    /// The members.
    pub members: Vec<Member>,
    /// The metadata, if the server sent it.
    pub metadata: Option<Vec<OwnedMetadataEntry>>,
    /// The server.
    pub server: Arc<dyn GroupServer>,
}
