//! The commits of an array: single files, and those that consolidated files hold, less what ignore files take back.

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::format::commits::{read_consolidated_commits, read_names};
use crate::format::names::{FragmentName, folders};
use crate::types::TimeRange;
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// Commits by file name; conditions come with their bytes.
pub type ByName = BTreeMap<String, Option<Vec<u8>>>;

/// What the folder of commits says.
#[derive(Debug)]
pub struct Commits {
    /// The folder.
    pub folder: Uri,
    /// What is in it.
    pub entries: Vec<Entry>,
    /// The commits that consolidated files hold and no ignore file takes back.
    pub consolidated: ByName,
}

impl Commits {
    /// Reads the files whose span meets a time range: others commit nothing that is visible in it.
    pub fn read(vfs: &Vfs, array: &Uri, timestamps: TimeRange) -> Result<Self> {
        let folder = array.join(folders::COMMITS);
        let entries = vfs.list(&folder)?;
        let mut made = Self {
            folder,
            entries,
            consolidated: BTreeMap::new(),
        };
        let in_time = |name: &FragmentName| timestamps.overlaps(name.timestamps());
        for (_, commits) in made.consolidated_files(vfs, in_time)? {
            made.consolidated.extend(commits);
        }
        if !made.consolidated.is_empty() {
            for name in made.ignored(vfs, in_time)? {
                made.consolidated.remove(&name);
            }
        }
        Ok(made)
    }

    /// The consolidated files whose time passes `in_time`, and what each holds.
    pub fn consolidated_files(
        &self,
        vfs: &Vfs,
        in_time: impl Fn(&FragmentName) -> bool,
    ) -> Result<Vec<(Uri, ByName)>> {
        let read = |name: &str| {
            let uri = self.folder.join(name);
            let file = vfs.read_all(&uri)?;
            let commits = read_consolidated_commits(&file).map_err(|error| error.at(&uri))?;
            let commits = commits.iter().map(|commit| {
                let name = commit.name.rsplit('/').next().unwrap_or_default();
                let condition = commit.condition.map(|(_, bytes)| bytes.to_vec());
                (name.to_owned(), condition)
            });
            Ok((uri, commits.collect()))
        };
        ending(&self.entries, folders::CONSOLIDATED_COMMITS, in_time)
            .map(read)
            .collect()
    }

    /// The commits that ignore files whose time passes `in_time` take back.
    fn ignored(&self, vfs: &Vfs, in_time: impl Fn(&FragmentName) -> bool) -> Result<Vec<String>> {
        let mut ignored = Vec::new();
        for name in ending(&self.entries, folders::IGNORE, in_time) {
            let uri = self.folder.join(name);
            let file = vfs.read_all(&uri)?;
            let names = read_names(&file).map_err(|error| error.at(&uri))?;
            ignored.extend(names.into_iter().map(str::to_owned));
        }
        Ok(ignored)
    }

    /// The names of files with this suffix.
    pub fn files(&self, suffix: &str) -> impl Iterator<Item = &str> {
        ending(&self.entries, suffix, |_| true)
    }

    /// The fragments in the folder of fragments that are committed, each perhaps twice.
    pub(super) fn written(&self) -> impl Iterator<Item = FragmentName> {
        let files = self.entries.iter().map(|entry| &entry.name);
        let files = files.filter(|name| !self.consolidated.contains_key(name.as_str()));
        let written = self.consolidated.keys().chain(files);
        written
            .filter(|name| name.ends_with(folders::WRITE))
            .filter_map(|name| FragmentName::parse(name))
    }
}

/// The names of files with this suffix whose time passes `in_time`.
pub(super) fn ending<'a>(
    entries: &'a [Entry],
    suffix: &str,
    in_time: impl Fn(&FragmentName) -> bool,
) -> impl Iterator<Item = &'a str> {
    let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    let names = files.map(|entry| entry.name.as_str());
    let named = names.filter(move |name| name.ends_with(suffix));
    named.filter(move |name| FragmentName::parse(name).is_some_and(|name| in_time(&name)))
}

/// The names of the fragments that lists say are replaced. A list counts once the fragment it is named after is committed,
/// or replaced in turn: it may be written first.
pub fn replaced(
    lists: Vec<(FragmentName, Vec<String>)>,
    committed: &HashSet<&str>,
) -> HashSet<String> {
    let mut names = HashSet::new();
    let mut waiting = lists;
    loop {
        let before = waiting.len();
        let (count, wait): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(name, _)| {
            committed.contains(name.as_str()) || names.contains(name.as_str())
        });
        names.extend(count.into_iter().flat_map(|(_, listed)| listed));
        if wait.len() == before {
            return names;
        }
        waiting = wait;
    }
}
