//! The files that list the members of a group.

use std::sync::Arc;

use super::members::{MemberList, Members};
use crate::array::{CompletedListing, key, list_folder_at_one_instant, open_repeatedly};
use crate::bytes::{Cursor, Sink};
use crate::config::Config;
use crate::error::{GroupError, Result};
use crate::format::group::{GroupVersion, read_group, write_group};
use crate::format::names::{FragmentName, folders, unversioned_name};
use crate::format::version::FormatVersion;
use crate::object::object_type;
use crate::tile::generic;
use crate::types::{EncryptionKey, ObjectType, TimeRange, Timestamp, now};
use crate::vfs::{Entry, EntryKind, LockMode, NewFile, Uri, Vfs};

/// The maximum number of milliseconds by which the newest file may be ahead of the local clock,
/// because of another machine's clock, for the next file to get a later timestamp than it.
const AHEAD: Timestamp = 1000;

/// Returns the members listed by the files of a time range. Each file, from the oldest on, amends
/// or replaces the previous ones.
pub(super) fn load(
    vfs: &Arc<Vfs>,
    group: &Uri,
    timestamps: TimeRange,
    key: Option<&EncryptionKey>,
) -> Result<Members> {
    let folder = group.join(folders::GROUP_DETAILS);
    let mut first_listing = Some(vfs.clone());
    open_repeatedly(vfs, group, |lock| {
        let vfs = &match first_listing.take() {
            Some(listed_vfs) => listed_vfs,
            None => vfs.snapshot(group)?,
        };
        let complete = |entries| Ok(CompletedListing::of_folder(entries));
        let entries = list_folder_at_one_instant(vfs, group, &folder, lock, complete)?;
        read(vfs, &folder, &names(&entries, timestamps), key)
    })
}

fn read(
    vfs: &Vfs,
    folder: &Uri,
    names: &[FragmentName],
    key: Option<&EncryptionKey>,
) -> Result<Members> {
    let files = vfs.map(folder, names.len(), |index| {
        let uri = folder.join(names[index].as_str());
        let record = generic::read(vfs, &uri, key)?;
        read_group(&mut Cursor::new("group", &record)).map_err(|error| error.with_uri(&uri))
    });
    Ok(Members::of(files?))
}

/// Reads all files that list members, and drops their content.
pub fn detail_files(
    vfs: &Arc<Vfs>,
    group: &Uri,
    config: &Config,
) -> Result<Vec<(Uri, Result<()>)>> {
    let key = key::of_config_or_context(vfs, config)?;
    let folder = group.join(folders::GROUP_DETAILS);
    let names = names(&vfs.list(&folder)?, TimeRange::ALL);
    let read = |name: &FragmentName| {
        let read = read(vfs, &folder, std::slice::from_ref(name), key.as_ref());
        (folder.join(name.as_str()), read.map(drop))
    };
    Ok(names.iter().map(read).collect())
}

/// The timestamp of changes of members.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChangedAt {
    /// The timestamp that the caller chose when the group was opened.
    Fixed(Timestamp),
    /// The time of writing.
    Now,
}

/// The time range of a writer.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeTime {
    /// The start of the time range. Files with earlier timestamps are ignored.
    pub(super) start: Timestamp,
    pub(super) changed_at: ChangedAt,
}

/// Applies the changes of a writer to the current members under the exclusive object lock, so that
/// writers do not revert each other's changes. A file of metadata is written with them.
pub(super) fn apply(
    vfs: &Arc<Vfs>,
    group: &Uri,
    changes: &Members,
    time: ChangeTime,
    metadata: Option<NewFile<'_>>,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let _lock = vfs.lock(group, LockMode::Exclusive)?;
    let vfs = &vfs.snapshot(group)?;
    if object_type(vfs, group)? != ObjectType::Group {
        return Err(GroupError::MissingForClose {
            uri: group.to_string(),
        }
        .into());
    }
    let folder = group.join(folders::GROUP_DETAILS);
    let entries = vfs.list(&folder)?;
    let start = time.start;
    let names_until = |end| names(&entries, TimeRange { start, end });
    let (known, changed_at) = match time.changed_at {
        ChangedAt::Fixed(changed_at) => (names_until(changed_at), changed_at),
        ChangedAt::Now => {
            let now = now();
            let known = names_until(now.saturating_add(AHEAD));
            let newest = known.last().map(|name| name.timestamps().end);
            (known, newest.map_or(now, |newest| now.max(newest)))
        }
    };
    let members = read(vfs, &folder, &known, key)?.changed_by(changes);
    let list = members.to_write();
    // A file with the same timestamp must sort after those that it amends.
    let changed_at = TimeRange {
        start: changed_at,
        end: changed_at,
    };
    let last = known.last().filter(|last| last.timestamps() == changed_at);
    let name = match last {
        Some(last) => {
            let name = last.following(None, FormatVersion(list.version as u32));
            name.as_str().to_owned()
        }
        None => new_name(changed_at, list.version),
    };
    let (file, bytes) = encode(group, &name, &list, key)?;
    let mut files: Vec<NewFile<'_>> = metadata.into_iter().collect();
    files.push(NewFile {
        uri: &file,
        bytes: &bytes,
    });
    vfs.publish_files(group, &[], &files)
}

fn new_name(timestamps: TimeRange, version: GroupVersion) -> String {
    format!("{}_{}", unversioned_name(timestamps), version as u32)
}

/// Returns the names of the files that list members, oldest first.
pub(super) fn names(entries: &[Entry], timestamps: TimeRange) -> Vec<FragmentName> {
    let files = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::File && !entry.name.contains('.'));
    let mut names: Vec<_> = files
        .filter_map(|entry| FragmentName::parse(&entry.name))
        .filter(|name| timestamps.contains(name.timestamps()))
        .collect();
    names.sort_by(|a, b| {
        let key = |name: &FragmentName| (name.timestamps().start, name.timestamps().end);
        key(a).cmp(&key(b)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    names
}

/// Writes a file that lists members, with a timestamp.
#[cfg(test)]
pub(super) fn write(
    vfs: &Vfs,
    group: &Uri,
    timestamp: Timestamp,
    list: &MemberList<'_>,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let timestamps = TimeRange {
        start: timestamp,
        end: timestamp,
    };
    let (file, bytes) = encode(group, &new_name(timestamps, list.version), list, key)?;
    vfs.publish_file(group, &file, &bytes)
}

/// Returns a file that lists members, and its content.
fn encode(
    group: &Uri,
    name: &str,
    list: &MemberList<'_>,
    key: Option<&EncryptionKey>,
) -> Result<(Uri, Vec<u8>)> {
    let mut record = Sink::new();
    write_group(&mut record, list.version, &list.members);
    let mut bytes = Vec::new();
    generic::encode(record.as_slice(), key, &mut bytes)?;
    Ok((group.join(folders::GROUP_DETAILS).join(name), bytes))
}
