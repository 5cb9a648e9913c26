//! The metadata files of an array or group: which are visible, their merged content, and writing
//! one.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::super::instant::list_folder_at_one_instant;
use super::super::replacement::{ReplacementList, replaced};
use crate::array::commits::{CommitScope, Commits};
use crate::bytes::{Cursor, Sink};
use crate::error::{Result, reserve, try_reserved};
use crate::format::metadata::{MetadataEntry, read_metadata, write_metadata};
use crate::format::names::{FragmentName, folders, unversioned_name};
use crate::format::version::FormatVersion;
use crate::fragment::{OpenedObject, publish_change};
use crate::stats::{Counter, Timer};
use crate::tile::generic;
use crate::types::{EncryptionKey, TimeRange, Timestamp};
use crate::vfs::{Entry, EntryKind, FolderLock, StorageView, Uri, Vfs};

/// The names in the metadata folder of an array or group at one instant.
#[derive(Clone, Debug, Default)]
pub struct MetadataNames(Vec<Entry>);

impl MetadataNames {
    /// Lists the folder. `lock`: a lock on `object` that the caller holds.
    pub fn list(view: &StorageView, object: &Uri, lock: Option<&FolderLock>) -> Result<Self> {
        let folder = object.join(folders::METADATA);
        list_folder_at_one_instant(view, object, &folder, lock, |entries| Ok((entries, false)))
            .map(Self)
    }

    /// Creates the list that a message contains.
    pub fn of_message(names: Vec<FragmentName>) -> Self {
        Self(
            names
                .into_iter()
                .map(|name| Entry {
                    name: name.as_str().to_owned(),
                    kind: EntryKind::File,
                    size: 0,
                    link: false,
                })
                .collect(),
        )
    }

    /// Returns whether the files that begin until `end` are the same as in another listing.
    pub fn have_same_until(&self, other: &Self, end: Timestamp) -> bool {
        let begins = |entry: &&Entry| {
            let time = FragmentName::parse(&entry.name).map(|name| name.timestamps());
            time.is_none_or(|time| time.start <= end)
        };
        let names = |list: &'_ Self| -> Vec<String> {
            list.0
                .iter()
                .filter(begins)
                .map(|entry| entry.name.clone())
                .collect()
        };
        names(self) == names(other)
    }

    /// Extends a time range to the ends of files that are partly within it.
    pub fn extend(&self, timestamps: TimeRange) -> TimeRange {
        let ends = self
            .0
            .iter()
            .filter_map(|entry| FragmentName::with_suffix(&entry.name, ""))
            .map(|name| name.timestamps())
            .filter(|range| range.start <= timestamps.end);
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
    /// The replacement lists.
    pub lists: Vec<ReplacementList>,
}

impl MetadataFolder {
    /// Reads the state of one instant. `lock` is a lock on `object` that the caller holds.
    ///
    /// # Errors
    /// Returns a storage error with "not found" if another process removes a listed file.
    pub fn read(view: &StorageView, object: &Uri, lock: Option<&FolderLock>) -> Result<Self> {
        Self::of(view, object, &MetadataNames::list(view, object, lock)?)
    }

    /// Reads the state of the instant at which the names were listed.
    ///
    /// # Errors
    /// Returns a storage error with "not found" if another process has removed a listed file.
    pub fn of(view: &StorageView, object: &Uri, names: &MetadataNames) -> Result<Self> {
        let folder = object.join(folders::METADATA);
        let files = names.0.iter().filter(|entry| entry.kind == EntryKind::File);
        let (mut names, mut lists) = (Vec::new(), Vec::new());
        for entry in files {
            names.extend(FragmentName::with_suffix(&entry.name, ""));
            if FragmentName::with_suffix(&entry.name, folders::VACUUM).is_some() {
                lists.push(ReplacementList::read(view, folder.join(&entry.name))?);
            }
        }
        Ok(Self {
            folder,
            names,
            lists,
        })
    }

    /// Returns whether a metadata file with this name exists.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.as_str() == name)
    }

    /// Returns the files completely within a time range that no consolidated file of that range
    /// replaces, oldest first.
    pub fn visible(&self, timestamps: TimeRange) -> Vec<Uri> {
        let mut files: Vec<_> = self
            .names
            .iter()
            .filter(|name| timestamps.contains(name.timestamps()))
            .collect();
        let present: HashSet<&str> = files.iter().map(|name| name.as_str()).collect();
        let hidden = replaced(&self.lists, |list| present.contains(&*list.name));
        files.retain(|name| !hidden.contains(name.as_str()));
        files.sort_by(|a, b| a.oldest_first(b));
        files
            .into_iter()
            .map(|name| self.folder.join(name.as_str()))
            .collect()
    }
}

/// Reads a metadata file and drops its entries.
pub fn read_metadata_file(
    view: &StorageView,
    uri: &Uri,
    key: Option<&EncryptionKey>,
) -> Result<()> {
    let record = generic::read(view, uri, key)?;
    let read = read_metadata(&mut Cursor::new("metadata", &record));
    read.map(drop).map_err(|error| error.with_uri(uri))
}

/// The content of metadata files, oldest first.
#[derive(Debug)]
pub struct MetadataRecords<'a> {
    files: &'a [Uri],
    records: Vec<Vec<u8>>,
}

impl<'a> MetadataRecords<'a> {
    /// Reads files, which are ordered from the oldest to the newest.
    pub fn load(view: &StorageView, files: &'a [Uri], key: Option<&EncryptionKey>) -> Result<Self> {
        let stats = &view.vfs.context.stats;
        let _timing = stats.timer(Timer::LoadMetadata);
        let loaded: Vec<OnceLock<Vec<u8>>> = files.iter().map(|_| OnceLock::new()).collect();
        let Some(first) = files.first() else {
            return Ok(Self {
                files,
                records: Vec::new(),
            });
        };
        view.vfs.for_each(first, files.len(), |index| {
            let record = generic::read(view, &files[index], key)?;
            stats.add(Counter::ReadMetadataBytes, record.len() as u64);
            loaded[index].get_or_init(|| record);
            Ok(())
        })?;
        let records = loaded.into_iter().filter_map(OnceLock::into_inner);
        Ok(Self {
            files,
            records: records.collect(),
        })
    }

    /// Returns the last entry of each key, a value or a deletion, in the order of keys.
    pub fn merged(&self) -> Result<Vec<MetadataEntry<'_>>> {
        let mut entries = Vec::new();
        for (file, record) in self.files.iter().zip(&self.records) {
            let read = read_metadata(&mut Cursor::new("metadata", record))
                .map_err(|error| error.with_uri(file))?;
            if entries.is_empty() {
                entries = read;
            } else {
                reserve("metadata", &mut entries, read.len())?;
                entries.extend(read);
            }
        }
        // The newest of entries with equal keys comes last and is kept.
        // Sorting allocates at most as much as here, and would abort the process without memory.
        drop(try_reserved::<MetadataEntry<'_>>(
            "metadata",
            entries.len(),
        )?);
        entries.sort_by_key(|entry| entry.key);
        entries.dedup_by(|newer, kept| {
            let has_same_key = newer.key == kept.key;
            if has_same_key {
                *kept = *newer;
            }
            has_same_key
        });
        Ok(entries)
    }
}

/// Writes a metadata file below `object` with the given timestamps and returns its URI. `version`
/// is that of the records of the object.
///
/// # Errors
/// If the object is an array that was moved or removed after it was opened, or if storage fails.
pub fn write_metadata_file<'a>(
    vfs: &Vfs,
    object: OpenedObject<'_>,
    timestamps: TimeRange,
    entries: impl IntoIterator<Item = MetadataEntry<'a>>,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Uri> {
    let (file, bytes) = encode_metadata_file(vfs, object.uri, timestamps, entries, version, key)?;
    publish_change(vfs, object, &file, &bytes).inspect_err(|_| object.remove_empty_folders(vfs))?;
    Ok(file)
}

/// Returns the name of a new metadata file below `object` and its content.
pub(super) fn encode_metadata_file<'a>(
    vfs: &Vfs,
    object: &Uri,
    timestamps: TimeRange,
    entries: impl IntoIterator<Item = MetadataEntry<'a>>,
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<(Uri, Vec<u8>)> {
    let stats = &vfs.context.stats;
    let _timing = stats.timer(Timer::WriteMetadata);
    let folder = object.join(folders::METADATA);
    let mut record = Sink::new();
    write_metadata(&mut record, entries);
    stats.add(Counter::WrittenMetadataBytes, record.len() as u64);
    let name = unversioned_name(timestamps);
    let mut bytes = Vec::new();
    generic::encode(record.as_slice(), version, key, &mut bytes)?;
    Ok((folder.join(&name), bytes))
}

/// Returns whether a metadata file counts if `newest` is the newest visible fragment. It does not
/// if it describes a newer fragment, which is not committed yet or never will be.
pub fn describes_visible(file: &FragmentName, newest: Option<&FragmentName>) -> bool {
    if !file.is_versioned() {
        return true;
    }
    let Some(newest) = newest else {
        return false;
    };
    let (timestamp, span) = (file.timestamps().end, newest.timestamps());
    // A consolidated fragment with the same end has replaced the described fragment.
    let is_replaced = timestamp == span.end && span.start < span.end;
    is_replaced || (timestamp, file.as_str()) <= (span.end, newest.as_str())
}

/// Returns the newest of the fragments.
pub fn newest_fragment<'a>(
    names: impl IntoIterator<Item = &'a FragmentName>,
) -> Option<&'a FragmentName> {
    names
        .into_iter()
        .max_by_key(|name| (name.timestamps().end, name.as_str()))
}

/// Removes metadata files of an array from the list that describe uncommitted fragments. `lock` is
/// a lock on the array that the caller holds.
pub fn retain_committed(
    view: &StorageView,
    array: &Uri,
    files: &mut Vec<Uri>,
    lock: &FolderLock,
) -> Result<()> {
    let name = |file: &Uri| FragmentName::with_suffix(file.name(), "");
    if !files
        .iter()
        .filter_map(name)
        .any(|name| name.is_versioned())
    {
        return Ok(());
    }
    let commits = Commits::read(view, array, CommitScope::all(Some(lock)))?;
    let committed = commits.fragment_names(view)?;
    retain_described(files, &committed);
    Ok(())
}

/// Removes metadata files from the list that describe fragments newer than the committed ones.
pub fn retain_described(files: &mut Vec<Uri>, committed: &HashSet<String>) {
    let names: Vec<_> = committed
        .iter()
        .filter_map(|name| FragmentName::parse(name))
        .collect();
    let newest = newest_fragment(&names);
    files.retain(|file| {
        FragmentName::parse(file.name()).is_none_or(|name| describes_visible(&name, newest))
    });
}
