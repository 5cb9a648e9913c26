//! The commits of an array: commit files and the entries of consolidated files, except those that
//! ignore files revoke.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::sync::Arc;

use super::instant::{list_at_one_instant, list_folder_at_one_instant};
use super::replacement::ReplacementList;
use crate::bytes::find_byte;
use crate::error::{Error, Result};
use crate::format::commits::{
    CommitEntry, ConsolidatedCommitsReader, is_complete_list, read_names,
};
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::fragment::FragmentLocation;
use crate::types::{SharedText, TimeRange, now};
use crate::vfs::{Entry, EntryKind, FolderLock, StorageView, Uri};

/// Determines which commits are read.
#[derive(Clone, Copy, Debug)]
pub struct CommitScope<'a> {
    /// Consolidated files outside of this time range are not read: none of their commits is visible
    /// in it.
    pub timestamps: TimeRange,
    /// Whether the time range ends after the folders have been listed, so that everything listed is
    /// in it.
    pub until_now: bool,
    /// Whether the array's own folder may hold fragments and commits, as before format 12.
    pub includes_root: bool,
    /// A lock on the array that the caller holds.
    pub lock: Option<&'a FolderLock>,
}

impl<'a> CommitScope<'a> {
    /// Returns the scope of maintenance: all commits.
    pub fn all(lock: Option<&'a FolderLock>) -> Self {
        Self {
            timestamps: TimeRange::ALL,
            until_now: false,
            includes_root: true,
            lock,
        }
    }
}

/// The content of the folders that contain commits, at one instant.
#[derive(Debug)]
pub struct Commits {
    /// The time range.
    pub timestamps: TimeRange,
    /// The folder of commits.
    pub folder: CommitFolder,
    /// The array's folder, without entries if it cannot hold fragments.
    pub root: CommitFolder,
    /// The commits that consolidated files hold and no ignore file revokes.
    pub consolidated: ConsolidatedCommits,
}

/// A folder that can contain commits and replacement lists.
#[derive(Debug, PartialEq)]
pub struct CommitFolder {
    /// The URI.
    pub uri: Uri,
    /// The entries, sorted by name.
    pub entries: Vec<Entry>,
    /// The entries of its folder of pending lists.
    pending: Vec<Entry>,
}

impl CommitFolder {
    /// Completes the entries of a folder.
    fn new(view: &StorageView, uri: &Uri, entries: Vec<Entry>) -> Result<Self> {
        let mut folder = Self {
            uri: uri.clone(),
            entries,
            pending: Vec::new(),
        };
        if folder.has_pending() {
            folder.pending = view.list(&folder.pending_uri())?;
        }
        Ok(folder)
    }

    /// Returns whether there is a folder of pending lists.
    fn has_pending(&self) -> bool {
        self.entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Directory)
            .any(|entry| entry.name == folders::PENDING)
    }

    /// Returns the URI of the folder of pending lists.
    fn pending_uri(&self) -> Uri {
        self.uri.join(folders::PENDING)
    }
}

impl Commits {
    /// Reads the commits of one instant.
    ///
    /// # Errors
    ///
    /// Returns a storage error with "not found" if another process removes a listed file.
    pub fn read(view: &StorageView, array: &Uri, scope: CommitScope<'_>) -> Result<Self> {
        let folder = array.join(folders::COMMITS);
        let [folder, root] = if scope.includes_root {
            list_at_one_instant(view, array, &[&folder, array], scope.lock, || {
                let (entries, root_entries) = (view.list(&folder)?, view.list(array)?);
                Ok([
                    CommitFolder::new(view, &folder, entries)?,
                    CommitFolder::new(view, array, root_entries)?,
                ])
            })
        } else {
            list_folder_at_one_instant(view, array, &folder, scope.lock, |entries| {
                let folder = CommitFolder::new(view, &folder, entries)?;
                let root = CommitFolder::new(view, array, Vec::new())?;
                let lists_others = folder.has_pending();
                Ok(([folder, root], lists_others))
            })
        }?;
        let mut timestamps = scope.timestamps;
        if scope.until_now {
            timestamps.end = now();
        }
        let mut commits = Self {
            timestamps,
            folder,
            root,
            consolidated: ConsolidatedCommits::default(),
        };
        let in_time = |name: &FragmentName| timestamps.overlaps(name.timestamps());
        let files = commits.consolidated_files(view, in_time)?.into_iter();
        commits.consolidated = ConsolidatedCommits::of_files(files.map(|(_, commits)| commits));
        if !commits.consolidated.is_empty() {
            let ignored = commits.ignored(view, in_time)?;
            commits.consolidated.remove(&ignored);
        }
        Ok(commits)
    }

    /// Checks that consolidated files still commit fragments whose folders do not exist, as after
    /// a vacuum that ran while such a file was written. A fragment that is removed is revoked
    /// first, so one that was removed after these commits were listed is not in the files now.
    ///
    /// # Errors
    /// Returns a storage error with "not found" if a fragment was removed meanwhile.
    pub(super) fn check_still_consolidated(
        &self,
        view: &StorageView,
        removed: &[Uri],
    ) -> Result<()> {
        // A listing of an object store shows commits and fragments of one instant.
        if view.listing().is_some() {
            return Ok(());
        }
        let scope = CommitScope {
            timestamps: self.timestamps,
            until_now: false,
            includes_root: false,
            lock: None,
        };
        let current = Self::read(view, &self.root.uri, scope)?.consolidated;
        let is_revoked =
            |uri: &&Uri| !current.contains(&format!("{}{}", uri.name(), folders::WRITE));
        match removed.iter().find(is_revoked) {
            None => Ok(()),
            Some(uri) => Err(Error::storage(
                "open file",
                uri.join(folders::FRAGMENT_METADATA_FILE).as_str(),
                ErrorKind::NotFound.into(),
            )),
        }
    }

    /// Returns the consolidated files whose timestamps satisfy `in_time`, with their commits.
    pub fn consolidated_files(
        &self,
        view: &StorageView,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<(Uri, ConsolidatedCommits)>> {
        let read = |name: &str| {
            let uri = self.folder.uri.join(name);
            let file = view.read_complete(&uri, |file| !file.is_empty())?;
            let commits = ConsolidatedCommits::read(&uri, file)?;
            Ok((uri, commits))
        };
        names_with_suffix(&self.folder.entries, folders::CONSOLIDATED_COMMITS, in_time)
            .map(read)
            .collect()
    }

    /// Returns the commits that are revoked by ignore files whose timestamps satisfy `in_time`.
    fn ignored(
        &self,
        view: &StorageView,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<HashSet<String>> {
        let mut ignored = HashSet::new();
        for name in names_with_suffix(&self.folder.entries, folders::IGNORE, in_time) {
            let uri = self.folder.uri.join(name);
            let file = view.read_complete(&uri, is_complete_list)?;
            let names = read_names(&file).map_err(|error| error.with_uri(&uri))?;
            ignored.extend(names.into_iter().map(str::to_owned));
        }
        Ok(ignored)
    }

    /// Returns the names of files with this suffix.
    pub fn files(&self, suffix: &str) -> impl Iterator<Item = &str> {
        names_with_suffix(&self.folder.entries, suffix, |_| true)
    }

    /// Returns the names of files in the array's own folder with this suffix.
    pub fn root_files(&self, suffix: &str) -> impl Iterator<Item = &str> {
        names_with_suffix(&self.root.entries, suffix, |_| true)
    }

    /// Returns the replacement lists whose timestamps satisfy `in_time`, including pending ones.
    pub fn lists(
        &self,
        view: &StorageView,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<ReplacementList>> {
        let mut lists = Vec::new();
        for folder in [&self.folder, &self.root] {
            for file in names_with_suffix(&folder.entries, folders::VACUUM, &in_time) {
                lists.push(ReplacementList::read(view, folder.uri.join(file))?);
            }
        }
        lists.extend(self.pending_lists(view, in_time)?);
        Ok(lists)
    }

    /// Returns the pending replacement lists whose names satisfy `is_wanted`.
    pub fn pending_lists(
        &self,
        view: &StorageView,
        is_wanted: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<ReplacementList>> {
        let mut lists = Vec::new();
        for folder in [&self.folder, &self.root] {
            let pending_uri = folder.pending_uri();
            for file in names_with_suffix(&folder.pending, folders::VACUUM, &is_wanted) {
                lists.push(ReplacementList::read_pending(view, pending_uri.join(file))?);
            }
        }
        Ok(lists)
    }

    /// Returns the folders of pending lists that exist.
    pub fn pending_folders(&self) -> Vec<Uri> {
        [&self.folder, &self.root]
            .into_iter()
            .filter(|folder| folder.has_pending())
            .map(|folder| folder.pending_uri())
            .collect()
    }

    /// Returns the committed fragments, which may contain duplicates.
    pub(super) fn fragments(&self, view: &StorageView) -> Result<Vec<FragmentLocation>> {
        let folder = self.root.uri.join(folders::FRAGMENTS);
        let mut found = Vec::with_capacity(self.folder.entries.len().max(self.consolidated.len()));
        found.extend(
            self.names_in_files()
                .into_iter()
                .map(|name| FragmentLocation::new(&folder, name, false)),
        );
        let merged = self.consolidated.shared_names();
        found.extend(
            merged
                .filter(|file| file.as_str().ends_with(folders::WRITE))
                .filter_map(|file| {
                    let name = FragmentName::parse_shared(file)?;
                    let only_consolidated = !self.has_file(file.as_str());
                    Some(FragmentLocation::new(&folder, name, only_consolidated))
                }),
        );
        found.extend(
            self.fragments_in_root(view)?
                .into_iter()
                .map(|name| FragmentLocation::new(&self.root.uri, name, false)),
        );
        Ok(found)
    }

    /// Returns the names of the fragments that commit files of their own commit and consolidated
    /// files do not. They are parts of one text.
    fn names_in_files(&self) -> Vec<FragmentName> {
        let files: Vec<&str> = self
            .folder
            .entries
            .iter()
            .filter(|entry| {
                entry.kind == EntryKind::File
                    && entry.name.ends_with(folders::WRITE)
                    && !self.consolidated.contains(&entry.name)
            })
            .map(|entry| entry.name.as_str())
            .collect();
        let whole = Arc::new(files.concat());
        let mut end = 0;
        files
            .iter()
            .filter_map(|file| {
                let start = end;
                end += file.len();
                FragmentName::parse_part(&whole, start..end - folders::WRITE.len())
            })
            .collect()
    }

    /// Returns the names of all committed fragments.
    pub fn fragment_names(&self, view: &StorageView) -> Result<HashSet<String>> {
        let found = self.fragments(view)?.into_iter();
        Ok(found
            .map(|found| found.name().as_str().to_owned())
            .collect())
    }

    fn has_file(&self, file: &str) -> bool {
        let found = self
            .folder
            .entries
            .binary_search_by(|entry| entry.name.as_str().cmp(file));
        found.is_ok()
    }

    /// Returns the committed fragments in the array's own folder.
    fn fragments_in_root(&self, view: &StorageView) -> Result<Vec<FragmentName>> {
        let ok = self.root_files(folders::OK);
        let ok: HashSet<&str> = ok
            .filter_map(|name| name.strip_suffix(folders::OK))
            .collect();
        let mut names = Vec::new();
        for entry in &self.root.entries {
            let Some(name) = FragmentName::with_suffix(&entry.name, "") else {
                continue;
            };
            if entry.kind != EntryKind::Directory {
                continue;
            }
            let committed = ok.contains(name.as_str())
                || self
                    .consolidated
                    .contains(&format!("{}{}", entry.name, folders::OK));
            let fragment = self.root.uri.join(name.as_str());
            if committed
                || name.version() < v::OK_FILES
                    && view.is_file(&fragment.join(folders::FRAGMENT_METADATA_FILE))?
            {
                names.push(name);
            }
        }
        Ok(names)
    }
}

/// Returns the names of files that consist of a timestamped name and this suffix, and whose
/// timestamps satisfy `in_time`.
pub(super) fn names_with_suffix<'a>(
    entries: &'a [Entry],
    suffix: &str,
    in_time: impl Fn(&FragmentName) -> bool,
) -> impl Iterator<Item = &'a str> {
    let parsed = parsed_with_suffix(entries, suffix);
    parsed.filter_map(move |(file, name)| in_time(&name).then_some(file))
}

/// Returns the names of files that consist of a timestamped name and this suffix, and the
/// timestamped names.
fn parsed_with_suffix<'a>(
    entries: &'a [Entry],
    suffix: &str,
) -> impl Iterator<Item = (&'a str, FragmentName)> {
    entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File)
        .map(|entry| entry.name.as_str())
        .filter_map(move |file| Some((file, FragmentName::with_suffix(file, suffix)?)))
}

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
        self.0
            .iter()
            .map(|commit| (commit.name.as_str(), commit.condition.as_deref()))
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
