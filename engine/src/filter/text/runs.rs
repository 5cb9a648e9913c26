//! RLE of strings: each run is the number of equal cells, the length of the string, and the string.

use super::strings::{STRIDE, Texts, copy, integer, put_integer, width_of};
use crate::bytes::{is_exact_key, text_key};
use crate::error::Result;
use crate::filter::parts::Parts;

/// Appends the runs. If all strings are short, appends a cell of the least and one of the greatest
/// to `min_max_candidates`.
pub(super) fn encode(
    texts: Texts<'_>,
    data: &mut Parts,
    metadata: &mut Parts,
    min_max_candidates: &mut Vec<usize>,
) -> Result<()> {
    // Most runs and strings are short. If one is not, the encoding is repeated with wider integers.
    let mut widths = [1, 1];
    let found = loop {
        match put_runs(texts, widths, data)? {
            Ok(found) => break found,
            Err(wider) => widths = wider,
        }
    };
    min_max_candidates.extend(found.cells());
    metadata.bytes.put(&widths.map(|width| width as u8))
}

/// Appends the runs, with counts and lengths of these widths, and returns the least and the
/// greatest string. If a value does not fit, appends nothing and returns widths to try next.
fn put_runs(
    texts: Texts<'_>,
    [count_width, len_width]: [u32; 2],
    data: &mut Parts,
) -> Result<std::result::Result<MinMax, [u32; 2]>> {
    let before = data.bytes.len();
    let max = |width: u32| usize::try_from(u64::MAX >> (64 - 8 * width)).unwrap_or(usize::MAX);
    let (max_cells, max_len) = (max(count_width), max(len_width));
    let head = (count_width + len_width) as usize;
    let capacity = texts.count() * head + texts.len() + STRIDE;
    let to = data.bytes.grow(capacity)?;
    let (mut offset, mut cell) = (0, 0);
    let mut min_max = MinMax::default();
    let mut wider = None;
    while cell < texts.count() {
        let run = Text::of(texts, cell);
        let mut end = cell + 1;
        while end < texts.count() && Text::of(texts, end).is_same(&run, texts) {
            end += 1;
        }
        let count = end - cell;
        if count > max_cells {
            wider = Some([width_of(count as u64), len_width]);
            break;
        }
        if run.len > max_len {
            wider = Some([count_width, width_of(texts.longest())]);
            break;
        }
        if head <= 8 {
            let both = (count as u64) << (8 * len_width) | run.len as u64;
            put_integer(to, offset, both, head as u32);
        } else {
            put_integer(to, offset, count as u64, count_width);
            put_integer(to, offset + count_width as usize, run.len as u64, len_width);
        }
        // `to` has capacity for all strings.
        let _ = copy(texts.values, run.start, to, offset + head, run.len);
        offset += head + run.len;
        min_max.add(run.key, cell);
        cell = end;
    }
    data.bytes.truncate(match wider {
        Some(_) => before,
        None => before + offset,
    });
    Ok(wider.map_or(Ok(min_max), Err))
}

/// The string of a cell.
#[derive(Clone, Copy, Debug)]
struct Text {
    start: usize,
    len: usize,
    /// The key of the string.
    key: u128,
}

impl Text {
    #[inline(always)]
    fn of(texts: Texts<'_>, cell: usize) -> Self {
        let (start, len) = texts.start_and_len(cell);
        Self {
            start,
            len,
            key: text_key(texts.values, start, len),
        }
    }

    #[inline(always)]
    fn is_same(&self, other: &Self, texts: Texts<'_>) -> bool {
        let bytes = |text: &Self| &texts.values[text.start..text.start + text.len];
        self.key == other.key && (is_exact_key(self.key) || bytes(self) == bytes(other))
    }
}

/// The least and the greatest string if all are short: the key and a cell of each.
#[derive(Clone, Copy, Debug)]
struct MinMax {
    least: (u128, usize),
    greatest: (u128, usize),
    all_short: bool,
}

impl Default for MinMax {
    /// The initial state, without strings.
    fn default() -> Self {
        Self {
            least: (u128::MAX, 0),
            greatest: (0, 0),
            all_short: true,
        }
    }
}

impl MinMax {
    #[inline(always)]
    fn add(&mut self, key: u128, cell: usize) {
        self.all_short &= is_exact_key(key);
        if key < self.least.0 {
            self.least = (key, cell);
        }
        if key > self.greatest.0 {
            self.greatest = (key, cell);
        }
    }

    /// Returns a cell of the least and one of the greatest string, if they are known.
    fn cells(self) -> impl Iterator<Item = usize> {
        // False without strings.
        let known = self.all_short && self.least.0 <= self.greatest.0;
        let cells = [self.least.1, self.greatest.1];
        cells.into_iter().filter(move |_| known)
    }
}

pub(super) fn decode(
    data: &[u8],
    [count_width, len_width]: [u32; 2],
    values: &mut [u8],
    starts: &mut [u64],
) -> std::result::Result<(), &'static str> {
    let cells = starts.len().saturating_sub(1);
    let (mut offset, mut cell, mut end) = (0, 0usize, 0usize);
    while offset < data.len() {
        let truncated = "ends within a run";
        let count = integer(data, offset, count_width).ok_or(truncated)? as usize;
        offset += count_width as usize;
        let len = integer(data, offset, len_width).ok_or(truncated)? as usize;
        offset += len_width as usize;
        let from = offset;
        offset = offset
            .checked_add(len)
            .filter(|offset| *offset <= data.len())
            .ok_or(truncated)?;
        let run_starts = cell
            .checked_add(count)
            .and_then(|end| starts[..cells].get_mut(cell..end))
            .ok_or("has more cells than the tile")?;
        let first = end;
        for start in &mut *run_starts {
            *start = end as u64;
            // This cannot wrap around before the check below: counts and lengths have at most 32
            // bits.
            end = end.wrapping_add(len);
        }
        cell += count;
        let size = count.checked_mul(len);
        if size.is_none_or(|size| size > values.len() - first) {
            return Err("has more values than the tile");
        }
        for start in run_starts {
            copy(data, from, values, *start as usize, len).ok_or(truncated)?;
        }
    }
    if cell != cells || end != values.len() {
        return Err("has fewer cells or values than the tile");
    }
    if let Some(last) = starts.last_mut() {
        *last = end as u64;
    }
    Ok(())
}
