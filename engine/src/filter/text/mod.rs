//! String encodings that include the offsets of the cells: runs, and indices into a dictionary.
//! Such a filter is the first of its list and encodes a complete tile, values and starts of cells;
//! no offsets are stored separately.
//!
//! ```text
//! metadata: number of metadata parts u32, 0; number of data parts u32, 1;
//!           length of the values u32, length of the data u32,
//!           length of the offsets u32, eight bytes per cell;
//!           width of a count or an index in bytes u8; width of a string length in bytes u8;
//!           for a dictionary: its length u32, then its strings, each preceded by its length
//! data:     runs, or an index for each cell
//! ```
//!
//! These counts, indices and lengths have 1, 2, 4 or 8 bytes in big-endian order.

mod dictionary;
mod runs;
mod strings;

use dictionary::DictionaryWorkspace;
pub use strings::Texts;

use super::parts::{DecodeInput, Parts, u32_of};
use super::{Compressor, Filter};
use crate::bytes::Cursor;
use crate::error::{Error, Result, try_resize};
use crate::memory::WorkspaceGuard;

/// The length of the metadata of runs in bytes: five numbers of four bytes and two of one byte.
const RUNS_METADATA_LEN: usize = 22;

/// A string encoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TextEncoding {
    Runs,
    Dictionary,
}

impl TextEncoding {
    /// Returns the encoding that a filter uses for variable-length strings.
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

    /// Returns the length of the metadata that encoding will produce, if it does not depend on the
    /// strings.
    pub(super) fn metadata_len(self) -> Option<usize> {
        match self {
            Self::Runs => Some(RUNS_METADATA_LEN),
            Self::Dictionary => None,
        }
    }

    /// Appends the encoded strings as one part of data, and their description as one part of
    /// metadata. Appends cells that include the least and the greatest string to
    /// `min_max_candidates` if the encoding finds them.
    pub(super) fn encode(
        self,
        texts: Texts<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
        min_max_candidates: &mut Vec<usize>,
    ) -> Result<()> {
        metadata.put_u32(0)?;
        metadata.put_u32(1)?;
        metadata.put_u32(u32_of(texts.len())?)?;
        let len_position = metadata.bytes.len();
        metadata.put_u32(0)?;
        metadata.put_u32(u32_of(texts.count().saturating_mul(8))?)?;
        let before = data.bytes.len();
        match self {
            Self::Runs => runs::encode(texts, data, metadata, min_max_candidates)?,
            Self::Dictionary => {
                let mut workspace = WorkspaceGuard::<DictionaryWorkspace>::default();
                dictionary::encode(texts, &mut workspace, data, metadata)?;
                min_max_candidates.extend(workspace.words());
            }
        }
        let len = u32_of(data.bytes.len() - before)?;
        metadata.bytes[len_position..len_position + 4].copy_from_slice(&len.to_le_bytes());
        metadata.end_part();
        data.end_part();
        Ok(())
    }

    /// Decodes `number` strings into `values`. `starts` receives the start of each and the end of
    /// the last one; it is resized after the metadata has been checked.
    ///
    /// # Errors
    ///
    /// If the number or the total length of the strings differs.
    pub(super) fn decode(
        self,
        input: DecodeInput<'_>,
        values: &mut [u8],
        number: usize,
        starts: &mut Vec<u64>,
    ) -> Result<()> {
        let mut header = Cursor::new(self.name(), input.metadata);
        let parts = [
            header.u32("number of metadata parts")?,
            header.u32("number of data parts")?,
        ];
        if parts != [0, 1] {
            return Err(header.corrupt("number of parts", format!("is {parts:?}, not [0, 1]")));
        }
        expect(&header, "length of the values", values.len())?;
        header.skip("length of the values", 4)?;
        let len = header.u32("length of the data")? as usize;
        expect(&header, "length of the offsets", number.saturating_mul(8))?;
        header.skip("length of the offsets", 4)?;
        let data = input.data.get(..len).ok_or_else(|| {
            let problem = format!("is {len}, {} bytes are available", input.data.len());
            header.corrupt("length of the data", problem)
        })?;
        let widths = [width(&mut header)?, width(&mut header)?];
        try_resize("offsets", starts, number + 1)?;
        let filled = match self {
            Self::Runs => runs::decode(data, widths, values, starts),
            Self::Dictionary => {
                let len = header.u32("length of the dictionary")? as usize;
                let words = header.take("dictionary", len)?;
                let mut workspace = WorkspaceGuard::<DictionaryWorkspace>::default();
                dictionary::decode(data, words, widths, &mut workspace, values, starts)
            }
        };
        filled.map_err(|problem| Error::corrupt(self.name(), "data", 0, problem))
    }
}

/// Returns an error unless the next number is `expected`. Does not advance the cursor.
fn expect(header: &Cursor<'_>, field: &'static str, expected: usize) -> Result<()> {
    let actual = header.clone().u32(field)?;
    if actual as usize == expected {
        Ok(())
    } else {
        Err(header.corrupt(field, format!("is {actual}, not {expected}")))
    }
}

/// Reads the width of an integer in bytes.
fn width(header: &mut Cursor<'_>) -> Result<u32> {
    match header.u8("bytes of an integer")? {
        width @ (1 | 2 | 4 | 8) => Ok(width.into()),
        other => Err(header.corrupt("bytes of an integer", format!("are {other}"))),
    }
}

#[cfg(test)]
mod tests;
