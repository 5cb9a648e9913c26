//! Removes groups and their members.

use std::collections::HashSet;
use std::sync::Arc;

use super::details;
use super::open::Group;
use crate::array::{exclusive_type, key};
use crate::config::Config;
use crate::error::{Error, GroupError, Result};
use crate::object::{
    Extent, complete_removal, has_remains, object_type, remove_array, remove_object,
};
use crate::types::ObjectType;
use crate::vfs::{Uri, Vfs};

impl Group {
    /// Removes the group at `uri`, and its members if `recursive`; closes this group. Returns an
    /// error if this group is not open exclusively. Other files in the folder are kept, and then
    /// the folder too.
    pub fn delete(&self, uri: &str, recursive: bool) -> Result<()> {
        match self.open_mode() {
            None => return Err(GroupError::DeleteClosed.into()),
            Some(query_type) if query_type == exclusive_type() => {}
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
/// interrupted removal. Nothing is removed if there is neither a group nor the rest of one at
/// `uri`.
fn remove(group: &Group, uri: &Uri, recursive: bool) -> Result<()> {
    let vfs = &group.vfs;
    let missing = || {
        Error::from(GroupError::Missing {
            uri: uri.to_string(),
        })
    };
    let was_group = match object_type(&vfs.view(), uri)? {
        ObjectType::Group => true,
        // The rest of a removal on an object store is found when it is removed.
        ObjectType::Invalid if vfs.is_object_store(uri) || has_remains(vfs, uri)? => false,
        _ => return Err(missing()),
    };
    if recursive {
        remove_members(group)?;
    }
    if object_type(&vfs.view(), uri)? == ObjectType::Group {
        let config = group.state.read().config.clone();
        return remove_own(vfs, uri, &config);
    }
    let had_rest = complete_removal(vfs, uri)?;
    if had_rest || was_group {
        Ok(())
    } else {
        Err(missing())
    }
}

/// Removes what belongs to a group itself.
fn remove_own(vfs: &Arc<Vfs>, uri: &Uri, config: &Config) -> Result<()> {
    if vfs.is_object_store(uri) && !vfs.has_directories(uri)? {
        details::clear(vfs, uri, key::of_array_config(config)?.as_ref())?;
    }
    remove_object(vfs, uri, Extent::Own)
}

fn remove_members(group: &Group) -> Result<()> {
    let vfs: &Arc<Vfs> = &group.vfs;
    // The folders above removed members. A member's name must be gone before a group that lists it
    // is: a repeated call finds members only by their group.
    let mut above_removed: Vec<Uri> = Vec::new();
    let folder_above = |uri: &Uri| uri.parent().filter(|_| !vfs.is_object_store(uri));
    let sync = |folders: &mut Vec<Uri>| {
        folders.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
        folders.dedup();
        vfs.sync_all(&std::mem::take(folders))
    };
    // Groups may form cycles.
    let mut seen = HashSet::from([group.uri.normalized()]);
    // An explicit stack: groups may nest to any depth. The first group is removed by the caller.
    let mut open = vec![(None, group.members().into_iter())];
    while let Some((uri, left)) = open.last_mut() {
        let Some(member) = left.next() else {
            if let Some(uri) = uri {
                sync(&mut above_removed)?;
                remove_own(vfs, uri, &vfs.context.config)?;
                above_removed.extend(folder_above(uri));
            }
            open.pop();
            continue;
        };
        let Ok(uri) = Uri::parse(&member.uri) else {
            continue;
        };
        match object_type(&vfs.view(), &uri)? {
            ObjectType::Array => {
                remove_array(vfs, uri.as_str())?;
                above_removed.extend(folder_above(&uri));
            }
            ObjectType::Group if seen.insert(uri.normalized()) => {
                let inner = Group::at(vfs, uri.clone());
                inner.open(exclusive_type())?;
                open.push((Some(uri), inner.members().into_iter()));
            }
            ObjectType::Group => {}
            // It no longer exists, or is the rest of an interrupted removal.
            ObjectType::Invalid => {
                if complete_removal(vfs, &uri)? {
                    above_removed.extend(folder_above(&uri));
                }
            }
        }
    }
    sync(&mut above_removed)
}
