//! The files that say what a group's members are.

use super::members::Members;
use crate::array::{list_at_one_instant, open_repeatedly};
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::group::{GroupMember, GroupVersion, read_group, write_group};
use crate::format::names::{FragmentName, folders, unversioned_name};
use crate::tile::generic;
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// The members that the files of a time range say, oldest first: each amends the ones before it, or replaces them.
pub(super) fn load(
    vfs: &Vfs,
    group: &Uri,
    timestamps: TimeRange,
    key: Option<&EncryptionKey>,
) -> Result<Members> {
    let folder = group.join(folders::GROUP_DETAILS);
    open_repeatedly(vfs, group, |lock| {
        let list = || vfs.list(&folder);
        let entries = list_at_one_instant(vfs, group, &[&folder], lock, list)?;
        let mut files = Vec::new();
        for name in names(&entries, timestamps) {
            let uri = folder.join(name.as_str());
            let record = generic::read(vfs, &uri, key)?;
            let said = read_group(&mut Cursor::new("group", &record));
            files.push(said.map_err(|error| error.at(&uri))?);
        }
        Ok(Members::of(files))
    })
}

/// The names of files of details, oldest first.
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

/// Writes a file of details that counts as written at `timestamp`; it gets its name when it is whole.
pub(super) fn write(
    vfs: &Vfs,
    group: &Uri,
    timestamp: Timestamp,
    (version, entries): (GroupVersion, &[&GroupMember]),
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let folder = group.join(folders::GROUP_DETAILS);
    vfs.create_dir(&folder)?;
    let mut record = Sink::new();
    write_group(&mut record, version, entries);
    let at = TimeRange {
        start: timestamp,
        end: timestamp,
    };
    let name = format!("{}_{}", unversioned_name(at), version as u32);
    let file = folder.join(&name);
    generic::publish(vfs, group, &file, record.as_slice(), key)
}
