//! The files that list the members of a group.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::members::{Members, MergedFiles};
use crate::array::{key, list_folder_at_one_instant, open_repeatedly};
use crate::bytes::{Cursor, Sink};
use crate::config::Config;
use crate::error::{GroupError, Result};
use crate::format::group::{GroupMember, GroupVersion, read_group, write_group};
use crate::format::names::{FragmentName, folders};
use crate::format::version::FormatVersion;
use crate::object::object_type;
use crate::tile::generic;
use crate::types::{EncryptionKey, ObjectType, TimeRange, Timestamp, now, random};
use crate::vfs::{Entry, EntryKind, LockMode, NewFile, StorageView, Uri, Vfs};

/// The maximum number of milliseconds by which the newest file may be ahead of the local clock,
/// because of another machine's clock, for the next file to get a later timestamp than it.
const AHEAD: Timestamp = 1000;

/// The maximum number of milliseconds for which a writer waits until the local clock reaches the
/// timestamp of its file.
const MAX_WAIT: u64 = 2;

/// The number of files that list members and are in memory at once.
const FILES_IN_MEMORY: usize = 16;

/// Returns the members listed by the files of a time range. Each file, from the oldest on, amends
/// or replaces the previous ones. Files whose entries are all in a later one are not read.
pub(super) fn load(
    view: &StorageView,
    group: &Uri,
    timestamps: TimeRange,
    key: Option<&EncryptionKey>,
) -> Result<Members> {
    let folder = group.join(folders::GROUP_DETAILS);
    let vfs = &view.vfs;
    let mut first = Some(view.clone());
    open_repeatedly(vfs, group, |lock| {
        let view = &match first.take() {
            Some(view) => view,
            None => vfs.snapshot(group)?,
        };
        let entries =
            list_folder_at_one_instant(view, group, &folder, lock, |entries| Ok((entries, false)))?;
        read(view, &folder, &names(&entries, timestamps), key)
    })
}

fn read(
    view: &StorageView,
    folder: &Uri,
    names: &[FragmentName],
    key: Option<&EncryptionKey>,
) -> Result<Members> {
    let mut rest = &names[first_needed(names)..];
    let mut merged = MergedFiles::default();
    // The newest file is often the only one, or replaces the others. Of the others a few are in
    // memory at a time.
    let mut batch = 1;
    while !rest.is_empty() && !merged.is_complete() {
        let (older, files) = rest.split_at(rest.len().saturating_sub(batch));
        let files = view.vfs.map(folder, files.len(), |index| {
            let uri = folder.join(files[index].as_str());
            let record = generic::read(view, &uri, key)?;
            read_group(&mut Cursor::new("group", &record)).map_err(|error| error.with_uri(&uri))
        })?;
        for (version, entries) in files.into_iter().rev() {
            merged.add_older(version, entries)?;
        }
        (rest, batch) = (older, FILES_IN_MEMORY);
    }
    Ok(merged.finish())
}

/// The names of the files, from the oldest on, up to a file.
///
/// A file that this library writes lists all members that the files before it list. Half of the
/// unique part of its name is computed from their names: a reader to whom exactly these files
/// precede it does not need them. Files of libtiledb and of earlier releases, which have random
/// names, have no such relation, nor has a file before which another was inserted later.
#[derive(Default)]
struct PrecedingNames([u8; 32]);

impl PrecedingNames {
    fn add(&mut self, name: &FragmentName) {
        let digest = Sha256::new().chain_update(self.0);
        self.0 = digest.chain_update(name.as_str()).finalize().into();
    }

    /// Returns the unique number of a file that replaces these; `unique` makes it differ from those
    /// of other writers.
    fn replaced_by(&self, unique: u64) -> u128 {
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update(unique.to_le_bytes())
            .finalize();
        let tag = digest.iter().take(8);
        let tag = tag.fold(0u64, |tag, byte| tag << 8 | u64::from(*byte));
        u128::from(unique) << 64 | u128::from(tag)
    }
}

/// Returns the index of the first file that a reader needs.
fn first_needed(names: &[FragmentName]) -> usize {
    let mut preceding = PrecedingNames::default();
    let mut first = 0;
    for (index, name) in names.iter().enumerate() {
        let number = name.unique_number();
        if number.is_some_and(|number| number == preceding.replaced_by((number >> 64) as u64)) {
            first = index;
        }
        preceding.add(name);
    }
    first
}

/// Reads all files that list members, and drops their content.
pub fn detail_files(
    vfs: &Arc<Vfs>,
    group: &Uri,
    config: &Config,
) -> Result<Vec<(Uri, Result<()>)>> {
    let key = key::of_config_or_context(vfs, config)?;
    let folder = group.join(folders::GROUP_DETAILS);
    let view = vfs.view();
    let names = names(&view.list(&folder)?, TimeRange::ALL);
    Ok(names
        .iter()
        .map(|name| {
            let read = read(&view, &folder, std::slice::from_ref(name), key.as_ref());
            (folder.join(name.as_str()), read.map(drop))
        })
        .collect())
}

/// Applies the changes of a writer to the current members under the exclusive object lock, so that
/// writers do not revert each other's changes. Files with timestamps before `start` are ignored.
/// `changed_at` is the timestamp of the changes; `None` means the time of writing. A file of
/// metadata is written with them.
pub(super) fn apply(
    vfs: &Arc<Vfs>,
    group: &Uri,
    changes: &Members,
    start: Timestamp,
    changed_at: Option<Timestamp>,
    metadata: Option<NewFile<'_>>,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let _lock = vfs.lock(group, LockMode::Exclusive)?;
    let view = &vfs.snapshot(group)?;
    if object_type(view, group)? != ObjectType::Group {
        return Err(GroupError::MissingForClose {
            uri: group.to_string(),
        }
        .into());
    }
    let folder = group.join(folders::GROUP_DETAILS);
    let listed = view.list(&folder)?;
    let names_until = |end| names(&listed, TimeRange { start, end });
    let (known, changed_at) = match changed_at {
        Some(changed_at) => (names_until(changed_at), changed_at),
        None => {
            let now = now();
            let known = names_until(now.saturating_add(AHEAD));
            let newest = known.last().map(|name| name.timestamps().end);
            // libtiledb reads files of one millisecond in any order, and none ahead of its clock.
            let later = newest.map_or(now, |newest| now.max(newest.saturating_add(1)));
            if later - now <= MAX_WAIT {
                std::thread::sleep(Duration::from_millis(later - now));
            }
            (known, later)
        }
    };
    let members = read(view, &folder, &known, key)?.changed_by(changes);
    let (group_version, entries) = members.to_write();
    // A file with the same timestamp must sort after those that it amends.
    let changed_at = TimeRange::at(changed_at);
    let last = known.last().filter(|last| last.timestamps() == changed_at);
    let unique = match last.and_then(FragmentName::unique_number) {
        Some(number) => {
            let step = 1 + (random(changed_at.start) >> 32);
            ((number >> 64) as u64).checked_add(step)
        }
        None => Some(random(changed_at.start)),
    };
    let mut preceding = PrecedingNames::default();
    known.iter().for_each(|name| preceding.add(name));
    let version = FormatVersion(group_version as u32);
    let name = match (unique, last) {
        (Some(unique), _) => {
            FragmentName::numbered(changed_at, preceding.replaced_by(unique), version)
        }
        (None, Some(last)) => last.following(None, version),
        (None, None) => FragmentName::generate(changed_at, version),
    };
    let (file, bytes) = encode(vfs, group, name.as_str(), group_version, &entries, key)?;
    let mut files: Vec<NewFile<'_>> = metadata.into_iter().collect();
    files.push(NewFile {
        uri: &file,
        bytes: &bytes,
    });
    vfs.publish_files(group, &[], &files)
}

/// Replaces the files that list members, if there are several, by one that lists none. The group is
/// about to be removed, on storage where its files disappear one by one: without the newest, older
/// files would list former members, which a repeated removal of all members would remove.
pub(super) fn clear(vfs: &Arc<Vfs>, group: &Uri, key: Option<&EncryptionKey>) -> Result<()> {
    let folder = group.join(folders::GROUP_DETAILS);
    let known = names(&vfs.view().list(&folder)?, TimeRange::ALL);
    let Some(newest) = known.last().filter(|_| known.len() > 1) else {
        return Ok(());
    };
    let version = GroupVersion::Whole;
    let name = newest.following(None, FormatVersion(version as u32));
    let (file, bytes) = encode(vfs, group, name.as_str(), version, &[], key)?;
    vfs.publish_file(group, &file, &bytes)?;
    let replaced = known.iter().map(|name| folder.join(name.as_str()));
    vfs.remove_files_if_any(&replaced.collect::<Vec<_>>())
        .map(drop)
}

/// Returns the names of the files that list members, oldest first.
pub(super) fn names(entries: &[Entry], timestamps: TimeRange) -> Vec<FragmentName> {
    let mut names: Vec<_> = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File && !entry.name.contains('.'))
        .filter_map(|entry| FragmentName::parse(&entry.name))
        .filter(|name| timestamps.contains(name.timestamps()))
        .collect();
    names.sort_by(FragmentName::oldest_first);
    names
}

/// Writes a file that lists members, with a timestamp.
#[cfg(test)]
pub(super) fn write(
    vfs: &Vfs,
    group: &Uri,
    timestamp: Timestamp,
    version: GroupVersion,
    members: &[&GroupMember],
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let timestamps = TimeRange::at(timestamp);
    let name = FragmentName::generate(timestamps, FormatVersion(version as u32));
    let (file, bytes) = encode(vfs, group, name.as_str(), version, members, key)?;
    vfs.publish_file(group, &file, &bytes)
}

/// Returns a file that lists members, and its content.
fn encode(
    vfs: &Vfs,
    group: &Uri,
    name: &str,
    group_version: GroupVersion,
    members: &[&GroupMember],
    key: Option<&EncryptionKey>,
) -> Result<(Uri, Vec<u8>)> {
    let mut record = Sink::new();
    write_group(&mut record, group_version, members);
    let version = FormatVersion::of_config(&vfs.context.config)?;
    let mut bytes = Vec::new();
    generic::encode(record.as_slice(), version, key, &mut bytes)?;
    Ok((group.join(folders::GROUP_DETAILS).join(name), bytes))
}
