//! Many commits into one file.
//!
//! The consolidated file names all commits that count. The single files, and older consolidated files with the files that
//! take some of their commits back, are removed later, those that take back last.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ORIGIN, existing};
use crate::array::Commits;
use crate::bytes::Sink;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::format::commits::write_consolidated_commit;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::types::TimeRange;
use crate::vfs::{EntryKind, Uri, Vfs};

/// The commits of an array, by file name: the folder they are in, and the bytes of conditions.
type All = BTreeMap<String, (&'static str, Option<Vec<u8>>)>;

/// Writes one file of all commits. An error for formats without a folder for them.
pub(super) fn consolidate(vfs: &Arc<Vfs>, array: &Uri, config: &Config) -> Result<()> {
    let schema = existing(vfs, array, config)?;
    let version = FormatVersion(schema.version).for_writing();
    if version < v::COMMITS_FOLDER {
        let message = "Array version should be at least 12 to consolidate commits.";
        return Err(Error::usage(ORIGIN, message));
    }
    let commits = Commits::read(vfs, array, TimeRange::ALL)?;
    let all = all(vfs, array, &commits)?;
    let spans = all
        .keys()
        .filter_map(|name| FragmentName::parse(name))
        .map(|name| name.timestamps());
    let span = spans.reduce(|a, b| TimeRange {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    });
    let Some(span) = span else {
        return Ok(());
    };
    if commits.consolidated.len() == all.len() && single_holder(vfs, &commits)?.is_some() {
        return Ok(());
    }
    let mut file = Sink::new();
    for (name, (folder, condition)) in &all {
        write_consolidated_commit(&mut file, &format!("{folder}{name}"), condition.as_deref());
    }
    let name = FragmentName::generate(span, version);
    let name = format!("{}{}", name.as_str(), folders::CONSOLIDATED_COMMITS);
    vfs.create_dir(&commits.folder)?;
    vfs.publish_file(array, &commits.folder.join(&name), file.as_slice())
}

/// All commits that count.
fn all(vfs: &Vfs, array: &Uri, commits: &Commits) -> Result<All> {
    const IN_FOLDER: &str = "__commits/";
    let mut all: All = BTreeMap::new();
    for (name, condition) in &commits.consolidated {
        let folder = match name.ends_with(folders::OK) {
            true => "",
            false => IN_FOLDER,
        };
        all.insert(name.clone(), (folder, condition.clone()));
    }
    let root = vfs.list(array)?;
    let ok = root.iter().filter(|entry| {
        entry.kind == EntryKind::File
            && entry.name.ends_with(folders::OK)
            && FragmentName::parse(&entry.name).is_some()
    });
    for entry in ok {
        all.entry(entry.name.clone()).or_insert(("", None));
    }
    for name in commits.files(folders::WRITE) {
        all.entry(name.to_owned()).or_insert((IN_FOLDER, None));
    }
    for name in commits.files(folders::DELETE) {
        if !all.contains_key(name) {
            let condition = vfs.read_all(&commits.folder.join(name))?;
            all.insert(name.to_owned(), (IN_FOLDER, Some(condition)));
        }
    }
    Ok(all)
}

/// The consolidated file that holds every consolidated commit that counts and no other.
fn single_holder(vfs: &Vfs, commits: &Commits) -> Result<Option<Uri>> {
    let files = commits.consolidated_files(vfs, |_| true)?;
    let whole = files.into_iter().find(|(_, held)| {
        held.len() == commits.consolidated.len()
            && held
                .keys()
                .all(|name| commits.consolidated.contains_key(name))
    });
    Ok(whole.map(|(uri, _)| uri))
}

/// Removes single files whose commits consolidated files hold; and, where one of those holds all, the others.
pub(super) fn vacuum(vfs: &Vfs, array: &Uri) -> Result<()> {
    let commits = Commits::read(vfs, array, TimeRange::ALL)?;
    for name in commits.consolidated.keys() {
        let single = match name.ends_with(folders::OK) {
            true => array.join(name),
            false => commits.folder.join(name),
        };
        vfs.remove_file_if_any(&single)?;
    }
    let Some(holder) = single_holder(vfs, &commits)? else {
        return Ok(());
    };
    // What takes commits back goes after the files that hold them.
    for suffix in [folders::CONSOLIDATED_COMMITS, folders::IGNORE] {
        for name in commits.files(suffix) {
            if name != holder.name() {
                vfs.remove_file(&commits.folder.join(name))?;
            }
        }
    }
    Ok(())
}
