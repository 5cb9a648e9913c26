//! A group as text.

use std::collections::HashSet;
use std::fmt::Write;

use super::open::{Group, is_group};
use crate::error::Result;
use crate::types::{ObjectType, QueryType};
use crate::vfs::Uri;

/// How many dashes a level is.
const INDENT: usize = 2;

/// Writes the members of a group; those of groups among them where `recursive`, but for the groups of `path`, which led
/// here: they are not gone into again.
pub(super) fn members(
    group: &Group,
    level: usize,
    recursive: bool,
    path: &mut HashSet<Uri>,
    text: &mut String,
) -> Result<()> {
    let dashes = "-".repeat(INDENT * (level + 1));
    for member in group.members() {
        let last = member.uri.trim_end_matches('/').rsplit('/').next();
        let name = member.name.as_deref().or(last).unwrap_or_default();
        let _ = write!(text, "|{dashes} {name} {}", member.kind.name());
        let place = Uri::parse(&member.uri)
            .ok()
            .filter(|place| member.kind == ObjectType::Group && !path.contains(place));
        match place.filter(|_| recursive) {
            Some(place) => inner(group, place, level, path, text)?,
            None => text.push('\n'),
        }
    }
    Ok(())
}

fn inner(
    group: &Group,
    place: Uri,
    level: usize,
    path: &mut HashSet<Uri>,
    text: &mut String,
) -> Result<()> {
    if !is_group(group.vfs(), &place)? {
        text.push_str(" (does not exist)\n");
        return Ok(());
    }
    text.push('\n');
    let within = Group::at(group.vfs(), place.clone());
    within.open(QueryType::Read)?;
    path.insert(place.clone());
    members(&within, level + 2, true, path, text)?;
    path.remove(&place);
    Ok(())
}
