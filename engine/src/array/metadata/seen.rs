//! What an opening sees of metadata: keys in their order, values as C reads them.

use crate::platform::lock::OnceValue;
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::super::instant::open_repeatedly;
use super::access::OpenMetadata;
use super::files::{MetadataFolder, MetadataNames, MetadataRecords};
use crate::bytes;
use crate::error::Result;
use crate::format::metadata::MetadataEntry;
use crate::types::{Datatype, EncryptionKey, TimeRange};
use crate::vfs::{Uri, Vfs};

/// The bytes of a word of values.
const WORD: usize = size_of::<u64>();

/// The keys and values that one opening sees, in the order of keys. C reads them if they are.
#[derive(Debug, Default)]
pub struct Metadata {
    rows: Vec<Row>,
    /// The keys one after the other, each with a zero behind it.
    keys: String,
    /// The values one after the other, each aligned.
    words: Vec<u64>,
    /// Made when a key is first looked for.
    index: OnceValue<Index>,
}

#[derive(Debug)]
struct Row {
    /// Where its key is in the keys, with the zero.
    key: Range<usize>,
    datatype: Datatype,
    num: u32,
    /// Where its value is in the words.
    value: Range<usize>,
}

/// Rows by the hashes of their keys.
#[derive(Debug, Default)]
struct Index {
    /// Hashes differ from index to index: nobody can make keys that meet.
    hasher: DefaultHashBuilder,
    rows: HashTable<usize>,
}

/// A key of metadata and its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetadataItem<'a> {
    /// The key, with a zero behind it that belongs to C.
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

    /// Returns the key and a zero behind it.
    pub fn key_with_zero(&self) -> &'a [u8] {
        self.key.as_bytes()
    }
}

impl Metadata {
    /// Loads the metadata of `object`, an array or a group, in a time range.
    pub fn load(
        vfs: &Vfs,
        object: &Uri,
        timestamps: TimeRange,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        open_repeatedly(vfs, object, |lock| {
            let names = MetadataNames::list(vfs, object, lock)?;
            Self::read(vfs, object, &names, timestamps, key)
        })
    }

    /// Loads the metadata that an open sees. If files have been consolidated and removed since the
    /// open, the consolidated files are read, which may contain newer values; but not if the time
    /// range was set by the caller.
    pub(super) fn of_open(open: &OpenMetadata<'_>) -> Result<Self> {
        let OpenMetadata {
            vfs,
            object,
            timestamps,
            key,
            ..
        } = *open;
        match Self::read(vfs, object, open.names, timestamps, key) {
            Err(error) if error.is_missing() => {}
            read => return read,
        }
        open_repeatedly(vfs, object, |lock| {
            let names = MetadataNames::list(vfs, object, lock)?;
            let mut range = timestamps;
            if open.until_now {
                range = names.extend(range);
            }
            Self::read(vfs, object, &names, range, key)
        })
    }

    fn read(
        vfs: &Vfs,
        object: &Uri,
        names: &MetadataNames,
        timestamps: TimeRange,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let files = MetadataFolder::of(vfs, object, names)?.visible(timestamps);
        let records = MetadataRecords::load(vfs, &files, key)?;
        Ok(Self::of(&records.merged()?))
    }

    /// What the last words on keys, in the order of keys, leave.
    fn of(entries: &[MetadataEntry<'_>]) -> Self {
        let present = || {
            entries
                .iter()
                .filter_map(|entry| Some((entry.key, entry.value?)))
        };
        let (rows, keys, words) = present().fold((0, 0, 0), |(rows, keys, words), (key, value)| {
            (
                rows + 1,
                keys + key.len() + 1,
                words + value.bytes.len().div_ceil(WORD),
            )
        });
        let mut made = Self {
            rows: Vec::with_capacity(rows),
            keys: String::with_capacity(keys),
            words: Vec::with_capacity(words),
            index: OnceValue::new(),
        };
        for (key, value) in present() {
            let (key_start, start) = (made.keys.len(), made.words.len());
            made.keys.push_str(key);
            made.keys.push('\0');
            made.words.extend(bytes::words(value.bytes));
            made.rows.push(Row {
                key: key_start..made.keys.len(),
                datatype: value.datatype,
                num: value.num,
                value: start..made.words.len(),
            });
        }
        made
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns a key by its place in the order of keys.
    pub fn at(&self, index: u64) -> Option<MetadataItem<'_>> {
        let row = self.rows.get(usize::try_from(index).ok()?)?;
        Some(self.item(row))
    }

    /// Returns a key by its text.
    pub fn find(&self, key: &str) -> Option<MetadataItem<'_>> {
        let Index { hasher, rows } = self.index.get_or_init(|| self.indexed());
        let found = rows.find(hasher.hash_one(key), |row| {
            self.key(&self.rows[*row]) == key
        })?;
        Some(self.item(&self.rows[*found]))
    }

    fn indexed(&self) -> Index {
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
