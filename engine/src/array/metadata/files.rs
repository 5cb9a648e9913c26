//! The files of metadata in a folder: which are visible, what they say together, and making one.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::super::instant::list_at_one_instant;
use super::super::replacement::{ReplacementList, replaced};
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::metadata::{MetadataEntry, read_metadata, write_metadata};
use crate::format::names::{FragmentName, folders, unversioned_name};
use crate::stats::{Counter, Timer};
use crate::tile::generic;
use crate::types::{EncryptionKey, TimeRange};
use crate::vfs::{Entry, EntryKind, FolderLock, Uri, Vfs};

/// The names in the folder of metadata of an array or group, at one instant.
#[derive(Clone, Debug, Default)]
pub struct MetadataNames(Vec<Entry>);

impl MetadataNames {
    /// Lists the folder. `lock`: a lock on `object` that the caller holds.
    pub fn list(vfs: &Vfs, object: &Uri, lock: Option<&FolderLock>) -> Result<Self> {
        let folder = object.join(folders::METADATA);
        let list = || vfs.list(&folder);
        list_at_one_instant(vfs, object, &[&folder], lock, list).map(Self)
    }

    /// Returns a time range that is extended to the ends of the files that are partly in it.
    pub fn extend(&self, timestamps: TimeRange) -> TimeRange {
        let names = self.0.iter();
        let names = names.filter_map(|entry| FragmentName::with_suffix(&entry.name, ""));
        let ends = names.map(|name| name.timestamps());
        let ends = ends.filter(|range| range.start <= timestamps.end);
        TimeRange {
            end: ends.map(|range| range.end).fold(timestamps.end, u64::max),
            ..timestamps
        }
    }
}

/// The files in the folder of metadata of an array or group.
#[derive(Debug)]
pub struct MetadataFolder {
    folder: Uri,
    names: Vec<FragmentName>,
    lists: Vec<ReplacementList>,
}

impl MetadataFolder {
    /// Reads the state of one instant. `lock`: a lock on `object` that the caller holds.
    ///
    /// # Errors
    /// A storage error that says "not found" if another process removes a listed file.
    pub fn read(vfs: &Vfs, object: &Uri, lock: Option<&FolderLock>) -> Result<Self> {
        Self::of(vfs, object, &MetadataNames::list(vfs, object, lock)?)
    }

    /// Reads the state of the instant at which the names were listed.
    ///
    /// # Errors
    /// A storage error that says "not found" if another process has removed a listed file.
    pub fn of(vfs: &Vfs, object: &Uri, names: &MetadataNames) -> Result<Self> {
        let folder = object.join(folders::METADATA);
        let files = names.0.iter().filter(|entry| entry.kind == EntryKind::File);
        let (mut names, mut lists) = (Vec::new(), Vec::new());
        for entry in files {
            names.extend(FragmentName::with_suffix(&entry.name, ""));
            if FragmentName::with_suffix(&entry.name, folders::VACUUM).is_some() {
                lists.push(ReplacementList::read(vfs, folder.join(&entry.name), false)?);
            }
        }
        Ok(Self {
            folder,
            names,
            lists,
        })
    }

    /// Returns the replacement lists.
    pub fn lists(&self) -> &[ReplacementList] {
        &self.lists
    }

    /// Returns whether there is a file of metadata of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.as_str() == name)
    }

    /// Returns the files that lie wholly in a time range and that no consolidated file of that
    /// range replaces, oldest first.
    pub fn visible(&self, timestamps: TimeRange) -> Vec<Uri> {
        let in_time = |name: &FragmentName| timestamps.contains(name.timestamps());
        let mut files: Vec<_> = self.names.iter().filter(|name| in_time(name)).collect();
        let present: HashSet<&str> = files.iter().map(|name| name.as_str()).collect();
        let hidden = replaced(&self.lists, |name| present.contains(name));
        files.retain(|name| !hidden.contains(name.as_str()));
        files.sort_by(|a, b| {
            let key = |name: &FragmentName| (name.timestamps().start, name.timestamps().end);
            key(a).cmp(&key(b)).then_with(|| a.as_str().cmp(b.as_str()))
        });
        let files = files.into_iter();
        files.map(|name| self.folder.join(name.as_str())).collect()
    }
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
        let stats = vfs.context().stats();
        let _timing = stats.timer(Timer::LoadMetadata);
        let loaded: Vec<OnceLock<Vec<u8>>> = files.iter().map(|_| OnceLock::new()).collect();
        vfs.context().for_each_io(files.len(), |at| {
            let record = generic::read(vfs, &files[at], key)?;
            stats.add(Counter::ReadMetadataBytes, record.len() as u64);
            loaded[at].get_or_init(|| record);
            Ok(())
        })?;
        let records = loaded.into_iter().filter_map(OnceLock::into_inner);
        Ok(Self {
            files,
            records: records.collect(),
        })
    }

    /// Returns the last word on each key, its value or that it was deleted, in the order of keys.
    pub fn merged(&self) -> Result<Vec<MetadataEntry<'_>>> {
        let mut entries = Vec::new();
        for (file, record) in self.files.iter().zip(&self.records) {
            let said = read_metadata(&mut Cursor::new("metadata", record));
            let said = said.map_err(|error| error.with_uri(file))?;
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

/// Makes a file of metadata below `object` that counts as written in a time range and returns its
/// place.
pub fn write_metadata_file<'a>(
    vfs: &Vfs,
    object: &Uri,
    timestamps: TimeRange,
    entries: impl IntoIterator<Item = MetadataEntry<'a>>,
    key: Option<&EncryptionKey>,
) -> Result<Uri> {
    let stats = vfs.context().stats();
    let _timing = stats.timer(Timer::WriteMetadata);
    let folder = object.join(folders::METADATA);
    let mut record = Sink::new();
    write_metadata(&mut record, entries);
    stats.add(Counter::WrittenMetadataBytes, record.len() as u64);
    let name = unversioned_name(timestamps);
    let file = folder.join(&name);
    generic::publish(vfs, object, &file, record.as_slice(), key)?;
    Ok(file)
}
