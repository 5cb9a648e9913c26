//! What is in an array's folder: which fragments are committed and visible at a time, and where footers lie together.
//!
//! A fragment counts when a commit says so: a `.wrt` file, an entry of a consolidated commits file that no ignore file
//! takes back, or in the layout before format 12 an `.ok` file beside it. Vacuum files hide what a consolidated fragment
//! replaces. Everything else that lies around is passed over.

use std::collections::HashSet;

use crate::error::Result;
use crate::format::commits::{read_consolidated_commits, read_names};
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::types::TimeRange;
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// Which moment and which folders a listing is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) timestamps: TimeRange,
    /// Whether fragments that lie partly in the time range count, since their cells tell their times.
    pub(super) partial: bool,
    /// Whether the array's own folder may hold fragments and commits, as before format 12.
    pub(super) root: bool,
}

impl Scope {
    fn sees(&self, name: &FragmentName) -> bool {
        match self.partial && name.version() >= v::PARTIAL_TIME_OVERLAP {
            true => self.timestamps.overlaps(name.timestamps()),
            false => self.timestamps.contains(name.timestamps()),
        }
    }
}

/// The visible fragments of an array.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Names and folders, oldest first.
    pub(super) fragments: Vec<(FragmentName, Uri)>,
    /// Folders of fragments that visible consolidated ones replace, oldest first.
    pub(super) replaced: Vec<Uri>,
    /// Files with the footers of many fragments, newest first.
    pub(super) footers: Vec<Uri>,
}

/// Lists an array.
pub(super) fn list(vfs: &Vfs, array: &Uri, scope: Scope) -> Result<Listing> {
    let commits = Commits::read(vfs, array, scope)?;
    let root = if scope.root {
        vfs.list(array)?
    } else {
        Vec::new()
    };
    let mut found: Vec<(FragmentName, bool)> = commits.written();
    found.extend(
        in_root(vfs, array, &root, &commits)?
            .into_iter()
            .map(|name| (name, true)),
    );
    found.retain(|(name, _)| scope.sees(name));
    let vacuumed = vacuumed(vfs, array, &root, &commits, scope)?;
    found.sort_unstable_by(|(a, _), (b, _)| {
        let key = |name: &FragmentName| name.timestamps().start;
        key(a).cmp(&key(b)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    found.dedup_by(|(a, _), (b, _)| a == b);
    let folder = array.join(folders::FRAGMENTS);
    let mut fragments = Vec::with_capacity(found.len());
    let mut replaced = Vec::new();
    for (name, in_root) in found {
        let uri = if in_root { array } else { &folder }.join(name.as_str());
        match vacuumed.contains(name.as_str()) {
            true => replaced.push(uri),
            false => fragments.push((name, uri)),
        }
    }
    Ok(Listing {
        fragments,
        replaced,
        footers: footers(vfs, array, &root)?,
    })
}

/// What the folder of commits says.
struct Commits {
    folder: Uri,
    entries: Vec<Entry>,
    /// The files that consolidated commits name and no ignore file takes back, without the folder.
    consolidated: HashSet<String>,
}

impl Commits {
    fn read(vfs: &Vfs, array: &Uri, scope: Scope) -> Result<Self> {
        let folder = array.join(folders::COMMITS);
        let entries = vfs.list(&folder)?;
        let mut consolidated = HashSet::new();
        // A file whose span misses the time range commits nothing that is visible.
        let in_time = |name: &FragmentName| scope.timestamps.overlaps(name.timestamps());
        for name in ending(&entries, folders::CONSOLIDATED_COMMITS, in_time) {
            let uri = folder.join(name);
            let file = vfs.read_all(&uri)?;
            let commits = read_consolidated_commits(&file).map_err(|error| error.at(&uri))?;
            let names = commits
                .iter()
                .filter_map(|commit| commit.name.rsplit('/').next());
            consolidated.extend(names.map(str::to_owned));
        }
        if !consolidated.is_empty() {
            for name in ending(&entries, folders::IGNORE, in_time) {
                let uri = folder.join(name);
                let file = vfs.read_all(&uri)?;
                for name in read_names(&file).map_err(|error| error.at(&uri))? {
                    consolidated.remove(name);
                }
            }
        }
        Ok(Self {
            folder,
            entries,
            consolidated,
        })
    }

    /// The fragments in the folder of fragments that are committed; `false` for: not in the array's own folder.
    fn written(&self) -> Vec<(FragmentName, bool)> {
        let files = self.entries.iter().map(|entry| &entry.name);
        let files = files.filter(|name| !self.consolidated.contains(name.as_str()));
        let written = self.consolidated.iter().chain(files);
        let written = written.filter(|name| name.ends_with(folders::WRITE));
        written
            .filter_map(|name| Some((FragmentName::parse(name)?, false)))
            .collect()
    }
}

/// The names of files with this suffix whose time passes `in_time`.
fn ending<'a>(
    entries: &'a [Entry],
    suffix: &str,
    in_time: impl Fn(&FragmentName) -> bool,
) -> impl Iterator<Item = &'a str> {
    let files = entries.iter().filter(|entry| entry.kind == EntryKind::File);
    let names = files.map(|entry| entry.name.as_str());
    let named = names.filter(move |name| name.ends_with(suffix));
    named.filter(move |name| FragmentName::parse(name).is_some_and(|name| in_time(&name)))
}

/// The fragments in the array's own folder that are committed.
fn in_root(vfs: &Vfs, array: &Uri, root: &[Entry], commits: &Commits) -> Result<Vec<FragmentName>> {
    let ok = root
        .iter()
        .filter_map(|entry| entry.name.strip_suffix(folders::OK));
    let ok: HashSet<&str> = ok.collect();
    let mut names = Vec::new();
    for entry in root {
        let Some(name) = FragmentName::parse(&entry.name) else {
            continue;
        };
        if entry.kind != EntryKind::Directory || entry.name != name.as_str() {
            continue;
        }
        let committed = ok.contains(name.as_str())
            || commits
                .consolidated
                .contains(&format!("{}{}", entry.name, folders::OK));
        let metadata = || {
            array
                .join(name.as_str())
                .join(folders::FRAGMENT_METADATA_FILE)
        };
        if committed || (name.version() < v::OK_FILES && vfs.is_file(&metadata())?) {
            names.push(name);
        }
    }
    Ok(names)
}

/// The names of the fragments that visible consolidated ones replace.
fn vacuumed(
    vfs: &Vfs,
    array: &Uri,
    root: &[Entry],
    commits: &Commits,
    scope: Scope,
) -> Result<HashSet<String>> {
    let mut names = HashSet::new();
    for (folder, entries) in [(&commits.folder, commits.entries.as_slice()), (array, root)] {
        for file in ending(entries, folders::VACUUM, |name| scope.sees(name)) {
            let uri = folder.join(file);
            let file = vfs.read_all(&uri)?;
            let listed = read_names(&file).map_err(|error| error.at(&uri))?;
            names.extend(listed.into_iter().map(str::to_owned));
        }
    }
    Ok(names)
}

/// The files with the footers of many fragments, newest first.
fn footers(vfs: &Vfs, array: &Uri, root: &[Entry]) -> Result<Vec<Uri>> {
    let folder = array.join(folders::FRAGMENT_META);
    let entries = vfs.list(&folder)?;
    let mut files: Vec<(TimeRange, Uri)> = Vec::new();
    for (folder, entries) in [(&folder, entries.as_slice()), (array, root)] {
        for file in ending(entries, folders::CONSOLIDATED_META, |_| true) {
            let time = FragmentName::parse(file).map_or(TimeRange::ALL, |name| name.timestamps());
            files.push((time, folder.join(file)));
        }
    }
    files.sort_by(|(a, _), (b, _)| b.end.cmp(&a.end).then(a.start.cmp(&b.start)));
    Ok(files.into_iter().map(|(_, uri)| uri).collect())
}
