//! The files of metadata in a folder: which are visible, what they say together, and making one.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::commits::read_names;
use crate::format::metadata::{MetadataEntry, read_metadata, write_metadata};
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

/// Files of metadata in memory, oldest first.
#[derive(Debug)]
pub struct MetadataRecords<'a> {
    files: &'a [Uri],
    records: Vec<Vec<u8>>,
}

impl<'a> MetadataRecords<'a> {
    /// Reads files, of which the oldest is the first.
    pub fn load(vfs: &Vfs, files: &'a [Uri], key: Option<&EncryptionKey>) -> Result<Self> {
        let loaded: Vec<OnceLock<Vec<u8>>> = files.iter().map(|_| OnceLock::new()).collect();
        vfs.context().for_each(files.len(), |at| {
            let record = generic::read(vfs, &files[at], key)?;
            loaded[at].get_or_init(|| record);
            Ok(())
        })?;
        let records = loaded.into_iter().filter_map(OnceLock::into_inner);
        Ok(Self {
            files,
            records: records.collect(),
        })
    }

    /// The last word on each key, its value or that it was deleted, in the order of keys.
    pub fn merged(&self) -> Result<Vec<MetadataEntry<'_>>> {
        let mut entries = Vec::new();
        for (file, record) in self.files.iter().zip(&self.records) {
            let said = read_metadata(&mut Cursor::new("metadata", record));
            let said = said.map_err(|error| error.at(file))?;
            match entries.is_empty() {
                true => entries = said,
                false => entries.extend(said),
            }
        }
        // Of equal keys the newest word comes last, and is kept.
        entries.sort_by_key(|entry| entry.key);
        entries.dedup_by(|newer, kept| {
            let same = newer.key == kept.key;
            if same {
                *kept = *newer;
            }
            same
        });
        Ok(entries)
    }
}

/// Makes a file of metadata below `object` that counts as written in a time range; answers its place.
pub fn write_metadata_file<'a>(
    vfs: &Vfs,
    object: &Uri,
    timestamps: TimeRange,
    entries: impl IntoIterator<Item = MetadataEntry<'a>>,
    key: Option<&EncryptionKey>,
) -> Result<Uri> {
    let folder = object.join(folders::METADATA);
    let mut record = Sink::new();
    write_metadata(&mut record, entries);
    let name = unversioned_name(timestamps);
    let file = folder.join(&name);
    generic::publish(vfs, object, &file, record.as_slice(), key)?;
    Ok(file)
}
