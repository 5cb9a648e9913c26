//! Dumps of groups as text.

use std::collections::HashSet;
use std::fmt::Write;

use super::member::Member;
use super::open::{Group, is_group};
use crate::error::Result;
use crate::types::{ObjectType, QueryType};
use crate::vfs::Uri;

/// The number of dashes before a member, and the number added per level.
const FIRST: usize = 2;
const DEEPER: usize = 4;

/// A group on the current path.
struct Level {
    uri: Uri,
    left: std::vec::IntoIter<Member>,
}

/// Writes the members of a group and, if `recursive`, those of member groups, except groups on the
/// current path.
fn members(group: &Group, recursive: bool, text: &mut String) -> Result<()> {
    let mut path = HashSet::from([group.uri().clone()]);
    // An explicit stack: groups may nest to any depth.
    let mut open = vec![Level::of(group)];
    while let Some(level) = open.last_mut() {
        let Some(member) = level.left.next() else {
            path.remove(&level.uri);
            open.pop();
            continue;
        };
        let dashes = "-".repeat(FIRST + DEEPER * (open.len() - 1));
        let last = member.uri.trim_end_matches('/').rsplit('/').next();
        let name = member.name.as_deref().or(last).unwrap_or_default();
        let _ = write!(text, "|{dashes} {name} {}", member.kind.name());
        let uri = Uri::parse(&member.uri)
            .ok()
            .filter(|uri| recursive && member.kind == ObjectType::Group && !path.contains(uri));
        let Some(uri) = uri else {
            text.push('\n');
            continue;
        };
        if !is_group(group.vfs(), &uri)? {
            text.push_str(" (does not exist)\n");
            continue;
        }
        text.push('\n');
        let inner = Group::at(group.vfs(), uri.clone());
        inner.open(QueryType::Read)?;
        path.insert(uri);
        open.push(Level::of(&inner));
    }
    Ok(())
}

impl Group {
    /// Returns the members as indented text; if `recursive`, with the members of member groups.
    pub fn dump(&self, recursive: bool) -> Result<String> {
        let mut text = format!("{} GROUP\n", self.uri().name());
        members(self, recursive, &mut text)?;
        Ok(text)
    }
}

impl Level {
    fn of(group: &Group) -> Self {
        Self {
            uri: group.uri().clone(),
            left: group.members().into_iter(),
        }
    }
}
