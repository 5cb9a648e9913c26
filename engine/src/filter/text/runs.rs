//! RLE of texts: runs of equal cells, each the number of cells, the length of the text, the text.

use super::{STRIDE, Texts, copy, integer, put_integer, width_of};
use crate::bytes::{is_whole, text_key};
use crate::error::Result;
use crate::filter::parts::Parts;

/// Appends the runs. Where all texts are short, appends to `ends` a cell of the least and one of the greatest.
pub(super) fn encode(
    texts: Texts<'_>,
    data: &mut Parts,
    metadata: &mut Parts,
    ends: &mut Vec<usize>,
) -> Result<()> {
    // Most runs and texts are short; where one is not, integers that hold it are tried.
    let (mut count_width, mut len_width) = (1, 1);
    let found = loop {
        match put_runs(texts, [count_width, len_width], data)? {
            Ok(found) => break found,
            Err(TooLong::Run(count)) => count_width = width_of(count as u64),
            Err(TooLong::Text) => len_width = width_of(texts.longest()),
        }
    };
    ends.extend(found.cells());
    metadata.bytes.put(&[count_width as u8, len_width as u8]);
    Ok(())
}

/// What integers of the widths tried do not hold.
enum TooLong {
    /// The cells of a run, so many.
    Run(usize),
    /// The bytes of a text.
    Text,
}

/// Appends the runs and answers the ends of their texts; or nothing where integers of these widths do not hold all.
fn put_runs(
    texts: Texts<'_>,
    [count_width, len_width]: [u32; 2],
    data: &mut Parts,
) -> Result<std::result::Result<Ends, TooLong>> {
    let before = data.bytes.len();
    let most = |width: u32| usize::try_from(u64::MAX >> (64 - 8 * width)).unwrap_or(usize::MAX);
    let (most_cells, longest) = (most(count_width), most(len_width));
    let head = (count_width + len_width) as usize;
    let room = texts.count() * head + texts.len() + STRIDE;
    let to = data.bytes.grow(room)?;
    let (mut at, mut cell) = (0, 0);
    let mut ends = Ends::default();
    let mut problem = None;
    while cell < texts.count() {
        let run = Text::of(texts, cell);
        let mut end = cell + 1;
        while end < texts.count() && Text::of(texts, end).is_same(&run, texts) {
            end += 1;
        }
        let count = end - cell;
        if count > most_cells {
            problem = Some(TooLong::Run(count));
            break;
        }
        if run.len > longest {
            problem = Some(TooLong::Text);
            break;
        }
        match head <= 8 {
            true => {
                let both = (count as u64) << (8 * len_width) | run.len as u64;
                put_integer(to, at, both, head as u32);
            }
            false => {
                put_integer(to, at, count as u64, count_width);
                put_integer(to, at + count_width as usize, run.len as u64, len_width);
            }
        }
        // There is room for all texts.
        let _ = copy(texts.values, run.start, to, at + head, run.len);
        at += head + run.len;
        ends.add(run.key, cell);
        cell = end;
    }
    data.bytes.truncate(match problem {
        Some(_) => before,
        None => before + at,
    });
    Ok(problem.map_or(Ok(ends), Err))
}

/// The text of a cell.
#[derive(Clone, Copy, Debug)]
struct Text {
    start: usize,
    len: usize,
    /// The text as a number.
    key: u128,
}

impl Text {
    #[inline(always)]
    fn of(texts: Texts<'_>, cell: usize) -> Self {
        let (start, len) = texts.place(cell);
        Self {
            start,
            len,
            key: text_key(texts.values, start, len),
        }
    }

    #[inline(always)]
    fn is_same(&self, other: &Self, texts: Texts<'_>) -> bool {
        let bytes = |text: &Self| &texts.values[text.start..text.start + text.len];
        self.key == other.key && (is_whole(self.key) || bytes(self) == bytes(other))
    }
}

/// The least and the greatest of texts that are all short: their numbers, and a cell of each.
#[derive(Clone, Copy, Debug)]
struct Ends {
    least: (u128, usize),
    greatest: (u128, usize),
    all_short: bool,
}

impl Default for Ends {
    /// Those of no texts.
    fn default() -> Self {
        Self {
            least: (u128::MAX, 0),
            greatest: (0, 0),
            all_short: true,
        }
    }
}

impl Ends {
    #[inline(always)]
    fn add(&mut self, key: u128, cell: usize) {
        self.all_short &= is_whole(key);
        if key < self.least.0 {
            self.least = (key, cell);
        }
        if key > self.greatest.0 {
            self.greatest = (key, cell);
        }
    }

    /// A cell for each end, where they are known.
    fn cells(self) -> impl Iterator<Item = usize> {
        // Not so where there are no texts.
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
