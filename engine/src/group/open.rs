//! The states of a group: closed, or open for reading or writing.

use std::sync::Arc;

use crate::platform::lock::{OnceValue, RwLock};

use super::details::ChangedAt;
use super::members::Members;
use super::{details, dump, remove, wrong};
use crate::array::key;
use crate::array::{HoldsMetadata, Metadata, MetadataChanges, MetadataNames, OpenMetadata};
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::format::group::GroupMember;
use crate::format::names::folders;
use crate::object::{has_remains, object_type};
use crate::types::{EncryptionKey, ObjectType, QueryType, TimeRange, Timestamp, now};
use crate::vfs::{Uri, Vfs};

/// A group as a handle has it. Its states are behind a lock: every method takes `&self`.
#[derive(Debug)]
pub struct Group {
    vfs: Arc<Vfs>,
    uri: Uri,
    state: RwLock<State>,
}

#[derive(Debug)]
struct State {
    config: Config,
    open: Option<Opened>,
}

/// What one opening sees and changes.
#[derive(Debug)]
struct Opened {
    query_type: QueryType,
    timestamps: TimeRange,
    /// When changes of members count as made.
    changed_at: ChangedAt,
    key: Option<EncryptionKey>,
    members: Members,
    /// Whether the time range ended when the group was opened.
    until_now: bool,
    metadata_names: MetadataNames,
    metadata: OnceValue<Arc<Metadata>>,
    changes: MetadataChanges,
}

/// A member of a group, as readers are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Where it is, not relative to anything.
    pub uri: String,
    /// What it is.
    pub kind: ObjectType,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Whether the group knows it by a relative URI.
    pub relative: bool,
}

impl Group {
    /// Creates a closed group.
    pub fn new(vfs: &Arc<Vfs>, uri: &str) -> Result<Self> {
        let invalid = |_: Error| {
            let message = "Failed to allocate TileDB group API object; Invalid URI";
            Error::usage("C API", message)
        };
        Ok(Self::at(vfs, Uri::parse(uri).map_err(invalid)?))
    }

    pub(super) fn at(vfs: &Arc<Vfs>, uri: Uri) -> Self {
        Self {
            vfs: vfs.clone(),
            uri,
            state: RwLock::new(State {
                config: vfs.context().config().clone(),
                open: None,
            }),
        }
    }

    /// Returns the storage it lies on.
    pub fn vfs(&self) -> &Arc<Vfs> {
        &self.vfs
    }

    /// Returns the group's folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Opens it. An error if it is open already, if there is no group, or where its key is wrong.
    pub fn open(&self, query_type: QueryType) -> Result<()> {
        let mut state = self.state.write();
        if state.open.is_some() {
            return Err(wrong("Cannot open group; Group already open"));
        }
        let start = state.config.u64("sm.group.timestamp_start")?;
        let end = state.config.u64("sm.group.timestamp_end")?;
        let end = match query_type {
            QueryType::Read => Some(end).filter(|end| *end != Timestamp::MAX),
            QueryType::Write | QueryType::ModifyExclusive => {
                Some(end).filter(|end| *end != Timestamp::MAX && *end != 0)
            }
            _ => return Err(wrong("Cannot open group; Unsupported query type")),
        };
        let changed_at = end.map_or(ChangedAt::Now, ChangedAt::Fixed);
        let until_now = end.is_none();
        let key = key::of_array_config(&state.config)?;
        // A removal that was interrupted is repeated on what it left, which counts as a group
        // without members.
        let removes_rest =
            || Ok(query_type == QueryType::ModifyExclusive && has_remains(&self.vfs, &self.uri)?);
        let seen = self.vfs.snapshot(&self.uri)?;
        if object_type(&seen, &self.uri)? != ObjectType::Group && !removes_rest()? {
            return Err(wrong("Cannot open group; Group does not exist."));
        }
        let metadata_names = match query_type {
            QueryType::Read => MetadataNames::list(&seen, &self.uri, None)?,
            _ => MetadataNames::default(),
        };
        // After the listing, so that what was listed is in the time range.
        let end = end.unwrap_or_else(now);
        let timestamps = TimeRange { start, end };
        state.open = Some(Opened {
            query_type,
            timestamps,
            changed_at,
            members: details::load(&seen, &self.uri, timestamps, key.as_ref())?,
            key,
            until_now,
            metadata_names,
            metadata: OnceValue::new(),
            changes: MetadataChanges::new(end),
        });
        Ok(())
    }

    /// Closes it, writing what was changed; fine if it is closed. Where that cannot be written, the
    /// group stays open.
    pub fn close(&self) -> Result<()> {
        let mut state = self.state.write();
        if let Some(open) = &mut state.open {
            self.write_changes(open)
                .map_err(|error| match error.kind() {
                    ErrorKind::Usage { .. } | ErrorKind::Corrupt { .. } => error,
                    _ => wrong(format!(
                        "{error} : Was storage for the group moved or deleted before closing?"
                    )),
                })?;
        }
        state.open = None;
        Ok(())
    }

    fn write_changes(&self, open: &mut Opened) -> Result<()> {
        open.changes
            .write(&self.vfs, &self.uri, open.key.as_ref())?;
        if open.members.is_changed() {
            let time = (open.timestamps.start, open.changed_at);
            details::apply(&self.vfs, &self.uri, &open.members, time, open.key.as_ref())?;
            open.members = Members::default();
        }
        Ok(())
    }

    /// Returns whether it is open.
    pub fn is_open(&self) -> bool {
        self.state.read().open.is_some()
    }

    /// What it is open for; an error if it is closed.
    pub fn query_type(&self) -> Result<QueryType> {
        let closed = || wrong("Cannot get query_type; Group is not open");
        let state = self.state.read();
        Ok(state.open.as_ref().ok_or_else(closed)?.query_type)
    }

    /// Adds to the configuration for the next opening; an error if it is open.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state.write();
        if state.open.is_some() {
            return Err(wrong("[set_config] Cannot set config; Group is open"));
        }
        state.config.inherit(config);
        Ok(())
    }

    /// Returns the configuration.
    pub fn config(&self) -> Config {
        self.state.read().config.clone()
    }

    /// Adds a member when the group is closed. What it is, is looked up where `kind` does not tell.
    /// An error if it is not open for writing, or where its name, or else its URI, was added
    /// already.
    pub fn add_member(
        &self,
        uri: &str,
        relative: bool,
        name: Option<&str>,
        kind: Option<ObjectType>,
    ) -> Result<()> {
        self.change("add member", "add member", |members| {
            let (uri, place) = match relative {
                true => (uri.to_owned(), self.uri.join(uri)),
                false => {
                    let place = Uri::parse(uri)
                        .map_err(|_| wrong(format!("Cannot add member; '{uri}' is no URI")))?;
                    (place.as_str().to_owned(), place)
                }
            };
            let kind = match kind {
                Some(kind) => kind,
                None => object_type(&self.vfs, &place)?,
            };
            members.add(GroupMember {
                kind,
                relative,
                uri,
                name: name.map(str::to_owned),
                removed: false,
            })
        })
    }

    /// Removes a member, told by its name or its URI, when the group is closed; the object stays.
    /// An error if it is not open for writing, if there is none, or several by that URI, and if it
    /// was added or removed since the opening.
    pub fn remove_member(&self, name_or_uri: &str) -> Result<()> {
        self.change("mark member for removal", "get member", |members| {
            members.remove(name_or_uri)
        })
    }

    fn change(
        &self,
        action: &str,
        wrong_mode: &str,
        body: impl FnOnce(&mut Members) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.state.write();
        let Some(open) = &mut state.open else {
            return Err(wrong(format!("Cannot {action}; Group is not open")));
        };
        if open.query_type == QueryType::Read {
            let message = format!(
                "Cannot {wrong_mode}; Group was not opened in write or modify_exclusive mode"
            );
            return Err(wrong(message));
        }
        body(&mut open.members)
    }

    /// Returns the number of members. An error if it is not open for reading.
    pub fn member_count(&self) -> Result<u64> {
        self.with_members("get member count", |members| Ok(members.len()))
    }

    /// Returns a member by its place in the order of names, or of URIs if there is no name. An
    /// error if it is not open for reading, or has no such member.
    pub fn member_at(&self, index: u64) -> Result<Member> {
        self.with_members("get member by index", |members| {
            Ok(self.resolve(members.at(index)?))
        })
    }

    /// Returns a member by its name. An error if it is not open for reading, or has no such member.
    pub fn member_named(&self, name: &str) -> Result<Member> {
        self.with_members("get member by name", |members| {
            Ok(self.resolve(members.named(name)?))
        })
    }

    fn with_members<T>(&self, action: &str, body: impl FnOnce(&Members) -> Result<T>) -> Result<T> {
        let state = self.state.read();
        match &state.open {
            None => Err(wrong(format!("Cannot {action}; Group is not open"))),
            Some(open) if open.query_type != QueryType::Read => Err(wrong(
                "Cannot get member; Group was not opened in read mode",
            )),
            Some(open) => body(&open.members),
        }
    }

    /// Returns all members, whatever it is open for; none if it is closed.
    pub(super) fn members(&self) -> Vec<Member> {
        let state = self.state.read();
        let open = state.open.iter();
        open.flat_map(|open| open.members.iter())
            .map(|member| self.resolve(member))
            .collect()
    }

    fn resolve(&self, member: &GroupMember) -> Member {
        Member {
            uri: match member.relative {
                true => self.uri.join(&member.uri).to_string(),
                false => member.uri.clone(),
            },
            kind: member.kind,
            name: member.name.clone(),
            relative: member.relative,
        }
    }

    /// Returns the members as text, in levels; those of groups among them where `recursive`.
    pub fn dump(&self, recursive: bool) -> Result<String> {
        let mut text = format!("{} GROUP\n", self.uri.name());
        dump::members(self, recursive, &mut text)?;
        Ok(text)
    }

    /// Removes the group at `uri`, and with `recursive` all its members; closes this one. An error
    /// if this one is not open exclusively. Files of others in its folder stay, and the folder with
    /// them.
    pub fn delete(&self, uri: &str, recursive: bool) -> Result<()> {
        let query_type = self.state.read().open.as_ref().map(|open| open.query_type);
        match query_type {
            None => return Err(wrong("[delete_group] Group is not open")),
            Some(QueryType::ModifyExclusive) => {}
            Some(_) => {
                let message = "[delete_group] Query type must be MODIFY_EXCLUSIVE";
                return Err(wrong(message));
            }
        }
        let uri =
            Uri::parse(uri).map_err(|_| wrong(format!("[delete_group] '{uri}' is no URI")))?;
        remove::remove(self, &uri, recursive)?;
        // Nothing is left to write to.
        self.state.write().open = None;
        Ok(())
    }
}

impl HoldsMetadata for Group {
    const NAME: &'static str = "Group";

    fn with_opening<T>(&self, body: impl FnOnce(Option<OpenMetadata<'_>>) -> T) -> T {
        let state = self.state.read();
        body(state.open.as_ref().map(|open| OpenMetadata {
            query_type: open.query_type,
            changes: &open.changes,
            vfs: &self.vfs,
            object: &self.uri,
            timestamps: open.timestamps,
            until_now: open.until_now,
            names: &open.metadata_names,
            key: open.key.as_ref(),
            seen: &open.metadata,
        }))
    }
}

/// Returns whether the folder of a group still has what marks it.
pub(super) fn is_group(vfs: &Vfs, uri: &Uri) -> Result<bool> {
    Ok(vfs.is_file(&uri.join(folders::GROUP_FILE))?
        || vfs.is_dir(&uri.join(folders::GROUP_DETAILS))?)
}
