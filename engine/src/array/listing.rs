//! The visible fragments of an array in a time range, and the files with consolidated footers.
//!
//! A fragment is committed by a `.wrt` file, by an entry of a consolidated commits file that no
//! ignore file revokes, or before format 12 by an `.ok` file. Replacement lists hide the fragments
//! that a consolidated one replaces. Other names are ignored.

use std::collections::HashSet;

use super::commits::{CommitScope, Commits, names_with_suffix};
use super::replacement::{ReplacementList, replaced};
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::fragment::FragmentLocation;
use crate::schema::ArraySchema;
use crate::types::{TimeRange, Timestamp};
use crate::vfs::{Entry, FolderLock, StorageView, Uri};

/// Determines which fragments are visible, depending on their timestamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    /// Fragments completely within the time range.
    Whole,
    /// Also fragments partly within the time range whose cells have timestamps.
    Partly,
    /// Fragments completely within the time range that are not replaced, not even by a fragment
    /// that extends beyond it: merged fragments must not be merged again.
    NotReplaced,
}

impl Visibility {
    /// Returns the visibility for queries that read an array.
    pub(super) fn of_reads(schema: &ArraySchema) -> Self {
        if schema.is_dense() {
            Self::Whole
        } else {
            Self::Partly
        }
    }

    /// Returns whether a fragment is visible in a time range, unless it is replaced.
    pub(super) fn shows(self, name: &FragmentName, timestamps: TimeRange) -> bool {
        if self == Self::Partly && name.version() >= v::PARTIAL_TIME_OVERLAP {
            timestamps.overlaps(name.timestamps())
        } else {
            timestamps.contains(name.timestamps())
        }
    }

    /// Returns whether a fragment hides those that it replaced.
    fn hides_replaced(self, name: &FragmentName, timestamps: TimeRange) -> bool {
        match self {
            Self::NotReplaced => timestamps.overlaps(name.timestamps()),
            _ => self.shows(name, timestamps),
        }
    }
}

/// The visible fragments of an array.
#[derive(Debug)]
pub(super) struct Listing {
    /// Oldest first.
    pub(super) fragments: Vec<FragmentLocation>,
    /// The fragments in the scope that visible consolidated ones replace, oldest first.
    pub(super) replaced: Vec<FragmentLocation>,
    /// The lists of what visible consolidated fragments replace.
    pub(super) lists: Vec<ReplacementList>,
    /// The files with consolidated footers, newest first.
    pub(super) footers: Vec<Uri>,
    /// The commits.
    pub(super) commits: Commits,
}

/// Lists an array: its fragments in the scope of `commits`, as far as `visibility` shows them.
pub(super) fn list(
    view: &StorageView,
    array: &Uri,
    scope: CommitScope<'_>,
    visibility: Visibility,
) -> Result<Listing> {
    let mut listing = list_fragments(view, array, scope, visibility)?;
    listing.footers = footers(view, array, &listing.commits.root.entries)?;
    Ok(listing)
}

/// Lists an array as [`list`] does, except the files with consolidated footers.
fn list_fragments(
    view: &StorageView,
    array: &Uri,
    scope: CommitScope<'_>,
    visibility: Visibility,
) -> Result<Listing> {
    let commits = Commits::read(view, array, scope)?;
    let timestamps = commits.timestamps;
    let hides = |name: &FragmentName| visibility.hides_replaced(name, timestamps);
    let mut found = commits.fragments(view)?;
    let lists = commits.lists(view, hides)?;
    let hidden = if lists.is_empty() {
        HashSet::new()
    } else {
        let committed: HashSet<&str> = found
            .iter()
            .filter(|found| hides(found.name()))
            .map(|found| found.name().as_str())
            .collect();
        replaced(&lists, |list| list.counts(|name| committed.contains(name)))
    };
    found.retain(|found| visibility.shows(found.name(), timestamps));
    let mut found = in_order(found);
    found.dedup_by(|a, b| a.name() == b.name());
    let (replaced, fragments) = if hidden.is_empty() {
        (Vec::new(), found)
    } else {
        found
            .into_iter()
            .partition(|found| hidden.contains(found.name().as_str()))
    };
    Ok(Listing {
        fragments,
        replaced,
        lists,
        footers: Vec::new(),
        commits,
    })
}

/// Returns fragments sorted by their start, then by name.
fn in_order(found: Vec<FragmentLocation>) -> Vec<FragmentLocation> {
    let start = |found: &FragmentLocation| found.name().timestamps().start;
    let order = |a: &FragmentLocation, b: &FragmentLocation| {
        start(a)
            .cmp(&start(b))
            .then_with(|| a.name().as_str().cmp(b.name().as_str()))
    };
    if found.is_sorted_by(|a, b| order(a, b).is_le()) {
        return found;
    }
    // Small elements are sorted faster, and most fragments differ in their start.
    let mut starts: Vec<(Timestamp, usize)> = found.iter().map(start).zip(0..).collect();
    let mut found: Vec<Option<FragmentLocation>> = found.into_iter().map(Some).collect();
    starts.sort_unstable_by(|(a, i), (b, j)| {
        let name = |index: usize| found.get(index).and_then(Option::as_ref);
        let name = |index| name(index).map(|found| found.name().as_str());
        a.cmp(b).then_with(|| name(*i).cmp(&name(*j)))
    });
    starts
        .into_iter()
        .filter_map(|(_, index)| found.get_mut(index).and_then(Option::take))
        .collect()
}

/// Returns the names of the fragments completely within a time range that are not replaced, oldest
/// first, then by name. `lock` is a lock on the array that the caller holds.
pub fn current_fragments(
    view: &StorageView,
    array: &Uri,
    timestamps: TimeRange,
    lock: Option<&FolderLock>,
) -> Result<Vec<FragmentName>> {
    names(view, array, timestamps, Visibility::NotReplaced, lock)
}

/// Returns the names of the fragments completely within a time range that a reader of this range
/// sees: also those that a fragment replaced which extends beyond it. They are sorted as those of
/// [`current_fragments`].
pub fn seen_fragments(
    view: &StorageView,
    array: &Uri,
    timestamps: TimeRange,
    lock: Option<&FolderLock>,
) -> Result<Vec<FragmentName>> {
    names(view, array, timestamps, Visibility::Whole, lock)
}

fn names(
    view: &StorageView,
    array: &Uri,
    timestamps: TimeRange,
    visibility: Visibility,
    lock: Option<&FolderLock>,
) -> Result<Vec<FragmentName>> {
    let scope = CommitScope {
        timestamps,
        ..CommitScope::all(lock)
    };
    let fragments = list_fragments(view, array, scope, visibility)?.fragments;
    Ok(fragments.iter().map(|found| found.name().clone()).collect())
}

/// Returns the files with consolidated footers, newest first.
fn footers(view: &StorageView, array: &Uri, root_entries: &[Entry]) -> Result<Vec<Uri>> {
    let folder = array.join(folders::FRAGMENT_META);
    let entries = view.list(&folder)?;
    let mut files: Vec<(TimeRange, Uri)> = Vec::new();
    for (folder, entries) in [(&folder, entries.as_slice()), (array, root_entries)] {
        for file in names_with_suffix(entries, folders::CONSOLIDATED_META, |_| true) {
            let time = FragmentName::parse(file).map_or(TimeRange::ALL, |name| name.timestamps());
            files.push((time, folder.join(file)));
        }
    }
    files.sort_by(|(a, _), (b, _)| b.end.cmp(&a.end).then(a.start.cmp(&b.start)));
    Ok(files.into_iter().map(|(_, uri)| uri).collect())
}
