//! Dictionary encoding: each cell is the index of its text among the different ones, in the order they came in.
//!
//! An index has as many bytes as the number of cells needs, however few words there are: so libtiledb writes it.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::{STRIDE, Texts, TextsMut, copy, integer, put_integer, width_of};
use crate::error::Result;
use crate::filter::parts::{Parts, u32_of};
use crate::filter::pipeline::KEPT;

/// Memory that a thread keeps.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// Hashes differ from thread to thread: nobody can make words that meet.
    hasher: DefaultHashBuilder,
    indices: HashTable<usize>,
    /// Of each word its hash and the first cell that has it.
    seen: Vec<(u64, usize)>,
    /// Of each stored word where it starts, and its length.
    words: Vec<(usize, usize)>,
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
        ..
    } = work;
    indices.clear();
    seen.clear();
    let index_width = width_of(texts.count() as u64);
    let len_width = width_of(texts.longest());
    let mut at = data.bytes.len();
    let len = at + texts.count() * index_width as usize;
    data.bytes.grow(len + STRIDE - at)?;
    let mut words_len = 0usize;
    for cell in 0..texts.count() {
        let text = texts.get(cell);
        let hash = hasher.hash_one(text);
        let entry = indices.entry(
            hash,
            |index| texts.get(seen[*index].1) == text,
            |index| seen[*index].0,
        );
        let index = *entry.or_insert(seen.len()).get();
        if index == seen.len() {
            seen.push((hash, cell));
            words_len += len_width as usize + text.len();
        }
        put_integer(&mut data.bytes, at, index as u64, index_width);
        at += index_width as usize;
    }
    data.bytes.truncate(len);
    metadata.bytes.put(&[index_width as u8, len_width as u8]);
    metadata.put_u32(u32_of(words_len)?);
    let mut at = metadata.bytes.len();
    let len = at + words_len;
    metadata.bytes.grow(len + STRIDE - at)?;
    for (_, cell) in &*seen {
        let text = texts.get(*cell);
        put_integer(&mut metadata.bytes, at, text.len() as u64, len_width);
        at += len_width as usize;
        metadata.bytes[at..at + text.len()].copy_from_slice(text);
        at += text.len();
    }
    metadata.bytes.truncate(len);
    if indices.capacity() > KEPT / 16 {
        *work = Work::default();
    }
    Ok(())
}

pub(super) fn decode(
    data: &[u8],
    dictionary: &[u8],
    [index_width, len_width]: [u32; 2],
    work: &mut Work,
    texts: TextsMut<'_>,
) -> std::result::Result<(), &'static str> {
    let (values, starts) = (texts.values, texts.starts);
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
