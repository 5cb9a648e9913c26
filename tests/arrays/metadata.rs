//! Metadata of arrays and groups, and the members of groups.

use std::ffi::CStr;

use super::schema::INT64;
use super::{Done, OpenArray, OpenGroup, WRITE, text};
use crate::library::Library;

/// A change of metadata: a key and its new value, or none to delete it.
pub(crate) type Change<'a> = (&'a CStr, Option<i64>);

/// Changes the metadata of an array in one commit.
pub(crate) fn change_array(
    library: &Library,
    uri: &CStr,
    changes: &[Change<'_>],
    timestamp: Option<u64>,
) -> Done {
    let array = OpenArray::open(library, uri, WRITE, timestamp)?;
    change(library, "array", array.handle, changes)?;
    array.close()
}

/// Changes the metadata of a group in one commit.
pub(crate) fn change_group(library: &Library, uri: &CStr, changes: &[Change<'_>]) -> Done {
    let group = OpenGroup::open(library, uri, WRITE)?;
    change(library, "group", group.handle, changes)?;
    group.close()
}

fn change(library: &Library, family: &str, handle: usize, changes: &[Change<'_>]) -> Done {
    for (key, value) in changes {
        match value {
            Some(value) => {
                let value = std::ptr::from_ref(value) as usize;
                let put = [handle, text(key), INT64, 1, value];
                library.attempt(&format!("{family}_put_metadata"), &put)?;
            }
            None => {
                let delete = format!("{family}_delete_metadata");
                library.attempt(&delete, &[handle, text(key)])?;
            }
        }
    }
    Ok(())
}

/// Adds members to a group by relative URIs, and removes others by name, in one commit.
pub(crate) fn change_members(
    library: &Library,
    uri: &CStr,
    added: &[&CStr],
    removed: &[&CStr],
) -> Done {
    let mut group = OpenGroup::open(library, uri, WRITE)?;
    let handle = group.handle;
    let remove = |name: &&CStr| library.attempt("group_remove_member", &[handle, text(name)]);
    let add = |name: &&CStr| {
        let member = [handle, text(name), 1, text(name)];
        library.attempt("group_add_member", &member)
    };
    let changed = removed.iter().try_for_each(remove);
    if let Err(error) = changed.and_then(|()| added.iter().try_for_each(add)) {
        // Closing the group would write the changes that succeeded.
        group.open = false;
        return Err(error);
    }
    group.close()
}
