//! RLE of texts: runs of equal cells, each the number of cells, the length of the text, the text.

use super::{STRIDE, Texts, TextsMut, copy, integer, put_integer, width_of};
use crate::error::Result;
use crate::filter::parts::Parts;

/// Memory that a thread keeps: the cells that runs start with.
pub(super) type Work = Vec<usize>;

pub(super) fn encode(
    texts: Texts<'_>,
    starts: &mut Work,
    data: &mut Parts,
    metadata: &mut Parts,
) -> Result<()> {
    starts.clear();
    let mut before: Option<&[u8]> = None;
    let mut text_bytes = 0;
    for at in 0..texts.count() {
        let text = texts.get(at);
        if before != Some(text) {
            starts.push(at);
            text_bytes += text.len();
            before = Some(text);
        }
    }
    let ends = || starts.iter().skip(1).copied().chain([texts.count()]);
    let longest = starts.iter().zip(ends()).map(|(start, end)| end - start);
    let count_width = width_of(longest.max().unwrap_or_default() as u64);
    let len_width = width_of(texts.longest());
    metadata.bytes.put(&[count_width as u8, len_width as u8]);
    let mut at = data.bytes.len();
    let len = at + starts.len() * (count_width + len_width) as usize + text_bytes;
    let to = &mut data.bytes;
    to.grow(len + STRIDE - at)?;
    for (start, end) in starts.iter().zip(ends()) {
        let from = texts.starts[*start] as usize;
        let text_len = texts.get(*start).len();
        put_integer(to, at, (end - start) as u64, count_width);
        at += count_width as usize;
        put_integer(to, at, text_len as u64, len_width);
        at += len_width as usize;
        // Both sides were measured above.
        let _ = copy(texts.values, from, to, at, text_len);
        at += text_len;
    }
    to.truncate(len);
    if starts.capacity() > super::super::pipeline::KEPT {
        *starts = Vec::new();
    }
    Ok(())
}

pub(super) fn decode(
    data: &[u8],
    [count_width, len_width]: [u32; 2],
    texts: TextsMut<'_>,
) -> std::result::Result<(), &'static str> {
    let (values, starts) = (texts.values, texts.starts);
    let cells = starts.len().saturating_sub(1);
    let (mut at, mut cell, mut end) = (0, 0usize, 0usize);
    while at < data.len() {
        let cut = "ends within a run";
        let count = integer(data, at, count_width).ok_or(cut)? as usize;
        at += count_width as usize;
        let len = integer(data, at, len_width).ok_or(cut)? as usize;
        at += len_width as usize;
        let from = at;
        at = at
            .checked_add(len)
            .filter(|at| *at <= data.len())
            .ok_or(cut)?;
        let places = cell
            .checked_add(count)
            .and_then(|end| starts[..cells].get_mut(cell..end))
            .ok_or("has more cells than the tile")?;
        let first = end;
        for place in &mut *places {
            *place = end as u64;
            // Cannot wrap before the check below finds out: cells and lengths have 32 bits.
            end = end.wrapping_add(len);
        }
        cell += count;
        let room = count.checked_mul(len);
        if room.is_none_or(|room| room > values.len() - first) {
            return Err("has more values than the tile");
        }
        for start in places {
            copy(data, from, values, *start as usize, len).ok_or(cut)?;
        }
    }
    match cell == cells && end == values.len() {
        true => {
            if let Some(last) = starts.last_mut() {
                *last = end as u64;
            }
            Ok(())
        }
        false => Err("has fewer cells or values than the tile"),
    }
}
