//! Dictionary encoding: each cell is the index of its text among the different ones, in the order they came in.
//!
//! An index has as many bytes as the number of cells needs, however few words there are: so libtiledb writes it.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::{STRIDE, Texts, copy, integer, put_integer, width_of};
use crate::bytes::{is_whole, text_key};
use crate::error::Result;
use crate::filter::parts::{Parts, u32_of};
use crate::filter::pipeline::KEPT;

/// Memory that a thread keeps.
#[derive(Debug)]
pub(super) struct Work {
    /// Hashes differ from thread to thread: nobody can make words that meet.
    hasher: DefaultHashBuilder,
    indices: HashTable<usize>,
    /// The different words, in the order they came in.
    seen: Vec<Word>,
    recent: Box<[Recent]>,
    /// Of each stored word where it starts, and its length.
    words: Vec<(usize, usize)>,
}

/// A text that was seen.
#[derive(Debug)]
struct Word {
    hash: u64,
    /// The text as a number.
    key: u128,
    /// The first cell that has it.
    cell: usize,
}

impl Default for Work {
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

impl Work {
    /// A cell for each different text of those encoded last.
    pub(super) fn words(&self) -> impl Iterator<Item = usize> {
        self.seen.iter().map(|word| word.cell)
    }
}

/// A short word that was met lately: most cells have one of few, and need no search in the table.
#[derive(Clone, Copy, Debug)]
struct Recent {
    key: u128,
    index: usize,
}

impl Default for Recent {
    /// No word: none that is whole is so long.
    fn default() -> Self {
        Self {
            key: u128::MAX,
            index: 0,
        }
    }
}

impl Recent {
    const NUMBER: usize = 256;

    /// Where a word stands among the recent ones. It may drive others away: then the table has them.
    #[inline(always)]
    fn place(key: u128) -> usize {
        let mixed = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ ((key >> 64) as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        (mixed >> 56) as usize
    }
}

pub(super) fn encode(
    texts: Texts<'_>,
    work: &mut Work,
    data: &mut Parts,
    metadata: &mut Parts,
) -> Result<()> {
    let Work {
        hasher,
        indices,
        seen,
        recent,
        ..
    } = work;
    indices.clear();
    seen.clear();
    seen.shrink_to(KEPT / 16);
    let index_width = width_of(texts.count() as u64);
    let at = data.bytes.len();
    let len = at + texts.count() * index_width as usize;
    data.bytes.grow(len + STRIDE - at)?;
    let (mut words_len, mut longest) = (0, 0);
    recent.fill(Recent::default());
    let places = &mut data.bytes[at..];
    let mut at = 0;
    for cell in 0..texts.count() {
        let (start, text_len) = texts.place(cell);
        let key = text_key(texts.values, start, text_len);
        let near = &mut recent[Recent::place(key)];
        let index = if near.key == key {
            near.index
        } else {
            let short = is_whole(key);
            let hash = match short {
                true => hasher.hash_one(key),
                false => hasher.hash_one(texts.get(cell)),
            };
            let is_same = |index: &usize| {
                let word = &seen[*index];
                word.key == key && (short || texts.get(word.cell) == texts.get(cell))
            };
            let entry = indices.entry(hash, is_same, |index| seen[*index].hash);
            let index = *entry.or_insert(seen.len()).get();
            if index == seen.len() {
                seen.push(Word { hash, key, cell });
                words_len += text_len;
                longest = longest.max(text_len);
            }
            if short {
                *near = Recent { key, index };
            }
            index
        };
        put_integer(places, at, index as u64, index_width);
        at += index_width as usize;
    }
    data.bytes.truncate(len);
    let len_width = width_of(longest as u64);
    words_len += seen.len() * len_width as usize;
    metadata.bytes.put(&[index_width as u8, len_width as u8]);
    metadata.put_u32(u32_of(words_len)?);
    put_words(texts, seen, (words_len, len_width), metadata)?;
    if indices.capacity() > KEPT / 16 {
        *indices = HashTable::new();
    }
    Ok(())
}

/// Appends the words, which have so many bytes with their lengths, each of those of `len_width` bytes.
fn put_words(
    texts: Texts<'_>,
    words: &[Word],
    (words_len, len_width): (usize, u32),
    metadata: &mut Parts,
) -> Result<()> {
    let mut at = metadata.bytes.len();
    let len = at + words_len;
    metadata.bytes.grow(len + STRIDE - at)?;
    for word in words {
        let text = texts.get(word.cell);
        put_integer(&mut metadata.bytes, at, text.len() as u64, len_width);
        at += len_width as usize;
        metadata.bytes[at..at + text.len()].copy_from_slice(text);
        at += text.len();
    }
    metadata.bytes.truncate(len);
    Ok(())
}

pub(super) fn decode(
    data: &[u8],
    dictionary: &[u8],
    [index_width, len_width]: [u32; 2],
    work: &mut Work,
    values: &mut [u8],
    starts: &mut [u64],
) -> std::result::Result<(), &'static str> {
    let cells = starts.len().saturating_sub(1);
    let words = &mut work.words;
    words.clear();
    let mut at = 0;
    while at < dictionary.len() {
        let cut = "has a dictionary that ends within a word";
        let len = integer(dictionary, at, len_width).ok_or(cut)? as usize;
        at += len_width as usize;
        words.push((at, len));
        at = at
            .checked_add(len)
            .filter(|at| *at <= dictionary.len())
            .ok_or(cut)?;
    }
    if cells.checked_mul(index_width as usize) != Some(data.len()) {
        return Err("does not have an index for each cell");
    }
    let mut end = 0usize;
    for (cell, start) in starts[..cells].iter_mut().enumerate() {
        let index = integer(data, cell * index_width as usize, index_width).unwrap_or(u64::MAX);
        let word = usize::try_from(index).ok().and_then(|at| words.get(at));
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
    if words.capacity() > KEPT / 16 {
        *words = Vec::new();
    }
    match end == values.len() {
        true => Ok(()),
        false => Err("has fewer values than the tile"),
    }
}
