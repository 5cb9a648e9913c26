//! The compressors. They share one metadata layout. `libraries`, `rle` and `deltas` encode one
//! part.
//!
//! ```text
//! metadata: number of metadata parts u32, number of data parts u32;
//!           for each part, metadata first: original length u32, compressed length u32
//! data:     the compressed parts, metadata first
//! ```
//!
//! The input's metadata is compressed together with the data and is not repeated in the metadata.

mod deltas;
mod libraries;
mod rle;

use super::parts::{DecodeInput, EncodeInput, Parts, PartsHeader, u32_of};
use super::{Compression, Compressor};
use crate::bytes::{Cursor, ReusableBuffer};
use crate::error::{Error, PipelineError, Result};
use crate::types::{Datatype, Physical};

/// The size of a part's entry in the metadata.
const ENTRY_LEN: usize = 8;

/// A compressor bound to a datatype and a cell size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compress {
    compressor: Compressor,
    level: i32,
    cell_size: usize,
    /// The physical type as which the delta compressors interpret values.
    values: Physical,
}

impl Compress {
    /// Binds a compressor to data of a datatype, in cells of `cell_size` bytes.
    pub(super) fn new(options: &Compression, input: Datatype, cell_size: usize) -> Self {
        let values = match options.reinterpret {
            Datatype::Any => input,
            other => other,
        };
        Self {
            compressor: options.compressor,
            level: options.level,
            cell_size,
            // Strings are compressed byte by byte, whatever their encoding.
            values: if values.is_string() {
                Physical::U8
            } else {
                values.physical()
            },
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.compressor.kind().name()
    }

    pub(super) fn metadata_len(input: EncodeInput<'_>) -> usize {
        8 + ENTRY_LEN * (input.data.count() + input.metadata.count())
    }

    pub(super) fn encode(
        &self,
        input: EncodeInput<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<()> {
        PartsHeader::write_numbers(input, metadata)?;
        for part in input.metadata.iter().chain(input.data.iter()) {
            let before = data.bytes.len();
            self.compress(part, &mut data.bytes)?;
            metadata.put_u32(u32_of(part.len())?)?;
            metadata.put_u32(u32_of(data.bytes.len() - before)?)?;
        }
        metadata.end_part();
        data.end_part();
        Ok(())
    }

    /// Appends the compressed form of a part.
    fn compress(&self, part: &[u8], to: &mut ReusableBuffer) -> Result<()> {
        match self.compressor {
            Compressor::Gzip => libraries::compress_gzip(self.level, part, to),
            Compressor::Zstd => libraries::compress_zstd(self.level, part, to),
            Compressor::Lz4 => libraries::compress_lz4(part, to),
            Compressor::Bzip2 => libraries::compress_bzip2(self.level, part, to),
            Compressor::Rle => rle::compress(self.cell_size, part, to),
            Compressor::DoubleDelta => deltas::compress_double_delta(self.values, part, to),
            Compressor::Delta => deltas::compress_delta(self.values.size(), part, to),
            Compressor::Dictionary => Err(PipelineError::OnlyTexts.into()),
        }
    }

    /// Decompresses a part to `to`; its original length must be the length of `to`.
    fn decompress(&self, part: &[u8], to: &mut [u8]) -> Result<()> {
        let value_size = self.values.size();
        let written = match self.compressor {
            Compressor::Gzip => libraries::decompress_gzip(part, to),
            Compressor::Zstd => libraries::decompress_zstd(part, to),
            Compressor::Lz4 => libraries::decompress_lz4(part, to),
            Compressor::Bzip2 => libraries::decompress_bzip2(part, to),
            Compressor::Rle => rle::decompress(self.cell_size, part, to),
            Compressor::DoubleDelta => {
                return deltas::decompress_double_delta(value_size, part, to);
            }
            Compressor::Delta => return deltas::decompress_delta(value_size, part, to),
            Compressor::Dictionary => return Err(PipelineError::OnlyTexts.into()),
        };
        match written {
            Ok(len) if len == to.len() => Ok(()),
            Ok(len) => {
                let problem = format!("holds {len} bytes, not {}", to.len());
                Err(damaged(self.name(), problem))
            }
            Err(problem) => Err(damaged(self.name(), problem)),
        }
    }

    pub(super) fn decoded_len(&self, input: DecodeInput<'_>) -> Result<usize> {
        PartsHeader::read(self.name(), input.metadata, ENTRY_LEN)?.data_len(ENTRY_LEN)
    }

    pub(super) fn decode(
        &self,
        input: DecodeInput<'_>,
        data: &mut [u8],
        metadata: &mut ReusableBuffer,
        limit: usize,
    ) -> Result<Option<usize>> {
        let PartsHeader {
            metadata_parts,
            data_parts,
            entries: mut header,
        } = PartsHeader::read(self.name(), input.metadata, ENTRY_LEN)?;
        let mut from = Cursor::new(self.name(), input.data);
        metadata.clear();
        for _ in 0..metadata_parts {
            let original = header.u32("original length")? as usize;
            let part = from.take(
                "compressed metadata",
                header.u32("compressed length")? as usize,
            )?;
            let start = metadata.len();
            if original > limit - start.min(limit) {
                return Err(header.corrupt("original length", format!("of metadata is {original}")));
            }
            self.decompress(part, metadata.grow(original)?)?;
        }
        let mut to = data;
        for _ in 0..data_parts {
            let original = header.u32("original length")? as usize;
            let part = from.take("compressed data", header.u32("compressed length")? as usize)?;
            let (output, rest) = to
                .split_at_mut_checked(original)
                .ok_or_else(|| header.corrupt("original length", "passes the chunk"))?;
            self.decompress(part, output)?;
            to = rest;
        }
        Ok(None)
    }
}

/// Returns an error about the compressed bytes of a part.
fn damaged(compressor: &'static str, problem: impl Into<String>) -> Error {
    Error::corrupt(compressor, "compressed data", 0, problem)
}
