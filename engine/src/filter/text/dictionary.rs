//! Dictionary encoding: each cell is stored as the index of its string among the distinct ones, in
//! the order of their first occurrence.
//!
//! The width of indices depends on the number of cells, not on the number of distinct strings, as
//! in libtiledb.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::strings::{STRIDE, Texts, copy, integer, put_integer, width_of};
use crate::bytes::{is_exact_key, text_key};
use crate::error::Result;
use crate::filter::parts::{Parts, u32_of};
use crate::memory::{Workspace, WorkspaceKind};

/// The hash table and the words of a tile.
#[derive(Debug)]
pub(super) struct DictionaryWorkspace {
    /// Randomly seeded for each workspace, so that input cannot be crafted to collide.
    hasher: DefaultHashBuilder,
    indices: HashTable<usize>,
    /// The distinct strings in the order of their first occurrence.
    seen: Vec<Word>,
    recent: Box<[Recent]>,
    /// The start and the length of each stored string, when decoding.
    words: Vec<(usize, usize)>,
}

/// A distinct string.
#[derive(Debug)]
struct Word {
    hash: u64,
    /// The key of the string.
    key: u128,
    /// The first cell that contains it.
    cell: usize,
}

impl Default for DictionaryWorkspace {
    fn default() -> Self {
        Self {
            hasher: DefaultHashBuilder::default(),
            indices: HashTable::new(),
            seen: Vec::new(),
            recent: vec![Recent::default(); Recent::NUMBER].into(),
            words: Vec::new(),
        }
    }
}

impl Workspace for DictionaryWorkspace {
    const KIND: WorkspaceKind = WorkspaceKind::Dictionary;

    fn memory(&self) -> usize {
        self.indices.allocation_size()
            + self.seen.capacity() * size_of::<Word>()
            + size_of_val(&*self.recent)
            + self.words.capacity() * size_of::<(usize, usize)>()
    }
}

impl DictionaryWorkspace {
    /// Returns one cell for each distinct string of the last encoding.
    pub(super) fn words(&self) -> impl Iterator<Item = usize> {
        self.seen.iter().map(|word| word.cell)
    }
}

/// An entry of a small cache of recent short strings. Most cells contain one of a few strings and
/// need no lookup in the hash table.
#[derive(Clone, Copy, Debug)]
struct Recent {
    key: u128,
    index: usize,
}

impl Default for Recent {
    /// An empty entry: no exact key has this value.
    fn default() -> Self {
        Self {
            key: u128::MAX,
            index: 0,
        }
    }
}

impl Recent {
    const NUMBER: usize = 256;

    /// Returns the cache slot of a key. A collision replaces the entry; the hash table still
    /// contains it.
    #[inline(always)]
    fn slot(key: u128) -> usize {
        let mixed = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ ((key >> 64) as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (mixed >> 56) as usize
    }
}

pub(super) fn encode(
    texts: Texts<'_>,
    workspace: &mut DictionaryWorkspace,
    data: &mut Parts,
    metadata: &mut Parts,
) -> Result<()> {
    let DictionaryWorkspace {
        hasher,
        indices,
        seen,
        recent,
        ..
    } = workspace;
    indices.clear();
    seen.clear();
    let index_width = width_of(texts.count() as u64);
    let start_of_indices = data.bytes.len();
    let indices_len = texts.count() * index_width as usize;
    data.bytes.grow(indices_len + STRIDE)?;
    let (mut words_len, mut longest) = (0, 0);
    recent.fill(Recent::default());
    let output = &mut data.bytes[start_of_indices..];
    let mut offset = 0;
    for cell in 0..texts.count() {
        let (start, text_len) = texts.start_and_len(cell);
        let key = text_key(texts.values, start, text_len);
        let recent_entry = &mut recent[Recent::slot(key)];
        let index = if recent_entry.key == key {
            recent_entry.index
        } else {
            let exact = is_exact_key(key);
            let hash = if exact {
                hasher.hash_one(key)
            } else {
                hasher.hash_one(texts.get(cell))
            };
            let is_same = |index: &usize| {
                let word = &seen[*index];
                word.key == key && (exact || texts.get(word.cell) == texts.get(cell))
            };
            let entry = indices.entry(hash, is_same, |index| seen[*index].hash);
            let index = *entry.or_insert(seen.len()).get();
            if index == seen.len() {
                seen.push(Word { hash, key, cell });
                words_len += text_len;
                longest = longest.max(text_len);
            }
            if exact {
                *recent_entry = Recent { key, index };
            }
            index
        };
        put_integer(output, offset, index as u64, index_width);
        offset += index_width as usize;
    }
    data.bytes.truncate(start_of_indices + indices_len);
    let len_width = width_of(longest as u64);
    words_len += seen.len() * len_width as usize;
    metadata.bytes.put(&[index_width as u8, len_width as u8])?;
    metadata.put_u32(u32_of(words_len)?)?;
    put_words(texts, seen, words_len, len_width, metadata)?;
    Ok(())
}

/// Appends the distinct strings, each preceded by its length in `len_width` bytes; `words_len` is
/// the size of all in bytes.
fn put_words(
    texts: Texts<'_>,
    words: &[Word],
    words_len: usize,
    len_width: u32,
    metadata: &mut Parts,
) -> Result<()> {
    let mut offset = metadata.bytes.len();
    let end = offset + words_len;
    metadata.bytes.grow(words_len + STRIDE)?;
    for word in words {
        let text = texts.get(word.cell);
        put_integer(&mut metadata.bytes, offset, text.len() as u64, len_width);
        offset += len_width as usize;
        metadata.bytes[offset..offset + text.len()].copy_from_slice(text);
        offset += text.len();
    }
    metadata.bytes.truncate(end);
    Ok(())
}

pub(super) fn decode(
    data: &[u8],
    dictionary: &[u8],
    [index_width, len_width]: [u32; 2],
    workspace: &mut DictionaryWorkspace,
    values: &mut [u8],
    starts: &mut [u64],
) -> std::result::Result<(), &'static str> {
    let cells = starts.len().saturating_sub(1);
    let words = &mut workspace.words;
    words.clear();
    let mut offset = 0;
    while offset < dictionary.len() {
        let truncated = "has a dictionary that ends within a string";
        let len = integer(dictionary, offset, len_width).ok_or(truncated)? as usize;
        offset += len_width as usize;
        words.push((offset, len));
        offset = offset
            .checked_add(len)
            .filter(|offset| *offset <= dictionary.len())
            .ok_or(truncated)?;
    }
    if cells.checked_mul(index_width as usize) != Some(data.len()) {
        return Err("does not have an index for each cell");
    }
    let mut end = 0usize;
    for (cell, start) in starts[..cells].iter_mut().enumerate() {
        let index = integer(data, cell * index_width as usize, index_width).unwrap_or(u64::MAX);
        let word = usize::try_from(index)
            .ok()
            .and_then(|offset| words.get(offset));
        let (from, len) = *word.ok_or("has an index beyond the dictionary")?;
        let more = "has more values than the tile";
        if len > values.len() - end {
            return Err(more);
        }
        copy(dictionary, from, values, end, len).ok_or(more)?;
        *start = end as u64;
        end += len;
    }
    if let Some(last) = starts.last_mut() {
        *last = end as u64;
    }
    if end == values.len() {
        Ok(())
    } else {
        Err("has fewer values than the tile")
    }
}
