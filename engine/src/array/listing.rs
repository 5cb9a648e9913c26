//! What is in an array's folder: which fragments are committed and visible at a time, and where footers lie together.
//!
//! A fragment counts when a commit says so: a `.wrt` file, an entry of a consolidated commits file that no ignore file
//! takes back, or in the layout before format 12 an `.ok` file beside it. Vacuum files hide what a consolidated fragment
//! replaces. Everything else that lies around is passed over.

use std::collections::HashSet;

use super::commits::{self, Commits, ending};
use crate::error::Result;
use crate::format::commits::read_names;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::types::TimeRange;
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// Which fragments count, by how they lie in a time range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Those that lie in it as a whole.
    Whole,
    /// Those that lie in it partly too, since their cells tell their times.
    Partly,
    /// Those that lie in it as a whole, and were not replaced by any that reaches out of it: what is merged once must not
    /// be merged again.
    NotReplaced,
}

/// Which moment and which folders a listing is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope {
    pub(super) timestamps: TimeRange,
    pub(super) seen: Seen,
    /// Whether the array's own folder may hold fragments and commits, as before format 12.
    pub(super) root: bool,
}

impl Scope {
    fn sees(&self, name: &FragmentName) -> bool {
        match self.seen == Seen::Partly && name.version() >= v::PARTIAL_TIME_OVERLAP {
            true => self.timestamps.overlaps(name.timestamps()),
            false => self.timestamps.contains(name.timestamps()),
        }
    }

    /// Whether a fragment hides those that it replaced.
    fn hides(&self, name: &FragmentName) -> bool {
        match self.seen {
            Seen::NotReplaced => self.timestamps.overlaps(name.timestamps()),
            _ => self.sees(name),
        }
    }
}

/// The visible fragments of an array.
#[derive(Debug)]
pub(super) struct Listing {
    /// Names and folders, oldest first.
    pub(super) fragments: Vec<(FragmentName, Uri)>,
    /// Folders of fragments that visible consolidated ones replace, oldest first.
    pub(super) replaced: Vec<Uri>,
    /// Files with the footers of many fragments, newest first.
    pub(super) footers: Vec<Uri>,
    /// What the folder of commits says.
    pub(super) commits: Commits,
}

/// Lists an array.
pub(super) fn list(vfs: &Vfs, array: &Uri, scope: Scope) -> Result<Listing> {
    let commits = Commits::read(vfs, array, scope.timestamps)?;
    let root = if scope.root {
        vfs.list(array)?
    } else {
        Vec::new()
    };
    let mut found: Vec<(FragmentName, bool)> =
        commits.written().map(|name| (name, false)).collect();
    found.extend(
        in_root(vfs, array, &root, &commits)?
            .into_iter()
            .map(|name| (name, true)),
    );
    let hiding = found.iter().filter(|(name, _)| scope.hides(name));
    let committed = hiding.map(|(name, _)| name.as_str()).collect();
    let vacuumed = commits::replaced(lists(vfs, array, &root, &commits, scope)?, &committed);
    found.retain(|(name, _)| scope.sees(name));
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
        commits,
    })
}

/// The names of all fragments that are committed. `root` is what is in the array's own folder.
pub fn committed_fragments(
    vfs: &Vfs,
    array: &Uri,
    root: &[Entry],
    commits: &Commits,
) -> Result<HashSet<String>> {
    let in_root = in_root(vfs, array, root, commits)?;
    let names = commits.written().chain(in_root);
    Ok(names.map(|name| name.as_str().to_owned()).collect())
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
                .contains_key(&format!("{}{}", entry.name, folders::OK));
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

/// The lists of what visible consolidated fragments replace.
fn lists(
    vfs: &Vfs,
    array: &Uri,
    root: &[Entry],
    commits: &Commits,
    scope: Scope,
) -> Result<Vec<(FragmentName, Vec<String>)>> {
    let mut lists = Vec::new();
    for (folder, entries) in [(&commits.folder, commits.entries.as_slice()), (array, root)] {
        for suffix in [folders::VACUUM, folders::VACUUM_AHEAD] {
            for file in ending(entries, suffix, |name| scope.hides(name)) {
                let uri = folder.join(file);
                let bytes = vfs.read_all(&uri)?;
                let listed = read_names(&bytes).map_err(|error| error.at(&uri))?;
                let listed = listed.into_iter().map(str::to_owned).collect();
                lists.extend(FragmentName::parse(file).map(|name| (name, listed)));
            }
        }
    }
    Ok(lists)
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
