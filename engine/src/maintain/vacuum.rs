//! Removing fragments that consolidated ones replace.

use std::collections::HashSet;
use std::sync::Arc;

use crate::array::{Commits, committed_fragments, replaced};
use crate::error::Result;
use crate::format::commits::read_names;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::types::TimeRange;
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// What a fragment replaced.
struct List {
    /// The fragment.
    name: FragmentName,
    uri: Uri,
    replaced: Vec<String>,
}

/// Removes the fragments that vacuum files list, and then those files, oldest first. What a list names stays hidden until
/// the last of it is gone. A list that does not count hides nothing, so that nothing is removed for it either.
pub(super) fn fragments(vfs: &Arc<Vfs>, array: &Uri) -> Result<()> {
    let commits = Commits::read(vfs, array, TimeRange::ALL)?;
    let root = vfs.list(array)?;
    let committed = committed_fragments(vfs, array, &root, &commits)?;
    let is_committed = |name: &str| committed.contains(name);
    let mut lists: Vec<List> = Vec::new();
    for (folder, entries) in [(&commits.folder, &commits.entries), (array, &root)] {
        for entry in entries {
            lists.extend(list_of(vfs, folder, entry, is_committed)?);
        }
    }
    lists.sort_by_key(|list| {
        let TimeRange { start, end } = list.name.timestamps();
        (end, std::cmp::Reverse(start))
    });
    let told = lists
        .iter()
        .map(|list| (list.name.clone(), list.replaced.clone()));
    let hidden = replaced(
        told.collect(),
        &committed.iter().map(String::as_str).collect(),
    );
    for list in &lists {
        let own = list.name.as_str();
        let others = list.replaced.iter().map(String::as_str);
        let others: Vec<&str> = others.filter(|name| *name != own).collect();
        if is_committed(own) || hidden.contains(own) {
            remove(vfs, array, &commits, &others)?;
        } else if others.iter().any(|name| is_committed(name)) {
            continue;
        }
        vfs.remove_file(&list.uri)?;
    }
    Ok(())
}

/// The list in a file. One that was written ahead gets its name where the fragment that it waits for is committed.
fn list_of(
    vfs: &Vfs,
    folder: &Uri,
    entry: &Entry,
    is_committed: impl Fn(&str) -> bool,
) -> Result<Option<List>> {
    let Some(name) = FragmentName::parse(&entry.name).filter(|_| entry.kind == EntryKind::File)
    else {
        return Ok(None);
    };
    let uri = folder.join(&format!("{}{}", name.as_str(), folders::VACUUM));
    if entry.name.ends_with(folders::VACUUM_AHEAD) && is_committed(name.as_str()) {
        vfs.rename("move file", &folder.join(&entry.name), &uri)?;
    } else if !entry.name.ends_with(folders::VACUUM) {
        return Ok(None);
    }
    let replaced = names_in(vfs, &uri)?;
    Ok(Some(List {
        name,
        uri,
        replaced,
    }))
}

fn names_in(vfs: &Vfs, list: &Uri) -> Result<Vec<String>> {
    let bytes = vfs.read_all(list)?;
    let names = read_names(&bytes).map_err(|error| error.at(list))?;
    Ok(names.into_iter().map(str::to_owned).collect())
}

/// Removes the visible fragments that lie in a time range, or have these names; what they replaced goes too, since it would
/// come back otherwise.
pub(super) fn delete(vfs: &Arc<Vfs>, array: &Uri, names: Vec<String>) -> Result<()> {
    let commits = Commits::read(vfs, array, TimeRange::ALL)?;
    let mut names: Vec<String> = names;
    let mut lists = Vec::new();
    let mut at = 0;
    while let Some(name) = names.get(at).cloned() {
        at += 1;
        for folder in [&commits.folder, array] {
            for suffix in [folders::VACUUM, folders::VACUUM_AHEAD] {
                let list = folder.join(&format!("{name}{suffix}"));
                if !vfs.is_file(&list)? {
                    continue;
                }
                let mut new = names_in(vfs, &list)?;
                new.retain(|new| !names.contains(new));
                names.extend(new);
                lists.push(list);
            }
        }
    }
    // The oldest go first: a list hides what it names until that is gone.
    names.reverse();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    remove(vfs, array, &commits, &names)?;
    lists.iter().try_for_each(|list| vfs.remove_file(list))
}

/// Removes fragments: first what commits them, then their folders.
pub(super) fn remove(vfs: &Vfs, array: &Uri, commits: &Commits, names: &[&str]) -> Result<()> {
    take_back(vfs, array, commits, names)?;
    let fragments = array.join(folders::FRAGMENTS);
    for name in names {
        let Some(fragment) = FragmentName::parse(name) else {
            continue;
        };
        // Only fragments of old formats lie in the array's own folder.
        let may_be_in_root = fragment.version() < v::COMMITS_FOLDER;
        vfs.remove_file_if_any(&commits.folder.join(&format!("{name}{}", folders::WRITE)))?;
        if may_be_in_root {
            vfs.remove_file_if_any(&array.join(&format!("{name}{}", folders::OK)))?;
        }
        vfs.remove_dir_if_any(&fragments.join(name))?;
        if may_be_in_root {
            vfs.remove_dir_if_any(&array.join(name))?;
        }
    }
    Ok(())
}

/// Writes a file that takes back what consolidated commits say of fragments.
fn take_back(vfs: &Vfs, array: &Uri, commits: &Commits, names: &[&str]) -> Result<()> {
    let wanted: HashSet<&str> = names.iter().copied().collect();
    let mut text = String::new();
    let mut span: Option<TimeRange> = None;
    for commit in commits.consolidated.keys() {
        let Some(name) = FragmentName::parse(commit).filter(|name| wanted.contains(name.as_str()))
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
        span = Some(span.map_or(time, |span| TimeRange {
            start: span.start.min(time.start),
            end: span.end.max(time.end),
        }));
    }
    let Some(span) = span else {
        return Ok(());
    };
    let name = FragmentName::generate(span, FormatVersion::WRITTEN);
    let name = format!("{}{}", name.as_str(), folders::IGNORE);
    vfs.publish_file(array, &commits.folder.join(&name), text.as_bytes())
}
