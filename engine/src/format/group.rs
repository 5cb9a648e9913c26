//! A group details file: members that were added or removed, in one generic tile.
//!
//! ```text
//! version    u32, 1 or 2
//! members    u64 number, then for each
//!   version    u32, 1 or 2
//!   type       u8
//!   relative   u8, 0 or 1
//!   URI        u64 length, then that many bytes
//!   named      u8, 0 or 1; then, if 1, the name: u64 length, then that many bytes
//!   removed    u8, 0 or 1; members of version 2 only
//! ```
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::types::ObjectType;

/// The minimum size of a member in bytes.
const MIN_MEMBER_LEN: usize = 4 + 1 + 1 + 8 + 1;

/// The kind of a details file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupVersion {
    /// All members of the group; older files are ignored.
    Whole = 1,
    /// Members that were added or removed after the older files.
    Changes = 2,
}

impl GroupVersion {
    /// The version that is written for new groups.
    pub const WRITTEN: Self = Self::Changes;

    fn read(from: &mut Cursor<'_>, field: &'static str) -> Result<Self> {
        let start = from.clone();
        match from.u32(field)? {
            1 => Ok(Self::Whole),
            2 => Ok(Self::Changes),
            other => Err(start.corrupt(field, format!("is {other}, which is not supported"))),
        }
    }
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The kind of object; invalid if it did not exist when it was added.
    pub kind: ObjectType,
    /// Whether its URI is relative to the group.
    pub relative: bool,
    /// The URI.
    pub uri: String,
    /// The name, if it has one.
    pub name: Option<String>,
    /// Whether this entry removes it.
    pub removed: bool,
}

impl GroupMember {
    /// Returns the key of the member within the group: its name, or its URI if it has no name.
    pub fn key(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.uri)
    }

    fn read(from: &mut Cursor<'_>) -> Result<Self> {
        let version = GroupVersion::read(from, "member version")?;
        let start = from.clone();
        let code = from.u8("type")?;
        let unknown = || start.corrupt("type", format!("has the unknown code {code}"));
        Ok(Self {
            kind: ObjectType::from_code(u32::from(code)).ok_or_else(unknown)?,
            relative: from.flag("relative")?,
            uri: from.text("URI")?,
            name: if from.flag("named")? {
                Some(from.text("name")?)
            } else {
                None
            },
            removed: version >= GroupVersion::Changes && from.flag("removed")?,
        })
    }

    fn write(&self, to: &mut Sink) {
        to.u32(GroupVersion::Changes as u32);
        to.u8(self.kind.code());
        to.flag(self.relative);
        to.text(&self.uri);
        to.flag(self.name.is_some());
        if let Some(name) = &self.name {
            to.text(name);
        }
        to.flag(self.removed);
    }
}

/// Reads a details file.
pub fn read_group(from: &mut Cursor<'_>) -> Result<(GroupVersion, Vec<GroupMember>)> {
    let version = GroupVersion::read(from, "version")?;
    let num = from.count("members", MIN_MEMBER_LEN)?;
    let members = from.list(num, GroupMember::read)?;
    from.end()?;
    Ok((version, members))
}

/// Writes a details file.
pub fn write_group(to: &mut Sink, version: GroupVersion, members: &[&GroupMember]) {
    to.u32(version as u32);
    to.u64(members.len() as u64);
    members.iter().for_each(|member| member.write(to));
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test that panics has failed")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn member() -> impl Strategy<Value = GroupMember> {
        let flags = (0u32..3, any::<bool>(), any::<bool>());
        let texts = ("[a-z/.]{0,8}", proptest::option::of("[a-z]{0,6}"));
        (flags, texts).prop_map(|((kind, relative, removed), (uri, name))| GroupMember {
            kind: ObjectType::from_code(kind).expect("type"),
            relative,
            uri,
            name,
            removed,
        })
    }

    proptest! {
        #[test]
        fn members_round_trip_and_truncated_files_are_errors(members in proptest::collection::vec(member(), 0..5), whole: bool) {
            let version = if whole { GroupVersion::Whole } else { GroupVersion::Changes };
            let mut to = Sink::new();
            write_group(&mut to, version, &members.iter().collect::<Vec<_>>());
            let bytes = to.into_bytes();
            let read = |cut| read_group(&mut Cursor::new("group", &bytes[..cut]));
            prop_assert_eq!(read(bytes.len()).expect("group"), (version, members));
            for cut in 0..bytes.len() {
                let cut_short = read(cut).is_err_and(|error| error.is_corrupt_by(cut));
                prop_assert!(cut_short);
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let _ = read_group(&mut Cursor::new("group", &bytes));
        }
    }
}
