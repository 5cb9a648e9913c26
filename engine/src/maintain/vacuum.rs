//! Removing fragments that consolidated ones replace.

use std::collections::HashSet;
use std::sync::Arc;

use crate::array::Commits;
use crate::error::Result;
use crate::format::commits::read_names;
use crate::format::names::{FragmentName, folders};
use crate::format::version::FormatVersion;
use crate::types::TimeRange;
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// Removes the fragments that vacuum files list, and then those files, oldest first. What a list names stays hidden until
/// the last of it is gone.
pub(super) fn fragments(vfs: &Arc<Vfs>, array: &Uri) -> Result<()> {
    let commits = Commits::read(vfs, array, TimeRange::ALL)?;
    let root = vfs.list(array)?;
    let mut lists: Vec<(FragmentName, Uri)> = Vec::new();
    for (folder, entries) in [(&commits.folder, &commits.entries), (array, &root)] {
        lists.extend(promoted(vfs, &commits, folder, entries)?);
        let named = entries.iter().filter(|entry| is_list(entry));
        lists.extend(named.filter_map(|entry| {
            Some((FragmentName::parse(&entry.name)?, folder.join(&entry.name)))
        }));
    }
    lists.sort_by_key(|(name, _)| {
        (
            name.timestamps().end,
            std::cmp::Reverse(name.timestamps().start),
        )
    });
    for (_, list) in lists {
        let bytes = vfs.read_all(&list)?;
        let names = read_names(&bytes).map_err(|error| error.at(&list))?;
        remove(vfs, array, &commits, &names)?;
        vfs.remove_file(&list)?;
    }
    Ok(())
}

/// Gives lists that were written ahead their names, where the fragment that they wait for is committed.
fn promoted(
    vfs: &Vfs,
    commits: &Commits,
    folder: &Uri,
    entries: &[Entry],
) -> Result<Vec<(FragmentName, Uri)>> {
    let mut lists = Vec::new();
    for entry in entries {
        let ahead = entry.name.strip_suffix(folders::VACUUM_AHEAD);
        let Some(name) = ahead.and_then(FragmentName::parse) else {
            continue;
        };
        if commits.has(name.as_str())
            || entries
                .iter()
                .any(|other| other.name == format!("{}{}", name.as_str(), folders::OK))
        {
            let list = folder.join(&format!("{}{}", name.as_str(), folders::VACUUM));
            vfs.rename("move file", &folder.join(&entry.name), &list)?;
            lists.push((name, list));
        }
    }
    Ok(lists)
}

fn is_list(entry: &Entry) -> bool {
    entry.kind == EntryKind::File && entry.name.ends_with(folders::VACUUM)
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
            let list = folder.join(&format!("{name}{}", folders::VACUUM));
            if !vfs.is_file(&list)? {
                continue;
            }
            let bytes = vfs.read_all(&list)?;
            let listed = read_names(&bytes).map_err(|error| error.at(&list))?;
            let new = listed.into_iter().map(str::to_owned);
            names.extend(new.filter(|new| !names.contains(new)).collect::<Vec<_>>());
            lists.push(list);
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
    take_back(vfs, commits, names)?;
    for name in names {
        let single = [
            commits.folder.join(&format!("{name}{}", folders::WRITE)),
            array.join(&format!("{name}{}", folders::OK)),
        ];
        for file in &single {
            if vfs.is_file(file)? {
                vfs.remove_file(file)?;
            }
        }
        for folder in [array.join(folders::FRAGMENTS).join(name), array.join(name)] {
            if FragmentName::parse(name).is_some() && vfs.is_dir(&folder)? {
                vfs.remove_dir(&folder)?;
            }
        }
    }
    Ok(())
}

/// Writes a file that takes back what consolidated commits say of fragments.
fn take_back(vfs: &Vfs, commits: &Commits, names: &[&str]) -> Result<()> {
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
    vfs.write_whole(&commits.folder, &name, text.as_bytes())
}
