//! Members of groups.

use crate::format::group::GroupMember;
use crate::types::ObjectType;

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
