//! Dumps of groups as text.

use std::collections::HashSet;

use super::open::{Group, is_group};
use crate::error::{Error, GroupError, Result};
use crate::memory;
use crate::types::{ObjectType, QueryType};
use crate::vfs::{Uri, last_component};

/// The number of dashes before a member of the dumped group.
const FIRST_DASHES: usize = 2;
/// The number of additional dashes before the members of a member group.
const DASHES_PER_LEVEL: usize = 4;
/// The number of times that groups are listed with their members again. Without a limit, the number
/// of listed groups would double with each level of groups that contain the next one twice.
pub(super) const MAX_REPEATS: usize = 10_000;

/// The text of a dump, of limited size. A group that is a member of several groups is listed with
/// each, so that the text can be longer than all files of the groups.
struct DumpText {
    text: String,
    limit_bytes: u64,
}

impl DumpText {
    /// Appends a line, or returns an error if the text would exceed the limit.
    fn push_line(&mut self, line: &str) -> Result<()> {
        let len = (self.text.len() + line.len() + 1) as u64;
        if len > self.limit_bytes {
            return Err(Error::from(GroupError::LongDump {
                limit: self.limit_bytes,
                parameter: memory::PARAMETER,
            }));
        }
        if self.text.try_reserve(line.len() + 1).is_err() {
            return Err(Error::out_of_memory("the dump of a group", len));
        }
        self.text.push_str(line);
        self.text.push('\n');
        Ok(())
    }
}

/// Writes the members of a group and, if `recursive`, those of member groups, except groups on the
/// current path, and groups that were listed before once there were many of these.
fn members(group: &Group, recursive: bool, text: &mut DumpText) -> Result<()> {
    let mut path = HashSet::from([group.uri.normalized()]);
    let mut listed = HashSet::new();
    let mut repeats = 0;
    // An explicit stack: groups may nest to any depth. Each has its members that are left.
    let mut open = vec![(group.uri.normalized(), group.members().into_iter())];
    while let Some((folder, left)) = open.last_mut() {
        let Some(member) = left.next() else {
            path.remove(folder);
            open.pop();
            continue;
        };
        let dashes = "-".repeat(FIRST_DASHES + DASHES_PER_LEVEL * (open.len() - 1));
        let name = member
            .name
            .as_deref()
            .unwrap_or_else(|| last_component(&member.uri));
        let line = format!("|{dashes} {name} {}", member.kind.name());
        let uri = Uri::parse(&member.uri)
            .ok()
            .filter(|_| recursive && member.kind == ObjectType::Group)
            .filter(|uri| !path.contains(&uri.normalized()));
        let Some(uri) = uri else {
            text.push_line(&line)?;
            continue;
        };
        if !is_group(&group.vfs, &uri)? {
            text.push_line(&format!("{line} (does not exist)"))?;
            continue;
        }
        text.push_line(&line)?;
        if !listed.insert(uri.normalized()) {
            if repeats == MAX_REPEATS {
                continue;
            }
            repeats += 1;
        }
        let inner = Group::at(&group.vfs, uri.clone());
        inner.open(QueryType::Read)?;
        path.insert(uri.normalized());
        open.push((uri.normalized(), inner.members().into_iter()));
    }
    Ok(())
}

impl Group {
    /// Returns the members as indented text; if `recursive`, with the members of member groups. A
    /// group that contains itself is listed there without its members, and so are groups that were
    /// listed before, once there were 10,000 of these.
    ///
    /// # Errors
    ///
    /// If the text is longer than the memory budget, or a member group cannot be opened.
    pub fn dump(&self, recursive: bool) -> Result<String> {
        let mut text = DumpText {
            text: String::new(),
            limit_bytes: self.config().memory_budget()?.limit_bytes(),
        };
        text.push_line(&format!("{} GROUP", self.uri.name()))?;
        members(self, recursive, &mut text)?;
        Ok(text.text)
    }
}
