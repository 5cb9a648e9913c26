//! Snapshots of groups: a group and all its members, opened at one timestamp.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use super::members::Member;
use super::open::Group;
use crate::array::{Array, Snapshot};
use crate::config::Config;
use crate::error::{Error, GroupError, MemberError, Result};
use crate::object::object_type;
use crate::types::{ObjectType, QueryType, Timestamp, now};
use crate::vfs::{Backoff, Uri, Vfs};

/// The pause until the next look at the clock.
const CLOCK_PAUSE: Duration = Duration::from_millis(1);

/// A group with all its members, and the members of member groups, at one timestamp.
///
/// All members are open for reading. What each shows is what it showed at one instant, after all
/// had been opened: a write, a delete, an evolution or a change of members that is committed
/// between two opens is either visible in all members or in none.
#[derive(Debug)]
pub struct GroupSnapshot {
    vfs: Arc<Vfs>,
    config: Config,
    /// The timestamp, in milliseconds since 1970.
    pub timestamp: Timestamp,
    /// The opened group, and all arrays and groups that are members.
    objects: Vec<OpenMember>,
    /// The members: first those of the opened group, in the order of their names, then those of its
    /// member groups, and so on. A group that contains itself, or is a member several times, is in
    /// the list for each membership; its members are in the list once.
    pub members: Vec<SnapshotMember>,
}

/// A member of a group in a snapshot.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SnapshotMember {
    /// The absolute URI.
    pub uri: String,
    /// The type: an array or a group.
    pub kind: ObjectType,
    /// The name, if it has one.
    pub name: Option<String>,
    /// The index of the group that contains it; `None` for the group that was opened.
    pub group: Option<usize>,
    /// Its index in the objects of the snapshot.
    object: usize,
}

/// The state of a member.
#[derive(Clone, Debug)]
enum OpenMember {
    Array(Arc<Snapshot>),
    Group(Arc<Group>),
}

impl OpenMember {
    fn kind(&self) -> ObjectType {
        match self {
            Self::Array(_) => ObjectType::Array,
            Self::Group(_) => ObjectType::Group,
        }
    }

    /// Returns whether an open now would see the same.
    fn is_current(&self, opener: &Opener<'_>) -> Result<bool> {
        match self {
            Self::Array(snapshot) => snapshot.is_current(opener.vfs),
            Self::Group(group) => {
                let again = opener.group(&group.uri)?;
                Ok(again.equals_until(group, opener.timestamp))
            }
        }
    }
}

/// The parameters of all opens of a snapshot.
struct Opener<'a> {
    vfs: &'a Arc<Vfs>,
    config: &'a Config,
    timestamp: Timestamp,
}

impl Opener<'_> {
    fn group(&self, uri: &Uri) -> Result<Arc<Group>> {
        let group = Group::at(self.vfs, uri.clone());
        group.set_config(self.config)?;
        group.open(QueryType::Read)?;
        Ok(Arc::new(group))
    }

    fn array(&self, uri: &Uri) -> Result<Arc<Snapshot>> {
        let array = Array::new(self.vfs, uri.as_str())?;
        array.set_config(self.config)?;
        array.set_open_timestamp_end(self.timestamp);
        array.open(QueryType::Read)?;
        array.snapshot()
    }

    /// Opens a member of `group`.
    fn member(&self, member: &Member, group: &Uri) -> Result<OpenMember> {
        let open = || {
            let uri = Uri::parse(&member.uri)?;
            // The stored type of a member that did not exist when it was added is unknown.
            let kind = match member.kind {
                ObjectType::Invalid => object_type(&self.vfs.view(), &uri)?,
                kind => kind,
            };
            Ok(match kind {
                ObjectType::Array => OpenMember::Array(self.array(&uri)?),
                ObjectType::Group => OpenMember::Group(self.group(&uri)?),
                ObjectType::Invalid => return Err(missing(member, group)),
            })
        };
        open().map_err(|error| self.located(error, member, group))
    }

    /// Returns an error of an open with the URI of the member.
    fn located(&self, error: Error, member: &Member, group: &Uri) -> Error {
        let is_missing = Uri::parse(&member.uri).is_ok_and(|uri| {
            let kind = object_type(&self.vfs.view(), &uri);
            kind.is_ok_and(|kind| kind == ObjectType::Invalid)
        });
        if is_missing {
            return missing(member, group);
        }
        if !error.is_usage() {
            return error;
        }
        Error::from(GroupError::MemberOpen {
            uri: member.uri.clone(),
            group: group.to_string(),
            cause: error,
        })
    }

    /// Returns whether all objects are unchanged. If they are, what was opened is their state at
    /// the instant before this call.
    fn are_current(&self, uri: &Uri, objects: &[OpenMember]) -> Result<bool> {
        let current = self
            .vfs
            .map(uri, objects.len(), |index| objects[index].is_current(self))?;
        Ok(current.into_iter().all(|is_current| is_current))
    }

    /// Opens the group at `uri` and all its members: first those of the group, then those of its
    /// member groups, and so on.
    fn all(&self, uri: &Uri) -> Result<Tree> {
        let root = self.group(uri)?;
        let mut tree = Tree {
            objects: vec![OpenMember::Group(root.clone())],
            by_uri: HashMap::from([(uri.clone(), 0)]),
            members: Vec::new(),
        };
        let mut level = vec![(None, root)];
        while !level.is_empty() {
            let listed = listed(&level)?;
            let unopened: Vec<&Membership> = tree.unopened(&listed);
            let new = self.vfs.map(uri, unopened.len(), |index| {
                let Membership { group, member, .. } = unopened[index];
                self.member(member, group)
            })?;
            let new = unopened.into_iter().zip(new).collect();
            level = tree.append(&listed, new);
        }
        Ok(tree)
    }
}

/// A membership in a group of the current level.
struct Membership {
    uri: Uri,
    member: Member,
    group: Uri,
    /// The index of the group among the members.
    group_index: Option<usize>,
}

/// Returns the members of the groups of a level. Each group has its index among the members; `None`
/// for the group that was opened.
fn listed(level: &[(Option<usize>, Arc<Group>)]) -> Result<Vec<Membership>> {
    let mut all = Vec::new();
    for (index, group) in level {
        for member in group.members() {
            all.push(Membership {
                uri: Uri::parse(&member.uri).map_err(|_| missing(&member, &group.uri))?,
                member,
                group: group.uri.clone(),
                group_index: *index,
            });
        }
    }
    Ok(all)
}

/// The opened objects and the memberships found so far.
struct Tree {
    objects: Vec<OpenMember>,
    /// The indexes of objects.
    by_uri: HashMap<Uri, usize>,
    members: Vec<SnapshotMember>,
}

impl Tree {
    /// Returns the first membership of each object that is not open.
    fn unopened<'a>(&self, listed: &'a [Membership]) -> Vec<&'a Membership> {
        let mut seen = HashSet::new();
        listed
            .iter()
            .filter(|listed| {
                !self.by_uri.contains_key(&listed.uri) && seen.insert(listed.uri.clone())
            })
            .collect()
    }

    /// Adds memberships with the objects that were opened for them. Returns the groups among these
    /// objects, whose members are next, with their indexes among the members.
    fn append(
        &mut self,
        listed: &[Membership],
        new: Vec<(&Membership, OpenMember)>,
    ) -> Vec<(Option<usize>, Arc<Group>)> {
        let first_new = self.objects.len();
        for (listed, object) in new {
            self.by_uri.insert(listed.uri.clone(), self.objects.len());
            self.objects.push(object);
        }
        let mut has_members = HashSet::new();
        let mut next = Vec::new();
        for listed in listed {
            let object = self.by_uri.get(&listed.uri).copied().unwrap_or_default();
            let opened = &self.objects[object];
            if let OpenMember::Group(group) = opened
                && object >= first_new
                && has_members.insert(object)
            {
                next.push((Some(self.members.len()), group.clone()));
            }
            self.members.push(SnapshotMember {
                uri: listed.member.uri.clone(),
                kind: opened.kind(),
                name: listed.member.name.clone(),
                group: listed.group_index,
                object,
            });
        }
        next
    }
}

fn missing(member: &Member, group: &Uri) -> Error {
    Error::from(GroupError::MissingMember {
        uri: member.uri.clone(),
        group: group.to_string(),
    })
}

impl GroupSnapshot {
    /// Opens the group at `uri` and all its members at a timestamp; `None` means now. `config` has
    /// the key of encrypted members.
    ///
    /// # Errors
    ///
    /// If the group or a member does not exist, which the error names by its URI, a key is wrong,
    /// storage fails, or members change constantly for a minute.
    pub fn open(
        vfs: &Arc<Vfs>,
        uri: &str,
        config: &Config,
        timestamp: Option<Timestamp>,
    ) -> Result<Self> {
        let uri = Group::new(vfs, uri)?.uri.clone();
        let epoch = vfs.context.cancel_epoch();
        let timestamp = match timestamp.filter(|timestamp| *timestamp != Timestamp::MAX) {
            Some(timestamp) => timestamp,
            None => past_millisecond(vfs, &uri)?,
        };
        let mut config_at_time = config.clone();
        config_at_time.set("sm.group.timestamp_start", "0")?;
        config_at_time.set("sm.group.timestamp_end", &timestamp.to_string())?;
        let opener = Opener {
            vfs,
            config: &config_at_time,
            timestamp,
        };
        let mut backoff = Backoff::CHANGING;
        loop {
            let tree = opener.all(&uri)?;
            if opener.are_current(&uri, &tree.objects)? {
                return Ok(Self {
                    vfs: vfs.clone(),
                    config: config.clone(),
                    timestamp,
                    objects: tree.objects,
                    members: tree.members,
                });
            }
            vfs.context.check_cancelled(epoch)?;
            if backoff.is_over() {
                let uri = uri.to_string();
                return Err(GroupError::UnsteadyMembers { uri }.into());
            }
            backoff.pause(vfs, &uri)?;
        }
    }

    /// Returns a member by its index.
    pub fn member(&self, index: u64) -> Result<&SnapshotMember> {
        let found = usize::try_from(index)
            .ok()
            .and_then(|position| self.members.get(position));
        let number = self.members.len() as u64;
        found.ok_or_else(|| MemberError::NoMember { index, number }.into())
    }

    /// Returns an array handle for a member, which is open for reading and independent of the
    /// snapshot.
    pub fn array(&self, index: u64) -> Result<Array> {
        match self.objects.get(self.member(index)?.object) {
            Some(OpenMember::Array(snapshot)) => {
                Ok(Array::of_snapshot(&self.vfs, &self.config, snapshot))
            }
            _ => {
                let kind = "an array";
                Err(GroupError::OtherMemberKind { index, kind }.into())
            }
        }
    }

    /// Returns a group handle for a member, or for the opened group (`None`), which is open for
    /// reading and independent of the snapshot.
    pub fn group(&self, index: Option<u64>) -> Result<Group> {
        let object = match index {
            Some(index) => self.member(index)?.object,
            None => 0,
        };
        match self.objects.get(object) {
            Some(OpenMember::Group(group)) => group.opened_copy(),
            _ => {
                let (index, kind) = (index.unwrap_or_default(), "a group");
                Err(GroupError::OtherMemberKind { index, kind }.into())
            }
        }
    }
}

/// Returns the current time when it has passed, so that writes that begin later on this machine
/// have later timestamps.
fn past_millisecond(vfs: &Vfs, uri: &Uri) -> Result<Timestamp> {
    let timestamp = now();
    while now() == timestamp {
        vfs.pause(uri, CLOCK_PAUSE)?;
    }
    Ok(timestamp)
}
