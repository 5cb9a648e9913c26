//! The commits that consolidated files hold.

use std::collections::HashSet;
use std::sync::Arc;

use crate::bytes::find_byte;
use crate::error::Result;
use crate::format::commits::{CommitEntry, ConsolidatedCommitsReader};
use crate::types::SharedText;
use crate::vfs::Uri;

/// The condition of a delete in a consolidated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineCondition {
    /// The URI of the file.
    pub file: Uri,
    /// The position in the file in bytes.
    pub position: u64,
    /// The generic tile of the condition.
    pub bytes: Vec<u8>,
}

/// The commits of one or more consolidated files, in the order of their names. The names of a file
/// share memory, since an open reads those of all fragments.
#[derive(Clone, Debug, Default)]
pub struct ConsolidatedCommits(Vec<ConsolidatedCommit>);

#[derive(Clone, Debug)]
struct ConsolidatedCommit {
    /// The name of the commit's file.
    name: SharedText,
    condition: Option<Box<InlineCondition>>,
}

/// The length of most entries of a file: of a commit of a fragment.
const COMMON_ENTRY_BYTES: usize = 80;

impl ConsolidatedCommits {
    /// Reads the commits of a file.
    pub(super) fn read(uri: &Uri, file: Vec<u8>) -> Result<Self> {
        let file = match String::from_utf8(file) {
            Ok(text) => return Self::read_names(uri, text),
            Err(error) => error.into_bytes(),
        };
        let mut commits = Vec::new();
        for commit in ConsolidatedCommitsReader::new(&file) {
            let commit = commit.map_err(|error| error.with_uri(uri))?;
            commits.push(ConsolidatedCommit {
                name: file_name(commit.name).into(),
                condition: inline_condition(uri, &commit),
            });
        }
        Ok(Self(commits).in_order())
    }

    /// Reads the commits of a file that is UTF-8, as files without conditions of deletes are. The
    /// names are parts of the text.
    fn read_names(uri: &Uri, file: String) -> Result<Self> {
        let file = Arc::new(file);
        let mut commits = Vec::with_capacity(file.len() / COMMON_ENTRY_BYTES);
        for commit in ConsolidatedCommitsReader::new(file.as_bytes()) {
            let commit = commit.map_err(|error| error.with_uri(uri))?;
            let name = file_name(commit.name);
            let end = commit.start + commit.name.len();
            commits.push(ConsolidatedCommit {
                name: SharedText::part_of(&file, end - name.len()..end),
                condition: inline_condition(uri, &commit),
            });
        }
        Ok(Self(commits).in_order())
    }

    /// Returns the commits of several files. If files have the same commit, that of the last one is
    /// kept.
    pub(super) fn of_files(files: impl IntoIterator<Item = Self>) -> Self {
        let mut files = files.into_iter();
        let mut all = files.next().unwrap_or_default();
        let first_num = all.0.len();
        all.0.extend(files.flat_map(|file| file.0));
        if all.0.len() == first_num {
            return all;
        }
        all.in_order()
    }

    /// Sorts the commits by name. Of several with the same name the last one is kept.
    fn in_order(mut self) -> Self {
        let is_ascending =
            |a: &ConsolidatedCommit, b: &ConsolidatedCommit| a.name.as_str() < b.name.as_str();
        if self.0.is_sorted_by(is_ascending) {
            return self;
        }
        self.0.sort_by(|a, b| a.name.as_str().cmp(b.name.as_str()));
        self.0.dedup_by(|later, kept| {
            let is_same = later.name == kept.name;
            if is_same {
                std::mem::swap(later, kept);
            }
            is_same
        });
        self
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of commits.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the names of the commits' files, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|commit| commit.name.as_str())
    }

    /// Returns the names of the commits' files, in order.
    pub(super) fn shared_names(&self) -> impl Iterator<Item = &SharedText> {
        self.0.iter().map(|commit| &commit.name)
    }

    /// Returns the names of the commits' files, in order, and the conditions of deletes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<&InlineCondition>)> {
        let commits = self.0.iter();
        commits.map(|commit| (commit.name.as_str(), commit.condition.as_deref()))
    }

    /// Returns whether there is a commit with this name.
    pub fn contains(&self, name: &str) -> bool {
        self.index(name).is_some()
    }

    fn index(&self, name: &str) -> Option<usize> {
        let found = self
            .0
            .binary_search_by(|commit| commit.name.as_str().cmp(name));
        found.ok()
    }

    /// Returns the condition of the delete with this name.
    pub(super) fn condition(&self, name: &str) -> Option<&InlineCondition> {
        self.0.get(self.index(name)?)?.condition.as_deref()
    }

    /// Removes the commits with these names.
    pub(super) fn remove(&mut self, names: &HashSet<String>) {
        if !names.is_empty() {
            self.0
                .retain(|commit| !names.contains(commit.name.as_str()));
        }
    }
}

fn inline_condition(uri: &Uri, commit: &CommitEntry<'_>) -> Option<Box<InlineCondition>> {
    let (position, bytes) = commit.condition?;
    Some(Box::new(InlineCondition {
        file: uri.clone(),
        position,
        bytes: bytes.to_vec(),
    }))
}

/// Returns the last component of a path.
fn file_name(path: &str) -> &str {
    let in_folder = path.strip_prefix("__commits/");
    let mut rest = in_folder.unwrap_or(path);
    while let Some(slash) = find_byte(rest.as_bytes(), b'/') {
        rest = rest.get(slash + 1..).unwrap_or_default();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Sink;
    use crate::format::commits::write_consolidated_commit;

    fn read(commits: &[(&str, Option<&[u8]>)]) -> ConsolidatedCommits {
        let mut file = Sink::new();
        for (name, condition) in commits {
            write_consolidated_commit(&mut file, name, *condition);
        }
        let uri = Uri::parse("mem://array/__commits/file").expect("uri");
        ConsolidatedCommits::read(&uri, file.into_bytes()).expect("commits")
    }

    #[test]
    fn commits_are_sorted_and_the_last_of_equal_ones_is_kept() {
        let one = read(&[
            ("__commits/c.wrt", None),
            ("b.ok", None),
            ("__commits/a.del", Some(b"1\xff")),
            ("__commits/a.del", Some(b"2")),
        ]);
        assert_eq!(one.names().collect::<Vec<_>>(), ["a.del", "b.ok", "c.wrt"]);
        assert_eq!(one.condition("a.del").expect("condition").bytes, b"2");
        assert_eq!(one.condition("b.ok"), None);
        let other = read(&[("__commits/a.del", Some(b"3")), ("__commits/d.wrt", None)]);
        let mut all = ConsolidatedCommits::of_files([one, other]);
        assert_eq!(all.len(), 4);
        assert_eq!(all.condition("a.del").expect("condition").bytes, b"3");
        all.remove(&["b.ok", "d.wrt", "x"].map(str::to_owned).into());
        assert_eq!(all.names().collect::<Vec<_>>(), ["a.del", "c.wrt"]);
        assert!(all.contains("c.wrt") && !all.contains("b.ok"));
    }

    #[test]
    fn a_file_name_is_the_last_component_of_a_path() {
        for (path, name) in [("a", "a"), ("/x/y", "y"), ("x/", ""), ("", "")] {
            assert_eq!(file_name(path), name, "{path}");
        }
    }
}
