//! RLE of texts: runs of equal cells, each the number of cells, the length of the text, the text.

use super::{STRIDE, Texts, TextsMut, copy, integer, put_integer, width_of};
use crate::bytes::short_text;
use crate::error::Result;
use crate::filter::parts::Parts;

pub(super) fn encode(texts: Texts<'_>, data: &mut Parts, metadata: &mut Parts) -> Result<()> {
    let len_width = width_of(texts.longest());
    // Most runs are short; where one is not, a count that holds it is tried.
    let mut count_width = 1;
    while let Err(longer) = put_runs(texts, [count_width, len_width], data)? {
        count_width = width_of(longer as u64);
    }
    metadata.bytes.put(&[count_width as u8, len_width as u8]);
    Ok(())
}

/// Appends the runs; or nothing where one has more cells than a count of this width holds, and answers how many.
fn put_runs(
    texts: Texts<'_>,
    [count_width, len_width]: [u32; 2],
    data: &mut Parts,
) -> Result<std::result::Result<(), usize>> {
    let before = data.bytes.len();
    let most = usize::try_from(u64::MAX >> (64 - 8 * count_width)).unwrap_or(usize::MAX);
    let head = (count_width + len_width) as usize;
    let room = texts.count() * head + texts.len() + STRIDE;
    let to = data.bytes.grow(room)?;
    let mut at = 0;
    let mut put = |run: &Text, count: usize| {
        if count > most {
            return false;
        }
        put_integer(to, at, count as u64, count_width);
        put_integer(to, at + count_width as usize, run.len as u64, len_width);
        // There is room for all texts.
        let _ = copy(texts.values, run.start, to, at + head, run.len);
        at += head + run.len;
        true
    };
    let mut count = 0;
    let mut run = Text::default();
    for cell in 0..texts.count() {
        let text = Text::of(texts, cell);
        if count > 0 && text.is_same(&run, texts) {
            count += 1;
            continue;
        }
        if count > 0 && !put(&run, count) {
            break;
        }
        (run, count) = (text, 1);
    }
    let fits = count == 0 || put(&run, count);
    data.bytes.truncate(if fits { before + at } else { before });
    Ok(if fits { Ok(()) } else { Err(count) })
}

/// The text of a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Text {
    start: usize,
    len: usize,
    /// The text, where it is short.
    short: Option<u128>,
}

impl Text {
    #[inline(always)]
    fn of(texts: Texts<'_>, cell: usize) -> Self {
        let (start, len) = texts.place(cell);
        Self {
            start,
            len,
            short: short_text(texts.values, start, len),
        }
    }

    #[inline(always)]
    fn is_same(&self, other: &Self, texts: Texts<'_>) -> bool {
        let bytes = |text: &Self| &texts.values[text.start..text.start + text.len];
        (self.len, self.short) == (other.len, other.short)
            && (self.short.is_some() || bytes(self) == bytes(other))
    }
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
