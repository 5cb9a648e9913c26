//! The encodings of text that hold the offsets of its cells: runs, and words of a dictionary. Such a filter is the first
//! of its list and gets a whole tile, values and where each cell starts; the file of offsets holds nothing.
//!
//! ```text
//! metadata: number of metadata parts u32, 0; number of data parts u32, 1;
//!           length of the values u32, length of the data u32, length of the offsets u32, eight bytes a cell;
//!           bytes of a count or an index u8; bytes of a text's length u8;
//!           of a dictionary: its length u32, then its words, each a length and a text
//! data:     runs, or an index for each cell
//! ```
//!
//! Integers of counted bytes have 1, 2, 4 or 8 of them and stand with the highest byte first.

mod dictionary;
mod runs;

use std::cell::RefCell;

use super::parts::{Parts, u32_of};
use super::pipeline::Filtered;
use super::{Compressor, Filter};
use crate::bytes::{Cursor, widest};
use crate::error::{Error, Result, try_resize};

/// One of the encodings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TextEncoding {
    Runs,
    Dictionary,
}

/// Texts side by side.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// Their bytes, and maybe others before and after them.
    pub values: &'a [u8],
    /// Where each starts, and the end of the last: ascending, within `values`.
    pub starts: &'a [u64],
}

impl<'a> Texts<'a> {
    /// The bytes of all of them.
    pub(super) fn len(&self) -> usize {
        let first = self.starts.first().copied().unwrap_or_default();
        let last = self.starts.last().copied().unwrap_or_default();
        (last - first) as usize
    }

    fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    #[inline(always)]
    fn get(&self, at: usize) -> &'a [u8] {
        &self.values[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Where a text is, as `get`, and its length.
    #[inline(always)]
    fn place(&self, at: usize) -> (usize, usize) {
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        (start as usize, (end - start) as usize)
    }

    fn longest(&self) -> u64 {
        let lens = self.starts.iter().zip(self.starts.iter().skip(1));
        widest(
            #[inline(always)]
            || lens.fold(0, |most, (start, end)| most.max(end - start)),
        )
    }
}

/// Texts that are being decoded.
#[derive(Debug)]
pub struct TextsMut<'a> {
    /// Room for their bytes.
    pub values: &'a mut [u8],
    /// How many they are.
    pub number: usize,
    /// Becomes where each starts, and the end of the last. Memory is taken once the tile announces as many.
    pub starts: &'a mut Vec<u64>,
}

/// Memory that a thread keeps between tiles.
#[derive(Debug, Default)]
struct Work {
    dictionary: dictionary::Work,
}

thread_local! {
    static WORK: RefCell<Work> = RefCell::default();
}

impl TextEncoding {
    /// The encoding that a filter of variable-length text is.
    pub(super) fn of(filter: &Filter) -> Option<Self> {
        match filter {
            Filter::Compression(options) => match options.compressor {
                Compressor::Rle => Some(Self::Runs),
                Compressor::Dictionary => Some(Self::Dictionary),
                _ => None,
            },
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Runs => Compressor::Rle.kind().name(),
            Self::Dictionary => Compressor::Dictionary.kind().name(),
        }
    }

    /// The length of the metadata it will give, where that does not depend on the texts.
    pub(super) fn metadata_len(self) -> Option<usize> {
        match self {
            Self::Runs => Some(22),
            Self::Dictionary => None,
        }
    }

    /// Appends the encoded texts as one part, and what is noted about them as one part of metadata. Appends to `telling` cells
    /// that have the least and the greatest text, where it met them.
    pub(super) fn encode(
        self,
        texts: Texts<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
        telling: &mut Vec<usize>,
    ) -> Result<()> {
        metadata.put_u32(0);
        metadata.put_u32(1);
        metadata.put_u32(u32_of(texts.len())?);
        let len_at = metadata.bytes.len();
        metadata.put_u32(0);
        metadata.put_u32(u32_of(texts.count().saturating_mul(8))?);
        let before = data.bytes.len();
        WORK.with_borrow_mut(|work| match self {
            Self::Runs => runs::encode(texts, data, metadata, telling),
            Self::Dictionary => {
                let work = &mut work.dictionary;
                dictionary::encode(texts, work, data, metadata)?;
                telling.extend(work.words());
                Ok(())
            }
        })?;
        let len = u32_of(data.bytes.len() - before)?;
        metadata.bytes[len_at..len_at + 4].copy_from_slice(&len.to_le_bytes());
        metadata.end_part();
        data.end_part();
        Ok(())
    }

    /// Fills `texts`: an error unless they are as many, and as long, as those that were encoded.
    pub(super) fn decode(self, input: Filtered<'_>, texts: TextsMut<'_>) -> Result<()> {
        let mut notes = Cursor::new(self.name(), input.metadata);
        let parts = [
            notes.u32("number of metadata parts")?,
            notes.u32("number of data parts")?,
        ];
        if parts != [0, 1] {
            return Err(notes.corrupt("number of parts", format!("is {parts:?}, not [0, 1]")));
        }
        let TextsMut {
            values,
            number,
            starts,
        } = texts;
        expect(&notes, "length of the values", values.len())?;
        notes.skip("length of the values", 4)?;
        let len = notes.u32("length of the data")? as usize;
        expect(&notes, "length of the offsets", number.saturating_mul(8))?;
        notes.skip("length of the offsets", 4)?;
        let data = input.data.get(..len).ok_or_else(|| {
            let problem = format!("is {len}, {} bytes are there", input.data.len());
            notes.corrupt("length of the data", problem)
        })?;
        let widths = [width(&mut notes)?, width(&mut notes)?];
        try_resize("offsets", starts, number + 1)?;
        let filled = match self {
            Self::Runs => runs::decode(data, widths, values, starts),
            Self::Dictionary => {
                let len = notes.u32("length of the dictionary")? as usize;
                let words = notes.take("dictionary", len)?;
                WORK.with_borrow_mut(|work| {
                    dictionary::decode(data, words, widths, &mut work.dictionary, values, starts)
                })
            }
        };
        filled.map_err(|problem| Error::corrupt(self.name(), "data", 0, problem))
    }
}

/// The next number must be this one; it is not taken off.
fn expect(notes: &Cursor<'_>, field: &'static str, wanted: usize) -> Result<()> {
    let is = notes.clone().u32(field)?;
    match is as usize == wanted {
        true => Ok(()),
        false => Err(notes.corrupt(field, format!("is {is}, not {wanted}"))),
    }
}

/// The bytes of an integer.
fn width(notes: &mut Cursor<'_>) -> Result<u32> {
    match notes.u8("bytes of an integer")? {
        width @ (1 | 2 | 4 | 8) => Ok(width.into()),
        other => Err(notes.corrupt("bytes of an integer", format!("are {other}"))),
    }
}

/// The bytes that all integers up to `most` need.
fn width_of(most: u64) -> u32 {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// As many bytes as are copied at once where both sides have room for them: most texts are no longer.
const STRIDE: usize = 16;

/// Copies `len` bytes at `from_at` to `to_at`; `None` where they leave a side.
#[inline(always)]
fn copy(from: &[u8], from_at: usize, to: &mut [u8], to_at: usize, len: usize) -> Option<()> {
    let (from, to) = (from.get(from_at..)?, to.get_mut(to_at..)?);
    match (from.first_chunk::<STRIDE>(), to.first_chunk_mut::<STRIDE>()) {
        (Some(from), Some(to)) if len <= STRIDE => *to = *from,
        _ => to.get_mut(..len)?.copy_from_slice(from.get(..len)?),
    }
    Some(())
}

/// The integer of `width` bytes at `at`; `None` where it leaves the bytes.
#[inline(always)]
#[expect(
    clippy::big_endian_bytes,
    reason = "integers of these encodings stand so"
)]
fn integer(bytes: &[u8], at: usize, width: u32) -> Option<u64> {
    let rest = bytes.get(at..)?;
    let word = match rest.first_chunk() {
        Some(word) => *word,
        None => {
            let mut word = [0; 8];
            let rest = rest.get(..width as usize)?;
            word[..rest.len()].copy_from_slice(rest);
            word
        }
    };
    Some(u64::from_be_bytes(word) >> (64 - 8 * width))
}

/// Puts an integer of `width` bytes at `at`, where there must be room for eight.
#[inline(always)]
#[expect(
    clippy::big_endian_bytes,
    reason = "integers of these encodings stand so"
)]
fn put_integer(to: &mut [u8], at: usize, value: u64, width: u32) {
    to[at..at + 8].copy_from_slice(&(value << (64 - 8 * width)).to_be_bytes());
}

#[cfg(test)]
mod tests;
