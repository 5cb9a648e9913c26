//! Consolidation and vacuum of commits.
//!
//! The consolidated file contains all valid commits except single files of replaced fragments: a
//! vacuum of libtiledb, which takes no lock, may be removing them. Vacuum removes the single files
//! that are in the consolidated file and older consolidated files, and then the files that revoke
//! commits.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::age::MinAge;
use super::claims::{Claim, lock_for_maintenance};
use super::existing;
use super::garbage::remove_temporaries;
use super::vacuum::revoke;
use crate::array::{CommitScope, Commits, ConsolidatedCommits};
use crate::bytes::Sink;
use crate::config::Config;
use crate::error::{MaintenanceError, Result};
use crate::format::commits::write_consolidated_commit;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::tile::generic;
use crate::types::TimeRange;
use crate::vfs::{FolderLock, StorageView, Uri, Vfs};

/// A commit as an entry of a consolidated file.
#[derive(Debug)]
struct CommitEntry {
    /// The folder of its file, relative to the array.
    folder: &'static str,
    /// The bytes of the condition of a delete.
    condition: Option<Vec<u8>>,
}

/// The commits of an array, by file name.
type CommitEntries = BTreeMap<String, CommitEntry>;

/// Writes all commits to one file. Returns an error for formats without a commits folder.
pub(super) fn consolidate(view: &StorageView, array: &Uri, config: &Config) -> Result<()> {
    let schema = existing(view, array, config)?;
    let version = FormatVersion(schema.version).for_writing();
    if version < v::COMMITS_FOLDER {
        return Err(MaintenanceError::OldCommits { version: version.0 }.into());
    }
    let lock = lock_for_maintenance(view, array)?;
    if lock.is_held() {
        return write_and_revoke(&view.vfs, array, Some(&lock), version);
    }
    let vfs = &view.vfs;
    let name = FragmentName::generate(TimeRange::ALL, version);
    let announcement = Claim::write(vfs, array, &array.join(folders::COMMITS), &name, "")?;
    let written = write_and_revoke(vfs, array, None, version);
    let withdrawn = announcement.withdraw(vfs);
    written.and(withdrawn)
}

/// Writes all commits to one file. Entries of fragments that other processes remove meanwhile are
/// revoked: on storage without locks those of any process, by this one or by one that sees the
/// announcement; otherwise those of libtiledb's processes, which take no lock.
fn write_and_revoke(
    vfs: &Arc<Vfs>,
    array: &Uri,
    lock: Option<&FolderLock>,
    version: FormatVersion,
) -> Result<()> {
    let listed = vfs.snapshot(array)?;
    let commits = Commits::read(&listed, array, CommitScope::all(lock))?;
    // A vacuum that began before the lock was taken, or the announcement made, may be removing
    // these.
    let replaced: HashSet<String> = commits
        .lists(&listed, |_| true)?
        .into_iter()
        .flat_map(|list| list.replaced)
        .collect();
    let Some(written) = write_all(&listed, &commits, &replaced, version)? else {
        return Ok(());
    };
    let listed = vfs.snapshot(array)?;
    let existing = fragment_folders(&listed, array)?;
    let removed: Vec<&str> = written
        .keys()
        .filter_map(|name| name.strip_suffix(folders::WRITE))
        .filter(|fragment| !existing.contains(*fragment))
        .collect();
    if removed.is_empty() {
        return Ok(());
    }
    let commits = Commits::read(&listed, array, CommitScope::all(lock))?;
    revoke(vfs, &commits, &removed)
}

/// Writes all valid commits except those of the fragments `replaced`. Returns them; `None` if there
/// is nothing to write.
fn write_all(
    view: &StorageView,
    commits: &Commits,
    replaced: &HashSet<String>,
    version: FormatVersion,
) -> Result<Option<CommitEntries>> {
    let all = valid_commits(view, commits, replaced)?;
    let span = all
        .keys()
        .filter_map(|name| FragmentName::parse(name))
        .map(|name| name.timestamps())
        .reduce(TimeRange::union);
    let Some(span) = span else {
        return Ok(None);
    };
    let files = commits.consolidated_files(view, |_| true)?;
    if commits.consolidated.names().eq(all.keys()) && holder(commits, &files).is_some() {
        return Ok(None);
    }
    let mut file = Sink::new();
    for (name, entry) in &all {
        let path = format!("{}{name}", entry.folder);
        write_consolidated_commit(&mut file, &path, entry.condition.as_deref());
    }
    let name = FragmentName::generate(span, version);
    let name = format!("{}{}", name.as_str(), folders::CONSOLIDATED_COMMITS);
    view.vfs.publish_file(
        &commits.root.uri,
        &commits.folder.uri.join(&name),
        file.as_slice(),
    )?;
    Ok(Some(all))
}

/// Returns the names of the folders of fragments.
fn fragment_folders(view: &StorageView, array: &Uri) -> Result<HashSet<String>> {
    let mut names = HashSet::new();
    view.each_name(&array.join(folders::FRAGMENTS), |name| {
        names.insert(name.to_owned());
    })?;
    Ok(names)
}

/// Returns all valid commits except those in files of their own of fragments that are `replaced`. A
/// fragment that only consolidated files commit and whose folder does not exist was removed.
fn valid_commits(
    view: &StorageView,
    commits: &Commits,
    replaced: &HashSet<String>,
) -> Result<CommitEntries> {
    const IN_FOLDER: &str = "__commits/";
    let mut all = CommitEntries::new();
    let fragment_in = |folder| CommitEntry {
        folder,
        condition: None,
    };
    let existing = if commits.consolidated.is_empty() {
        HashSet::new()
    } else {
        fragment_folders(view, &commits.root.uri)?
    };
    for (name, condition) in commits.consolidated.iter() {
        let folder = if name.ends_with(folders::OK) {
            ""
        } else {
            IN_FOLDER
        };
        let fragment = name.strip_suffix(folders::WRITE);
        if fragment.is_none_or(|fragment| existing.contains(fragment)) {
            let condition = condition.map(|inline| inline.bytes.clone());
            all.insert(name.to_owned(), CommitEntry { folder, condition });
        }
    }
    for name in commits.root_files(folders::OK) {
        all.entry(name.to_owned()).or_insert(fragment_in(""));
    }
    for name in commits.files(folders::WRITE) {
        let fragment = name.strip_suffix(folders::WRITE).unwrap_or(name);
        if !replaced.contains(fragment) {
            all.entry(name.to_owned()).or_insert(fragment_in(IN_FOLDER));
        }
    }
    for name in commits.files(folders::DELETE) {
        if !all.contains_key(name) {
            let condition = generic::read_encoded(view, &commits.folder.uri.join(name))?;
            let entry = CommitEntry {
                folder: IN_FOLDER,
                condition: Some(condition),
            };
            all.insert(name.to_owned(), entry);
        }
    }
    Ok(all)
}

/// Returns the consolidated file that contains exactly the valid consolidated commits.
fn holder<'a>(commits: &Commits, files: &'a [(Uri, ConsolidatedCommits)]) -> Option<&'a Uri> {
    let whole = files
        .iter()
        .find(|(_, commits_of_file)| commits_of_file.names().eq(commits.consolidated.names()));
    whole.map(|(uri, _)| uri)
}

/// Removes single files whose commits are in consolidated files and, if one of these contains all,
/// the other consolidated files.
pub(super) fn vacuum(view: &StorageView, array: &Uri, config: &Config) -> Result<()> {
    let age = MinAge::of_replaced(config)?;
    let lock = lock_for_maintenance(view, array)?;
    let commits = Commits::read(view, array, CommitScope::all(Some(&lock)))?;
    let files = commits.consolidated_files(view, |_| true)?;
    let mut consolidated_names: HashSet<&str> = HashSet::new();
    for (uri, commits) in &files {
        if age.has_passed(view, uri)? {
            consolidated_names.extend(commits.names());
        }
    }
    let single = commits.consolidated.names();
    let single = single
        .filter(|name| consolidated_names.contains(name))
        .map(|name| {
            if name.ends_with(folders::OK) {
                array.join(name)
            } else {
                commits.folder.uri.join(name)
            }
        });
    view.vfs.remove_files_if_any(&single.collect::<Vec<_>>())?;
    if let Some(holder) = holder(&commits, &files)
        && age.has_passed(view, holder)?
    {
        remove_older(view, &commits, holder)?;
    }
    remove_temporaries(view, array, config)
}

/// Removes consolidated files whose commits are in `holder`, then the files that revoke commits.
fn remove_older(view: &StorageView, commits: &Commits, holder: &Uri) -> Result<()> {
    let mut removed = false;
    for name in commits.files(folders::CONSOLIDATED_COMMITS) {
        if name != holder.name() {
            removed |= view
                .vfs
                .remove_file_if_any(&commits.folder.uri.join(name))?;
        }
    }
    if removed {
        // No revoked commit takes effect again after a loss of power.
        view.vfs.sync(&commits.folder.uri)?;
    }
    for name in commits.files(folders::IGNORE) {
        view.vfs
            .remove_file_if_any(&commits.folder.uri.join(name))?;
    }
    Ok(())
}
