//! Replacement lists: the fragments or metadata files that a consolidated one replaces.
//!
//! A list of fragments is pending before the consolidated fragment is committed, and gets its final
//! name after that. `docs/commit-protocol.md` states the rules (R3, C5, C6).

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::format::commits::{is_complete_list, read_names};
use crate::format::names::folders;
use crate::vfs::{StorageView, Uri};

/// A file with the names of the fragments or metadata files that a consolidated one replaces.
#[derive(Clone, Debug)]
pub struct ReplacementList {
    /// The name of the consolidated fragment or file, which is the file name without its suffix.
    pub name: String,
    /// The file.
    pub uri: Uri,
    /// The names of the replaced fragments or files.
    pub replaced: Vec<String>,
    /// Whether it is in a folder of pending lists.
    pub is_pending: bool,
}

impl ReplacementList {
    /// Returns whether a list of fragments counts by itself: it has its final name, or its fragment
    /// is committed. A list with its final name counts even if the fragment is gone, because
    /// libtiledb deletes a consolidated fragment, but neither its list nor what it replaced.
    pub fn counts(&self, is_committed: impl Fn(&str) -> bool) -> bool {
        !self.is_pending || is_committed(&self.name)
    }

    /// Returns whether it announces a consolidation of commits on storage without locks, which
    /// replaces no fragments (M8).
    pub fn announces_commits(&self) -> bool {
        self.is_pending && self.replaced.is_empty()
    }

    /// Reads a list with its final name, which libtiledb may be writing.
    pub fn read(view: &StorageView, uri: Uri) -> Result<Self> {
        let bytes = view.read_complete(&uri, is_complete_list)?;
        Self::parse(uri, &bytes, false)
    }

    /// Reads a list in a folder of pending lists.
    pub fn read_pending(view: &StorageView, uri: Uri) -> Result<Self> {
        let bytes = view.open(&uri)?.read_all()?;
        Self::parse(uri, &bytes, true)
    }

    fn parse(uri: Uri, bytes: &[u8], is_pending: bool) -> Result<Self> {
        let names = read_names(bytes).map_err(|error| error.with_uri(&uri))?;
        let name = uri.name();
        let name = name
            .strip_suffix(folders::VACUUM)
            .unwrap_or(name)
            .to_owned();
        Ok(Self {
            replaced: names.into_iter().map(str::to_owned).collect(),
            name,
            uri,
            is_pending,
        })
    }
}

/// Returns the names that lists replace. A list `counts` by itself, or if what it is named after is
/// replaced by a list that counts. No list replaces what it is named after.
pub fn replaced(
    lists: &[ReplacementList],
    counts: impl Fn(&ReplacementList) -> bool,
) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut remaining: Vec<&ReplacementList> = lists.iter().collect();
    loop {
        let before = remaining.len();
        let (counting, others): (Vec<_>, Vec<_>) = remaining
            .into_iter()
            .partition(|list| counts(list) || names.contains(&list.name));
        for list in counting {
            names.extend(
                list.replaced
                    .iter()
                    .filter(|name| **name != list.name)
                    .cloned(),
            );
        }
        if others.len() == before {
            return names;
        }
        remaining = others;
    }
}

/// Orders lists so that each comes after the lists whose fragments it replaces: a list must stay
/// until the lists that count because of it are removed.
pub fn inner_first(lists: Vec<ReplacementList>) -> Vec<ReplacementList> {
    let by_name: HashMap<&str, usize> = lists
        .iter()
        .enumerate()
        .map(|(list_index, list)| (list.name.as_str(), list_index))
        .collect();
    let mut order = Vec::with_capacity(lists.len());
    let mut visited = vec![false; lists.len()];
    for start in 0..lists.len() {
        // An explicit stack, since the nesting of lists in files is not bounded.
        let mut stack = vec![(start, 0)];
        while let Some((list_index, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut visited[list_index], true) {
                continue;
            }
            match lists[list_index].replaced.get(next) {
                Some(name) => {
                    stack.push((list_index, next + 1));
                    let inner = by_name.get(name.as_str()).filter(|inner| !visited[**inner]);
                    stack.extend(inner.map(|inner| (*inner, 0)));
                }
                None => order.push(list_index),
            }
        }
    }
    let mut lists: Vec<Option<ReplacementList>> = lists.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|list_index| lists[list_index].take())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a pending list.
    fn list(name: &str, replaced: &[&str]) -> ReplacementList {
        ReplacementList {
            name: name.to_owned(),
            uri: Uri::parse("mem://array/list").expect("uri"),
            replaced: replaced.iter().map(|name| (*name).to_owned()).collect(),
            is_pending: true,
        }
    }

    fn sorted(lists: &[ReplacementList], committed: &[&str]) -> Vec<String> {
        let names = replaced(lists, |list| list.counts(|name| committed.contains(&name)));
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort();
        names
    }

    #[test]
    fn a_pending_list_counts_if_its_fragment_is_committed_or_replaced_in_turn() {
        let lists = [list("x", &["a", "b"]), list("y", &["x", "c"])];
        assert_eq!(sorted(&lists, &["a", "b", "c"]), [""; 0]);
        assert_eq!(sorted(&lists, &["x", "a", "b", "c"]), ["a", "b"]);
        assert_eq!(sorted(&lists, &["y"]), ["a", "b", "c", "x"]);
        assert_eq!(sorted(&[list("x", &["x", "a"])], &["x"]), ["a"]);
    }

    #[test]
    fn a_list_with_its_final_name_counts_without_its_fragment() {
        let mut lists = [list("x", &["a", "b"]), list("y", &["x", "c"])];
        lists[1].is_pending = false;
        assert_eq!(sorted(&lists, &["a", "b", "c"]), ["a", "b", "c", "x"]);
    }

    #[test]
    fn lists_come_after_those_that_count_because_of_them() {
        let order = |lists: &[ReplacementList]| {
            let ordered = inner_first(lists.to_vec());
            ordered
                .into_iter()
                .map(|list| list.name)
                .collect::<String>()
        };
        let lists = [
            list("z", &["y", "d"]),
            list("y", &["x", "c"]),
            list("x", &["a", "b"]),
            list("w", &["w"]),
        ];
        assert_eq!(order(&lists), "xyzw");
        // Damaged lists that refer to each other are all returned.
        let cycle = [list("x", &["y"]), list("y", &["x"])];
        assert_eq!(order(&cycle).len(), 2);
    }
}
