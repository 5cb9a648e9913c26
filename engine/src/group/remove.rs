//! Removing a group: what belongs to it, and its folder when nothing else is left in it.

use std::collections::HashSet;
use std::sync::Arc;

use super::open::Group;
use crate::array;
use crate::error::Result;
use crate::format::names::folders;
use crate::object::object_type;
use crate::types::{ObjectType, QueryType};
use crate::vfs::{Uri, Vfs};

/// Removes the group at `uri`; where `recursive`, first the members of `group`, which is open, and theirs.
pub(super) fn remove(group: &Group, uri: &Uri, recursive: bool) -> Result<()> {
    if recursive {
        remove_members(group)?;
    }
    remove_folder(group.vfs(), uri)
}

fn remove_members(group: &Group) -> Result<()> {
    let vfs: &Arc<Vfs> = group.vfs();
    // Groups may lead back to themselves.
    let mut seen = HashSet::from([group.uri().clone()]);
    // A stack of our own: how deep groups nest is not ours to choose. The first is the caller's to remove.
    let mut open = vec![(None, group.members().into_iter())];
    while let Some((place, left)) = open.last_mut() {
        let Some(member) = left.next() else {
            if let Some(place) = place {
                remove_folder(vfs, place)?;
            }
            open.pop();
            continue;
        };
        let Ok(place) = Uri::parse(&member.uri) else {
            continue;
        };
        // What is no longer there needs no removing.
        match object_type(vfs, &place)? {
            ObjectType::Array => array::remove(vfs, place.as_str())?,
            ObjectType::Group if seen.insert(place.clone()) => {
                let within = Group::at(vfs, place.clone());
                within.open(QueryType::ModifyExclusive)?;
                open.push((Some(place), within.members().into_iter()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn remove_folder(vfs: &Vfs, uri: &Uri) -> Result<()> {
    for folder in [folders::METADATA, folders::GROUP_DETAILS] {
        vfs.remove_dir_if_any(&uri.join(folder))?;
    }
    let mark = uri.join(folders::GROUP_FILE);
    if vfs.is_file(&mark)? {
        vfs.remove_file(&mark)?;
    }
    if vfs.is_dir(uri)? && vfs.list(uri)?.is_empty() {
        vfs.remove_dir(uri)?;
    }
    Ok(())
}
