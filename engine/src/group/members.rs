//! The members of an open group, and the changes of a writer.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use crate::error::{Error, MemberError, Result, reserve};
use crate::format::group::{GroupMember, GroupVersion};
use crate::types::ObjectType;
use crate::vfs::Uri;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

/// The members of a group by their keys, and changes that are not written yet.
#[derive(Clone, Debug)]
pub(super) struct Members {
    version: GroupVersion,
    /// The members in the order of keys.
    all: Vec<GroupMember>,
    changes: Vec<GroupMember>,
    added: HashSet<String>,
    removed: HashSet<String>,
    /// The key of the member with each URI; `None` if several members have it. Created on first
    /// use, because most programs use names.
    by_uri: Option<HashMap<String, Option<String>>>,
}

impl Default for Members {
    fn default() -> Self {
        MergedFiles::default().finish()
    }
}

fn key<T: Borrow<GroupMember>>(entry: &T) -> &str {
    entry.borrow().key()
}

/// Returns the last entry of each key, in the order of keys.
fn latest_by_key<T: Borrow<GroupMember>>(mut entries: Vec<T>) -> Vec<T> {
    entries.sort_by(|a, b| key(a).cmp(key(b)));
    // Of equal keys, the newest entry is last and is kept.
    entries.dedup_by(|newer, kept| {
        let has_same_key = key(newer) == key(kept);
        if has_same_key {
            std::mem::swap(newer, kept);
        }
        has_same_key
    });
    entries
}

/// Merges the entries of files, the newest first: an entry counts unless a newer one has its key.
/// The memory is that of the entries that count.
#[derive(Default)]
pub(super) struct MergedFiles {
    /// The version of the newest file.
    version: Option<GroupVersion>,
    entries: Vec<GroupMember>,
    hasher: DefaultHashBuilder,
    /// The indexes of the entries.
    by_key: HashTable<usize>,
    is_complete: bool,
}

impl MergedFiles {
    /// Adds the entries of a file that is older than those added before.
    ///
    /// # Errors
    ///
    /// If memory cannot be allocated.
    pub(super) fn add_older(
        &mut self,
        version: GroupVersion,
        entries: Vec<GroupMember>,
    ) -> Result<()> {
        if self.is_complete {
            return Ok(());
        }
        self.version.get_or_insert(version);
        self.is_complete = version == GroupVersion::Whole;
        let Self {
            entries: all,
            hasher,
            by_key,
            ..
        } = self;
        let purpose = "the members of a group";
        reserve(purpose, all, entries.len())?;
        let hash = |index: &usize| hasher.hash_one(all[*index].key());
        by_key
            .try_reserve(entries.len(), hash)
            .map_err(|_| Error::out_of_memory(purpose, 8 * entries.len() as u64))?;
        // Of equal keys in a file, the last counts.
        for entry in entries.into_iter().rev() {
            let found = by_key.entry(
                hasher.hash_one(entry.key()),
                |index| all[*index].key() == entry.key(),
                |index| hasher.hash_one(all[*index].key()),
            );
            if let Entry::Vacant(vacant) = found {
                vacant.insert(all.len());
                all.push(entry);
            }
        }
        Ok(())
    }

    /// Returns whether older files do not matter.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the members.
    pub(super) fn finish(self) -> Members {
        let mut all = self.entries;
        all.retain(|entry| !entry.removed);
        all.sort_unstable_by(|a, b| a.key().cmp(b.key()));
        Members {
            version: self.version.unwrap_or(GroupVersion::WRITTEN),
            all,
            changes: Vec::new(),
            added: HashSet::new(),
            removed: HashSet::new(),
            by_uri: None,
        }
    }
}

impl Members {
    /// Returns members that are not stored in files. Of equal keys, the last counts.
    ///
    /// # Errors
    ///
    /// If memory cannot be allocated.
    pub(super) fn of(entries: Vec<GroupMember>) -> Result<Self> {
        let mut merged = MergedFiles::default();
        merged.add_older(GroupVersion::Whole, entries)?;
        Ok(merged.finish())
    }

    /// Returns the number of members, without unwritten changes.
    pub(super) fn len(&self) -> u64 {
        self.all.len() as u64
    }

    /// Returns all members, in the order of keys.
    pub(super) fn iter(&self) -> impl Iterator<Item = &GroupMember> {
        self.all.iter()
    }

    fn of_key(&self, key: &str) -> Option<&GroupMember> {
        let found = self.all.binary_search_by(|member| member.key().cmp(key));
        found.ok().and_then(|index| self.all.get(index))
    }

    /// Returns a member by its index in the order of keys.
    pub(super) fn at(&self, index: u64) -> Result<&GroupMember> {
        let found = usize::try_from(index)
            .ok()
            .and_then(|position| self.all.get(position));
        found.ok_or_else(|| {
            let num = self.len();
            Error::from(MemberError::NoMember { index, number: num })
        })
    }

    /// Returns a member by its name.
    pub(super) fn named(&self, name: &str) -> Result<&GroupMember> {
        self.of_key(name)
            .filter(|member| member.name.is_some())
            .ok_or_else(|| Error::from(MemberError::Unknown { name: name.into() }))
    }

    /// Adds a member, or replaces the one with the same key.
    pub(super) fn add(&mut self, member: GroupMember) -> Result<()> {
        let key = member.key();
        if !self.added.insert(key.to_owned()) {
            return Err(MemberError::Added { key: key.into() }.into());
        }
        self.changes.push(member);
        Ok(())
    }

    /// Removes a member by its name, or by its URI if only one member has it.
    pub(super) fn remove(&mut self, name_or_uri: &str) -> Result<()> {
        let Some(key) = self.find(name_or_uri)? else {
            let key = name_or_uri.to_owned();
            return Err(MemberError::UnknownToRemove { key }.into());
        };
        if self.added.contains(&key) {
            return Err(MemberError::AddedToRemove { key }.into());
        }
        if self.removed.contains(&key) {
            return Err(MemberError::Removed { key }.into());
        }
        if let Some(member) = self.of_key(&key).cloned() {
            self.changes.push(GroupMember {
                removed: true,
                ..member
            });
            self.removed.insert(key);
        }
        Ok(())
    }

    /// Returns the key of a member. The URI of a local file may be given as a path.
    fn find(&mut self, name_or_uri: &str) -> Result<Option<String>> {
        let as_uri = Uri::parse(name_or_uri).ok();
        let texts = || [Some(name_or_uri), as_uri.as_ref().map(Uri::as_str)];
        if let Some(key) = texts()
            .into_iter()
            .flatten()
            .find(|text| self.of_key(text).is_some())
        {
            return Ok(Some(key.to_owned()));
        }
        let all = &self.all;
        let by_uri = self.by_uri.get_or_insert_with(|| keys_by_uri(all));
        match texts()
            .into_iter()
            .flatten()
            .find_map(|text| by_uri.get(text))
        {
            Some(Some(key)) => Ok(Some(key.clone())),
            Some(None) => {
                let key = name_or_uri.to_owned();
                Err(MemberError::Ambiguous { key }.into())
            }
            None => Ok(None),
        }
    }

    /// Returns these members with the changes made to `other`, which are the members at an earlier
    /// opening.
    pub(super) fn changed_by(self, other: &Self) -> Self {
        Self {
            changes: other.changes.clone(),
            ..self
        }
    }

    /// Returns whether there are unwritten changes.
    pub(super) fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Returns the unwritten changes: the URIs of the removed members, and the added members.
    pub(super) fn changes(&self) -> (Vec<&str>, Vec<Member>) {
        let removed = self.changes.iter().filter(|member| member.removed);
        let added = self.changes.iter().filter(|member| !member.removed);
        (
            removed.map(|member| &member.uri[..]).collect(),
            added.map(Member::stored).collect(),
        )
    }

    /// Returns the version and the entries of the file to write.
    pub(super) fn to_write(&self) -> (GroupVersion, Vec<&GroupMember>) {
        let mut members = latest_by_key(self.all.iter().chain(&self.changes).collect());
        if self.version == GroupVersion::Whole {
            members.retain(|member| !member.removed);
        }
        (self.version, members)
    }
}

fn keys_by_uri(all: &[GroupMember]) -> HashMap<String, Option<String>> {
    let mut found = HashMap::with_capacity(all.len());
    for member in all {
        found
            .entry(member.uri.clone())
            .and_modify(|known| *known = None)
            .or_insert_with(|| Some(member.key().to_owned()));
    }
    found
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member {
    /// The absolute URI.
    pub uri: String,
    /// The type.
    pub kind: ObjectType,
    /// The name, if it has one.
    pub name: Option<String>,
    /// Whether the group stores a relative URI.
    pub relative: bool,
}

/// The URI of an object that becomes a member.
#[derive(Clone, Copy, Debug)]
pub enum MemberUri<'a> {
    /// An absolute URI.
    Absolute(&'a str),
    /// A path relative to the group.
    Relative(&'a str),
}

impl Member {
    /// Returns the member with its URI as it is stored.
    pub(super) fn stored(entry: &GroupMember) -> Self {
        Self::at(entry, entry.uri.clone())
    }

    /// Returns the member with another form of its URI.
    pub(super) fn at(entry: &GroupMember, uri: String) -> Self {
        Self {
            uri,
            kind: entry.kind,
            name: entry.name.clone(),
            relative: entry.relative,
        }
    }

    /// Returns the entry of a file that adds the member.
    pub(super) fn into_entry(self) -> GroupMember {
        GroupMember {
            kind: self.kind,
            relative: self.relative,
            uri: self.uri,
            name: self.name,
            removed: false,
        }
    }
}
