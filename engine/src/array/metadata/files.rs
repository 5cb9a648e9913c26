//! The files of metadata in a folder: which are visible, what they say together, and making one.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::commits::read_names;
use crate::format::metadata::{MetadataEntry, MetadataValue, read_metadata, write_metadata};
use crate::format::names::{FragmentName, folders, unversioned_name};
use crate::tile::generic;
use crate::types::{EncryptionKey, TimeRange};
use crate::vfs::{Entry, EntryKind, Uri, Vfs};

/// The files of metadata below `object` that lie wholly in a time range and that no visible consolidated file replaces,
/// oldest first.
pub fn metadata_files(vfs: &Vfs, object: &Uri, timestamps: TimeRange) -> Result<Vec<Uri>> {
    let folder = object.join(folders::METADATA);
    let entries = vfs.list(&folder)?;
    let visible = |entry: &&Entry| {
        let name = FragmentName::parse(&entry.name);
        entry.kind == EntryKind::File
            && name.is_some_and(|name| timestamps.contains(name.timestamps()))
    };
    let visible: Vec<&str> = entries
        .iter()
        .filter(visible)
        .map(|entry| entry.name.as_str())
        .collect();
    let mut replaced = HashSet::new();
    for file in visible
        .iter()
        .filter(|name| name.ends_with(folders::VACUUM))
    {
        let uri = folder.join(file);
        let bytes = vfs.read_all(&uri)?;
        let names = read_names(&bytes).map_err(|error| error.at(&uri))?;
        replaced.extend(names.into_iter().map(str::to_owned));
    }
    let files = visible.into_iter().filter(|name| !name.contains('.'));
    let mut files: Vec<_> = files
        .filter(|name| !replaced.contains(*name))
        .filter_map(FragmentName::parse)
        .collect();
    files.sort_by(|a, b| {
        let key = |name: &FragmentName| (name.timestamps().start, name.timestamps().end);
        key(a).cmp(&key(b)).then_with(|| a.as_str().cmp(b.as_str()))
    });
    Ok(files
        .iter()
        .map(|name| folder.join(name.as_str()))
        .collect())
}

/// The last word of files, oldest first, on each key: its value, or that it was deleted.
pub fn merged_metadata(
    vfs: &Vfs,
    files: &[Uri],
    key: Option<&EncryptionKey>,
) -> Result<BTreeMap<String, Option<MetadataValue>>> {
    let loaded: Vec<OnceLock<Vec<MetadataEntry>>> = files.iter().map(|_| OnceLock::new()).collect();
    vfs.context().for_each(files.len(), |at| {
        let uri = &files[at];
        let record = generic::read(vfs, uri, key)?;
        let entries = read_metadata(&mut Cursor::new("metadata", &record));
        let entries = entries.map_err(|error| error.at(uri))?;
        loaded[at].get_or_init(|| entries);
        Ok(())
    })?;
    let entries = loaded
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .flatten();
    Ok(entries.map(|entry| (entry.key, entry.value)).collect())
}

/// Makes a file of metadata below `object` that counts as written in a time range; answers its place.
pub fn write_metadata_file(
    vfs: &Vfs,
    object: &Uri,
    timestamps: TimeRange,
    entries: &[MetadataEntry],
    key: Option<&EncryptionKey>,
) -> Result<Uri> {
    let folder = object.join(folders::METADATA);
    let mut record = Sink::new();
    write_metadata(&mut record, entries);
    let name = unversioned_name(timestamps);
    generic::write_whole(vfs, &folder, &name, record.as_slice(), key)?;
    Ok(folder.join(&name))
}
