//! A reader of TIFF files, strip by strip or one row of tiles after another.

use std::fs::File;
use std::io::BufReader;

use tiff::ColorType;
use tiff::decoder::{ChunkType, Decoder, DecodingResult};
use tiff::tags::Tag;
use tiledb_engine::Datatype;

use super::PictureForm;
use crate::problem::{Problem, Result};

/// The number of the planar configuration in which each channel is stored by itself.
const SEPARATE: u32 = 2;
/// The most memory for a row of tiles in bytes. A small file can state a large picture.
const MAX_TILE_ROW: usize = 1 << 30;

/// A TIFF file that is being read.
pub(super) struct TiffReader {
    pub(super) form: PictureForm,
    decoder: Decoder<BufReader<File>>,
    /// The number of strips or tiles in a row.
    chunks_per_row: u32,
    /// The index of the next strip or tile.
    next: u32,
    /// The number of strips or tiles.
    chunks: u32,
}

fn unsupported(feature: &str) -> Problem {
    Problem::usage(format!("the TIFF file has {feature}"))
        .hint("grey, RGB and RGBA with 8 to 64 bits, chunky, are supported")
}

impl TiffReader {
    /// Reads the form of the picture. Returns an error if it is not supported.
    pub(super) fn open(file: BufReader<File>) -> Result<Self> {
        let mut decoder = Decoder::new(file)?;
        let (width, height) = decoder.dimensions()?;
        if width == 0 || height == 0 {
            return Err(unsupported("no pixels"));
        }
        let color = decoder.colortype()?;
        let channels = match color {
            ColorType::Gray(_) => 1,
            ColorType::GrayA(_) => 2,
            ColorType::RGB(_) => 3,
            ColorType::RGBA(_) => 4,
            other => return Err(unsupported(&format!("colours of type {other:?}"))),
        };
        if decoder.find_tag_unsigned::<u32>(Tag::PlanarConfiguration)? == Some(SEPARATE) {
            return Err(unsupported("a plane for each channel"));
        }
        if color.bit_depth() < 8 {
            return Err(unsupported("samples with less than 8 bits"));
        }
        let (chunk_width, chunk_height) = decoder.chunk_dimensions();
        let (chunks_per_row, chunks) = match decoder.get_chunk_type() {
            ChunkType::Strip => (1, decoder.strip_count()?),
            ChunkType::Tile => (width.div_ceil(chunk_width.max(1)), decoder.tile_count()?),
        };
        let pixel_bytes = channels * usize::from(color.bit_depth()).div_ceil(8);
        let chunk_rows = chunk_height.min(height) as usize;
        let row_bytes = pixel_bytes.saturating_mul(width as usize);
        if row_bytes.saturating_mul(chunk_rows) > MAX_TILE_ROW {
            return Err(unsupported("rows of tiles with more than 1 GiB"));
        }
        let first = decoder.read_chunk(0)?;
        let (datatype, _) = samples(first)?;
        let form = PictureForm {
            width,
            height,
            channels,
            datatype,
        };
        Ok(Self {
            form,
            decoder,
            chunks_per_row,
            next: 0,
            chunks,
        })
    }

    /// Appends the next strip, or row of tiles. Returns `false` at the end.
    pub(super) fn decode(&mut self, rows: &mut Vec<u8>) -> Result<bool> {
        if self.next >= self.chunks {
            return Ok(false);
        }
        let pixel_bytes = self.form.channels * self.form.datatype.size();
        let (start, row_bytes) = (rows.len(), self.form.row_bytes());
        let mut left_bytes = 0;
        for chunk in self.next..self.next.saturating_add(self.chunks_per_row) {
            let (width, height) = self.decoder.chunk_data_dimensions(chunk);
            let (datatype, bytes) = samples(self.decoder.read_chunk(chunk)?)?;
            let width_bytes = width as usize * pixel_bytes;
            if datatype != self.form.datatype || bytes.len() < width_bytes * height as usize {
                return Err(unsupported("tiles of several types or sizes"));
            }
            let size = start + row_bytes * height as usize;
            if rows.len() < size {
                rows.resize(size, 0);
            }
            for (row, samples) in bytes.chunks_exact(width_bytes.max(1)).enumerate() {
                let position = start + row * row_bytes + left_bytes;
                if let Some(target) = rows.get_mut(position..position + width_bytes) {
                    target.copy_from_slice(samples);
                }
            }
            left_bytes += width_bytes;
        }
        self.next = self.next.saturating_add(self.chunks_per_row);
        Ok(true)
    }
}

/// Returns the datatype of samples, and the samples as bytes in little-endian order.
fn samples(decoded: DecodingResult) -> Result<(Datatype, Vec<u8>)> {
    macro_rules! bytes {
        ($values:expr) => {
            $values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
    }
    Ok(match decoded {
        DecodingResult::U8(values) => (Datatype::Uint8, values),
        DecodingResult::U16(values) => (Datatype::Uint16, bytes!(values)),
        DecodingResult::U32(values) => (Datatype::Uint32, bytes!(values)),
        DecodingResult::F32(values) => (Datatype::Float32, bytes!(values)),
        DecodingResult::F64(values) => (Datatype::Float64, bytes!(values)),
        DecodingResult::I16(values) => (Datatype::Int16, bytes!(values)),
        DecodingResult::I32(values) => (Datatype::Int32, bytes!(values)),
        _ => return Err(unsupported("samples of another type")),
    })
}
