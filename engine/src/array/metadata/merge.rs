//! The merged metadata of an open array or group: keys in order, with values in memory that C can
//! read.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::super::instant::open_repeatedly;
use super::OwnedMetadataEntry;
use super::changes::metadata_value;
use super::files::{MetadataFolder, MetadataNames, MetadataRecords};
use crate::bytes;
use crate::error::Result;
use crate::format::metadata::{MetadataEntry, MetadataValue};
use crate::platform::lock::OnceValue;
use crate::types::{Datatype, EncryptionKey, TimeRange};
use crate::vfs::{StorageView, Uri};

/// The size of a word in bytes.
const WORD: usize = size_of::<u64>();

/// The keys and values in the order of keys. C programs read them in place.
#[derive(Debug, Default)]
pub struct Metadata {
    rows: Vec<Row>,
    /// The concatenated keys, each followed by a zero byte.
    keys: String,
    /// The concatenated values, each aligned to a word.
    words: Vec<u64>,
    /// Built at the first lookup of a key.
    index: OnceValue<Index>,
}

#[derive(Debug)]
struct Row {
    /// The range of its key in `keys`, including the zero byte.
    key: Range<usize>,
    datatype: Datatype,
    num: u32,
    /// The range of its value in `words`.
    value: Range<usize>,
}

/// A hash index of rows by key.
#[derive(Debug, Default)]
struct Index {
    /// Randomly seeded, so that keys cannot be crafted to collide.
    hasher: DefaultHashBuilder,
    rows: HashTable<usize>,
}

/// A key of metadata and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetadataItem<'a> {
    /// The key, followed by a zero byte for C.
    key: &'a str,
    /// The datatype of the values.
    pub datatype: Datatype,
    /// The number of values.
    pub num: u32,
    /// The memory of the values.
    pub words: &'a [u64],
}

impl<'a> MetadataItem<'a> {
    /// Returns the key.
    pub fn key(&self) -> &'a str {
        &self.key[..self.key.len() - 1]
    }

    /// Returns the key including the zero byte at its end.
    pub fn key_with_zero(&self) -> &'a [u8] {
        self.key.as_bytes()
    }
}

impl Metadata {
    /// Loads the metadata of `object`, an array or a group, in a time range. The object is listed
    /// again if a file in `view` has disappeared.
    pub fn load(
        view: &StorageView,
        object: &Uri,
        timestamps: TimeRange,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let mut first = Some(view.clone());
        open_repeatedly(&view.vfs, object, |lock| {
            let view = first.take().unwrap_or_else(|| view.vfs.view());
            let names = MetadataNames::list(&view, object, lock)?;
            Self::read(&view, object, &names, timestamps, key)
        })
    }

    pub(super) fn read(
        view: &StorageView,
        object: &Uri,
        names: &MetadataNames,
        timestamps: TimeRange,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let files = MetadataFolder::of(view, object, names)?.visible(timestamps);
        let records = MetadataRecords::load(view, &files, key)?;
        Ok(Self::of(&records.merged()?))
    }

    /// Builds the metadata from the last entry of each key, in the order of keys.
    fn of(entries: &[MetadataEntry<'_>]) -> Self {
        let present = || {
            entries
                .iter()
                .filter_map(|entry| Some((entry.key, entry.value?)))
        };
        let (mut row_num, mut key_bytes, mut word_num) = (0, 0, 0);
        for (key, value) in present() {
            row_num += 1;
            key_bytes += key.len() + 1;
            word_num += value.bytes.len().div_ceil(WORD);
        }
        let mut metadata = Self {
            rows: Vec::with_capacity(row_num),
            keys: String::with_capacity(key_bytes),
            words: Vec::with_capacity(word_num),
            index: OnceValue::new(),
        };
        for (key, value) in present() {
            let (key_start, start) = (metadata.keys.len(), metadata.words.len());
            metadata.keys.push_str(key);
            metadata.keys.push('\0');
            metadata.words.extend(bytes::words(value.bytes));
            metadata.rows.push(Row {
                key: key_start..metadata.keys.len(),
                datatype: value.datatype,
                num: value.num,
                value: start..metadata.words.len(),
            });
        }
        metadata
    }

    /// Returns the keys and values in the order of keys.
    pub fn entries(&self) -> Vec<OwnedMetadataEntry> {
        self.rows
            .iter()
            .map(|row| {
                let item = self.item(row);
                let mut bytes: Vec<u8> = bytes::bytes_of_words(item.words).collect();
                bytes.truncate(item.num as usize * item.datatype.size());
                OwnedMetadataEntry {
                    key: item.key().to_owned(),
                    value: Some((item.datatype, bytes)),
                }
            })
            .collect()
    }

    /// Returns the metadata after puts and deletions.
    pub fn changed_by(&self, changes: &[OwnedMetadataEntry]) -> Self {
        let current = self.entries();
        let mut last: BTreeMap<&str, Option<MetadataValue<'_>>> = BTreeMap::new();
        for entry in current.iter().chain(changes) {
            let value = entry.value.as_ref();
            let value = value.map(|(datatype, bytes)| metadata_value(*datatype, bytes));
            last.insert(&entry.key, value);
        }
        let entries = last
            .into_iter()
            .map(|(key, value)| MetadataEntry { key, value });
        Self::of(&entries.collect::<Vec<_>>())
    }

    /// Returns the metadata that a message contains; not loaded if it contains none.
    pub(crate) fn received(entries: Option<Vec<OwnedMetadataEntry>>) -> OnceValue<Arc<Self>> {
        match entries {
            Some(entries) => OnceValue::from(Arc::new(Self::default().changed_by(&entries))),
            None => OnceValue::new(),
        }
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether the number of keys is 0.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the item at an index, in the order of keys.
    pub fn at(&self, index: u64) -> Option<MetadataItem<'_>> {
        let row = self.rows.get(usize::try_from(index).ok()?)?;
        Some(self.item(row))
    }

    /// Returns the item of a key.
    pub fn find(&self, key: &str) -> Option<MetadataItem<'_>> {
        let Index { hasher, rows } = self.index.get_or_init(|| self.build_index());
        let found = rows.find(hasher.hash_one(key), |row| {
            self.key(&self.rows[*row]) == key
        })?;
        Some(self.item(&self.rows[*found]))
    }

    fn build_index(&self) -> Index {
        let hasher = DefaultHashBuilder::default();
        let hash = |row: &usize| hasher.hash_one(self.key(&self.rows[*row]));
        let mut rows = HashTable::with_capacity(self.rows.len());
        for row in 0..self.rows.len() {
            rows.insert_unique(hash(&row), row, hash);
        }
        Index { hasher, rows }
    }

    fn key(&self, row: &Row) -> &str {
        &self.keys[row.key.start..row.key.end - 1]
    }

    fn item<'a>(&'a self, row: &'a Row) -> MetadataItem<'a> {
        MetadataItem {
            key: &self.keys[row.key.clone()],
            datatype: row.datatype,
            num: row.num,
            words: &self.words[row.value.clone()],
        }
    }
}
