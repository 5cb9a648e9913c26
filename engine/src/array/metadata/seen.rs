//! What an opening sees of metadata: keys in their order, values as C reads them.

use super::files::{merged_metadata, metadata_files};
use crate::bytes::words;
use crate::error::Result;
use crate::types::{Datatype, EncryptionKey, TimeRange};
use crate::vfs::{Uri, Vfs};

/// The keys and values that one opening sees, in the order of keys. C reads them where they are.
#[derive(Debug, Default)]
pub struct Metadata {
    rows: Vec<Row>,
    /// The values one after the other, each aligned.
    words: Vec<u64>,
}

#[derive(Debug)]
struct Row {
    /// With a zero at the end.
    key: Box<str>,
    datatype: Datatype,
    num: u32,
    /// Where its value is in the words.
    start: usize,
    word_num: usize,
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
    /// The key.
    pub fn key(&self) -> &'a str {
        &self.key[..self.key.len() - 1]
    }

    /// The key and a zero behind it.
    pub fn key_with_zero(&self) -> &'a [u8] {
        self.key.as_bytes()
    }
}

impl Metadata {
    /// What the files below `object`, an array or a group, say in a time range.
    pub fn load(
        vfs: &Vfs,
        object: &Uri,
        timestamps: TimeRange,
        key: Option<&EncryptionKey>,
    ) -> Result<Self> {
        let mut made = Self::default();
        let files = metadata_files(vfs, object, timestamps)?;
        for (key, value) in merged_metadata(vfs, &files, key)? {
            let Some(value) = value else { continue };
            let start = made.words.len();
            made.words.extend(words(&value.bytes));
            made.rows.push(Row {
                key: (key + "\0").into(),
                datatype: value.datatype,
                num: value.num,
                start,
                word_num: made.words.len() - start,
            });
        }
        Ok(made)
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A key by its place in the order of keys.
    pub fn at(&self, index: u64) -> Option<MetadataItem<'_>> {
        let row = self.rows.get(usize::try_from(index).ok()?)?;
        Some(self.item(row))
    }

    /// A key by its text.
    pub fn find(&self, key: &str) -> Option<MetadataItem<'_>> {
        let of = |row: &Row| row.key[..row.key.len() - 1].cmp(key);
        let at = self.rows.binary_search_by(of).ok()?;
        self.rows.get(at).map(|row| self.item(row))
    }

    fn item<'a>(&'a self, row: &'a Row) -> MetadataItem<'a> {
        MetadataItem {
            key: &row.key,
            datatype: row.datatype,
            num: row.num,
            words: &self.words[row.start..row.start + row.word_num],
        }
    }
}
