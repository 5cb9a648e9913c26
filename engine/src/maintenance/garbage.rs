//! Removes what killed processes left: temporary names, fragment folders without a commit,
//! replacement lists that never took effect, and label folders that no schema names.
//!
//! No reader at any timestamp sees any of it. Files that are too young, or that a running writer
//! has locked, are kept.

use std::collections::HashSet;

use super::age::MinAge;
use super::claims::lock_for_maintenance;
use crate::array::{self, CommitScope, Commits, ReplacementList, replaced, retain_described};
use crate::config::Config;
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::format::version as v;
use crate::memory::tuning::REMOVAL_BATCH_FRAGMENTS;
use crate::vfs::{Entry, EntryKind, FolderLock, LockMode, StorageView, Uri, is_temporary};

/// Whether remains are old enough to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemainsAge {
    /// No running process uses them.
    Removable,
    /// A running process may use them: they are younger than `sm.vacuum.garbage_min_age_ms`. Only
    /// folders are reported.
    TooYoung,
}

/// The treatment of remains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemainsAction {
    /// They are reported and removed.
    Remove,
    /// They are only reported.
    Report,
}

/// Receives the files and folders that are removed, before they are, and the folders that are not
/// because they are too young.
pub(super) type ReportRemains<'a> = dyn FnMut(&Uri, RemainsAge) -> Result<()> + 'a;

/// Removes remains, or only reports them.
pub(super) struct Sweep<'a> {
    view: &'a StorageView,
    age: MinAge,
    action: RemainsAction,
    report: &'a mut ReportRemains<'a>,
}

impl<'a> Sweep<'a> {
    /// Returns a sweep with the minimum age of `config`.
    pub(super) fn new(
        view: &'a StorageView,
        config: &Config,
        action: RemainsAction,
        report: &'a mut ReportRemains<'a>,
    ) -> Result<Self> {
        Ok(Self {
            view,
            age: MinAge::of_garbage(config)?,
            action,
            report,
        })
    }

    /// Removes a file if it has the minimum age.
    fn file(&mut self, uri: &Uri) -> Result<()> {
        if !self.age.has_passed(self.view, uri)? {
            return Ok(());
        }
        (self.report)(uri, RemainsAge::Removable)?;
        if self.action == RemainsAction::Remove {
            self.view.vfs.remove_file_if_any(uri)?;
        }
        Ok(())
    }

    /// Removes a folder if everything in it has the minimum age. No other process uses it.
    fn folder(&mut self, uri: &Uri) -> Result<()> {
        if !self.age.has_passed_below(self.view, uri)? {
            return (self.report)(uri, RemainsAge::TooYoung);
        }
        (self.report)(uri, RemainsAge::Removable)?;
        if self.action == RemainsAction::Remove {
            self.view.remove_dir_if_any(uri)?;
        }
        Ok(())
    }

    /// Removes a folder unless a running creation has locked it.
    fn unlocked_folder(&mut self, uri: &Uri) -> Result<()> {
        match self.view.vfs.try_lock(uri, LockMode::Exclusive) {
            Ok(Some(_lock)) => self.folder(uri),
            Ok(None) => Ok(()),
            Err(error) if error.is_missing_file() => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn entry(&mut self, folder: &Uri, entry: &Entry) -> Result<()> {
        let uri = folder.join(&entry.name);
        match entry.kind {
            EntryKind::File => self.file(&uri),
            EntryKind::Directory => self.unlocked_folder(&uri),
        }
    }

    /// Removes the temporary names in the folder of an array or group that killed processes left.
    pub(super) fn temporaries(&mut self, object: &Uri) -> Result<()> {
        for entry in self
            .view
            .list(object)?
            .into_iter()
            .filter(|entry| is_temporary(&entry.name))
        {
            self.entry(object, &entry)?;
        }
        Ok(())
    }

    /// Returns a lock that excludes other maintenance. A sweep that only reports does not complete
    /// consolidations that ended after their commit.
    fn lock(&self, array: &Uri) -> Result<FolderLock> {
        match self.action {
            RemainsAction::Report => self.view.vfs.lock(array, LockMode::Exclusive),
            RemainsAction::Remove => lock_for_maintenance(self.view, array),
        }
    }
}

/// Removes the temporary names in the folder of an array or group that killed processes left.
pub(super) fn remove_temporaries(view: &StorageView, object: &Uri, config: &Config) -> Result<()> {
    Sweep::new(view, config, RemainsAction::Remove, &mut |_, _| Ok(()))?.temporaries(object)
}

/// Removes what killed processes left in an array and in the arrays of its dimension labels.
pub(super) fn remove_garbage(
    view: &StorageView,
    array: &Uri,
    config: &Config,
    sweep: &mut Sweep<'_>,
) -> Result<()> {
    let lock = sweep.lock(array)?;
    remove_uncommitted(sweep, array, &lock)?;
    let labels = remove_labels(view, array, config, sweep)?;
    sweep.temporaries(array)?;
    for label in labels.iter().filter(|label| *label != array) {
        if view.is_dir(label)? {
            let lock = sweep.lock(label)?;
            remove_uncommitted(sweep, label, &lock)?;
            sweep.temporaries(label)?;
        }
    }
    Ok(())
}

/// Removes fragments without a commit, and files that refer to such fragments.
fn remove_uncommitted(sweep: &mut Sweep<'_>, array: &Uri, lock: &FolderLock) -> Result<()> {
    let view = sweep.view;
    let commits = Commits::read(view, array, CommitScope::all(Some(lock)))?;
    let committed = commits.fragment_names(view)?;
    remove_lists(sweep, &commits, &committed)?;
    let found = uncommitted(view, &commits, &committed)?;
    remove_fragments(sweep, array, &found, lock)?;
    remove_descriptions(sweep, array, &committed)
}

/// Removes the replacement lists that have no effect.
fn remove_lists(
    sweep: &mut Sweep<'_>,
    commits: &Commits,
    committed: &HashSet<String>,
) -> Result<()> {
    let lists = commits.lists(sweep.view, |_| true)?;
    let counts = |list: &ReplacementList| list.counts(|name| committed.contains(name));
    let hidden = replaced(&lists, counts);
    for list in &lists {
        if !counts(list) && !hidden.contains(&list.name) {
            sweep.file(&list.uri)?;
        }
    }
    Ok(())
}

/// A fragment that was not committed when the commits were read.
struct UncommittedFragment {
    name: FragmentName,
    uri: Uri,
}

/// Removes the folders of uncommitted fragments that no writer uses.
fn remove_fragments(
    sweep: &mut Sweep<'_>,
    array: &Uri,
    found: &[UncommittedFragment],
    lock: &FolderLock,
) -> Result<()> {
    let view = sweep.view;
    // A writer locks the first of the fragments that it commits together until they are committed;
    // all have the same timestamps.
    let mut in_use = HashSet::new();
    try_lock_each(view, found, |fragment, lock| {
        if lock.is_none() {
            in_use.insert(fragment.name.timestamps());
        }
    })?;
    for batch in found.chunks(REMOVAL_BATCH_FRAGMENTS) {
        let batch = batch
            .iter()
            .filter(|fragment| !in_use.contains(&fragment.name.timestamps()));
        let mut locked = Vec::new();
        try_lock_each(view, batch, |fragment, lock| {
            locked.extend(lock.map(|lock| (fragment, lock)));
        })?;
        if locked.is_empty() {
            continue;
        }
        // A writer may have created, committed and released a fragment since the commits were read.
        // No writer commits what is locked now.
        let listed = view.vfs.snapshot(array)?;
        let commits = Commits::read(&listed, array, CommitScope::all(Some(lock)))?;
        let committed = commits.fragment_names(&listed)?;
        for (fragment, _lock) in &locked {
            if !committed.contains(fragment.name.as_str()) {
                sweep.folder(&fragment.uri)?;
            }
        }
    }
    Ok(())
}

/// Returns the folders of fragments without a commit.
fn uncommitted(
    view: &StorageView,
    commits: &Commits,
    committed: &HashSet<String>,
) -> Result<Vec<UncommittedFragment>> {
    let mut found = Vec::new();
    let fragments = commits.root.uri.join(folders::FRAGMENTS);
    let entries = view.list(&fragments)?;
    for (folder, entries) in [
        (&fragments, &entries),
        (&commits.root.uri, &commits.root.entries),
    ] {
        for entry in entries
            .iter()
            .filter(|entry| entry.kind == EntryKind::Directory)
        {
            let Some(name) = FragmentName::with_suffix(&entry.name, "") else {
                continue;
            };
            // Before format 5 no file commits a fragment.
            if name.version() >= v::OK_FILES && !committed.contains(name.as_str()) {
                let uri = folder.join(&entry.name);
                found.push(UncommittedFragment { name, uri });
            }
        }
    }
    Ok(found)
}

/// Tries to lock each fragment, and passes it with the lock to `visit`; without one if a writer has
/// locked it. Fragments that no longer exist are skipped. Storage without locks grants each lock.
fn try_lock_each<'a>(
    view: &StorageView,
    fragments: impl IntoIterator<Item = &'a UncommittedFragment>,
    mut visit: impl FnMut(&'a UncommittedFragment, Option<FolderLock>),
) -> Result<()> {
    for fragment in fragments {
        match view.vfs.try_lock(&fragment.uri, LockMode::Exclusive) {
            Ok(lock) => visit(fragment, lock),
            Err(error) if error.is_missing_file() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Removes the metadata files that describe fragments which are neither committed nor being
/// written.
fn remove_descriptions(
    sweep: &mut Sweep<'_>,
    array: &Uri,
    committed: &HashSet<String>,
) -> Result<()> {
    let view = sweep.view;
    let folder = array.join(folders::METADATA);
    let mut files: Vec<Uri> = view
        .list(&folder)?
        .into_iter()
        .map(|entry| entry.name)
        .filter(|name| FragmentName::with_suffix(name, "").is_some())
        .map(|name| folder.join(&name))
        .collect();
    let mut counting = files.clone();
    retain_described(&mut counting, committed);
    files.retain(|file| !counting.contains(file));
    for file in files {
        let fragment = array.join(folders::FRAGMENTS).join(file.name());
        if !view.is_dir(&fragment)? {
            sweep.file(&file)?;
        }
    }
    Ok(())
}

/// Removes the folders of dimension labels that no schema of the array names; returns the others.
fn remove_labels(
    view: &StorageView,
    array: &Uri,
    config: &Config,
    sweep: &mut Sweep<'_>,
) -> Result<HashSet<Uri>> {
    let folder = array.join(folders::LABELS);
    let entries = view.list(&folder)?;
    if entries.is_empty() {
        return Ok(HashSet::new());
    }
    let named: HashSet<Uri> = array::label_folders(view, array, config)?
        .into_iter()
        .collect();
    for entry in &entries {
        if !named.contains(&folder.join(&entry.name)) {
            sweep.entry(&folder, entry)?;
        }
    }
    Ok(named)
}
