//! Removes fragments: those that consolidated ones replace, and those that a program deletes.
//!
//! The commits of fragments are removed before their folders, and the lists that hide them last.

use std::collections::HashSet;
use std::sync::Arc;

use super::age::MinAge;
use super::claims::{Claim, ClaimAttempt, is_claimed, lock_for_maintenance};
use super::garbage::remove_temporaries;
use crate::array::{CommitScope, Commits, ReplacementList, inner_first, replaced, seen_fragments};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::types::TimeRange;
use crate::vfs::{FolderLock, StorageView, Uri, Vfs};

/// The number of fragments that are removed between two reports of progress.
const FRAGMENTS_PER_REPORT: usize = 16;

/// Removes the fragments that replacement lists name, and then the lists. A list without effect
/// hides nothing, so its fragments are kept.
pub(super) fn fragments(view: &StorageView, array: &Uri, config: &Config) -> Result<()> {
    let age = MinAge::of_replaced(config)?;
    let lock = lock_for_maintenance(view, array)?;
    let commits = Commits::read(view, array, CommitScope::all(Some(&lock)))?;
    let committed = commits.fragment_names(view)?;
    let lists = inner_first(commits.lists(view, |_| true)?);
    let counts_itself = |list: &ReplacementList| list.counts(|name| committed.contains(name));
    let hidden = replaced(&lists, counts_itself);
    let counts = |list: &ReplacementList| counts_itself(list) || hidden.contains(&list.name);
    let mut staying: HashSet<&str> = HashSet::new();
    let (mut names, mut done) = (Vec::new(), Vec::new());
    for list in lists.iter().filter(|list| !list.announces_commits()) {
        let mut others = list.replaced.iter().filter(|name| **name != list.name);
        let stays = if counts(list) {
            // The list of a fragment that this one replaces may depend on it.
            others.any(|name| staying.contains(name.as_str()))
                || !is_old(view, &commits, list, age)?
        } else {
            others.any(|name| committed.contains(name))
        };
        if stays {
            staying.insert(&list.name);
            continue;
        }
        if counts(list) {
            names.extend(
                list.replaced
                    .iter()
                    .filter(|name| **name != list.name)
                    .map(String::as_str),
            );
        }
        done.push(&list.uri);
    }
    remove(view, &commits, &names)?;
    if lists.iter().any(ReplacementList::announces_commits) {
        revoke_new(&view.vfs, array, &names)?;
    }
    let done: Vec<Uri> = done.into_iter().cloned().collect();
    view.vfs.remove_files_if_any(&done)?;
    remove_temporaries(view, array, config)
}

/// Returns whether what a list names was replaced long enough ago.
fn is_old(
    view: &StorageView,
    commits: &Commits,
    list: &ReplacementList,
    age: MinAge,
) -> Result<bool> {
    // The list is written before the commit.
    let commit = commits
        .folder
        .uri
        .join(&format!("{}{}", list.name, folders::WRITE));
    Ok(age.has_passed(view, &list.uri)? && age.has_passed(view, &commit)?)
}

/// Removes fragments of those that a reader of a time range sees, as `select` names them, and what
/// they replaced, since it would become visible otherwise.
pub(super) fn delete(
    view: &StorageView,
    array: &Uri,
    timestamps: TimeRange,
    select: impl Fn(&[FragmentName]) -> Result<Vec<String>>,
) -> Result<()> {
    let lock = lock_for_maintenance(view, array)?;
    let select =
        |view: &StorageView| select(&seen_fragments(view, array, timestamps, Some(&lock))?);
    let mut selected = select(view)?;
    if lock.is_held() || selected.is_empty() {
        return delete_selected(view, array, selected, &lock);
    }
    let vfs = &view.vfs;
    let mut claiming = ClaimAttempt::new();
    loop {
        claiming.begin();
        let name = FragmentName::generate(TimeRange::ALL, FormatVersion::WRITTEN);
        let list: String = selected
            .iter()
            .map(|name| format!("/{}/{name}\n", folders::FRAGMENTS))
            .collect();
        let claim = Claim::write(vfs, array, &array.join(folders::COMMITS), &name, &list)?;
        let names: HashSet<&str> = selected.iter().map(String::as_str).collect();
        let deleted = vfs.snapshot(array).and_then(|seen| {
            if is_claimed(&seen, array, &names, Some(&name))? || select(&seen)? != selected {
                return Ok(false);
            }
            delete_selected(&seen, array, selected.clone(), &lock).map(|()| true)
        });
        let withdrawn = claim.withdraw(vfs);
        if deleted? {
            return withdrawn;
        }
        let Some(seen) = claiming.wait(vfs, array, &names)? else {
            let reason = "another process has been consolidating them for too long";
            let timed_out = std::io::Error::new(std::io::ErrorKind::TimedOut, reason);
            return Err(Error::storage(
                "delete fragments of",
                array.as_str(),
                timed_out,
            ));
        };
        selected = select(&seen)?;
    }
}

/// Removes fragments, and what they replaced.
fn delete_selected(
    view: &StorageView,
    array: &Uri,
    selected: Vec<String>,
    lock: &FolderLock,
) -> Result<()> {
    let commits = Commits::read(view, array, CommitScope::all(Some(lock)))?;
    let lists = commits.lists(view, |_| true)?;
    let mut names = selected.clone();
    let mut done: Vec<&Uri> = Vec::new();
    let mut index = 0;
    while let Some(name) = names.get(index).cloned() {
        index += 1;
        for list in lists.iter().filter(|list| list.name == name) {
            let mut new = list.replaced.clone();
            new.retain(|new| !names.contains(new));
            names.extend(new);
            done.push(&list.uri);
        }
    }
    // Replaced fragments are removed first, the oldest first: they are hidden by those that replace
    // them.
    let inner = names.split_off(selected.len());
    for names in [inner, names] {
        let names: Vec<&str> = names.iter().rev().map(String::as_str).collect();
        remove(view, &commits, &names)?;
        if lists.iter().any(ReplacementList::announces_commits) {
            revoke_new(&view.vfs, array, &names)?;
        }
    }
    for list in done.iter().rev() {
        view.vfs.remove_file_if_any(list)?;
    }
    Ok(())
}

/// Removes fragments: first their commits, then their folders, so that no commit remains without
/// its folder after a loss of power.
pub(super) fn remove(view: &StorageView, commits: &Commits, names: &[&str]) -> Result<()> {
    let array = &commits.root.uri;
    revoke(&view.vfs, commits, names)?;
    let fragments = array.join(folders::FRAGMENTS);
    let names: Vec<FragmentName> = names
        .iter()
        .filter_map(|name| FragmentName::parse(name))
        .collect();
    // Only fragments of old formats are directly in the folder of the array.
    let in_root = || {
        names
            .iter()
            .filter(|name| name.version() < v::COMMITS_FOLDER)
    };
    let commit_files =
        |folder: &Uri, suffix: &str, names: &mut dyn Iterator<Item = &FragmentName>| {
            let files: Vec<Uri> = names
                .map(|name| folder.join(&format!("{}{suffix}", name.as_str())))
                .collect();
            if view.vfs.remove_files_if_any(&files)? {
                view.vfs.sync(folder)
            } else {
                Ok(())
            }
        };
    commit_files(&commits.folder.uri, folders::WRITE, &mut names.iter())?;
    commit_files(array, folders::OK, &mut in_root())?;
    let mut removed: Vec<Uri> = names
        .iter()
        .map(|name| fragments.join(name.as_str()))
        .collect();
    removed.extend(in_root().map(|name| array.join(name.as_str())));
    let context = &view.vfs.context;
    if !context.is_tracked() {
        return view.remove_dirs_if_any(&removed);
    }
    context.progress("fragments", |progress| {
        progress.total += removed.len() as u64
    })?;
    for part in removed.chunks(FRAGMENTS_PER_REPORT) {
        view.remove_dirs_if_any(part)?;
        context.progress("fragments", |progress| progress.done += part.len() as u64)?;
    }
    Ok(())
}

/// Revokes the entries of removed fragments in consolidated commits files that other processes have
/// written meanwhile.
fn revoke_new(vfs: &Arc<Vfs>, array: &Uri, names: &[&str]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let seen = vfs.snapshot(array)?;
    let commits = Commits::read(&seen, array, CommitScope::all(None))?;
    revoke(vfs, &commits, names)
}

/// Writes a file that revokes the entries of fragments in consolidated commits files.
pub(super) fn revoke(vfs: &Vfs, commits: &Commits, names: &[&str]) -> Result<()> {
    let revoked: HashSet<&str> = names.iter().copied().collect();
    let mut text = String::new();
    let mut span: Option<TimeRange> = None;
    for commit in commits.consolidated.names() {
        let Some(name) = FragmentName::parse(commit).filter(|name| revoked.contains(name.as_str()))
        else {
            continue;
        };
        if !commit.ends_with(folders::OK) {
            text.push_str(folders::COMMITS);
            text.push('/');
        }
        text.push_str(commit);
        text.push('\n');
        let time = name.timestamps();
        span = Some(span.map_or(time, |span: TimeRange| span.union(time)));
    }
    let Some(span) = span else {
        return Ok(());
    };
    let name = FragmentName::generate(span, FormatVersion::WRITTEN);
    let name = format!("{}{}", name.as_str(), folders::IGNORE);
    vfs.publish_file(
        &commits.root.uri,
        &commits.folder.uri.join(&name),
        text.as_bytes(),
    )
}
