//! Filters that transform values to other values of a fixed size, one part at a time. They share
//! one metadata layout; each has a file for the transformation of one part.
//!
//! ```text
//! metadata: number of parts u32; the stored length of each part u32;
//!           then the input's metadata unchanged
//! data:     the parts
//! ```

mod bit_shuffle;
mod byte_shuffle;
mod scale_float;
mod xor;

use super::ScaleFloat;
use super::parts::{DecodeInput, EncodeInput, Parts, u32_of};
use crate::bytes::Cursor;
use crate::error::{Error, PipelineError, Result};

/// A transformation bound to the size of its values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transform {
    /// Groups the bytes of values.
    ByteShuffle { value_size: usize },
    /// Groups the bits of values.
    BitShuffle { value_size: usize },
    /// Combines each value with the previous one.
    Xor { value_size: usize },
    /// Converts floating-point numbers to integers.
    ScaleFloat {
        real_size: usize,
        options: ScaleFloat,
    },
}

impl Transform {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ByteShuffle { .. } => "byteshuffle filter",
            Self::BitShuffle { .. } => "bitshuffle filter",
            Self::Xor { .. } => "xor filter",
            Self::ScaleFloat { .. } => "float scaling filter",
        }
    }

    pub(super) fn metadata_len(self, input: EncodeInput<'_>) -> usize {
        let parts: usize = input.data.iter().map(|part| self.parts_of(part)).sum();
        4 + 4 * parts + input.metadata.bytes.len()
    }

    pub(super) fn encode(
        self,
        input: EncodeInput<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<()> {
        let parts = input.data.iter().map(|part| self.parts_of(part)).sum();
        metadata.put_u32(u32_of(parts)?)?;
        for part in input.data.iter() {
            let (first, second) = part.split_at(self.first_len(part));
            for piece in [first, second].into_iter().take(self.parts_of(part)) {
                let len = self.stored_len(piece.len())?;
                metadata.put_u32(u32_of(len)?)?;
                self.encode_part(piece, data.bytes.grow(len)?);
            }
        }
        metadata.end_part();
        metadata.append(input.metadata)?;
        // libtiledb makes a part for each one that it scales, but one in any case otherwise.
        if parts > 0 || !matches!(self, Self::ScaleFloat { .. }) {
            data.end_part();
        }
        Ok(())
    }

    pub(super) fn decode(self, input: DecodeInput<'_>, data: &mut [u8]) -> Result<Option<usize>> {
        let mut header = Cursor::new(self.name(), input.metadata);
        let parts = header.count_u32("number of parts", 4)?;
        let (mut from, mut to) = (input.data, data);
        for _ in 0..parts {
            let len = header.u32("length of a part")? as usize;
            let (part, rest) = from.split_at_checked(len).ok_or_else(|| {
                header.corrupt(
                    "length of a part",
                    format!("is {len}, {} bytes are left", from.len()),
                )
            })?;
            let (output, remaining) = self
                .original_len(len)
                .and_then(|len| to.split_at_mut_checked(len))
                .ok_or_else(|| {
                    header.corrupt("length of a part", format!("is {len}, beyond the chunk"))
                })?;
            self.decode_part(part, output);
            (from, to) = (rest, remaining);
        }
        if !from.is_empty() {
            return Err(header.corrupt("parts", format!("do not cover {} bytes", from.len())));
        }
        Ok(Some(header.position()))
    }

    /// Returns the decoded length according to the length of the input.
    pub(super) fn decoded_len(self, input: DecodeInput<'_>) -> Result<usize> {
        self.original_len(input.data.len()).ok_or_else(|| {
            Error::corrupt(self.name(), "data", 0, "does not consist of whole values")
        })
    }

    /// Returns the stored length of a part of `len` bytes.
    fn stored_len(self, len: usize) -> Result<usize> {
        let size = match self {
            Self::ByteShuffle { .. } | Self::BitShuffle { .. } => return Ok(len),
            Self::Xor { value_size } => value_size,
            Self::ScaleFloat { real_size, .. } => real_size,
        };
        if !len.is_multiple_of(size) {
            return Err(PipelineError::PartialValue {
                filter: self.name(),
                size,
                len,
            }
            .into());
        }
        Ok(match self {
            Self::ScaleFloat { options, .. } => len / size * options.byte_width as usize,
            _ => len,
        })
    }

    /// Returns the original length of a stored part of `len` bytes; `None` if it does not consist
    /// of whole values.
    fn original_len(self, len: usize) -> Option<usize> {
        match self {
            Self::ByteShuffle { .. } | Self::BitShuffle { .. } => Some(len),
            Self::Xor { value_size } => len.is_multiple_of(value_size).then_some(len),
            Self::ScaleFloat { real_size, options } => {
                let width = options.byte_width as usize;
                (len.checked_rem(width)? == 0)
                    .then(|| (len / width).checked_mul(real_size))
                    .flatten()
            }
        }
    }

    /// Returns the number of parts into which a part is divided: bit shuffle separates the bytes
    /// after the last multiple of eight.
    fn parts_of(self, part: &[u8]) -> usize {
        1 + usize::from(self.first_len(part) != part.len())
    }

    /// Returns the length of the first of these parts.
    fn first_len(self, part: &[u8]) -> usize {
        match self {
            Self::BitShuffle { .. } => part.len() / 8 * 8,
            _ => part.len(),
        }
    }

    /// Encodes a part to `to`, which has the part's stored length.
    fn encode_part(self, part: &[u8], to: &mut [u8]) {
        match self {
            Self::ByteShuffle { value_size } => byte_shuffle::encode(value_size, part, to),
            Self::BitShuffle { value_size } => bit_shuffle::encode(value_size, part, to),
            Self::Xor { value_size } => xor::encode(value_size, part, to),
            Self::ScaleFloat { real_size, options } => {
                scale_float::encode(&options, real_size, part, to);
            }
        }
    }

    /// Decodes a part to `to`, which has the part's original length.
    fn decode_part(self, part: &[u8], to: &mut [u8]) {
        match self {
            Self::ByteShuffle { value_size } => byte_shuffle::decode(value_size, part, to),
            Self::BitShuffle { value_size } => bit_shuffle::decode(value_size, part, to),
            Self::Xor { value_size } => xor::decode(value_size, part, to),
            Self::ScaleFloat { real_size, options } => {
                scale_float::decode(&options, real_size, part, to);
            }
        }
    }
}
