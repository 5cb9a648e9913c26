//! Removes groups and their members.

use std::collections::HashSet;
use std::sync::Arc;

use super::open::Group;
use crate::error::{Error, GroupError, Result};
use crate::object::{Extent, complete_removal, object_type, remove_array, remove_object};
use crate::types::{ObjectType, QueryType};
use crate::vfs::{Uri, Vfs};

impl Group {
    /// Removes the group at `uri`, and its members if `recursive`; closes this group. Returns an
    /// error if this group is not open exclusively. Other files in the folder are kept, and then
    /// the folder too.
    pub fn delete(&self, uri: &str, recursive: bool) -> Result<()> {
        match self.open_mode() {
            None => return Err(GroupError::DeleteClosed.into()),
            Some(QueryType::ModifyExclusive) => {}
            Some(_) => {
                return Err(GroupError::DeleteNotExclusive.into());
            }
        }
        let uri = Uri::parse(uri)
            .map_err(|_| Error::from(GroupError::BadDeleteUri { uri: uri.into() }))?;
        match self.server() {
            Some(server) => server.delete_group(&uri, recursive)?,
            None => remove(self, &uri, recursive)?,
        }
        // The group no longer exists, so its changes are dropped.
        self.close_without_changes();
        Ok(())
    }
}

/// Removes the group at `uri`, and its folder unless it contains other files. If `recursive`, first
/// removes the members of `group`, which is open, and theirs. Repeating the call completes an
/// interrupted removal.
fn remove(group: &Group, uri: &Uri, recursive: bool) -> Result<()> {
    if recursive {
        remove_members(group)?;
    }
    match object_type(group.vfs(), uri)? {
        ObjectType::Group => remove_object(group.vfs(), uri, Extent::Own),
        _ => complete_removal(group.vfs(), uri).map(drop),
    }
}

fn remove_members(group: &Group) -> Result<()> {
    let vfs: &Arc<Vfs> = group.vfs();
    // Groups may form cycles.
    let mut seen = HashSet::from([group.uri().clone()]);
    // An explicit stack: groups may nest to any depth. The first group is removed by the caller.
    let mut open = vec![(None, group.members().into_iter())];
    while let Some((uri, left)) = open.last_mut() {
        let Some(member) = left.next() else {
            if let Some(uri) = uri {
                remove_object(vfs, uri, Extent::Own)?;
            }
            open.pop();
            continue;
        };
        let Ok(uri) = Uri::parse(&member.uri) else {
            continue;
        };
        match object_type(vfs, &uri)? {
            ObjectType::Array => remove_array(vfs, uri.as_str())?,
            ObjectType::Group if seen.insert(uri.clone()) => {
                let inner = Group::at(vfs, uri.clone());
                inner.open(QueryType::ModifyExclusive)?;
                open.push((Some(uri), inner.members().into_iter()));
            }
            ObjectType::Group => {}
            // It no longer exists, or is the rest of an interrupted removal.
            ObjectType::Invalid => drop(complete_removal(vfs, &uri)?),
        }
    }
    Ok(())
}
