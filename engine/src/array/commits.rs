//! The commits of an array: commit files and the entries of consolidated files, except those that
//! ignore files revoke.

use std::collections::HashSet;
use std::sync::Arc;

use super::consolidated_commits::ConsolidatedCommits;
use super::instant::{CompletedListing, list_at_one_instant, list_folder_at_one_instant};
use super::replacement::ReplacementList;
use crate::error::Result;
use crate::format::commits::{is_complete_list, read_names};
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::types::{TimeRange, now};
use crate::vfs::{Entry, EntryKind, FolderLock, Uri, Vfs};

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
    /// The array's folder.
    pub array: Uri,
    /// The time range.
    pub timestamps: TimeRange,
    /// The folder of commits.
    pub folder: Uri,
    /// The entries of the folder of commits.
    pub entries: Vec<Entry>,
    /// The entries of the array's folder, if it may hold fragments.
    pub root_entries: Vec<Entry>,
    /// The entries of the folders of pending lists, in the folder of commits and in the array's.
    pending: [Vec<Entry>; 2],
    /// The commits that consolidated files hold and no ignore file revokes.
    pub consolidated: ConsolidatedCommits,
}

/// A folder that can contain replacement lists.
#[derive(Clone, Copy, Debug)]
struct ListFolder<'a> {
    uri: &'a Uri,
    entries: &'a [Entry],
    /// The entries of its folder of pending lists.
    pending: &'a [Entry],
}

impl ListFolder<'_> {
    /// Returns the URI of its folder of pending lists.
    fn pending_uri(&self) -> Uri {
        self.uri.join(folders::PENDING)
    }
}

/// A committed fragment.
#[derive(Clone, Debug)]
pub(super) struct FragmentCommit {
    pub(super) name: FragmentName,
    /// Whether it is in the array's own folder.
    pub(super) in_root: bool,
    /// Whether only a consolidated file commits it.
    pub(super) only_consolidated: bool,
}

/// The names in the folders that contain commits.
#[derive(PartialEq)]
struct Names {
    commits: Vec<Entry>,
    root: Vec<Entry>,
    pending: [Vec<Entry>; 2],
}

/// Returns whether entries include a folder of pending lists.
fn has_pending(entries: &[Entry]) -> bool {
    let mut directories = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory);
    directories.any(|entry| entry.name == folders::PENDING)
}

impl Names {
    /// Completes the entries of the folder of commits.
    fn complete(
        vfs: &Vfs,
        array: &Uri,
        commits: &Uri,
        includes_root: bool,
        commit_entries: Vec<Entry>,
    ) -> Result<CompletedListing<Self>> {
        let pending_in = |folder: &Uri, entries: &[Entry]| {
            if has_pending(entries) {
                vfs.list(&folder.join(folders::PENDING))
            } else {
                Ok(Vec::new())
            }
        };
        let root_entries = if includes_root {
            vfs.list(array)?
        } else {
            Vec::new()
        };
        let pending = [
            pending_in(commits, &commit_entries)?,
            pending_in(array, &root_entries)?,
        ];
        let has_others = includes_root || has_pending(&commit_entries);
        let listed = Self {
            commits: commit_entries,
            root: root_entries,
            pending,
        };
        Ok(CompletedListing { listed, has_others })
    }
}

impl Commits {
    /// Reads the commits of one instant.
    ///
    /// # Errors
    /// Returns a storage error with "not found" if another process removes a listed file.
    pub fn read(vfs: &Vfs, array: &Uri, scope: CommitScope<'_>) -> Result<Self> {
        let folder = array.join(folders::COMMITS);
        let complete = |entries| Names::complete(vfs, array, &folder, scope.includes_root, entries);
        let names = if scope.includes_root {
            list_at_one_instant(vfs, array, &[&folder, array], scope.lock, || {
                Ok(complete(vfs.list(&folder)?)?.listed)
            })
        } else {
            list_folder_at_one_instant(vfs, array, &folder, scope.lock, complete)
        }?;
        let mut timestamps = scope.timestamps;
        if scope.until_now {
            timestamps.end = now();
        }
        let mut commits = Self {
            array: array.clone(),
            timestamps,
            folder,
            entries: names.commits,
            root_entries: names.root,
            pending: names.pending,
            consolidated: ConsolidatedCommits::default(),
        };
        let in_time = |name: &FragmentName| timestamps.overlaps(name.timestamps());
        let files = commits.consolidated_files(vfs, in_time)?.into_iter();
        commits.consolidated = ConsolidatedCommits::of_files(files.map(|(_, commits)| commits));
        if !commits.consolidated.is_empty() {
            let ignored = commits.ignored(vfs, in_time)?;
            commits.consolidated.remove(&ignored);
        }
        Ok(commits)
    }

    /// Returns the consolidated files whose timestamps satisfy `in_time`, with their commits.
    pub fn consolidated_files(
        &self,
        vfs: &Vfs,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<(Uri, ConsolidatedCommits)>> {
        let read = |name: &str| {
            let uri = self.folder.join(name);
            let file = vfs.read_complete(&uri, |file| !file.is_empty())?;
            let commits = ConsolidatedCommits::read(&uri, file)?;
            Ok((uri, commits))
        };
        names_with_suffix(&self.entries, folders::CONSOLIDATED_COMMITS, in_time)
            .map(read)
            .collect()
    }

    /// Returns the commits that are revoked by ignore files whose timestamps satisfy `in_time`.
    fn ignored(
        &self,
        vfs: &Vfs,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<HashSet<String>> {
        let mut ignored = HashSet::new();
        for name in names_with_suffix(&self.entries, folders::IGNORE, in_time) {
            let uri = self.folder.join(name);
            let file = vfs.read_complete(&uri, is_complete_list)?;
            let names = read_names(&file).map_err(|error| error.with_uri(&uri))?;
            ignored.extend(names.into_iter().map(str::to_owned));
        }
        Ok(ignored)
    }

    /// Returns the names of files with this suffix.
    pub fn files(&self, suffix: &str) -> impl Iterator<Item = &str> {
        names_with_suffix(&self.entries, suffix, |_| true)
    }

    /// Returns the names of files in the array's own folder with this suffix.
    pub fn root_files(&self, suffix: &str) -> impl Iterator<Item = &str> {
        names_with_suffix(&self.root_entries, suffix, |_| true)
    }

    /// Returns the folders that can contain replacement lists.
    fn list_folders(&self) -> [ListFolder<'_>; 2] {
        let [pending, root_pending] = &self.pending;
        [
            ListFolder {
                uri: &self.folder,
                entries: &self.entries,
                pending,
            },
            ListFolder {
                uri: &self.array,
                entries: &self.root_entries,
                pending: root_pending,
            },
        ]
    }

    /// Returns the replacement lists whose timestamps satisfy `in_time`, including pending ones.
    pub fn lists(
        &self,
        vfs: &Vfs,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<ReplacementList>> {
        let mut lists = Vec::new();
        for folder in self.list_folders() {
            for file in names_with_suffix(folder.entries, folders::VACUUM, &in_time) {
                lists.push(ReplacementList::read(vfs, folder.uri.join(file))?);
            }
        }
        lists.extend(self.pending_lists(vfs, in_time)?);
        Ok(lists)
    }

    /// Returns the pending replacement lists whose names satisfy `is_wanted`.
    pub fn pending_lists(
        &self,
        vfs: &Vfs,
        is_wanted: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<ReplacementList>> {
        let mut lists = Vec::new();
        for folder in self.list_folders() {
            let pending_uri = folder.pending_uri();
            for file in names_with_suffix(folder.pending, folders::VACUUM, &is_wanted) {
                lists.push(ReplacementList::read_pending(vfs, pending_uri.join(file))?);
            }
        }
        Ok(lists)
    }

    /// Returns the folders of pending lists that exist.
    pub fn pending_folders(&self) -> Vec<Uri> {
        let folders = self.list_folders().into_iter();
        let existing = folders.filter(|folder| has_pending(folder.entries));
        existing.map(|folder| folder.pending_uri()).collect()
    }

    /// Returns the committed fragments, which may contain duplicates.
    pub(super) fn fragments(&self, vfs: &Vfs) -> Result<Vec<FragmentCommit>> {
        let mut found = Vec::with_capacity(self.entries.len().max(self.consolidated.len()));
        found.extend(
            self.names_in_files()
                .into_iter()
                .map(|name| FragmentCommit {
                    name,
                    in_root: false,
                    only_consolidated: false,
                }),
        );
        let merged = self.consolidated.shared_names();
        let merged = merged.filter(|file| file.as_str().ends_with(folders::WRITE));
        found.extend(merged.filter_map(|file| {
            Some(FragmentCommit {
                name: FragmentName::parse_shared(file)?,
                in_root: false,
                only_consolidated: !self.has_file(file.as_str()),
            })
        }));
        let in_root = self.fragments_in_root(vfs)?.into_iter();
        found.extend(in_root.map(|name| FragmentCommit {
            name,
            in_root: true,
            only_consolidated: false,
        }));
        Ok(found)
    }

    /// Returns the names of the fragments that commit files of their own commit and consolidated
    /// files do not. They are parts of one text.
    fn names_in_files(&self) -> Vec<FragmentName> {
        let is_single = |entry: &&Entry| {
            entry.kind == EntryKind::File
                && entry.name.ends_with(folders::WRITE)
                && !self.consolidated.contains(&entry.name)
        };
        let files: Vec<&str> = self
            .entries
            .iter()
            .filter(is_single)
            .map(|entry| entry.name.as_str())
            .collect();
        let whole = Arc::new(files.concat());
        let mut end = 0;
        let parse = |file: &&str| {
            let start = end;
            end += file.len();
            FragmentName::parse_part(&whole, start..end - folders::WRITE.len())
        };
        files.iter().filter_map(parse).collect()
    }

    /// Returns the names of all committed fragments.
    pub fn fragment_names(&self, vfs: &Vfs) -> Result<HashSet<String>> {
        let found = self.fragments(vfs)?.into_iter();
        Ok(found.map(|found| found.name.as_str().to_owned()).collect())
    }

    fn has_file(&self, file: &str) -> bool {
        let found = self
            .entries
            .binary_search_by(|entry| entry.name.as_str().cmp(file));
        found.is_ok()
    }

    /// Returns the committed fragments in the array's own folder.
    fn fragments_in_root(&self, vfs: &Vfs) -> Result<Vec<FragmentName>> {
        let ok = self.root_files(folders::OK);
        let ok: HashSet<&str> = ok
            .filter_map(|name| name.strip_suffix(folders::OK))
            .collect();
        let mut names = Vec::new();
        for entry in &self.root_entries {
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
            let metadata = || {
                let folder = self.array.join(name.as_str());
                folder.join(folders::FRAGMENT_METADATA_FILE)
            };
            if committed || (name.version() < v::OK_FILES && vfs.is_file(&metadata())?) {
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
    let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    let names = files.map(|entry| entry.name.as_str());
    names.filter_map(move |file| Some((file, FragmentName::with_suffix(file, suffix)?)))
}
