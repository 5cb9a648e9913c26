//! The group that the processes share: each writer has a key of metadata, and adds and removes
//! members of its own.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::array::{get_number, in_range};
use crate::arrays::metadata::{change_group, change_members};
use crate::arrays::{Done, OpenGroup, READ, c_path, state, text};
use crate::library::Library;
use crate::log::{Counter, Counts, WRITERS};

/// The objects of each writer, of which some are members of the group.
const OBJECTS: u64 = 8;
/// The members of a writer at a time.
const MEMBERS: u64 = 3;

/// Creates the group and the objects that become members.
pub(crate) fn create(library: &Library, path: &Path) -> Done {
    library.attempt("group_create", &[text(&c_path(path))])?;
    for writer in 0..WRITERS {
        for number in 0..OBJECTS {
            let member = path.join(name(writer, number).to_str().expect("a name"));
            library.attempt("group_create", &[text(&c_path(&member))])?;
        }
    }
    Ok(())
}

/// Returns the name of the member that a writer adds with the change of this number.
fn name(writer: usize, number: u64) -> CString {
    CString::new(format!("m{writer}_{}", number % OBJECTS)).expect("a name without a zero")
}

fn key(writer: usize) -> CString {
    CString::new(format!("w{writer}")).expect("a key without a zero")
}

/// Adds a member and removes an older one, in one commit.
pub(crate) fn change(library: &Library, uri: &CStr, writer: usize, number: u64) -> Done {
    let old = (number > MEMBERS).then(|| name(writer, number - MEMBERS));
    let removed: Vec<&CStr> = old.iter().map(|name| &**name).collect();
    change_members(library, uri, &[&name(writer, number)], &removed)
}

/// Changes the metadata of a writer.
pub(crate) fn put(library: &Library, uri: &CStr, writer: usize, number: u64) -> Done {
    change_group(library, uri, &[(&key(writer), Some(number as i64))])
}

/// The content of the group as a reader sees it.
#[derive(Debug)]
pub(crate) struct Content {
    members: Vec<String>,
    metadata: [u64; WRITERS],
}

/// Reads the open group.
pub(crate) fn read(library: &Library, group: &OpenGroup<'_>) -> Done<Content> {
    let mut metadata = [0; WRITERS];
    for (writer, number) in metadata.iter_mut().enumerate() {
        *number = get_number(library, "group", group.handle, &key(writer))?;
    }
    let members = state::members(library, group)?.into_iter();
    let mut members: Vec<String> = members.map(|member| member.name).collect();
    members.sort();
    Ok(Content { members, metadata })
}

impl Content {
    /// Checks that the members and the metadata of each writer are those after a change between the
    /// committed ones and those begun.
    pub(crate) fn check(&self, committed: &Counts, begun: &Counts) -> Done {
        for writer in 0..WRITERS {
            let [least, most] = [committed, begun].map(|counts| counts[writer]);
            let possible = |counter: Counter| least[counter as usize]..=most[counter as usize];
            in_range(
                "metadata",
                self.metadata[writer],
                &possible(Counter::Rewrites),
            )?;
            let prefix = format!("m{writer}_");
            let seen: Vec<&String> = self
                .members
                .iter()
                .filter(|name| name.starts_with(&prefix))
                .collect();
            let is_after = |number: u64| {
                let first = (number + 1).saturating_sub(MEMBERS).max(1);
                let mut names: Vec<String> = (first..=number)
                    .map(|number| name(writer, number).to_string_lossy().into_owned())
                    .collect();
                names.sort();
                seen.iter().copied().eq(&names)
            };
            if !possible(Counter::Changes).any(is_after) {
                return Err(
                    "the members are not those after any change that may be seen".to_owned(),
                );
            }
        }
        Ok(())
    }
}

/// Opens the group for reading.
pub(crate) fn open<'a>(library: &'a Library, uri: &CStr) -> Done<OpenGroup<'a>> {
    OpenGroup::open(library, uri, READ)
}
